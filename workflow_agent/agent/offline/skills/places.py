"""Where a new or moved step goes."""

import re
from collections.abc import Mapping

from workflow_agent.agent.offline.intents.numbers import number_of
from workflow_agent.agent.offline.skills.plan import Incomplete, NotReadable, Plan, without_article
from workflow_agent.agent.offline.skills.steps import StepUnclear
from workflow_agent.agent.offline.turn.outcome import Candidate, JsonObject

_SETTING = re.compile(
    r"(?:an? |the |some |more )*(?:[\w-]+ ){0,2}(?:timeout|deadline|time limit|retry|retries|owner|"
    r"assignee)\b"
)
_NOT_A_STEP = re.compile(
    r"(?:an? |the |some |new |another )*(?:tags?|alias(?:es)?|trigger|schedule|description|workflow|"
    r"process)\b"
)
_STARTS = frozenset({"first", "1", "one", "opening", "initial"})


def refuse_settings(what: str) -> None:
    """Refuse readings in which a deadline, a tag or the like would become a step."""
    word = what.lower()
    if _SETTING.match(word):
        raise Incomplete("Which step is that for?", f"add {what} to ")
    if _NOT_A_STEP.match(word):
        raise NotReadable


def where_of(plan: Plan, slots: Mapping[str, str], place: str) -> JsonObject:
    """Return where an edit puts a step, as its fields: before, after or between which steps.

    Raises:
        StepUnclear: The step it goes beside is not clear.
        Incomplete: Nothing says where.
    """
    anchor = slots.get("anchor", "")
    match place:
        case "between":
            return {"between": [plan.step(anchor), plan.step(slots["anchor2"])]}
        case "before" | "after":
            return {place: plan.step(anchor)}
        case "start":
            return {"before": plan.workflow.start}
        case "end":
            return _at_the_end(plan)
        case "position":
            return _at_position(plan, slots["position"])
        case _:
            what = slots["what"]
            raise Incomplete(f"Where should “{without_article(what)}” go?", f"add {what} ")


def _at_position(plan: Plan, position: str) -> JsonObject:
    if position.lower() in _STARTS:
        return {"before": plan.workflow.start}
    if position.lower() in ("last", "final"):
        return _at_the_end(plan)
    number = number_of(position)
    work = [step for step in plan.finder.steps if step.type != "end"]
    if number is not None and number == len(work) + 1:
        return _at_the_end(plan)
    return {"before": plan.finder.find(f"step {position}" if number else f"the {position} step")}


def _at_the_end(plan: Plan) -> JsonObject:
    """Return the place before the one happy end, or after the last step when nothing is marked as an end."""
    ends = [step for step in plan.workflow.steps if step.type == "end"]
    happy = [
        step for step in ends if (step.outcome or "ok").lower() in ("ok", "success", "completed", "done")
    ] or ends
    if len(happy) == 1:
        return {"before": happy[0].id}
    if happy:
        raise StepUnclear("the end", [Candidate(step.id, step.name) for step in happy])
    last = [step for step in plan.workflow.steps if not plan.workflow.outgoing(step.id)]
    return {"after": (last or list(plan.workflow.steps))[-1].id}
