"""Reading recurring times: `every Monday at 9`, `on the first of each month`, `daily at 6:30pm`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from workflow_agent.agent.offline.drafting.clock import TIMES_OF_DAY, clock_at, zone_at
from workflow_agent.agent.offline.drafting.durations import duration_at, ordinal_at, unit_of, written

_DAYS: Final = {
    "sunday": 0, "monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6,
    "sun": 0, "mon": 1, "tue": 2, "tues": 2, "wed": 3, "thu": 4, "thurs": 4, "fri": 5, "sat": 6,
}  # fmt: skip
_DAY_GROUPS: Final = {
    "weekday": "1-5", "weekdays": "1-5", "workday": "1-5", "workdays": "1-5", "weekend": "6,0",
    "weekends": "6,0",
}  # fmt: skip
_ADVERBS: Final = {
    "hourly": "hour", "daily": "day", "nightly": "night", "weekly": "week", "monthly": "month",
    "quarterly": "quarter", "yearly": "year", "annually": "year",
}  # fmt: skip
_DEFAULT_TIME: Final = (9, 0)


@dataclass(frozen=True, slots=True)
class _Pattern:
    """When something recurs, before its time of day is known."""

    day: str = "*"
    month: str = "*"
    weekday: str = "*"
    clock: tuple[int, int] | None = None
    fixed: str | None = None
    """A cron expression that takes no time of day."""
    every: str | None = None

    def trigger(self, zone: str) -> dict[str, Any]:
        """Return the schedule trigger."""
        if self.every is not None:
            return {"type": "schedule", "every": self.every}
        hour, minute = self.clock or _DEFAULT_TIME
        cron = self.fixed or f"{minute} {hour} {self.day} {self.month} {self.weekday}"
        return {"type": "schedule", "cron": cron, "timezone": zone}


_BY_UNIT: Final = {
    "S": _Pattern(every="PT1S"), "M": _Pattern(fixed="* * * * *"), "H": _Pattern(fixed="0 * * * *"),
    "D": _Pattern(), "W": _Pattern(weekday="1"), "MO": _Pattern(day="1"),
    "Q": _Pattern(day="1", month="1,4,7,10"),
    "Y": _Pattern(day="1", month="1"),
}  # fmt: skip
_ENDS: Final = {"D": _Pattern(clock=(17, 0)), "W": _Pattern(weekday="5"), "MO": _Pattern(day="28"),
                "Q": _Pattern(day="28", month="3,6,9,12"), "Y": _Pattern(day="31", month="12")}  # fmt: skip
_Found = tuple[_Pattern, int]


def schedule_at(words: Sequence[str], at: int) -> tuple[dict[str, Any], int] | None:
    """Return the schedule trigger that begins at a position of lower-case words, and where it ends."""
    lead = clock_at(words, at) if words[at] == "at" else None
    start = lead[1] if lead else at
    start += words[start : start + 1] == ["on"] and lead is not None
    found = _recurrence(words, start) if start < len(words) else None
    if found is None:
        return None
    pattern, end = found
    if lead:
        pattern = replace(pattern, clock=lead[0])
    pattern, end = _with_time(pattern, words, end)
    zone, end = zone_at(words, end)
    return pattern.trigger(zone), end


def _with_time(pattern: _Pattern, words: Sequence[str], at: int) -> _Found:
    """Return the pattern with the time of day that follows it: `at 9`, `morning`, `at 18:00`."""
    if at < len(words) and words[at] in TIMES_OF_DAY:
        pattern, at = replace(pattern, clock=TIMES_OF_DAY[words[at]]), at + 1
    elif list(words[at : at + 2]) in (["in", "the"], ["at", "the"]) and words[at + 2 : at + 3]:
        named = TIMES_OF_DAY.get(words[at + 2])
        pattern, at = (replace(pattern, clock=named), at + 3) if named else (pattern, at)
    clock = clock_at(words, at)
    return (replace(pattern, clock=clock[0]), clock[1]) if clock else (pattern, at)


def _recurrence(words: Sequence[str], at: int) -> _Found | None:
    for read in (_every, _adverb, _on_days, _day_of_month, _times_a, _edge_of):
        found = read(words, at)
        if found is not None:
            return found
    return None


def _every(words: Sequence[str], at: int) -> _Found | None:
    if words[at] not in ("every", "each") or at + 1 >= len(words):
        return None
    if words[at + 1] == "other" and at + 2 < len(words):
        unit = unit_of(words[at + 2])
        iso = written(2, unit) if unit else None
        return (_Pattern(every=iso), at + 3) if iso else None
    ordinal = ordinal_at(words, at + 1)
    if ordinal is not None and not unit_of(words[at + 1]):
        return _of_the_month(ordinal, words, at + 2) if words[at + 2 : at + 3] in (["of"], ["day"]) else None
    return _named_days(words, at + 1) or _every_so_many(words, at + 1) or _every_unit(words, at + 1)


def _every_unit(words: Sequence[str], at: int) -> _Found | None:
    at += words[at] in ("single", "business", "working") and at + 1 < len(words)
    if words[at] in TIMES_OF_DAY:
        return _Pattern(clock=TIMES_OF_DAY[words[at]]), at + 1
    unit = unit_of(words[at]) if len(words[at]) > 2 else None
    if unit == "D" and words[at - 1] in ("business", "working"):
        return _Pattern(weekday="1-5"), at + 1
    if unit not in _BY_UNIT:
        return None
    end = at + 1
    if unit == "W" and words[end : end + 1] == ["on"]:
        days = _named_days(words, end + 1) if end + 1 < len(words) else None
        return days or (_BY_UNIT[unit], end)
    if (
        unit == "MO"
        and list(words[end : end + 2]) == ["on", "the"]
        and ordinal_at(words, end + 2) is not None
    ):
        return _Pattern(day=str(ordinal_at(words, end + 2))), end + 3
    return _BY_UNIT[unit], end


def _every_so_many(words: Sequence[str], at: int) -> _Found | None:
    if words[at] in ("a", "an"):
        return None
    length = duration_at(words, at)
    if length is None:
        return None
    iso, end = length
    minutes, hours = re.fullmatch(r"PT(\d+)M", iso), re.fullmatch(r"PT(\d+)H", iso)
    if minutes and 60 % int(minutes[1]) == 0 and int(minutes[1]) < 60:
        return _Pattern(fixed=f"*/{minutes[1]} * * * *"), end
    if hours and 24 % int(hours[1]) == 0 and int(hours[1]) < 24:
        return _Pattern(fixed=f"0 */{hours[1]} * * *"), end
    return _Pattern(every=iso), end


def _named_days(words: Sequence[str], at: int) -> _Found | None:
    """Return the days named from a position: `Monday`, `Tuesday and Thursday`, `Mon, Wed, Fri`, `weekday`."""
    if words[at] in _DAY_GROUPS:
        return _Pattern(weekday=_DAY_GROUPS[words[at]]), at + 1
    days: list[int] = []
    end = at
    while end < len(words) and (day := _day(words[end])) is not None:
        days.append(day)
        end += 1
        following = end + 1 if words[end : end + 1] in ([","], ["and"], ["&"]) else end
        following += words[following : following + 1] in (["and"], ["on"], ["every"])
        if following >= len(words) or _day(words[following]) is None:
            break
        end = following
    if not days:
        return None
    if (
        list(words[end : end + 1]) == ["to"]
        and end + 1 < len(words)
        and (last := _day(words[end + 1])) is not None
    ):
        return _Pattern(weekday=f"{days[0]}-{last or 7}"), end + 2
    return _Pattern(weekday=",".join(str(day) for day in dict.fromkeys(days))), end


def _day(word: str) -> int | None:
    return _DAYS.get(word) if word in _DAYS else _DAYS.get(word[:-1]) if word.endswith("days") else None


def _adverb(words: Sequence[str], at: int) -> _Found | None:
    unit = _ADVERBS.get(words[at])
    if unit is None:
        return None
    if words[at] == "weekly" and words[at + 1 : at + 2] == ["on"] and at + 2 < len(words):
        return _named_days(words, at + 2) or (_BY_UNIT["W"], at + 1)
    if unit == "night":
        return _Pattern(clock=(2, 0)), at + 1
    named = unit_of(unit)
    return (_BY_UNIT[named], at + 1) if named else None


def _on_days(words: Sequence[str], at: int) -> _Found | None:
    start = at + 1 if words[at] == "on" else at
    if start >= len(words):
        return None
    is_plural = words[start] in _DAY_GROUPS or (
        words[start].endswith("days") and _day(words[start]) is not None
    )
    return _named_days(words, start) if is_plural and words[start].endswith("s") else None


def _day_of_month(words: Sequence[str], at: int) -> _Found | None:
    start = at + 1 if words[at] == "on" else at
    start += words[start : start + 1] == ["the"]
    ordinal = ordinal_at(words, start)
    return _of_the_month(ordinal, words, start + 1) if ordinal is not None else None


def _of_the_month(day: int, words: Sequence[str], at: int) -> _Found | None:
    at += words[at : at + 1] == ["day"]
    at += words[at : at + 1] == ["of"]
    if list(words[at : at + 2]) in (["each", "month"], ["every", "month"], ["the", "month"], ["a", "month"]):
        return _Pattern(day=str(day)), at + 2
    if list(words[at : at + 2]) in (["each", "quarter"], ["every", "quarter"], ["the", "quarter"]):
        return _Pattern(day=str(day), month="1,4,7,10"), at + 2
    return None


def _times_a(words: Sequence[str], at: int) -> _Found | None:
    """Return `once a week` and `twice a day`."""
    if words[at] not in ("once", "twice") or words[at + 1 : at + 2] not in (
        ["a"],
        ["per"],
        ["every"],
        ["each"],
    ):
        return None
    unit = unit_of(words[at + 2]) if at + 2 < len(words) and len(words[at + 2]) > 2 else None
    if unit not in _BY_UNIT:
        return None
    if words[at] == "once":
        return _BY_UNIT[unit], at + 3
    twice = {"D": _Pattern(fixed="0 9,17 * * *"), "W": _Pattern(weekday="1,4"), "MO": _Pattern(day="1,15")}
    return (twice[unit], at + 3) if unit in twice else None


def _edge_of(words: Sequence[str], at: int) -> _Found | None:
    """Return `at the end of each month` and its like."""
    phrase = list(words[at : at + 5])
    if len(phrase) < 5 or phrase[0] not in ("at", "on", "by") or phrase[1] != "the" or phrase[3] != "of":
        return None
    unit = unit_of(words[at + 5]) if phrase[4] in ("each", "every", "the") and at + 5 < len(words) else None
    if unit not in _ENDS or (phrase[4] == "the" and unit == "D"):
        return None
    if phrase[2] in ("start", "beginning", "top"):
        return _BY_UNIT[unit], at + 6
    return (_ENDS[unit], at + 6) if phrase[2] in ("end", "close") else None
