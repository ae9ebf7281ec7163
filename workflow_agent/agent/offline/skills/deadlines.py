"""Edits of how long a step may take: set, made longer or shorter, taken away."""

import re
from collections.abc import Mapping

from workflow_agent.agent.offline.intents.changes import Change
from workflow_agent.agent.offline.skills.plan import Builder, Incomplete, Plan
from workflow_agent.agent.offline.turn.outcome import JsonObject
from workflow_agent.domain.analysis.durations import seconds_of
from workflow_agent.domain.workflow import Step

_MORE = re.compile(r"\bmore\b", re.IGNORECASE)
_UNITS = (("P{}D", 86_400), ("PT{}H", 3_600), ("PT{}M", 60), ("PT{}S", 1))
_CALENDAR = re.compile(r"P[^T]*[YM]")
"""Months and years have no fixed length to add to."""


def _timeout(plan: Plan, change: Change) -> list[JsonObject]:
    sign = 1 if _MORE.search(change.slots.get("dur", "")) else 0
    edits = [_limit(plan, step, change, sign) for step in plan.finder.find_all(change.slots["step"])]
    plan.prefers_workflow = False
    return edits


def _longer(plan: Plan, change: Change) -> list[JsonObject]:
    return [_limit(plan, step, change, 1) for step in plan.finder.find_all(change.slots["step"])]


def _shorter(plan: Plan, change: Change) -> list[JsonObject]:
    return [_limit(plan, step, change, -1) for step in plan.finder.find_all(change.slots["step"])]


def _limit(plan: Plan, step_id: str, change: Change, sign: int) -> JsonObject:
    """Return the edit that sets how long a step may take; with a sign, by how much longer or shorter."""
    step, duration = plan.workflow.step(step_id), str(change.values["duration"])
    if step is not None and sign:
        duration = _changed_by(step, duration, sign)
    if step is not None and step.type == "wait":
        return {"op": "update_step", "step": step_id, "set": {"duration": duration}}
    return {"op": "set_timeout", "step": step_id, "timeout": duration}


def _changed_by(step: Step, duration: str, sign: int) -> str:
    now = step.duration if step.type == "wait" else step.timeout
    if now is None or _CALENDAR.match(now) or _CALENDAR.match(duration):
        raise Incomplete(f"How long may {step.name} take in all?", f"give {step.id} ")
    seconds = int(seconds_of(now) + sign * seconds_of(duration))
    if seconds <= 0:
        raise Incomplete(f"{step.name} has only {now} now. How long may it take?", f"give {step.id} ")
    pattern, unit = next(pair for pair in _UNITS if seconds % pair[1] == 0)
    return pattern.format(seconds // unit)


def _no_timeout(plan: Plan, change: Change) -> list[JsonObject]:
    return [{"op": "set_timeout", "step": plan.step(change.slots["step"]), "timeout": None}]


DEADLINES: Mapping[str, Builder] = {
    "timeout": _timeout,
    "longer": _longer,
    "shorter": _shorter,
    "no_timeout": _no_timeout,
}
