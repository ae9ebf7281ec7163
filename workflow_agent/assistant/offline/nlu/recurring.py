"""When a workflow starts again and again: the schedule of the words that tell it, in whatever order."""

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from workflow_agent.assistant.offline.clauses import counts
from workflow_agent.assistant.offline.plan import NotRead
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.values import DAYS, RHYTHMS, clock_at, duration_at
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.terms import MONTHS

_WORKDAYS: Final = frozenset({1, 2, 3, 4, 5})
_PARTS: Final = {"morning": 9, "afternoon": 14, "evening": 18, "night": 0}
"""The hour of each part of a day where no other is told."""
_UNITS: Final = ("hour", "day", "week", "month", "quarter", "year")
_EVERY: Final = ("every", "each", "per", "once", "twice", "all")
_TO: Final = ("to", "through", "thru", "till", "until", "-", "\N{EN DASH}")
_NOON: Final = 12
_EARLY: Final = 6


@dataclass(slots=True)
class _Told:
    """What the words read so far tell."""

    clocks: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    hours: str = ""
    """From when to when it starts hourly."""
    part: str = ""
    units: set[str] = field(default_factory=set[str])
    weekdays: set[int] = field(default_factory=set[int])
    days: set[int] = field(default_factory=set[int])
    months: set[int] = field(default_factory=set[int])
    times_a_year: int = 0
    excludes: bool = False


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A schedule as cron tells it, or how long it is from one start to the next."""

    cron: str = ""
    interval: str = ""
    """In ISO 8601."""
    names_day: bool = True
    """Whether more is told than the time of day."""
    names_time: bool = True
    """Whether the time of day is told."""
    assumed: str = ""
    """What was not told and is decided here."""

    def trigger(self) -> JsonObject:
        """Return it as a workflow has it."""
        told = {"every": self.interval} if self.interval else {"cron": self.cron, "timezone": "UTC"}
        return {"type": "schedule", **told}


def recurrence_told(tokens: Sequence[Token], *, every: bool) -> Recurrence | None:
    """Return the schedule that all words for when, or "every" beside them, tell; None where some say something else.

    Raises:
        NotRead: No cron expression says that; the text tells what it is.
    """
    words = _parted(tokens)
    told, at = _Told(), 0
    every = every or any(t.is_(*_EVERY) for t in words)
    if every and (interval := _interval(words)):
        return Recurrence(interval=interval)
    while at < len(words):
        _refuse_ordinal(words, at)
        ends = (reader(words, at, told) for reader in _READERS)
        end = next((one for one in ends if one is not None), at + 1 if _only_joins(words[at]) else None)
        if end is None or (words[at].lemma == "day" and not every and not told.days):
            # "Some day".
            return None
        at = end
    return _recurrence(told)


def is_habit(tokens: Sequence[Token]) -> bool:
    """Say whether words for when tell what comes again: "every Monday", "Mondays", "nightly", not "on Monday"."""
    tokens = _parted(tokens)
    if any(token.is_(*_EVERY, "schedule") or token.lower in RHYTHMS for token in tokens):
        return True
    several = (token for token in tokens if token.lower != token.lemma)
    dated = any(_of_month(tokens, at, _Told()) for at in range(len(tokens)))
    return dated or any(_weekdays_of(token) or token.lemma in _PARTS for token in several)


def _interval(words: Tokens) -> str:
    """Return the length of "every 4 hours" and "every other week"; nothing where more or something else is told."""
    start = next((at for at, t in enumerate(words) if t.is_("every", "each")), 0)
    empty = {at for at, t in enumerate(words) if t.is_(*_EVERY) or _only_joins(t)}
    if any(t.is_("time", "twice", "thrice") for t in words) or not empty.issuperset(range(start)):
        # "Three times a day", "at 6 every day".
        return ""
    said = [t for at, t in enumerate(words) if at not in empty or t.is_("other", "half")]
    if len(said) == 1 and said[0].lemma == "minute":
        return "PT1M"
    if len(said) == 2 and said[0].is_("other", "second") and said[0].kind == "word":
        said = [*read_tokens("two"), said[1]]
    found = duration_at(said, 0)
    told = found.value if found is not None and found.end == len(said) else ""
    return told if any(digit in told for digit in "123456789") else ""


def rhythm_beside(tokens: Sequence[Token]) -> Tokens:
    """Return of the words beside those for when what tells how often: "nightly", "every | night"."""
    lengths = (*_UNITS, *_PARTS)
    every = [token for before, token in itertools.pairwise(tokens) if before.is_("every", "each")]
    return tuple(token for token in tokens if token.lower in RHYTHMS or (token in every and token.lemma in lengths))


def _parted(tokens: Sequence[Token]) -> Tokens:
    """Return the words of "Mon-Fri" one by one."""
    found: list[Token] = []
    for token in tokens:
        ends = read_tokens(token.text.replace("-", " to ")) if token.kind == "word" and "-" in token.text else ()
        found += ends if len(ends) == 3 and _day(ends[0]) is not None else (token,)
    return tuple(found)


def _day(token: Token) -> int | None:
    short = token.lower.rstrip("s.")
    return next((n for n, day in enumerate(DAYS) if token.lemma == day or short in (day[:3], day[:4])), None)


def _month(token: Token) -> int | None:
    short = token.lower.rstrip(".")
    return next((n for n, month in enumerate(MONTHS, 1) if short in (month, month[:3], month[:4])), None)


def _at(tokens: Tokens, at: int) -> Token | None:
    return tokens[at] if 0 <= at < len(tokens) else None


def _last_of(tokens: Tokens, at: int, read: Callable[[Token], int | None]) -> int | None:
    """Return what the second of "May to September" is read as, None where nothing like "to" is behind the first."""
    to, last = _at(tokens, at + 1), _at(tokens, at + 2)
    return read(last) if to is not None and last is not None and to.is_(*_TO) else None


def _weekdays_of(token: Token | None) -> frozenset[int]:
    """Return the days of the week that a word names, one or several."""
    if token is None:
        return frozenset()
    if token.lower in ("weekday", "weekdays", "workday", "workdays"):
        return _WORKDAYS
    if token.lower in ("weekend", "weekends"):
        return frozenset({6, 0})
    day = _day(token)
    return frozenset() if day is None else frozenset({day})


def _refuse_ordinal(tokens: Tokens, at: int) -> None:
    """Raise for "the first Monday", "every other Friday", "every other week at 8", "the last day"."""
    token, here = tokens[at], at + 1
    while (suffix := _at(tokens, here)) is not None and suffix.lower in ("st", "nd", "rd", "th"):
        here += 1
    ordinal = token.is_("other", "last") or (token.value is not None and (token.kind == "word" or here > at + 1))
    behind = _at(tokens, here)
    if not ordinal or behind is None:
        return
    last = token.is_("last") and behind.is_("day")
    second = token.is_("other") and behind.lemma in _UNITS
    named = _weekdays_of(behind) and not token.is_("six", "seven", "eight")
    if last or second or named or behind.is_("working", "business"):
        said = " ".join((token.text + "".join(t.text for t in tokens[at + 1 : here]), behind.text))
        said += " day" * behind.is_("working", "business")
        raise NotRead(f"A schedule knows days of the week, and days of the month by their number, but no “{said}”.")


def _clock(tokens: Tokens, at: int, told: _Told) -> int | None:
    token = tokens[at]
    if token.lemma in _PARTS:
        told.part = token.lemma
        return at + 1
    found, before = clock_at(tokens, at), _at(tokens, at - 1)
    if found is not None:
        told.clocks.append(found.value)
        return found.end
    if token.kind == "number" and token.text.isdigit() and len(token.text) == 4:
        told.clocks.append((int(token.text[:2]), int(token.text[2:])))
        return at + 1
    whole = token.value is not None and token.value == int(token.value) and 0 <= token.value < 25
    behind = _at(tokens, at + 1)
    if whole and before is not None and before.is_("at", "around") and not (behind and _month(behind)):
        told.clocks.append((int(token.value or 0) % 24, 0))
        return at + 1
    return None


def _hours(tokens: Tokens, at: int, told: _Told) -> int | None:
    """Read "between 8 and 18"."""
    ends = [t.value for t in (_at(tokens, at + 1), _at(tokens, at + 3)) if t is not None and t.value is not None]
    if not tokens[at].is_("between", "from") or len(ends) != 2 or not 0 <= ends[0] < ends[1] < 24:
        return None
    told.hours = f"{ends[0]:g}-{ends[1]:g}"
    return at + 4 if ends == [int(one) for one in ends] else None


def _of_week(tokens: Tokens, at: int, told: _Told) -> int | None:
    if tokens[at].is_("except", "excluding", "but") and _weekdays_of(_at(tokens, at + 1)):
        told.excludes = True
        told.weekdays = set(range(7)) - told.weekdays if not told.weekdays else told.weekdays
        return at + 1
    if tokens[at].is_("working", "business") and (behind := _at(tokens, at + 1)) is not None and behind.is_("day"):
        told.weekdays |= _WORKDAYS
        return at + 2
    named, last = _weekdays_of(tokens[at]), _last_of(tokens, at, _day)
    if not named:
        return None
    if last is not None and len(named) == 1:
        (first,) = named
        told.weekdays |= {(first + n) % 7 for n in range((last - first) % 7 + 1)}
        return at + 3
    told.weekdays = told.weekdays - named if told.excludes else told.weekdays | named
    return at + 1


def _of_year(tokens: Tokens, at: int, told: _Told) -> int | None:
    """Read a month, "May to September", "1 March" and "February 1st"."""
    if (first := _month(tokens[at])) is None:
        return None
    if (last := _last_of(tokens, at, _month)) is not None:
        told.months |= {(first + n - 1) % 12 + 1 for n in range((last - first) % 12 + 1)}
        return at + 3
    told.months.add(first)
    return at + 1


def _of_month(tokens: Tokens, at: int, told: _Told) -> int | None:
    """Read the number of a day: "15th", "first", "1 March", "June 30", "day 5"."""
    token, before, behind = tokens[at], _at(tokens, at - 1), _at(tokens, at + 1)
    if token.value is None or token.value != int(token.value) or not 1 <= token.value <= 31 or ":" in token.text:
        return None
    suffixed = behind is not None and behind.lower in ("st", "nd", "rd", "th")
    ordinal = token.kind == "word" and token.lower.endswith(("st", "nd", "rd", "th", "cond")) and token.lower != "month"
    dated = any(one is not None and _month(one) is not None for one in (before, behind))
    dated = dated or (before is not None and before.is_("day"))
    end = at + 2 if suffixed else at + 1
    follows = _at(tokens, end)
    other = follows is not None and follows.kind == "word" and follows.is_content and _month(follows) is None
    if not (suffixed or ordinal or dated) or (other and follows is not None and not follows.is_("day", "again")):
        # "The second week of January."
        return None
    told.days.add(int(token.value))
    return end


def _often(tokens: Tokens, at: int, told: _Told) -> int | None:
    """Read "daily", "every month", "twice a year" and "every six months"."""
    token, behind = tokens[at], _at(tokens, at + 1)
    if token.lower in RHYTHMS:
        told.units.add(RHYTHMS[token.lower])
        return at + 1
    here = at + 2 if behind is not None and behind.is_("a", "per", "every", "times") else at + 1
    while here > at + 1 and (more := _at(tokens, here)) is not None and more.is_("a", "per"):
        here += 1
    unit = _at(tokens, here)
    if (token.value is not None or token.is_("half")) and unit is not None and unit.is_("month", "year"):
        count = 6 if token.is_("half") else int(token.value or 0)
        often = token.lower in ("once", "twice") or here > at + 1
        told.times_a_year = count if often else 12 // count if count and unit.is_("month") else 2
        return here + 1 if unit.is_("year") or (not often and count and 12 % count == 0) else None
    if token.lemma in _UNITS:
        told.units.add(token.lemma)
        return at + 1
    return None


def _only_joins(token: Token) -> bool:
    empty = not token.is_content and token.kind != "quoted" and not counts(token)
    return empty or token.among("recurring.joint")


_READERS: Final = (_hours, _of_week, _of_year, _of_month, _clock, _often)


def _recurrence(told: _Told) -> Recurrence | None:
    """Return what is told in the five fields of cron.

    Raises:
        NotRead: It takes more than one of them.
    """
    if told.weekdays and told.days:
        raise NotRead("A schedule starts on days of the week or on days of the month, but not where both meet.")
    if len(told.days) > 1 and len(told.months) > 1:
        raise NotRead("Those are different days of different months: each takes a schedule of its own.")
    if told.times_a_year and not told.months and told.days:
        told.months = set(range(1, 13, 12 // told.times_a_year))
    if told.times_a_year and told.times_a_year != max(len(told.months), len(told.days)):
        return None
    clock = _clock_fields(told)
    named = bool(told.weekdays or told.days or told.months or told.units or told.part)
    if clock is None or not (named or told.clocks):
        return None
    days, months, weekdays = told.days, told.months, told.weekdays
    if "quarter" in told.units:
        months = months or {1, 4, 7, 10}
    if "year" in told.units and not months:
        months = {1}
    daily = told.part or told.units & {"day", "night"}
    if (months or "month" in told.units) and not (weekdays or daily):
        days = days or {1}
    if "week" in told.units and not (weekdays or days):
        weekdays = {1}
    by_week = "1-5" if weekdays == set(_WORKDAYS) else _field(sorted(weekdays, key=lambda day: (day - 1) % 7))
    assumed = "" if named else "you named no day: I took it for every day"
    if told.months and days and not told.days:
        assumed = "you named no day of the month: I took the first"
    cron = f"{clock} {_field(sorted(days))} {_field(sorted(months))} {by_week}"
    timed = bool(told.clocks or told.hours or told.part or told.units & {"hour", "night"})
    return Recurrence(cron, names_day=named, names_time=timed, assumed=assumed)


def _field(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers)) or "*"


def _clock_fields(told: _Told) -> str | None:
    """Return the minute and the hour; None where they are no one list: 7:30 and 8:00, or 8 and then 6."""
    if "hour" in told.units or told.hours:
        return None if told.clocks else f"0 {told.hours or '*'}"
    late = told.part in ("afternoon", "evening")
    clocks = [
        (hour + _NOON if hour < _NOON and (late or (told.part == "night" and hour > _EARLY)) else hour, minute)
        for hour, minute in told.clocks
    ] or [(_PARTS.get(told.part, 0 if "night" in told.units else 9), 0)]
    rising = all(one < other for one, other in itertools.pairwise(clocks))
    if not rising or len({minute for _, minute in clocks}) > 1:
        return None
    return f"{clocks[0][1]} {_field(hour for hour, _ in clocks)}"
