"""Lists, counts and lengths of time in words."""

from collections.abc import Iterable, Sequence

from workflow_agent.agent.offline.turn.outcome import Candidate
from workflow_agent.domain.durations import amounts_in


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
    amounts = amounts_in(duration) or ()
    return joined([counted_amount(amount, unit) for amount, unit in amounts]) or duration


def counted_amount(amount: float, unit: str) -> str:
    """Return an amount with its unit: "1 day", "2.5 seconds"."""
    return f"{amount:g} {unit if amount == 1 else unit + 's'}"


def clipped(text: str, most_chars: int) -> str:
    """Return a text on one line, cut with an ellipsis where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= most_chars else line[: most_chars - 1].rstrip() + "…"
