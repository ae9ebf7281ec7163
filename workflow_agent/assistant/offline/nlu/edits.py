"""The edits that an intent and its slots make: one function for each intent, which looks at little more wording."""

import itertools
from collections.abc import Callable, Mapping

from workflow_agent.assistant.offline.nlu.cases import amount_told, approve_from, case_told, condition_of_way
from workflow_agent.assistant.offline.nlu.header import OF_HEADER
from workflow_agent.assistant.offline.nlu.new_steps import message_step, name_given, new_step, new_steps, place_of
from workflow_agent.assistant.offline.nlu.placing import (
    Place,
    at_end,
    branch_of,
    drop_empty_branches,
    move_steps,
    put,
    swap_steps,
)
from workflow_agent.assistant.offline.nlu.slots import Filled, bare, names_doer_alone, step_meant
from workflow_agent.assistant.offline.nlu.step_fields import OF_STEP_FIELDS
from workflow_agent.assistant.offline.nlu.tagging import Slot
from workflow_agent.assistant.offline.nlu.ways import OF_WAYS, put_on_failure, step_there_already
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan
from workflow_agent.assistant.offline.references import StepUnclear, akin, content_of
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.assistant.offline.walks import reach
from workflow_agent.assistant.offline.wording import is_bad_outcome
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

_FAILING = ("fail", "failure", "error", "crash", "bounce", "break")
_PLACES = ("beside", "after", "before", "atend", "atstart")


def _unsaid_place(plan: Plan) -> Place:
    where = at_end(plan)
    side = "before" if "before" in where else "after"
    end = plan.workflow.step(where[side])
    plan.notes.append(f"you did not say where it goes: I would put it at the end, {side} “{end.name if end else ''}”")
    return Place(where)


def _insert(order: Filled) -> None:
    plan = order.plan
    if len(order.all_words("new")) == 1 and (known := step_there_already(order)) is not None:
        plan.notes.append(f"there is “{known.name}” already, so that there would be two")
    drafts = new_steps(order)
    if order.tokens[0].among("edits.moving") and order.all_words("new")[0][0] == order.tokens[0]:
        # "Move foo before scoring" may be to move something.
        plan.notes.append("I took it for a new step")
    if order.words("case"):
        if len(drafts) == 1 and (way := _way_of_case(order)) is not None:
            put(plan, drafts, Place({"between": [way.from_, way.to]}))
            return
        case = case_told(order, "case")
        if not _is_led(order):
            # "Rejected families get a letter": perhaps all of them do, and those others never come there.
            plan.notes.append(f"I took “{case}” for when it is done")
        drafts = [draft | {"when": {"text": case}} for draft in drafts]
    place = place_of(order) if any(map(order.all_words, _PLACES)) else _unsaid_place(plan)
    behind = plan.workflow.step(str(place.fields.get("before")))
    if order.words("case") and behind is not None and len(plan.workflow.incoming(behind.id)) > 1:
        plan.notes.append(f"several ways lead to “{behind.name}”, and I would put it on each")
    put(plan, drafts, place)
    plan.unread += _lengths_beside(order)


def _is_led(order: Filled) -> bool:
    """Say whether a case is told for sure: behind "if", "for" or the like, or with an amount in it."""
    words = order.words("case")
    before = [t for t in order.tokens if t.start < words[0].start]
    leads = any(t.has("prep", "conj", "wh") or t.is_("only") for t in (*before[-2:], words[0]))
    return leads or any(t.kind == "number" for t in words)


def _lengths_beside(order: Filled) -> list[str]:
    """Return the lengths of time that are in no slot: "ask how it was | a week | after the repair"."""
    around = {t.start for t in order.around()}
    runs = itertools.groupby(order.tokens, key=lambda token: token.start in around)
    outside = [tuple(run) for is_outside, run in runs if is_outside]
    return [order.plan.said(run[first : found.end]) for run in outside for first, found in durations_in(run)]


def _way_of_case(order: Filled) -> Transition | None:
    """Return the way that is taken in the case of an order, to or from the step at which it puts something."""
    said = [t for t in order.words("case") if t.is_content]
    after, before = order.maybe("after"), order.maybe("before")
    found = [
        edge
        for edge in order.plan.workflow.transitions
        if edge.when
        and (after is None or edge.from_ == after.id)
        and (before is None or edge.to == before.id)
        and (own := content_of(condition_of_way(edge)))
        and all(any(akin(t.lower, word) for t in said) for word in own)
    ]
    return found[0] if len(found) == 1 and (after or before) else None


def _approve(order: Filled) -> None:
    plan, who = order.plan, order.who()
    if who is None or _does_it(order):
        raise NotRead
    if (told := _approved_in_case(order)) is not None:
        place = _approval_place(order)
        before = {text for edge in plan.workflow.transitions if (text := condition_of_way(edge))}
        approve_from(plan, who, told, place)
        now = map(condition_of_way, plan.workflow.transitions)
        if any(text not in before and any(one in text for one in before) for text in now):
            # The ways there have cases of their own.
            raise NotRead
        return
    if (place := _approval_place(order)) is None or any(t.kind == "number" for t in order.around()):
        raise NotRead
    parted = [edge for edge in plan.workflow.outgoing(str(place.fields.get("after"))) if edge.type != "error"]
    put(plan, [plan.approval_by(who) | ({"timeout": order.time()} if order.words("time") else {})], place)
    onward = plan.workflow.outgoing(plan.steps.last or "")
    if len(parted) > 1 and len(onward) == 1 and (behind := plan.workflow.step(onward[0].to)) is not None:
        plan.notes.append(f"I would put it on the way to “{behind.name}” alone")


def _does_it(order: Filled) -> bool:
    """Say whether who is named does the step, and approves nothing: "let the director | decide on the loan"."""
    who, step = order.words("who"), order.words("step")
    follows = bool(who and step) and who[-1].end <= step[0].start <= who[-1].end + 1
    return follows and "base" in step[0].entry.form.split() and not step[0].has("noun", "det")


def _approved_in_case(order: Filled) -> str | None:
    """Return the case in which an approval is needed: also "everything over 100 euros", and "loans | over 9,000"."""
    for role in ("case", "cond"):
        if words := order.words(role):
            return amount_told(order.plan, words) or case_told(order, role)
    if (told := amount_told(order.plan, order.words("step"))) is not None:
        return told
    around = tuple(order.around())
    told = next((one for at in range(len(around)) if (one := amount_told(order.plan, around[at:])) is not None), None)
    if told is not None:
        order.plan.notes.append(f"it would be needed only if {told}")
    return told


def _approval_place(order: Filled) -> Place | None:
    """Return where an approval goes: where it is told, else behind what is approved; None where neither is."""
    about = order.words("step") if amount_told(order.plan, order.words("step")) is None else ()
    if any(order.all_words(role) for role in ("after", "before", "atend", "atstart")):
        try:
            return place_of(order)
        except StepUnclear:
            # "The estimate is checked before the owner sees it."
            if not about:
                raise
            return Place({"after": order.step("step").id})
    return _at_step(order) if about else None


def _at_step(order: Filled) -> Place:
    """Return the place behind the step that an order names, or in front of it: "X looks at it first".

    In front of it, too, where that work itself waits: "no payment without X", and not "no letter leaves without X".
    """
    step = order.step("step")
    verb = content_of(step.name)[:1]
    acts = [t for words in order.all_words("step") for t in words if any(akin(t.lower, one) for one in verb)]
    first = order.says("first", "before", "beforehand")
    waits = first or (bool(acts) and order.says_of("edits.waiting"))
    if waits and not first and any(t.has("noun") and t.lemma in verb for t in acts):
        # "No draft without X" may be the work or what came of it.
        order.plan.notes.append(f"I would put it before “{step.name}”")
    return Place({"before" if waits else "after": step.id})


def _notify(order: Filled) -> None:
    plan, draft = order.plan, message_step(order)
    if order.words("case"):
        draft["when"] = {"text": case_told(order, "case")}
    when = order.words("after") or order.words("step")
    if any(t.is_(*_FAILING) for t in (*when, *order.around())):
        words = tuple(t for t in when if not t.is_(*_FAILING))
        put_on_failure(plan, step_meant(plan, words, "step"), draft, None)
        return
    put(plan, [draft], place_of(order) if any(map(order.all_words, _PLACES)) else _at_step(order))


def _remove(order: Filled) -> None:
    plan, steps = order.plan, order.steps()
    for step in steps:
        if step.assignee and names_doer_alone(step, [t for words in order.all_words("step") for t in words]):
            # "Remove the nurse" may be to give their work to somebody else.
            raise Asked(f"**{step.name}** is done by {step.assignee}. Shall that step go, or its {step.assignee}?")
    refused = [edge for step in steps if (edge := _refused_at(plan, step)) is not None]
    lets_pass = (edit for edge in refused for edit in _as_approved(plan, edge))
    known = {(edge.from_, edge.to) for edge in plan.workflow.transitions}
    plan.do(*lets_pass, *({"op": "remove_step", "step": step.id} for step in steps))
    drop_empty_branches(plan, known)
    for one in dict.fromkeys(edge.to for edge in refused):
        step = plan.workflow.step(one)
        if step is not None and not plan.workflow.incoming(one):
            plan.notes.append(f"nothing would lead to “{step.name}” any more")


def _refused_at(plan: Plan, step: Step) -> Transition | None:
    """Return the way on from an approval by which it is refused; None where the step decides something else."""
    ways = plan.workflow.outgoing(step.id)
    passed = [edge for edge in ways if edge.when and _approves(condition_of_way(edge))]
    refused = [edge for edge in ways if edge.type == "default" or is_bad_outcome(condition_of_way(edge))]
    return refused[0] if step.type == "human" and len(ways) == 2 and len(passed) == len(refused) == 1 else None


def _approves(case: str) -> bool:
    """Say whether a case says that something is approved, and no more."""
    words, verbs = content_of(case), ("approve", "accept", "agree", "grant", "confirm", "allow")
    return len(words) == 1 and is_bad_outcome(case) is False and any(akin(words[0], one) for one in verbs)


def _as_approved(plan: Plan, refused: Transition) -> list[JsonObject]:
    """Return the edits by which all goes on behind a step as if it were approved there."""
    (passed,) = (edge for edge in plan.workflow.outgoing(refused.from_) if edge is not refused)
    gone = [name for name in ("when", "action", "permission", "form") if getattr(passed, name, None) is not None]
    return [
        {"op": "update_transition", "transition": passed.id, "set": {"type": "sequence"}, "unset": gone},
        {"op": "disconnect", "from": refused.from_, "to": refused.to},
    ]


def _rename(order: Filled) -> None:
    order.plan.do({"op": "rename_step", "step": order.step("step").id, "name": name_given(order, "name")})


def _replace(order: Filled) -> None:
    step, draft = order.step("step"), new_step(order)
    if step.assignee and "assignee" not in draft and draft["type"] != "wait":
        # Other work of the same person.
        draft = {key: one for key, one in draft.items() if key != "uses"} | {"type": "human", "assignee": step.assignee}
    order.plan.do({"op": "replace_step", "step": step.id, "with": draft})


def _parallel(order: Filled) -> None:
    plan, steps = order.plan, _named_steps(order)
    if len(steps) < 2:
        raise NotRead
    edit = {"op": "parallelize", "steps": [step.id for step in steps]}
    try:
        plan.do(edit)
    except NotRead as refused:
        first, *others = sorted(steps, key=lambda step: -len(_behind(plan, step)))
        try:
            move_steps(plan, others, Place({"after": first.id}))
            plan.do(edit)
        except NotRead:
            raise refused from None
        told = " and ".join(f"“{step.name}”" for step in others)
        plan.notes.append(f"they do not follow one another: {told} would move up to “{first.name}”")


def _behind(plan: Plan, step: Step) -> set[str]:
    """Return the ids of the steps that come after one: itself too where a way leads back to it."""
    return set[str]().union(*(reach(plan.workflow, edge.to) for edge in plan.workflow.outgoing(step.id)))


def _named_steps(order: Filled) -> list[Step]:
    """Return the steps of an order that names them as equals, or as the first and the second."""
    roles = [role for role in ("step", "first", "second") if order.all_words(role)] or ["step"]
    return list({step.id: step for role in roles for step in order.steps(role, apart=True)}.values())


def _serial(order: Filled) -> None:
    plan, first, second = order.plan, order.step("first"), order.step("second")
    if first.id == second.id:
        raise NotRead
    branch = branch_of(plan, first.id)
    if branch is not None and branch_of(plan, second.id) == branch:
        plan.do(
            {"op": "disconnect", "from": branch[0], "to": second.id},
            {"op": "disconnect", "from": first.id, "to": branch[1]},
            {"op": "connect", "from": first.id, "to": second.id},
        )
    elif any(edge.to == first.id for edge in plan.workflow.outgoing(second.id)):
        swap_steps(plan, first, second)
    else:
        raise NotRead


def _merge(order: Filled) -> None:
    plan, (first, *others) = order.plan, order.steps(apart=True)
    if not others:
        raise NotRead
    if order.words("name"):
        name = name_given(order, "name")
    else:
        names = [step.name[:1].lower() + step.name[1:] if step.name[1:2].islower() else step.name for step in others]
        name = " and ".join([first.name, *names])
        plan.told.append(f"You gave no name, so it is called “{name}”")
    now = f"done by {first.assignee}" if first.assignee else "done by nobody in particular"
    doers = [step for step in others if step.assignee not in (None, first.assignee)]
    plan.told += [f"“{step.name}” was done by {step.assignee}, and “{name}” is {now}" for step in doers]
    plan.do(
        {"op": "rename_step", "step": first.id, "name": name},
        *({"op": "remove_step", "step": step.id} for step in others),
    )


def _without_order_of(order: Filled) -> Filled:
    """Return an order whose steps are told without "the order of" in front: of repairing and polishing."""
    slots: list[Slot] = []
    for slot in order.slots:
        said = bare(slot.tokens)
        leads = len(said) > 2 and said[0].is_("order", "sequence") and said[1].is_("of")
        slots.append(Slot(slot.role, said[2:]) if leads and not order.plan.fits(said) else slot)
    return Filled(order.plan, slots, order.tokens)


def _swap(order: Filled) -> None:
    steps = _named_steps(_without_order_of(order))
    if len(steps) != 2:
        raise NotRead
    if order.says("replace"):
        first, second = (f"**{step.name}**" for step in steps)
        raise Asked(f"{second} is a step already. Shall the two swap places, or shall {first} go?")
    swap_steps(order.plan, steps[0], steps[1])


def _move(order: Filled) -> None:
    move_steps(order.plan, order.steps(), place_of(order))


def _start(order: Filled) -> None:
    step = order.step("step")
    if step.id == order.plan.workflow.start:
        raise NotRead(f"It starts with **{step.name}** already.")
    order.plan.do({"op": "set_start", "step": step.id})


BUILDERS: Mapping[str, Callable[[Filled], None]] = {
    **OF_STEP_FIELDS,
    **OF_WAYS,
    **OF_HEADER,
    "insert": _insert,
    "approve": _approve,
    "notify": _notify,
    "remove": _remove,
    "rename": _rename,
    "replace": _replace,
    "parallel": _parallel,
    "serial": _serial,
    "merge": _merge,
    "swap": _swap,
    "move": _move,
    "start": _start,
}
"""What makes the edits of each intent; of one that is not here nothing is made."""
