"""What starts a workflow."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints

from workflow_agent.values.stored import JsonObject, Value
from workflow_agent.workflows.model.durations import duration_in_words
from workflow_agent.workflows.model.terms import MONTHS, WEEKDAYS, Duration, Label, Text, exactly_one_of, says

_CRON_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_CRON_NAMES = {3: [month[:3] for month in MONTHS], 4: [day[:3] for day in WEEKDAYS]}
_CRON_PART = re.compile(r"(?:\*|([0-9a-z]{1,3})(?:-([0-9a-z]{1,3}))?)(?:/(\d{1,3}))?")


def _cron_part_is_valid(part: str, field: int) -> bool:
    match = _CRON_PART.fullmatch(part)
    if match is None or match[3] == "0":
        return False
    low, high = _CRON_RANGES[field]
    bounds = [text for text in (match[1], match[2]) if text is not None]
    return all(text in _CRON_NAMES.get(field, ()) or (text.isdigit() and low <= int(text) <= high) for text in bounds)


def cron_problem(cron: str) -> str | None:
    """Return what is wrong with a five-field cron expression, or None."""
    fields = cron.lower().split()
    if len(fields) != 5:
        return f"{cron!r} has {len(fields)} fields; cron takes five: minute hour day month weekday"
    for position, text in enumerate(fields):
        if not all(_cron_part_is_valid(part, position) for part in text.split(",")):
            low, high = _CRON_RANGES[position]
            return f"{text!r} is not valid in field {position + 1} of {cron!r} ({low} to {high})"
    return None


def _checked_cron(cron: str) -> str:
    if problem := cron_problem(cron):
        raise ValueError(problem)
    return cron


Cron = Annotated[
    str,
    AfterValidator(_checked_cron),
    StringConstraints(max_length=200),
    Field(json_schema_extra={"pattern": r"^\s*[0-9A-Za-z*,/-]+(\s+[0-9A-Za-z*,/-]+){4}\s*$"}),
]


class ManualTrigger(Value):
    """Somebody starts it."""

    type: Literal["manual"]
    with_: JsonObject = Field(default_factory=dict, alias="with")


class ScheduleTrigger(Value):
    """The clock starts it: by cron, or every so often."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [says("cron"), says("every")]})

    type: Literal["schedule"]
    cron: Cron | None = None
    every: Duration | None = None
    timezone: Label | None = None
    with_: JsonObject = Field(default_factory=dict, alias="with")
    _has_a_time = exactly_one_of("cron", "every")


class EventTrigger(Value):
    """Something that happens elsewhere starts it."""

    type: Literal["event"]
    event: Label
    with_: JsonObject = Field(default_factory=dict, alias="with")


class WebhookTrigger(Value):
    """An HTTP request starts it."""

    type: Literal["webhook"]
    path: Text | None = None
    method: Label | None = None
    with_: JsonObject = Field(default_factory=dict, alias="with")


class WorkflowTrigger(Value):
    """Another workflow starts it."""

    type: Literal["workflow"]
    workflow: Label
    with_: JsonObject = Field(default_factory=dict, alias="with")


Trigger = Annotated[
    ManualTrigger | ScheduleTrigger | EventTrigger | WebhookTrigger | WorkflowTrigger, Field(discriminator="type")
]


def describe_trigger(trigger: Trigger) -> str:
    """Return what starts a workflow, readable: `every Monday at 09:00 UTC`, `on expense.submitted`."""
    if isinstance(trigger, ManualTrigger):
        return "manually"
    if isinstance(trigger, ScheduleTrigger):
        return _describe_schedule(trigger)
    if isinstance(trigger, EventTrigger):
        return f"on {trigger.event}"
    if isinstance(trigger, WebhookTrigger):
        return f"on {trigger.method or 'a request'} {trigger.path or ''}".strip()
    return f"after workflow {trigger.workflow}"


def _describe_schedule(trigger: ScheduleTrigger) -> str:
    if trigger.cron is None:
        # "Every day", and not "every 1 day".
        return f"every {duration_in_words(trigger.every or '').removeprefix('1 ')}"
    zone = f" {trigger.timezone}" if trigger.timezone else ""
    minute, hour, day, month, weekday = trigger.cron.split()
    if minute.isdigit() and (hour, day, month, weekday) == ("*",) * 4:
        return f"every hour at minute {int(minute)}" if int(minute) else "every hour"
    days = _describe_days(day, month, weekday)
    if days is None or not (minute.isdigit() and hour.isdigit()):
        return f"on schedule {trigger.cron}{zone}"
    return f"{days} at {int(hour):02}:{int(minute):02}{zone}"


def _describe_days(day: str, month: str, weekday: str) -> str | None:
    """Return the days of a cron expression, readable; None where there are no words for them."""
    match day, month, weekday:
        case "*", "*", "*":
            return "every day"
        case "*", "*", "1-5":
            return "every weekday"
        case "*", "*", _ if weekday.isdigit():
            return f"every {WEEKDAYS[int(weekday) % 7].capitalize()}"
        case _, "*", "*" if day.isdigit():
            return f"on day {int(day)} of each month"
        case _, _, "*" if day.isdigit() and month.isdigit():
            return f"every year on {int(day)} {MONTHS[int(month) - 1].capitalize()}"
        case _:
            return None
