"""The length of time in words that are known to tell one: also mistyped, cut short, or only about so long."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from workflow_agent.assistant.offline.lexicon import entry_of, nearest
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.values import durations_in, unit_of
from workflow_agent.workflows.model.durations import duration_of

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
_PARTS_OF_DAY = ("day", "morning", "noon", "afternoon", "evening", "night", "close", "end", "business", "working")
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
        return Length("P1D", is_told=False) if all(t.is_(*_PARTS_OF_DAY) for t in others) else None
    return Length(_ABOUT[said[0].lower], is_told=False) if len(said) == 1 and said[0].lower in _ABOUT else None
