"""Preparing items and titled lines: `Draft: the author writes it`, `Finance: pay`, `Sign (CEO, 2 days)`."""

import re
from dataclasses import replace
from typing import Final

from workflow_agent.agent.offline.drafting.nouns import DETERMINERS, PREPOSITIONS, is_role
from workflow_agent.agent.offline.drafting.tokens import Line
from workflow_agent.agent.offline.drafting.verbs import NOMINALS, is_form
from workflow_agent.agent.offline.drafting.words import word_set

_TITLED: Final = re.compile(r"^(?P<title>[^:→,.;?]{2,50}?)\s*(?::|\s-)\s+(?P<rest>\S.*)$")
_BRACKETS: Final = re.compile(r"^(?P<text>[^()\[\]]{2,}?)\s*[(\[](?P<inside>[^()\[\]]{1,60})[)\]]\s*[.;]?$")
_CONNECTIVES: Final = word_set(
    "if when once after unless otherwise else then finally in at while every states status yes no"
)
_STEPS: Final = re.compile(
    r"\b(?:steps|stages|phases)\b[^:.\n]{0,30}?(?::|\bare)\s*(?P<list>[^.;:\n→]{3,600})[.\s]*$", re.IGNORECASE
)
_BETWEEN: Final = re.compile(
    r",\s*(?:and |then |and then |finally )?|\s+(?:and then|then|and finally)\s+|\s+and\s+(?=[\w -]+$)"
)
_TELLING: Final = word_set("inform tell notify email call ask remind warn alert thank contact page pay")
_MOST_TITLE_WORDS: Final = 5
_MOST_ITEM_WORDS: Final = 6


def titled(lines: list[Line]) -> list[Line]:
    """Return the lines, those of a run of `Title: text` marked as items."""
    has_title = [line.label is None and _title_of(line.text) is not None for line in lines]
    if has_title.count(True) < 2:
        return lines
    return [
        replace(line, label="") if is_titled else line
        for line, is_titled in zip(lines, has_title, strict=True)
    ]


def _title_of(text: str) -> str | None:
    found = _TITLED.match(text)
    if found is None:
        return None
    words = found["title"].lower().split()
    return found["title"] if len(words) <= _MOST_TITLE_WORDS and words[0] not in _CONNECTIVES else None


def listed_steps(text: str) -> str | None:
    """Return "... these steps: draft, review and publish." as list items, or None when it names none so."""
    found = _STEPS.search(text)
    if found is None:
        return None
    items = [item.strip() for item in _BETWEEN.split(found["list"]) if item.strip()]
    is_list = len(items) > 1 and all(len(item.split()) <= _MOST_ITEM_WORDS for item in items)
    return "\n".join(f"- {item}" for item in items) if is_list else None


def item_parts(text: str) -> tuple[str, str | None]:
    """Return an item's text with roles written out as subjects, and the title that names its step."""
    bracketed = _BRACKETS.match(text)
    if bracketed is not None:
        text = _with_bracket(bracketed["text"], bracketed["inside"])
    title = _title_of(text)
    if title is None:
        return text, None
    rest = text[text.index(title) + len(title) :].lstrip(" :-")
    return (_spoken_by(title, rest), None) if is_only_role(title) else (rest, title)


def _with_bracket(text: str, inside: str) -> str:
    """Return an item with what its brackets say in words: who does it, how long it may take."""
    parts = [part.strip() for part in re.split(r"[,;]", inside)]
    who = next((part for part in parts if is_only_role(part)), None)
    length = next(
        (
            part
            for part in parts
            if re.match(
                r"(?:within |max\.? )?\w+ (?:second|minute|hour|day|week|month)s?$", part, re.IGNORECASE
            )
        ),
        None,
    )
    if who is None and length is None:
        return f"{text} ({inside})"
    within = f" within {length.removeprefix('within ')}" if length else ""
    return (_spoken_by(who, text) if who else text) + within


def _spoken_by(role: str, rest: str) -> str:
    words = role.split()
    article = "" if words[0].lower() in DETERMINERS else "the "
    first = rest.partition(" ")[0].lower()
    if first in NOMINALS and not is_form(first, "base"):
        return f"{rest} by {article}{role}"
    return f"{article}{role} must {rest[:1].lower()}{rest[1:]}"


def is_only_role(text: str) -> bool:
    """Say whether a text is nothing but a role: "the manager", "IT"."""
    words = [word for word in text.lower().split() if word not in DETERMINERS]
    if any(word in PREPOSITIONS or word in NOMINALS for word in words):
        return False
    if any(is_form(word, "s") and not is_role(word) for word in words) or (words and words[0] in _TELLING):
        return False
    return (
        0 < len(words) <= 3
        and (is_role(words[-1]) or text.strip() == "IT")
        and (len(words) > 1 or not words[0].endswith("ing"))
    )
