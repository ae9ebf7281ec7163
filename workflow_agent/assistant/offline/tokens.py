"""From a text to its tokens, each with its lemma and the word classes it may have; linear in the text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from workflow_agent.assistant.offline.lexicon import Entry, entry_of, nearest, number_named, word_set

Kind = Literal["word", "number", "quoted", "punct", "break", "bullet", "fence"]

_FENCE = re.compile(r"^[ \t]{0,3}(```|~~~)", re.MULTILINE)
_PIECE = re.compile(
    r"""(?P<break>\n[ \t]*)
    |(?P<space>[ \t\r\f\v\u00a0]+)
    |(?P<arrow>-{1,3}>|={1,2}>|→|⇒|➜|➔|»(?=\s))
    |"(?P<double>[^"\n]{1,200})"
    |[“„](?P<curly>[^“”„\n]{1,200})[”“]
    |`(?P<tick>[^`\n]{1,200})`
    |(?<![\w])['\u2018](?P<single>[^'\u2018\u2019\n]{1,80})['\u2019](?!\w)
    |(?P<link>(?:https?://|mailto:)[^\s<>"]{1,500}|[\w.+-]{1,64}@[\w-]{1,64}(?:\.\w{1,32}){1,4})
    |(?P<clock>\d{1,2}:\d{2})
    |(?P<number>[$€£]?\d[\d,]{0,20}(?:\.\d{3}(?!\d)){2,4}|[$€£]?\d(?:[\d,]{0,20}\d)?(?:\.\d{1,6})?)(?P<scale>[kKmM](?![\w]))?
    |(?P<short>(?:e\.g|i\.e|a\.m|p\.m)\.(?!\w)|(?-i:Dr|Mr|Mrs|Ms|Prof|St)\.(?=[ ]?[A-Z]))
    |(?P<ident>(?=[A-Za-z]\w{0,40}?[_.]\w{2})[A-Za-z]\w{0,200}+(?:\.\w{2,40}+){0,5}+(?!\w))
    |(?P<word>[^\W\d_](?:[\w]|['\u2019\-](?=\w)){0,79})
    |(?P<punct>.)""",
    re.VERBOSE | re.DOTALL,
)
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3}){1,5}")
"""A number as many Europeans write it: 2.500 is no two and a half."""
_SHORT = 300
"""Characters up to which a text is kept with its tokens."""
_BULLET = re.compile(r"(?:[-*•\u2013+]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|step \d{1,3}[:.)])[ \t]+(?=\S)", re.IGNORECASE)
_ABBREVIATIONS = word_set("tokens.abbreviations")
_SPLIT = {"n't": "not", "'re": "are", "'ll": "will", "'d": "would", "'ve": "have", "'m": "am"}
_IS_AFTER = word_set("tokens.is_after")
_NEGATED = ("is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "could", "would", "should")
_WHOLE = {
    **dict.fromkeys(("won't", "wont"), ("will", "not")),
    **dict.fromkeys(("can't", "cant", "cannot"), ("can", "not")),
    **dict.fromkeys(("let's", "lets"), ("let", "us")),
    "shan't": ("shall", "not"),
    "wanna": ("want", "to"),
    "gonna": ("going", "to"),
    "gotta": ("have", "to"),
    "whats": ("what", "is"),
    "whos": ("who", "is"),
    "ain't": ("is", "not"),
    **{f"{verb}nt": (verb, "not") for verb in _NEGATED},
}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a text that reads as one."""

    text: str
    """As it was written; of a quoted one what stands between the quotes."""
    kind: Kind
    start: int
    end: int
    entry: Entry
    value: float | None = None
    """Of a number, also of one written as a word."""
    possessive: bool = False
    """Whether it ended with 's."""

    @property
    def lower(self) -> str:
        """The text in small letters, without a possessive 's, any typing mistake kept."""
        return self.entry.word

    @property
    def lemma(self) -> str:
        """The base form under which rules know the word."""
        return self.entry.lemma

    @property
    def is_content(self) -> bool:
        """Whether the word says something of its own: no article, preposition, punctuation or filler."""
        return self.kind in ("quoted", "number") or (self.kind == "word" and self.entry.is_content)

    def is_(self, *words: str) -> bool:
        """Say whether the token is one of these words or has one of these base forms."""
        return self.kind in ("word", "punct", "number") and (self.lower in words or self.lemma in words)

    def among(self, name: str) -> bool:
        """Say whether the token, or its base form, is a word of a list in the data file."""
        known = word_set(name)
        return self.kind in ("word", "punct", "number") and (self.lower in known or self.lemma in known)

    def has(self, *classes: str) -> bool:
        """Say whether the token may be of one of these classes."""
        return self.kind == "word" and not self.entry.classes.isdisjoint(classes)


Tokens = tuple[Token, ...]


def split_fences(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the prose of a text and what stands in its fenced blocks; an open fence reaches to the end."""
    prose: list[str] = []
    blocks: list[str] = []
    at, opening = 0, ""
    for mark in _FENCE.finditer(text):
        if not opening:
            prose.append(text[at : mark.start()])
            at, opening = text.find("\n", mark.end()) + 1 or len(text), mark[1]
        elif mark[1] == opening:
            blocks.append(text[at : mark.start()])
            at, opening = mark.end(), ""
    if opening:
        blocks.append(text[at:])
        at = len(text)
    prose.append(text[at:])
    return "\n".join(prose), tuple(block for block in blocks if block.strip())


def read_tokens(text: str) -> Tokens:
    """Return the tokens of a prose text; spaces are none, line breaks and list marks are."""
    return _known_tokens(text) if len(text) <= _SHORT else _read_tokens(text)


@lru_cache(maxsize=4096)
def _known_tokens(text: str) -> Tokens:
    # Names and conditions of a workflow are read over and over.
    return _read_tokens(text)


def _read_tokens(text: str) -> Tokens:
    found: list[Token] = []
    at = 0
    while at < len(text):
        if (not found or found[-1].kind == "break") and (mark := _BULLET.match(text, at)):
            found.append(_plain(mark[0].strip(), "bullet", at))
            at = mark.end()
            continue
        match = _PIECE.match(text, at)
        assert match is not None  # every character is a piece  # noqa: S101
        found += _tokens_of(match, at)
        at = match.end()
    for at, token in enumerate(found[:-1]):
        if token.text == "it" and found[at + 1].among("tokens.departments"):
            found[at] = _word("IT", token.start)
    return tuple(_as_main_verb(found, at) for at in range(len(found)))


def _as_main_verb(tokens: Sequence[Token], at: int) -> Token:
    """Return "does" as the verb it is in "the manager does a welcome call"; other tokens as they are."""
    token = tokens[at]
    if token.lower not in ("do", "does", "did") or at == 0 or at + 1 >= len(tokens):
        return token
    before, following = tokens[at - 1], tokens[at + 1]
    asks = any(one.has("wh") for one in tokens[max(at - 4, 0) : at])
    names = following.has("det") or (
        following.has("noun", "adj") and not (following.entry.verb and "base" in following.entry.form)
    )
    denies = following.has("neg", "pron") and not following.has("det")
    if asks or not names or denies or not before.has("noun", "name"):
        return token
    return replace(token, entry=replace(token.entry, classes=frozenset({"verb"})))


def sentences(tokens: Sequence[Token]) -> tuple[Tokens, ...]:
    """Return the sentences of tokens, with the marks that end them; line breaks and bullets part them too."""
    parts: list[list[Token]] = [[]]
    for at, token in enumerate(tokens):
        if token.kind in ("break", "fence"):
            parts.append([])
        elif token.kind == "bullet":
            parts.append([token])
        else:
            parts[-1].append(token)
            if token.kind == "punct" and token.text in ".!?;" and not _is_abbreviated(tokens, at):
                parts.append([])
    return tuple(tuple(part) for part in parts if any(token.kind != "punct" for token in part))


def text_of(tokens: Sequence[Token], source: str) -> str:
    """Return the stretch of the source that tokens cover, or an empty text for none."""
    return source[tokens[0].start : tokens[-1].end] if tokens else ""


def _is_abbreviated(tokens: Sequence[Token], at: int) -> bool:
    before = tokens[at - 1] if at else None
    return (
        tokens[at].text == "."
        and before is not None
        and before.end == tokens[at].start
        and before.lower in _ABBREVIATIONS
        and at + 1 < len(tokens)
        and tokens[at + 1].kind != "break"
        and not tokens[at + 1].text[:1].isupper()
    )


def _tokens_of(match: re.Match[str], at: int) -> list[Token]:
    kind = match.lastgroup
    if kind == "space":
        return []
    if kind == "break":
        return [_plain("\n", "break", at)]
    if kind == "arrow":
        return [Token("->", "punct", at, match.end(), entry_of("->"))]
    if kind in ("double", "curly", "tick", "single"):
        said = match[kind].strip()
        return [Token(said, "quoted", at, match.end(), entry_of(said.lower()))]
    if kind in ("number", "scale"):
        return [_number(match, at)]
    if kind == "clock":
        hours, minutes = match["clock"].split(":")
        value = int(hours) + int(minutes) / 60
        return [Token(match[0], "number", at, match.end(), entry_of(match[0]), value)]
    if kind == "word":
        return _words(match[0], at)
    if kind == "short":
        return [Token(match[0], "word", at, match.end(), entry_of(match[0].lower().replace(".", "")))]
    if kind in ("ident", "link"):
        word = match[0].lower()
        return [Token(match[0], "word", at, match.end(), Entry(word, word, frozenset({"name"})))]
    return [_plain(match[0], "punct", at)]


def _number(match: re.Match[str], at: int) -> Token:
    digits = match["number"].lstrip("$€£").replace(",", "")
    if _THOUSANDS.fullmatch(digits):
        digits = digits.replace(".", "")
    value = float(digits) if digits else 0.0
    value *= {"k": 1e3, "m": 1e6}.get((match["scale"] or "").lower(), 1)
    return Token(match[0], "number", at, match.end(), entry_of(match[0].lower()), value)


def _plain(text: str, kind: Kind, at: int) -> Token:
    return Token(text, kind, at, at + len(text), entry_of(text.lower()))


def _words(text: str, at: int) -> list[Token]:
    lower = text.lower().replace("\u2019", "'")
    if lower in _WHOLE:
        return [Token(word, "word", at, at + len(text), entry_of(word)) for word in _WHOLE[lower]]
    for ending, meant in _SPLIT.items():
        if lower.endswith(ending) and len(lower) > len(ending):
            return [_word(text[: -len(ending)], at), Token(meant, "word", at, at + len(text), entry_of(meant))]
    if lower.endswith("'s"):
        stem = lower[:-2]
        if stem in _IS_AFTER:
            return [_word(text[:-2], at), Token("is", "word", at, at + len(text), entry_of("is"))]
        word = text[:-2]
        return [Token(word, "word", at, at + len(text), entry_of(word.lower()), number_named(stem), True)]
    return [_word(text, at)]


def _word(text: str, at: int) -> Token:
    lower = text.lower().replace("\u2019", "'")
    if text == "IT":
        # The department, and no pronoun.
        lower = "i.t."
    elif text == lower and (meant := nearest(lower, word_set("tokens.mended"))) is not None and meant[0] == lower[0]:
        lower = meant
    return Token(text, "word", at, at + len(text), entry_of(lower), number_named(lower))
