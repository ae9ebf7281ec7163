"""Comparing phrases by their words: endings off, small words away, close and related words counted."""

import re
from collections.abc import Iterable

from rapidfuzz import fuzz

from workflow_agent.agent.offline.intents.grammar import word_lists

_WORD = re.compile(r"[a-z0-9]+")
_LISTS = word_lists("stems")
_IRREGULAR = {form: base for form, _, base in (text.partition(": ") for text in _LISTS["irregular"])}
_ENDINGS = tuple(_LISTS["endings"])
_SMALL_WORDS = frozenset(_LISTS["small_words"])
_CLOSE = 0.8
_COVERED = 0.7
"""The least share of a phrase's words that a name must have; "legal review" is not "Manager review"."""
_RELATED_WORTH = 0.7


def stem(word: str) -> str:
    """Return a word without its ending, so that "approves", "approved" and "approval" are one."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            base = word[: -len(ending)]
            return base[:-1] if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "sl" else base
    return word


def _groups() -> dict[str, set[int]]:
    groups: dict[str, set[int]] = {}
    for number, words in enumerate(_LISTS["related"]):
        for word in words.split():
            groups.setdefault(stem(word), set()).add(number)
    return groups


_GROUPS_OF = _groups()


def content_words(text: str) -> list[str]:
    """Return the words of a text that carry meaning; all its words when none does."""
    words = _WORD.findall(text.lower().replace("'s", ""))
    return [word for word in words if word not in _SMALL_WORDS] or words


def likeness(word: str, other: str, *, related: bool) -> float:
    """Return how alike two words are, from 0 to 1."""
    a, b = stem(word), stem(other)
    if a == b:
        return 1.0
    if min(len(a), len(b)) >= 4 and (a.startswith(b) or b.startswith(a)):
        return 0.9
    if min(len(word), len(other)) >= 4 and fuzz.ratio(word, other) >= 80:
        return _CLOSE
    if related and _GROUPS_OF.get(a, set()) & _GROUPS_OF.get(b, set()):
        return _RELATED_WORTH
    return 0.0


def phrase_score(phrase: str, names: Iterable[str], *, related: bool = False) -> float:
    """Return how well a phrase fits a thing known by some names, from 0 to 1.

    The words of the phrase must be found; words of the name that the phrase leaves out cost little.
    """
    wanted = content_words(phrase)
    return max((_fit(wanted, content_words(name), related=related) for name in names), default=0.0)


def _fit(wanted: list[str], offered: list[str], *, related: bool) -> float:
    if not wanted or not offered:
        return 0.0
    found = [max(likeness(word, other, related=related) for other in offered) for word in wanted]
    used = sum(1 for other in offered if any(likeness(w, other, related=related) > 0 for w in wanted))
    coverage = sum(found) / len(found)
    return coverage * 0.8 + used / len(offered) * 0.2 if coverage >= _COVERED else 0.0
