"""What was read of a conversation that another service kept, before it becomes one of ours."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from workflow_agent.conversations.document import CONVERSATION_ID_PATTERN, Conversation
from workflow_agent.conversations.imports import Said, with_said
from workflow_agent.values.stored import JsonObject, canonical_json, digest_of

_MILLISECONDS_FROM = 100_000_000_000
"""A number of this size is milliseconds since 1970: as seconds it would be in the year 5138."""


@dataclass(frozen=True, slots=True)
class Left:
    """Something that is no message of a conversation: where it stood, what it was, and why it is none."""

    pointer: str
    value: Any
    why: str


@dataclass(frozen=True, slots=True)
class History:
    """A conversation of another service."""

    shape: str
    """The name of the shape it was kept in."""
    source: Any
    """The whole document, as JSON data."""
    id: str | None
    """What it was called there; None where the document does not say."""
    title: str
    said: tuple[Said, ...]
    left: tuple[Left, ...] = ()
    notes: tuple[str, ...] = ()
    """What whoever brings it in should know of."""


class Open(BaseModel):
    """An object of another service: what it has beside the known members is kept as it is."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    def others(self, pointer: str, why: str) -> list[Left]:
        """Return the members that are not known here; an empty one says nothing."""
        extra: Mapping[str, Any] = self.model_extra or {}
        return [
            Left(f"{pointer}/{_token(name)}", value, why)
            for name, value in extra.items()
            if value not in (None, "", [], {})
        ]


def _token(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _moment(given: Any) -> Any:
    """Return a moment from ISO 8601 or from seconds or milliseconds since 1970; without a zone it is UTC."""
    if given is None or isinstance(given, datetime):
        return given
    if isinstance(given, str):
        try:
            found = datetime.fromisoformat(given.strip())
        except ValueError as error:
            raise ValueError("is no time: ISO 8601 such as 2026-01-31T09:30:00Z is one") from error
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    if isinstance(given, int | float) and not isinstance(given, bool):
        try:
            return datetime.fromtimestamp(given / 1000 if abs(given) >= _MILLISECONDS_FROM else given, UTC)
        except (OverflowError, ValueError, OSError) as error:
            raise ValueError("is no time: seconds since 1970 are") from error
    raise ValueError("is no time: ISO 8601 or seconds since 1970 are")


def _whole(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"has half a character at position {error.start}") from error
    return text


Text = Annotated[str, AfterValidator(_whole)]
"""Text that can be written: no half of a character in it."""
Time = Annotated[datetime | None, BeforeValidator(_moment)]
"""When something was said there."""


def says_no_zone(given: Any) -> bool:
    """Say whether a time is a text that does not tell its zone."""
    if not isinstance(given, str):
        return False
    try:
        return datetime.fromisoformat(given.strip()).tzinfo is None
    except ValueError:
        return False


SOURCE = "imported"
"""The member of a conversation's metadata that says where it came from."""
KEPT_BYTES = 65_536
"""So much of what is no message is kept with a conversation: each save writes it again."""
_MOST_TITLE_CHARS = 200
_STEM_CHARS = 48


def fitting_id(old_id: str) -> str:
    """Return the id a conversation gets: its own where that fits, or one made of it, always the same."""
    if re.fullmatch(CONVERSATION_ID_PATTERN, old_id):
        return old_id
    stem = re.sub(r"[^a-z0-9]+", "-", old_id.lower()).strip("-")[:_STEM_CHARS].rstrip("-")
    return f"{stem or 'cv'}-{digest_of(old_id)[:8]}"


def source_digest(history: History) -> str:
    """Return what tells whether a document is the one that a conversation was made of."""
    return digest_of(history.source)


def conversation_of(history: History, tenant: str, old_id: str, at: datetime) -> Conversation:
    """Return the conversation that a history becomes; the same history makes the same one.

    The time of what has none is `at`.
    """
    digest = source_digest(history)
    first = next((one.at for one in history.said if one.at is not None), at)
    made = Conversation(
        id=fitting_id(old_id),
        tenant=tenant,
        title=history.title.strip()[:_MOST_TITLE_CHARS],
        created_at=first,
        updated_at=first,
        metadata={SOURCE: _source(history, old_id, digest)},
    )
    return with_said(made, history.said, author="user", at=first, new_id=_numbered(digest))


def _source(history: History, old_id: str, digest: str) -> JsonObject:
    kept: list[JsonObject] = []
    room = KEPT_BYTES
    too_large = 0
    for one in history.left:
        size_bytes = len(canonical_json(one.value))
        if size_bytes > room:
            too_large += 1
            continue
        room -= size_bytes
        kept.append({"pointer": one.pointer, "why": one.why, "value": one.value})
    source: JsonObject = {"id": old_id, "shape": history.shape, "sha256": digest}
    return source | ({"left": kept} if kept else {}) | ({"too_large": too_large} if too_large else {})


def _numbered(digest: str) -> Callable[[str], str]:
    """Return what makes ids that are the same each time for the same source."""
    numbers = count(1)
    return lambda prefix: f"{prefix}_{digest_of([digest, next(numbers)])[:12]}"
