"""A flow of Kestra as a workflow."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.base import Imported
from workflow_agent.workflows.formats.builder import Draft, fit
from workflow_agent.workflows.formats.fidelity import kept_of, same, step_with
from workflow_agent.workflows.formats.kestra.shapes import LISTS_OF, short
from workflow_agent.workflows.formats.kestra.tasks import (
    NAMESPACE,
    condition_of,
    flat,
    generated,
    id_of,
    name_and_rest,
    said,
    told_in_description,
)
from workflow_agent.workflows.formats.plain import filled, list_in, nonempty, object_in, without
from workflow_agent.workflows.model.parser import take_id
from workflow_agent.workflows.model.transitions import TransitionType
from workflow_agent.workflows.model.triggers import cron_problem

ID, NEXT, WAYS, IF, WHOLE, NEEDS = "$id", "$next", "$ways", "$if", "$whole", "$needs"
"""What is kept of a task: its id, where its name gives another one; of a decision: the step after it, its branches
and the condition of one with nothing to do; of a task in a Dag: all of it, and what it needs."""
ABOUT = ("id", "namespace", "description", "labels")
"""What a flow says of itself."""
_Path = tuple[str | int, ...]
_TRIGGER = "io.kestra.plugin.core.trigger."
SAID_BY: Mapping[str, tuple[str, ...]] = {
    "name": ("id", "description"),
    "description": ("description",),
    "tags": ("labels",),
}
"""The entries of a flow that say each field of a workflow."""


def read_flow(flow: JsonObject, draft: Draft) -> Imported:
    """Return the workflow of a flow."""
    _Reader(draft).scope(flow, None, ())
    fields = said_about(flow)
    triggers = said_triggers(list_in(flow.get("triggers")))
    kept = without(flow, *ABOUT, "tasks", "errors", "triggers")
    kept |= kept_of({key: flow[key] for key in ABOUT if key in flow}, about(fields))
    if "triggers" in flow and not same(flow["triggers"], triggers_of(triggers)):
        kept["triggers"] = flow["triggers"]
    return draft.finished(kept=kept, triggers=triggers, **fields)


@dataclass(frozen=True, slots=True)
class _End:
    """A step from which work goes on to what comes next, and how."""

    step: str
    kind: TransitionType = "sequence"
    fields: JsonObject = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class _Run:
    """Tasks one after the other."""

    head: str
    ends: list[_End]
    steps: list[str]
    loose: tuple[str, ...] = ()
    """The tasks that stand after an end, to which nothing leads."""


class _Reader:
    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def scope(self, holder: Mapping[str, Any], parent: str | None, at: _Path) -> None:
        """Add the tasks that a flow or a task holds, and those for when one of them fails."""
        kind = short(holder.get("type"))
        if kind == "Dag":
            steps = self._dag(list_in(holder["tasks"]), parent, (*at, "tasks"))
        elif kind == "Parallel":
            tasks = enumerate(list_in(holder.get("tasks")))
            steps = [self._task(one, parent, (*at, "tasks", number)).head for number, one in tasks]
        else:
            run = self._list(list_in(holder.get("tasks")), parent, (*at, "tasks"))
            steps = run.steps if run else []
        self._handled(holder, steps, parent, at)

    def _handled(self, holder: Mapping[str, Any], steps: list[str], parent: str | None, at: _Path) -> None:
        """Add the tasks of a flow or a task for when one of its steps fails."""
        handling = self._list(list_in(holder.get("errors")), parent, (*at, "errors"))
        for head in (handling.head, *handling.loose) if handling else ():
            for step in steps:
                self._draft.connect(step, head, "error")

    def _list(self, tasks: list[Any], parent: str | None, at: _Path) -> _Run | None:
        whole: _Run | None = None
        for number, task in enumerate(tasks):
            run = self._task(task, parent, (*at, number))
            if whole is None:
                whole = run
                continue
            for end in whole.ends:
                self._draft.connect(end.step, run.head, end.kind, **end.fields)
            last = next(one for one in self._draft.steps if one["id"] == whole.steps[-1])
            if last["type"] == "decision":
                # Where the branches of a decision end is not always plain from the graph.
                last["extensions"][self._draft.format_name][NEXT] = run.head
            loose = whole.loose if whole.ends else (*whole.loose, run.head)
            whole = _Run(whole.head, run.ends, [*whole.steps, *run.steps], loose)
        return whole

    def _task(self, task: JsonObject, parent: str | None, at: _Path) -> _Run:
        kind = short(task["type"])
        branches = _branches(task) if kind in ("If", "Switch") else []
        more: JsonObject = {}
        if branches:
            more[NEXT] = ""
            empty = [key for key, tasks, _ in branches if tasks == []]
            more |= {WAYS: [key for key, tasks, _ in branches if tasks is not None]} if empty else {}
            more |= {IF: task["condition"]} if kind == "If" and "then" in empty else {}
        step_id, is_end = self._step(task, parent, at, more)
        if not branches:
            if kind in LISTS_OF:
                self.scope(task, step_id, at)
            return _Run(step_id, [] if is_end else [_End(step_id)], [step_id])
        ends: list[_End] = []
        for key, tasks, way in branches:
            run = self._list(tasks or [], parent, (*at, *key.split(":", 1)))
            if run is None:
                ends.append(_End(step_id, way.kind, way.fields))
            else:
                self._draft.connect(step_id, run.head, way.kind, **way.fields)
                ends += run.ends
        self._handled(task, [step_id], parent, at)
        return _Run(step_id, ends, [step_id])

    def _step(self, task: JsonObject, parent: str | None, at: _Path, more: JsonObject) -> tuple[str, bool]:
        fields = said(task)
        condition = task.get("condition")
        is_if = short(task["type"]) == "If"
        plain = generated(
            step_with(fields),
            task["id"],
            has_children=short(task["type"]) in LISTS_OF and bool(list_in(task.get("tasks"))),
            condition=None if not is_if else object_in(condition_of(condition)).get("expression", ""),
        )
        kept = kept_of(flat(task), plain)
        more |= {ID: task["id"]} if id_of(fields["name"]) != task["id"] else {}
        at = at if kept else ()
        step_id = self._draft.add(parent=parent, wanted_id=task["id"], kept=kept | more, at=at, **fields)
        return step_id, fields["type"] == "end"

    def _dag(self, tasks: list[Any], parent: str | None, at: _Path) -> list[str]:
        ids: dict[str, str] = {}
        for number, one in enumerate(tasks):
            task, place = one["task"], (*at, number, "task")
            more: JsonObject = {NEEDS: []} if one.get("dependsOn") == [] else {}
            if short(task["type"]) in ("If", "Switch"):
                # What waits for it waits for all of its branches: it stays one piece of work.
                step_id = self._draft.add(
                    task["id"], "action", parent=parent, uses=task["type"], kept={WHOLE: task, **more}, at=place
                )
            else:
                step_id, _ = self._step(task, parent, place, more)
                if short(task["type"]) in LISTS_OF:
                    self.scope(task, step_id, place)
            ids[task["id"]] = step_id
        for one in tasks:
            for needed in list_in(one.get("dependsOn")):
                self._draft.connect(ids[needed], ids[one["task"]["id"]])
        return list(ids.values())


def _branches(task: JsonObject) -> list[tuple[str, list[Any] | None, _End]]:
    """Return each branch of a decision: where it stands in the task, its tasks if they are written, its condition."""
    if short(task["type"]) == "If":
        then = _End("", "condition", {"when": condition_of(task["condition"])})
        return [("then", list_in(task["then"]), then), ("else", task.get("else"), _End("", "default"))]
    found: list[tuple[str, list[Any] | None, _End]] = []
    for key, tasks in task["cases"].items():
        name = fit(key)
        fields = {"when": {"text": name or "nothing"}, "kept": {"case": key} if name != key else None}
        found.append((f"cases:{key}", list_in(tasks), _End("", "condition", fields)))
    return [*found, ("defaults", task.get("defaults"), _End("", "default"))]


def said_about(flow: Mapping[str, Any]) -> JsonObject:
    """Return the fields of the workflow that a flow says of itself."""
    name, description = name_and_rest(flow["id"], flow.get("description"))
    labels = object_in(flow.get("labels")) or {one["key"]: one.get("value") for one in list_in(flow.get("labels"))}
    tags = [fit(key if value in ("true", True) else f"{key}:{value}") for key, value in labels.items()]
    return {"name": name, "description": description or "", "tags": [tag for tag in tags if tag]}


def about(fields: Mapping[str, Any]) -> JsonObject:
    """Return what a flow says of itself, for the fields of a workflow."""
    flow_id = id_of(fields["name"])
    told = told_in_description(flow_id, fields["name"], fields["description"])
    labels = {key: value or "true" for key, _, value in (tag.partition(":") for tag in fields["tags"])}
    return nonempty({"id": flow_id, "namespace": NAMESPACE, "description": told, "labels": labels})


def said_triggers(triggers: Iterable[Any]) -> list[JsonObject]:
    """Return what starts a flow; what is started in a way the model has not is an event of the plugin's type."""
    return [_said_trigger(object_in(one)) for one in triggers]


def _said_trigger(given: JsonObject) -> JsonObject:
    kind = str(given["type"]).rpartition(".")[2] if str(given["type"]).startswith("io.kestra.") else ""
    cron = given.get("cron")
    if kind == "Schedule" and isinstance(cron, str) and cron_problem(cron) is None:
        zone = given.get("timezone")
        is_zone = isinstance(zone, str) and fit(zone) == zone
        return filled({"type": "schedule", "cron": cron, "timezone": zone if is_zone else None})
    if kind == "Webhook" and "key" in given:
        return {"type": "webhook", "path": str(given["key"])}
    flows = list_in(object_in(given.get("preconditions")).get("flows"))
    if kind == "Flow" and len(flows) == 1 and (name := fit(str(object_in(flows[0]).get("flowId", "")))):
        return {"type": "workflow", "workflow": name}
    rest = without(given, "id", "type")
    return nonempty({"type": "event", "event": fit(str(given["type"])), "with": rest})


def triggers_of(triggers: Iterable[JsonObject]) -> list[JsonObject]:
    """Return the triggers of a flow; who starts it by hand needs none, and one that runs so often has none."""
    taken: set[str] = set()
    return [{"id": take_id(one["type"], taken), **made} for one in triggers if (made := _made_trigger(one))]


def _made_trigger(trigger: JsonObject) -> JsonObject:
    kind = trigger["type"]
    if kind == "schedule" and "cron" in trigger:
        return nonempty({"type": _TRIGGER + "Schedule", "cron": trigger["cron"], "timezone": trigger.get("timezone")})
    if kind == "webhook" and trigger.get("path"):
        return {"type": _TRIGGER + "Webhook", "key": trigger["path"]}
    if kind == "workflow":
        flows = [{"namespace": NAMESPACE, "flowId": trigger["workflow"]}]
        return {"type": _TRIGGER + "Flow", "preconditions": {"id": "before", "flows": flows}}
    if kind == "event" and trigger["event"].startswith("io.kestra."):
        return {"type": trigger["event"], **without(trigger.get("with", {}), "id", "type")}
    return {}
