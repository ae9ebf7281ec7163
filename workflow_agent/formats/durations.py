"""Durations as other formats write them, to and from ISO 8601."""

import re

from workflow_agent.domain.workflow import DURATION_PATTERN

_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d)")
_EXACT = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")
_EXACT_SECONDS = (7 * 86_400, 86_400, 3_600, 60, 1)


def is_duration(value: object) -> bool:
    """Say whether a value is an ISO 8601 duration that the model can hold."""
    return (
        isinstance(value, str)
        and len(value) <= 64
        and re.fullmatch(DURATION_PATTERN, value) is not None
        and not value.endswith(("P", "T"))
    )


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


def exact_seconds(duration: str | None) -> float | None:
    """Return the length of an ISO 8601 duration, or None for months and years, which have no fixed one."""
    match = _EXACT.fullmatch(duration or "")
    if match is None:
        return None
    return sum(float(a) * size for a, size in zip(match.groups(), _EXACT_SECONDS, strict=True) if a)


def whole_seconds(duration: str | None) -> int | None:
    """Return the length of an ISO 8601 duration if that is a whole number of seconds."""
    seconds = exact_seconds(duration)
    return int(seconds) if seconds is not None and seconds.is_integer() else None


def short_duration(text: str) -> str | None:
    """Return the ISO 8601 form of a duration like `20`, `90s` or `1h30m`; None if it is none."""
    if text.isascii() and text.isdigit():
        return duration_of(int(text))
    if not text or _AMOUNT.sub("", text):
        return None
    return duration_of(sum(float(amount) * _UNITS[unit] for amount, unit in _AMOUNT.findall(text)))


def as_short_duration(duration: str | None) -> str | None:
    """Return a duration as `1h30m`; None where that cannot say it."""
    seconds = exact_seconds(duration)
    if seconds is None:
        return None
    parts: list[str] = []
    left = seconds
    for unit in ("h", "m"):
        amount, left = divmod(left, _UNITS[unit])
        parts += [f"{int(amount)}{unit}"] if amount else []
    if left or not parts:
        parts.append(f"{left:.9f}".rstrip("0").rstrip(".") + "s")
    return "".join(parts)
