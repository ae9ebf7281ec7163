"""What two different workflows have in common: their steps are paired by name, because ids are their own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.diff.words import told_value
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow, step_document

_NOT_COMPARED = frozenset({"id", "name", "parent", "extensions"})
_HEAD = ("description", "tags", "triggers")


@dataclass(frozen=True, slots=True)
class Likeness:
    """What two workflows share and what sets them apart."""

    shared: tuple[str, ...]
    """Names of steps that both have."""
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    differences: tuple[str, ...]
    """Of the shared steps and of what the workflows say of themselves, in readable lines."""

    def as_dict(self) -> JsonObject:
        """Return the comparison as plain JSON data."""
        return {
            "shared_steps": list(self.shared),
            "only_in_first": list(self.only_first),
            "only_in_second": list(self.only_second),
            "differences": list(self.differences),
        }


def compare_workflows(first: Workflow, second: Workflow) -> Likeness:
    """Return what two workflows share and how they differ, steps paired by name."""
    theirs = {step.name.casefold(): step for step in second.steps}
    pairs = [(step, theirs[step.name.casefold()]) for step in first.steps if step.name.casefold() in theirs]
    shared = {step.name.casefold() for step, _ in pairs}
    return Likeness(
        shared=tuple(step.name for step, _ in pairs),
        only_first=_others(first.steps, shared),
        only_second=_others(second.steps, shared),
        differences=(*_head_differences(first, second), *(line for a, b in pairs for line in _told(a, b))),
    )


def _others(steps: Sequence[Step], shared: set[str]) -> tuple[str, ...]:
    return tuple(step.name for step in steps if step.name.casefold() not in shared)


def _told(first: Step, second: Step) -> list[str]:
    a, b = step_document(first), step_document(second)
    keys = [key for key in {**a, **b} if key not in _NOT_COMPARED and a.get(key) != b.get(key)]
    return [f"{first.name!r}: {_apart(key, a.get(key), b.get(key))}" for key in keys]


def _head_differences(first: Workflow, second: Workflow) -> list[str]:
    a, b = (one.model_dump(mode="json", by_alias=True, include=set(_HEAD)) for one in (first, second))
    return [_apart(key, a[key], b[key]) for key in _HEAD if a[key] != b[key]]


def _apart(key: str, first: Any, second: Any) -> str:
    return f"{key} is {_said(key, first)} in the first, {_said(key, second)} in the second"


def _said(field: str, value: Any) -> str:
    return "not set" if value in (None, "", [], {}) else told_value(field, value)
