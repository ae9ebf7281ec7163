"""What a question says of when and by what a workflow starts, and whether one starts so."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workflow_agent.assistant.offline.tokens import Tokens
from workflow_agent.assistant.offline.values import DAYS, RHYTHMS
from workflow_agent.assistant.offline.wording import joined
from workflow_agent.workflows.model.terms import MONTHS

_SETS_OF_DAYS = {"weekend": {0, 6}, "weekday": {1, 2, 3, 4, 5}, "workday": {1, 2, 3, 4, 5}}
_PARTS = {
    **dict.fromkeys(("night", "nightly", "overnight"), frozenset((22, 23, *range(6)))),
    "morning": set(range(4, 12)),
    "afternoon": set(range(12, 18)),
    "evening": set(range(17, 23)),
}
"""The hours of each part of a day; 22:00 is evening and night."""
_PERIODS = {word: period for word, period in RHYTHMS.items() if period != "night"}
_KINDS = {"webhook": "webhook", "manual": "manual", "manually": "manual", "hand": "manual", "event": "event"}
_BEGINNINGS = {
    "webhook": r"on (?:a request|[A-Z]{3,7})(?: |$)",
    "manual": "manually",
    "event": r"on (?!schedule |day \d|a request|[A-Z]{3,7}(?: |$))",
}
"""How a list tells what else starts a workflow."""
_CLOCK = ("schedule", "scheduled", "clock", "timer", "cron")


@dataclass(frozen=True, slots=True)
class Times:
    """When a schedule starts: numbers of each field of a cron expression."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]

    @property
    def rhythm(self) -> str:
        """Say how often: hour, day, week, month, quarter, year."""
        if len(self.months) < 12:
            return "year" if len(self.months) == 1 else "quarter"
        if len(self.days) < 31:
            return "month"
        if len(self.weekdays) < 5:
            return "week"
        return "day" if len(self.hours) == 1 else "hour"


_FIELDS: tuple[tuple[int, int, tuple[str, ...]], ...] = (
    (0, 59, ()),
    (0, 23, ()),
    (1, 31, ()),
    (1, 12, tuple(month[:3].lower() for month in MONTHS)),
    (0, 6, tuple(day[:3] for day in DAYS)),
)


_TOLD = (
    (r"every day at (\d+):(\d+)", "{1} {0} * * *"),
    (r"every weekday at (\d+):(\d+)", "{1} {0} * * 1-5"),
    (rf"every ({'|'.join(DAYS)}) at (\d+):(\d+)", "{2} {1} * * {0}"),
    (r"every year on (\d+) ([a-z]+) at (\d+):(\d+)", "{3} {2} {0} {1} *"),
    (r"on day (\d+) of each month at (\d+):(\d+)", "{2} {1} {0} * *"),
    (r"on schedule (\S+) (\S+) (\S+) (\S+) (\S+)", "{0} {1} {2} {3} {4}"),
    (r"every (?:\d+ )?(?:minute|hour)s?.*", "* * * * *"),
    (r"every (?:\d+ )?(?:day|night)s?.*", "0 0 * * *"),
    (r"every (?:\d+ )?weeks?.*", "0 0 * * 0"),
    (r"every (?:\d+ )?months?.*", "0 0 1 * *"),
    (r"every (?:\d+ )?years?.*", "0 0 1 1 *"),
)
"""How a list of workflows tells a schedule, as `describe_trigger` does, and the cron expression that it tells of."""


def times_of(told: str) -> Times | None:
    """Return when a trigger as a list tells it starts; None for one that no clock starts."""
    plain = told.lower()
    for pattern, cron in _TOLD:
        if (match := re.match(pattern, plain)) is not None:
            parts = cron.format(*match.groups()).split()
            return Times(*(_numbers(part, *field) for part, field in zip(parts, _FIELDS, strict=True)))
    return None


def _numbers(text: str, low: int, high: int, names: tuple[str, ...]) -> frozenset[int]:
    found: set[int] = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        begin = low if first in ("*", "?") else _number(first, names, low)
        end = _number(last, names, low) if last else high if first in ("*", "?") or step else begin
        found |= set(range(begin, end + 1, int(step or 1)))
    return frozenset(one % 7 if high == len(DAYS) - 1 else one for one in found)


def _number(text: str, names: tuple[str, ...], low: int) -> int:
    return int(text) if text.isdecimal() else names.index(text[:3]) + low


@dataclass(frozen=True, slots=True)
class Started:
    """What a question says of the start of a workflow."""

    label: str
    passes: Callable[[Sequence[str]], bool]
    """Says whether one of some triggers, as a list tells them, starts so."""


Fits = Callable[[Times], bool]


def started_by(tokens: Tokens) -> Started | None:
    """Return what tokens say of when or by what a workflow starts; None where they say nothing of it."""
    said = {word for token in tokens for word in (token.lower, token.lemma)}
    fits, labels = _times(tokens, said, is_every=not said.isdisjoint(("every", "each", "once", "per")))
    if fits:
        return Started(
            f"starting {joined(labels)}",
            lambda told: any(all(one(times) for one in fits) for times in filter(None, map(times_of, told))),
        )
    kind = next((one for one in (*_KINDS, *_CLOCK) if one in said), None)
    return started_as(kind) if kind is not None else None


def started_as(kind: str) -> Started:
    """Return what starts a workflow in one way: one of the words for a webhook, somebody, an event or a clock."""
    if kind in _CLOCK:
        return Started("starting by the clock", lambda told: any(times_of(one) is not None for one in told))
    starting = _BEGINNINGS[_KINDS[kind]]
    return Started(f"started by {kind}", lambda told: any(re.match(starting, one) for one in told))


def _times(tokens: Tokens, said: set[str], *, is_every: bool) -> tuple[list[Fits], list[str]]:
    fits: list[Fits] = []
    labels: list[str] = []

    def add(label: str, one: Fits) -> None:
        fits.append(one)
        labels.append(label)

    clocks = [at for at in range(len(tokens)) if _clock(tokens, at) is not None]
    # "At 2 in the morning" is 2 o'clock.
    told = {t.lower for at in clocks for t in tokens[at + 1 : at + 4]}
    for word, hours in _PARTS.items():
        if word not in said or word in told:
            continue
        if is_every | (word == "nightly"):
            add("every " + word.removesuffix("ly"), lambda t, h=hours: t.hours <= h and _is_daily(t))
        else:
            add(f"at {word}", lambda t, h=hours: bool(t.hours & h))
    named = [day for day in DAYS if day in said]
    wanted = {DAYS.index(day) for day in named}
    for day, several in _SETS_OF_DAYS.items():
        if day in said:
            named, wanted = [*named, day], wanted | several
    if named:
        days = joined([day.capitalize() for day in named])
        add(f"on {days}", lambda t: wanted <= t.weekdays and len(t.days) == 31)
    for at, token in enumerate(tokens):
        if (clock := _clock(tokens, at)) is not None:
            hour, minute = clock
            add(
                f"at {hour:02}:{minute:02}",
                lambda t, h=hour, m=minute: h in t.hours and (m in t.minutes) and len(t.hours) < 24,
            )
        elif token.value is not None and _is_date(tokens, at):
            add(f"on day {int(token.value)}", lambda t, d=int(token.value): d in t.days and len(t.days) < 31)
    if not fits or (is_every and "day" in said and not named):
        # "Every day at 3": not every Monday at 3.
        for word, period in (*_PERIODS.items(), *((one, one) for one in dict.fromkeys(_PERIODS.values()))):
            if word in said and (word != period or is_every):
                add(f"every {period}", lambda t, p=period: t.rhythm == p)
                break
    return fits, labels


def _is_daily(times: Times) -> bool:
    return len(times.days) == 31 and len(times.weekdays) > 4 and len(times.months) == 12


def _clock(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """Return the hour and minute that a token says: "02:00", "2 am", "at 2"."""
    token = tokens[at]
    if token.kind != "number" or token.value is None or not 0 <= token.value <= 24:
        return None
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    hour, minute = int(token.value), round(token.value % 1 * 60)
    is_late = any(t.is_("pm", "afternoon", "evening") for t in tokens[at + 1 : at + 4])
    if is_late and hour < 12 and (following is None or not following.is_("am")):
        return hour + 12, minute
    is_told = following is not None and following.is_("am", "pm", "o'clock", "sharp")
    if is_told or ":" in token.text or (at and tokens[at - 1].is_("at")):
        return hour % 24, minute
    return None


def _is_date(tokens: Tokens, at: int) -> bool:
    return bool(at) and tokens[at - 1].has("det") and any(t.is_("month") for t in tokens[at + 1 : at + 4])
