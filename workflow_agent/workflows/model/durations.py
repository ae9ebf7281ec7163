"""ISO 8601 durations: told, measured in seconds, made of seconds, and in words."""

import re
from collections.abc import Sequence

from workflow_agent.workflows.model.terms import DURATION_PATTERN

_LONGEST_CHARS = 64
_PARTS = re.compile(r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")
_UNIT_SECONDS = {
    "year": 365 * 86_400,
    "month": 30 * 86_400,
    "week": 7 * 86_400,
    "day": 86_400,
    "hour": 3_600,
    "minute": 60,
    "second": 1,
}


def is_duration(value: object) -> bool:
    """Say whether a value is an ISO 8601 duration that the model can hold."""
    return (
        isinstance(value, str)
        and len(value) <= _LONGEST_CHARS
        and re.fullmatch(DURATION_PATTERN, value) is not None
        and not value.endswith(("P", "T"))
    )


def amounts_in(duration: str) -> Sequence[tuple[float, str]] | None:
    """Return the amounts of an ISO 8601 duration with their units, `year` to `second`; None if it is none."""
    match = _PARTS.fullmatch(duration)
    if match is None:
        return None
    named = zip(match.groups(), _UNIT_SECONDS, strict=True)
    return [(float(amount), unit) for amount, unit in named if amount]


def duration_in_words(duration: str) -> str:
    """Return an ISO 8601 duration in words: "2 days", "1 hour and 30 minutes"; itself if it is none."""
    told = [_told(amount, unit) for amount, unit in amounts_in(duration) or ()]
    return " and ".join(part for part in (", ".join(told[:-1]), *told[-1:]) if part) or duration


def _told(amount: float, unit: str) -> str:
    return f"{amount:g} {unit}{'' if amount == 1 else 's'}"


def seconds_of(duration: str) -> float:
    """Return the length of an ISO 8601 duration; a year has 365 days, a month 30."""
    return sum(amount * _UNIT_SECONDS[unit] for amount, unit in amounts_in(duration) or ())


def exact_seconds(duration: str | None) -> float | None:
    """Return the length of an ISO 8601 duration, or None for months and years, which have no fixed one."""
    amounts = amounts_in(duration or "")
    if amounts is None or any(unit in ("year", "month") for _, unit in amounts):
        return None
    return sum((amount * _UNIT_SECONDS[unit] for amount, unit in amounts), 0.0)


def whole_seconds(duration: str | None) -> int | None:
    """Return the length of an ISO 8601 duration if that is a whole number of seconds."""
    seconds = exact_seconds(duration)
    return int(seconds) if seconds is not None and seconds.is_integer() else None


def duration_of(seconds: float) -> str:
    """Return a length of time in its largest even units: `PT1H30M`, `P2D`."""
    whole = int(seconds)
    fraction = round(seconds - whole, 9)
    if whole and not fraction and whole % 86_400 == 0:
        return f"P{whole // 86_400}D"
    parts: list[str] = []
    for unit, size in (("H", 3600), ("M", 60)):
        amount, whole = divmod(whole, size)
        parts += [f"{amount}{unit}"] if amount else []
    if fraction:
        parts.append(f"{whole + fraction:.9f}".rstrip("0") + "S")
    elif whole or not parts:
        parts.append(f"{whole}S")
    return "PT" + "".join(parts)


def in_words(seconds: float) -> str:
    """Return a length of time in its two largest units: `2 days 4 hours`."""
    parts: list[str] = []
    left = round(seconds)
    for unit in ("day", "hour", "minute", "second"):
        amount, left = divmod(left, _UNIT_SECONDS[unit])
        parts += [_told(amount, unit)] if amount else []
    return " ".join(parts[:2]) or "no time"
