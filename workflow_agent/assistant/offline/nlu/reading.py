"""What a message orders: the edits of its intents and slots, what is not sure about them, and what is to be asked."""

import hashlib
import itertools
import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import fields, replace
from threading import Lock

from cachetools import LRUCache, cached

from workflow_agent.assistant.offline.clauses import GREETINGS, closing_size, counts, trimmed
from workflow_agent.assistant.offline.lexicon import nearest, word_set
from workflow_agent.assistant.offline.nlu.cases import condition_of_way
from workflow_agent.assistant.offline.nlu.certainty import STRICT, TAKES_AWAY, Reading, chance, is_probable
from workflow_agent.assistant.offline.nlu.doubts import LENGTHS, doubts
from workflow_agent.assistant.offline.nlu.edits import BUILDERS
from workflow_agent.assistant.offline.nlu.hedges import denies
from workflow_agent.assistant.offline.nlu.slots import Filled, akin_words
from workflow_agent.assistant.offline.nlu.tagging import (
    ASIDE,
    LIGHT,
    MOST_TOKENS,
    NO_EDIT,
    SEVERAL,
    Understood,
    understandings,
    words_with,
)
from workflow_agent.assistant.offline.plan import WHOLE, Asked, NotRead, Plan, step_of, taken_for
from workflow_agent.assistant.offline.references import Steps, StepUnclear, akin, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens, sentences
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import tells_time
from workflow_agent.workflows.model.durations import duration_in_words
from workflow_agent.workflows.model.workflow import Workflow

SHOW = 0.03
"""How certain a reading must be for its edits to be shown and asked about."""
_MOST_SENTENCES = 12
"""Of a long message, or items of a list, that are read, each by itself; the others are named as not used."""
_LONGEST_OPENING = 9
"""Words of "dear team,"."""
_NAMED = 3
"""Words with which somebody is named, at most, of which the last may be a verb as well: "the warehouse staff"."""
_REPLACED = (*LENGTHS, "assignee", "escalate_to", "retry", "permission", "uses")
"""Fields of a step whose old value people say beside the new one."""
_ABBREVIATED = 4
"""Signs of the longest word with dots that is none of these: "e.g."."""
_AS_ONE = 0.1
"""How probable it is at least taken to be that a message is one order, where several were not read."""
_MOST_KEPT = 2_000
"""Steps of the workflows of all readings that are kept, each with the workflow as its edits leave it."""
_NO_EDIT = 0.4
"""How probable it must be that a message orders no single edit for no edit to be tried."""


def read_order(plan: Plan, tokens: Tokens) -> Reading:
    """Return the likeliest understanding of a message of which edits can be made, else the likeliest.

    The plan has no edits, and stays so. An overlong message is read sentence by sentence.
    """
    found = _read_order(plan, tokens)
    if found.plan is None:
        return found
    made = _copied(found.plan)
    made.edits, steps = deepcopy(made.edits), found.plan.steps
    made.steps = Steps(made.workflow, steps.chosen, steps.last)
    return replace(found, plan=made)


def _key(plan: Plan, tokens: Tokens) -> object:
    """Return what a message is read by: its words, and the workflow as it is, which may be stored nowhere."""
    chosen, said = tuple(sorted(plan.steps.chosen.items())), tuple((t.kind, t.text, t.start) for t in tokens)
    workflow = hashlib.sha256(plan.workflow.model_dump_json().encode()).digest()
    return plan.text, said, workflow, chosen, plan.steps.last


def _size(reading: Reading) -> int:
    return 1 + (len(reading.plan.workflow.steps) if reading.plan is not None else 0)


# Each request of a turn, and each of the next turns, reads the message anew.
@cached(LRUCache[object, Reading](_MOST_KEPT, getsizeof=_size), key=_key, lock=Lock())
def _read_order(plan: Plan, tokens: Tokens) -> Reading:
    if len(listed := listed_items(tokens)) > 1:
        read, rest = listed[:_MOST_SENTENCES], listed[_MOST_SENTENCES:]
        return _several(plan, 1.0, [_without_courtesy(plan, one) for one in read], rest)
    said = _without_courtesy(plan, tokens)
    parts = sentences(said)
    if len(said) > MOST_TOKENS:
        parts = [clause for part in parts for clause in _clauses(part)]
        return _several(plan, 1.0, parts[:_MOST_SENTENCES], parts[_MOST_SENTENCES:])
    found, orders = understandings(said, plan.workflow)
    if found and found[0].intent == SEVERAL:
        several = _several(plan, found[0].certainty, orders) if len(orders) > 1 else None
        if several is not None and _is_whole(several):
            return several
        alone = _single(plan, _as_one(found), said)
        if _is_whole(alone):
            return alone
        if several is not None:
            return several
    if found and len(orders := _told_apart(found[0], parts)) > 1:
        several = _several(plan, found[0].certainty, orders)
        steps = [slot.tokens[0] for slot in found[0].slots if slot.role == "step"]
        apart = sum(any(token in part for token in steps) for part in parts) > 1
        if _is_whole(several) or (apart and several.plan is not None):
            return several
    return _single(plan, found, said)


def listed_items(tokens: Tokens) -> list[Tokens]:
    """Return the items of a message that is a list: "please: 1) remove X 2) rename Y"; none where it is no list."""
    marks: list[tuple[int, int]] = []
    for at, token in enumerate(tokens):
        if token.kind == "bullet":
            marks.append((at, at + 1))
        elif token.value == len(marks) + 1 and _is_mark(tokens, at):
            marks.append((at, at + 2))
    if len(marks) < 2:
        return []
    ends = [*(first for first, _ in marks[1:]), len(tokens)]
    lead, items = tokens[: marks[0][0]], [tokens[last:end] for (_, last), end in zip(marks, ends, strict=True)]
    # "Please do this:" in front of the first says no more, and "do this only if approved:" does.
    says_more = denies(lead) or not all(t.among("orders.list_lead") for t in lead if t.is_content)
    # "2) is not needed" refers to an item.
    refers = any(one[0].has("aux") for one in items if one)
    return [] if says_more or refers or not all(any(t.is_content for t in one) for one in items) else items


def _is_mark(tokens: Tokens, at: int) -> bool:
    """Say whether a number is one in front of an item: "1)", and not "(1)"."""
    number, behind = tokens[at], tokens[at + 1 : at + 2]
    opens = at > 0 and tokens[at - 1].text == "("
    return number.end - number.start == 1 and not opens and any(t.text == ")" and t.start == number.end for t in behind)


def _is_whole(reading: Reading) -> bool:
    """Say whether edits can be made of a reading, and no word is left over."""
    return reading.plan is not None and not reading.plan.unread


def _as_one(ways: Sequence[Understood]) -> list[Understood]:
    """Return the ways to understand a message that is not several orders, as probable as they are then."""
    rest = [way for way in ways if way.intent != SEVERAL]
    share = max(1 - sum(way.certainty for way in ways if way.intent == SEVERAL), _AS_ONE)
    return [replace(way, certainty=way.certainty / share, likely=min(way.likely / share, 1)) for way in rest]


def _single(plan: Plan, ways: Sequence[Understood], said: Tokens) -> Reading:
    """Return the edits to which most of the ways to understand a message come, each as heavy as it is probable.

    They follow on the edits that the plan has. Ways of which no edits can be made are passed over, and make those of
    others no surer.
    """
    if not ways:
        return Reading("none", 0)
    # That it is several orders speaks against none of them where no second one begins.
    no_edit = sum(way.certainty for way in ways if way.intent in NO_EDIT - {SEVERAL})
    if no_edit > _NO_EDIT:
        return Reading(ways[0].intent, ways[0].certainty)
    likeliest: dict[str, tuple[Plan, str]] = {}
    weights = defaultdict[str, float](float)
    problem: StepUnclear | Asked | None = None
    asked = 0.0
    for way in sorted(ways, key=lambda one: -one.certainty):
        if way.certainty < LIGHT or way.leaves_out:
            continue
        own = _copied(plan)
        try:
            if not is_built(own, way, said):
                continue
        except (StepUnclear, Asked) as unclear:
            problem = problem or unclear.with_traceback(None)
            asked += way.certainty
            continue
        edits = json.dumps(own.edits, sort_keys=True)
        likeliest.setdefault(edits, (own, way.intent))
        weights[edits] += way.certainty
    ranked = sorted(weights, key=lambda edits: -weights[edits])
    if not ranked or asked > weights[ranked[0]]:
        return Reading(ways[0].intent, asked, None, problem)
    best, intent = likeliest[ranked[0]]
    rival, other = sum(weights[one] for one in ranked[1:2]), 1 - sum(weights.values())
    return Reading(intent, weights[ranked[0]], best, rival=rival, other=other, no_edit=no_edit)


def _clauses(sentence: Tokens) -> list[Tokens]:
    """Return a sentence as it is, or what commas part of one that is too long to be read."""
    if len(sentence) <= MOST_TOKENS:
        return [sentence]
    runs = itertools.groupby(sentence, key=lambda token: token.text == ",")
    return [tuple(run) for is_comma, run in runs if not is_comma]


def _told_apart(meant: Understood, parts: Sequence[Tokens]) -> list[Tokens]:
    """Return the sentences of a message where several of them fill slots: "X gets 5 days. Retry Y 3 times."."""
    filled = {t.start for slot in meant.slots if slot.role != ASIDE for t in slot.tokens}
    orders: list[Tokens] = []
    for part in parts:
        if any(t.start in filled for t in part) or not orders:
            orders.append(part)
        else:
            orders[-1] = (*orders[-1], *part)
    return orders


def _without_courtesy(plan: Plan, tokens: Tokens) -> Tokens:
    """Return a message without what says nothing of its orders.

    In front "dear team,", "as discussed," and "for the loan workflow:", behind "thank you very much".
    """
    said = trimmed(tuple(token for token in tokens if token.kind != "break"))
    stop = next((at for at, token in enumerate(said[:_LONGEST_OPENING]) if token.text in (",", "!", ":")), 0)
    front = said[:stop]
    greets = stop and front[0].lower in GREETINGS and not any(token.has("aux", "prep") for token in front)
    if greets or " ".join(token.lower for token in front) in word_set("orders.opening") or _names_this(plan, front):
        said = trimmed(said[stop:])
    size = closing_size(said, "orders.closing", fewest_left=1)
    # "Rename it to Thanks", and not "rename it - thanks".
    apart = size > 1 or (size and said[-2].kind == "punct")
    return trimmed(said[:-size]) if apart else said


def _names_this(plan: Plan, front: Tokens) -> bool:
    """Say whether words name the workflow that the order is for: "in the loan workflow"."""
    said = [token for token in front if token.is_content]
    leads = bool(said) and front[0].is_("for", "in", "on", "about", "regarding", "concerning")
    if not leads or said[-1].lemma not in WHOLE:
        return False
    known = {word for name in (plan.workflow.name, *plan.workflow.aliases) for word in content_of(name)}
    return all(any(akin(token.lower, word) for word in known) for token in said[:-1])


def planned(plan: Plan, reading: Reading, tokens: Tokens) -> Plan | StepUnclear | Asked:
    """Return what is to be done of a reading, or asked; the plan it was read for where nothing is understood."""
    if reading.certainty < SHOW:
        return plan
    if reading.plan is None:
        return reading.problem or plan
    made = reading.plan
    made.notes = list(dict.fromkeys((*made.notes, *doubts(made, plan.workflow, tokens))))
    probable = is_probable(reading)
    taken = [taken_for(said, name) for said, (name, _) in made.likened.items()]
    guessed, made.guesses = list(dict.fromkeys((*made.guesses, *taken))), []
    if probable:
        made.told += [*guessed, *(f"I did not use “{word}”" for word in made.unread)]
        made.unread = []
    else:
        made.notes = [*made.notes, *guessed] or ([] if made.unread else ["I am not sure that this is what you mean"])
    return made


def _several(plan: Plan, certainty: float, orders: Sequence[Tokens], rest: Sequence[Tokens] = ()) -> Reading:
    """Return what several orders come to, each on the workflow that those before it leave; the rest is unread.

    What is several orders itself is parted further.
    """
    own, left = _copied(plan), list(orders)
    while left:
        tokens = left.pop(0)
        found, parts = understandings(tokens, own.workflow)
        if len(parts) > 1 and found[0].intent == SEVERAL and len(left) < _MOST_SENTENCES:
            left[:0] = parts
            continue
        best = _single(own, found, tokens)
        # "Scoring", of a removal: all words fill its slots, and none says what is ordered.
        only_names = best.plan is not None and all(t.start in best.plan.slotted for t in tokens if t.is_content)
        if best.plan is not None and not (best.intent in TAKES_AWAY and only_names):
            own = best.plan
            certainty *= chance(best)
        else:
            own.unread.append(plan.said(tokens))
    own.unread += map(plan.said, rest)
    return Reading(SEVERAL, certainty, own if own.edits else None)


def _copied(plan: Plan) -> Plan:
    """Return a plan that can go on without a trace in the one it goes on from."""
    own = {one.name: copy(getattr(plan, one.name)) for one in fields(plan) if one.name not in ("workflow", "steps")}
    return replace(plan, **own)


def is_built(own: Plan, meant: Understood, tokens: Tokens) -> bool:
    """Add the edits of one understanding to a plan, with what is said beside them; say whether any can be made.

    Raises:
        StepUnclear: It can be asked which step is meant.
        Asked: Something is missing.
    """
    if (build := BUILDERS.get(meant.intent)) is None:
        return False
    before, last = _copied(own), own.steps.last
    try:
        build(Filled(own, meant.slots, tokens))
    except (NotRead, StepUnclear, Asked) as unread:
        for one in fields(before):
            setattr(own, one.name, getattr(before, one.name))
        own.steps = Steps(own.workflow, own.steps.chosen, last)
        if isinstance(unread, NotRead) and not str(unread):
            return False
        raise (Asked(str(unread)) if isinstance(unread, NotRead) else unread) from None
    for words in (slot.tokens for slot in meant.slots if slot.role == ASIDE):
        if _names_only(words) or _tells_who(words):
            # "Because we need it, done by the bank" names somebody who may be meant to do it.
            own.unread.append(own.said(words))
        elif any(t.is_content for t in words):
            own.asides[own.said(words)] = words[0].start, words[-1].end
    own.slotted |= {t.start for slot in meant.slots for t in slot.tokens}
    own.reasons = list(own.asides)
    if since := _since(tuple(t for t in tokens if t.start not in own.slotted)):
        own.told.append(f"I did not use “{own.said(since)}”: it holds from now on")
    known, old = _of_touched(before.workflow, own.edits[len(before.edits) :]), _replaced(before.workflow, own)
    unused = (t.text for t in _unused(meant, tokens) if t not in since and not _is_known(t, known, old))
    lost = (t.text for slot in meant.slots for t in slot.tokens if _is_lost(t, slot.role, known))
    # An event that was taken off was there before, and is there no longer.
    was, now = before.workflow.model_dump_json, own.workflow.model_dump_json
    beside = (text for text in lost if text not in was() or text in now())
    replaced = " ".join(t.text for t in old)
    slotted = (one for one in own.unread if one in before.unread or not (content_of(one) and akin_words(one, replaced)))
    own.unread = list(dict.fromkeys((*slotted, *unused, *beside)))
    return own.workflow is not before.workflow or len(own.edits) > len(before.edits)


def _since(tokens: Tokens) -> Tokens:
    """Return of words in no slot those for from when on an order is to hold: "from next week", "as of July"."""
    for at, token in enumerate(tokens):
        if token.is_("these") and any(t.is_("day") for t in tokens[at + 1 : at + 2]):
            return tokens[at : at + 2]
        begins = token.is_("from", "since", "starting") or (at and token.is_("of") and tokens[at - 1].is_("as"))
        found = tuple(itertools.takewhile(lambda t: t.has("det", "adj") or tells_time(t), tokens[at + 1 :]))
        if begins and any(t.kind == "word" and tells_time(t) and t.is_content for t in found):
            return (token, *found)
    return ()


def _tells_who(words: Tokens) -> bool:
    """Say whether words tell by whom something is done: "done by the bank", and not "we start it by hand"."""
    at = next((at for at, t in enumerate(words[:-1]) if t.is_("by")), None)
    return at == 0 or (at is not None and "ed" in words[at - 1].entry.form.split())


def _names_only(words: Tokens) -> bool:
    """Say whether words beside an order name somebody or something and tell nothing of it: "the bank"."""
    tells = len(words) > _NAMED and any(t.has("verb") for t in words[2:])
    return words[0].has("det") and len(words) > 1 and not tells and all(t.has("det", "adj", "noun") for t in words)


def _of_touched(workflow: Workflow, edits: Sequence[JsonObject]) -> set[str]:
    """Return the words of what edits are about: its name, who does it, its condition."""
    named = {str(value) for edit in edits for value in edit.values() if isinstance(value, str)}
    steps = [step for step in workflow.steps if step.id in named]
    ways = [edge for edge in workflow.transitions if edge.id in named]
    ends = [step for edge in ways for one in (edge.from_, edge.to) if (step := workflow.step(one))]
    said = json.dumps([list(edit.values()) for edit in edits]).replace("_", " ")
    told = (f"{step.name} {(step.assignee or '').replace('_', ' ')}" for step in (*steps, *ends))
    return {word for text in (said, *told, *map(condition_of_way, ways)) for word in content_of(text)}


def _replaced(before: Workflow, plan: Plan) -> Tokens:
    """Return the words of what edits replace: "not the office manager", "two is too few"."""
    found: list[Token] = []
    for step in filter(None, map(before.step, dict.fromkeys(filter(None, map(step_of, plan.edits))))):
        now = plan.workflow.step(step.id)
        for key in _REPLACED:
            old = getattr(step, key)
            if old is not None and now is not None and old != getattr(now, key):
                text = duration_in_words(old) if key in LENGTHS else old.model_dump_json() if key == "retry" else old
                found += (*read_tokens(text), *read_tokens(text.replace("_", " ")))
    return tuple(found)


def _is_lost(token: Token, role: str, known: set[str]) -> bool:
    """Say whether a word is quoted beside the order, or an identifier or an address that no edit has."""
    if role == ASIDE and token.kind == "quoted":
        return True
    names = token.kind == "word" and len(token.text) > _ABBREVIATED and any(sign in token.text[1:-1] for sign in "._@")
    return names and not role.startswith("old") and not known.issuperset(content_of(token.text.replace("_", " ")))


def _is_known(token: Token, known: Collection[str], old: Tokens) -> bool:
    """Say whether a word is one of what edits are about, or of what they replace."""
    words = (*known, *(t.lower for t in old if t.is_content))
    same = token.value is not None and any(token.value == t.value for t in old)
    return same or _is_mistyped(token, known) or any(akin(token.lower, one) for one in words)


def _unused(meant: Understood, tokens: Tokens) -> Iterator[Token]:
    """Yield the words that are in no slot and are none that people order this with."""
    inside = {token.start for slot in meant.slots for token in slot.tokens}
    for at, token in enumerate(tokens):
        if token.start in inside:
            continue
        known = words_with().get(token.lemma, frozenset())
        counts_them = at + 1 < len(tokens) and tokens[at + 1].is_("thing", "change")
        number = token.kind == "number" or (meant.intent == "retry" and token.is_("once", "twice", "half"))
        missed = token.is_content and counts(token) and not known & {meant.intent, "*"}
        # "Assign" is no word that says little in an approval.
        plain = token.entry.known and token.start in meant.plain and meant.intent not in STRICT and not known
        if (number and not counts_them) or (missed and not plain and not _is_mistyped(token, words_with())):
            yield token


def _is_mistyped(token: Token, words: Collection[str]) -> bool:
    """Say whether a word that no dictionary has is one of some with a letter wrong."""
    return not token.entry.known and token.text.islower() and nearest(token.lower, tuple(words)) is not None
