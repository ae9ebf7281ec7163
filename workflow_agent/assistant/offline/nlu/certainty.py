"""How probable it is that the edits of a reading are what was ordered, and whether that is enough to make them."""

import math
from dataclasses import dataclass

from workflow_agent.assistant.offline.nlu.header import OF_HEADER
from workflow_agent.assistant.offline.nlu.slots import SURE_STEP
from workflow_agent.assistant.offline.nlu.tagging import SEVERAL
from workflow_agent.assistant.offline.people import is_somebody
from workflow_agent.assistant.offline.plan import Asked, Plan
from workflow_agent.assistant.offline.references import StepUnclear
from workflow_agent.assistant.offline.tokens import Tokens, read_tokens
from workflow_agent.assistant.offline.values import tells_time

ACT = 0.75
"""How probable it must be that edits are what was ordered for them to be made."""
ACT_BESIDE = 0.82
"""The same where a word was not read."""
ACT_DRAWING = 0.85
"""The same where steps or ways are drawn: where they belong is not told by the labels that the chance is fitted to. Of
development orders carried out at .75 those that draw were wrong in 18 of 333 cases, those that set a field in 5 of 504
(ADR 0141)."""
ACT_ON_CASE = 0.97
"""The same where a way is drawn for a case, which must fit the ways that lead on from the same step."""
ACT_ON_SEVERAL = 0.7
"""How certain a reading of several orders must be for them to be carried out."""
_SURE = 0.9
"""The same for a message to be an order that does not begin like one."""
STRICT = frozenset({"remove", "replace", "rename", "wfname", "disconnect", "merge", "uses"})
"""Intents of which every word must be one that people order this with: what goes does not come back by itself."""
TAKES_AWAY = frozenset({"remove", "replace", "disconnect", "merge"})
DRAWS = (
    TAKES_AWAY
    | {"insert", "approve", "notify", "error", "move", "optional"}
    | {"connect", "redirect", "parallel", "serial"}
)
"""Intents that draw steps or ways."""
_LEAST = 0.001
"""Below which a probability says no more."""
_WEIGHTS = {"any": -1.36, "certainty": 0.36, "rival": -0.48, "other": -0.7, "no edit": 2.3}


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
    rival: float = 0
    """How probable the likeliest other edits are."""
    other: float = 0
    """How probable it is that the message is something of which no edits can be made."""
    no_edit: float = 0
    """How probable it is that the message orders no edit."""

    @property
    def is_sure(self) -> bool:
        """Whether it is an order beyond doubt, all words used."""
        plan = self.plan
        beyond = plan is not None and not (plan.unread or plan.notes or plan.guesses or plan.likened)
        return beyond and self.certainty >= _SURE


def is_probable(reading: Reading) -> bool:
    """Say whether edits are most probably what was ordered, and nothing of weight was left unread."""
    plan = reading.plan
    if plan is None or not is_clear(reading, plan):
        return False
    if reading.intent == SEVERAL:
        return reading.certainty >= ACT_ON_SEVERAL
    # Which step words mean is not told by the labels that the chance is fitted to.
    sure = chance(reading) * math.prod(likely for _, likely in plan.likened.values())
    bars = [ACT]
    if reading.intent in DRAWS:
        bars.append(ACT_DRAWING)
    if reading.intent == "case":
        bars.append(ACT_ON_CASE)
    if plan.unread:
        bars.append(ACT_BESIDE)
    return sure >= max(bars)


def is_clear(reading: Reading, plan: Plan) -> bool:
    """Say whether nothing about edits is to be shown first, however probable they are.

    That is: what was decided without being said; a number, a clause, a denial, somebody or a step that was not read; of
    an order that takes something away, or of several, any word, and a step known by its meaning that is only likely.
    """
    torn = plan.unread or any(likely < SURE_STEP for _, likely in plan.likened.values())
    if plan.notes or (torn and reading.intent in TAKES_AWAY):
        return False
    if reading.intent == SEVERAL and (torn or plan.guesses):
        return False
    names = reading.intent not in OF_HEADER
    return all(word.isalpha() and _says_little(read_tokens(word), plan, names=names) for word in plan.unread)


def _says_little(word: Tokens, plan: Plan, *, names: bool) -> bool:
    """Say whether a word that was not read may be passed over, as it counts and denies nothing.

    Nor does it name a step or somebody, where the order is about these.
    """
    if tells_time(word[0]) or word[0].has("neg"):
        return False
    return not names or not (is_somebody(plan.workflow, word) or plan.fits(word))


def chance(reading: Reading) -> float:
    """Return how probable it is that the edits of a reading are those that were ordered.

    Logistic regression on what is known of the reading (as Platt, "Probabilistic Outputs for Support Vector Machines",
    1999), fitted by `benchmarks/fit_certainty.py`.
    """
    return 1 / (1 + math.exp(-sum(value * _WEIGHTS[name] for name, value in signs(reading).items())))


def signs(reading: Reading) -> dict[str, float]:
    """Return what tells how probable it is that the edits of a reading are those that were ordered."""
    return {
        "any": 1.0,
        "certainty": math.log(max(reading.certainty, _LEAST)),
        "rival": math.log(reading.rival + _LEAST),
        "other": math.log(max(reading.other, _LEAST)),
        "no edit": math.log(max(1 - reading.no_edit, _LEAST)),
    }
