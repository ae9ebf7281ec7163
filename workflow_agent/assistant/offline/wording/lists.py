"""Lists and counts in words."""

from collections.abc import Iterable, Sequence

from workflow_agent.assistant.offline.references import Candidate


def numbered(candidates: Iterable[Candidate]) -> str:
    """Return candidates as a numbered list with their ids, the form that "the second one" refers to."""
    return "\n".join(f"{at}. **{item.name}** (`{item.id}`)" for at, item in enumerate(candidates, 1))


def joined(items: Sequence[str], word: str = "and") -> str:
    """Return "a, b and c"."""
    return f" {word} ".join(part for part in (", ".join(items[:-1]), *items[-1:]) if part)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return "1 step" or "3 steps"."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def clipped(text: str, most_chars: int) -> str:
    """Return a text on one line, cut with an ellipsis where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= most_chars else line[: most_chars - 1].rstrip() + "…"
