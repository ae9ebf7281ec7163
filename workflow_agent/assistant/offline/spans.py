"""A clause in spans: values, names of steps, the cues that a frame goes by, and plain words between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workflow_agent.assistant.offline.clauses import counts, phrases_of
from workflow_agent.assistant.offline.references import PRONOUNS
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.values import duration_at, times_at

CUES = "cues.tsv"
_SMALL = ("one", "first", "second", "third", "both", "single", "another", "half", "couple", "last")
"""Number words that are mostly no numbers."""
_ORDERS = ("remove", "clear", "takeoff", "tell", "let", "give", "swap", "merge", "split", "replace", "add", "start")
"""Kinds of cues that order something: "erasing" is rather part of a step's name."""
_ARROWS = ("->", ":", "=", "-", "\N{EN DASH}")
_JOINTS = ("and", "&", "plus", "but")


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens that belong together, and what they are: a value, a step, a cue, or a plain word."""

    kind: str
    tokens: Tokens
    value: Any = None


def cue_at(tokens: Sequence[Token], at: int, kinds: frozenset[str]) -> tuple[int, str]:
    """Return where the longest cue of these kinds that begins at a token ends, and its kind; "" for none."""
    token = tokens[at]
    best, found = at, ""
    for key in dict.fromkeys((token.lower, token.lemma, token.entry.verb or "")):
        for words, kind in phrases_of(CUES).get(key, ()):
            acts = (kind in _ORDERS and at > 0) or kind in ("set", "change")
            gerund = len(words) == 1 and acts and token.entry.form == "ing"
            longer = len(words) > best - at or (len(words) == best - at and found == "set")
            if kind in kinds and not gerund and at + len(words) <= len(tokens) and longer:
                following = tokens[at : at + len(words)]
                if all(
                    t.kind in ("word", "punct") and word in (t.lower, t.lemma, t.entry.verb)
                    for t, word in zip(following, words, strict=True)
                ):
                    best, found = at + len(words), kind
    return best, found


def spans_of(tokens: Sequence[Token], kinds: frozenset[str]) -> list[Span]:
    """Return the spans of tokens in their order.

    Args:
        tokens: A clause.
        kinds: The kinds of cues that are looked for.
    """
    found: list[Span] = []
    at = 0
    while at < len(tokens):
        at, span = _span_at(tokens, at, kinds)
        found.append(span)
    return found


def _span_at(tokens: Sequence[Token], at: int, kinds: frozenset[str]) -> tuple[int, Span]:
    token = tokens[at]
    if token.kind == "quoted":
        return at + 1, Span("word", (token,))
    if (length := duration_at(tokens, at)) is not None:
        return length.end, Span("length", tuple(tokens[at : length.end]), length.value)
    if (times := times_at(tokens, at)) is not None and not _is_when(tokens, at):
        return times.end, Span("times", tuple(tokens[at : times.end]), times.value)
    end, kind = cue_at(tokens, at, kinds)
    if kind:
        return end, Span(kind, tuple(tokens[at:end]))
    return at + 1, Span(_kind(token), (token,), token.value)


def _is_when(tokens: Sequence[Token], at: int) -> bool:
    """Say whether "once" begins a case, as in "once the claim is refused"."""
    following = tokens[at + 1 : at + 2]
    return tokens[at].is_("once") and any(t.has("det", "pron", "noun", "verb") or t.kind == "quoted" for t in following)


def _kind(token: Token) -> str:
    if token.kind == "number" or (token.value is not None and not token.is_(*_SMALL) and token.kind == "word"):
        return "number"
    if token.text in _ARROWS:
        return "arrow"
    if token.text == "," or token.is_(*_JOINTS):
        return "joint"
    if token.kind != "word":
        return "mark"
    if token.has("neg"):
        return "neg"
    if token.lower in PRONOUNS and not token.is_("one", "same"):
        return "pron"
    if token.has("det") or (token.possessive and token.has("pron")):
        return "det"
    return "word" if counts(token) and not (token.has("aux", "pron") and not token.entry.is_content) else "glue"
