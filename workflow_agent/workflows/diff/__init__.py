"""What is different between two workflows, as data."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from workflow_agent.values import grouped
from workflow_agent.values.stored import JsonObject, Value
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Automation, Workflow, step_document

_FIELDS = ("id", "name", "description", "start", "source", "extensions")
_Part = TypeVar("_Part", Step, Transition, Automation)


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field, before and after; None where it is at its default."""

    field: str
    before: Any
    after: Any


def _fields_document(changes: Iterable[FieldChange]) -> JsonObject:
    return {change.field: {"before": change.before, "after": change.after} for change in changes}


@dataclass(frozen=True, slots=True)
class PartChange:
    """A step, transition or automation that both workflows have, with different content."""

    before: JsonObject
    after: JsonObject
    fields: tuple[FieldChange, ...]

    def as_dict(self) -> JsonObject:
        """Return the change as plain JSON data: the part's id, and each field that changed."""
        return {"id": self.after["id"], "fields": _fields_document(self.fields)}


@dataclass(frozen=True, slots=True)
class PartsDiff:
    """What became of the steps, the transitions or the automations; each part as in its document."""

    added: tuple[JsonObject, ...] = ()
    removed: tuple[JsonObject, ...] = ()
    changed: tuple[PartChange, ...] = ()
    reordered: bool = False
    """The parts that both have are listed in another order."""

    def as_dict(self) -> JsonObject:
        """Return the differences as plain JSON data."""
        return {
            "added": list(self.added),
            "removed": list(self.removed),
            "changed": [change.as_dict() for change in self.changed],
            "reordered": self.reordered,
        }


@dataclass(frozen=True, slots=True)
class ListDiff:
    """What became of the triggers, the aliases or the tags."""

    added: tuple[Any, ...] = ()
    removed: tuple[Any, ...] = ()
    reordered: bool = False

    def as_dict(self) -> JsonObject:
        """Return the differences as plain JSON data."""
        return {
            "added": [_document(item) for item in self.added],
            "removed": [_document(item) for item in self.removed],
            "reordered": self.reordered,
        }


@dataclass(frozen=True, slots=True)
class WorkflowDiff:
    """Everything in which two workflows differ, apart from version and times."""

    fields: tuple[FieldChange, ...]
    steps: PartsDiff
    transitions: PartsDiff
    automations: PartsDiff
    triggers: ListDiff
    aliases: ListDiff
    tags: ListDiff
    names: Mapping[str, str]
    """The steps' names by id: those of after, and of before where a step is gone."""
    neighbours: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
    """For each added step, the ids of the steps that lead to it and those it leads to."""

    def as_dict(self) -> JsonObject:
        """Return the differences as plain JSON data."""
        return {
            "fields": _fields_document(self.fields),
            "steps": self.steps.as_dict(),
            "transitions": self.transitions.as_dict(),
            "automations": self.automations.as_dict(),
            "triggers": self.triggers.as_dict(),
            "aliases": self.aliases.as_dict(),
            "tags": self.tags.as_dict(),
        }


def diff_workflows(before: Workflow, after: Workflow) -> WorkflowDiff:
    """Return what is different in `after`; a step, transition or automation is known by its id."""
    steps = _parts(before.steps, after.steps)
    added = {step["id"] for step in steps.added}
    return WorkflowDiff(
        fields=_field_changes(_head(before), _head(after)),
        steps=steps,
        transitions=_parts(before.transitions, after.transitions),
        automations=_parts(before.automations, after.automations),
        triggers=_list(before.triggers, after.triggers),
        aliases=_list(before.aliases, after.aliases),
        tags=_list(before.tags, after.tags),
        names={step.id: step.name for step in (*before.steps, *after.steps)},
        neighbours=_neighbours(after, added),
    )


def _head(workflow: Workflow) -> JsonObject:
    return workflow.model_dump(mode="json", by_alias=True, exclude_defaults=True, include=set(_FIELDS))


def _document(part: Any) -> Any:
    if isinstance(part, Step):
        return step_document(part)
    if isinstance(part, Value):
        return part.as_plain()
    return part


def _parts(before: Sequence[_Part], after: Sequence[_Part]) -> PartsDiff:
    old, new = {part.id: part for part in before}, {part.id: part for part in after}
    both = ((old[part_id], part) for part_id, part in new.items() if part_id in old)
    changes = (_change(*one) for one in both if one[0] is not one[1])
    return PartsDiff(
        added=tuple(_document(part) for part_id, part in new.items() if part_id not in old),
        removed=tuple(_document(part) for part_id, part in old.items() if part_id not in new),
        changed=tuple(change for change in changes if change.fields),
        reordered=[key for key in old if key in new] != [key for key in new if key in old],
    )


def _change(before: _Part, after: _Part) -> PartChange:
    old, new = _document(before), _document(after)
    return PartChange(old, new, _field_changes(old, new))


def _field_changes(before: JsonObject, after: JsonObject) -> tuple[FieldChange, ...]:
    names = dict.fromkeys((*before, *after))
    return tuple(
        FieldChange(name, before.get(name), after.get(name))
        for name in names
        if _text(before.get(name)) != _text(after.get(name))
    )


def _text(value: Any) -> str:
    """Return what two values share if they are the same on disk; to Python `1` and `True` are equal too."""
    return json.dumps(value)


def _list(before: Sequence[Any], after: Sequence[Any]) -> ListDiff:
    old = [(_text(_document(item)), item) for item in before]
    new = [(_text(_document(item)), item) for item in after]
    removed, kept_before = _without(old, new)
    added, kept_after = _without(new, old)
    return ListDiff(tuple(added), tuple(removed), kept_before != kept_after)


def _without(items: list[tuple[str, Any]], others: list[tuple[str, Any]]) -> tuple[list[Any], list[str]]:
    """Return the items that the others lack, counting repeats, and the texts of the rest."""
    available = Counter(text for text, _ in others)
    lacking: list[Any] = []
    kept: list[str] = []
    for text, item in items:
        if available[text]:
            available[text] -= 1
            kept.append(text)
        else:
            lacking.append(item)
    return lacking, kept


def _neighbours(workflow: Workflow, step_ids: set[str]) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    flow = [edge for edge in workflow.transitions if edge.type != "data" and edge.from_ != edge.to]
    before = grouped((edge.to, edge.from_) for edge in flow)
    after = grouped((edge.from_, edge.to) for edge in flow)
    return {one: (_once(before.get(one, ())), _once(after.get(one, ()))) for one in step_ids}


def _once(step_ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(step_ids))
