"""ISO 8601 durations as seconds, and in words."""

import re

_PARTS = re.compile(
    r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?"
)
_UNIT_SECONDS = (365 * 86_400, 30 * 86_400, 7 * 86_400, 86_400, 3_600, 60, 1)
_NAMED_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))


def seconds_of(duration: str) -> float:
    """Return the length of an ISO 8601 duration; a year has 365 days, a month 30."""
    match = _PARTS.fullmatch(duration)
    amounts = match.groups() if match else ()
    return sum(float(amount) * unit for amount, unit in zip(amounts, _UNIT_SECONDS, strict=False) if amount)


def in_words(seconds: float) -> str:
    """Return a length of time in its two largest units: `2 days 4 hours`."""
    parts: list[str] = []
    left = round(seconds)
    for name, unit in _NAMED_UNITS:
        amount, left = divmod(left, unit)
        if amount:
            parts.append(f"{amount} {name}{'' if amount == 1 else 's'}")
    return " ".join(parts[:2]) or "no time"
