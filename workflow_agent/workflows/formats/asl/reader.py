"""A state machine as a workflow."""

from collections.abc import Iterable, Mapping
from typing import Any

from workflow_agent.errors import Problem
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.asl.choices import split_catcher, split_rule
from workflow_agent.workflows.formats.asl.content import STRUCTURES, generated, said
from workflow_agent.workflows.formats.asl.states import INSIDE
from workflow_agent.workflows.formats.base import Imported
from workflow_agent.workflows.formats.builder import Draft, first_line
from workflow_agent.workflows.formats.fidelity import kept_of, step_with
from workflow_agent.workflows.formats.shapes import Place, object_in, text_in, without

_FLOW = ("Next", "End", "Choices", "Default", "Catch")
_MACHINE = ("StartAt", "States", "Comment")
_Path = tuple[str | int, ...]


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


def broken_rules(machine: JsonObject) -> list[Problem]:
    """Return a problem for each rule that a machine of the right shape breaks."""
    return _Rules(machine).problems


class _Rules:
    """What the language demands beyond the shape: targets that exist, unique names, all reachable."""

    def __init__(self, machine: JsonObject) -> None:
        self.problems: list[Problem] = []
        self._seen: set[str] = set()
        self._machine(machine, Place(self.problems), is_inside=False)

    def _machine(self, machine: JsonObject, place: Place, *, is_inside: bool) -> None:
        states = object_in(machine["States"])
        if machine["StartAt"] not in states:
            (place / "StartAt").refuse(f"there is no state {machine['StartAt'][:80]!r}", list(states))
        for name, state in states.items():
            here = place / "States" / name
            if name in self._seen:
                here.refuse(f"there is another state {name!r}; a name may be used once in the whole machine")
            self._seen.add(name)
            self._targets(state, here, states)
            for path, inner in machines_in(state):
                self._machine(inner, here.down(path), is_inside=True)
        if is_inside:
            self._reachable(machine["StartAt"], states, place)

    def _targets(self, state: JsonObject, place: Place, states: JsonObject) -> None:
        for path, target in targets_of(state):
            if target not in states:
                message = f"there is no state {target[:80]!r} here; a state leads only to others of its own machine"
                place.down(path).refuse(message, list(states))

    def _reachable(self, start: str, states: JsonObject, place: Place) -> None:
        """Refuse what nothing leads to inside a state; outside it is for the analysis to tell."""
        found = {start}
        waiting = [start]
        while waiting:
            news = {target for _, target in targets_of(states.get(waiting.pop(), {}))} - found
            found |= news
            waiting += news
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
    found: JsonObject = {}
    for key in ("ItemProcessor", "Iterator"):
        if key in state:
            rest = _beside(state[key])
            found |= {key: rest} if rest or key == "Iterator" else {}
    rests = [_beside(branch) for branch in state.get("Branches", ())]
    return found | ({"Branches": rests} if any(rests) else {})


def _beside(machine: JsonObject) -> JsonObject:
    return without(machine, "StartAt", "States")
