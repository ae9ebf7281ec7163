"""The edits that an intent and its slots make: one function for each intent, which looks at little more wording."""

from collections.abc import Callable, Mapping

from workflow_agent.assistant.offline.nlu.cases import amount_told, approve_from
from workflow_agent.assistant.offline.nlu.header import OF_HEADER
from workflow_agent.assistant.offline.nlu.new_steps import name_given, new_step, place_of
from workflow_agent.assistant.offline.nlu.placing import (
    Place,
    Work,
    at_end,
    branch_of,
    draft_of,
    move_steps,
    put,
    swap_steps,
)
from workflow_agent.assistant.offline.nlu.slots import Filled, bare, step_meant
from workflow_agent.assistant.offline.nlu.step_fields import OF_STEP_FIELDS
from workflow_agent.assistant.offline.nlu.ways import (
    OF_WAYS,
    case_told,
    condition_of_way,
    put_on_failure,
    step_there_already,
)
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan, listed
from workflow_agent.assistant.offline.references import StepUnclear, akin, content_of
from workflow_agent.assistant.offline.tokens import Tokens
from workflow_agent.workflows.model.transitions import Transition

_FAILING = ("fail", "failure", "error", "crash", "bounce", "break")
_APPROVING = (
    *("approve", "approval", "sign", "signature", "signoff", "okay", "ok", "check", "confirm", "confirmation", "agree"),
    *("authorise", "authorize", "authorisation", "release", "consent", "nod", "blessing", "clear", "review", "accept"),
    *("eye", "look", "see", "countersign", "double-check", "verify", "permission", "green", "yes", "say-so", "audit"),
)
_PLACES = ("beside", "after", "before", "atend", "atstart")
_CHANNELS = {"mail": "Email", "email": "Email", "e-mail": "Email", "sms": "Text", "text": "Text", "message": "Message"}
_TELLING = ("tell", "inform", "notify", "warn", "alert", "remind", "update", "email", "text", "message")


def _unsaid_place(plan: Plan) -> Place:
    where = at_end(plan)
    side = "before" if "before" in where else "after"
    end = plan.workflow.step(where[side])
    told = f"you did not say where it goes: I would put it at the end, {side} “{end.name if end else ''}”"
    plan.notes = [*plan.notes, told]
    return Place(where)


def _insert(order: Filled) -> None:
    plan = order.plan
    if (known := step_there_already(order)) is not None:
        plan.notes = [*plan.notes, f"there is “{known.name}” already, so that there would be two"]
    if len(names := _names_listed(order)) > 1:
        put(plan, [draft_of(plan, name, Work(name, order.who(), order.time())) for name in names], place_of(order))
        return
    draft = new_step(order)
    if order.words("case"):
        if (way := _way_of_case(order)) is not None:
            put(plan, [draft], Place({"between": [way.from_, way.to]}))
            return
        draft["when"] = {"text": case_told(order, "case")}
    put(plan, [draft], place_of(order) if any(map(order.words, _PLACES)) else _unsaid_place(plan))


def _names_listed(order: Filled) -> list[Tokens]:
    """Return the names of several new steps: those between quotes, or as many as "two steps: a and b" says."""
    pieces = listed(bare(order.words("new")))
    quoted = all(len(piece) == 1 and piece[0].kind == "quoted" for piece in pieces)
    counted = any(t.value == len(pieces) for t in order.around())
    return [bare(piece) for piece in pieces] if quoted or counted else []


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
    if who is None or not any(t.is_(*_APPROVING) for t in order.tokens):
        raise NotRead
    case = next((role for role in ("case", "cond") if order.words(role)), None)
    if case is None and amount_told(plan, order.words("step")) is not None:
        # "Everything over 100 euros."
        case = "step"
    place = None if case == "step" else _approval_place(order)
    if case is not None:
        told = amount_told(plan, order.words(case)) or case_told(order, case)
        before = {edge.when.text for edge in plan.workflow.transitions if edge.when and edge.when.text}
        approve_from(plan, who, told, place.fields if place else None)
        now = [edge.when.text or "" for edge in plan.workflow.transitions if edge.when]
        if any(text not in before and any(one in text for one in before) for text in now):
            # The ways there have cases of their own.
            raise NotRead
        return
    if place is None or any(t.kind == "number" for t in order.around()):
        raise NotRead
    put(plan, [plan.approval_by(who) | ({"timeout": order.time()} if order.words("time") else {})], place)


def _approval_place(order: Filled) -> Place | None:
    """Return where an approval goes: where it is told, else behind what is approved; None where neither is."""
    if any(order.words(role) for role in ("after", "before", "atend", "atstart")):
        try:
            return place_of(order)
        except StepUnclear:
            # "The estimate is checked before the owner sees it."
            if not order.words("step"):
                raise
            return Place({"after": order.step("step").id})
    if not order.words("step"):
        return None
    side = "before" if any(t.is_("first", "before", "beforehand") for t in order.around()) else "after"
    return Place({side: order.step("step").id})


def _notify(order: Filled) -> None:
    plan, who = order.plan, bare(order.words("who"))
    if not who:
        raise NotRead
    said_so = next((t.lemma.capitalize() for t in order.around() if t.is_(*_TELLING)), "Notify")
    verb = next((_CHANNELS[t.lemma] for t in order.words("channel") if t.lemma in _CHANNELS), said_so)
    said = plan.said(who)
    named = "Send message to" if verb == "Message" else verb
    draft = plan.draft_named(f"{named} {said}" if who[0].text[:1].isupper() else f"{named} the {said}")
    draft |= {"type": "action"}
    when = order.words("after") or order.words("step")
    if any(t.is_(*_FAILING) for t in (*when, *order.around())):
        words = tuple(t for t in when if not t.is_(*_FAILING))
        put_on_failure(plan, step_meant(plan, words, "step"), draft, None)
        return
    put(plan, [draft], place_of(order))


def _remove(order: Filled) -> None:
    order.plan.do(*({"op": "remove_step", "step": step.id} for step in order.steps()))


def _rename(order: Filled) -> None:
    order.plan.do({"op": "rename_step", "step": order.step("step").id, "name": name_given(order, "name")})


def _replace(order: Filled) -> None:
    step, draft = order.step("step"), new_step(order)
    if step.assignee and "assignee" not in draft and draft["type"] != "wait":
        # Other work of the same person.
        draft = {key: one for key, one in draft.items() if key != "uses"} | {"type": "human", "assignee": step.assignee}
    order.plan.do({"op": "replace_step", "step": step.id, "with": draft})


def _parallel(order: Filled) -> None:
    steps = order.steps()
    if len(steps) < 2:
        raise NotRead
    order.plan.do({"op": "parallelize", "steps": [step.id for step in steps]})


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
    first, *others = order.steps()
    if not others or not order.words("name"):
        raise NotRead
    order.plan.do(
        {"op": "rename_step", "step": first.id, "name": name_given(order, "name")},
        *({"op": "remove_step", "step": step.id} for step in others),
    )


def _swap(order: Filled) -> None:
    steps = order.steps()
    if len(steps) != 2:
        raise NotRead
    if any(t.is_("replace") for t in order.around()):
        first, second = (f"**{step.name}**" for step in steps)
        raise Asked(f"{second} is a step already. Shall the two swap places, or shall {first} go?")
    swap_steps(order.plan, steps[0], steps[1])


def _move(order: Filled) -> None:
    move_steps(order.plan, order.steps(), place_of(order))


def _start(order: Filled) -> None:
    step = order.step("step")
    if step.id == order.plan.workflow.start:
        raise NotRead
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
