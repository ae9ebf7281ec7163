"""Lists, counts and lengths of time in words."""

import re
from collections.abc import Iterable, Sequence

from workflow_agent.agent.offline.turn.outcome import Candidate

_DURATION = re.compile(
    r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?"
)
_UNITS = ("year", "month", "week", "day", "hour", "minute", "second")


def numbered(candidates: Iterable[Candidate]) -> str:
    """Return candidates as a numbered list with their ids, the form that "the second one" refers to."""
    return "\n".join(f"{at}. **{item.name}** (`{item.id}`)" for at, item in enumerate(candidates, 1))


def joined(items: Sequence[str], word: str = "and") -> str:
    """Return "a, b and c"."""
    return f" {word} ".join(part for part in (", ".join(items[:-1]), *items[-1:]) if part)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return "1 step" or "3 steps"."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def duration_in_words(duration: str) -> str:
    """Return an ISO 8601 duration in words: "2 days", "1 hour and 30 minutes"."""
    match = _DURATION.fullmatch(duration)
    if match is None:
        return duration
    parts = [(float(amount), unit) for amount, unit in zip(match.groups(), _UNITS, strict=True) if amount]
    return joined([counted_amount(amount, unit) for amount, unit in parts]) or duration


def counted_amount(amount: float, unit: str) -> str:
    """Return an amount with its unit: "1 day", "2.5 seconds"."""
    return f"{amount:g} {unit if amount == 1 else unit + 's'}"


def clipped(text: str, most_chars: int) -> str:
    """Return a text on one line, cut with an ellipsis where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= most_chars else line[: most_chars - 1].rstrip() + "…"
