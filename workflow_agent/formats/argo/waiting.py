"""What the tasks of a template wait for, written as groups of steps or as what each depends on."""

from collections.abc import Mapping, Sequence
from typing import Any

from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Step
from workflow_agent.formats.argo.rules import said_depends
from workflow_agent.formats.dependencies import Dependencies
from workflow_agent.formats.shapes import list_in


def groups_of(layout: Any, names: Mapping[str, str], needs: Dependencies) -> list[list[str]] | None:
    """Return the steps of each group, if they still follow one another in the groups that were kept."""
    ids = {name: step_id for step_id, name in names.items()}
    kept = [[ids.get(str(name)) for name in list_in(group)] for group in list_in(layout)]
    groups = [[one for one in group if one is not None] for group in kept]
    if sorted(one for group in groups for one in group) != sorted(names):
        return None
    before: set[str] = set()
    for group in groups:
        for step_id in group:
            waits = needs.of(step_id)
            fails = any(one.on_failure or one.guards for one in waits) or needs.guards(step_id)
            if {one.source for one in waits} != before or fails or needs.needs_any(step_id):
                return None
        before = set(group) or before
    return groups


def dependencies_of(
    step: Step, kept: Mapping[str, Any], names: Mapping[str, str], needs: Dependencies
) -> JsonObject:
    """Return what a task of a DAG depends on: as it was written, where that is still so."""
    waits = needs.of(step.id)
    wanted = {names[one.source]: one.on_failure for one in waits}
    any_is_enough = needs.needs_any(step.id)
    for key in ("depends", "dependencies"):
        if _is_readable(key, kept.get(key)) and said_depends({key: kept[key]}) == (wanted, any_is_enough):
            return {key: kept[key]}
    return {"depends": _expression(wanted, " || " if any_is_enough else " && ")} if wanted else {}


def _is_readable(key: str, value: Any) -> bool:
    if key == "depends":
        return isinstance(value, str)
    return isinstance(value, list) and all(isinstance(one, str) for one in list_in(value))


def _expression(wanted: Mapping[str, bool], operator: str) -> str:
    return operator.join(f"{name}.Failed" if on_failure else name for name, on_failure in wanted.items())


def in_groups(groups: Sequence[Sequence[str]], calls: Mapping[str, JsonObject]) -> list[list[JsonObject]]:
    """Return the calls, laid out in groups."""
    return [[calls[step_id] for step_id in group] for group in groups]
