"""The labelled orders and descriptions of `data` (their form: `data/README.md`), and the words of orders."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from workflow_agent.assistant.offline.nlu.tagging import (
    ASIDE,
    FLOW,
    NO_EDIT,
    OUTSIDE,
    SEVERAL,
    Vocabulary,
    slots_of,
    vocabulary_of,
)
from workflow_agent.assistant.offline.tokens import Token, read_tokens
from workflow_agent.workflows.model.parser import parse_workflow, slug, unique_id
from workflow_agent.workflows.model.workflow import Workflow

DATA: Final = Path(__file__).parent / "data" / "orders_tagged"
FLOWS: Final = Path(__file__).parent / "data" / "flows_tagged"
QUESTIONS: Final = Path(__file__).parent / "data" / "questions_tagged"
MODELS: Final = Path(__file__).parents[1] / "workflow_agent" / "assistant" / "offline" / "data"
_FEWEST = 2
_SHARE = 0.1
"""How often, and in which share of its uses in an intent, a word must be in no slot to be one of orders themselves."""
_MANY = 10
"""Intents of a word that may be of any."""
_TAG = re.compile(r"\[([^\[\]|]+)\|(\w+)\]")
_STEP = re.compile(r"(?P<name>.*?)\s*(?:\((?P<who>[^,)\d][^,)]*)?[^)]*\))?\s*$")
_PART = re.compile(r"\{(\w+)\}")
_JOINTS = (
    ", and ",
    " and ",
    ". ",
    "; ",
    ", ",
    ", then ",
    " and then ",
    ". Also ",
    ", also ",
    ". And ",
    "\n- ",
    ", plus ",
)
_PAIRS = 6
"""Of how many orders of a workflow one is made that joins some."""


@dataclass(frozen=True, slots=True)
class Example:
    """An order with its intent and a label for each token."""

    intent: str
    text: str
    tokens: list[Token]
    labels: list[str]
    words: Vocabulary
    begins: list[bool] | None
    """Of each token, whether another order begins with it; None where the writer did not say."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A workflow as a writer noted it down, and the messages to it with their intents."""

    title: str
    steps: list[str]
    ways: list[str]
    messages: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Part:
    intent: str
    order: str


def examples(path: Path) -> Iterator[Example]:
    """Yield the orders of one writer: each message, and of one that orders several things each of these too."""
    for words, messages in _vocabularies(path):
        for intent, order in messages:
            if not (parts := _parts(order)):
                example = _example(intent, order, words)
                yield replace(example, begins=None) if intent == SEVERAL else example
                continue
            yield _joined(parts, words)
            yield from (_example(part.intent, part.order.strip(), words) for part in _with_asides(parts))


def flows(path: Path) -> Iterator[Example]:
    """Yield the descriptions of one writer, line breaks and list marks included."""
    none = Vocabulary({}, frozenset(), frozenset(), ())
    for told in re.split(r"^#\s*$", path.read_text("utf-8"), flags=re.MULTILINE):
        if told.strip():
            text, tokens, labels = tagged(told.strip(), with_breaks=True)
            yield Example(FLOW, text, tokens, labels, none, [False] * len(tokens))


def pairs(path: Path) -> Iterator[Example]:
    """Yield messages made of some orders of one writer to one workflow, drawn by a fixed seed."""
    drawn = random.Random(path.name)
    for words, messages in _vocabularies(path):
        single = [_Part(intent, order.strip()) for intent, order in messages if intent not in NO_EDIT]
        for _ in range(len(single) // _PAIRS):
            some = drawn.sample(single, drawn.choice((2, 2, 2, 3)))
            joint = drawn.choice(_JOINTS)
            parts = [_Part(one.intent, one.order.rstrip(".!")) for one in some]
            first, *others = parts
            yield _joined([first, *(_Part(one.intent, joint + _lowered(one.order, drawn)) for one in others)], words)


def _lowered(order: str, drawn: random.Random) -> str:
    plain = order[:1] != "[" and not order[:2].isupper() and drawn.random() < 0.8
    return order[:1].lower() + order[1:] if plain else order


def _vocabularies(path: Path) -> Iterator[tuple[Vocabulary, list[tuple[str, str]]]]:
    return ((vocabulary_of(named(one)), one.messages) for one in noted(path))


def noted(path: Path) -> Iterator[Noted]:
    """Yield each workflow of a writer, with the messages to it."""
    one = Noted("", [], [], [])
    for line in [*path.read_text("utf-8").splitlines(), "@"]:
        if line.startswith("@"):
            if one.messages:
                yield one
            title, *steps = [part.strip() for part in line[1:].split("|")]
            one = Noted(title, steps, [], [])
        elif line.startswith("="):
            one.ways.append(line[1:].strip())
        elif line.strip():
            intent, _, order = line.partition("\t")
            one.messages.append((intent, order))


def named(one: Noted) -> Workflow:
    """Return a workflow with the words of one that a writer noted; how its steps are joined is no matter here."""
    made: list[dict[str, Any]] = []
    for step in one.steps:
        found = _STEP.fullmatch(step)
        assert found is not None  # every text fits
        name = found["name"] or step
        own = {"id": unique_id(slug(name), [one["id"] for one in made]), "name": name, "type": "human"}
        made.append(own | ({"assignee": found["who"].strip()} if found["who"] else {}))
    first, last = made[0]["id"], made[-1]["id"]
    conditions = [way.partition(":")[2].strip() for way in one.ways]
    edges = [
        {"id": f"w{at}", "from": first, "to": last, "type": "condition", "when": {"text": condition}}
        for at, condition in enumerate(conditions)
        if condition
    ]
    return parse_workflow({"id": "wf_x", "name": "x", "start": first, "steps": made, "transitions": edges})


def _parts(order: str) -> list[_Part]:
    """Return the orders of "{remove}Drop ... || {assign}and give ...", each with the words that lead to it."""
    pieces = order.split(" || ")
    found = [_PART.match(piece) for piece in pieces]
    return [
        _Part(match[1], f"{' ' if at else ''}{piece[match.end() :]}")
        for at, (piece, match) in enumerate(zip(pieces, found, strict=True))
        if match is not None
    ]


def _with_asides(parts: Sequence[_Part]) -> list[_Part]:
    """Return orders with what is only said beside them: each of these to the order before it, else to the next."""
    kept: list[_Part] = []
    lead = ""
    for part in parts:
        if part.intent != ASIDE:
            kept.append(_Part(part.intent, lead + part.order))
            lead = ""
        elif kept:
            kept[-1] = _Part(kept[-1].intent, kept[-1].order + part.order)
        else:
            lead += part.order
    return kept


def _joined(parts: Sequence[_Part], words: Vocabulary) -> Example:
    """Return the message that orders make together."""
    at, marks = 0, list[int]()
    for part in parts:
        plain = _TAG.sub(lambda tag: tag[1], part.order)
        first = next((i for i, c in enumerate(plain) if c.isalnum()), 0)
        marks.append(at + first if part.intent != ASIDE else -1)
        at += len(plain)
    orders = [mark for mark in marks if mark >= 0][1:]
    example = _example(SEVERAL, "".join(part.order for part in parts), words)
    begins = [any(token.start <= mark < token.end for mark in orders) for token in example.tokens]
    return replace(example, begins=begins)


def _example(intent: str, order: str, words: Vocabulary) -> Example:
    text, tokens, labels = tagged(order)
    return Example(intent, text, tokens, labels, words, [False] * len(tokens))


def tagged(order: str, *, with_breaks: bool = False) -> tuple[str, list[Token], list[str]]:
    """Return the text of an order with tags in it ("move [the survey|step] up"), its tokens and their labels."""
    text, at, spans = "", 0, list[tuple[int, int, str]]()
    for found in _TAG.finditer(order):
        text += order[at : found.start()]
        spans.append((len(text), len(text) + len(found[1]), found[2]))
        text += found[1]
        at = found.end()
    text += order[at:]
    tokens = [token for token in read_tokens(text) if with_breaks or token.kind != "break"]
    labels = [OUTSIDE] * len(tokens)
    for start, end, role in spans:
        for i, token in enumerate(tokens):
            # A tag may stand inside or outside of the marks around a quoted name.
            inner = token.kind == "quoted"
            # "[the deputy|who]'s".
            last = token.start + len(token.text) if token.possessive else token.end - inner
            if role != "o" and token.start + inner >= start and last <= end:
                labels[i] = role
    return text, tokens, labels


def said(example: Example, labels: Sequence[str]) -> Counter[tuple[str, str]]:
    """Return the words of each slot that matters, without articles and marks."""
    return Counter(
        (slot.role, " ".join(t.lower for t in slot.tokens if not t.has("det") and t.kind != "punct"))
        for slot in slots_of(example.tokens, labels)
        if slot.role != ASIDE
    )


def order_words(rows: Sequence[Example]) -> dict[str, list[str]]:
    """Return the base forms of words that people order something with, each with the intents it was used in.

    Those that writers left in no slot, again and again; of a word used in many intents the list is `*`.
    """
    outside: Counter[tuple[str, str]] = Counter()
    anywhere: Counter[tuple[str, str]] = Counter()
    for row in rows:
        if row.intent in NO_EDIT:
            continue
        for token, label in zip(row.tokens, row.labels, strict=True):
            if token.kind == "word" and token.is_content:
                anywhere[token.lemma, row.intent] += 1
                outside[token.lemma, row.intent] += label == OUTSIDE
    found: dict[str, list[str]] = {}
    for (word, intent), count in sorted(outside.items()):
        if count >= _FEWEST and count >= _SHARE * anywhere[word, intent]:
            found.setdefault(word, []).append(intent)
    return {word: _listed(intents) for word, intents in found.items()}


def _listed(intents: Sequence[str]) -> list[str]:
    """Return intents, those of orders in short where there are many."""
    orders = [one for one in intents if one != FLOW]
    return [*(orders if len(orders) < _MANY else ["*"]), *([FLOW] if FLOW in intents else [])]


def write_order_words(rows: Sequence[Example]) -> None:
    """Write the words of orders into the package's data."""
    lines = [f"{word}\t{' '.join(intents)}" for word, intents in order_words(rows).items()]
    head = "# Words that people order something or tell work with, and in which intents; by benchmarks/fit_orders.py"
    (MODELS / "order_words.tsv").write_text("\n".join([head, *lines, ""]), "utf-8")
