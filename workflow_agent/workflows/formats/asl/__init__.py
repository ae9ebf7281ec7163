"""Amazon States Language, in JSON or YAML: its format, and workflows written as state machines."""

from collections.abc import Container, Sequence
from typing import Any

from typing_extensions import override

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.asl.choices import catchers_of, choices_of, condition_language
from workflow_agent.workflows.formats.asl.content import SAID_BY, generated, said
from workflow_agent.workflows.formats.asl.reader import broken_rules, read_comment, read_machine, write_comment
from workflow_agent.workflows.formats.asl.states import (
    INSIDE,
    LANGUAGES,
    STATE_NAME_CHARS,
    branch_rest_shape,
    content_shape,
    machine_shape,
    processor_rest_shape,
    root_rest_shape,
)
from workflow_agent.workflows.formats.builder import DocumentFormat
from workflow_agent.workflows.formats.fidelity import kept_in, restored_step
from workflow_agent.workflows.formats.flow import Flow, Region
from workflow_agent.workflows.formats.shapes import list_in, object_in, problems_in, without
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow

_HANDLES_ERRORS = ("Task", "Parallel", "Map")
_ENDS = ("Succeed", "Fail")


def machine_of(workflow: Workflow, format_name: str) -> JsonObject:
    """Return the state machine for a workflow, as far as the language can say it."""
    kept = kept_in(workflow.extensions, format_name)
    rest = {key: kept[key] for key in kept if key != "Comment"}
    root = rest if not problems_in(rest, root_rest_shape) else {}
    language = str(root.get("QueryLanguage", LANGUAGES[0]))
    machine = _Writer(workflow, format_name, language).whole()
    title = (workflow.name, workflow.description)
    comment = kept.get("Comment", write_comment(*title))
    if read_comment({**machine, "Comment": comment}) != title:
        comment = write_comment(*title)
    said = {"Comment": comment} if "Comment" in kept or read_comment(machine) != title else {}
    return {**said, **root, **machine}


class _Writer:
    def __init__(self, workflow: Workflow, format_name: str, language: str) -> None:
        self._workflow = workflow
        self._format_name = format_name
        self._language = language
        self._flow = Flow(workflow, format_name)
        self._taken: set[str] = set()
        self._names = {step.id: self._free_name(step.name) for step in workflow.steps}

    def _free_name(self, wanted: str) -> str:
        name, number = wanted[:STATE_NAME_CHARS], 2
        while name in self._taken:
            ending = f" ({number})"
            name, number = wanted[: STATE_NAME_CHARS - len(ending)] + ending, number + 1
        self._taken.add(name)
        return name

    def whole(self) -> JsonObject:
        """Return the outermost machine."""
        return self._machine(self._flow.children[None], self._flow.start)

    def _machine(self, members: Sequence[Step], start: str) -> JsonObject:
        """Return the machine of these steps; what leads out of them ends it."""
        regions = self._flow.regions(members, start)
        claimed = {step_id for region in regions.values() for step_id in region.inside}
        own = [step for step in members if step.id not in claimed]
        inside = {step.id for step in own}
        states: JsonObject = {}
        for step in own:
            states |= self._states(step, inside, regions.get(step.id))
        return {"StartAt": self._names[start], "States": states}

    def _states(self, step: Step, members: Container[str], region: Region | None) -> JsonObject:
        """Return the state for a step, and the choice after it where it has several ways on."""
        name, language = self._names[step.id], self._query_language(step)
        ways = [edge for edge in self._flow.ways(step.id, region) if edge.to in members]
        choices = choices_of(ways, self._names, self._format_name, language)
        state = self._content(step, self._structure(step, region, choices), language)
        if state["Type"] in ("Map", "Parallel"):
            state |= self._inside(step, state["Type"], region)
        failing = [edge for edge in self._flow.failing(step.id) if edge.to in members]
        if failing and state["Type"] in _HANDLES_ERRORS:
            state["Catch"] = catchers_of(failing, self._names, self._format_name, language)
        if state["Type"] in _ENDS:
            return {name: state}
        if state["Type"] == "Choice":
            return {name: {**state, **choices}}
        if not choices:
            return {name: {**state, **({"Next": self._names[ways[0].to]} if ways else {"End": True})}}
        asked = self._free_name(f"After {name}")
        spoken = {"QueryLanguage": language} if language != self._language else {}
        return {name: {**state, "Next": asked}, asked: {"Type": "Choice", **spoken, **choices}}

    def _structure(self, step: Step, region: Region | None, choices: JsonObject) -> str:
        if step.type == "loop":
            return "Map"
        if (
            step.id in self._flow.children
            or region is not None
            or (step.type == "fork" and not self._flow.onward(step.id))
        ):
            return "Parallel"
        return "Choice" if step.type == "decision" and choices else ""

    def _query_language(self, step: Step) -> str:
        kept = self._flow.kept(step).get("QueryLanguage", self._language)
        language = kept if kept in LANGUAGES else self._language
        if step.type == "loop" and step.loop and isinstance(step.loop.over, list):
            return "JSONata"
        return condition_language(self._flow.onward(step.id), language) if step.type == "decision" else language

    def _content(self, step: Step, structure: str, language: str) -> JsonObject:
        plain = generated(step, structure, language)
        if language != self._language:
            plain["QueryLanguage"] = language
        own = self._flow.kept(step)
        kept = without(own, *INSIDE)
        shape = content_shape(plain["Type"], language)
        return restored_step(step, plain, kept, read=said, said_by=SAID_BY, shape=shape)

    def _inside(self, step: Step, structure: str, region: Region | None) -> JsonObject:
        kept = self._flow.kept(step)
        machines = self._machines(step, structure, region)
        if structure == "Parallel":
            rests = list_in(kept.get("Branches"))
            whole = len(rests) == len(machines) and not any(problems_in(r, branch_rest_shape) for r in rests)
            return {"Branches": [{**r, **m} for r, m in zip(rests, machines, strict=True)] if whole else machines}
        field_name = "Iterator" if "Iterator" in kept else "ItemProcessor"
        rest = kept.get(field_name, {})
        return {field_name: {**({} if problems_in(rest, processor_rest_shape) else rest), **machines[0]}}

    def _machines(self, step: Step, structure: str, region: Region | None) -> list[JsonObject]:
        """Return the machines inside a step: its branches, or the one of its scope."""
        if region is not None or structure == "Parallel":
            order = {step.id: at for at, step in enumerate(self._workflow.steps)}
            branches = self._flow.branches(step.id, region)
            return [self._machine(sorted(inside, key=lambda one: order[one.id]), first) for inside, first in branches]
        members = self._flow.children.get(step.id, [])
        return [self._machine(members, self._flow.heads(step.id, members)[0]) if members else self._empty(step)]

    def _empty(self, step: Step) -> JsonObject:
        """Return a machine that does nothing: a Map must have one."""
        name = self._free_name(f"Each of {step.name}")
        return {"StartAt": name, "States": {name: {"Type": "Pass", "End": True}}}


class AmazonStatesLanguage(DocumentFormat):
    """State machines of AWS Step Functions."""

    name = "asl"
    title = "Amazon States Language"
    media_type = "application/json"
    extension = "asl.json"
    shape = staticmethod(machine_shape)
    broken_rules = staticmethod(broken_rules)
    read_into = staticmethod(read_machine)
    document_of = staticmethod(machine_of)

    @override
    def recognises(self, document: Any) -> float:
        machine = object_in(document)
        return 0.95 if {"StartAt", "States"} <= machine.keys() else 0.5 * ("States" in machine)
