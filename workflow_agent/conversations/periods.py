"""From the time words of a phrase to the period they mean, counted from a given moment."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from workflow_agent.workflows.model.terms import MONTHS, NUMBERS

_DAY = timedelta(days=1)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_COUNTS = {"a": 1, "an": 1, "a couple of": 2} | {word: number for number, word in enumerate(NUMBERS[1:], 1)}
_HOURS = {"morning": (0, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (17, 29)}
_PART = r"(?: (morning|afternoon|evening|night))?"
_DAY_NAMES = "|".join(f"{name}|{name[:3]}" for name in _WEEKDAYS)
_MONTH_NAMES = "|".join(f"{name}|{name[:3]}" for name in MONTHS)


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time, its end not included."""

    start: datetime
    end: datetime

    def holds(self, moment: datetime) -> bool:
        """Say whether a moment is in it."""
        return self.start <= moment < self.end


@dataclass(frozen=True, slots=True)
class TimeWords:
    """Time words of a phrase."""

    periods: tuple[Period, ...]
    """What they mean, the likelier reading first; "last Thursday" on a Friday has two."""
    rest: str
    """The phrase without them."""


def time_words(phrase: str, now: datetime) -> TimeWords | None:
    """Return the period a phrase in plain lower-case words names, or None; days begin where `now` is."""
    for pattern, read in _RULES.items():
        match = re.search(rf"\b(?:(?:from|on|in|during|since|earlier) )?{pattern}\b", phrase)
        if match:
            rest = f"{phrase[: match.start()]} {phrase[match.end() :]}"
            return TimeWords(read(match, now), " ".join(rest.split()))
    return None


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def _part_of(day: datetime, part: str | None) -> Period:
    first, last = _HOURS.get(part or "", (0, 24))
    return Period(day + timedelta(hours=first), day + timedelta(hours=last))


def _place_in(names: Sequence[str], name: str) -> int:
    """Return where a name of a weekday or a month stands, counted from 0; its first three letters say which."""
    return next(at for at, one in enumerate(names) if one.startswith(name[:3]))


def _days_back(days: int, match: re.Match[str], now: datetime) -> tuple[Period, ...]:
    return (_part_of(_midnight(now) - days * _DAY, match[1]),)


def _ago(match: re.Match[str], now: datetime) -> tuple[Period, ...]:
    count = int(match[1]) if match[1].isdigit() else _COUNTS[match[1]]
    unit = match[2].rstrip("s")
    if unit in ("minute", "min", "hour"):
        size = timedelta(hours=1) if unit == "hour" else timedelta(minutes=1)
        return (Period(now - count * size * 1.5, now - count * size * 0.5),)
    if unit == "day":
        return (_part_of(_midnight(now) - count * _DAY, None),)
    days = count * (7 if unit == "week" else 30)
    slack = 4 * _DAY if unit == "week" else 16 * _DAY
    return (Period(_midnight(now) - days * _DAY - slack, _midnight(now) - days * _DAY + slack),)


def _few_days_ago(_: re.Match[str], now: datetime) -> tuple[Period, ...]:
    return (Period(_midnight(now) - 7 * _DAY, _midnight(now)),)


def _week(weeks_back: int, _: re.Match[str], now: datetime) -> tuple[Period, ...]:
    monday = _midnight(now) - (now.weekday() + 7 * weeks_back) * _DAY
    return (Period(monday, monday + 7 * _DAY),)


def _month_from(first: datetime) -> tuple[Period, ...]:
    return (Period(first, (first + 32 * _DAY).replace(day=1)),)


def _this_month(_: re.Match[str], now: datetime) -> tuple[Period, ...]:
    return _month_from(_midnight(now).replace(day=1))


def _last_month(_: re.Match[str], now: datetime) -> tuple[Period, ...]:
    return _month_from((_midnight(now).replace(day=1) - _DAY).replace(day=1))


def _weekday(match: re.Match[str], now: datetime) -> tuple[Period, ...]:
    back = (now.weekday() - _place_in(_WEEKDAYS, match[2])) % 7
    newest = _part_of(_midnight(now) - (back or 7) * _DAY, match[3])
    this_day = (_part_of(_midnight(now), match[3]),) if back == 0 else ()
    if match[1] == "last " and 0 < back <= now.weekday():
        # Of this very week: most people mean the one of the week before, some do not.
        return (Period(newest.start - 7 * _DAY, newest.end - 7 * _DAY), newest)
    return (newest, *this_day) if match[1] == "last " else (*this_day, newest)


def _day_of_last_week(match: re.Match[str], now: datetime) -> tuple[Period, ...]:
    monday = _midnight(now) - (now.weekday() + 7) * _DAY
    return (_part_of(monday + _place_in(_WEEKDAYS, match[1]) * _DAY, None),)


def _date(match: re.Match[str], now: datetime) -> tuple[Period, ...]:
    groups = match.groupdict()
    name, number = groups.get("month"), int(groups["day"])
    month = _place_in(MONTHS, name) + 1 if name else now.month
    try:
        day = _midnight(now).replace(month=month, day=number)
        return (_part_of(day if day <= now else day.replace(year=now.year - 1), None),)
    except ValueError:
        return ()


def _named_month(match: re.Match[str], now: datetime) -> tuple[Period, ...]:
    first = _midnight(now).replace(month=_place_in(MONTHS, match[1]) + 1, day=1)
    return _month_from(first if first <= now else first.replace(year=now.year - 1))


_RULES: Mapping[str, Callable[[re.Match[str], datetime], tuple[Period, ...]]] = {
    rf"(?:the )?day before yesterday{_PART}": partial(_days_back, 2),
    rf"yesterday{_PART}": partial(_days_back, 1),
    r"last (night)": partial(_days_back, 1),
    r"this (morning|afternoon|evening)": partial(_days_back, 0),
    r"()today": partial(_days_back, 0),
    rf"(\d{{1,3}}|{'|'.join(_COUNTS)}) (minutes?|mins?|hours?|days?|weeks?|months?) ago": _ago,
    r"(?:the other day|(?:a few|several|some) days ago)": _few_days_ago,
    rf"({_DAY_NAMES})(?: of)? last week": _day_of_last_week,
    rf"last week(?: on)? ({_DAY_NAMES})": _day_of_last_week,
    r"last week": partial(_week, 1),
    r"this week": partial(_week, 0),
    r"last month": _last_month,
    r"this month": _this_month,
    rf"(last |this |)({_DAY_NAMES}){_PART}": _weekday,
    rf"(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH_NAMES})": _date,
    rf"(?P<month>{_MONTH_NAMES}) (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?": _date,
    r"(?:from|on) the (?P<day>\d{1,2})(?:st|nd|rd|th)(?! one)": _date,
    rf"(?:in|from|since) ({'|'.join(MONTHS)})": _named_month,
}
"""Tried in this order, because "yesterday" is in "the day before yesterday"."""


_WORD: Final = re.compile(r"[\w'\u2019.-]*\w")
_OF_TALKING: Final = frozenset({
    "say", "said", "tell", "told", "talk", "talked", "speak", "spoke", "spoken", "discuss", "discussed", "discussion",
    "mention", "mentioned", "ask", "asked", "agree", "agreed", "decide", "decided", "decision", "change", "changed",
    "conversation", "turn", "turns", "message", "messages", "reply", "replied", "answer", "answered", "request",
    "requested", "wrote", "write", "settle", "settled", "conclude", "concluded", "promise", "promised",
})  # fmt: skip
"""Beside one of these a date says when something was said; alone it may well be what was said."""
_ONLY_OF_TALK: Final = re.compile(
    r"yesterday|last night|this (?:morning|afternoon|evening)|(?:last|this) (?:week|month)|\bago\b|the other day"
)
"""What nobody writes into a rule: "yesterday" was the day before the one on which it is asked."""
_SMALL: Final = frozenset({"we", "i", "you", "did", "do", "have", "has", "had", "was", "were", "what", "about", "of"})


def said_when(text: str, now: datetime) -> tuple[str, tuple[Period, ...]]:
    """Return a query without its time words, and the periods they certainly mean; none where that is not sure.

    "Who approves in March?" asks about March, "what did we decide in March?" about what was said then.
    """
    words = _WORD.findall(text)
    phrase = " ".join(words).casefold()
    found = time_words(phrase, now)
    if found is None or not found.periods or all(one.start > now for one in found.periods):
        return text, ()
    others = found.rest.split()
    bare = not [word for word in others if word not in _SMALL]
    is_certain = bare or _ONLY_OF_TALK.search(phrase) is not None or not _OF_TALKING.isdisjoint(others)
    if not is_certain:
        return text, ()
    return " ".join(word for word in others if word not in _OF_TALKING and word not in _SMALL), found.periods
