"""Values in tokens: lengths of time, also mistyped or only about so long; how often; times of day."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from workflow_agent.assistant.offline.lexicon import entry_of, nearest, word_set
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.workflows.model.durations import duration_of
from workflow_agent.workflows.model.terms import MONTHS

_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800, "fortnight": 1209600}
_MONTHS = {"month": 1, "year": 12, "quarter": 3}
_UNITS = _SECONDS | dict.fromkeys(_MONTHS, 0)
_DAYS_OF_MONTH = 30
_SHORT_UNITS = {"hr": "hour", "wk": "week", "wks": "week", "mo": "month", "mth": "month", "mths": "month", "yr": "year"}
"""As they are written in small letters: "HR" is a department."""
_WORKING = word_set("values.working")
DAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_SHORT_DAYS = {day[:3]: day for day in DAYS} | {"tues": "tuesday", "thur": "thursday", "thurs": "thursday"}
_HOURS: Mapping[str, int] = {
    **dict.fromkeys(("midnight", "night"), 0),
    **dict.fromkeys(("noon", "midday", "lunchtime"), 12),
    "morning": 9,
    "afternoon": 14,
    "evening": 18,
}
"""When each is, where no other time is said."""
RHYTHMS = {
    "daily": "day",
    "nightly": "night",
    "weekly": "week",
    "monthly": "month",
    "hourly": "hour",
    "yearly": "year",
    "annually": "year",
    "quarterly": "quarter",
}
_PARTS = {"half": 0.5, "quarter": 0.25}
_PARTS_OF_DAY = ("morning", "afternoon", "evening", "night")
_NOON = 12
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """A value and the index behind its last token."""

    value: T
    end: int


def duration_at(tokens: Sequence[Token], at: int) -> Found[str] | None:
    """Return the length of time that begins at a token, in ISO 8601: "two days", "1 h and 30 min"."""
    amount = _amount_at(tokens, at)
    if amount is None:
        return _quarters_at(tokens, at)
    here = amount.end
    if (of := _quarters_at(tokens, here, amount.value)) is not None:
        return of
    while here < len(tokens) and (tokens[here].lower in _WORKING or tokens[here].text == "-"):
        here += 1
    if here >= len(tokens) or (unit := unit_of(tokens[here])) is None:
        return None
    seconds = _UNITS[unit]
    here += 1
    if here < len(tokens) and tokens[here].has("noun", "adj") and unit == tokens[here - 1].lower == "second":
        return None
    if unit in _MONTHS:
        part = 0.5 if [one.lower for one in tokens[here : here + 3]] == ["and", "a", "half"] else 0.0
        return Found(_calendar((amount.value + part) * _MONTHS[unit], unit), here + 3 * bool(part))
    if here < len(tokens) and tokens[here].is_("and") and not (here + 2 < len(tokens) and tokens[here + 1].is_("a")):
        more = duration_at(tokens, here + 1)
        other = _seconds_in(tokens, here + 1) if more is not None else 0
        if more is not None and other:
            return Found(duration_of(amount.value * seconds + other), more.end)
    part = _PARTS.get(tokens[here + 2].lower) if here + 2 < len(tokens) else None
    if part and tokens[here].is_("and") and tokens[here + 1].is_("a"):
        return Found(duration_of((amount.value + part) * seconds), here + 3)
    if unit == "week" and amount.value == int(amount.value):
        return Found(f"P{int(amount.value)}W", here)
    return Found(duration_of(amount.value * seconds), here)


def unit_of(token: Token) -> str | None:
    """Return the unit of time that a word names, or None."""
    unit = _SHORT_UNITS.get(token.text, token.lemma)
    return unit if unit in _UNITS else None


def _calendar(months: float, unit: str) -> str:
    """Return so many months in ISO 8601: of "half a year" six of them, of "half a month" 15 days."""
    if months != int(months):
        return f"P{round(months * _DAYS_OF_MONTH)}D"
    return f"P{int(months) // 12}Y" if unit == "year" and not months % 12 else f"P{int(months)}M"


def _quarters_at(tokens: Sequence[Token], at: int, amount: float = 1) -> Found[str] | None:
    """Return the length of "quarter of an hour", and of "three quarters of an hour" behind its number."""
    words = tokens[at : at + 4]
    if len(words) < 4 or not (words[0].is_("quarter") and words[1].is_("of") and words[2].is_("a", "an")):
        return None
    seconds = _UNITS.get(words[3].lemma)
    return Found(duration_of(amount * seconds / 4), at + 4) if seconds else None


def _seconds_in(tokens: Sequence[Token], at: int) -> float:
    amount = _amount_at(tokens, at)
    unit = unit_of(tokens[amount.end]) if amount and amount.end < len(tokens) else None
    return amount.value * _UNITS[unit] if amount and unit else 0


def _amount_at(tokens: Sequence[Token], at: int) -> Found[float] | None:
    if at >= len(tokens):
        return None
    token = tokens[at]
    if token.value is not None and token.kind in ("number", "word") and not token.is_("first", "second", "third"):
        if token.is_("half") and at + 1 < len(tokens) and tokens[at + 1].is_("a", "an"):
            return Found(0.5, at + 2)
        end = at + 1
        if token.is_("couple", "dozen") and end < len(tokens) and tokens[end].is_("of"):
            end += 1
        if token.kind == "number" and end < len(tokens) and tokens[end].text == "x":
            return None
        if [one.lower for one in tokens[end : end + 3]] == ["and", "a", "half"]:
            return Found(token.value + 0.5, end + 3)
        return Found(token.value, end)
    if token.is_("a", "an", "another") and at + 1 < len(tokens):
        if tokens[at + 1].is_("couple", "few"):
            end = at + 3 if at + 2 < len(tokens) and tokens[at + 2].is_("of") else at + 2
            return Found(2.0 if tokens[at + 1].is_("couple") else 3.0, end)
        named = next((one for one in tokens[at + 1 : at + 4] if one.lower not in _WORKING), token)
        if unit_of(named) is not None:
            return Found(1.0, at + 1)
        if tokens[at + 1].is_("half") and at + 2 < len(tokens):
            return Found(0.5, at + 2)
    return None


def durations_in(tokens: Sequence[Token]) -> list[tuple[int, Found[str]]]:
    """Return every length of time with the index of its first token."""
    found: list[tuple[int, Found[str]]] = []
    at = 0
    while at < len(tokens):
        one = duration_at(tokens, at)
        if one is None:
            at += 1
        else:
            found.append((at, one))
            at = one.end
    return found


def tells_time(token: Token) -> bool:
    """Say whether a word is one that times are told with: "January", "Monday", "noon", "now", a number, a unit."""
    named = token.lower in MONTHS or token.lemma in _HOURS or token.among("values.moment")
    return named or token.value is not None or _day_named(token) is not None or unit_of(token) is not None


def first_of(reader: Callable[[Sequence[Token], int], Found[T] | None], tokens: Sequence[Token]) -> Found[T] | None:
    """Return the first value of a kind that stands in words, or None."""
    return next((found for at in range(len(tokens)) if (found := reader(tokens, at)) is not None), None)


def times_at(tokens: Sequence[Token], at: int) -> Found[int] | None:
    """Return how often: "twice", "3 times", "five attempts", "at most two more tries"."""
    if at >= len(tokens):
        return None
    token = tokens[at]
    if token.is_("once", "twice", "thrice") and token.value is not None:
        return Found(int(token.value), at + 1)
    if token.value is None or token.value != int(token.value):
        return None
    here = at + 1
    while here < len(tokens) and tokens[here].is_("more", "x"):
        if tokens[here].is_("x"):
            return Found(int(token.value), here + 1)
        here += 1
    if here < len(tokens) and tokens[here].among("values.times_at.time"):
        return Found(int(token.value), here + 1)
    return None


def clock_at(tokens: Sequence[Token], at: int) -> Found[tuple[int, int]] | None:
    """Return the time of day that begins at a token: "2am", "14:30", "half past five in the morning", "noon"."""
    if at >= len(tokens):
        return None
    token = tokens[at]
    if token.lemma in _HOURS and token.kind == "word":
        return Found((_HOURS[token.lemma], 0), at + 1)
    found = _spoken_clock(tokens, at) or _plain_clock(tokens, at)
    end = found.end if found else at + 1
    behind = [one.lower for one in tokens[end : end + 3]]
    part = behind[2:] if behind[:2] == ["in", "the"] else behind[1:2] if behind[:2] == ["at", "night"] else []
    if not part or part[0] not in _PARTS_OF_DAY or (found is None and not _is_hour(token)):
        return found
    hour, minute = found.value if found else (int(token.value or 0), 0)
    if tokens[end - 1].is_("am", "pm") or hour > _NOON:
        return found
    hour = 0 if hour == _NOON and part[0] in ("morning", "night") else hour
    late = part[0] in ("afternoon", "evening") or (part[0] == "night" and hour > _NOON // 2)
    hour += _NOON if late and 0 < hour < _NOON else 0
    return Found((hour % 24, minute), end + (3 if behind[0] == "in" else 2))


def _spoken_clock(tokens: Sequence[Token], at: int) -> Found[tuple[int, int]] | None:
    """Return "half past five" and "a quarter to six"."""
    minutes = {"half": 30, "quarter": 15}.get(tokens[at].lower)
    past, hour = (*tokens[at + 1 : at + 3], None, None)[:2]
    if minutes is None or past is None or hour is None or not past.is_("past", "to", "after") or not _is_hour(hour):
        return None
    if past.is_("to") and minutes != 15:
        return None
    at_all = int(hour.value or 0) * 60 + (-minutes if past.is_("to") else minutes)
    return Found((at_all // 60 % 24, at_all % 60), at + 3)


def _is_hour(token: Token) -> bool:
    return token.value is not None and token.value == int(token.value) and 0 <= token.value < 25


def _plain_clock(tokens: Sequence[Token], at: int) -> Found[tuple[int, int]] | None:
    token = tokens[at]
    if token.value is None or token.value >= 25:
        return None
    hour, minute = int(token.value), round(token.value % 1 * 60) if ":" in token.text else 0
    end = at + 1
    following = tokens[end] if end < len(tokens) else None
    if following is not None and following.is_("am", "pm"):
        return Found((hour % 12 + (12 if following.lower == "pm" else 0), minute), end + 1)
    if following is not None and following.lower in ("o'clock", "oclock", "uhr", "h", "hrs"):
        return Found((hour, minute), end + 1)
    if ":" in token.text:
        return Found((hour % 24, minute), end)
    return None


def _day_named(token: Token) -> str | None:
    word = _SHORT_DAYS.get(token.lower, token.lemma)
    return word if word in DAYS else None


_PLURALS = ("seconds", "minutes", "hours", "days", "weeks", "fortnights", "months", "years")
_ONES = tuple(unit.removesuffix("s") for unit in _PLURALS)
_RECURRING = {
    "hourly": "hour", "daily": "day", "nightly": "day", "night": "day", "weekly": "week", "fortnightly": "fortnight",
    "monthly": "month", "yearly": "year",
}  # fmt: skip
_ABOUT = {
    "weekend": "P2D", "night": "PT12H", "overnight": "PT12H", "shift": "PT8H", "morning": "PT4H", "afternoon": "PT4H",
    "evening": "PT4H",
}  # fmt: skip
_ENDS_OF_DAY = ("day", "morning", "noon", "afternoon", "evening", "night", "close", "end", "business", "working")
_MINUTES = re.compile(r"(\d{1,4})m")
"""Where no length was looked for, "15m" is rather money."""


@dataclass(frozen=True, slots=True)
class Length:
    """A length of time in ISO 8601."""

    value: str
    is_told: bool = True
    """Whether the words say just that: "the same day" is a day or less."""


def length_told(words: Tokens) -> Length | None:
    """Return the one length that words tell; None where that is none, or several."""
    mended = [one for token in words for one in _mended(token)]
    found = {length.value for _, length in durations_in(mended)}
    if found:
        return Length(found.pop()) if len(found) == 1 else None
    return _unit_alone(mended) or _counted(mended) or _about(mended)


def _mended(token: Token) -> Sequence[Token]:
    """Return a token as times are read: "two-week" as two words, "housr" and "15m" as what is meant."""
    if (minutes := _MINUTES.fullmatch(token.text)) is not None:
        return read_tokens(f"{minutes[1]} minutes")
    if token.kind != "word" or token.entry.known or token.value is not None:
        return (token,)
    if "-" in token.text:
        return read_tokens(token.text.replace("-", " "))
    meant = nearest(token.lower, _PLURALS) or nearest(token.lower, _ONES)
    return (replace(token, entry=entry_of(meant)),) if meant else (token,)


def _unit_alone(words: Sequence[Token]) -> Length | None:
    """Return the length of "every hour", "another (week)" and "weekly", and of "every other day"."""
    recurring = any(t.is_("every", "each") for t in words)
    said = [t for t in words if t.kind == "word" and not t.has("det", "prep") and not t.is_("every", "each")]
    two = any(t.is_("other") or (recurring and t.is_("second")) for t in words)
    said = [t for t in said if not t.is_("other", "second")] if two else said
    if len(said) != 1 or any(t.kind == "number" for t in words):
        return None
    only = said[0]
    unit = _RECURRING.get(only.lower) if recurring or only.lower.endswith("ly") else None
    found = durations_in(read_tokens(f"{2 if two else 1} {unit or unit_of(only) or ''}"))
    return Length(found[0][1].value) if found else None


def _counted(words: Sequence[Token]) -> Length | None:
    """Return the length of "(by) day five" and "the tenth day"."""
    said = [t for t in words if t.is_content]
    values = [t.value for t in said if t.value]
    if len(said) != 2 or len(values) != 1 or not any(t.is_("day") for t in said):
        return None
    return Length(duration_of(values[0] * 86400), is_told=False)


def _about(words: Sequence[Token]) -> Length | None:
    """Return about how long "an afternoon" is, or the time until then: "the same day", "by next morning"."""
    said = [t for t in words if t.kind == "word" and not t.has("det", "prep")]
    if any(t.value is not None for t in words):
        return None
    if any(t.is_("same", "next", "following", "tomorrow") for t in words):
        others = [t for t in said if not t.is_("same", "next", "following", "tomorrow")]
        return Length("P1D", is_told=False) if all(t.is_(*_ENDS_OF_DAY) for t in others) else None
    return Length(_ABOUT[said[0].lower], is_told=False) if len(said) == 1 and said[0].lower in _ABOUT else None
