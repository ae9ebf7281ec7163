"""A document of the Serverless Workflow DSL as a workflow."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.base import Imported
from workflow_agent.workflows.formats.builder import Draft, fit
from workflow_agent.workflows.formats.fidelity import kept_of, same, step_with
from workflow_agent.workflows.formats.plain import list_in, nonempty, object_in, text_in, without
from workflow_agent.workflows.formats.serverless_workflow import directives, tasks
from workflow_agent.workflows.formats.serverless_workflow.shapes import kind_of_task
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.triggers import cron_problem

_APART = ("then", "switch", "try", "catch", "do")
_Path = tuple[str | int, ...]
SAID_BY: Mapping[str, tuple[str, ...]] = {"name": ("name", "title"), "description": ("summary",), "tags": ("tags",)}
"""The entries of `document` that say each field of a workflow."""


def read_document(whole: JsonObject, draft: Draft) -> Imported:
    """Return the workflow of a document."""
    _Reader(draft, object_in(object_in(whole.get("use")).get("retries"))).tasks(whole["do"], None, ("do",))
    if not draft.steps:
        draft.add("End", "end", outcome="ok", kept={"directive": "end"})
    fields = said_about(whole["document"])
    triggers = said_triggers(object_in(whole.get("schedule")))
    kept = without(whole, "document", "do", "schedule")
    if rest := kept_of(whole["document"], about(fields)):
        kept["document"] = rest
    if "schedule" in whole and not same(whole["schedule"], schedule_of(triggers)):
        kept["schedule"] = whole["schedule"]
    return draft.finished(kept=kept, triggers=triggers, **fields)


@dataclass(slots=True)
class _List:
    """A list of tasks while its steps are connected."""

    parent: str | None
    ids: dict[str, str] = field(default_factory=dict[str, str])
    """The step of each name; of the first where several have it."""
    leaving: dict[str, str] = field(default_factory=dict[str, str])
    """The step that stands for each directive a choice leads to."""


@dataclass(frozen=True, slots=True)
class _Task:
    step: str
    task: JsonObject
    handler: str | None
    """The step that stands for the tasks of its `catch`."""


class _Reader:
    def __init__(self, draft: Draft, retries: JsonObject) -> None:
        self._draft = draft
        self._retries = retries
        self._entered: set[str] = set()

    def tasks(self, items: list[Any], parent: str | None, at: _Path, *, beside: bool = False) -> None:
        """Add the tasks of a list, one after the other, or beside one another."""
        here = _List(parent)
        added: list[_Task] = []
        for position, item in enumerate(items):
            ((name, task),) = item.items()
            added.append(self._task(name, task, parent, (*at, position, name)))
            here.ids.setdefault(name, added[-1].step)
        for position, one in enumerate(added):
            is_last = beside or position + 1 == len(added)
            self._follow(one, None if is_last else added[position + 1].step, here)
        heads = [one.step for one in added if one.step not in self._entered]
        if parent is not None and added and not beside and heads != [added[0].step]:
            self._draft.connect(parent, added[0].step)

    def _connect(self, source: str, target: str | None, kind: Any = "sequence", **fields: Any) -> None:
        if target is not None:
            self._entered.add(target)
            self._draft.connect(source, target, kind, **fields)

    def _task(self, name: str, task: JsonObject, parent: str | None, at: _Path) -> _Task:
        """Add the step of a task, what is inside it, and the step of what handles its errors."""
        inner = directives.folded(name, task)
        own = inner or task
        fields = tasks.said(own) | directives.said_catch(task, self._retries)
        kept = self._kept(name, task, own, step_with({"name": fit(name), **fields}))
        step_id = self._draft.add(name, parent=parent, kept=kept, at=at, **fields)
        within = (*at, "try", 0, name) if inner else at
        self.tasks(
            list_in(object_in(own.get("fork")).get("branches")), step_id, (*within, "fork", "branches"), beside=True
        )
        for key in ("do", "try"):
            self.tasks(list_in(own.get(key)), step_id, (*within, key))
        return _Task(step_id, task, self._handler(name, task, parent, at))

    def _handler(self, name: str, task: JsonObject, parent: str | None, at: _Path) -> str | None:
        items = list_in(object_in(task.get("catch")).get("do"))
        if not items:
            return None
        kept = {"then": task["catch"]["then"]} if "then" in task["catch"] else None
        handler = self._draft.add((fit(name) or "")[:180] + " (caught)", "action", parent=parent, kept=kept)
        self.tasks(items, handler, (*at, "catch", "do"))
        return handler

    def _kept(self, name: str, task: JsonObject, own: JsonObject, step: Step) -> JsonObject:
        plain = tasks.generated(step, has_children=kind_of_task(own) in ("do", "try", "switch"))
        flat = without(own, *_APART)
        if "fork" in flat:
            flat["fork"] = {**flat["fork"], "branches": []}
        kept = kept_of(flat, without(plain, *_APART))
        if "catch" in task:
            catch = without(task["catch"], "do", "then")
            errors = directives.errors_caught(catch) if task["catch"].keys() & {"do", "then"} else []
            kept |= {} if same(catch, directives.catch_of(step, errors)) else {"catch": catch}
        if task.get("then") in directives.DIRECTIVES and not (step.type == "end" and "do" in plain):
            kept["then"] = task["then"]
        return kept | ({"name": name} if fit(name) != name else {})

    def _follow(self, one: _Task, following: str | None, here: _List) -> None:
        task = one.task
        goes_to = self._target(task.get("then"), following, here)
        if "switch" in task:
            self._cases(one, following, goes_to, here)
        else:
            # That a task names the one it would go on with anyway is kept.
            names_next = task.get("then") not in (None, *directives.DIRECTIVES) and goes_to == following
            self._connect(one.step, goes_to, kept={"then": task["then"]} if names_next else None)
        if "catch" not in task:
            return
        catch = task["catch"]
        errors = directives.errors_caught(catch)
        if one.handler is not None:
            self._connect(one.step, one.handler, "error", errors=errors, kept={"inline": True})
            self._connect(one.handler, self._target(catch.get("then", task.get("then")), following, here))
        elif "then" in catch:
            target = self._leaving(catch["then"], following, here)
            self._connect(one.step, target, "error", errors=errors, kept={"then": catch["then"]})

    def _cases(self, one: _Task, following: str | None, otherwise: str | None, here: _List) -> None:
        has_default = False
        for item in one.task["switch"]:
            ((label, case),) = item.items()
            target = self._leaving(case["then"], following, here)
            when = tasks.condition_of(case.get("when"))
            has_default = has_default or when is None
            kept = {"then": case["then"]} if case["then"] in directives.DIRECTIVES else None
            kind = "default" if when is None else "condition"
            self._connect(one.step, target, kind, when=when, label=label, kept=kept)
        if not has_default:
            self._connect(one.step, otherwise, "default", kept={"implicit": True})

    def _target(self, then: str | None, following: str | None, here: _List) -> str | None:
        """Return the step a directive leads to; None where it leaves the list."""
        if then in (None, "continue"):
            return following
        return None if then in directives.DIRECTIVES else here.ids[str(then)]

    def _leaving(self, then: str, following: str | None, here: _List) -> str:
        """Return the step a directive leads to; where it leaves the list, a step that stands for that."""
        target = self._target(then, following, here)
        if target is not None:
            return target
        if then not in here.leaving:
            is_end = then == "end" or here.parent is None
            here.leaving[then] = self._draft.add(
                then.capitalize(),
                "end" if is_end else "action",
                parent=here.parent,
                outcome="ok" if is_end else None,
                kept={"directive": then},
            )
        return here.leaving[then]


def said_about(document: Mapping[str, Any]) -> JsonObject:
    """Return the fields of the workflow that the `document` part says."""
    tags = [fit(f"{key}:{value}" if value != "" else key) for key, value in object_in(document.get("tags")).items()]
    return {
        "name": text_in(document.get("title"), 200) or str(document["name"]),
        "description": text_in(document.get("summary")) or "",
        "tags": [tag for tag in tags if tag],
    }


def about(fields: Mapping[str, Any], version: int = 1) -> JsonObject:
    """Return the `document` part for the fields of a workflow that it says."""
    name = slug(fields["name"], fallback="workflow").replace("_", "-")
    made = {
        "dsl": "1.0.3",
        "namespace": "default",
        "name": name,
        "version": f"{version}.0.0",
        "title": fields["name"] if fields["name"] != name else None,
        "summary": fields["description"],
        "tags": {key: value for key, _, value in (tag.partition(":") for tag in fields["tags"])},
    }
    return nonempty(made)


def said_triggers(schedule: Mapping[str, Any]) -> list[JsonObject]:
    """Return the triggers that a schedule is."""
    found: list[JsonObject] = []
    cron = schedule.get("cron")
    if isinstance(cron, str) and cron_problem(cron) is None:
        found.append({"type": "schedule", "cron": cron})
    every = tasks.said_duration(schedule.get("every"))
    if every is not None:
        found.append({"type": "schedule", "every": every})
    events = tasks.events_in(schedule.get("on"))
    return [*found, *(nonempty({"type": "event", "event": event, "with": rest}) for event, rest in events)]


def schedule_of(triggers: Iterable[JsonObject]) -> JsonObject | None:
    """Return the schedule for triggers: the first cron and interval, and any of the events; None without any."""
    found: JsonObject = {}
    events: list[JsonObject] = []
    for trigger in triggers:
        if trigger["type"] == "event":
            events.append({"with": {**trigger.get("with", {}), "type": trigger["event"]}})
        for key in trigger.keys() & {"cron", "every"}:
            found.setdefault(key, trigger[key])
    if events:
        found["on"] = {"one": events[0]} if len(events) == 1 else {"any": events}
    return found or None
