"""What Argo demands beyond the shape: templates that exist, unique names, tasks that can begin."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from workflow_agent.errors import Problem
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.dependencies import Dependencies, waiting_for_ever
from workflow_agent.workflows.formats.shapes import Place, list_in, object_in
from workflow_agent.workflows.model.steps import Step

_TASK = re.compile(
    r"([A-Za-z0-9_][A-Za-z0-9_-]*)"
    r"(?:\.(Succeeded|Failed|Errored|Skipped|Daemoned|Omitted|AnySucceeded|AllFailed))?"
)
_OPERATORS = re.compile(r"&&|\|\||[!()\s]")
_FAILURES = frozenset({"Failed", "Errored", "AllFailed"})


def spec_of(document: Mapping[str, Any]) -> JsonObject:
    """Return the part of a document that says what is done."""
    spec = object_in(document.get("spec"))
    return object_in(spec["workflowSpec"]) if "workflowSpec" in spec else spec


def said_depends(task: Mapping[str, Any]) -> tuple[dict[str, bool], bool]:
    """Return the tasks that a task waits for, and whether one of them is enough.

    Each comes with whether its failure is what is waited for.
    """
    if "dependencies" in task:
        return dict.fromkeys(task["dependencies"], False), False
    depends = str(task.get("depends", ""))
    results: dict[str, set[str]] = {}
    for name, result in _TASK.findall(depends):
        results.setdefault(name, set()).add(result or "Succeeded")
    any_is_enough = "||" in depends and "&&" not in depends and len(results) > 1
    return {name: found <= _FAILURES for name, found in results.items()}, any_is_enough


def broken_rules(document: JsonObject) -> list[Problem]:
    """Return a problem for each rule that a document of the right shape breaks."""
    place = Place([])
    spec = spec_of(document)
    where = place / "spec"
    if "workflowSpec" in object_in(document.get("spec")):
        where /= "workflowSpec"
    templates = list_in(spec.get("templates"))
    names = [str(one.get("name", "")) for one in templates]
    _used_twice(names, where / "templates")
    known = None if "workflowTemplateRef" in spec else set(names)
    for key in ("entrypoint", "onExit"):
        _check_reference(spec.get(key), known, where / key)
    for at, template in enumerate(templates):
        if "name" not in template:
            (where / "templates" / at).refuse("needs a `name`")
        _template(template, known, where / "templates" / at)
    is_runnable = document["kind"] in ("Workflow", "CronWorkflow")
    if is_runnable and "entrypoint" not in spec and "workflowTemplateRef" not in spec:
        where.refuse("needs `entrypoint` or `workflowTemplateRef`")
    if not templates and "workflowTemplateRef" not in spec and document["kind"] != "WorkflowEventBinding":
        where.refuse("needs `templates` or `workflowTemplateRef`")
    if document["kind"] == "WorkflowEventBinding" and "submit" not in spec:
        where.refuse("needs `submit`, which says what is started")
    return place.problems


def _used_twice(names: Iterable[str], place: Place) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            place.refuse(f"the name {name!r} is used {times} times")


def _check_reference(name: Any, known: set[str] | None, place: Place) -> None:
    is_fixed = isinstance(name, str) and name and "{{" not in name
    if is_fixed and known is not None and name not in known:
        place.refuse(f"there is no template {name[:80]!r}", sorted(known))


def _template(template: JsonObject, known: set[str] | None, place: Place) -> None:
    tasks = list_in(object_in(template.get("dag")).get("tasks"))
    groups = list_in(template.get("steps"))
    for at, task in enumerate(tasks):
        _call(task, known, place / "dag" / "tasks" / at)
    for at, group in enumerate(groups):
        for beside, step in enumerate(group):
            _call(step, known, place / "steps" / at / beside)
    _used_twice((step["name"] for group in groups for step in group), place / "steps")
    _used_twice((task["name"] for task in tasks), place / "dag" / "tasks")
    _waiting(tasks, place / "dag" / "tasks")


def _call(call: JsonObject, known: set[str] | None, place: Place) -> None:
    _check_reference(call.get("template"), known, place / "template")
    if "inline" in call:
        _template(call["inline"], known, place / "inline")


def _check_depends(task: JsonObject, unknown: list[str], names: list[str], place: Place) -> None:
    here = place / ("dependencies" if "dependencies" in task else "depends")
    if left := _OPERATORS.sub("", _TASK.sub("", str(task.get("depends", "")))):
        here.refuse(f"{left[:20]!r} is no part of a condition on tasks")
    for name in unknown:
        here.refuse(f"there is no task {name[:80]!r}", names)


def _waiting(tasks: list[Any], place: Place) -> None:
    names = [task["name"] for task in tasks]
    known = set(names)
    waiting: dict[str, set[str]] = {}
    for at, task in enumerate(tasks):
        needed = said_depends(task)[0]
        _check_depends(task, [name for name in needed if name not in known], names, place / at)
        waiting[task["name"]] = needed.keys() & known
    stuck = set(waiting_for_ever(waiting))
    for at, task in enumerate(tasks):
        if task["name"] in stuck:
            (place / at).refuse(f"{task['name']!r} waits for itself by way of the tasks it depends on")


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


def dependencies_of(step: Step, kept: Mapping[str, Any], names: Mapping[str, str], needs: Dependencies) -> JsonObject:
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
