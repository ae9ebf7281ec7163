"""Formats of plain data, and putting a workflow together while a document of one is read."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from typing_extensions import override

from workflow_agent.errors import InvalidWorkflow
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.base import Exported, Format, Imported, Report, UnreadableDocument, unreadable
from workflow_agent.workflows.formats.fidelity import checked_export
from workflow_agent.workflows.formats.plain import filled, number_in, object_in
from workflow_agent.workflows.formats.shapes import Place, Shape, anything, problems_in
from workflow_agent.workflows.formats.text import write_plain
from workflow_agent.workflows.model.durations import duration_of
from workflow_agent.workflows.model.parser import json_pointer, parse_workflow, slug, take_id, unique_id
from workflow_agent.workflows.model.steps import StepType
from workflow_agent.workflows.model.transitions import TransitionType
from workflow_agent.workflows.model.workflow import Source, Workflow

_NAME_CHARS = 200


def fit(text: str, most: int = _NAME_CHARS) -> str | None:
    """Return a text as a name or label may be: not blank, cut to fit; None where nothing is left."""
    return text[:most] if text[:most].strip() else None


def first_line(text: str, most: int = 100) -> str | None:
    """Return the first line of a text that says something, cut at a word."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if len(line) <= most:
        return line or None
    return (line[:most].rsplit(" ", 1)[0] or line[:most]).rstrip(" ,;:.") or line[:most]


def seconds_in(value: Any, below: float) -> str | None:
    """Return the duration of so many seconds, fewer than a bound; None for what is no number of them."""
    seconds = number_in(value)
    return duration_of(seconds) if seconds is not None and 0 <= seconds < below else None


class Draft:
    """The steps and transitions found so far. Fields that are None are left out."""

    def __init__(self, format_name: str, title: str) -> None:
        self.format_name = format_name
        self.title = title
        self.report = Report()
        self.steps: list[JsonObject] = []
        self.transitions: list[JsonObject] = []
        self._taken: set[str] = set()

    def free_id(self, wanted: str) -> str:
        """Return the id that the next step gets if it is made from this text."""
        return unique_id(slug(wanted), self._taken)

    def add(
        self,
        name: str,
        type: StepType = "action",
        *,
        parent: str | None = None,
        wanted_id: str | None = None,
        kept: JsonObject | None = None,
        at: Sequence[str | int] = (),
        **fields: Any,
    ) -> str:
        """Add a step and return its id, made from its name or from `wanted_id`.

        Args:
            name: May be too long or blank; it is made to fit.
            kept: What the format keeps with the step.
            at: Where in the document it stands, for the report.
        """
        step_id = take_id(slug(wanted_id or name), self._taken)
        step = {"id": step_id, "name": fit(name) or step_id, "type": type, "parent": parent}
        self.steps.append(filled({**step, **fields, "extensions": self._extensions(kept)}))
        if kept and at:
            self.note_kept(at, kept)
        return step_id

    def keep(self, kept: JsonObject, at: Sequence[str | int]) -> None:
        """Keep something with the step that was added last, where there is anything to keep."""
        if kept:
            self.steps[-1]["extensions"] = self._extensions(kept)
            self.note_kept(at, kept)

    def connect(
        self,
        source: str,
        target: str,
        type: TransitionType = "sequence",
        *,
        kept: JsonObject | None = None,
        **fields: Any,
    ) -> None:
        """Add a transition."""
        edge = {"from": source, "to": target, "type": None if type == "sequence" else type}
        self.transitions.append(filled({**edge, **fields, "extensions": self._extensions(kept)}))

    def _extensions(self, kept: JsonObject | None) -> JsonObject | None:
        return {self.format_name: kept} if kept else None

    def join_before(self, name: str, target: str, parent: str | None, wanted_id: str, *, is_any: bool = False) -> str:
        """Add a join that leads to a step, of all that comes before what has this name, or of any of it."""
        called = f"{'Any' if is_any else 'All'} before {name}"[:_NAME_CHARS]
        mode = {"mode": "any"} if is_any else None
        join = self.add(called, "join", parent=parent, wanted_id=wanted_id, join=mode)
        self.connect(join, target)
        return join

    def note_kept(self, at: Sequence[str | int], kept: JsonObject) -> None:
        """Put into the report what is kept beside the model."""
        names = ", ".join(f"`{key}`" for key in list(kept)[:12])
        self.report.keep(json_pointer(at), f"{names}: kept beside the model, and given back on export")

    def finished(self, name: str, *, kept: JsonObject | None = None, **fields: Any) -> Imported:
        """Return the workflow, with an id made from its name, and the report.

        Raises:
            UnreadableDocument: The parts make no workflow; the pointers are then into its document.
        """
        title = fit(name) or self.title
        if kept:
            self.note_kept((), kept)
        document: JsonObject = {
            "id": "wf_" + slug(title, fallback="workflow"),
            "name": title,
            "steps": self.steps,
            "transitions": self.transitions,
            "source": Source(format=self.format_name, name=fit(name)).model_dump(exclude_none=True),
            "extensions": self._extensions(kept),
            **fields,
        }
        if not self.steps:
            raise unreadable(self.title, "has no steps")
        try:
            return Imported(parse_workflow(filled(document)), self.report)
        except InvalidWorkflow as error:
            raise UnreadableDocument(self.title, list(error.problems)) from error


class DocumentFormat(Format):
    """A format whose documents are plain data, in JSON or YAML by its media type."""

    media_type = "application/yaml"
    shape: ClassVar[Shape]
    """What a document may look like."""
    rules: ClassVar[Shape] = staticmethod(anything)
    """Refuses what is wrong with a document of this shape all the same."""
    read_into: ClassVar[Callable[[JsonObject, Draft], Imported]]
    """Reads a document with which nothing is wrong."""
    document_of: ClassVar[Callable[[Workflow, str], JsonObject]]
    """Gives the document for a workflow, with what was kept under the name of the format."""

    @override
    def read(self, document: Any) -> Imported:
        kind = type(self)
        place = Place(problems_in(document, kind.shape))
        if not place.problems:
            kind.rules(document, place)
        if place.problems:
            raise UnreadableDocument(self.title, place.problems)
        return kind.read_into(object_in(document), Draft(self.name, self.title))

    @override
    def write(self, workflow: Workflow) -> Exported:
        document = type(self).document_of(workflow, self.name)
        return checked_export(write_plain(document, self.media_type), workflow, self.read, self.title)
