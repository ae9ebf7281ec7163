"""What is done of an order that rules and models read: where they agree, where they differ, and how sure they are."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import cast

from workflow_agent.assistant.offline.clauses import counts
from workflow_agent.assistant.offline.lexicon import data_rows
from workflow_agent.assistant.offline.nlu.edits import BUILDERS
from workflow_agent.assistant.offline.nlu.slots import Filled
from workflow_agent.assistant.offline.nlu.tagging import ASIDE, Slot, Understood, understandings
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan
from workflow_agent.assistant.offline.references import FRAME_WORDS, Steps, StepUnclear
from workflow_agent.assistant.offline.tokens import Tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject

_NO_EDIT = 0.4
"""How probable it must be that a message orders no single edit for no edit to be tried."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A message as the models understand it."""

    intent: str
    certainty: float
    """How probable they hold it, from 0 to 1."""
    plan: Plan | None = None
    """Its edits; None where it orders none, or none that can be made of one intent and its slots."""
    is_plain: bool = False
    """Whether the message is a verb and the whole names of steps, which rules do not mistake."""


def read_slots(plan: Plan, tokens: Tokens) -> Reading | None:
    """Return the likeliest understanding of a message of which edits can be made, else the likeliest.

    Args:
        plan: Without edits; it stays so.
        tokens: The message; of an overlong one nothing is returned.
    """
    found = understandings(tokens, plan.workflow)
    plain = _is_plain(plan.steps, tokens)
    for one in found:
        if one.intent not in BUILDERS and one.certainty > _NO_EDIT:
            break
        if (own := _built(plan, one, tokens)) is not None:
            return Reading(one.intent, one.certainty, own, plain)
    return Reading(found[0].intent, found[0].certainty, None, plain) if found else None


def _built(plan: Plan, meant: Understood, tokens: Tokens) -> Plan | None:
    """Return the edits of one understanding, with what is said beside them; None where none can be made."""
    own = Plan(plan.text, plan.workflow, Steps(plan.workflow, plan.steps.chosen, plan.steps.last))
    try:
        if (build := BUILDERS.get(meant.intent)) is not None:
            build(Filled(own, meant.slots, tokens))
    except (NotRead, StepUnclear, Asked):
        return None
    for words in (slot.tokens for slot in meant.slots if slot.role == ASIDE):
        if any(t.is_content for t in words):
            own.asides[own.said(words)] = words[0].start, words[-1].end
    own.reasons = list(own.asides)
    own.unread = list(dict.fromkeys(_unused(meant.intent, meant.slots, tokens)))
    return own if own.edits else None


def _is_plain(steps: Steps, tokens: Tokens) -> bool:
    named = {at for first, (end, _) in steps.whole_names(tokens).items() for at in range(first, end)}
    rest = [at for at, t in enumerate(tokens) if at not in named and t.is_content and t.lemma not in FRAME_WORDS]
    return bool(named) and (not rest or rest == [0])


@cache
def _order_words() -> dict[str, frozenset[str]]:
    """Return words that people order something with, each with the intents it was used in; `*` for any."""
    return {word: frozenset(intents.split()) for word, intents in data_rows("order_words.tsv")}


def _unused(intent: str, slots: Sequence[Slot], tokens: Tokens) -> Iterator[str]:
    """Yield the words that are in no slot and are none that people order this with."""
    inside = {token.start for slot in slots for token in slot.tokens}
    for token in tokens:
        known = _order_words().get(token.lemma, frozenset())
        value = token.kind == "number" or token.is_("once", "twice", "half")
        missed = token.is_content and counts(token) and not known & {intent, "*"}
        if token.start not in inside and (value or missed):
            yield token.text


ACT = 0.5
"""How certain the models must be for their edits to be made. Of orders by writers whom neither they nor the rules had
met, 93 % of those above it were right, and 17 % of those that the rules were sure of and the models read otherwise."""
_AGREE = 0.3
"""The same where rules that are not sure come to the same edits."""
ALONE = 0.9
"""The same for the rules not to be asked at all."""
SHOW = 0.2
"""The same for their edits to be shown and asked about."""
_UNSURE = "I am not sure that this is what you mean"


def understood(reading: Reading | None) -> Plan | None:
    """Return the plan of a message of which the models are so sure, all words used, that no rule need read it."""
    if reading is None or reading.plan is None or reading.certainty < ALONE or reading.plan.unread:
        return None
    reading.plan.confirmed = True
    return reading.plan


def by_both(rules: Plan | StepUnclear | Asked, reading: Reading | None) -> Plan | StepUnclear | Asked:
    """Return what is done of what rules and models each understand of a message.

    Where both, which know nothing of each other, come to the same change, it is made. Where they differ, it is made
    only if the models are certain, and shown otherwise.
    """
    plan = rules if isinstance(rules, Plan) else None
    if reading is None or (plan is not None and (plan.kept or plan.weighed)):
        return rules
    sure = plan is not None and bool(plan.edits) and not plan.unread and not plan.notes
    other = reading.plan
    if other is None:
        none = reading.intent == "none" and reading.certainty >= _NO_EDIT and not reading.is_plain
        if plan is not None and sure and none:
            plan.notes += [_UNSURE]
        return rules
    if isinstance(rules, StepUnclear) and other.unread:
        # The words left over are the step that is asked for.
        return rules
    agreed = plan is not None and plan.edits and _shape(plan.edits) == _shape(other.edits)
    if plan is not None and agreed and (sure or reading.certainty >= _AGREE):
        if _names_reason(plan, other):
            other.confirmed = not other.unread
            return other
        plan.unread, plan.notes = ([] if sure else other.unread), []
        plan.confirmed = not plan.unread
        plan.asides, plan.reasons = other.asides, other.reasons
        return plan
    if plan is not None and sure and reading.is_plain and reading.certainty < ACT:
        return plan
    part = plan is not None and all(edit in plan.edits for edit in other.edits)
    if plan is not None and sure and (part or other.unread):
        # The rules read more, or account for words that the models leave over.
        return plan
    if reading.certainty < ACT:
        if plan is not None and sure and reading.certainty < SHOW:
            plan.notes += [_UNSURE]
        if reading.certainty < SHOW:
            return rules
        other.notes += [_UNSURE]
    return other


def _names_reason(plan: Plan, other: Plan) -> bool:
    """Say whether the rules took words for a part of a new step's name that the models take for said beside it."""
    names = [str(edit["step"].get("name", "")) for edit in plan.edits if isinstance(edit.get("step"), dict)]
    return any(reason.casefold() in name.casefold() for reason in other.reasons for name in names)


def _shape(edits: Sequence[JsonObject]) -> str:
    """Return edits as text in which two are the same that differ in how a new step is named alone."""
    new: dict[str, str] = {}
    plain: list[JsonObject] = []
    for edit in edits:
        one = dict(edit)
        for key in ("step", "with"):
            if isinstance(one.get(key), dict):
                draft = cast("JsonObject", one[key])
                new[str(draft.get("id"))] = f"new {len(new)}"
                one[key] = {name: value for name, value in draft.items() if name not in ("name", "type", "uses")}
        plain.append(one)
    text = json.dumps(plain, sort_keys=True)
    for known, name in new.items():
        text = text.replace(json.dumps(known), json.dumps(name))
    return text
