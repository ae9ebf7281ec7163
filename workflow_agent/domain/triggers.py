"""Triggers in plain words."""

from workflow_agent.domain.durations import duration_in_words
from workflow_agent.domain.workflow import (
    EventTrigger,
    ManualTrigger,
    ScheduleTrigger,
    Trigger,
    WebhookTrigger,
)

_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


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
    if not (minute.isdigit() and hour.isdigit() and month == "*"):
        return f"on schedule {trigger.cron}{zone}"
    at = f"at {int(hour):02}:{int(minute):02}{zone}"
    if day == "*" and weekday == "*":
        return f"every day {at}"
    if day == "*" and weekday == "1-5":
        return f"every weekday {at}"
    if day == "*" and weekday.isdigit():
        return f"every {_DAYS[int(weekday)]} {at}"
    if weekday == "*" and day.isdigit():
        return f"on day {int(day)} of each month {at}"
    return f"on schedule {trigger.cron}{zone}"
