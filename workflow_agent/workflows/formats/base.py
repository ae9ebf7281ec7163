"""What every format is: a way from a document to a workflow, and back, with a report of what did not fit."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Protocol

from workflow_agent.errors import InvalidInput, Problem
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.workflow import Workflow


class UnreadableDocument(InvalidInput):
    """The text is no document of this format; says where and why."""

    code = "unreadable_document"

    def __init__(self, what: str, problems: list[Problem]) -> None:
        listed = "; ".join(f"{p.pointer or '/'}: {p.message}" for p in problems[:5])
        more = f" (and {len(problems) - 5} more)" if len(problems) > 5 else ""
        super().__init__(f"This is not a valid {what} document: {listed}{more}", problems)


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that a conversion could not carry over as what it is."""

    where: str
    """JSON pointer into the document that was read, or a step or transition of the workflow written."""
    what: str
    """What it is and what became of it, in a sentence."""


@dataclass(slots=True)
class Report:
    """What a conversion kept beside the model, and what it lost."""

    kept: list[Note] = field(default_factory=list[Note])
    """In the workflow's extensions, from where an export to the same format gives it back."""
    lost: list[Note] = field(default_factory=list[Note])

    @property
    def is_lossless(self) -> bool:
        """Say whether nothing was lost."""
        return not self.lost

    def keep(self, where: str, what: str) -> None:
        """Note what was kept as an extension."""
        self.kept.append(Note(where, what))

    def lose(self, where: str, what: str) -> None:
        """Note what has no place in the other form."""
        self.lost.append(Note(where, what))

    def as_dict(self) -> JsonObject:
        """Return the report as plain JSON data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Imported:
    """A workflow read from a document. Its id is made from its name; the caller gives it a free one."""

    workflow: Workflow
    report: Report


@dataclass(frozen=True, slots=True)
class Exported:
    """A document written from a workflow."""

    text: str
    report: Report


class Format(Protocol):
    """A format; one module each, found through `formats.FORMATS`.

    What the model has no place for goes verbatim into `extensions[name]` of the part it belongs to,
    so that reading a document, writing it in the same format and reading it again gives an equal
    workflow. Writing a workflow and reading it gives an equal one whenever the report is lossless.
    """

    name: ClassVar[str]
    """Short: `asl`, `github-actions`."""
    title: ClassVar[str]
    """What people call it."""
    media_type: ClassVar[str]
    """Of what `write` gives."""
    extension: ClassVar[str]
    """How a file of it is named, without the dot."""

    def recognises(self, document: Any) -> float:
        """Return how certainly a parsed document is of this format, from 0 to 1, by its content alone."""
        ...

    def documents(self, document: Any) -> Sequence[Any]:
        """Return the documents of single workflows that one document of this format holds, in order."""
        return [document]

    def read(self, document: Any) -> Imported:
        """Return the workflow of a parsed document that holds a single one.

        Raises:
            UnreadableDocument: With every problem, each with its place in the document.
        """
        ...

    def write(self, workflow: Workflow) -> Exported:
        """Return a document of the workflow, whatever came from where; what does not fit is in the report."""
        ...


SMALLEST, LARGEST = -(2**63), 2**64 - 1
TOO_LARGE = "is a whole number that does not fit into 64 bits; write it as text"
_MOST_DIGITS = 70
"""Of 64 bits in base two, with a sign and a prefix."""
MAX_CHARS = 5_000_000
MAX_DEPTH = 64
MAX_NODES = 200_000
"""Values in a document, each alias counted as all that it stands for."""


def unreadable(what: str, message: str) -> UnreadableDocument:
    """Return the refusal of a whole document."""
    return UnreadableDocument(what, [Problem("", message)])


def whole_number(digits: str, base: int = 10) -> int:
    """Return the number that digits write; for one of more than 64 bits, any that is too large as well."""
    # `int` takes time with the square of the length, and refuses what is longer than 4,300 digits.
    return int(digits, base) if len(digits) <= _MOST_DIGITS else LARGEST + 1
