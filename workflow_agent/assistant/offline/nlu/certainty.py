"""How probable it is that the edits of a reading are what was ordered, and whether that is enough to make them."""

import math
from dataclasses import dataclass

from workflow_agent.assistant.offline.nlu.tagging import SEVERAL
from workflow_agent.assistant.offline.people import is_somebody
from workflow_agent.assistant.offline.plan import Asked, Plan
from workflow_agent.assistant.offline.references import StepUnclear
from workflow_agent.assistant.offline.tokens import read_tokens

ACT = 0.85
"""How probable it must be that edits are what was ordered for them to be made. Of the orders of a writer whom no fit
of the encoder knew (`voice_50`), 78 % are done right so and 2.2 % otherwise than labelled (ADR 0136)."""
ACT_STRICTLY = 0.88
"""The same where something goes, which does not come back by itself."""
ACT_ON_SEVERAL = 0.5
"""How certain a reading of several orders must be for them to be carried out."""
_SURE = 0.9
"""The same for a message to be an order that does not begin like one."""
SURE_STEP = 0.95
"""How probable it must be that words mean a step for it to be one beyond doubt (of the phrases held out such readings
were right of 97 in 100: `python -m benchmarks.fit_steps --measure`)."""
STRICT = frozenset({"remove", "replace", "rename", "wfname", "disconnect", "merge", "uses"})
"""Intents of which every word must be one that people order this with: what goes does not come back by itself."""
_TAKES_AWAY = frozenset({"remove", "replace", "disconnect", "merge"})
_NEW = frozenset({"insert", "approve", "notify", "case", "error", "replace", "merge"})
_LEAST = 0.001
"""Below which a probability says no more."""
_WEIGHTS = {
    "any": 3.72,
    "certainty": 1.13,
    "intent": 2.22,
    "a step by its meaning": -0.59,
    "an unread word": -0.61,
    "a new step": -0.1,
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a message is taken for."""

    intent: str
    certainty: float
    """How probable it is, from 0 to 1: of edits, the share of the ways to understand the message that come to them."""
    plan: Plan | None = None
    """Its edits; None where it orders none, or none that can be made of its intent and slots."""
    problem: StepUnclear | Asked | None = None
    """Why no edits can be made of it, where that can be asked about."""
    likely: float = 1
    """How probable its intent is alone."""

    @property
    def is_sure(self) -> bool:
        """Whether it is an order beyond doubt, all words used."""
        plan = self.plan
        return plan is not None and self.certainty >= _SURE and not (plan.unread or plan.notes or plan.likened)


def is_probable(reading: Reading) -> bool:
    """Say whether edits are most probably what was ordered, and nothing of weight was left unread."""
    plan = reading.plan
    if plan is None or not is_clear(reading, plan):
        return False
    if reading.intent == SEVERAL:
        return reading.certainty >= ACT_ON_SEVERAL
    return chance(reading, plan) >= (ACT_STRICTLY if reading.intent in _TAKES_AWAY else ACT)


def is_clear(reading: Reading, plan: Plan) -> bool:
    """Say whether nothing about edits is to be shown first, however probable they are.

    That is: what was decided without being said, a step that is only likely, a number, a clause or somebody who was not
    read; of an order that takes something away, or of several, any word.
    """
    if plan.notes or any(likely < SURE_STEP for _, likely in plan.likened.values()):
        return False
    if reading.intent in STRICT or reading.intent == SEVERAL:
        return not plan.unread
    return all(word.isalpha() and not is_somebody(plan.workflow, read_tokens(word)) for word in plan.unread)


def chance(reading: Reading, plan: Plan) -> float:
    """Return how probable it is that the edits of a reading are those that were ordered.

    Logistic regression on what is known of the reading (as Platt, "Probabilistic Outputs for Support Vector Machines",
    1999), fitted by `benchmarks/fit_certainty.py`.
    """
    known = signs(reading, plan)
    return 1 / (1 + math.exp(-sum(known[name] * weight for name, weight in _WEIGHTS.items())))


def signs(reading: Reading, plan: Plan) -> dict[str, float]:
    """Return what tells how probable it is that the edits of a reading are those that were ordered."""
    return {
        "any": 1.0,
        "certainty": math.log(max(reading.certainty, _LEAST)),
        "intent": math.log(max(reading.likely, _LEAST)),
        "a step by its meaning": float(bool(plan.likened)),
        "an unread word": float(bool(plan.unread)),
        "a new step": float(reading.intent in _NEW),
    }
