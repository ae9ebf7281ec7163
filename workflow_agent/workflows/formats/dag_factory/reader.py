"""A DAG in dag-factory's YAML as a workflow of the model."""

from collections.abc import Mapping, Sequence
from typing import Any

from workflow_agent.values import grouped
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.base import Imported
from workflow_agent.workflows.formats.builder import Draft, fit
from workflow_agent.workflows.formats.dag_factory import shapes
from workflow_agent.workflows.formats.dag_factory.tasks import delta_of, said_delta, said_task, task_of
from workflow_agent.workflows.formats.fidelity import kept_of, step_with
from workflow_agent.workflows.formats.plain import filled, list_in, nonempty, object_in, text_in, without
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.triggers import cron_problem

FIRST_FAILS = ("one_failed", "all_failed")
"""The rules by which a task runs because what it waits for failed."""
ANY_IS_ENOUGH = ("one_success", "one_done", "one_failed")
_APART = ("dependencies", "task_group_name", "parent_group_name")
_PRESETS: Mapping[str, str] = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@quarterly": "0 0 1 */3 *",
}
HEADER_SAID_BY: Mapping[str, tuple[str, ...]] = {
    "name": ("dag_display_name",),
    "description": ("description",),
    "tags": ("tags",),
    "triggers": ("schedule", "schedule_interval", "timezone"),
}


def read_dag(document: JsonObject, draft: Draft) -> Imported:
    """Return the workflow of a document with one DAG."""
    dag_id = next(iter(shapes.dags_in(document)))
    reader = _Reader(dag_id, shapes.whole_dag(document, dag_id), draft)
    start = reader.read()
    own, shared = object_in(shapes.dags_in(document)[dag_id]), object_in(document.get(shapes.DEFAULT))
    fields = said_dag(dag_id, shapes.merged(own, shared))
    header = without(own, *shapes.NAMED_BY)
    by_name = [kind for kind in shapes.NAMED_BY if isinstance(own.get(kind, shared.get(kind)), dict)]
    kept = {
        "$dag_id": dag_id if dag_id != fields["name"] else None,
        shapes.DEFAULT: without(shared, *shapes.NAMED_BY) if shapes.DEFAULT in document else None,
        "$mapped": by_name or None,
        "dag": kept_of(header, header_of(fields)) or None,
    }
    return draft.finished(start=start, kept=filled(kept), **fields)


class _Reader:
    def __init__(self, dag_id: str, dag: JsonObject, draft: Draft) -> None:
        self.draft = draft
        self._dag_id = dag_id
        self._arguments = object_in(dag.get("default_args"))
        self._tasks = shapes.entries(dag.get(shapes.TASKS), shapes.TASKS)
        self._groups = shapes.entries(dag.get(shapes.GROUPS), shapes.GROUPS)
        self._graph = shapes.DagGraph(self._tasks, self._groups)
        self._needs = self._graph.needs()
        self._ids: dict[str, str] = {}
        self._starts: dict[str | None, str] = {}

    def read(self) -> str:
        """Add all steps and transitions; return the first step."""
        roots = [name for name, needed in self._needs.items() if not needed]
        by_scope = grouped((self._graph.scope[name], name) for name in roots)
        self._add_start(None, by_scope)
        for name, group in self._parents_first():
            self._add_group(name, group)
            self._add_start(name, by_scope)
        for name, task in self._tasks:
            self._add_task(name, task)
        for name in self._ids:
            self._connect(name)
        for scope, start in self._starts.items():
            for name in by_scope[scope]:
                self.draft.connect(start, self._ids[name])
        return self._starts.get(None) or self._ids[by_scope[None][0]]

    def _parents_first(self) -> list[tuple[str, JsonObject]]:
        waiting, placed = list(self._groups), dict[str, JsonObject]()
        while waiting:
            ready = next(one for one in waiting if self._graph.scope[one[0]] in (None, *placed))
            waiting.remove(ready)
            placed[ready[0]] = ready[1]
        return list(placed.items())

    def _add_start(self, scope: str | None, by_scope: dict[str | None, list[str]]) -> None:
        if len(by_scope.get(scope, ())) > 1:
            name = "Start" if scope is None else f"Start of {scope}"
            self._starts[scope] = self.draft.add(name[:200], "fork", parent=self._ids.get(scope or ""))

    def _parent(self, name: str) -> str | None:
        return self._ids.get(self._graph.scope[name] or "")

    def _add_group(self, name: str, group: JsonObject) -> None:
        fields = said_group(name, group)
        kept = kept_of(without(group, *_APART), group_of(step_with(fields), name))
        if name not in self._graph.scope.values():
            kept["$group"] = True
        self._add(shapes.GROUPS, name, group, kept, fields)

    def _add_task(self, name: str, task: JsonObject) -> None:
        group = object_in(self._graph.names.get(str(task.get("task_group_name"))))
        fields = said_task(name, task, {**self._arguments, **object_in(group.get("default_args"))})
        kept = kept_of(without(task, *_APART), task_of(step_with(fields), name))
        self._add(shapes.TASKS, name, task, kept, fields)

    def _add(self, kind: str, name: str, entry: JsonObject, kept: JsonObject, fields: JsonObject) -> None:
        """Add the step of a task or group; its name and how it says what it waits for are kept, too."""
        if self.draft.free_id(name) != name:
            kept["$id"] = name
        said = entry.get("dependencies")
        if said != plain_dependencies(entry, self._needs[name]):
            kept["$needs"] = said
        at, parent = (self._dag_id, kind, name), self._parent(name)
        self._ids[name] = self.draft.add(wanted_id=name, parent=parent, kept=kept, at=at, **fields)

    def _connect(self, name: str) -> None:
        needs, target = self._needs[name], self._ids[name]
        rule = self._graph.names[name].get("trigger_rule", self._arguments.get("trigger_rule"))
        if len(needs) > 1:
            is_any = rule in ANY_IS_ENOUGH
            target = self.draft.join_before(name, target, self._parent(name), f"before_{name}", is_any=is_any)
        for needed in needs:
            self.draft.connect(self._ids[needed], target, "error" if rule in FIRST_FAILS else "sequence")


def plain_dependencies(entry: JsonObject, needs: list[str]) -> list[str] | None:
    """Return what the dependencies of a task or group are where it says exactly what it waits for."""
    given = shapes.references(entry, needs)
    return [name for name in needs if name not in given] or None


def said_group(name: str, group: JsonObject) -> JsonObject:
    """Return the fields of the step that a group is."""
    return {
        "name": text_in(group.get("group_display_name"), 200) or fit(name),
        "description": text_in(group.get("tooltip")),
    }


def group_of(step: Step, name: str) -> JsonObject:
    """Return the group for a step with others inside it, without where it is and what it waits for."""
    return nonempty({"group_display_name": step.name if step.name != name else None, "tooltip": step.description})


def said_triggers(dag: JsonObject) -> list[JsonObject]:
    """Return the triggers of a whole DAG; without a schedule, somebody starts it."""
    schedule = dag.get("schedule", dag.get("schedule_interval"))
    zone = text_in(dag.get("timezone")) or text_in(object_in(dag.get("default_args")).get("timezone"))
    return _said(schedule, filled({"timezone": text_in(zone, 200)})) or [{"type": "manual"}]


def _said(schedule: Any, timezone: JsonObject) -> list[JsonObject]:
    if isinstance(schedule, str):
        return _said_text(schedule.strip(), timezone)
    if isinstance(schedule, list):
        return [one for each in list_in(schedule) for one in _said_data(each)]
    return _said_object(object_in(schedule), timezone)


def _said_text(text: str, timezone: JsonObject) -> list[JsonObject]:
    if text.lower() in ("", "none"):
        return []
    cron = _PRESETS.get(text, text)
    if cron_problem(cron) is None:
        return [{"type": "schedule", "cron": cron, **timezone}]
    return [{"type": "event", "event": fit(text)}]


def _said_data(data: Any) -> list[JsonObject]:
    """Return the trigger that new data of this name is."""
    named = data if isinstance(data, str) else object_in(data).get("uri") or object_in(data).get("name")
    label = fit(str(named)) if named else None
    return [filled({"type": "event", "event": label or "data", "with": data if isinstance(data, dict) else None})]


def _said_object(schedule: JsonObject, timezone: JsonObject) -> list[JsonObject]:
    if not schedule:
        return []
    every = said_delta(schedule)
    if every is not None and every != "PT0S":
        return [{"type": "schedule", "every": every, **timezone}]
    given = [schedule.get("cron"), *list_in(schedule.get("__args__"))[:1]]
    cron = next((one for one in given if isinstance(one, str) and cron_problem(one) is None), None)
    if cron is not None:
        own = text_in(schedule.get("timezone"))
        return [{"type": "schedule", "cron": cron, **({"timezone": fit(own)} if own else timezone)}]
    if "datasets" in schedule:
        datasets = schedule["datasets"]
        data = [one for each in list_in(datasets) for one in _said_data(each)] or _said_data(datasets)
        return [*data, *_said(schedule.get("timetable"), timezone)]
    return _said_data(schedule)


def schedule_of(triggers: Sequence[JsonObject]) -> JsonObject:
    """Return the schedule that comes nearest: the first time, or else all that data can bring about."""
    time = next((one for one in triggers if one["type"] == "schedule"), None)
    if time is not None:
        when = time.get("cron") or delta_of(time.get("every")) or "@daily"
        return nonempty({"schedule": when, "timezone": time.get("timezone")})
    events = [one for one in triggers if one["type"] == "event"]
    return nonempty({"schedule": [one["with"] if "uri" in one.get("with", {}) else one["event"] for one in events]})


def said_dag(dag_id: str, dag: JsonObject) -> JsonObject:
    """Return the fields of the workflow that a whole DAG says."""
    tags = list_in(dag.get("tags"))
    are_labels = all(isinstance(tag, str) and 0 < len(tag) <= 200 for tag in tags)
    return {
        "name": text_in(dag.get("dag_display_name"), 200) or fit(dag_id) or dag_id,
        "description": text_in(dag.get("description")) or "",
        "tags": tags if are_labels else [],
        "triggers": said_triggers(dag),
    }


def header_of(fields: Mapping[str, Any], dag_id: str | None = None) -> JsonObject:
    """Return what a DAG says for these fields; its name only where its id does not."""
    header = {
        "dag_display_name": fields["name"] if dag_id not in (None, fields["name"]) else None,
        "description": fields["description"],
        **schedule_of(fields["triggers"]),
        "tags": list(fields["tags"]),
    }
    return nonempty(header)
