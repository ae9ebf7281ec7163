"""Edits of the transitions between steps, those on failure included."""

import itertools
import re
from collections.abc import Iterator, Mapping

from workflow_agent.agent.offline.intents.changes import Change
from workflow_agent.agent.offline.intents.numbers import unquoted
from workflow_agent.agent.offline.intents.stems import content_words, likeness, phrase_score
from workflow_agent.agent.offline.skills.plan import Builder, Incomplete, NotReadable, Plan
from workflow_agent.agent.offline.skills.steps import StepUnclear
from workflow_agent.agent.offline.turn.outcome import Candidate, JsonObject
from workflow_agent.domain.workflow import Transition

_NAMED = 0.8
_NEGATION = re.compile(r"\b(?:not|no|never|isn't|doesn't|don't|won't|without)\b", re.IGNORECASE)
_MOST_SPLITS = 4


def pair(plan: Plan, one: str, other: str, link: str) -> tuple[str, str]:
    """Return the two steps that "talk to counterparty to draft contract" joins.

    The word between may stand in a step's name too, so every place where it stands is tried.
    """
    first: StepUnclear | None = None
    for left, right in itertools.islice(_splits(one, other, link), _MOST_SPLITS):
        try:
            return plan.step(left), plan.step(right)
        except StepUnclear as unclear:
            first = first or unclear
    raise first or StepUnclear(one)


def _splits(one: str, other: str, link: str) -> Iterator[tuple[str, str]]:
    yield one, other
    words = other.split(f" {link} ")
    for at in range(1, len(words)):
        yield f" {link} ".join([one, *words[:at]]), f" {link} ".join(words[at:])


def _connect(plan: Plan, change: Change) -> list[JsonObject]:
    condition = unquoted(change.slots.get("cond", ""))
    if "from" in change.slots:
        source, target, condition = _from(plan, change, condition)
    else:
        source, target = _source_of(plan, change), plan.step(change.slots["to"])
    taken = _of_this_case(plan, source, condition) or _of_like_case(plan, source, condition)
    if condition and taken is not None:
        return [{"op": "update_transition", "transition": taken.id, "set": {"to": target}}]
    edit: JsonObject = {"op": "connect", "from": source, "to": target}
    return [edit | ({"type": "condition", "when": {"text": condition}} if condition else {})]


def _from(plan: Plan, change: Change, condition: str) -> tuple[str, str, str]:
    """Return the two steps and the case; what leaves may be a case itself: "a declined request"."""
    said, to = change.slots["from"], change.slots["to"]
    try:
        return *pair(plan, said, to, "to"), condition
    except StepUnclear as unclear:
        case = [] if condition or unclear.candidates else cases_of(plan, said)
        if not case:
            raise
        return case[0].from_, plan.step(to), said


def _of_this_case(plan: Plan, source: str, condition: str) -> Transition | None:
    """Return the transition that is taken in this case already: two of them would contradict each other."""
    if plan.workflow.step(source) is None or _NEGATION.search(condition):
        return None
    said = content_words(condition)
    cases = (edge for edge in plan.workflow.outgoing(source) if edge.when is not None and edge.when.text)
    return next((edge for edge in cases if _is_case(edge, said)), None)


def _of_like_case(plan: Plan, source: str, condition: str) -> Transition | None:
    """Return the transition that is taken in a case said in other words: declined for rejected."""
    if plan.workflow.step(source) is None or _NEGATION.search(condition):
        return None
    said = content_words(condition)
    cases = (edge for edge in plan.workflow.outgoing(source) if edge.when is not None and edge.when.text)
    return next((edge for edge in cases if _is_case(edge, said, related=True)), None)


def _is_case(edge: Transition, said: list[str], *, related: bool = False) -> bool:
    text = (edge.when.text if edge.when else "") or ""
    return not _NEGATION.search(text) and all(
        any(likeness(word, one, related=related) > 0 for one in said) for word in content_words(text)
    )


def cases_of(plan: Plan, condition: str) -> list[Transition]:
    """Return the transitions taken in a case, of the one step they can be meant of.

    Raises:
        StepUnclear: Several steps know the case, and nothing says which is meant.
    """
    steps = [one for one in plan.finder.steps if one.type != "end"]
    if condition.lower() in plan.finder.chosen:
        steps = [one for one in steps if one.id == plan.finder.chosen[condition.lower()]]
    found = [edge for one in steps if (edge := _of_this_case(plan, one.id, condition)) is not None]
    found = found or [edge for one in steps if (edge := _of_like_case(plan, one.id, condition)) is not None]
    said = [edge for edge in found if _is_said_of(plan, edge.from_, condition)]
    spoken_of = [edge for edge in found if edge.from_ == plan.finder.last]
    meant = said or spoken_of or found
    if len(meant) > 1:
        names = {one.id: one.name for one in steps}
        raise StepUnclear(condition, [Candidate(edge.from_, names[edge.from_]) for edge in meant])
    return meant


def _is_said_of(plan: Plan, step_id: str, condition: str) -> bool:
    """Say whether a condition names a step, by its name or by who does it."""
    step = next(one for one in plan.finder.steps if one.id == step_id)
    return any(name and phrase_score(name, [condition]) >= _NAMED for name in (step.name, step.assignee))


def _on_case(plan: Plan, change: Change) -> list[JsonObject]:
    """Return a step put on the way that is taken in a case: "when it is rejected, tell the employee"."""
    meant = cases_of(plan, unquoted(change.slots["cond"]))
    if not meant or plan.drafting.parse_step(change.slots["do"]) is None:
        raise NotReadable
    draft = plan.step_draft(change.slots["do"])
    plan.added(draft)
    return [{"op": "insert_step", "step": draft, "between": [meant[0].from_, meant[0].to]}]


def _source_of(plan: Plan, change: Change) -> str:
    """Return the step a connection leaves; "if the manager asks ..." names it by who decides there."""
    condition, target = change.slots["cond"], change.slots["to"]
    case = cases_of(plan, condition)
    if case:
        return case[0].from_
    deciding = [
        s.id
        for s in plan.finder.steps
        if s.type != "end" and s.assignee and phrase_score(s.assignee, [condition]) >= _NAMED
    ]
    if len(deciding) == 1:
        return plan.step(deciding[0])
    try:
        return plan.step(condition)
    except StepUnclear:
        raise Incomplete("From which step?", "connect ", f" to {target} if {condition}") from None


def _disconnect(plan: Plan, change: Change) -> list[JsonObject]:
    source, target = pair(plan, change.slots["from"], change.slots["to"], "to")
    return [{"op": "disconnect", "from": source, "to": target}]


def _error_path(plan: Plan, change: Change) -> list[JsonObject]:
    step = plan.step(change.slots["step"])
    if "to" in change.slots:
        return [_on_error(plan, step, plan.finder.find(change.slots["to"]))]
    if "do" not in change.slots:
        return [{"op": "add_error_path", "step": step}]
    draft = plan.step_draft(change.slots["do"])
    known = [one.id for one in plan.finder.steps if one.name.lower() == str(draft["name"]).lower()]
    if len(known) == 1:
        return [_on_error(plan, step, known[0])]
    plan.added(draft)
    if (handler := _handler(plan, step)) is not None:
        # What handles the failure must not be cut off by the way: the new step comes before it.
        return [{"op": "insert_step", "step": draft, "between": [step, handler]}]
    return [{"op": "add_step", "step": draft}, {"op": "add_error_path", "step": step, "to": draft["id"]}]


def _handler(plan: Plan, step: str) -> str | None:
    """Return the step that every failure of a step leads to and nothing else of it does, or None."""
    ways = plan.workflow.outgoing(step) if plan.workflow.step(step) is not None else ()
    handlers = [edge.to for edge in ways if edge.type == "error" and not edge.errors]
    shared = [edge for edge in ways if edge.type != "error" and edge.to in handlers]
    return handlers[0] if len(handlers) == 1 and not shared else None


def _on_error(plan: Plan, step: str, handler: str) -> JsonObject:
    """Return the edit that leads a failure to a step: the transition that is there goes there now."""
    known = plan.workflow.outgoing(step) if plan.workflow.step(step) is not None else ()
    for edge in known:
        if edge.type == "error" and not edge.errors:
            return {"op": "update_transition", "transition": edge.id, "set": {"to": handler}}
    return {"op": "add_error_path", "step": step, "to": handler}


CONNECTIONS: Mapping[str, Builder] = {
    "connect": _connect,
    "on_case": _on_case,
    "disconnect": _disconnect,
    "error_path": _error_path,
}
