"""What a message asks for: formulaic requests as patterns over tokens, one a line of a data file; short answers."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from workflow_agent.assistant.offline.lexicon import data_rows, number_named, word_set
from workflow_agent.assistant.offline.references import akin, content_of
from workflow_agent.assistant.offline.tokens import Token

_DROPPED = word_set("patterns.dropped")
_LEADS = sorted((tuple(lead.split()) for lead in word_set("patterns.leads")), key=len, reverse=True)
_TRAILS = [tuple(w for w in trail.split() if w not in _DROPPED) for trail in sorted(word_set("patterns.trails"))]
MOST_TOKENS = 60
_GROUP = re.compile(r"[(\[][^()\[\]/{}]* [^()\[\]/{}]*[)\]]")
_MOST_SLOT = 14


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of a pattern: words any of which fits, a slot, or a choice of sequences."""

    words: frozenset[str] = frozenset()
    slot: str = ""
    choices: tuple[tuple["Node", ...], ...] = ()


Meaning = Literal["order", "question", "weighed"]


@dataclass(frozen=True)
class Request:
    """What a message asks for."""

    kind: str
    slots: Mapping[str, str] = field(default_factory=dict[str, str])
    text: str = ""
    meaning: Meaning = "order"


@cache
def _patterns(name: str) -> tuple[tuple[str, tuple[Node, ...]], ...]:
    found: list[tuple[str, tuple[Node, ...]]] = []
    for row in data_rows(name):
        # "(was|has been)" is a choice of sequences; "[of|for {workflow}]" is one sequence.
        told = _GROUP.sub(lambda group: group[0].replace("|", " / "), row[1])
        sequence, rest = _sequence(
            told.replace("(", " ( ").replace(")", " ) ").replace("[", " [ ").replace("]", " ] ").split()
        )
        assert not rest, row  # noqa: S101
        found.append((row[0], sequence))
    return tuple(found)


def _sequence(parts: list[str]) -> tuple[tuple[Node, ...], list[str]]:
    nodes: list[Node] = []
    while parts and parts[0] not in (")", "]", "/"):
        part, parts = parts[0], parts[1:]
        if part in "([":
            choices: list[tuple[Node, ...]] = []
            while True:
                inner, parts = _sequence(parts)
                choices.append(inner)
                closing, parts = parts[0], parts[1:]
                if closing != "/":
                    break
            # What may be missing is missing only where it does not fit.
            nodes.append(Node(choices=(*choices, ()) if part == "[" else tuple(choices)))
        elif part.startswith("{"):
            nodes.append(Node(slot=part[1:-1]))
        else:
            word = Node(words=frozenset(part.split("|")))
            # A message is read without courtesies, unless it is nothing else: "so far" is "far".
            nodes.append(Node(choices=((word,), ())) if word.words <= _DROPPED else word)
    return tuple(nodes), parts


def bare(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens of a message without courtesies, articles and marks."""
    said = [t for t in tokens if t.kind in ("word", "number", "quoted")]
    kept = [t for t in said if not (t.kind == "word" and t.lower in _DROPPED)] or said
    size = 0
    while size != len(kept):
        size = len(kept)
        if len(kept) > 1 and kept[0].is_("and"):
            kept = kept[1:]
        for words in _LEADS:
            if len(kept) > len(words) and tuple(t.lower for t in kept[: len(words)]) == words:
                kept = kept[len(words) :]
        for words in _TRAILS:
            if len(kept) > len(words) and tuple(t.lower for t in kept[-len(words) :]) == words:
                kept = kept[: -len(words)]
    return kept


Check = Callable[[str], bool]


def match(tokens: Sequence[Token], source: str, name: str, checks: Mapping[str, Check]) -> Request | None:
    """Return the first pattern of a data file that fits a whole message, or None.

    Args:
        tokens: The message.
        source: Its text.
        name: The data file.
        checks: What may stand in a slot, by its name; anything where a name has none.
    """
    if len(tokens) > MOST_TOKENS * 2:
        return None
    kept = bare(tokens)
    found = _match(kept, source, name, checks)
    if found is not None:
        return found
    # A courtesy may be what a message consists of: "hello there". Then no slot may take one for content.
    said = [t for t in tokens if t.kind in ("word", "number", "quoted")]
    whole = _match(said, source, name, checks) if len(said) > len(kept) else None
    return whole if whole is not None and not whole.slots else None


def _match(kept: Sequence[Token], source: str, name: str, checks: Mapping[str, Check]) -> Request | None:
    if not kept or len(kept) > MOST_TOKENS:
        return None
    for kind, sequence in _patterns(name):
        if sequence[0].words and not _is(kept[0], sequence[0].words):
            continue
        for end, slots in _fits(sequence, kept, 0, {}):
            if end != len(kept):
                continue
            told = {key: source[kept[a].start : kept[b - 1].end] for key, (a, b) in slots.items()}
            if all(checks[key](value) for key, value in told.items() if key in checks):
                return Request(kind, told)
    return None


def _is(token: Token, words: frozenset[str]) -> bool:
    if token.kind not in ("word", "number"):
        return False
    # "Loading may take 12 hours" orders nothing to be loaded.
    return token.lower in words or (token.entry.form != "ing" and bool({token.lemma, token.entry.verb} & words))


Slots = dict[str, tuple[int, int]]


def _fits(sequence: Sequence[Node], tokens: Sequence[Token], at: int, slots: Slots) -> Iterator[tuple[int, Slots]]:
    if not sequence:
        yield at, slots
        return
    node, rest = sequence[0], sequence[1:]
    if node.choices:
        for choice in node.choices:
            yield from _fits((*choice, *rest), tokens, at, slots)
    elif node.slot:
        for end in range(at + 1, min(at + _MOST_SLOT, len(tokens)) + 1):
            if not rest and end != len(tokens):
                continue
            if node.slot.startswith("n") and node.slot != "name" and (end != at + 1 or tokens[at].value is None):
                break
            yield from _fits(rest, tokens, end, {**slots, node.slot: (at, end)})
    elif at < len(tokens) and _is(tokens[at], node.words):
        yield from _fits(rest, tokens, at + 1, slots)


_QUOTES = ('"', "'", "“", "`")
_YES = word_set("request.yes")
_SAY_YES = word_set("request.say_yes")
_NO = word_set("request.no")
_SAY_NO = word_set("request.say_no")
_MOST_ANSWER_CHARS = 80


def read_answer(text: str) -> str | None:
    """Return "yes" or "no" when a message is one and nothing else."""
    plain = text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    words = [word for said in plain.split() if (word := said.strip(".,!;:)("))]
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
