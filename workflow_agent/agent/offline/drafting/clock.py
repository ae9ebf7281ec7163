"""Reading times of day: `at 9`, `6:30pm`, `noon`."""

import re
from collections.abc import Sequence
from typing import Final

TIMES_OF_DAY: Final = {
    "morning": (8, 0), "noon": (12, 0), "lunchtime": (12, 0), "midday": (12, 0), "afternoon": (14, 0),
    "evening": (18, 0), "night": (22, 0), "midnight": (0, 0),
}  # fmt: skip


_ZONES: Final = {
    "utc": "UTC", "gmt": "UTC", "cet": "Europe/Paris", "cest": "Europe/Paris", "est": "America/New_York",
    "et": "America/New_York", "pst": "America/Los_Angeles", "pt": "America/Los_Angeles",
    "ist": "Asia/Kolkata",
    "jst": "Asia/Tokyo", "bst": "Europe/London",
}  # fmt: skip


_CLOCK: Final = re.compile(r"(\d{1,2})(?:[:.h](\d{2}))?(am|pm|a\.m|p\.m|h)?")


def clock_at(words: Sequence[str], at: int) -> tuple[tuple[int, int], int] | None:
    """Return the hour and minute that begin at a position, and where they end."""
    has_at = at < len(words) and words[at] in ("at", "@")
    here = at + 1 if has_at else at
    if here >= len(words):
        return None
    if has_at and words[here] in TIMES_OF_DAY:
        return TIMES_OF_DAY[words[here]], here + 1
    match = _CLOCK.fullmatch(words[here])
    if match is None:
        return None
    suffix, end = (match[3] or ""), here + 1
    if not suffix and end < len(words) and words[end] in ("am", "pm", "a.m", "p.m", "o'clock"):
        suffix, end = words[end], end + 1
    if not (has_at or suffix or match[2]):
        return None
    hour, minute = int(match[1]), int(match[2] or 0)
    if suffix[:1] == "p" and hour < 12:
        hour += 12
    if suffix[:1] == "a" and hour == 12:
        hour = 0
    return ((hour, minute), end) if hour < 24 and minute < 60 else None


def zone_at(words: Sequence[str], at: int) -> tuple[str, int]:
    """Return the time zone at a position (UTC where none is named), and where it ends."""
    named = _ZONES.get(words[at]) if at < len(words) else None
    return (named, at + 1) if named else ("UTC", at)
