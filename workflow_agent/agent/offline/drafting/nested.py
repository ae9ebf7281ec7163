"""Reading lists in sentences and sentences that are lists: items under "for each", steps between commas."""

import re
from typing import Final

from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.tokens import tokens_of
from workflow_agent.agent.offline.drafting.verbs import NOMINALS, is_form
from workflow_agent.agent.offline.drafting.words import word_set

_EACH: Final = re.compile(
    r"^(?P<bullet>[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+)?for (?P<which>each|every)"
    r" (?P<item>[^\n:]{2,50}):[ \t]*$",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(r"^(?P<indent>[ \t]*)(?:[-*+]|\d{1,3}[.)]|[a-z][.)])[ \t]+(?P<said>.+)$")
_NAMING: Final = word_set(
    "review check intake request test interview analysis order repair sale kickoff handover audit"
)
_LEAST_ITEMS: Final = 3
_MOST_WORDS: Final = 9
_MOST_CHARS: Final = 600


def with_nested_items(text: str) -> str:
    """Return text with the items under "For each candidate:" as one sentence."""
    lines = text.split("\n")
    kept: list[str] = []
    at = 0
    while at < len(lines):
        head = _EACH.match(lines[at])
        inner, end = _items_under(lines, at) if head is not None else ([], at)
        if head is None or not inner:
            kept.append(lines[at])
            at += 1
            continue
        kept.append(f"{head['bullet'] or ''}for {head['which']} {head['item']}: {', then '.join(inner)}")
        at = end
    return "\n".join(kept)


def _items_under(lines: list[str], at: int) -> tuple[list[str], int]:
    """Return the items that are indented further than a line, and the position after them."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    found: list[str] = []
    end = at + 1
    while end < len(lines) and (item := _ITEM.match(lines[end])) is not None and len(item["indent"]) > indent:
        found.append(item["said"].strip(" .;,"))
        end += 1
    return found, end


def comma_list(text: str) -> str | None:
    """Return "Request, review by the lead, payment." as list items, or None when it is no such list."""
    said = text.strip().rstrip(".!")
    if len(said) > _MOST_CHARS or any(mark in said for mark in ".!?;:\n→("):
        return None
    items = [
        item.strip() for item in re.split(r",\s*(?:and |then |and then |finally )?", said) if item.strip()
    ]
    if len(items) < _LEAST_ITEMS or not all(_names_a_step(item) for item in items):
        return None
    return "\n".join(f"- {item}" for item in items)


def _names_a_step(item: str) -> bool:
    words = item.lower().split()
    if not 0 < len(words) <= _MOST_WORDS:
        return False
    head = read_head(tokens_of(item))
    if head is not None and head.subject:
        return False
    return any(word in NOMINALS or word in _NAMING or is_form(word, "ing") for word in words[:4])
