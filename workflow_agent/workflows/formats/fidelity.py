"""What an export loses, found by reading it back and comparing."""

import json
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.base import Exported, Imported, Report, UnreadableDocument
from workflow_agent.workflows.formats.plain import EMPTY, filled, list_in, without
from workflow_agent.workflows.formats.shapes import Shape, problems_in
from workflow_agent.workflows.formats.text import read_text
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow, step_document, workflow_document

_NOT_COMPARED = {"id", "version", "source", "created_at", "updated_at"}
_TOP_LEVEL = ("name", "description", "aliases", "tags", "triggers", "automations", "extensions")
_SHOWN_CHARS = 60


def checked_export(
    text: str, workflow: Workflow, read: Callable[[Any], Imported], title: str, report: Report | None = None
) -> Exported:
    """Return an export whose report names all that a reader of the text will not find again.

    Args:
        report: Has what the writer knows already; what is found is added.
    """
    report = report or Report()
    try:
        again = read(read_text(text)).workflow
    except UnreadableDocument as error:
        for problem in error.problems:
            report.lose(problem.pointer, f"{title} does not allow this: {problem.message}")
        return Exported(text, report)
    _Comparison(workflow, again, title, report).note_losses()
    return Exported(text, report)


@dataclass(frozen=True, slots=True)
class _Comparison:
    before: Workflow
    after: Workflow
    title: str
    report: Report

    def note_losses(self) -> None:
        compared = set(Workflow.model_fields) - _NOT_COMPARED
        if all(getattr(self.before, name) == getattr(self.after, name) for name in compared):
            return
        noted = len(self.report.lost)
        before, after = workflow_document(self.before), workflow_document(self.after)
        for name in _TOP_LEVEL:
            if before.get(name) != after.get(name):
                self.report.lose(f"/{name}", _change(name, before.get(name), after.get(name), self.title))
        pairs = _paired(self.before, self.after)
        self._steps(pairs)
        self._transitions(pairs)
        self._ids(pairs)
        if len(self.report.lost) == noted:
            self.report.lose("", "the steps or transitions come back in another order")

    def _steps(self, pairs: Mapping[str, Step]) -> None:
        for step in self.before.steps:
            if step.id not in pairs:
                self.report.lose(step.id, f"step {step.name!r} has no place in {self.title}; it is left out")
            else:
                self._step(step, pairs[step.id], pairs)
        found = {step.id for step in pairs.values()}
        for step in self.after.steps:
            if step.id not in found:
                self.report.lose(step.id, f"step {step.name!r} is added; {self.title} needs it")
        start = pairs.get(self.before.start)
        if start is not None and start.id != self.after.start:
            self.report.lose("/start", f"it starts with {self.after.start!r}")

    def _step(self, step: Step, again: Step, pairs: Mapping[str, Step]) -> None:
        before, after = step_document(step), step_document(again)
        scope = pairs.get(step.parent or "")
        if step.parent and scope and scope.id == again.parent:
            before.pop("parent")
            after.pop("parent")
        changed = [key for key in {**before, **after} if key != "id" and before.get(key) != after.get(key)]
        gone = [key for key in changed if key != "extensions" and after.get(key) in EMPTY]
        told = [_change(key, before.get(key), after.get(key), self.title) for key in changed if key not in gone]
        if gone:
            named = ", ".join(f"`{name}`" for name in gone)
            told.insert(0, f"{named} {'has' if len(gone) == 1 else 'have'} no place in {self.title}")
        for one in told:
            self.report.lose(step.id, f"step {step.name!r}: {one}")

    def _transitions(self, pairs: Mapping[str, Step]) -> None:
        names = {step_id: step.id for step_id, step in pairs.items()}
        left = Counter(_signature(edge) for edge in self.after.transitions)
        for edge in self.before.transitions:
            signature = _signature(edge, names)
            if left[signature] > 0:
                left[signature] -= 1
            else:
                told = f"{edge.type} transition from {edge.from_!r} to {edge.to!r}"
                self.report.lose(edge.id, f"the {told} does not come back as it is")

    def _ids(self, pairs: Mapping[str, Step]) -> None:
        renamed = sum(step_id != step.id for step_id, step in pairs.items())
        known = {edge.id for edge in self.after.transitions}
        edges = sum(edge.id not in known for edge in self.before.transitions)
        if renamed or edges:
            told = f"{renamed} steps and {edges} transitions get other ids when it is read again"
            self.report.lose("", f"{self.title} has no ids like ours: {told}")


def _paired(before: Workflow, after: Workflow) -> dict[str, Step]:
    """Return the step that came back for each step: the one of the same name, by id where several are."""
    waiting: defaultdict[str, deque[Step]] = defaultdict(deque)
    for step in after.steps:
        waiting[step.name].append(step)
    found: dict[str, Step] = {}
    for step in before.steps:
        same_id = next((one for one in waiting[step.name] if one.id == step.id), None)
        if same_id is not None:
            waiting[step.name].remove(same_id)
            found[step.id] = same_id
    for step in before.steps:
        if step.id not in found and waiting[step.name]:
            found[step.id] = waiting[step.name].popleft()
    return found


def _signature(edge: Transition, names: Mapping[str, str] | None = None) -> str:
    plain = edge.as_plain()
    ends = {end: names.get(plain[end], "") if names is not None else plain[end] for end in ("from", "to")}
    return json.dumps({**plain, **ends, "id": None}, sort_keys=True)


def _change(name: str, before: Any, after: Any, title: str) -> str:
    if name == "extensions":
        gone: list[str] = [one for one in before or () if one not in (after or ())]
        if gone:
            return f"details that only {', '.join(gone)} has are left out"
        return f"details kept for {', '.join(after)} come back changed"
    if after in EMPTY:
        return f"`{name}` has no place in {title}; it is left out"
    shown = repr(after) if isinstance(after, str) else json.dumps(after, ensure_ascii=False)
    return f"`{name}` becomes {shown[:_SHOWN_CHARS]}"


WITHOUT = "$without"
NOT_SAID = ("id", "extensions", "parent", "from", "to")
"""The fields of a part that are about its place in the graph."""
_ABSENT = object()


def kept_of(original: Mapping[str, Any], generated: Mapping[str, Any]) -> JsonObject:
    """Return what generating an original from the model would not give again.

    These are its entries, and under `WITHOUT` the names of entries that would be there but are not.
    """
    kept = {key: value for key, value in original.items() if not same(generated.get(key, _ABSENT), value)}
    surplus = [key for key in generated if key not in original]
    return {**kept, WITHOUT: surplus} if surplus else kept


def kept_or_made(kept: Any, made: Any, wanted: Any, *, read: Callable[[Any], Any], shape: Shape) -> Any:
    """Return what was kept, where it is of its shape and what is read from it is what is wanted; else what is made."""
    return kept if not problems_in(kept, shape) and same(read(kept), wanted) else made


def same(one: Any, other: Any) -> bool:
    """Say whether two values are the same plain data; `1` and `true` are two."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        left, right = cast("Mapping[str, Any]", one), cast("Mapping[str, Any]", other)
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(one, list) and isinstance(other, list):
        ones, others = cast("list[Any]", one), cast("list[Any]", other)
        return len(ones) == len(others) and all(map(same, ones, others))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def restored(
    generated: JsonObject,
    kept: Mapping[str, Any],
    wanted: Mapping[str, Any],
    *,
    read: Callable[[JsonObject], Mapping[str, Any]],
    said_by: Mapping[str, tuple[str, ...]],
    shape: Shape,
) -> JsonObject:
    """Return the foreign part for a part of the model: what was kept of the original, and what is generated.

    Args:
        kept: What `kept_of` gave when the part was read; anybody may have changed it since.
        wanted: The model's fields as they are now.
        read: Gives the model's fields that a foreign part says.
        said_by: For each field of the model, the foreign entries that say it.
        shape: What the format demands of the part.
    """
    whole = without(generated, *list_in(kept.get(WITHOUT))) | without(kept, WITHOUT)
    if not kept or problems_in(whole, shape):
        return generated
    said = read(whole)
    changed = [field for field in said_by if not same(said.get(field), wanted.get(field))]
    stale = dict.fromkeys(key for field in changed for key in said_by[field])
    left = without(whole, *stale)
    return left | {key: generated[key] for key in stale if key in generated}


def restored_step(
    step: Step,
    generated: JsonObject,
    kept: Mapping[str, Any],
    *,
    read: Callable[[JsonObject], JsonObject],
    said_by: Mapping[str, tuple[str, ...]],
    shape: Shape,
) -> JsonObject:
    """Return the foreign part for a step, as `restored` does; `read` may leave out the step's name."""

    def canonical(part: JsonObject) -> JsonObject:
        return step_document(step_with({"id": step.id, "name": step.name, **filled(read(part))}))

    return restored(generated, kept, step_document(step), read=canonical, said_by=said_by, shape=shape)


def step_with(fields: Mapping[str, Any]) -> Step:
    """Return a step with these fields, of any id and name where they do not say one."""
    return Step.model_validate({"id": "x", "name": "x", **filled(fields)})


def workflow_with(fields: Mapping[str, Any]) -> Workflow:
    """Return a workflow of one step with these fields."""
    return Workflow.model_validate({**fields, "id": "wf_x", "start": "x", "steps": [{"id": "x", "name": "x"}]})


def unsaid(wanted: Mapping[str, Any], said: Mapping[str, Any]) -> JsonObject:
    """Return the fields of a part of the model that a foreign part does not say, None for what it says too much."""
    names = [name for name in {**wanted, **said} if name not in NOT_SAID]
    return {name: wanted.get(name) for name in names if not same(wanted.get(name), said.get(name))}


def completed(said: JsonObject, rest: JsonObject, model: type[BaseModel], others: JsonObject) -> JsonObject:
    """Return what a foreign part says and what `unsaid` gave for it together; without that where it makes no sense.

    Args:
        rest: What `unsaid` gave; anybody may have changed it since.
        others: The fields that the model cannot do without.
    """
    if not rest:
        return said
    whole = filled(said | rest)
    try:
        model.model_validate(others | whole)
    except ValidationError:
        return said
    return whole


def kept_in(extensions: Mapping[str, Any], format_name: str) -> JsonObject:
    """Return what a format keeps in these extensions; nothing where somebody put something else there."""
    kept = extensions.get(format_name)
    return cast("JsonObject", kept) if isinstance(kept, dict) else {}
