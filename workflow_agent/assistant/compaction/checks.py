"""Whether one text is about another, also where the two are in different languages."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Final

from workflow_agent.assistant.compaction import facts
from workflow_agent.assistant.compaction.text import summary_text
from workflow_agent.conversations.compactions import Summary

_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_ANY_WORD: Final = re.compile(r"(?<!['\u2019])[^\W\d_]+")
_IDEOGRAPH: Final = re.compile(r"[\u3400-\u9fff]")
_UNSPACED: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u30a0-\u30ff]{2,}")
"""Scripts of sounds that put no space between words."""
_ALIEN: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_CAPITALISED: Final = re.compile(r"(?<=[^\W\d_,;] )[A-ZÀ-ÖØ-Þ]\w{2,}")
_DIGITS: Final = re.compile(r"\d")
_STEM: Final = 4
_FEWEST: Final = 5
"""Units of fewer say too little to judge by."""
_RELATED: Final = 0.25
"""So many of the units of a text on the same matter are in the other, where both are in one language."""
_SHARED: Final = 0.5
"""So many of the things it names, where it names any."""
_ELSEWISE: Final = 0.5
"""Where more of the lines are in another language, words say nothing."""
_FEWEST_SMALL: Final = 2
_SPOKEN: Final = 0.12
"""So many of the words of any running text are a language's small words."""
_SMALL_WORDS: Final[Mapping[str, frozenset[str]]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": "the a of and to in is that it for on was with as be are this by not or an at from which has",
        "de": "der die das und ist nicht ein eine zu den von mit sich auf für dem des wird im als auch wurde",
        "fr": "le la les des et est une un dans que pour sur pas du au par ne il elle qui avec sont ce",
        "es": "el la los las de y que en un una es por con para se del no al lo su como más fue ha",
        "it": "il la le di e che un una è per con non del della si da nel sono gli al dei ha come più",
        "pt": "o a os as de e que um uma em é por com para não do da no na se dos ao foi mais são",
        "nl": "de het een en van is dat niet in op te voor met zijn aan er die ook als bij wordt om naar",
        "pl": "i w nie na się z do to że jest o jak za po od dla przez który są czy oraz tak ale",
        "sv": "och att det som en är på i av för med den till inte har ett om men var sig så från de",
        "da": "og at det som en er på i af for med den til ikke har et om men var sig så fra de blev",
        "cs": "a se v na je že to s z do o jako za po ve pro by ale tak aby který jsou byl není",
        "fi": "ja on ei se että oli mutta hän ovat kun niin joka myös sen tai mitä kuin ole sekä jos",
        "tr": "ve bir bu için ile de da ne mi çok olarak daha gibi olan değil var ama en kadar ise",
        "ro": "și de la în a nu pe cu un o este care din să mai sunt pentru ca al au fi dar prin",
        "hu": "a az és hogy nem egy is van ez de volt meg csak mint már még el vagy aki ami lesz",
        "id": "dan yang di untuk ini itu dengan tidak dari pada adalah ke akan oleh atau dalam juga sudah",
    }.items()
}


def is_about(text: str, other: str) -> bool:
    """Say whether a text may well be about another one, in whatever language.

    In one language they share words. In two they share what has no language: ids, figures, quotes and names.
    Where the text names nothing of that kind, it passes if it is in another language that is known: no
    nonsense is.
    """
    units, known = _units(text), set(_units(other))
    if len(units) < _FEWEST or sum(unit in known for unit in units) / len(units) >= _RELATED:
        return True
    named = _named(text)
    if named:
        there = _named(other) | {_bare(word) for word in _ANY_WORD.findall(other)}
        return len(named & there) / len(named) >= _SHARED
    if any(name in other for name in _CAPITALISED.findall(text)):
        return True
    spoken = language_of(text)
    lines = [language for line in other.splitlines() if (language := language_of(line))]
    return spoken is not None and sum(one != spoken for one in lines) > _ELSEWISE * len(lines)


def _units(text: str) -> list[str]:
    """Return the beginnings of the longer words; without spaces between words, signs or pairs of them."""
    folded = text.casefold()
    if not _ALIEN.search(folded):
        return [word[:_STEM] for word in _WORD.findall(folded)]
    words = [word[:_STEM] for word in _WORD.findall(folded) if not _ALIEN.search(word)]
    pairs = ("".join(pair) for run in _UNSPACED.findall(folded) for pair in pairwise(run))
    return [*words, *_IDEOGRAPH.findall(folded), *pairs]


def _named(text: str) -> set[str]:
    figures = (one for one in facts.numbers(text) if len(_DIGITS.findall(one)) > 1)
    return {_bare(one) for one in (*facts.identifiers(text), *figures, *facts.quotes(text))} - {""}


def _bare(text: str) -> str:
    """Return a text as it is in any language: without what parts thousands, and without case."""
    return re.sub(r"[\s.,'\u2019%€$£]", "", text).casefold()


def language_of(text: str) -> str | None:
    """Return the code of the language that a running text is in, or its script's name; None where unclear."""
    words = [word.casefold() for word in _ANY_WORD.findall(text)]
    letters = "".join(words)
    alien = _ALIEN.findall(letters)
    if not letters or len(alien) > len(letters) / 3:
        return _script(alien[0]) if alien else None
    script = "LATIN" if letters.isascii() else Counter(map(_script, letters)).most_common(1)[0][0]
    if script != "LATIN":
        return script
    said = Counter(words)
    share = {name: sum(said[word] for word in small & said.keys()) / len(words) for name, small in _SMALL_WORDS.items()}
    best = max(share, key=lambda name: share[name])
    is_said = sum(said[word] for word in _SMALL_WORDS[best]) >= _FEWEST_SMALL and share[best] >= _SPOKEN
    return best if is_said else None


def _script(letter: str) -> str:
    """Return the name of a letter's script; those that put no spaces between words are one."""
    return "unspaced" if _ALIEN.match(letter) else unicodedata.name(letter, "UNKNOWN").split()[0]


_JUDGED_WORD: Final = re.compile(r"\w{4,}")
_OWN_WORDS: Final = 0.5
_REPEATED: Final = 0.25
_LONG: Final = 40
_RUN_OF_WORDS: Final = 6


def why_unusable(summary: Summary, source: str, instructions: str, count: Callable[[str], int]) -> str | None:
    """Return why a summary must not stand for its source, ledger and earlier summary included; None when it may."""
    told = summary_text(summary)
    if not told.strip():
        return "empty"
    if count(told) >= count(source):
        return "longer than what it sums up"
    words = [word[:_STEM] for word in _JUDGED_WORD.findall(told.casefold())]
    if len(words) >= _LONG and len(set(words)) / len(words) < _REPEATED:
        return "repeats itself"
    if _shared_runs(told, instructions) > _OWN_WORDS:
        return "repeats its instructions"
    if not is_about(_said(summary), source):
        return "about something else"
    invented = [one[0] for pattern in (facts.WORKFLOW_ID, facts.RUN_ID) for one in pattern.finditer(told)]
    if any(one not in source for one in invented):
        return "names ids that were never there"
    return None


def _said(summary: Summary) -> str:
    """Return all that a summary says, without the titles we put over it."""
    entries = (getattr(summary, name) for name in Summary.model_fields if name != "text")
    return "\n".join([summary.text, *(one for several in entries for one in several)])


def _shared_runs(text: str, other: str) -> float:
    """Return how much of a text is word for word in another, in runs of several words."""
    words, theirs = re.findall(r"\w+", text.casefold()), " ".join(re.findall(r"\w+", other.casefold()))
    runs = [" ".join(words[at : at + _RUN_OF_WORDS]) for at in range(len(words) - _RUN_OF_WORDS + 1)]
    return sum(run in theirs for run in runs) / len(runs) if runs else 0.0
