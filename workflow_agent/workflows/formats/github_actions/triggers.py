"""What starts a workflow: `on` as triggers, and back."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.shapes import list_in, object_in, without
from workflow_agent.workflows.model.durations import whole_seconds
from workflow_agent.workflows.model.triggers import (
    EventTrigger,
    ManualTrigger,
    ScheduleTrigger,
    Trigger,
    WebhookTrigger,
    WorkflowTrigger,
    cron_problem,
)

_ANY_CALLER = "*"
_DAILY = {1440: "0 0 * * *", 10_080: "0 0 * * 0"}
_EVENT_NAMES = """
    branch_protection_rule check_run check_suite create delete deployment deployment_status discussion
    discussion_comment fork gollum image_version issue_comment issues label merge_group milestone page_build
    project project_card project_column public pull_request pull_request_comment pull_request_review
    pull_request_review_comment pull_request_target push registry_package release repository_dispatch schedule
    status watch workflow_call workflow_dispatch workflow_run
"""
EVENTS = frozenset(_EVENT_NAMES.split())


def said_triggers(on: Any) -> list[JsonObject]:
    """Return the triggers that an `on` is."""
    if isinstance(on, str):
        return _said(on, None)
    if isinstance(on, list):
        return [trigger for event in list_in(on) for trigger in _said(event, None)]
    return [trigger for event, given in object_in(on).items() for trigger in _said(event, given)]


def _said(event: str, given: Any) -> list[JsonObject]:
    reader = _READERS.get(event)
    if reader is not None:
        return list(reader(given))
    return [_with({"type": "event", "event": fit(event)}, object_in(given))]


def _with(trigger: JsonObject, given: JsonObject) -> JsonObject:
    return {**trigger, "with": given} if given else trigger


def _said_schedules(given: Any) -> Iterable[JsonObject]:
    for one in list_in(given):
        if cron_problem(one["cron"]) is None and set(one) == {"cron"}:
            yield {"type": "schedule", "cron": one["cron"]}
        else:
            yield {"type": "event", "event": "schedule", "with": one}


def _said_run(given: Any) -> Iterable[JsonObject]:
    rest = without(object_in(given), "workflows")
    named = [fit(str(name)) for name in list_in(object_in(given).get("workflows"))]
    for name in [one for one in named if one] or ["any workflow"]:
        yield _with({"type": "workflow", "workflow": name}, rest)


def _said_dispatch(given: Any) -> Iterable[JsonObject]:
    types = [fit(str(one)) for one in list_in(object_in(given).get("types"))]
    for one in [each for each in types if each] or ["repository_dispatch"]:
        yield {"type": "event", "event": one}


_READERS: Mapping[str, Callable[[Any], Iterable[JsonObject]]] = {
    "schedule": _said_schedules,
    "workflow_dispatch": lambda given: [_with({"type": "manual"}, object_in(given))],
    "workflow_call": lambda given: [_with({"type": "workflow", "workflow": _ANY_CALLER}, object_in(given))],
    "workflow_run": _said_run,
    "repository_dispatch": _said_dispatch,
}


def on_of(triggers: Iterable[Trigger]) -> JsonObject:
    """Return the `on` for triggers; without any, people start it."""
    found: JsonObject = {}
    for trigger in triggers:
        _WRITERS[type(trigger)](trigger, found)
    return found or {"workflow_dispatch": None}


def _schedule(trigger: ScheduleTrigger, found: JsonObject) -> None:
    cron = trigger.cron or _cron_of(trigger.every)
    if cron is not None:
        found.setdefault("schedule", []).append({"cron": cron})


def _cron_of(every: str | None) -> str | None:
    """Return the cron that comes nearest to an interval; None where none comes near."""
    minutes, seconds = divmod(whole_seconds(every) or 0, 60)
    if minutes == 0 or seconds:
        return None
    if 60 % minutes == 0 and minutes < 60:
        return f"*/{minutes} * * * *"
    hours = minutes // 60
    return f"0 */{hours} * * *" if minutes % 60 == 0 and hours < 24 and 24 % hours == 0 else _DAILY.get(minutes)


def _event(trigger: EventTrigger, found: JsonObject) -> None:
    if trigger.event == "schedule" and "cron" in trigger.with_:
        found.setdefault("schedule", []).append(trigger.with_)
    elif trigger.event in EVENTS and trigger.event not in _READERS:
        found.setdefault(trigger.event, trigger.with_ or None)
    else:
        _dispatch(found, trigger.event)


def _dispatch(found: JsonObject, name: str) -> None:
    types = found.setdefault("repository_dispatch", {"types": []})["types"]
    if name not in types:
        types.append(name)


def _workflow(trigger: WorkflowTrigger, found: JsonObject) -> None:
    if trigger.workflow == _ANY_CALLER:
        found.setdefault("workflow_call", trigger.with_ or None)
    else:
        found.setdefault("workflow_run", {**trigger.with_, "workflows": []})["workflows"].append(trigger.workflow)


_WRITERS: Mapping[type, Callable[[Any, JsonObject], object]] = {
    ScheduleTrigger: _schedule,
    EventTrigger: _event,
    ManualTrigger: lambda trigger, found: found.setdefault("workflow_dispatch", trigger.with_ or None),
    WebhookTrigger: lambda trigger, found: _dispatch(found, (trigger.path or "").strip("/")[:100] or "webhook"),
    WorkflowTrigger: _workflow,
}
