"""When a DAG runs: its schedule as triggers, and back."""

from collections.abc import Iterable, Mapping
from typing import Any

from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import EventTrigger, ScheduleTrigger, Trigger, cron_problem
from workflow_agent.formats.dag_factory.times import delta_of, said_delta
from workflow_agent.formats.drafting import fit
from workflow_agent.formats.shapes import list_in, object_in, text_in

_PRESETS: Mapping[str, str] = {
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@quarterly": "0 0 1 */3 *",
}  # fmt: skip


def said_triggers(dag: JsonObject) -> list[JsonObject]:
    """Return the triggers of a whole DAG; without a schedule, somebody starts it."""
    schedule = dag.get("schedule", dag.get("schedule_interval"))
    zone = text_in(dag.get("timezone")) or text_in(object_in(dag.get("default_args")).get("timezone"))
    timezone = {"timezone": zone} if zone and len(zone) <= 200 else {}
    return _said(schedule, timezone) or [{"type": "manual"}]


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
    return [{"type": "event", "event": label or "data", **({"with": data} if isinstance(data, dict) else {})}]


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
        return _said_datasets(schedule, timezone)
    return _said_data(schedule)


def _said_datasets(schedule: JsonObject, timezone: JsonObject) -> list[JsonObject]:
    datasets = schedule["datasets"]
    data = [one for each in list_in(datasets) for one in _said_data(each)] or _said_data(datasets)
    return [*data, *_said(schedule.get("timetable"), timezone)]


def schedule_of(triggers: Iterable[Trigger]) -> JsonObject:
    """Return the schedule that comes nearest: the first time, or else all that data can bring about."""
    triggers = list(triggers)
    time = next((one for one in triggers if isinstance(one, ScheduleTrigger)), None)
    if time is not None:
        zone = {"timezone": time.timezone} if time.timezone else {}
        return {"schedule": time.cron or delta_of(time.every) or "@daily", **zone}
    data = [
        one.with_ if "uri" in one.with_ else one.event for one in triggers if isinstance(one, EventTrigger)
    ]
    return {"schedule": data} if data else {}
