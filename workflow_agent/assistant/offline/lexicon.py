"""What is known of words: base form, word classes, numbers; and the word a mistyped one stands for.

Closed classes (articles, prepositions, ...) and the words of the subject are data files; all other words
come from lemminflect's dictionary, which is the NIH's SPECIALIST Lexicon.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, cast

import lemminflect  # pyright: ignore[reportMissingTypeStubs]
from rapidfuzz import process
from rapidfuzz.distance import OSA

# It comes without types.
_INFLECTIONS: Any = lemminflect
_CLASSES = {"VERB": "verb", "NOUN": "noun", "ADJ": "adj", "ADV": "adv", "PROPN": "noun", "AUX": "aux"}
_EMPTY = frozenset(["det", "pron", "prep", "conj", "aux", "wh", "filler", "neg", "part"])
"""Closed classes: their words say how others belong together and nothing of their own."""
_MOST_CACHED = 20_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A word as the lexicon knows it."""

    word: str
    lemma: str
    classes: frozenset[str]
    """Of verb, noun, adj, adv, num, name (identifier); det, pron, prep, conj, aux, wh, neg, part, filler."""
    verb: str | None = None
    """The base form as a verb, where it may be one."""
    noun: str | None = None
    """The singular as a noun, where it may be one."""
    form: str = ""
    """As a verb: base, s, ed, ing; more than one parted by spaces, empty for none."""
    known: bool = True
    """False for a word in no dictionary: a name, or a typing mistake."""

    @property
    def is_content(self) -> bool:
        """Whether the word says something of its own."""
        return not self.classes & _EMPTY


def data_rows(name: str) -> list[list[str]]:
    """Return the rows of a data file, their cells parted by tabs, without empty lines and comments (#)."""
    text = (resources.files("workflow_agent.assistant.offline") / "data" / name).read_text("utf-8")
    return [line.split("\t") for line in text.splitlines() if line.strip() and not line.startswith("#")]


@cache
def _sets() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name, listed in data_rows("phrases.tsv"):
        found.setdefault(name, set()).update(phrase.strip() for phrase in listed.split("|"))
    return {name: frozenset(listed) for name, listed in found.items()}


def word_set(name: str) -> frozenset[str]:
    """Return the words and phrases of a list in the data file, each in small letters."""
    return _sets()[name]


@cache
def _listed() -> dict[str, tuple[str, frozenset[str]]]:
    """Return the words of the data file: base form and classes."""
    rows: dict[str, tuple[str, frozenset[str]]] = {}
    for classes, words in data_rows("words.tsv"):
        for word in words.split():
            form, _, lemma = word.partition("=")
            known = rows.get(form)
            merged = frozenset(classes.split("|")) | (known[1] if known else frozenset[str]())
            rows[form] = (lemma or form, merged)
    return rows


@cache
def _numbers() -> dict[str, float]:
    return {word: float(value) for value, words in data_rows("numbers.tsv") for word in words.split()}


def number_named(word: str) -> float | None:
    """Return the number a word names ("two", "third", "twice"), or None."""
    return _numbers().get(word)


@lru_cache(maxsize=_MOST_CACHED)
def entry_of(word: str) -> Entry:
    """Return what is known of a word in small letters."""
    if word in word_set("lexicon.first_names"):
        # The dictionary has them as work, too: "Bob goes".
        return Entry(word, word, frozenset({"noun"}), None, word, known=False)
    lemma, classes = _listed().get(word, (word, frozenset[str]()))
    if classes & _EMPTY and "verb" not in classes and "noun" not in classes:
        verb = lemma if lemma in ("have", "do", "let", "need") else None
        return Entry(word, lemma, classes, verb, form=_forms(word, verb) if word != "has" else "s")
    found = cast("dict[str, tuple[str, ...]]", _INFLECTIONS.getAllLemmas(word)) if word.isalpha() or "-" in word else {}
    verbs = found.get("VERB", ())
    # "Lay" is a verb of its own, and the past of another.
    verb = word if word in verbs else next(iter(verbs), None)
    noun = found["NOUN"][0] if "NOUN" in found else None
    if "verb" in classes:
        verb = verb or lemma
    if "noun" in classes:
        noun = noun or lemma
    if not classes:
        classes = frozenset(_CLASSES[name] for name in found if name in _CLASSES) or _guessed(word)
        lemma = verb or noun or next((lemmas[0] for lemmas in found.values()), word)
    return Entry(word, lemma, classes, verb, noun, _forms(word, verb), bool(found) or word in _listed())


def _forms(word: str, verb: str | None) -> str:
    if verb is None:
        return ""
    if word == verb:
        # "put", "cut", "set" are their own past.
        return "base ed" if verb in word_set("lexicon.forms.put") else "base"
    if word.endswith("ing"):
        return "ing"
    return "s" if word.endswith("s") else "ed"


def _guessed(word: str) -> frozenset[str]:
    return frozenset({"noun"}) if any(char.isalpha() for char in word) else frozenset({"num"})


def verb_of(word: str) -> str | None:
    """Return the base form of a word as a verb, whatever else it is: "thank" of "she thanks the proposer"."""
    found = cast("dict[str, tuple[str, ...]]", _INFLECTIONS.getAllLemmas(word)) if word.isalpha() else {}
    return next(iter(found.get("VERB", ())), None)


def inflected(verb: str, tag: str) -> str:
    """Return a verb in the form of a Penn tag: VBZ "writes", VBG "writing", VBD "wrote", VBN "written"."""
    found = cast("tuple[str, ...]", _INFLECTIONS.getInflection(verb, tag))
    return found[0] if found else verb


def nearest(word: str, vocabulary: Collection[str]) -> str | None:
    """Return the one word of a vocabulary that a mistyped one stands for, or None.

    One letter missing, doubled, wrong or swapped; two in words of eight letters and more. Short words and
    those that stand in a dictionary are never mended.
    """
    close = _close(word, vocabulary)
    same_start = [one for one in close if one[0][0] == word[0]] or close
    best = [one[0] for one in same_start if one[1] == same_start[0][1]]
    return best[0] if len(best) == 1 else None


def is_near(word: str, vocabulary: Collection[str]) -> bool:
    """Say whether a mistyped word may stand for any word of a vocabulary, whichever it is."""
    return bool(_close(word, vocabulary))


def _close(word: str, vocabulary: Collection[str]) -> list[tuple[str, int, int]]:
    """Return the words that a mistyped one may stand for, the nearest first, with how far and where each is."""
    if len(word) < 4 or word in vocabulary or not word.isalpha() or entry_of(word).known:
        return []
    most = 2 if len(word) >= 8 else 1
    return process.extract(word, vocabulary, scorer=OSA.distance, score_cutoff=most, limit=4)
