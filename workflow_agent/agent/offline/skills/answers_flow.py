"""Answers about the way through a workflow: what follows, what comes before, what happens if."""

import re
from collections.abc import Mapping

from workflow_agent.agent.offline.skills.answers import Answer, Inquiry, all_named
from workflow_agent.agent.offline.skills.answers_if import edges_about, ways_told, what_follows, what_if
from workflow_agent.agent.offline.wording.lists import joined
from workflow_agent.agent.offline.wording.workflow import condition_of, ends_line, named, starts_line
from workflow_agent.domain.workflow import Step, Workflow


def _after(inquiry: Inquiry) -> str | None:
    phrase = inquiry.slot("step") or "it"
    steps = inquiry.steps(phrase)
    if not steps:
        edges = edges_about(inquiry.workflow, phrase)
        return ways_told(inquiry.workflow, edges) if edges else None
    return "\n".join(what_follows(inquiry.workflow, step) for step in steps)


def _before(inquiry: Inquiry) -> str | None:
    phrase = inquiry.slot("step") or "it"
    steps = inquiry.steps(phrase)
    if not steps:
        return None
    return "\n".join(_what_precedes(inquiry.workflow, step) for step in steps)


def _what_precedes(workflow: Workflow, step: Step) -> str:
    ways = workflow.incoming(step.id)
    is_start = step.id == workflow.start
    if not ways:
        return f"Nothing comes before {named(step)}: it is " + (
            "the first step." if is_start else "not reached from anywhere."
        )
    steps = {item.id: item for item in workflow.steps}
    came = joined(
        [
            named(steps[edge.from_]) + (f" (if {condition_of(edge)})" if condition_of(edge) else "")
            for edge in ways
        ],
        "or",
    )
    return f"{named(step)} is reached from {came}" + (", and it is the first step." if is_start else ".")


def _order(inquiry: Inquiry) -> str | None:
    if not inquiry.slot("step") or not inquiry.slot("other"):
        return _ends_of_order(inquiry)
    ones, others = inquiry.steps(inquiry.slot("step")), inquiry.steps(inquiry.slot("other"))
    if not ones or not others:
        return None
    one, other = ones[0], others[0]
    forward, back = (
        other.id in reachable(inquiry.workflow, one.id),
        one.id in reachable(inquiry.workflow, other.id),
    )
    if forward and back:
        return f"Both: {named(one)} and {named(other)} are in a loop, each can come before the other."
    if forward or back:
        first, second = (one, other) if forward else (other, one)
        return f"{named(first)} comes before {named(second)}."
    return f"Neither: no way leads from {named(one)} to {named(other)} or back."


def _ends_of_order(inquiry: Inquiry) -> str | None:
    text = inquiry.text.lower()
    if re.search(r"\b(?:end|ends|finish|finishes|stop|stops|terminate|final|last|closing|conclude)\b", text):
        last = [step for step in inquiry.workflow.steps if step.type != "end"][-1:]
        return (f"The last step before the end is {all_named(last)}. " if last else "") + ends_line(
            inquiry.workflow
        )
    phrase = next((word for word in ("second", "third", "fourth", "fifth") if word in text), "")
    steps = inquiry.steps(phrase) if phrase else [inquiry.step(inquiry.workflow.start)]
    return " ".join(_about_position(step, phrase or "first") for step in steps) or None


def _about_position(step: Step, position: str) -> str:
    return f"The {position} step is {named(step)}" + (f", done by {step.assignee}." if step.assignee else ".")


def reachable(workflow: Workflow, step_id: str) -> set[str]:
    """Return the ids of the steps that can come after a step; the step itself only when a loop leads back."""
    seen: set[str] = set()
    waiting = [edge.to for edge in workflow.outgoing(step_id)]
    while waiting:
        here = waiting.pop()
        if here not in seen:
            seen.add(here)
            waiting += [edge.to for edge in workflow.outgoing(here)]
    return seen


def _loops(inquiry: Inquiry) -> str | None:
    workflow = inquiry.workflow
    looped = [step for step in workflow.steps if step.id in reachable(workflow, step.id)]
    if not looped and not any(step.type == "loop" for step in workflow.steps):
        return f"No, **{workflow.name}** has no loop: every step is passed at most once."
    looped = looped or [step for step in workflow.steps if step.type == "loop"]
    return f"Yes, it can go round through {all_named(looped)}."


def _parallels(inquiry: Inquiry) -> str | None:
    workflow = inquiry.workflow
    steps = {step.id: step for step in workflow.steps}
    found = [
        f"after {named(step)}: {all_named(steps[edge.to] for edge in plain)}"
        for step in workflow.steps
        if len(
            plain := [
                edge
                for edge in workflow.outgoing(step.id)
                if edge.type == "sequence" and not condition_of(edge)
            ]
        )
        > 1
    ]
    return (
        f"At the same time run, {'; '.join(found)}."
        if found
        else f"Nothing in **{workflow.name}** runs in parallel."
    )


FLOW: Mapping[str, Answer] = {
    "after": _after,
    "before": _before,
    "if": what_if,
    "order": _order,
    "loops": _loops,
    "parallels": _parallels,
    "starts": lambda inquiry: f"**{inquiry.workflow.name}**: {starts_line(inquiry.workflow)}",
    "ends": lambda inquiry: ends_line(inquiry.workflow) or f"**{inquiry.workflow.name}** has no end step.",
}
