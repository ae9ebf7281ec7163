"""Which state of a document somebody read, and which attempt at a run a write belongs to."""

import hashlib
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pydantic import BaseModel
from pydantic_core import to_json

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
