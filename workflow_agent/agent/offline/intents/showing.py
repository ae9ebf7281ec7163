"""Telling that somebody wants to see a change before it is made."""

import re

from workflow_agent.agent.offline.intents.text import MOST_CHARS

_WOULD = r"(?:would|will|does) (?:change|do|mean|look like)"
_SHOW = r"(?:show|tell|preview|let)(?: it| that| this)?(?: to)?(?: me| us)?(?: see)?"
_BEHIND = re.compile(
    rf"[\s,;.]+(?:but |and )?(?:please )?{_SHOW}(?: first)?"
    rf"(?: what (?:that|it|this) {_WOULD}| the (?:changes|diff|result)| a preview)?"
    r"(?: first| before (?:you do it|doing it|applying(?: it)?|you change anything))?[.!]*$",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\b(?:first|before|what|preview|diff|changes)\b", re.IGNORECASE)
_IN_FRONT = re.compile(
    r"^(?:please )?(?:preview|dry[- ]run|simulate)(?: only| first)?(?: of)?[:,]? (.+)$", re.IGNORECASE
)
_ASKED = re.compile(
    rf"^(?:please )?(?:show|tell) (?:me|us) (?:first )?what (.+?) {_WOULD}(?: first)?[.?!]*$", re.IGNORECASE
)
_LOOK = re.compile(
    r"^(?:what|how) would (?:it|that|this|the \w+) look(?: like)? (with|without) |^(?:what|how) if we ",
    re.IGNORECASE,
)
_THAT = frozenset({"that", "it", "this", "they", "those", "these"})


def _ordered(match: re.Match[str]) -> str:
    return {"with": "add ", "without": "remove "}.get((match[1] or "").lower(), "")


def shown_first(text: str) -> str | None:
    """Return the change without the wish to see it first; None where nobody wishes that.

    What the reply before proposed, as in "show me what that would change first", is empty text.
    """
    said = text.strip()
    if len(said) > MOST_CHARS:
        return None
    match = _ASKED.match(said) or _IN_FRONT.match(said)
    if match is not None:
        return "" if match[1].lower() in _THAT else _LOOK.sub(_ordered, match[1])
    behind = _BEHIND.search(said)
    if behind is None or behind.start() == 0 or not _FIRST.search(behind[0]):
        return None
    return said[: behind.start()]
