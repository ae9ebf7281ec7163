"""Edits that change the graph: steps and transitions in and out, moved, replaced, joined."""

from collections.abc import Mapping
from typing import Any

from workflow_agent.agent.offline.intents.changes import Change
from workflow_agent.agent.offline.intents.numbers import unquoted
from workflow_agent.agent.offline.intents.stems import phrase_score
from workflow_agent.agent.offline.skills.places import refuse_settings, where_of
from workflow_agent.agent.offline.skills.plan import (
    Builder,
    Incomplete,
    NotReadable,
    Plan,
    strip_extras,
)
from workflow_agent.agent.offline.skills.steps import PRONOUNS, StepUnclear
from workflow_agent.agent.offline.turn.outcome import JsonObject

_NAMED = 0.8


def _insert(plan: Plan, change: Change) -> list[JsonObject]:
    slots = dict(change.slots)
    extras: JsonObject = {}
    last_place = "anchor2" if "anchor2" in slots else "anchor"
    if last_place in slots:
        slots[last_place], extras = strip_extras(slots[last_place], plan.drafting)
    if "act" in slots:
        return _insert_act(plan, slots, change)
    what = slots["what"]
    refuse_settings(what)
    where = where_of(plan, slots, change.place)
    draft = plan.step_draft(what) | extras
    return _inserted(plan, draft, where)


def _insert_act(plan: Plan, slots: dict[str, str], change: Change) -> list[JsonObject]:
    """Return the insertion for "have legal check it before signing"."""
    who, act = slots["who"], slots["act"]
    where = where_of(plan, slots, change.place)
    subject = unquoted(who).removeprefix("the ").removeprefix("our ")
    if subject.lower() in PRONOUNS | {"we", "you", "i", "there"}:
        draft = plan.step_draft(act)
    else:
        draft = plan.step_draft(f"{subject} {act}")
        if "assignee" not in draft:
            draft = plan.step_draft(act, assignee=subject.lower())
    return _inserted(plan, draft, where)


def _inserted(plan: Plan, draft: JsonObject, where: JsonObject) -> list[JsonObject]:
    plan.added(draft)
    return [{"op": "insert_step", "step": draft, **where}]


def _wait(plan: Plan, change: Change) -> list[JsonObject]:
    where = where_of(plan, change.slots, change.place)
    name = f"Wait {unquoted(change.slots['dur']).removeprefix('for ')}"
    draft: JsonObject = {
        "id": plan.new_id(name),
        "name": name,
        "type": "wait",
        "duration": change.values["duration"],
    }
    return _inserted(plan, draft, where)


def _remove(plan: Plan, change: Change) -> list[JsonObject]:
    found = plan.finder.find_all(change.slots["step"])
    plan.prefers_workflow = False
    return [{"op": "remove_step", "step": step} for step in dict.fromkeys(found)]


def _move(plan: Plan, change: Change) -> list[JsonObject]:
    step = plan.step(change.slots["step"])
    where = where_of(plan, {key: value for key, value in change.slots.items() if key != "step"}, change.place)
    plan.finder.last = step
    if step in where.values() or step in where.get("between", ()):
        raise NotReadable
    return [{"op": "move_step", "step": step, **where}]


def _swap(plan: Plan, change: Change) -> list[JsonObject]:
    one, other = plan.step(change.slots["step"]), plan.step(change.slots["other"])
    order = [step.id for step in plan.workflow.steps]
    if one not in order or other not in order or one == other:
        raise NotReadable
    first, second = sorted((one, other), key=order.index)
    if not any(edge.to == second for edge in plan.workflow.outgoing(first)):
        raise Incomplete(
            "Those two do not follow each other directly, so I'd rather not guess. Where should the first "
            "of them go?",
            f"move {first} ",
        )
    return [{"op": "move_step", "step": second, "before": first}]


def _replace(plan: Plan, change: Change) -> list[JsonObject]:
    step = plan.step(change.slots["step"])
    draft = plan.step_draft(change.slots["what"])
    plan.added(draft)
    return [{"op": "replace_step", "step": step, "with": draft}]


def _connect(plan: Plan, change: Change) -> list[JsonObject]:
    source = _source_of(plan, change)
    edit: JsonObject = {"op": "connect", "from": source, "to": plan.step(change.slots["to"])}
    condition = change.slots.get("cond")
    if condition:
        edit |= {"type": "condition", "when": {"text": unquoted(condition)}}
    return [edit]


def _source_of(plan: Plan, change: Change) -> str:
    """Return the step a connection leaves; "if the manager asks ..." names it by who decides there."""
    if "from" in change.slots:
        return plan.step(change.slots["from"])
    condition, target = change.slots["cond"], change.slots["to"]
    deciding = [
        s.id for s in plan.finder.steps if s.assignee and phrase_score(s.assignee, [condition]) >= _NAMED
    ]
    if len(deciding) == 1:
        return plan.step(deciding[0])
    try:
        return plan.step(condition)
    except StepUnclear:
        raise Incomplete("From which step?", "connect ", f" to {target} if {condition}") from None


def _disconnect(plan: Plan, change: Change) -> list[JsonObject]:
    return [
        {"op": "disconnect", "from": plan.step(change.slots["from"]), "to": plan.step(change.slots["to"])}
    ]


def _approval(plan: Plan, change: Change) -> list[JsonObject]:
    who = unquoted(change.slots["who"]).lower().removeprefix("the ").removeprefix("our ").removesuffix("'s")
    if who in PRONOUNS | {"we", "you", "i", "somebody", "someone"}:
        raise NotReadable
    return [{"op": "wrap_in_approval", "step": plan.step(change.slots["step"]), "assignee": who}]


def _parallel(plan: Plan, change: Change) -> list[JsonObject]:
    steps = list(dict.fromkeys(plan.finder.find_all(change.slots["steps"])))
    if len(steps) < 2:
        raise NotReadable
    return [{"op": "parallelize", "steps": steps}]


def _beside(plan: Plan, change: Change) -> list[JsonObject]:
    anchor = plan.step(change.slots["anchor"])
    draft = plan.step_draft(change.slots["what"])
    plan.added(draft)
    # Before, because what follows the anchor may depend on what is decided there.
    insert: JsonObject = {"op": "insert_step", "step": draft, "before": anchor}
    return [insert, {"op": "parallelize", "steps": [draft["id"], anchor]}]


def _error_path(plan: Plan, change: Change) -> list[JsonObject]:
    step = plan.step(change.slots["step"])
    edit: JsonObject = {"op": "add_error_path", "step": step}
    if "to" in change.slots:
        return [edit | {"to": plan.finder.find(change.slots["to"])}]
    if "do" not in change.slots:
        return [edit]
    draft = plan.step_draft(change.slots["do"])
    plan.added(draft)
    return [{"op": "add_step", "step": draft}, edit | {"to": draft["id"]}]


def _start(plan: Plan, change: Change) -> list[JsonObject]:
    return [{"op": "set_start", "step": plan.step(change.slots["step"])}]


STRUCTURE: Mapping[str, Builder] = {
    "insert": _insert,
    "wait": _wait,
    "remove": _remove,
    "move": _move,
    "swap": _swap,
    "replace": _replace,
    "connect": _connect,
    "disconnect": _disconnect,
    "approval": _approval,
    "parallel": _parallel,
    "beside": _beside,
    "error_path": _error_path,
    "start": _start,
}
STRUCTURAL_OPS = frozenset(
    [
        "insert_step",
        "add_step",
        "remove_step",
        "move_step",
        "replace_step",
        "connect",
        "disconnect",
        "wrap_in_approval",
        "parallelize",
        "add_error_path",
        "set_start",
    ]
)


def changes_structure(edits: list[Any]) -> bool:
    """Say whether edits change the graph, so that its validity is worth checking."""
    return any(edit["op"] in STRUCTURAL_OPS for edit in edits)
