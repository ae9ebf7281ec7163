"""What a diagram says about transitions, and how text is made fit for a label."""

from workflow_agent.domain.workflow import Transition


def said(edge: Transition) -> str:
    """Return when a transition is taken, in few words; empty where nothing need be said."""
    when = edge.when
    condition = (when.text or _as_text(when.expression)) if when else None
    kind = {"error": "on error", "default": "otherwise", "compensation": "undo"}.get(edge.type)
    if kind == "on error" and edge.errors:
        kind = f"on {', '.join(edge.errors[:3])}"
    return edge.label or condition or edge.action or kind or ""


def _as_text(expression: object) -> str:
    return expression if isinstance(expression, str) else "condition"


def shortened(text: str, max_chars: int) -> str:
    """Return a text as one line of visible characters, cut where it is too long."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * max_chars]).split())
    return plain if len(plain) <= max_chars else plain[: max_chars - 1].rstrip() + "…"
