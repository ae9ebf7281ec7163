"""Triggers as the words people use for them: monday, daily, nightly, webhook, 9am."""

import re
from collections.abc import Iterator

from workflow_agent.adapters.search.words import STOP_WORDS, words
from workflow_agent.domain.triggers import describe_trigger
from workflow_agent.domain.workflow import ScheduleTrigger, Trigger

_DAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
_UNITS = {"Y": "year", "W": "week", "D": "day", "H": "hour", "S": "second"}
_AMOUNT = re.compile(r"(\d+)(?:\.\d+)?([YMWDHS])")
_KINDS = {
    "manual": "manual manually by hand",
    "schedule": "schedule scheduled cron timer periodic recurring",
    "event": "event",
    "webhook": "webhook http request api call",
    "workflow": "workflow subworkflow",
}
_EVERY = {"1 minute": "minutely", "1 hour": "hourly", "1 day": "daily", "1 week": "weekly",
          "7 day": "weekly", "1 month": "monthly", "3 month": "quarterly", "1 year": "yearly"}  # fmt: skip
_NIGHT_ENDS = 6
_NIGHT_BEGINS = 20


def trigger_words(trigger: Trigger) -> set[str]:
    """Return the stems of all the words by which people may name a trigger."""
    said = [_KINDS[trigger.type], describe_trigger(trigger)]
    if isinstance(trigger, ScheduleTrigger):
        said += _cron_words(trigger.cron) if trigger.cron else _interval_words(trigger.every or "")
    return set(words(" ".join(said))) - STOP_WORDS


def filter_words(text: str) -> set[str]:
    """Return the stems that a trigger must have to pass a filter given in words."""
    found = words(text)
    return set(found) - STOP_WORDS or set(found)


def _interval_words(every: str) -> Iterator[str]:
    date, _, time = every.partition("T")
    for part, minutes_or_months in ((date, "month"), (time, "minute")):
        for amount, unit in _AMOUNT.findall(part):
            span = f"{int(amount)} {_UNITS.get(unit, minutes_or_months)}"
            yield f"{span} {_EVERY.get(span, '')}"


def _cron_words(cron: str) -> Iterator[str]:
    minute, hour, day, month, weekday = cron.lower().split()
    yield from _weekday_words(weekday)
    yield from (_MONTHS[number - 1] for number in _numbers(month, _MONTHS, 1, 12))
    yield _rhythm(hour, day, month, weekday)
    if hour.isdigit():
        yield from _hour_words(int(hour), minute)


def _rhythm(hour: str, day: str, month: str, weekday: str) -> str:
    if month != "*":
        return "quarterly" if "/3" in month else "yearly"
    if day not in ("*", "?"):
        return "monthly month"
    if weekday not in ("*", "?"):
        return "weekly week"
    return "daily day" if hour.isdigit() else "hourly hour"


def _weekday_words(weekday: str) -> Iterator[str]:
    numbers = {number % 7 for number in _numbers(weekday, _DAYS, 0, 7)}
    yield from (_DAYS[number] for number in sorted(numbers))
    if numbers == {1, 2, 3, 4, 5}:
        yield "weekday workday"
    if numbers == {0, 6}:
        yield "weekend"


def _hour_words(hour: int, minute: str) -> Iterator[str]:
    yield f"{hour} {hour % 12 or 12}{'am' if hour < 12 else 'pm'}"
    if minute.isdigit():
        yield f"{hour}:{int(minute):02}"
    if hour < _NIGHT_ENDS or hour >= _NIGHT_BEGINS:
        yield "night nightly overnight"
    elif hour < 12:
        yield "morning"
    elif hour < 18:
        yield "afternoon"
    else:
        yield "evening"


def _numbers(field: str, names: tuple[str, ...], low: int, high: int) -> set[int]:
    """Return the numbers a cron field lists; none for every one."""
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        if span in ("*", "?"):
            continue
        first, _, last = span.partition("-")
        start = _number(first, names, low)
        end = _number(last, names, low) if last else (high if step else start)
        found.update(range(start, end + 1, int(step or 1)))
    return found


def _number(text: str, names: tuple[str, ...], low: int) -> int:
    if text.isdigit():
        return int(text)
    return next(at for at, name in enumerate(names) if name.startswith(text)) + low
