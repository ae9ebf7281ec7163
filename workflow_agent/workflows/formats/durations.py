"""Durations as other formats write them, `1h30m`, to and from ISO 8601."""

import re

from workflow_agent.workflows.model.durations import duration_of, exact_seconds

_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d)")


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
