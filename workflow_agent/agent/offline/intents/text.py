"""Preparing what a person typed: clean text, clauses, the core of a request, whether it asks or tells."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from workflow_agent.agent.offline.intents.grammar import word_lists

Meaning = Literal["order", "tentative", "question"]
"""Tentative is a change that is weighed ("should we ...?"), not asked for."""

MOST_CHARS = 4_000
"""How much of a message is read for commands and questions; descriptions of workflows are read in full."""
_MOST_CLAUSES = 20
"""The rest is kept as one clause, which then reads as nothing and is reported as not understood."""
_TYPOGRAPHY = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00ab": '"', "\u00bb": '"', "\u2026": "...",
    "\u00a0": " ", "\u2192": "->", "\u2013": "-", "\u2014": " - ", "`": "'",
})  # fmt: skip
_BASE_FORMS = {
    form: base for form, _, base in (text.partition(": ") for text in word_lists("words")["verb_forms"])
}
_SPACES = re.compile(r"\s+")
_SENTENCE_END = re.compile(r"\s*;\s+|[.!]\s+(?=[A-Za-z\x00])")
_QUOTED = re.compile(r"""\"[^"\n]{1,200}\"|(?<!\w)'[^'\n]{1,200}'(?!\w)""")
MASK = "\x00"
"""Stands for a quoted part while a text is split; `cleaned` takes it out of what people type."""


def cleaned(text: str) -> str:
    """Return a text on one line, without control characters and with plain quotes."""
    visible = "".join(
        " " if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") else c
        for c in text[:MOST_CHARS]
    )
    return _SPACES.sub(" ", visible.translate(_TYPOGRAPHY)).strip()


def _alternatives(name: str) -> str:
    phrases = word_lists("words")[name]
    return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=len, reverse=True))


_LEADING = re.compile(rf"(?:{_alternatives('interjections')})(?:[\s,.!:;-]+|$)", re.IGNORECASE)
_REQUEST = re.compile(rf"(?:{_alternatives('requests')})\s+", re.IGNORECASE)
_INQUIRY = re.compile(rf"(?:{_alternatives('inquiries')})[\s,:]+", re.IGNORECASE)
_TENTATIVE = re.compile(rf"(?:{_alternatives('tentative')})\s+", re.IGNORECASE)
_TRAILER = re.compile(rf"(?:^|[\s,]+)(?:{_alternatives('trailers')})\s*[.!?]*$", re.IGNORECASE)
_QUESTION = re.compile(rf"(?:{_alternatives('question_words')})\b", re.IGNORECASE)
_STATEMENT = re.compile(
    r"(?:when|whenever|where|who|what|have|has)\s+(?!(?:does|do|did|is|are|was|were|will|would|can|could|should|must|has|have|may|might)\b)"
    r"[^?]*,|(?:when|whenever)\s+(?:an?|the|somebody|someone|every|each|new)\b",
    re.IGNORECASE,
)
"""A sentence that begins like a question and tells something: "when an order arrives, it is packed"."""
_ALSO = re.compile(r"^((?:we|i|you|it|they)) (?:also|really|just|still|actually|definitely)\b", re.IGNORECASE)
_UNSURE = re.compile(
    r"^(?:(?:hm+|ok|okay|so|well|and|but|then)[\s,.]+)*(?:maybe|perhaps) "
    r"(?:we|i|you|one) (?:should|could|might|can)\b",
    re.IGNORECASE,
)
"""Somebody thinks aloud of what might be done."""
_MOST_LEADING = 60
_TOLD = re.compile(rf"(?:if|whether|{_alternatives('question_words')})\b", re.IGNORECASE)
_VERB = rf"(?:{_alternatives('change_verbs')})"
_ORDER = re.compile(rf"{_VERB}\b", re.IGNORECASE)
_ASIDE = re.compile(rf"(?:{_alternatives('asides')})[\s,:]+(?={_VERB}\b)", re.IGNORECASE)
_TAKEN_BACK = re.compile(
    r"(?:[\s,.!-]+(?:or maybe not|or perhaps not|just kidding|only joking)|(?:,|\.\.|-)\s*not)$",
    re.IGNORECASE,
)
"""What an order ends with that is not meant: "remove the approval, not!"."""
_TAKEN_BACK_CHARS = 40
_BOUNDARY = re.compile(
    rf"(?:\s*,\s*(?:(?:and|then|also|plus|please)\s+)*"
    rf"|\s+(?:and|then|plus|&)\s+(?:(?:then|also|please|finally)\s+)*)(?={_VERB}\s)",
    re.IGNORECASE,
)


def without_leading(text: str) -> str:
    """Return a text without greetings, fillers and thanks in front."""
    while (match := _LEADING.match(text)) and match.end() < len(text):
        text = text[match.end() :]
    return text.strip()


def without_trailing(text: str) -> str:
    """Return a text without courtesies and end marks behind."""
    text = text.rstrip(" .!,;:")
    while (match := _TRAILER.search(text[-80:])) and (at := max(len(text) - 80, 0) + match.start()) > 0:
        text = text[:at].rstrip(" .!,;:")
    return text


@dataclass(frozen=True)
class Core:
    """What a sentence is about once its courtesies are off, and how it is meant."""

    text: str
    meaning: Meaning
    whole: str
    """The sentence without greetings and end marks, but with what makes it tentative or a request."""


def core_of(sentence: str) -> Core:
    """Return what a sentence orders, weighs or asks."""
    is_unsure = _UNSURE.search(sentence[:_MOST_LEADING]) is not None
    said = _ALSO.sub(r"\1", without_leading(sentence.strip()))
    asked = said.rstrip().endswith("?")
    whole = without_trailing(said.rstrip(" ?")).rstrip(" ?")
    text, is_request = _stripped(_REQUEST, whole)
    inquiry = _INQUIRY.match(text)
    if inquiry and _TOLD.match(text, inquiry.end()):
        return Core(text[inquiry.end() :].strip(), "question", whole)
    text, is_tentative = _stripped(_TENTATIVE, text)
    is_tentative = is_tentative or is_unsure
    text, is_told = _only_told(text)
    text = _base_verb(without_leading(text)).strip(" ?")
    if is_tentative or is_told:
        return Core(text, "tentative", whole)
    if _QUESTION.match(text) and (asked or not _STATEMENT.match(text)):
        return Core(text, "question", whole)
    return Core(text, "tentative" if asked and not is_request else "order", whole)


def _only_told(text: str) -> tuple[str, bool]:
    """Return an order without what says that it is not meant as one, and whether there was such."""
    text, is_aside = _stripped(_ASIDE, text)
    back = _TAKEN_BACK.search(text[-_TAKEN_BACK_CHARS:])
    if back is None or not begins_with_order(text):
        return text, is_aside
    return text[: max(len(text) - _TAKEN_BACK_CHARS, 0) + back.start()], True


def _stripped(pattern: re.Pattern[str], text: str) -> tuple[str, bool]:
    found = False
    while (match := pattern.match(text)) and match.end() < len(text):
        text, found = without_leading(text[match.end() :]), True
    return text, found


def _base_verb(text: str) -> str:
    """Return a text whose first word is in its base form: "adding a step" is "add a step"."""
    first, space, rest = text.partition(" ")
    return _BASE_FORMS.get(first.lower(), first) + space + rest


def verb_of_change() -> str:
    """Return the expression of a verb that begins an order."""
    return _VERB


def begins_with_order(text: str) -> bool:
    """Say whether a text begins with a verb of change: "add", "remove", "rename", ..."""
    return _ORDER.match(text) is not None


def masked_quotes(text: str) -> tuple[str, list[str]]:
    """Return a text with a mask in place of each quoted part, and those parts."""
    return _QUOTED.sub(MASK, text), [match.group() for match in _QUOTED.finditer(text)]


def unmasked_quotes(text: str, quoted: Sequence[str]) -> str:
    """Return a masked text with its quoted parts again, the first of them first."""
    parts = iter(quoted)
    return re.sub(MASK, lambda match: next(parts, match[0]), text)


def split_sentences(text: str) -> list[str]:
    """Return the parts of a text between full stops and semicolons; quoted text stays whole."""
    masked, kept = masked_quotes(text)
    pieces = [piece.strip(" ,;") for piece in _SENTENCE_END.split(masked)]
    return [re.sub(MASK, lambda _: kept.pop(0), piece) for piece in pieces if piece]


def split_clauses(text: str) -> list[str]:
    """Return the parts of a sentence that each begin with a verb of change; quoted text stays whole."""
    masked, kept = masked_quotes(text)
    pieces = [piece.strip(" ,;") for piece in _BOUNDARY.split(masked)]
    clauses = [re.sub(MASK, lambda _: kept.pop(0), piece) for piece in filter(None, pieces)]
    return [*clauses[:_MOST_CLAUSES], *filter(None, ["; ".join(clauses[_MOST_CLAUSES:])])]


def sentence_case(text: str) -> str:
    """Return a text with its first letter upper-case and the rest as it was."""
    return text[:1].upper() + text[1:]
