"""Edits that change which steps there are, and their order."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from workflow_agent.agent.offline.intents.changes import Change
from workflow_agent.agent.offline.intents.numbers import unquoted
from workflow_agent.agent.offline.skills.connections import pair
from workflow_agent.agent.offline.skills.deeds import deed_draft
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

_ALL = frozenset(
    {"this workflow", "the workflow", "the process", "this process", "everything", "the whole thing"}
)
"""What is approved before it begins."""
_PLACED = re.compile(r" (?:at the|in the|before|after|when|if|once|until)\b")
"""Says when somebody approves, and is no part of who does."""
_MOST_ANCHOR_WORDS = 6
_LAST_ONE = PRONOUNS | {"the copy", "the duplicate", "a copy"}
"""What is put somewhere, and is no new step."""
_NAMES_SOMETHING = re.compile(r"(?:the|our|my|this|that|an?|we|i|you|it|they)\b", re.IGNORECASE)
"""How what somebody is told to do does not begin."""


def _insert(plan: Plan, change: Change) -> list[JsonObject]:
    slots = dict(change.slots)
    extras: JsonObject = {}
    if "deed" in slots:
        slots["act"] = slots["deed"]
    last_place = "anchor2" if "anchor2" in slots else "anchor"
    if last_place in slots:
        slots[last_place], extras = strip_extras(slots[last_place], plan.drafting)
    if "who_at" in slots:
        return _insert_split(plan, slots, change)
    if "act" in slots and "who" not in slots:
        slots["who"] = "we"
    if "act" in slots:
        return _insert_act(plan, slots, change)
    what = slots["what"]
    if unquoted(what).lower() in _LAST_ONE and plan.finder.last is not None:
        return _move(plan, Change("move", {**slots, "step": "it"}, change.place))
    refuse_settings(what)
    where = where_of(plan, slots, change.place)
    draft = plan.step_draft(what) | extras
    if "assignee" in extras and draft.get("type") == "action" and "uses" not in draft:
        draft["type"] = "human"
    return _inserted(plan, draft, where)


def _insert_act(plan: Plan, slots: dict[str, str], change: Change) -> list[JsonObject]:
    """Return the insertion for "have legal check it before signing"."""
    where = where_of(plan, slots, change.place)
    draft = deed_draft(plan, slots["who"], slots["act"])
    return _inserted(plan, draft, where)


def _insert_split(plan: Plan, slots: dict[str, str], change: Change) -> list[JsonObject]:
    """Return the insertion for "before the review the assistant should scan it", however it is parted."""
    words = slots["who_at"].split(" ")
    for at in range(min(len(words) - 1, _MOST_ANCHOR_WORDS), 0, -1):
        anchor, who = " ".join(words[:at]), " ".join(words[at:])
        try:
            plan.trial().step(anchor)
        except StepUnclear as unclear:
            if unclear.candidates:
                raise
            continue
        return _insert_act(plan, {**slots, "anchor": anchor, "who": who}, change)
    raise StepUnclear(slots["who_at"])


def _told(plan: Plan, change: Change) -> list[JsonObject]:
    """Return the insertion for "the assistant scans the receipts after the review", said as a statement."""
    for anchor, what in _told_splits(change.slots):
        parsed = plan.drafting.parse_step(what) or {}
        is_told = parsed.get("assignee") or (parsed.get("uses") and not _NAMES_SOMETHING.match(what))
        if not is_told or " " not in what:
            continue
        try:
            step = plan.step(anchor)
        except StepUnclear:
            continue
        return _inserted(plan, plan.step_draft(what), {change.place: step})
    raise NotReadable


def _told_splits(slots: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the place and what is done there; where nothing parts the two, every way to part them."""
    if "both" not in slots:
        yield slots["anchor"], slots["what"]
        return
    words = slots["both"].split(" ")
    for at in range(min(len(words) - 2, _MOST_ANCHOR_WORDS), 0, -1):
        yield " ".join(words[:at]), " ".join(words[at:])


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
    step = plan.step(change.slots.get("deed") or change.slots.get("step", "it"))
    if "deed" in change.slots and not plan.finder.is_surely(step, change.slots["deed"]):
        raise NotReadable
    where = where_of(plan, {key: value for key, value in change.slots.items() if key != "step"}, change.place)
    plan.finder.last = step
    if step in where.values() or step in where.get("between", ()):
        raise NotReadable
    return [{"op": "move_step", "step": step, **where}]


def _swap(plan: Plan, change: Change) -> list[JsonObject]:
    one, other = pair(plan, change.slots["step"], change.slots["other"], "and")
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


def _approval(plan: Plan, change: Change) -> list[JsonObject]:
    who = unquoted(change.slots["who"]).lower().removeprefix("the ").removeprefix("our ").removesuffix("'s")
    if who in PRONOUNS | {"we", "you", "i", "somebody", "someone"}:
        raise NotReadable
    if _PLACED.search(who):
        raise NotReadable
    phrase = unquoted(change.slots["step"]).lower()
    is_all = phrase in _ALL or (phrase in PRONOUNS and plan.finder.last is None)
    step = plan.workflow.start if is_all else plan.step(phrase)
    return [{"op": "wrap_in_approval", "step": step, "assignee": who}]


def _parallel(plan: Plan, change: Change) -> list[JsonObject]:
    steps = list(dict.fromkeys(plan.finder.find_all(change.slots["steps"])))
    if len(steps) < 2:
        raise NotReadable
    return [{"op": "parallelize", "steps": steps}]


def _beside(plan: Plan, change: Change) -> list[JsonObject]:
    anchor = plan.step(change.slots["anchor"])
    draft = plan.step_draft(change.slots.get("what") or change.slots["deed"])
    plan.added(draft)
    if (ends := _branch_of(plan, anchor)) is not None:
        return [
            {"op": "add_step", "step": draft},
            {"op": "connect", "from": ends[0], "to": draft["id"]},
            {"op": "connect", "from": draft["id"], "to": ends[1]},
        ]
    # Before, because what follows the anchor may depend on what is decided there.
    insert: JsonObject = {"op": "insert_step", "step": draft, "before": anchor}
    return [insert, {"op": "parallelize", "steps": [draft["id"], anchor]}]


def _branch_of(plan: Plan, anchor: str) -> tuple[str, str] | None:
    """Return the fork and the join between which a step is a branch of its own, or None."""
    kinds = {step.id: step.type for step in plan.workflow.steps}
    forks = [e.from_ for e in plan.workflow.transitions if e.to == anchor and kinds[e.from_] == "fork"]
    joins = [e.to for e in plan.workflow.outgoing(anchor) if kinds[e.to] == "join"]
    return (forks[0], joins[0]) if forks and joins else None


def _start(plan: Plan, change: Change) -> list[JsonObject]:
    return [{"op": "set_start", "step": plan.step(change.slots["step"])}]


STRUCTURE: Mapping[str, Builder] = {
    "insert": _insert,
    "told": _told,
    "wait": _wait,
    "remove": _remove,
    "move": _move,
    "swap": _swap,
    "replace": _replace,
    "approval": _approval,
    "parallel": _parallel,
    "beside": _beside,
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
        "update_transition",
    ]
)


def changes_structure(edits: list[Any]) -> bool:
    """Say whether edits change the graph, so that its validity is worth checking."""
    return any(edit["op"] in STRUCTURAL_OPS for edit in edits)
