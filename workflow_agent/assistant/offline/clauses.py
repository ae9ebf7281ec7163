"""Phrases of the data files in tokens, what the words in front of a message make of it, and which words count."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, cast

from workflow_agent.assistant.offline.lexicon import data_rows, nearest, word_set
from workflow_agent.assistant.offline.tokens import Token, Tokens

Mood = Literal["order", "weighed", "negated", "wanted", "unneeded", "told"]
_SIGNIFICANT = word_set("clauses.significant")
"""Closed words that change what a sentence means, so that one unread must be told."""
_NO_ACTORS = word_set("clauses.no_actors")


def counts(token: Token) -> bool:
    """Say whether a word left over would be missed."""
    if token.lower in _SIGNIFICANT:
        return True
    return token.is_content and token.lemma not in noise() and token.lower not in noise()


@cache
def noise() -> frozenset[str]:
    """Return the words that mean nothing here."""
    return frozenset(word for row in data_rows("noise.tsv") for word in row[0].split())


@cache
def roles() -> frozenset[str]:
    """Return the words that name who does something."""
    return frozenset(word for row in data_rows("roles.tsv") for word in row[0].split())


def is_actor_word(token: Token) -> bool:
    """Say whether a word names somebody: a known role, or a noun for who does something ("translator")."""
    acts = not {"ed", "ing"}.isdisjoint(token.entry.form.split())
    if token.lower in roles() or (token.lemma in roles() and not acts):
        return True
    noun = token.entry.noun or token.lower
    is_agent = len(noun) > 5 and noun.endswith(("er", "or", "ist", "eer", "holder", "man")) and noun not in _NO_ACTORS
    return token.kind == "word" and token.has("noun") and not token.has("aux") and is_agent


@cache
def phrases_of(name: str) -> Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]:
    """Return the phrases of a data file with what they stand for, longest first, by their first word."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for kind, listed in data_rows(name):
        for phrase in listed.split("|"):
            words = tuple(phrase.split())
            found.setdefault(words[0], []).append((words, kind))
    return {word: tuple(sorted(listed, key=lambda one: -len(one[0]))) for word, listed in found.items()}


def phrase_at(tokens: Sequence[Token], at: int, name: str) -> tuple[int, list[str]]:
    """Return where the longest phrase of a data file that begins at a token ends, and what it may mean."""
    table = phrases_of(name)
    token = tokens[at]
    best, kinds = at, list[str]()
    for key in dict.fromkeys((token.lower, token.lemma, token.entry.verb or "")):
        for words, kind in table.get(key, ()):
            end = _matched(tokens, at, words)
            if end is not None and end > best:
                best, kinds = end, [kind]
            elif end is not None and end == best:
                kinds.append(kind)
    return best, kinds


def _matched(tokens: Sequence[Token], at: int, words: Sequence[str]) -> int | None:
    if at + len(words) > len(tokens):
        return None
    for token, word in zip(tokens[at:], words, strict=False):
        if token.kind not in ("word", "punct") or word not in (token.lower, token.lemma, token.entry.verb):
            return None
    return at + len(words)


def stripped(tokens: Sequence[Token]) -> tuple[Mood, Tokens]:
    """Return the mood that the words in front of a clause give it, and the clause without them."""
    rest = trimmed(tokens)
    mood: Mood = "told"
    while rest:
        end, kinds = phrase_at(rest, 0, "leads.tsv")
        if not kinds or end == len(rest) or (kinds[0] == "order" and _begins_name(rest, end)):
            break
        if kinds[0] != "order" and mood not in ("weighed", "negated"):
            mood = cast("Mood", kinds[0])
        elif kinds[0] == "order" and mood == "told":
            mood = "order"
        rest = trimmed(rest[end:])
        if kinds[0] in ("wanted", "unneeded"):
            break
    return mood, rest


def _begins_name(rest: Sequence[Token], end: int) -> bool:
    """Say whether words are no lead but part of what follows: "first step", "thank the reviewers"."""
    first, following = rest[0], rest[end] if end < len(rest) else None
    if following is None:
        return end == 1 and first.is_("first", "next", "finally")
    if first.is_("instead") and following.is_("of"):
        return True
    if end != 1:
        return False
    if (first.is_("thank") and following.has("det")) or (first.is_("first", "second") and following.is_("and", "or")):
        return True
    if first.is_("first", "second", "next") and following.has("noun"):
        # "First line should", and not "first check the papers".
        told = rest[end + 1] if end + 1 < len(rest) else None
        listed = following.entry.form == "ing" and told is not None and not told.has("det")
        if not following.has("verb") or listed or (told is not None and told.has("aux")):
            return True
    return first.is_("first", "next", "finally") and following.lemma in ("step", "task", "one")


GREETINGS: Final = frozenset({"dear", "hi", "hello", "hey"})
_LONGEST_COURTESY = 6


def closing_size(tokens: Tokens, listed: str, *, fewest_left: int) -> int:
    """Return how many of the last tokens are the longest phrase of a list; 0 for none, or where too few are left."""
    for size in range(min(_LONGEST_COURTESY, len(tokens) - fewest_left), 0, -1):
        if _said(tokens[-size:]) in word_set(listed) and all(token.kind == "word" for token in tokens[-size:]):
            return size
    return 0


def _said(tokens: Sequence[Token]) -> str:
    return " ".join(token.lower for token in tokens)


def trimmed(tokens: Sequence[Token]) -> Tokens:
    """Return tokens without marks at either end."""
    at, end = 0, len(tokens)
    while at < end and tokens[at].kind in ("punct", "bullet", "break") and tokens[at].text not in "<>($€£":
        at += 1
    while end > at and tokens[end - 1].kind in ("punct", "break") and tokens[end - 1].text not in "%€$£)":
        end -= 1
    return tuple(tokens[at:end])


@dataclass(frozen=True, slots=True)
class Head:
    """How a clause begins."""

    mood: Mood
    verbs: frozenset[str]
    """The classes of orders its first verb may be of; empty for any other word."""
    rest: Tokens
    """What stands behind that verb; all of the clause where there is none."""


def read_head(tokens: Sequence[Token]) -> Head:
    """Return how a clause begins, behind the words that only ask for it."""
    mood, rest = stripped(tokens)
    if not rest:
        return Head(mood, frozenset(), rest)
    if mood == "wanted" and rest[0].is_("to"):
        return read_head(rest[1:])
    head = rest[0]
    end, kinds = phrase_at(rest, 0, "verbs.tsv") if head.kind == "word" else (0, [])
    if not kinds and head.kind == "word" and (meant := nearest(head.lower, order_verbs())) is not None:
        end, kinds = 1, [kind for words, kind in phrases_of("verbs.tsv")[meant] if words == (meant,)]
    elif kinds and not ("base" in head.entry.form or head.lower.endswith("ing") or head.entry.verb is None):
        kinds = []
    following = rest[end] if end < len(rest) else None
    if following is not None and (
        following.is_("of", "should", "must", "shall") or following.lower in ("is", "are", "needs", "has")
    ):
        kinds = []
    if not kinds:
        return Head("order" if mood in ("wanted", "unneeded") else mood, _WANTED.get(mood, frozenset()), rest)
    return Head("order" if mood in ("told", "wanted") else mood, frozenset(kinds), rest[end:])


_WANTED: Mapping[str, frozenset[str]] = {"wanted": frozenset({"add"}), "unneeded": frozenset({"remove"})}


@cache
def order_verbs() -> frozenset[str]:
    """Return the verbs of orders that are one word."""
    return frozenset(words[0] for listed in phrases_of("verbs.tsv").values() for words, _ in listed if len(words) == 1)


def is_aside(piece: Sequence[Token], *, removes: bool = True) -> bool:
    """Say whether a clause denies something that is no order: "we are not allowed to use it", "no reason to wait".

    Args:
        piece: A clause beside an order.
        removes: Whether the order takes something away. Then what is denied, or done by others ("accounting does it
            elsewhere"), is why; else only what somebody has, knows or may do is.
    """
    words = [t for t in piece if t.kind != "punct"]
    while words and words[0].is_("and", "but", "as"):
        words.pop(0)
    if len(words) < 3 or any(t.kind in ("quoted", "number") or t.among("asides.never") for t in words):
        return False
    if words[0].is_("no") and words[1].among("asides.no"):
        return True
    if removes and tells_who_does_it(words) and not words[0].has("prep", "conj", "wh"):
        return True
    told = words[1:4]
    denied = words[0].is_("nobody") or any(t.has("neg") for t in told)
    if not denied or not words[0].among("asides.subject" if removes else "asides.people"):
        return False
    return removes or any(t.among("asides.having") for t in told)


def tells_who_does_it(words: Sequence[Token]) -> bool:
    """Say whether words tell who does what was just spoken of: "accounting does it elsewhere"."""
    pairs = itertools.pairwise(words)
    return any(t.lower in ("does", "do") and following.is_("it", "that", "this") for t, following in pairs)
