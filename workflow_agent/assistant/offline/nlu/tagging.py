"""The intent of an order and the slots in it, by an encoder fitted to labelled ones.

`encoder.py` runs the model, `benchmarks/fit_orders.py` makes its weights from `benchmarks/data/orders_tagged`: joint
intent classification and slot filling (Chen, Zhuo and Wang, "BERT for Joint Intent Classification and Slot
Filling", 2019), with a third answer: where in a message another order begins.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from typing import Final

from workflow_agent.assistant.offline.lexicon import data_rows
from workflow_agent.assistant.offline.nlu.encoder import OUTSIDE, Fit, Scores, Words, encoder
from workflow_agent.assistant.offline.people import people_of
from workflow_agent.assistant.offline.references import content_of, stems
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow

ASIDE: Final = "aside"
"""The slot of what is said beside an order: why, what was before, thanks."""
_NO_SLOT: Final = frozenset({OUTSIDE, ASIDE})
FLOW: Final = "flow"
"""The intent of a message that tells how some work goes, from which a workflow is drawn."""
SEVERAL: Final = "several"
NO_EDIT: Final = frozenset({"none", SEVERAL, "history", "other"})
"""Intents of messages without slots: no order at all, more than one, an undo; a question that nothing answers."""
MOST_TOKENS: Final = 70
"""Words of a message that is read as a whole."""
_GUESSES = 3
"""Intents that are tried of one message."""
LIGHT: Final = 0.002
"""How probable a way to understand a message must be for it to be looked at."""
_WAYS = 6
"""Ways to label the words of a message that are looked at, for each intent."""
_PLAIN = 0.95
"""How probable it must be that a word is in no slot for it to be one that an order is only said with."""
_SLOTTED = 0.3
"""How probable it is at most that a word is in no slot, for it to be missed where it is in none."""
_POINTING = ("it", "that", "this", "them", "they", "those", "these")
"""Words that name nothing: what they point at is known without them, and "he" may be who does it."""
_OPENING = 2
"""Words among which the verb of an order is that begins with it: "please delete"."""
_BEGINS = 0.5
"""How probable it must be that another order begins with a word."""
_MAY_BEGIN = 0.05
"""The same for the likeliest word of a message that orders several things."""


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
    """How probable the model holds intent and slots together, from 0 to 1."""
    likely: float = 1
    """How probable it holds the intent."""
    plain: frozenset[int] = frozenset()
    """Where words begin of which it is sure that they only say the order."""
    leaves_out: bool = False
    """Whether a word is in no slot that is most probably in one."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of one workflow, by their stems."""

    steps: dict[str, int]
    """For each stem the steps that have it in their names, a bit each."""
    people: frozenset[str]
    conditions: frozenset[str]
    names: tuple[tuple[str, ...], ...]
    """The whole names of steps, word by word in small letters, the longest first."""


NO_WORDS: Final = Vocabulary({}, frozenset(), frozenset(), ())
"""Those of no workflow."""


@cache
def words_with() -> dict[str, frozenset[str]]:
    """Return words that people order something or tell work with, each with its intents; `*` for any order."""
    return {word: frozenset(intents.split()) for word, intents in data_rows("order_words.tsv")}


def vocabulary_of(workflow: Workflow) -> Vocabulary:
    """Return the words of a workflow by which its parts are known in a message."""
    steps: dict[str, int] = {}
    for at, step in enumerate(workflow.steps):
        for stem in frozenset[str]().union(*map(stems, content_of(step.name))):
            steps[stem] = steps.get(stem, 0) | 1 << at
    people = (stems(word) for name in people_of(workflow) for word in content_of(name.replace("_", " ")))
    told = (stems(word) for edge in workflow.transitions if edge.when for word in content_of(edge.when.text or ""))
    names = {tuple(token.lower for token in read_tokens(step.name)) for step in workflow.steps}
    longest_first = tuple(sorted(names, key=lambda name: (-len(name), name)))
    return Vocabulary(steps, frozenset[str]().union(*people), frozenset[str]().union(*told), longest_first)


def words_of(tokens: Sequence[Token]) -> Words:
    """Return what the encoders read of tokens."""
    return tuple(token.text for token in tokens if token.kind != "break")


def step_words(step: Step) -> Words:
    """Return what the encoder of steps' names reads of a step: its name and who does it."""
    return words_of(read_tokens(f"{step.name} ({step.assignee.replace('_', ' ')})" if step.assignee else step.name))


def _named(tokens: Sequence[Token], words: Vocabulary) -> set[int]:
    """Return which tokens are in the whole name of a step."""
    lowers = tuple(token.lower for token in tokens)
    found: set[int] = set()
    for name in words.names:
        for at in range(len(lowers) - len(name) + 1):
            if name and lowers[at] == name[0] and lowers[at : at + len(name)] == name:
                found.update(range(at, at + len(name)))
    return found


def marks_of(tokens: Sequence[Token], words: Vocabulary) -> list[str]:
    """Return what is known of each token beside its text, each mark a letter.

    Which parts of the workflow have the word: S(tep), and with it 1 for one step alone or m for many, `-` and `+` for
    one that the word before or behind has too; P(erson), C(ondition), N for part of a step's whole name. D for part of
    a length of time. Of its form: Q(uoted), T(itle), U(pper case), 9 for a number.
    """
    timed = {at for first, length in durations_in(tokens) for at in range(first, length.end)}
    named = _named(tokens, words)
    steps = [_steps_with(token, words) for token in tokens]
    found: list[str] = []
    for at, (token, mine) in enumerate(zip(tokens, steps, strict=True)):
        beside = "-" * bool(at and mine & steps[at - 1]) + "+" * bool(at + 1 < len(tokens) and mine & steps[at + 1])
        counted = ("1" if mine & (mine - 1) == 0 else "m") if mine else ""
        parts = "S" * bool(mine) + _parts_with(token, words) + "N" * (at in named) + "D" * (at in timed)
        found.append(parts + counted + beside + _form_of(token))
    return found


def _steps_with(token: Token, words: Vocabulary) -> int:
    """Return the steps that have a word, or all words of a quotation, in their names."""
    if token.kind == "quoted":
        each = [_steps_of(stems(word), words) for word in content_of(token.text)]
        return reduce(int.__and__, each) if each else 0
    return _steps_of(stems(token.lower), words) if token.kind == "word" and token.is_content else 0


def _steps_of(roots: frozenset[str], words: Vocabulary) -> int:
    return reduce(int.__or__, (words.steps.get(root, 0) for root in roots), 0)


def _parts_with(token: Token, words: Vocabulary) -> str:
    if token.kind != "word" or not token.is_content:
        return ""
    roots = stems(token.lower)
    return "P" * (not roots.isdisjoint(words.people)) + "C" * (not roots.isdisjoint(words.conditions))


def _form_of(token: Token) -> str:
    upper = token.text.isupper() and len(token.text) > 1
    quoted = "Q" * (token.kind == "quoted")
    return quoted + "T" * token.text[:1].isupper() + "U" * upper + "9" * token.text[:1].isdigit()


def slots_of(tokens: Sequence[Token], labels: Sequence[str]) -> tuple[Slot, ...]:
    """Return the runs of words with one role each."""
    runs = itertools.groupby(zip(tokens, labels, strict=True), key=lambda one: one[1])
    return tuple(Slot(role, tuple(token for token, _ in run)) for role, run in runs if role != OUTSIDE)


def understandings(
    tokens: Tokens, workflow: Workflow | None, fit: Fit = "orders"
) -> tuple[list[Understood], list[Tokens]]:
    """Return the likeliest ways to understand a message to a workflow, or to none, the likeliest first, and its orders.

    The orders are the message itself where it is none or one. Of an overlong message there are no ways.
    """
    said = tuple(token for token in tokens if token.kind != "break")
    if not said or len(said) > MOST_TOKENS:
        return [], [said]
    words = NO_WORDS if workflow is None else vocabulary_of(workflow)
    scores = _scores(said, words, fit)
    first, *others = sorted(scores.intents.items(), key=lambda one: -one[1])[:_GUESSES]
    ranked = [first, *(one for one in others if one[1] >= LIGHT)]
    found = [way for one in ranked for way in _understood(said, scores, *one)]
    begins = [at for at, one in enumerate(scores.begins) if at and one > _BEGINS]
    if not begins and found[0].intent == SEVERAL and len(said) > 1:
        likely = max(range(1, len(said)), key=lambda at: scores.begins[at])
        begins = [likely] if scores.begins[likely] > _MAY_BEGIN else []
    return found, [said[one:other] for one, other in itertools.pairwise((0, *begins, len(said)))]


def likelihood(tokens: Tokens) -> float:
    """Return how probable it is that a message tells how some work goes, by its beginning."""
    return _intents(tokens)[FLOW]


def is_about_name(tokens: Tokens) -> bool:
    """Say whether a message most probably gives the workflow another name, or takes one of its aliases off."""
    intents = _intents(tokens)
    likeliest = max(intents, key=lambda one: intents[one])
    # "Call it the Friday thing" gives no name of its own.
    return likeliest == "unalias" or (likeliest == "wfname" and not any(t.lower == "call" for t in tokens))


def _intents(tokens: Tokens) -> Mapping[str, float]:
    said = tuple(token for token in tokens if token.kind != "break")[:MOST_TOKENS]
    return _scores(said, NO_WORDS, "orders").intents


def _scores(said: Tokens, words: Vocabulary, fit: Fit) -> Scores:
    return encoder(fit).read(tuple(token.text for token in said), tuple(marks_of(said, words)))


def _understood(said: Sequence[Token], scores: Scores, intent: str, likely: float) -> list[Understood]:
    """Return the likeliest ways to understand a message as one of an intent."""
    if intent in NO_EDIT:
        return [Understood(intent, (), likely, likely)]
    likeliest, sure = scores.labelled(intent)
    outside = scores.outside()
    plain = frozenset(token.start for token, one in zip(said, outside, strict=True) if one > _PLAIN)
    # A word is not passed over as a reason only because of the words around it.
    alone = zip(likeliest, sure, outside, strict=True)
    first = [OUTSIDE if label == ASIDE and other > own else label for label, own, other in alone]
    # In which slot an article or a mark stands changes no edit, and is not weighed.
    at = [at for at, t in enumerate(said) if t.kind != "punct" and not (t.has("det") and t.value is None)]
    if not at:
        return [Understood(intent, slots_of(said, first), likely, likely, plain)]
    beside = scores.one_of(_NO_SLOT, intent)
    found: list[Understood] = []
    for labels, share in scores.ways(intent, at, ASIDE, _WAYS):
        whole = _with_rest(first, dict(zip(at, labels, strict=True)))
        missing = (t for t, label, one in zip(said, whole, beside, strict=True) if label in _NO_SLOT and one < _SLOTTED)
        lost = any(not t.is_(*_POINTING) for t in missing)
        slots = tuple(_without_verb(slot, intent, said) for slot in slots_of(said, whole))
        found.append(Understood(intent, slots, likely * share, likely, plain, lost))
    return found


def _without_verb(slot: Slot, intent: str, said: Sequence[Token]) -> Slot:
    """Return a slot without the order's own verb: of "delete the payout", a step, "the payout"."""
    first, *rest = slot.tokens
    orders = intent in words_with().get(first.lemma, ()) and first in said[:_OPENING] and first.has("verb")
    return Slot(slot.role, tuple(rest)) if orders and rest and rest[0].has("det") else slot


def _with_rest(first: Sequence[str], labels: Mapping[int, str]) -> list[str]:
    """Return labels of all words, given those that are weighed; beside them those of the likeliest way stay."""
    found: list[str] = []
    for at, own in enumerate(first):
        if at in labels:
            found.append(own if labels[at] == OUTSIDE and own in _NO_SLOT else labels[at])
            continue
        behind = next((labels[one] for one in range(at + 1, len(first)) if one in labels), OUTSIDE)
        before = next((labels[one] for one in range(at - 1, -1, -1) if one in labels), OUTSIDE)
        found.append(own if own in (before, behind, *_NO_SLOT) else OUTSIDE)
    return found
