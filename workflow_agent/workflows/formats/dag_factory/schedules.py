"""When a DAG runs: its schedule as triggers, and back."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import TypeAdapter

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.shapes import list_in, object_in, text_in
from workflow_agent.workflows.model.durations import duration_of, exact_seconds
from workflow_agent.workflows.model.triggers import EventTrigger, ScheduleTrigger, Trigger, cron_problem

_TYPE = "__type__"
_UNITS = {
    "weeks": 604_800.0,
    "days": 86_400.0,
    "hours": 3_600.0,
    "minutes": 60.0,
    "seconds": 1.0,
    "milliseconds": 0.001,
}
_LONGEST_SECONDS = 1e9


def said_seconds(value: Any) -> str | None:
    """Return the duration of so many seconds; None for what is no number of them."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return duration_of(value) if is_number and 0 <= value < _LONGEST_SECONDS else None


def said_delta(value: Any) -> str | None:
    """Return the duration that a timedelta object is; None for everything else."""
    given = {key: amount for key, amount in object_in(value).items() if key != _TYPE}
    if not str(object_in(value).get(_TYPE, "")).endswith("timedelta") or not given.keys() <= _UNITS.keys():
        return None
    if any(said_seconds(amount) is None for amount in given.values()):
        return None
    return said_seconds(sum(amount * _UNITS[unit] for unit, amount in given.items()))


def delta_of(duration: str | None) -> JsonObject | None:
    """Return a duration as a timedelta object; None for months and years."""
    seconds = exact_seconds(duration)
    if seconds is None:
        return None
    return {_TYPE: "datetime.timedelta", "seconds": int(seconds) if seconds.is_integer() else seconds}


_PRESETS: Mapping[str, str] = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@quarterly": "0 0 1 */3 *",
}


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
    data = [one.with_ if "uri" in one.with_ else one.event for one in triggers if isinstance(one, EventTrigger)]
    return {"schedule": data} if data else {}


SAID_BY: Mapping[str, tuple[str, ...]] = {
    "name": ("dag_display_name",),
    "description": ("description",),
    "tags": ("tags",),
    "triggers": ("schedule", "schedule_interval", "timezone"),
}
_TRIGGERS: TypeAdapter[tuple[Trigger, ...]] = TypeAdapter(tuple[Trigger, ...])


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
    named = {"dag_display_name": fields["name"]} if dag_id not in (None, fields["name"]) else {}
    described = {"description": fields["description"]} if fields["description"] else {}
    tagged = {"tags": list(fields["tags"])} if fields["tags"] else {}
    return {**named, **described, **schedule_of(_TRIGGERS.validate_python(fields["triggers"])), **tagged}
