"""Formulaic requests as patterns over tokens, one a line of a data file, that account for every word."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from workflow_agent.assistant.offline.lexicon import data_rows, word_set
from workflow_agent.assistant.offline.tokens import Token

_DROPPED = word_set("patterns.dropped")
_LEADS = (
    "can you",
    "could you",
    "would you",
    "will you",
    "can u",
    "could u",
    "i would like you to",
    "i want you to",
    "i would like to",
    "i want to",
    "i need to",
    "we need to",
    "i need you to",
    "let us",
    "let me",
    "go ahead",
    "would you mind",
    "do you mind",
    "tell me",
    "help me",
    "we want to",
    "can we",
    "could we",
    "i need",
    "i wanna",
    "can i",
    "could i",
    "may i",
    "you should",
    "would it be possible to",
    "is it possible to",
    "do me a favor",
    "i have to",
)
_TRAILS = (
    "for me",
    "to me",
    "if you can",
    "for us",
    "in here",
    "if possible",
    "at the moment",
    "right away",
    "as well",
    "will you",
    "for now",
    "once more",
)
MOST_TOKENS = 60
_GROUP = re.compile(r"[(\[][^()\[\]/{}]* [^()\[\]/{}]*[)\]]")
_MOST_SLOT = 14


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of a pattern: words any of which fits, a slot, or a choice of sequences."""

    words: frozenset[str] = frozenset()
    slot: str = ""
    choices: tuple[tuple["Node", ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """A pattern that fits: its kind, and the text of its slots."""

    kind: str
    slots: dict[str, str]


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
    changed = True
    while changed:
        changed = False
        if len(kept) > 1 and kept[0].is_("and"):
            kept, changed = kept[1:], True
        for lead in _LEADS:
            words = lead.split()
            if len(kept) > len(words) and [t.lower if t.lower != "u" else "u" for t in kept[: len(words)]] == words:
                kept, changed = kept[len(words) :], True
        for trail in _TRAILS:
            words = [w for w in trail.split() if w not in _DROPPED]
            if len(kept) > len(words) and [t.lower for t in kept[-len(words) :]] == words:
                kept, changed = kept[: -len(words)], True
    return kept


Check = Callable[[str], bool]


def match(tokens: Sequence[Token], source: str, name: str, checks: Mapping[str, Check]) -> Match | None:
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


def _match(kept: Sequence[Token], source: str, name: str, checks: Mapping[str, Check]) -> Match | None:
    if not kept or len(kept) > MOST_TOKENS:
        return None
    for kind, sequence in _patterns(name):
        if not _may_begin(sequence, kept[0]):
            continue
        for end, slots in _fits(sequence, kept, 0, {}):
            if end != len(kept):
                continue
            told = {key: source[kept[a].start : kept[b - 1].end] for key, (a, b) in slots.items()}
            if all(checks[key](value) for key, value in told.items() if key in checks):
                return Match(kind, told)
    return None


def _may_begin(sequence: Sequence[Node], token: Token) -> bool:
    first = sequence[0]
    return not first.words or _is(token, first.words)


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
