"""Formats of plain data, and putting a workflow together while a document of one is read."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from typing_extensions import override

from workflow_agent.errors import InvalidWorkflow, Problem
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.base import Exported, Format, Imported, Report, UnreadableDocument
from workflow_agent.workflows.formats.fidelity import checked_export
from workflow_agent.workflows.formats.shapes import Shape, object_in, problems_in
from workflow_agent.workflows.formats.text import write_json
from workflow_agent.workflows.formats.yaml_text import write_yaml
from workflow_agent.workflows.model.parser import json_pointer, parse_workflow, slug, unique_id
from workflow_agent.workflows.model.steps import Step, StepType
from workflow_agent.workflows.model.transitions import Transition, TransitionType
from workflow_agent.workflows.model.workflow import Source, Workflow

_NAME_CHARS = 200
_ONWARD = ("sequence", "condition", "default")
_MEETINGS_TRIED = 30


def fit(text: str, most: int = _NAME_CHARS) -> str | None:
    """Return a text as a name or label may be: not blank, cut to fit; None where nothing is left."""
    return text[:most] if text[:most].strip() else None


def first_line(text: str, most: int = 100) -> str | None:
    """Return the first line of a text that says something, cut at a word."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if len(line) <= most:
        return line or None
    return (line[:most].rsplit(" ", 1)[0] or line[:most]).rstrip(" ,;:.") or line[:most]


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
        kind: StepType,
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
            kind: Its type.
            parent: The step whose scope it is in.
            wanted_id: What to make the id from, where the name is not it.
            kept: What the format keeps with the step.
            at: Where in the document it stands, for the report.
            fields: The other fields of the step.
        """
        step_id = self.free_id(wanted_id or name)
        self._taken.add(step_id)
        kept_beside = {self.format_name: kept} if kept else None
        step = {"id": step_id, "name": fit(name) or step_id, "type": kind, "parent": parent}
        self.steps.append(_filled({**step, **fields, "extensions": kept_beside}))
        if kept and at:
            self.note_kept(at, kept)
        return step_id

    def connect(
        self,
        source: str,
        target: str,
        kind: TransitionType = "sequence",
        *,
        kept: JsonObject | None = None,
        **fields: Any,
    ) -> None:
        """Add a transition."""
        kept_beside = {self.format_name: kept} if kept else None
        edge = {"from": source, "to": target, "type": None if kind == "sequence" else kind}
        self.transitions.append(_filled({**edge, **fields, "extensions": kept_beside}))

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
        kept_beside = {self.format_name: kept} if kept else None
        if kept:
            self.note_kept((), kept)
        document: JsonObject = {
            "id": "wf_" + slug(title, fallback="workflow"),
            "name": title,
            "steps": self.steps,
            "transitions": self.transitions,
            "source": Source(format=self.format_name, name=fit(name)).model_dump(exclude_none=True),
            "extensions": kept_beside,
            **fields,
        }
        if not self.steps:
            raise UnreadableDocument(self.title, [Problem("", "has no steps")])
        try:
            return Imported(parse_workflow(_filled(document)), self.report)
        except InvalidWorkflow as error:
            raise UnreadableDocument(self.title, list(error.problems)) from error


def _no_rules(document: JsonObject) -> list[Problem]:
    del document
    return []


class DocumentFormat(Format):
    """A format whose documents are plain data, in JSON or YAML by its media type."""

    media_type = "application/yaml"
    shape: ClassVar[Shape]
    """What a document may look like."""
    broken_rules: ClassVar[Callable[[JsonObject], list[Problem]]] = staticmethod(_no_rules)
    """Finds what is wrong with a document of this shape all the same."""
    read_into: ClassVar[Callable[[JsonObject, Draft], Imported]]
    """Reads a document with which nothing is wrong."""
    document_of: ClassVar[Callable[[Workflow, str], JsonObject]]
    """Gives the document for a workflow, with what was kept under the name of the format."""

    @override
    def read(self, document: Any) -> Imported:
        kind = type(self)
        problems = problems_in(document, kind.shape) or kind.broken_rules(object_in(document))
        if problems:
            raise UnreadableDocument(self.title, problems)
        return kind.read_into(object_in(document), Draft(self.name, self.title))

    @override
    def write(self, workflow: Workflow) -> Exported:
        document = type(self).document_of(workflow, self.name)
        text = write_json(document) if self.media_type == "application/json" else write_yaml(document)
        return checked_export(text, workflow, self.read, self.title)


def _filled(fields: JsonObject) -> JsonObject:
    return {key: value for key, value in fields.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Region:
    """The branches of a fork, each as the steps in it with its first one leading."""

    branches: tuple[tuple[str, ...], ...]
    meeting: str | None
    """Where they come together; None where each ends by itself."""


class Flow:
    """The transitions between the steps of one scope, by which work goes on and by which it fails."""

    def __init__(self, workflow: Workflow) -> None:
        self.workflow = workflow
        self.steps: Mapping[str, Step] = {step.id: step for step in workflow.steps}
        self.children: dict[str | None, list[Step]] = {}
        for step in workflow.steps:
            self.children.setdefault(step.parent, []).append(step)
        self._out: dict[str, list[Transition]] = {}
        self._into: dict[str, list[Transition]] = {}
        for edge in workflow.transitions:
            self._out.setdefault(edge.from_, []).append(edge)
            self._into.setdefault(edge.to, []).append(edge)

    def beside(self, step_id: str) -> list[Transition]:
        """Return the transitions to steps in the same scope, in order."""
        scope = self.steps[step_id].parent
        return [edge for edge in self._out.get(step_id, ()) if self.steps[edge.to].parent == scope]

    def onward(self, step_id: str) -> list[Transition]:
        """Return the transitions in the same scope by which work that went well goes on."""
        return [edge for edge in self.beside(step_id) if edge.type in _ONWARD]

    def failing(self, step_id: str) -> list[Transition]:
        """Return the error transitions in the same scope."""
        return [edge for edge in self.beside(step_id) if edge.type == "error"]

    def into(self, step_id: str) -> list[Transition]:
        """Return the transitions from steps in the same scope, by which work comes here."""
        scope = self.steps[step_id].parent
        found = self._into.get(step_id, ())
        return [e for e in found if self.steps[e.from_].parent == scope and e.type in (*_ONWARD, "error")]

    def heads(self, scope: str | None, members: Sequence[Step]) -> list[str]:
        """Return where a scope begins: what its step leads to, else what nothing in it leads to."""
        inside = {step.id for step in members}
        drawn = [e.to for e in self._out.get(scope or "", ()) if e.to in inside and e.type in _ONWARD]
        if drawn:
            return list(dict.fromkeys(drawn))
        heads = [step.id for step in members if not any(e.from_ in inside for e in self.into(step.id))]
        return heads or [step.id for step in members[:1]]

    @property
    def start(self) -> str:
        """The step of the outermost scope that work begins with, or is inside of."""
        here = self.steps[self.workflow.start]
        while here.parent is not None:
            here = self.steps[here.parent]
        return here.id

    def reached(self, first: str, *, stop: str | None = None) -> list[str]:
        """Return the steps that work can come to from one, itself first, without passing `stop`."""
        found = {first: None} if first != stop else {}
        for here in (waiting := list(found)):
            news = [e.to for e in self.beside(here) if e.type in (*_ONWARD, "error")]
            for there in dict.fromkeys(news):
                if there not in found and there != stop:
                    found[there] = None
                    waiting.append(there)
        return list(found)

    def region(self, fork: str) -> Region | None:
        """Return what lies between a fork and its end, or None where the branches are not apart.

        They are apart when none leads into another, none is entered from elsewhere, and all that leave
        themselves go to one and the same step.
        """
        heads = list(dict.fromkeys(edge.to for edge in self.onward(fork)))
        if len(heads) < 2 or fork in heads:
            return None
        common = set(self.reached(heads[0])).intersection(*map(self.reached, heads[1:]))
        candidates = [step_id for step_id in self.reached(heads[0]) if step_id in common][:_MEETINGS_TRIED]
        for meeting in (*candidates, *([] if candidates else [None])):
            branches = [self.reached(head, stop=meeting) for head in heads if head != meeting]
            if branches and self._are_apart(fork, branches):
                return Region(tuple(map(tuple, branches)), meeting)
        return None

    def regions(self, members: Sequence[Step], start: str) -> dict[str, Region]:
        """Return what lies between each fork and its end, without the forks inside other regions."""
        inside = {step.id for step in members}
        found: list[tuple[set[str], str, Region]] = []
        for step in members:
            if step.type == "fork" and step.id not in self.children:
                region = self.region(step.id)
                claims = {one for branch in region.branches for one in branch} if region else set[str]()
                if region and start not in claims and claims <= inside:
                    found.append((claims, step.id, region))
        outermost: dict[str, Region] = {}
        taken: set[str] = set()
        for claims, fork, region in sorted(found, key=lambda one: -len(one[0])):
            if fork not in taken and not claims & taken:
                outermost[fork] = region
                taken |= claims
        return outermost

    def _are_apart(self, fork: str, branches: Iterable[Sequence[str]]) -> bool:
        seen: set[str] = {fork}
        for branch in branches:
            inside = set(branch)
            entered = {e.from_ for step_id in branch for e in self.into(step_id)} - inside
            if inside & seen or entered - {fork}:
                return False
            seen |= inside
        return True

    def components(self, members: Sequence[Step]) -> list[list[Step]]:
        """Return the groups of steps that transitions connect, each in order."""
        near: dict[str, set[str]] = {step.id: set() for step in members}
        for step in members:
            for edge in self.beside(step.id):
                if edge.to in near:
                    near[step.id].add(edge.to)
                    near[edge.to].add(step.id)
        group: dict[str, int] = {}
        for at, step in enumerate(members):
            waiting = [] if step.id in group else [step.id]
            while waiting:
                here = waiting.pop()
                if here not in group:
                    group[here] = at
                    waiting += near[here]
        found: dict[int, list[Step]] = {}
        for step in members:
            found.setdefault(group[step.id], []).append(step)
        return list(found.values())
