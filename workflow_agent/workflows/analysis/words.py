"""Steps, roles and lists the way messages name them, and the words of a text."""

import re
from collections.abc import Iterable, Sequence

from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

_SHOWN = 3
_NAME_CHARS = 60
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def shortened(text: str, max_chars: int = _NAME_CHARS) -> str:
    """Return a text on one line, without control characters, cut to fit."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * max_chars]).split())
    return plain if len(plain) <= max_chars else plain[: max_chars - 1].rstrip() + "…"


def named(step: Step) -> str:
    """Return a step by name and id: `'Pay out' (pay)`."""
    return f"'{shortened(step.name)}' ({step.id})"


def listed(parts: Sequence[str], joiner: str = "and") -> str:
    """Return a few parts as a phrase, `a, b and c`, and how many more there are."""
    if len(parts) > _SHOWN + 1:
        return f"{', '.join(parts[:_SHOWN])} {joiner} {len(parts) - _SHOWN} more"
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {joiner} {parts[-1]}"


def named_all(steps: Iterable[Step], joiner: str = "and") -> str:
    """Return several steps as a phrase, by name and id."""
    return listed([named(step) for step in steps], joiner)


def plural(count: int, one: str, many: str) -> str:
    """Return the form of a word that fits a count."""
    return one if count == 1 else many


def words(text: str, max_chars: int = 400) -> list[str]:
    """Return the words of a text in lower case; `camelCase` and `snake_case` are several words."""
    return _WORD.findall(_CAMEL.sub(" ", text[:max_chars]).lower())


def transition_text(edge: Transition) -> str:
    """Return what a transition says about when it is taken, as one text."""
    when = edge.when
    parts = [edge.action, edge.label, when and when.text, _plain(when.expression) if when else None]
    return " ".join(part[:400] for part in parts if part)


def _plain(expression: object) -> str | None:
    return expression if isinstance(expression, str) else None


def vocabulary(text: str) -> frozenset[str]:
    """Return a set of words written one after the other."""
    return frozenset(text.split())
