"""Values as they are stored: frozen, in UTC milliseconds, as the one JSON text of equal data, and in which version."""

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, NamedTuple, Protocol, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer, WithJsonSchema
from pydantic_core import to_json

JsonObject = dict[str, Any]


class Value(BaseModel):
    """A frozen value that refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True)

    def as_plain(self) -> JsonObject:
        """Return it as JSON data, by its aliases and without what is at its default."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def is_none(value: object) -> bool:
    """Say whether to leave a field out of what is written: most records do not have it."""
    return value is None


def iso_milliseconds(moment: datetime) -> str:
    """Return a moment as ISO 8601 in UTC, with milliseconds and `Z`."""
    at = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return f"{at.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def _in_milliseconds(moment: datetime) -> datetime:
    """Cut to what is written, so that a value equals itself after a save and a load."""
    if moment.tzinfo is UTC and moment.microsecond % 1000 == 0:
        return moment
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).replace(microsecond=aware.microsecond // 1000 * 1000)


_Written = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
Moment = Annotated[
    datetime,
    AfterValidator(_in_milliseconds),
    PlainSerializer(iso_milliseconds, return_type=_Written, when_used="json"),
]
"""A point in time, kept and written in UTC with millisecond precision."""


_MARK_CHARS = 12


class Versioned(Protocol):
    """A stored document that counts its versions."""

    @property
    def version(self) -> int:
        """Return the number of its newest version."""
        ...


@dataclass(frozen=True, slots=True)
class Revision:
    """A state of a document: its version, and what its content comes to."""

    version: int
    mark: str | None = None
    """Tells apart what has the same version: a document created again under an id, or edited by hand in its
    file. None where the caller knows the version alone; every content of it fits then."""

    def fits(self, document: Versioned) -> bool:
        """Say whether a document is in this state."""
        return document.version == self.version and self.mark in (None, mark_of(document))

    def __str__(self) -> str:
        return str(self.version) if self.mark is None else f"{self.version}-{self.mark}"


def mark_of(document: Versioned) -> str:
    """Return what the content of a document comes to, in twelve hexadecimal digits."""
    assert isinstance(document, BaseModel)  # noqa: S101 - every stored document is one
    data = to_json(document, by_alias=True, inf_nan_mode="null")
    return hashlib.sha256(data).hexdigest()[:_MARK_CHARS]


def revision_of(document: Versioned) -> Revision:
    """Return the state a document is in."""
    return Revision(document.version, mark_of(document))


class RunFence(NamedTuple):
    """The attempt at a run that a write belongs to."""

    conversation_id: str
    run_id: str
    number: int


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)
_AS_IT_IS = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)
_REFERENCE = re.compile(r"sha256:([0-9a-f]{64})")


def canonical_json(data: Any) -> bytes:
    """Return JSON data as the one text that equal data has."""
    return _CANONICAL.encode(data).encode("utf-8", "surrogatepass")


def content_json(data: Any) -> bytes:
    """Return JSON data as text with its keys in their order, in which a content is kept.

    What is read back is then sent to a model just as it was sent before: providers cache by the text.
    """
    return _AS_IT_IS.encode(data).encode("utf-8", "surrogatepass")


def parse_canonical(text: bytes) -> Any:
    """Return the data of a text of `canonical_json` or `content_json`.

    Raises:
        ValueError: The text is not JSON.
    """
    return json.loads(text.decode("utf-8", "surrogatepass"))


def digest_of(data: Any) -> str:
    """Return the SHA-256 of JSON data, whatever the order of its keys, as hex."""
    return hashlib.sha256(canonical_json(data)).hexdigest()


def content_ref_of(data: Any) -> str:
    """Return the reference that stands for JSON data, its keys in this order, wherever that is kept apart."""
    return f"sha256:{hashlib.sha256(content_json(data)).hexdigest()}"


def digest_in(content_ref: str) -> str | None:
    """Return the digest in a reference; None when the text is no reference."""
    match = _REFERENCE.fullmatch(content_ref)
    return match[1] if match else None


MAX_VALUE_CHARS = 2_000
MAX_ITEMS = 50
MAX_DEPTH = 8
MAX_TOTAL_CHARS = 16_000
"""Of all texts and keys of one value together, with a few for each other value."""
_CHARS_A_VALUE = 8
_FAILURES_OF_REPR = (
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RuntimeError,
    AssertionError,
    OSError,
)


@dataclass(slots=True)
class _Budget:
    """How much of a value may still be kept."""

    chars: int = MAX_TOTAL_CHARS

    def takes(self, chars: int) -> bool:
        """Take so many characters; say whether there were any left."""
        had_some = self.chars > 0
        self.chars -= chars
        return had_some


def json_safe(value: Any) -> Any:
    """Return a value as bounded JSON data, field by field.

    Bytes become text, NaN and infinities their names, cycles and what is too deep or too large
    a note, and anything else its `repr`: a value that cannot be written never loses its record.
    """
    return _safe(value, 0, (), _Budget())


def _safe(value: Any, depth: int, inside: tuple[int, ...], budget: _Budget) -> Any:
    if not budget.takes(_CHARS_A_VALUE):
        return "<more>"
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _safe_number(value)
    if isinstance(value, str | bytes | bytearray):
        return _safe_text(value, budget)
    if id(value) in inside:
        return "<cycle>"
    if depth >= MAX_DEPTH:
        return "<too deep>"
    return _safe_collection(value, depth, (*inside, id(value)), budget)


def _safe_number(value: float) -> Any:
    if isinstance(value, int):
        # A subclass of int, such as an enum's member, is written as the number it is.
        return int(value) if abs(value) < 2**63 else _cut(hex(value))
    return float(value) if math.isfinite(value) else repr(float(value))


def _safe_text(value: str | bytes | bytearray, budget: _Budget) -> str:
    text = value if isinstance(value, str) else bytes(value[:MAX_VALUE_CHARS]).decode("utf-8", "replace")
    kept = _cut(text)
    budget.takes(len(kept))
    return kept


def _cut(text: str) -> str:
    kept = text if len(text) <= MAX_VALUE_CHARS else f"{text[:MAX_VALUE_CHARS]}… ({len(text)} characters)"
    return kept.encode("utf-8", "replace").decode("utf-8")


def _safe_collection(value: Any, depth: int, inside: tuple[int, ...], budget: _Budget) -> Any:
    if isinstance(value, Mapping):
        items = list(cast("Mapping[Any, Any]", value).items())
        safe = {
            _safe_text(_shown(key), budget): _safe(item, depth + 1, inside, budget) for key, item in items[:MAX_ITEMS]
        }
        return safe | ({"…": f"{len(items) - MAX_ITEMS} more"} if len(items) > MAX_ITEMS else {})
    if isinstance(value, Sequence | set | frozenset):
        listed = list(cast("Sequence[Any]", value))
        safe_items = [_safe(item, depth + 1, inside, budget) for item in listed[:MAX_ITEMS]]
        return [*safe_items, f"… {len(listed) - MAX_ITEMS} more"] if len(listed) > MAX_ITEMS else safe_items
    return _safe_text(_shown(value), budget)


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return str(value) if isinstance(value, int | float) else repr(value)
    except _FAILURES_OF_REPR:
        return f"<{type(value).__name__} without a repr>"
