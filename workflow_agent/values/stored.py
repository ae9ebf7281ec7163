"""What every stored value shares: frozen, closed, times as UTC milliseconds, its state as read, its fields in words."""

import ast
import hashlib
import inspect
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from typing import Annotated, Any, NamedTuple, Protocol

from pydantic import AfterValidator, BaseModel, ConfigDict, GetJsonSchemaHandler, PlainSerializer, WithJsonSchema
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, to_json
from typing_extensions import override

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


@cache
def field_texts(model: type[object]) -> Mapping[str, str]:
    """Return the string under each field of a class, by the field's name; its own ones, not inherited."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(model)))
    (defined,) = tree.body
    assert isinstance(defined, ast.ClassDef)  # noqa: S101 - it is the source of a class
    return {
        field.target.id: inspect.cleandoc(under.value.value)
        for field, under in pairwise(defined.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(under, ast.Expr)
        and isinstance(under.value, ast.Constant)
        and isinstance(under.value.value, str)
    }


class Described(BaseModel):
    """A model whose JSON Schema says of each field what the string under it says.

    Pydantic's `use_attribute_docstrings` gives the same, but reads the sources while a class is made: at
    every start, for a schema that most servers are never asked for.
    """

    @classmethod
    @override
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /) -> JsonSchemaValue:
        made = handler(core_schema)
        properties: dict[str, Any] = handler.resolve_ref_schema(made).get("properties", {})
        for base in cls.__mro__:
            if issubclass(base, Described) and base is not Described:
                for name, text in field_texts(base).items():
                    properties[cls.model_fields[name].alias or name].setdefault("description", text)
        return made
