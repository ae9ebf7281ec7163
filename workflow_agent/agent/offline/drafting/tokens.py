"""A description as sentences of tokens, its lengths of time and schedules already recognised."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from workflow_agent.agent.offline.drafting.durations import duration_at
from workflow_agent.agent.offline.drafting.schedules import schedule_at
from workflow_agent.agent.offline.drafting.verbs import VERBS, is_form
from workflow_agent.agent.offline.drafting.words import word_set

MAX_CHARS: Final = 32_000
"""What is read of a description; a message cannot be longer."""
MAX_TOKENS_A_SENTENCE: Final = 400
_SPELLINGS: Final = str.maketrans({
    "\u2018": "'", "\u2019": "'", "“": '"', "”": '"', "«": '"', "»": '"', "…": ". ", "\u2013": "-",
    "—": ", ", "•": "\n- ", "\uff0c": ", ", "。": ". ", "\uff1b": "; ", "\uff1a": ": ", "\t": "  ",
    "\u00a0": " ", "⟶": "→", "➔": "→", "➜": "→", "➡": "→", "⇒": "→", "►": "→",
})  # fmt: skip
_BLANKS: Final = re.compile(r" {5,}")
_REPEATING: Final = re.compile(
    r",?\s+(?:and )?(?:repeating|and repeat|(?:and )?(?:this|that|it|these steps|both steps) (?:is|are|gets) "
    r"repeated|(?:and )?(?:this|that|it) (?:repeats|goes on|continues)"
    r"|(?:and )?they (?:repeat|do) (?:this|that|it)"
    r"|and so on|and so forth|back and forth|over and over(?: again)?|again and again)"
    r"(?: (?:this|it|that|both|these))? until\b",
    re.IGNORECASE,
)
_ARROWS: Final = re.compile(r"\s*(?:-{1,4}>|={1,4}>|→|>>| > )\s*")
_CHAT: Final = {
    "n": "and",
    "im": "I am",
    "dont": "don't",
    "doesnt": "doesn't",
    "isnt": "isn't",
    "cant": "can't",
}
_CHATTY: Final = re.compile(r"(?<=[a-z] )(?:n|im|dont|doesnt|isnt|cant)(?= [a-z])")
"""How words are written in a hurry; between small letters only, since `N` may be a name."""
_GLUED_SENTENCE: Final = re.compile(r"(?<=[a-z)])([.!?;])(?=[A-Z])")
_ABBREVIATIONS: Final = re.compile(
    r"\b(e\.g|i\.e|etc|approx|incl|excl|resp|vs|max|min)\.(?=[\s,)]|$)", re.IGNORECASE
)
_NUMBER: Final = re.compile(r"\b(?<!says )(?<!say )(?<!is )(?<!or )(?:[Nn]o|[Nn]r)\. ?(?=\d)")
"""The "no." of "form no. 5"; "the manager says no. 5 days later ..." is another."""
_NUMBERED_UNIT: Final = re.compile(r"\b(\w{1,9})-(second|minute|hour|day|week|month|year)s?\b", re.IGNORECASE)
_LABEL: Final = re.compile(
    r"(?P<indent>\s*)(?:(?:step|phase|stage)\s*(?P<step>\d{1,3})\s*[:.)-]?\s+|(?P<number>\d{1,3})\s*[.):]\s+"
    r"|\((?P<inner>\d{1,3})\)\s*|(?P<letter>[a-z])[.)]\s+|(?P<bullet>[-*+o·‣◦]\s+))",
    re.IGNORECASE,
)
_INLINE_LABEL: Final = re.compile(
    r"(?<=[\s,;:.])\(?(\d{1,2})[.)]\s+(?=[A-Za-z])|(?<=[\s,;:.])step (\d{1,2})[:.)]\s+", re.IGNORECASE
)
_WORD: Final = re.compile(
    r"(?:Mr|Mrs|Ms|Dr|Prof)\.(?= ?[A-Z])|[$€£]?\d+(?:[.,:]\d+)*[A-Za-z%€$]*"
    r"|#?\w+(?:['&@.-]\w+)*(?:/\w+)*|[^\w\s]"
)
_CLITICS: Final = {
    "it's": "it is", "that's": "that is", "he's": "he is", "she's": "she is", "they're": "they are",
    "isn't": "is not", "aren't": "are not", "doesn't": "does not", "don't": "do not", "didn't": "did not",
    "wasn't": "was not", "hasn't": "has not", "haven't": "have not", "can't": "can not", "cannot": "can not",
    "won't": "will not", "we'll": "we will", "it'll": "it will", "i'd": "i would", "we'd": "we would",
    "we're": "we are", "who's": "who is", "there's": "there is", "everything's": "everything is",
    "gotta": "has to", "gonna": "going to", "shouldn't": "should not", "couldn't": "could not",
}  # fmt: skip
IT: Final = "i.t"
"""The lower-case form of the department, kept apart from the pronoun."""
_AFTER_IT: Final = word_set(
    "department team dept support admin manager guys staff people service services desk"
)
_ITS: Final = re.compile(
    r"\bits(?= (?:not|ok|okay|urgent|approved|rejected|fine|good|correct|wrong|done|valid|ready|complete"
    r"|a|an|too|over|under|"
    r"above|below|critical|important|accepted|declined|denied|available|missing|empty|new)\b)",
    re.IGNORECASE,
)
"""A forgotten apostrophe."""
_ENDS: Final = frozenset(".!?;\n")


class Token(NamedTuple):
    """A word, a mark, or a recognised time."""

    text: str
    low: str
    kind: Literal["word", "mark", "duration", "schedule", "question"] = "word"
    value: Any = None
    """Of a duration its ISO form, of a schedule its trigger."""


Tokens = Sequence[Token]
COMMA: Final = Token(",", ",", "mark")


@dataclass(frozen=True, slots=True)
class Line:
    """One line or list item of the text."""

    text: str
    label: str | None = None
    """The number or letter it is listed under; empty for a bullet, None outside a list."""
    indent: int = 0


def clean(text: str) -> str:
    """Return text with one spelling for quotes, dashes, arrows and spaces, cut to what is read."""
    plain = unicodedata.normalize("NFC", text[:MAX_CHARS]).encode("utf-8", "ignore").decode()
    plain = plain.replace("\r\n", "\n").replace("\r", "\n").translate(_SPELLINGS)
    plain = "".join(char if char == "\n" or char.isprintable() else " " for char in plain)
    plain = _REPEATING.sub(". Repeat until", _BLANKS.sub("    ", plain))
    plain = _CHATTY.sub(lambda found: _CHAT[found[0].lower()], plain)
    plain = _ABBREVIATIONS.sub(lambda found: found[1].replace(".", ""), plain)
    plain = _NUMBER.sub("number ", plain)
    plain = _NUMBERED_UNIT.sub(r"\1 \2", plain)
    return _GLUED_SENTENCE.sub(r"\1 ", _ARROWS.sub(" → ", plain))


def lines_of(text: str) -> list[Line]:
    """Return the lines of cleaned text, list labels taken off; inline `1) ... 2) ...` become lines."""
    return [_line(raw) for raw in _with_inline_items(text).split("\n") if raw.strip()]


def _with_inline_items(text: str) -> str:
    numbers = [int(found[1] or found[2]) for found in _INLINE_LABEL.finditer(" " + text)]
    if len(numbers) < 2 or numbers[:2] not in ([1, 2], [2, 3]):
        return text
    return _INLINE_LABEL.sub(lambda found: f"\n{found[1] or found[2]}. ", " " + text)


def _line(raw: str) -> Line:
    found = _LABEL.match(raw)
    if found is None:
        return Line(raw.strip(), None, len(raw) - len(raw.lstrip()))
    label = found["step"] or found["number"] or found["inner"] or (found["letter"] or "").lower()
    return Line(raw[found.end() :].strip(), label, len(found["indent"]))


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of cleaned text, with times recognised."""
    shouts = text.isupper()
    text = _ITS.sub("it is", text)
    tokens = [
        Token(word, IT if word == "IT" and not shouts else word.lower(), _kind(word)) for word in _words(text)
    ]
    return with_times([_department(tokens, at) for at in range(len(tokens))])


def _department(tokens: Tokens, at: int) -> Token:
    """Return `it` before `team` and its like as the department that it is there."""
    is_it = tokens[at].low == "it" and at + 1 < len(tokens) and tokens[at + 1].low in _AFTER_IT
    return Token("IT", IT) if is_it else tokens[at]


def _words(text: str) -> Iterable[str]:
    for word in _WORD.findall(text):
        low = word.lower()
        if low in _CLITICS:
            yield from _CLITICS[low].split()
        elif "/" in word:
            yield from _alternatives(word)
        else:
            yield word


def _alternatives(word: str) -> list[str]:
    """Return `approve or reject` for `approve/reject`, and other words with a slash whole."""
    parts = word.split("/")
    if all(is_form(part.lower(), "base", "s", "past") or part.lower() in ("yes", "no", "ok", "and", "or")
           for part in parts):  # fmt: skip
        spoken = [part for part in parts if part.lower() not in ("and", "or")]
        return " or ".join(spoken or ["or"]).split()
    return [word]


def _kind(word: str) -> Literal["word", "mark"]:
    return "word" if word[0].isalnum() or len(word) > 1 or word == "_" else "mark"


def with_times(tokens: Tokens) -> list[Token]:
    """Return the tokens with each length of time and each schedule as one token."""
    lows = [token.low for token in tokens]
    merged: list[Token] = []
    at = 0
    while at < len(tokens):
        # A window, so that a long text costs no more a word than a short one.
        window = lows[at : at + 16]
        schedule = schedule_at(window, 0)
        length = None if schedule else duration_at(window, 0)
        size = schedule[1] if schedule else length[1] if length else 1
        words = tokens[at : at + size]
        text = " ".join(token.text for token in words)
        if schedule is not None:
            merged.append(Token(text, text.lower(), "schedule", schedule[0]))
        elif length is not None and not _is_verb_with_article(words):
            merged.append(Token(text, text.lower(), "duration", length[0]))
        else:
            merged.extend(words)
        at += size
    return merged


def _is_verb_with_article(words: Tokens) -> bool:
    return len(words) == 1 and words[0].low in VERBS


def sentences_of(tokens: Tokens) -> list[Tokens]:
    """Return the tokens between full stops, each sentence cut to a readable length.

    A question keeps its mark where something follows it: what it asks for may be the condition of that.
    """
    found: list[Tokens] = []
    start = 0
    for at, token in enumerate(tokens):
        if token.kind == "mark" and token.low in _ENDS:
            found.append(tokens[start : at + (token.low == "?" and at + 1 < len(tokens))])
            start = at + 1
    found.append(tokens[start:])
    return [sentence[:MAX_TOKENS_A_SENTENCE] for sentence in found if any(t.kind != "mark" for t in sentence)]


def is_cut(sentence: Tokens) -> bool:
    """Say whether a sentence is as long as one is read."""
    return len(sentence) == MAX_TOKENS_A_SENTENCE


def spoken(tokens: Tokens) -> str:
    """Return tokens as readable text."""
    text = " ".join(token.text for token in tokens)
    text = re.sub(r" (?=[,.;:%)!?])|(?<=[(#]) ", "", text)
    return text.strip(" ,;:-")


def lows(tokens: Tokens) -> list[str]:
    """Return the lower-case words of tokens."""
    return [token.low for token in tokens]


def strip_marks(tokens: Tokens) -> Tokens:
    """Return the tokens without marks and conjunctions at either end."""
    start, end = 0, len(tokens)
    while start < end and (tokens[start].kind == "mark" or tokens[start].low in ("and", "but", "or", "so")):
        start += 1
    while end > start and (tokens[end - 1].kind == "mark" or tokens[end - 1].low in ("and", "but", "or")):
        end -= 1
    return tokens[start:end]
