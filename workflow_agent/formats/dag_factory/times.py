"""Lengths of time in a DAG: `datetime.timedelta` objects, and seconds."""

from typing import Any

from workflow_agent.domain.durations import duration_of, exact_seconds
from workflow_agent.domain.values import JsonObject
from workflow_agent.formats.shapes import object_in

_TYPE = "__type__"
_UNITS = {
    "weeks": 604_800.0, "days": 86_400.0, "hours": 3_600.0, "minutes": 60.0, "seconds": 1.0,
    "milliseconds": 0.001,
}  # fmt: skip
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
