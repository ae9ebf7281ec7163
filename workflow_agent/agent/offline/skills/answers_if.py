"""Answers about what happens under a condition, when something fails, and when nobody acts in time."""

import re
from collections.abc import Iterable

from workflow_agent.agent.offline.intents.stems import phrase_score
from workflow_agent.agent.offline.skills.answers import Inquiry
from workflow_agent.agent.offline.wording.lists import joined
from workflow_agent.agent.offline.wording.workflow import condition_of, named, way_on
from workflow_agent.domain.durations import duration_in_words
from workflow_agent.domain.workflow import Step, Transition, Workflow

_NOT = re.compile(
    r"\b(?:not|isn't|never|doesn't|don't|no|n't|won't|refuses to|without)\b|n't\b", re.IGNORECASE
)
_FAILS = re.compile(r"\b(?:fail\w*|errors?|crash\w*|breaks?|goes wrong|unavailable|down)\b", re.IGNORECASE)
_LATE = re.compile(
    r"\b(?:late|time(?:s|d)? out|timeout|deadline|overdue|too long|in time|respond\w*|answer\w*|react\w*|"
    r"reply|replies|holiday|vacation|"
    r"absent|away|sick|expires?|nobody|no one|does nothing)\b",
    re.IGNORECASE,
)
_SAYS_NO = re.compile(
    r"\b(?:(?:says?|said) no|turns? (?:it|this|that) down|declines?|refuses?|disagrees?|dislikes? it|"
    r"vetoes|(?:is|are) against it)\b",
    re.IGNORECASE,
)
_SAYS_YES = re.compile(
    r"\b(?:(?:says?|said) (?:yes|ok|okay)|agrees?|accepts? it|gives? the go|is fine with it)\b", re.IGNORECASE
)
_FITS = 0.55


def what_follows(workflow: Workflow, step: Step) -> str:
    """Return what comes after a step, branch by branch."""
    ways = workflow.outgoing(step.id)
    if not ways:
        return f"Nothing: {named(step)} is where it ends" + (f" ({step.outcome})." if step.outcome else ".")
    if len(ways) == 1 and not condition_of(ways[0]):
        return f"After {named(step)} comes {onwards(workflow, ways[0].to)}."
    return f"After {named(step)}:\n\n" + "\n".join(f"- {way_on(workflow, edge)}" for edge in ways)


def onwards(workflow: Workflow, step_id: str) -> str:
    """Return a step and the plain way on from it, up to the next branch or end."""
    told: list[str] = []
    here: str | None = step_id
    while here is not None and len(told) < 8:
        step = next(step for step in workflow.steps if step.id == here)
        told.append(named(step) + (", the end" if step.type == "end" else ""))
        ways = workflow.outgoing(here)
        here = (
            ways[0].to
            if len(ways) == 1 and not condition_of(ways[0]) and f"(`{ways[0].to}`)" not in " ".join(told)
            else None
        )
    return ", then ".join(told)


def edges_about(workflow: Workflow, phrase: str) -> list[Transition]:
    """Return the transitions whose condition a phrase names, those that name it best."""
    scored = [
        (_fits_edge(workflow, phrase, edge), edge)
        for edge in workflow.transitions
        if condition_of(edge) and edge.type != "error"
    ]
    best = max((score for score, _ in scored), default=0.0)
    return [edge for score, edge in scored if score >= max(best - 0.1, _FITS)]


def _fits_edge(workflow: Workflow, phrase: str, edge: Transition) -> float:
    condition = condition_of(edge)
    step = next(step for step in workflow.steps if step.id == edge.from_)
    return phrase_score(phrase, [condition, f"{condition} {step.assignee or ''} {step.name}"])


def ways_told(workflow: Workflow, edges: Iterable[Transition]) -> str:
    """Return where each of some transitions leads, and from which decision."""
    steps = {step.id: step for step in workflow.steps}
    lines = [
        f"At {named(steps[e.from_])}, if {condition_of(e)}: it goes to {onwards(workflow, e.to)}."
        for e in edges
    ]
    return "\n".join(lines)


def what_if(inquiry: Inquiry) -> str | None:
    """Say what happens under a condition: a branch, a failure, a deadline that passes, a step reached."""
    condition = _SAYS_YES.sub("approved", _SAYS_NO.sub("rejected", inquiry.slot("condition")))
    workflow = inquiry.workflow
    if _NOT.search(condition) and not _LATE.search(condition):
        plain = _NOT.sub(" ", condition)
        positive = edges_about(workflow, plain)
        sources = dict.fromkeys(edge.from_ for edge in positive)
        others = [edge for source in sources for edge in workflow.outgoing(source) if edge not in positive]
        if others:
            return (
                ways_told(workflow, others)
                if all(condition_of(e) for e in others)
                else _plainways_told(workflow, others)
            )
    edges = edges_about(workflow, condition)
    if edges:
        return ways_told(workflow, edges)
    if _LATE.search(condition):
        return _when_late(inquiry, _LATE.sub(" ", _NOT.sub(" ", condition)))
    if _FAILS.search(condition):
        return _when_failing(inquiry, _FAILS.sub(" ", condition))
    steps = inquiry.steps(condition)
    return "\n".join(what_follows(workflow, step) for step in steps) if steps else None


def _plainways_told(workflow: Workflow, edges: Iterable[Transition]) -> str:
    return "\n".join(f"- {way_on(workflow, edge)}" for edge in edges)


def _when_failing(inquiry: Inquiry, phrase: str) -> str:
    steps = inquiry.steps(phrase) if phrase.strip() else []
    steps = steps or [step for step in inquiry.workflow.steps if step.type == "action"]
    return (
        "\n".join(_failure_of(inquiry.workflow, step) for step in steps)
        or "It has no step that runs by itself and could fail."
    )


def _failure_of(workflow: Workflow, step: Step) -> str:
    retry = f"it is tried up to {step.retry.max_attempts} times" if step.retry else "it is not retried"
    errors = [edge for edge in workflow.outgoing(step.id) if edge.type == "error"]
    if errors:
        handlers = joined([onwards(workflow, edge.to) for edge in errors], "or")
        return f"If {named(step)} fails, {retry}, then {handlers}."
    return f"If {named(step)} fails, {retry}, and there is no error path: the workflow stops there."


def _when_late(inquiry: Inquiry, phrase: str) -> str:
    steps = inquiry.steps(phrase) if phrase.strip() else []
    steps = steps or [step for step in inquiry.workflow.steps if step.type in ("human", "event")]
    return "\n".join(_lateness_of(step) for step in steps) or "No step waits for anybody."


def _lateness_of(step: Step) -> str:
    if step.timeout is None:
        return f"{named(step)} has no deadline: it waits until somebody acts."
    escalated = (
        f", then it goes to {step.escalate_to}"
        if step.escalate_to
        else ", and nothing says what follows then"
    )
    return f"{named(step)} has {duration_in_words(step.timeout)}{escalated}."
