"""Amazon States Language, in JSON or YAML: state machines as workflows, and workflows as state machines."""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from typing_extensions import override

from workflow_agent.values import reached
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.asl.choices import (
    catchers_of,
    choices_of,
    condition_language,
    split_catcher,
    split_rule,
)
from workflow_agent.workflows.formats.asl.content import SAID_BY, STRUCTURES, generated, said
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
from workflow_agent.workflows.formats.base import Imported
from workflow_agent.workflows.formats.builder import DocumentFormat, Draft, first_line
from workflow_agent.workflows.formats.fidelity import kept_in, kept_of, restored_step, step_with
from workflow_agent.workflows.formats.flow import Flow, Region
from workflow_agent.workflows.formats.plain import list_in, object_in, text_in, without
from workflow_agent.workflows.formats.shapes import Place, problems_in
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow

_FLOW = ("Next", "End", "Choices", "Default", "Catch")
_MACHINE = ("StartAt", "States", "Comment")
_Path = tuple[str | int, ...]
_HANDLES_ERRORS = ("Task", "Parallel", "Map")
_ENDS = ("Succeed", "Fail")


def read_machine(machine: JsonObject, draft: Draft) -> Imported:
    """Return the workflow of a state machine."""
    name, description = read_comment(machine)
    reader = _Reader(draft, machine.get("QueryLanguage", "JSONPath"))
    reader.machine(machine, None, ())
    kept = without(machine, *_MACHINE)
    if "Comment" in machine and write_comment(name, description) != machine["Comment"]:
        kept["Comment"] = machine["Comment"]
    start = reader.ids[machine["StartAt"]]
    return draft.finished(name, description=description, start=start, kept=kept)


def read_comment(machine: Mapping[str, Any]) -> tuple[str, str]:
    """Return the name and the description of a machine: the first line of its comment, and the rest."""
    comment = text_in(machine.get("Comment"))
    if comment is None:
        return f"State machine {machine.get('StartAt')}", ""
    first, _, rest = comment.partition("\n")
    if len(first) <= 200 and first.strip():
        return first, rest.removeprefix("\n")
    return first_line(comment) or first, comment


def write_comment(name: str, description: str) -> str:
    """Return the comment that reads as this name and description."""
    if not description:
        return name
    return description if read_comment({"Comment": description})[0] == name else f"{name}\n\n{description}"


def machines_in(state: Mapping[str, Any]) -> list[tuple[_Path, JsonObject]]:
    """Return the machines inside a state, each with its place in the state."""
    branches = state.get("Branches", ())
    found: list[tuple[_Path, JsonObject]] = [(("Branches", at), object_in(b)) for at, b in enumerate(branches)]
    return [*found, *(((key,), object_in(state[key])) for key in ("ItemProcessor", "Iterator") if key in state)]


def targets_of(state: Mapping[str, Any]) -> Iterable[tuple[_Path, str]]:
    """Yield the names of the states a state leads to, each with its place in the state."""
    yield from (((key,), state[key]) for key in ("Next", "Default") if key in state)
    for key in ("Choices", "Catch"):
        yield from (((key, at, "Next"), one["Next"]) for at, one in enumerate(state.get(key, ())))


def check_states(machine: JsonObject, place: Place, seen: set[str] | None = None) -> None:
    """Refuse states that are not there or are there twice, and inside a state those that nothing leads to."""
    seen = set() if seen is None else seen
    states, start = object_in(machine["States"]), machine["StartAt"]
    if start not in states:
        (place / "StartAt").refuse(f"there is no state {start[:80]!r}", list(states))
    for name, state in states.items():
        here = place / "States" / name
        if name in seen:
            here.refuse(f"there is another state {name!r}; a name may be used once in the whole machine")
        seen.add(name)
        for path, target in targets_of(state):
            if target not in states:
                message = f"there is no state {target[:80]!r} here; a state leads only to others of its own machine"
                here.down(path).refuse(message, list(states))
        for path, inner in machines_in(state):
            check_states(inner, here.down(path), seen)
            _check_reachable(inner, here.down(path))


def _check_reachable(machine: JsonObject, place: Place) -> None:
    """Refuse what nothing leads to inside a state; outside it is for the analysis to tell."""
    states = object_in(machine["States"])
    found = set(reached([machine["StartAt"]], lambda name: [to for _, to in targets_of(states.get(name, {}))]))
    for name in states:
        if name not in found:
            (place / "States" / name).refuse(f"nothing leads to state {name!r}")


class _Reader:
    def __init__(self, draft: Draft, language: str) -> None:
        self.draft = draft
        self._language = language
        self.ids: dict[str, str] = {}

    def machine(self, machine: JsonObject, parent: str | None, at: _Path) -> None:
        states = object_in(machine["States"])
        for name, state in states.items():
            self._state(name, state, parent, (*at, "States", name))
        for name, state in states.items():
            self._follow(self.ids[name], state)
        is_entered = any(target == machine["StartAt"] for state in states.values() for _, target in targets_of(state))
        if parent is not None and is_entered:
            self.draft.connect(parent, self.ids[machine["StartAt"]])

    def _state(self, name: str, state: JsonObject, parent: str | None, at: _Path) -> None:
        fields = said(state)
        inside = machines_in(state)
        own = without(state, *_FLOW, *INSIDE)
        structure = state["Type"] if state["Type"] in STRUCTURES else ""
        language = own.get("QueryLanguage", self._language)
        kept = kept_of(own, generated(step_with({"name": name, **fields}), structure, language))
        kept |= _kept_inside(state)
        self.ids[name] = self.draft.add(name, parent=parent, kept=kept, at=at, **fields)
        for path, machine in inside:
            self.machine(machine, self.ids[name], (*at, *path))

    def _follow(self, source: str, state: JsonObject) -> None:
        if "Next" in state:
            self.draft.connect(source, self.ids[state["Next"]])
        for rule in state.get("Choices", ()):
            test, kept = split_rule(rule)
            self.draft.connect(source, self.ids[rule["Next"]], "condition", when=test, kept=kept)
        if "Default" in state:
            self.draft.connect(source, self.ids[state["Default"]], "default")
        for catcher in state.get("Catch", ()):
            errors, kept = split_catcher(catcher)
            self.draft.connect(source, self.ids[catcher["Next"]], "error", errors=errors, kept=kept)


def _kept_inside(state: JsonObject) -> JsonObject:
    """Return what the machines inside a state have beside their states, in the places they stand."""
    items = {key: _beside(state[key]) for key in ("ItemProcessor", "Iterator") if key in state}
    found = {key: rest for key, rest in items.items() if rest or key == "Iterator"}
    rests = [_beside(branch) for branch in state.get("Branches", ())]
    return found | ({"Branches": rests} if any(rests) else {})


def _beside(machine: JsonObject) -> JsonObject:
    return without(machine, "StartAt", "States")


def machine_of(workflow: Workflow, format_name: str) -> JsonObject:
    """Return the state machine for a workflow, as far as the language can say it."""
    kept = kept_in(workflow.extensions, format_name)
    rest = without(kept, "Comment")
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
        is_empty_fork = step.type == "fork" and not self._flow.onward(step.id)
        if step.id in self._flow.children or region is not None or is_empty_fork:
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
        kept = without(self._flow.kept(step), *INSIDE)
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
        if members := self._flow.children.get(step.id, []):
            return [self._machine(members, self._flow.heads(step.id, members)[0])]
        # A Map must have one; this does nothing.
        name = self._free_name(f"Each of {step.name}")
        return [{"StartAt": name, "States": {name: {"Type": "Pass", "End": True}}}]


class AmazonStatesLanguage(DocumentFormat):
    """State machines of AWS Step Functions."""

    name = "asl"
    title = "Amazon States Language"
    media_type = "application/json"
    extension = "asl.json"
    shape = staticmethod(machine_shape)
    rules = staticmethod(check_states)
    read_into = staticmethod(read_machine)
    document_of = staticmethod(machine_of)

    @override
    def recognises(self, document: Any) -> float:
        machine = object_in(document)
        return 0.95 if {"StartAt", "States"} <= machine.keys() else 0.5 * ("States" in machine)
