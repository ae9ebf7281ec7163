"""The intent of an order and the slots in it, by conditional random fields learned from labelled orders.

Three models of one kind, in the order in which they are asked: which words are which slot, for a first guess and to
find what is said beside the order; which intent the words without that have; which words are which slot given the
intent. `benchmarks/fit_intents.py` makes their weights from `benchmarks/data/orders_tagged`. This is intent
classification and slot filling, by the method of Lafferty, McCallum and Pereira ("Conditional Random Fields", 2001).
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from threading import Lock
from typing import Any, Final

import pycrfsuite  # pyright: ignore[reportMissingTypeStubs]

from workflow_agent.assistant.offline.people import people_of
from workflow_agent.assistant.offline.references import content_of, stems
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.workflows.model.workflow import Workflow

# It comes without types.
_CRF: Any = pycrfsuite
ASIDE: Final = "aside"
"""The slot of what is said beside an order: why, what was before, thanks."""
NO_EDIT: Final = frozenset({"none", "several", "history"})
"""Intents of messages that are no single edit: no order at all, more than one, an undo."""
OUTSIDE: Final = "O"
_PARTING = frozenset(",;.!?()-:") | {"\N{EN DASH}", "\N{EM DASH}", "->", "…", "..."}
_WITH_INTENT = ("l=", "c=", "i=", "-1l=", "1l=", "lp=", "cs=", "mk")
"""Features that mean something else in each intent."""
_MOST_TOKENS = 70
_LOCK = Lock()
"""A model keeps the message that it was given last, and turns run in several threads."""
_GUESSES = 3
"""Intents that are tried of one message."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A run of words with what they are in the order."""

    role: str
    tokens: Tokens


@dataclass(frozen=True, slots=True)
class Understood:
    """One way to understand a message."""

    intent: str
    slots: tuple[Slot, ...]
    certainty: float
    """How probable the models hold intent and slots together, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of one workflow, by their stems."""

    steps: dict[str, int]
    """For each stem the steps that have it in their names, a bit each."""
    people: frozenset[str]
    conditions: frozenset[str]
    names: tuple[tuple[str, ...], ...]
    """The whole names of steps, word by word in small letters, the longest first."""


def vocabulary_of(workflow: Workflow) -> Vocabulary:
    """Return the words of a workflow by which its parts are known in a message."""
    steps: dict[str, int] = {}
    for at, step in enumerate(workflow.steps):
        for word in content_of(step.name):
            for stem in stems(word):
                steps[stem] = steps.get(stem, 0) | 1 << at
    people = (stems(word) for name in people_of(workflow) for word in content_of(name.replace("_", " ")))
    told = (stems(word) for edge in workflow.transitions if edge.when for word in content_of(edge.when.text or ""))
    names = {tuple(token.lower for token in read_tokens(step.name)) for step in workflow.steps}
    longest_first = tuple(sorted(names, key=lambda name: (-len(name), name)))
    return Vocabulary(steps, frozenset[str]().union(*people), frozenset[str]().union(*told), longest_first)


def _named(tokens: Sequence[Token], words: Vocabulary) -> set[int]:
    """Return which tokens are in the whole name of a step."""
    lowers = tuple(token.lower for token in tokens)
    found: set[int] = set()
    for name in words.names:
        for at in range(len(lowers) - len(name) + 1):
            if name and lowers[at] == name[0] and lowers[at : at + len(name)] == name:
                found.update(range(at, at + len(name)))
    return found


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is seen of one token before the others around it are looked at."""

    lemma: str
    classes: str
    form: str
    steps: int
    known: str
    """Which parts of the workflow have the word: S(tep), P(erson), C(ondition); N for part of a step's whole name, D
    for part of a length of time."""


def _seen(tokens: Sequence[Token], words: Vocabulary) -> list[_Seen]:
    timed = {at for first, length in durations_in(tokens) for at in range(first, length.end)}
    named = _named(tokens, words)
    marks = ["N" * (at in named) + "D" * (at in timed) for at in range(len(tokens))]
    return [_seen_of(token, words, mark) for token, mark in zip(tokens, marks, strict=True)]


def _seen_of(token: Token, words: Vocabulary, mark: str) -> _Seen:
    steps = 0
    roots = frozenset[str]()
    if token.kind == "quoted":
        found = [_steps_of(stems(word), words) for word in content_of(token.text)]
        steps = found[0] if found else 0
        for one in found:
            steps &= one
    elif token.kind == "word" and token.is_content:
        roots = stems(token.lower)
        steps = _steps_of(roots, words)
    known = "".join(
        (
            "S" if steps else "",
            "P" if not roots.isdisjoint(words.people) else "",
            "C" if not roots.isdisjoint(words.conditions) else "",
            mark,
        )
    )
    classes = "+".join(sorted(token.entry.classes)) if token.kind == "word" else token.kind
    return _Seen(token.lemma, classes, token.entry.form, steps, known)


def _steps_of(roots: frozenset[str], words: Vocabulary) -> int:
    found = 0
    for root in roots:
        found |= words.steps.get(root, 0)
    return found


def features_of(tokens: Sequence[Token], words: Vocabulary) -> list[list[str]]:
    """Return what the models are shown of each token: itself, its neighbours, its clause, the parts it may name."""
    seen = _seen(tokens, words)
    begins, heads = _clauses(tokens, seen)
    return [
        [*_own(token, seen, at), *_around(seen, at), *_in_clause(tokens, seen, at, begins[at], heads[at])]
        for at, token in enumerate(tokens)
    ]


def _own(token: Token, seen: Sequence[_Seen], at: int) -> Iterator[str]:
    me = seen[at]
    yield from ("b", f"l={me.lemma}", f"c={me.classes}", f"f={me.form}", f"i={me.known}")
    if token.lower != me.lemma:
        yield f"w={token.lower}"
    if token.lower.isalpha():
        yield f"x={token.lower[-3:]}"
    first = token.text[:1]
    yield f"s={'A' if token.text.isupper() else 'T' if first.isupper() else '9' if first.isdigit() else 'a'}"
    if not token.entry.known:
        yield "unknown"
    if me.steps:
        yield "one" if me.steps & (me.steps - 1) == 0 else "many"
        if at and me.steps & seen[at - 1].steps:
            yield "step-"
        if at + 1 < len(seen) and me.steps & seen[at + 1].steps:
            yield "step+"


def _around(seen: Sequence[_Seen], at: int) -> Iterator[str]:
    for away in (-3, -2, -1, 1, 2, 3):
        one = at + away
        if not 0 <= one < len(seen):
            yield f"{away}#"
            continue
        near = seen[one]
        yield f"{away}l={near.lemma}"
        yield f"{away}i={near.known}"
        if abs(away) < 3:
            yield f"{away}c={near.classes}"
            yield f"{away}f={near.form}"
    me = seen[at]
    if at:
        yield f"-0l={seen[at - 1].lemma}|{me.lemma}"
        yield f"-0c={seen[at - 1].lemma}|{me.classes}"
    if at > 1:
        yield f"--l={seen[at - 2].lemma}|{seen[at - 1].lemma}"
    if at + 1 < len(seen):
        yield f"0+l={me.lemma}|{seen[at + 1].lemma}"
        yield f"0+c={me.classes}|{seen[at + 1].lemma}"


def _clauses(tokens: Sequence[Token], seen: Sequence[_Seen]) -> tuple[list[int], list[tuple[str, str]]]:
    """Return for each token where its clause begins, and the last preposition in it and verb before the token."""
    begins: list[int] = []
    heads: list[tuple[str, str]] = []
    begin, verb, preposition, since = 0, "", "", 0
    for at, token in enumerate(tokens):
        begins.append(begin)
        heads.append((preposition if at - since < 8 else "", verb))
        if token.text in _PARTING and token.kind == "punct":
            begin, preposition = at + 1, ""
        elif token.has("prep") or token.is_("to", "and", "instead", "than"):
            preposition, since = seen[at].lemma, at
        if token.entry.verb and token.kind == "word" and not token.has("det"):
            verb = token.entry.verb
    return begins, heads


def _in_clause(
    tokens: Sequence[Token], seen: Sequence[_Seen], at: int, begin: int, head: tuple[str, str]
) -> Iterator[str]:
    if begin < len(seen):
        yield f"cs={seen[begin].lemma}"
    if begin + 1 < len(seen):
        yield f"cs2={seen[begin].lemma}|{seen[begin + 1].lemma}"
        yield f"csc={seen[begin].classes}|{seen[begin + 1].classes}"
    yield f"cp={min(at - begin, 6)}"
    yield f"mk={tokens[begin - 1].text}" if begin else "mk"
    if head[0]:
        yield f"lp={head[0]}"
    if head[1]:
        yield f"lv={head[1]}"


def with_intent(tokens: Sequence[Token], features: Sequence[Sequence[str]], intent: str) -> list[list[str]]:
    """Return features once more for the model that is told the intent: the telling ones also together with it."""
    found: list[list[str]] = []
    for token, own in zip(tokens, features, strict=True):
        told = [f"{intent} {one}" for one in own if one.startswith(_WITH_INTENT)]
        found.append([*own, f"K={intent}", f"{intent} k={token.kind}", *told])
    return found


def intent_features(tokens: Sequence[Token], words: Vocabulary, labels: Sequence[str]) -> list[str]:
    """Return what the model of intents is shown of a message whose words have labels of a first reading."""
    seen = _seen(tokens, words)
    plain = ["#"]
    slotted = ["#"]
    found: set[str] = {"b", f"len={min(len(tokens) // 6, 6)}"}
    for at, (token, label) in enumerate(zip(tokens, labels, strict=True)):
        role = "" if label == OUTSIDE else label
        if role:
            found.add(f"r={role}")
        if role == ASIDE:
            continue
        word = _abstract(token, seen[at])
        if not (word == "<D>" == plain[-1]):
            plain.append(word)
        if not role or slotted[-1] != f"<{role}>":
            slotted.append(f"<{role}>" if role else seen[at].lemma)
        found.add(f"u={token.lower}")
        found.update(f"has{one}" for one in seen[at].known)
    for name, sequence in (("", plain), ("a", slotted)):
        sequence.append("#")
        found.update(f"{name}1={one}" for one in sequence)
        found.update(f"{name}2={one}|{other}" for one, other in itertools.pairwise(sequence))
        found.update(f"{name}3={'|'.join(three)}" for three in zip(sequence, sequence[1:], sequence[2:], strict=False))
    found.update(f"s={one}|{other}" for one, other in zip(plain, plain[2:], strict=False))
    return sorted(found)


def _abstract(token: Token, seen: _Seen) -> str:
    if "D" in seen.known:
        return "<D>"
    return {"number": "<N>", "quoted": "<Q>"}.get(token.kind, seen.lemma)


def slots_of(tokens: Sequence[Token], labels: Sequence[str]) -> tuple[Slot, ...]:
    """Return the runs of words with one role each."""
    runs = itertools.groupby(zip(tokens, labels, strict=True), key=lambda one: one[1])
    return tuple(Slot(role, tuple(token for token, _ in run)) for role, run in runs if role != OUTSIDE)


@cache
def _weights(name: str) -> bytes:
    return (resources.files("workflow_agent.assistant.offline") / "data" / name).read_bytes()


@cache
def _model(name: str) -> Any:
    tagger = _CRF.Tagger()
    # It reads in these bytes for as long as it lives, and does not keep them itself.
    tagger.open_inmemory(_weights(name))
    return tagger


def understandings(tokens: Tokens, workflow: Workflow) -> list[Understood]:
    """Return the likeliest ways to understand a message to a workflow, the likeliest first; none of an overlong one."""
    said = [token for token in tokens if token.kind != "break"]
    if not said or len(said) > _MOST_TOKENS:
        return []
    words = vocabulary_of(workflow)
    features = features_of(said, words)
    with _LOCK:
        return _understood(said, words, features)


def _understood(said: Sequence[Token], words: Vocabulary, features: list[list[str]]) -> list[Understood]:
    first = _model("slots.crf").tag(features)
    intents = _model("intents.crf")
    intents.set([intent_features(said, words, first)])
    ranked = sorted(((intents.marginal(one, 0), one) for one in intents.labels()), reverse=True)[:_GUESSES]
    found: list[Understood] = []
    for likely, intent in ranked:
        if any(one.certainty >= likely for one in found):
            # None of the others can be likelier.
            break
        if intent in NO_EDIT:
            found.append(Understood(intent, (), likely))
            continue
        given = _model("slots_of_intent.crf")
        labels = given.tag(with_intent(said, features, intent))
        found.append(Understood(intent, slots_of(said, labels), likely * given.probability(labels)))
    return sorted(found, key=lambda one: -one.certainty)
