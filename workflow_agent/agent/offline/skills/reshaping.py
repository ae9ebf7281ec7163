"""Edits that make of steps other steps: one of two, two of one, another like one, one after the other."""

from collections.abc import Mapping

from workflow_agent.agent.offline.intents.changes import Change
from workflow_agent.agent.offline.intents.numbers import unquoted
from workflow_agent.agent.offline.intents.text import sentence_case
from workflow_agent.agent.offline.skills.connections import pair
from workflow_agent.agent.offline.skills.plan import Builder, Incomplete, NotReadable, Plan, without_article
from workflow_agent.agent.offline.turn.outcome import JsonObject
from workflow_agent.domain.workflow import Step, Transition, step_document

_PLACES = {
    "before": "before", "ahead of": "before", "right before": "before", "directly before": "before",
    "after": "after", "behind": "after", "right after": "after", "directly after": "after",
}  # fmt: skip
_COPIED = (
    "type", "description", "assignee", "uses", "with", "form", "timeout", "duration", "retry", "escalate_to",
    "permission", "event", "workflow",
)  # fmt: skip
"""What a copy of a step takes over: what it does, by whom and how long; not where it stands."""


def _merge(plan: Plan, change: Change) -> list[JsonObject]:
    """Return two neighbours as one step: the first keeps what it has, the second goes."""
    one, other = pair(plan, change.slots["step"], change.slots["other"], "and")
    first, second = plan.workflow.step(one), plan.workflow.step(other)
    if first is None or second is None or one == other:
        raise NotReadable
    if _leads(plan, other, one):
        first, second = second, first
    elif not _leads(plan, one, other) and _between(plan, one, other) is None:
        raise NotReadable
    name = unquoted(change.slots.get("name", "")) or f"{first.name} and {second.name.lower()}"
    plan.finder.last, plan.prefers_workflow = first.id, False
    return [
        {"op": "remove_step", "step": second.id},
        {"op": "rename_step", "step": first.id, "name": _named(name)},
    ]


def _split(plan: Plan, change: Change) -> list[JsonObject]:
    """Return a step as two: it keeps the decision, so of one that decides the first part is put before it."""
    step = plan.workflow.step(plan.step(change.slots["step"]))
    if step is None:
        raise NotReadable
    if "one" not in change.slots:
        raise Incomplete("What are the two called?", f"split {step.name} into ")
    first, second = (_named(without_article(change.slots[part])) for part in ("one", "two"))
    decides = any(edge.when is not None for edge in plan.workflow.outgoing(step.id))
    added, renamed, place = (first, second, "before") if decides else (second, first, "after")
    draft: JsonObject = {"id": plan.new_id(added), "name": added, "type": step.type}
    draft |= {"assignee": step.assignee} if step.assignee else {}
    plan.added(draft)
    return [
        {"op": "rename_step", "step": step.id, "name": renamed},
        {"op": "insert_step", "step": draft, place: step.id},
    ]


def _copy_step(plan: Plan, change: Change) -> list[JsonObject]:
    """Return another step like one, behind it or where somebody said."""
    step = plan.workflow.step(plan.step(change.slots["step"]))
    if step is None:
        raise NotReadable
    name = f"{step.name} (copy)"
    document = step_document(step)
    draft: JsonObject = {"id": plan.new_id(name), "name": name}
    draft |= {key: document[key] for key in _COPIED if key in document}
    place, anchor = _placed(plan, change.slots.get("beside", ""), step)
    plan.added(draft)
    return [{"op": "insert_step", "step": draft, place: anchor}]


def _placed(plan: Plan, where: str, step: Step) -> tuple[str, str]:
    if not where:
        return "after", step.id
    said = next(word for word in sorted(_PLACES, key=len, reverse=True) if where.lower().startswith(word))
    return _PLACES[said], plan.step(where[len(said) :].strip())


def _in_order(plan: Plan, change: Change) -> list[JsonObject]:
    """Return two steps in the order that is said: of those side by side the one goes behind the other."""
    one, other = _two(plan, change.slots)
    if plan.workflow.step(one) is None or plan.workflow.step(other) is None or one == other:
        raise NotReadable
    ends = _between(plan, one, other)
    if ends is not None:
        return _behind(plan, other, *ends)
    if _leads(plan, other, one):
        return [{"op": "move_step", "step": one, "before": other}]
    return [{"op": "move_step", "step": other, "after": one}]


def _two(plan: Plan, slots: Mapping[str, str]) -> tuple[str, str]:
    if "steps" not in slots:
        return plan.step(slots.get("step") or slots["deed"]), plan.step(slots["other"])
    found = plan.finder.find_all(slots["steps"])
    if len(found) != 2:
        raise NotReadable
    if "step" in slots and plan.step(slots["step"]) == found[1]:
        found.reverse()
    return found[0], found[1]


def _behind(plan: Plan, other: str, way_in: Transition, way_out: Transition) -> list[JsonObject]:
    """Return the edits that take a step out of a fork and put it behind another of its branches."""
    fork, join = way_in.from_, way_out.to
    edits: list[JsonObject] = [
        {"op": "disconnect", "transition": way_in.id},
        {"op": "update_transition", "transition": way_out.id, "set": {"to": other}},
    ]
    if len([edge for edge in plan.workflow.outgoing(fork) if edge.type == "sequence"]) > 2:
        return edits
    # With one branch left there is nothing to part and to join.
    return [*edits, {"op": "remove_step", "step": fork}, {"op": "remove_step", "step": join}]


def _between(plan: Plan, one: str, other: str) -> tuple[Transition, Transition] | None:
    """Return how the second is entered and how the first is left, where both stand side by side in a fork."""
    forks = {step.id for step in plan.workflow.steps if step.type == "fork"}
    joins = {step.id for step in plan.workflow.steps if step.type == "join"}
    ways = plan.workflow.transitions
    entered = {edge.from_: edge for edge in ways if edge.to == other and edge.from_ in forks}
    shared = [edge.from_ for edge in ways if edge.to == one and edge.from_ in entered]
    joined = {edge.to for edge in ways if edge.from_ == other and edge.to in joins}
    left = [edge for edge in ways if edge.from_ == one and edge.to in joined]
    return (entered[shared[0]], left[0]) if shared and left else None


def _leads(plan: Plan, one: str, other: str) -> bool:
    return any(edge.to == other and edge.type != "error" for edge in plan.workflow.outgoing(one))


def _named(name: str) -> str:
    return sentence_case(name) if name.islower() else name


RESHAPING: Mapping[str, Builder] = {
    "merge": _merge,
    "split": _split,
    "copy_step": _copy_step,
    "in_order": _in_order,
}
