"""Edits of how long a step may take: set, made longer or shorter, taken away."""

import re
from collections.abc import Mapping

from workflow_agent.agent.offline.intents.changes import Change
from workflow_agent.agent.offline.intents.numbers import unquoted
from workflow_agent.agent.offline.skills.plan import Builder, Incomplete, NotReadable, Plan
from workflow_agent.agent.offline.skills.steps import StepUnclear
from workflow_agent.agent.offline.turn.outcome import JsonObject
from workflow_agent.domain.durations import amounts_in, duration_of, exact_seconds
from workflow_agent.domain.workflow import Step
from workflow_agent.domain.workflow_parsing import slug

_MORE = re.compile(r"\bmore\b", re.IGNORECASE)


def _timeout(plan: Plan, change: Change) -> list[JsonObject]:
    sign = 1 if _MORE.search(change.slots.get("dur", "")) else 0
    steps = _steps_meant(plan, change)
    edits = [_limit(plan, step, change, sign) for step in steps]
    plan.prefers_workflow = False
    return edits


def _steps_meant(plan: Plan, change: Change) -> list[str]:
    slots = change.slots
    if "thing" in slots:
        return [plan.step(f"{slots['done']} {slots['thing']}")]
    if "steps" in slots:
        return plan.finder.find_all(slots["steps"])
    return _of_who(plan, change) if "who" in slots else plan.finder.find_all(slots.get("step", "it"))


def _of_who(plan: Plan, change: Change) -> list[str]:
    """Return the step that somebody has a time for; of several, the one that is theirs.

    Raises:
        StepUnclear: None is theirs, or several are.
    """
    who = slug(unquoted(change.slots["who"]).removeprefix("the "))
    try:
        return list(plan.finder.find_all(change.slots.get("step") or change.slots["deed"]))
    except StepUnclear as unclear:
        steps = [step for one in unclear.candidates if (step := plan.workflow.step(one.id))]
        theirs = [step.id for step in steps if step.assignee is not None and slug(step.assignee) == who]
        if len(theirs) != 1:
            raise
        return theirs


def _longer(plan: Plan, change: Change) -> list[JsonObject]:
    return [_limit(plan, step, change, 1) for step in plan.finder.find_all(change.slots["step"])]


def _shorter(plan: Plan, change: Change) -> list[JsonObject]:
    return [_limit(plan, step, change, -1) for step in plan.finder.find_all(change.slots["step"])]


_FACTORS = {"double": 2.0, "triple": 3.0, "half": 0.5}


def _scale(plan: Plan, change: Change) -> list[JsonObject]:
    """Return how long a step may take as a multiple of what it may take now."""
    step = plan.workflow.step(plan.step(change.slots["step"]))
    now = exact_seconds((step.duration if step.type == "wait" else step.timeout) if step else None)
    if step is None or now is None:
        name = step.name if step else change.slots["step"]
        raise Incomplete(f"{name} has no deadline yet. How long may it take?", f"give {name} ")
    return [_set_limit(step, duration_of(now * _FACTORS[change.place]))]


def _count(plan: Plan, change: Change) -> list[JsonObject]:
    """Return "make it three" as so many of the units that the deadline has now."""
    step = plan.workflow.step(plan.finder.last or "")
    amounts = amounts_in((step.duration if step.type == "wait" else step.timeout) or "") if step else None
    if step is None or amounts is None or len(amounts) != 1:
        raise NotReadable
    unit = amounts[0][1]
    return [_set_limit(step, _UNITS[unit].format(change.values["number"]))]


_UNITS = {
    "year": "P{}Y", "month": "P{}M", "week": "P{}W", "day": "P{}D", "hour": "PT{}H", "minute": "PT{}M",
    "second": "PT{}S",
}  # fmt: skip


def _set_limit(step: Step, duration: str) -> JsonObject:
    if step.type == "wait":
        return {"op": "update_step", "step": step.id, "set": {"duration": duration}}
    return {"op": "set_timeout", "step": step.id, "timeout": duration}


def _limit(plan: Plan, step_id: str, change: Change, sign: int) -> JsonObject:
    """Return the edit that sets how long a step may take; with a sign, by how much longer or shorter."""
    step, duration = plan.workflow.step(step_id), str(change.values["duration"])
    if step is not None and sign:
        duration = _changed_by(step, duration, sign)
    return (
        _set_limit(step, duration)
        if step is not None
        else {"op": "set_timeout", "step": step_id, "timeout": duration}
    )


def _changed_by(step: Step, duration: str, sign: int) -> str:
    now = step.duration if step.type == "wait" else step.timeout
    before, by = exact_seconds(now), exact_seconds(duration)
    if before is None or by is None:
        raise Incomplete(f"How long may {step.name} take in all?", f"give {step.id} ")
    seconds = int(before + sign * by)
    if seconds <= 0:
        raise Incomplete(f"{step.name} has only {now} now. How long may it take?", f"give {step.id} ")
    return duration_of(seconds)


def _no_timeout(plan: Plan, change: Change) -> list[JsonObject]:
    return [{"op": "set_timeout", "step": plan.step(change.slots.get("step", "it")), "timeout": None}]


DEADLINES: Mapping[str, Builder] = {
    "timeout": _timeout,
    "longer": _longer,
    "shorter": _shorter,
    "no_timeout": _no_timeout,
    "scale": _scale,
    "count": _count,
}
