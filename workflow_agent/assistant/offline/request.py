"""What a message asks for, and the small readings of phrases that skills share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from workflow_agent.assistant.offline.lexicon import number_named, word_set
from workflow_agent.assistant.offline.references import akin, content_of

Meaning = Literal["order", "question", "weighed"]
_QUOTES = ('"', "'", "“", "`")
_YES = word_set("request.yes")
_SAY_YES = word_set("request.say_yes")
_NO = word_set("request.no")
_SAY_NO = word_set("request.say_no")
_MOST_ANSWER_CHARS = 80


@dataclass(frozen=True)
class Request:
    """What a message asks for."""

    kind: str
    slots: Mapping[str, str] = field(default_factory=dict[str, str])
    text: str = ""
    meaning: Meaning = "order"


def read_answer(text: str) -> str | None:
    """Return "yes" or "no" when a message is one and nothing else."""
    plain = text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    words = [word.strip(".,!;:)(") for word in plain.split()]
    words = [word for word in words if word]
    if not words or len(text) > _MOST_ANSWER_CHARS or "?" in text:
        return None
    if words[0] in ("👍", "✅"):
        return "yes"
    if all(word in _YES for word in words) and any(word in _SAY_YES for word in words) and words[0] != "why":
        return "yes" if "not" not in words or "why" in words else "no"
    return "no" if all(word in _NO for word in words) and any(word in _SAY_NO for word in words) else None


def number_of(text: str) -> int | None:
    """Return the small number a phrase names, also as an ordinal, or None."""
    word = text.strip().lower().lstrip("#v")
    if word.isdecimal() and len(word) < 7:
        return int(word)
    digits = word.rstrip("sthnrd")
    if digits.isdecimal() and len(digits) < 4:
        return int(digits)
    found = number_named(word)
    return int(found) if found is not None else None


ordinal_of = number_of


def unquoted(text: str) -> str:
    """Return a text without the quotes around it and the marks behind it."""
    text = text.strip(" ,;:")
    if len(text) > 2 and text[0] in _QUOTES and text[-1] in (*_QUOTES, "”"):
        return text[1:-1].strip()
    return text.rstrip(".!?")


def sentence_case(text: str) -> str:
    """Return a text with a capital in front."""
    return text[:1].upper() + text[1:]


def phrase_score(phrase: str, texts: Sequence[str]) -> float:
    """Return how well a phrase names one of several texts: 1 for all words of both, 0 for a word too many."""
    words = content_of(phrase)
    best = 0.0
    for text in texts:
        named = content_of(text)
        if phrase.strip().casefold() == text.strip().casefold():
            return 1.0
        if words and named and all(any(akin(word, one) for one in named) for word in words):
            covered = sum(any(akin(word, one) for word in words) for one in named)
            best = max(best, 0.5 + 0.5 * covered / len(named))
    return best
