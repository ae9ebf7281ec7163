"""Edits of what is done in one case only: steps on a condition, and the amounts that conditions name."""

import re
from collections.abc import Mapping, Sequence

from workflow_agent.agent.offline.intents.changes import Change
from workflow_agent.agent.offline.intents.numbers import unquoted
from workflow_agent.agent.offline.intents.text import sentence_case
from workflow_agent.agent.offline.skills.connections import cases_of
from workflow_agent.agent.offline.skills.deeds import deed_draft
from workflow_agent.agent.offline.skills.plan import Builder, Incomplete, NotReadable, Plan
from workflow_agent.agent.offline.skills.steps import StepUnclear
from workflow_agent.agent.offline.turn.outcome import JsonObject
from workflow_agent.agent.offline.wording.lists import joined
from workflow_agent.domain.edits.flow import exits, main_exit
from workflow_agent.domain.edits.graph_draft import GraphDraft
from workflow_agent.domain.workflow import Transition

_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_HANDED = re.compile(
    r"(?:send|give|pass|forward|hand|route|take)(?: it| this| them)?(?: on| over)? to (?:the |our )?(.+)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"^(?:it is |it's |it |they are |that is |there is |there are |the )", re.IGNORECASE)


def _only_if(plan: Plan, change: Change) -> list[JsonObject]:
    """Return a step done in one case only: with another amount on its way in, or behind a new decision."""
    step, condition = _step_of(plan, change), unquoted(change.slots.get("cond") or change.slots["limit"])
    if (known := comparable(plan, step, condition)) is not None:
        return [with_text(known, condition)]
    return _gated(plan, step, condition, past=_elsewhere(plan, change, step), is_case_of_step=True)


def _skip_if(plan: Plan, change: Change) -> list[JsonObject]:
    """Return a step that one case goes past."""
    step, condition = _step_of(plan, change), unquoted(change.slots["cond"])
    return _gated(plan, step, condition, past=_after(plan, step), is_case_of_step=False)


def _instead_if(plan: Plan, change: Change) -> list[JsonObject]:
    """Return another step that takes the place of one in a certain case."""
    step, condition = plan.step(change.slots["step"]), unquoted(change.slots["cond"])
    if cases_of(plan, condition):
        raise NotReadable
    draft = plan.step_draft(change.slots["do"])
    edits = _gated(plan, step, condition, past=draft["id"], is_case_of_step=False)
    plan.added(draft)
    added: list[JsonObject] = [{"op": "add_step", "step": draft}]
    return [*added, *edits, {"op": "connect", "from": draft["id"], "to": _after(plan, step)}]


def _insert_if(plan: Plan, change: Change) -> list[JsonObject]:
    """Return a new step that is done in one case only, before or after another."""
    slots = change.slots
    condition = unquoted(slots.get("cond") or slots["limit"])
    if cases_of(plan, condition) or _is_a_step_done(plan, condition):
        raise NotReadable
    anchor = plan.step(slots["anchor"])
    draft = _draft(plan, slots)
    decision = _decision(plan, condition)
    plan.added(draft)
    place = change.place
    edits: list[JsonObject] = [
        {"op": "insert_step", "step": decision, place: anchor},
        {"op": "insert_step", "step": draft, "after": decision["id"]},
    ]
    past = anchor if place == "before" else _after(plan, anchor)
    return [*edits, *_ways(decision["id"], draft["id"], past, condition)]


def _is_a_step_done(plan: Plan, condition: str) -> bool:
    """Say whether "the order has been packed" only says when: once a step is done."""
    try:
        plan.trial().step(condition)
    except StepUnclear:
        return False
    return _NUMBER.search(condition) is None


def _draft(plan: Plan, slots: Mapping[str, str]) -> JsonObject:
    if "what" in slots:
        return plan.step_draft(slots["what"])
    return deed_draft(plan, slots["who"], slots["act"])


def _step_of(plan: Plan, change: Change) -> str:
    """Return the step; "send it to the manager" is what the manager does."""
    phrase = change.slots.get("step") or change.slots["deed"]
    try:
        return plan.step(phrase)
    except StepUnclear:
        handed = _HANDED.fullmatch(phrase)
        if handed is None:
            raise
        return plan.step(handed[1])


def _elsewhere(plan: Plan, change: Change, step: str) -> str:
    """Return where work goes in every other case: where somebody said, else past the step."""
    said = change.slots.get("else", "")
    try:
        found = plan.trial().finder.find(said) if said else step
    except StepUnclear:
        found = step
    return found if found != step else _after(plan, step)


def _after(plan: Plan, step_id: str) -> str:
    """Return the step that comes after one when all is well.

    Raises:
        NotReadable: None does, or it was only just added.
    """
    step = plan.workflow.step(step_id)
    if step is None:
        raise NotReadable
    graph = GraphDraft(plan.workflow, [])
    main = main_exit(graph, step) or next(iter(exits(graph, step_id)), None)
    if main is None:
        raise NotReadable
    return main.to


def _gated(plan: Plan, step: str, condition: str, *, past: str, is_case_of_step: bool) -> list[JsonObject]:
    """Return a decision before a step: one case leads to it and the others past it, or the reverse."""
    decision = _decision(plan, condition)
    chosen, other = (step, past) if is_case_of_step else (past, step)
    inserted: JsonObject = {"op": "insert_step", "step": decision, "before": step}
    taken: JsonObject = {"op": "disconnect", "from": decision["id"], "to": step}
    return [inserted, taken, *_choices(decision["id"], chosen, other, condition)]


def _ways(decision: str, chosen: str, other: str, condition: str) -> list[JsonObject]:
    return [
        {"op": "disconnect", "from": decision, "to": chosen},
        *_choices(decision, chosen, other, condition),
    ]


def _choices(decision: str, chosen: str, other: str, condition: str) -> list[JsonObject]:
    return [
        {"op": "connect", "from": decision, "to": chosen, "type": "condition", "when": {"text": condition}},
        {"op": "connect", "from": decision, "to": other, "type": "default"},
    ]


def _decision(plan: Plan, condition: str) -> JsonObject:
    name = f"{sentence_case(_SUBJECT.sub('', condition))}?"[:200]
    draft: JsonObject = {"id": plan.new_id(name), "name": name, "type": "decision"}
    plan.added(draft)
    return draft


def comparable(plan: Plan, step: str, condition: str) -> Transition | None:
    """Return the way into a step that is taken above another amount; None where nothing compares."""
    if not _NUMBER.search(condition):
        return None
    known = [
        edge
        for edge in plan.workflow.transitions
        if edge.to == step and edge.when is not None and edge.when.text and _NUMBER.search(edge.when.text)
    ]
    return known[0] if len(known) == 1 else None


def with_text(edge: Transition, text: str) -> JsonObject:
    """Return the edit that gives a transition another condition."""
    return {"op": "update_transition", "transition": edge.id, "set": {"when": {"text": text}}}


def _move_amount(plan: Plan, change: Change) -> list[JsonObject]:
    """Return the conditions that name an amount with another one in its place."""
    amount = _NUMBER.search(change.slots["amount"])
    was = _NUMBER.search(change.slots.get("was", ""))
    edges = [edge for edge in plan.workflow.transitions if edge.when is not None and edge.when.text]
    if "step" in change.slots:
        near = plan.step(change.slots["step"])
        edges = [edge for edge in edges if near in (edge.from_, edge.to)]
    meant = _one_amount(edges, was[0] if was else None, change.slots["amount"])
    if amount is None or not meant:
        raise NotReadable
    edits = [with_text(edge, _replaced(edge, meant, amount[0])) for edge in edges]
    return [edit for edit, edge in zip(edits, edges, strict=True) if edit != with_text(edge, _text(edge))]


def _one_amount(edges: Sequence[Transition], was: str | None, amount: str) -> str | None:
    """Return the amount that is meant, as its digits: the one that is said, else the only one there is.

    Raises:
        Incomplete: Several are there, and none is said.
    """
    known = list(dict.fromkeys(number for edge in edges for number in _NUMBER.findall(_text(edge))))
    if was is not None:
        return next((number for number in known if _digits(number) == _digits(was)), None)
    if len(known) > 1:
        raise Incomplete(f"Which one: {joined(known)}?", "raise the limit of ", f" to {amount}")
    return known[0] if known else None


def _replaced(edge: Transition, old: str, new: str) -> str:
    def other(match: re.Match[str]) -> str:
        return new if _digits(match[0]) == _digits(old) else match[0]

    return _NUMBER.sub(other, _text(edge))


def _text(edge: Transition) -> str:
    return (edge.when.text if edge.when else None) or ""


def _digits(number: str) -> str:
    return re.sub(r"[.,](?=\d{3})", "", number)


CONDITIONS: Mapping[str, Builder] = {
    "only_if": _only_if,
    "skip_if": _skip_if,
    "instead_if": _instead_if,
    "insert_if": _insert_if,
    "move_amount": _move_amount,
}
