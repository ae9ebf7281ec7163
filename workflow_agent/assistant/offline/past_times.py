"""Times in the past as people say them: "yesterday", "last week", "Monday", "3 days ago"."""

import re
from dataclasses import dataclass
from datetime import date, timedelta

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_COUNTS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "couple of": 2,
    "three": 3,
    "few": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "ten": 10,
    "": 1,
}
_UNIT_DAYS = {"hour": 1, "day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}
_COUNT = rf"\d{{1,3}}|{'|'.join(word for word in _COUNTS if word)}"
_UNIT = "|".join(_UNIT_DAYS)
TIME = (
    rf"(?:(?:on )?(?:last )?(?:{'|'.join(_DAYS)})|(?:the )?day before yesterday|yesterday(?: morning)?"
    r"|today|this (?:morning|week|month|year)|last (?:week|month|year|night)|\d{4}-\d\d-\d\d"
    rf"|(?:the )?(?:last|past) (?:(?:{_COUNT}) )?(?:{_UNIT})s?|(?:{_COUNT}) (?:{_UNIT})s? ago)"
)
"""The expression of a time that `read_time` understands."""
_BACK = re.compile(rf"(?:(?:the )?(?:last|past) )?(?:({_COUNT}) )?({_UNIT})s?(?: ago)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class Since:
    """A time in the past: the day it begins, and the day it is over where it names a single one."""

    start: date
    end: date | None = None


def read_time(text: str, today: date) -> Since | None:
    """Return the time a phrase names, seen from today; None when it names none."""
    plain = text.strip().lower().removeprefix("on ")
    if _DATE.fullmatch(plain):
        return _dated(plain)
    if plain in ("today", "this morning"):
        return Since(today)
    if plain.startswith("yesterday") or plain == "last night":
        return Since(today - timedelta(days=1), today)
    if plain.endswith("day before yesterday"):
        return Since(today - timedelta(days=2), today - timedelta(days=1))
    if plain.removeprefix("last ") in _DAYS:
        back = (today.weekday() - _DAYS.index(plain.removeprefix("last "))) % 7 or 7
        return Since(today - timedelta(days=back), today - timedelta(days=back - 1))
    return _period(plain, today)


def _dated(text: str) -> Since | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return Since(day, day + timedelta(days=1))


def _period(plain: str, today: date) -> Since | None:
    if plain == "this week":
        return Since(today - timedelta(days=today.weekday()))
    if plain == "this month":
        return Since(today.replace(day=1))
    if plain == "this year":
        return Since(today.replace(month=1, day=1))
    match = _BACK.fullmatch(plain)
    if match is None:
        return None
    count = match[1] or ""
    number = int(count) if count.isdigit() else _COUNTS[count]
    days = 0 if match[2] == "hour" else number * _UNIT_DAYS[match[2]]
    return Since(today - timedelta(days=days))
