"""The edits that an intent and its slots make: one function for each intent, which looks at little more wording."""

import itertools
import json
import re
from collections.abc import Callable, Mapping, Sequence

from workflow_agent.assistant.offline.nlu.cases import (
    NUMBER,
    amount_of,
    amount_told,
    approve_from,
    connections,
    decider,
    happens_if,
    like_number,
)
from workflow_agent.assistant.offline.nlu.placing import (
    Place,
    Work,
    at_end,
    branch_of,
    draft_of,
    move_steps,
    put,
    swap_steps,
    work_of,
)
from workflow_agent.assistant.offline.nlu.slots import Filled, akin_words, bare, step_meant
from workflow_agent.assistant.offline.plan import WHOLE, Asked, NotRead, Plan, listed, titled
from workflow_agent.assistant.offline.references import PRONOUNS, StepUnclear, akin, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import durations_in, schedule_at, times_at
from workflow_agent.workflows.model.durations import duration_of, seconds_of
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.steps import Form, Step
from workflow_agent.workflows.model.transitions import Transition

_FAILING = ("fail", "failure", "error", "crash", "bounce", "break")
_APPROVING = (
    *("approve", "approval", "sign", "signature", "signoff", "okay", "ok", "check", "confirm", "confirmation", "agree"),
    *("authorise", "authorize", "authorisation", "release", "consent", "nod", "blessing", "clear", "review", "accept"),
    *("eye", "look", "see", "countersign", "double-check", "verify", "permission", "green", "yes", "say-so", "audit"),
)
_CHECKS = ("audit", "check", "review", "verify", "inspect", "approve", "countersign", "test", "examine")
_OTHER_ORDERS = ("move", "rename", "remove", "delete", "swap", "replace", "connect", "assign", "split")
_PLACES = ("beside", "after", "before", "atend", "atstart")
_MOST_NAME = 9
_MOST_LABEL = 5
"""Words of a tag or another name."""
_CHANNELS = {"mail": "Email", "email": "Email", "e-mail": "Email", "sms": "Text", "text": "Text", "message": "Message"}
_STARTED_BY = {
    "manual": ("manual", "manually", "hand"),
    "webhook": ("webhook",),
    "schedule": ("schedule", "timer", "clock", "daily", "nightly", "weekly", "monthly", "hourly", "every"),
}
_TELLING = ("tell", "inform", "notify", "warn", "alert", "remind", "update", "email", "text", "message")
_GROWING = {"exponential": ("exponential", "exponentially", "doubling"), "linear": ("linear", "linearly")}
_TYPES = {
    "date": "date",
    "amount": "number",
    "number": "number",
    "price": "number",
    "sum": "number",
    "email": "email",
    "e-mail": "email",
    "file": "file",
    "attachment": "file",
    "comment": "text",
    "note": "text",
    "reason": "text",
}
"""By the last word of a field's name; anything else is a line of text."""
_WAITING = ("wait", "waiting", "pause", "leave", "hold", "delay", "gap", "break", "least", "let")


def _place(order: Filled) -> Place:
    """Return where a step goes.

    Where it goes by two steps of which one is not understood, by the other, and the words for that one are unread.
    """
    plan = order.plan
    if (beside := order.maybe("beside")) is not None:
        return Place({}, beside)
    if order.words("atend"):
        return Place(at_end(plan))
    if order.words("atstart"):
        return Place({"before": plan.workflow.start, "at": "start"})
    after, before = _either(order)
    if after is not None and before is not None:
        if not any(edge.to == before.id for edge in plan.workflow.outgoing(after.id)):
            raise NotRead
        return Place({"between": [after.id, before.id]})
    if after is not None:
        return Place({"before": after.id} if after.type == "end" else {"after": after.id})
    if before is not None:
        return Place({"before": before.id})
    raise NotRead


def _unsaid_place(plan: Plan) -> Place:
    where = at_end(plan)
    side = "before" if "before" in where else "after"
    end = plan.workflow.step(where[side])
    told = f"you did not say where it goes: I would put it at the end, {side} “{end.name if end else ''}”"
    plan.notes = [*plan.notes, told]
    return Place(where)


def _either(order: Filled) -> tuple[Step | None, Step | None]:
    found: list[Step | None] = []
    unclear: list[StepUnclear] = []
    for role in ("after", "before"):
        try:
            found.append(order.maybe(role))
        except StepUnclear as one:
            unclear.append(one)
            found.append(None)
    if unclear and not any(found):
        raise unclear[0]
    order.plan.unread += [one.phrase for one in unclear]
    return found[0], found[1]


def _new(order: Filled) -> JsonObject:
    """Return the new step of an order.

    Raises:
        NotRead: Its words are no name for one.
    """
    said = bare(order.words("new"))
    if said and said[0].start == order.tokens[0].start and said[0].is_(*_OTHER_ORDERS) and said[0].kind == "word":
        # "Move foo before scoring" moves something.
        raise NotRead
    if len(said) > 1 and said[-1].is_("step", "task") and said[-1].kind == "word":
        said = said[:-1]
    if not said or any(t.lower in PRONOUNS and t.kind == "word" for t in said):
        raise NotRead
    if (wait := _wait(order, said)) is not None:
        return wait
    # "The agreement is inspected" is turned round; in other words nobody is to be found, as who does it is a slot.
    passive = any(t.is_("be", "get") and t.kind == "word" for t in said[1:])
    name = _imperative(order, work_of(order.plan, said).name if passive else said)
    return draft_of(order.plan, name, Work(name, order.who(), order.time()))


def _wait(order: Filled, said: Tokens) -> JsonObject | None:
    """Return the wait that "two weeks" or "a pause of an hour" is; None for other work."""
    lengths = durations_in(said)
    if not lengths and order.words("time") and all(t.is_(*_WAITING) for t in said if t.is_content):
        # "Wait two days between applying and scoring."
        said = order.words("time")
        lengths = durations_in(said)
    if len(lengths) != 1:
        return None
    first, length = lengths[0]
    others = [t for t in (*said[:first], *said[length.end :]) if t.is_content]
    if not all(t.is_(*_WAITING) for t in others):
        return None
    draft = order.plan.draft_named(f"Wait {order.plan.said(said[first : length.end])}")
    kept = {key: one for key, one in draft.items() if key not in ("assignee", "uses")}
    return kept | {"type": "wait", "duration": length.value}


def _imperative(order: Filled, words: Tokens) -> Tokens:
    """Return work with its verb in front in its base form: "uploads the photos", "must be checked", "to check them"."""
    kept = list(words)
    while len(kept) > 1 and kept[0].kind == "word" and (kept[0].has("aux", "neg") or kept[0].is_("to", "also")):
        kept.pop(0)
    verb, forms = kept[0], kept[0].entry.form.split()
    behind = kept[1].has("det", "pron", "noun", "adj", "prep") if len(kept) > 1 else bool(order.words("who"))
    if behind and verb.kind == "word" and verb.entry.verb not in (None, verb.lower) and {"s", "ing"} & set(forms):
        name = titled(f"{verb.entry.verb} {order.plan.said(kept[1:])}")
        return (Token(name, "quoted", verb.start, kept[-1].end, verb.entry),)
    return tuple(kept)


def _insert(order: Filled) -> None:
    plan = order.plan
    if (known := _there_already(order)) is not None:
        plan.notes = [*plan.notes, f"there is “{known.name}” already, so that there would be two"]
    if len(names := _names_listed(order)) > 1:
        put(plan, [draft_of(plan, name, Work(name, order.who(), order.time())) for name in names], _place(order))
        return
    draft = _new(order)
    if order.words("case"):
        if (way := _way_of_case(order)) is not None:
            put(plan, [draft], Place({"between": [way.from_, way.to]}))
            return
        draft["when"] = {"text": _case(order, "case")}
    put(plan, [draft], _place(order) if any(map(order.words, _PLACES)) else _unsaid_place(plan))


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
        and (own := content_of(_told(edge)))
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
        told = amount_told(plan, order.words(case)) or _case(order, case)
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
            return _place(order)
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
        _on_failure(plan, step_meant(plan, words, "step"), draft, None)
        return
    put(plan, [draft], _place(order))


def _remove(order: Filled) -> None:
    order.plan.do(*({"op": "remove_step", "step": step.id} for step in order.steps()))


def _rename(order: Filled) -> None:
    order.plan.do({"op": "rename_step", "step": order.step("step").id, "name": _name(order, "name")})


def _name(order: Filled, role: str) -> str:
    words = bare(order.words(role))
    if order.is_cut(role):
        raise NotRead
    if not words or len(words) > _MOST_NAME or words[0].is_("step", "workflow") or any(t.text in ",;" for t in words):
        raise NotRead
    quoted = [t for t in words if t.kind == "quoted"]
    return quoted[0].text if len(quoted) == 1 and len(words) == 1 else titled(order.text(role))


def _replace(order: Filled) -> None:
    step, draft = order.step("step"), _new(order)
    if step.assignee and "assignee" not in draft and draft["type"] != "wait":
        # Other work of the same person.
        draft = {key: one for key, one in draft.items() if key != "uses"} | {"type": "human", "assignee": step.assignee}
    order.plan.do({"op": "replace_step", "step": step.id, "with": draft})


def _assign(order: Filled) -> None:
    if (who := order.who()) is None:
        raise NotRead
    steps = order.steps()
    own = {word for step in steps for word in content_of(step.name)}
    if any(t.is_(*_CHECKS) and not any(akin(t.lower, word) for word in own) for t in order.around()):
        # "Scoring has to be audited by HR" is other work than scoring.
        raise NotRead
    order.plan.do(*({"op": "set_assignee", "step": step.id, "assignee": who} for step in steps))


def _deadline(order: Filled) -> None:
    length, sign = order.time(like=_time_before(order)), _added(order)
    if length is None or any(
        t.is_("no", "after", "later", "least", "earliest", "halve", "double") for t in order.around()
    ):
        # "Pay out only after 3 days" is a wait.
        raise NotRead
    for step in order.steps():
        field = "duration" if step.type == "wait" else "timeout"
        value, now = length, step.duration if step.type == "wait" else step.timeout
        if sign:
            if now is None or seconds_of(now) + sign * seconds_of(length) <= 0:
                raise NotRead
            value = duration_of(seconds_of(now) + sign * seconds_of(length))
        if field == "duration":
            order.plan.do({"op": "update_step", "step": step.id, "set": {"duration": value}})
        else:
            order.plan.do({"op": "set_timeout", "step": step.id, "timeout": value})


def _time_before(order: Filled) -> str | None:
    """Return the time that the message set before, or the one that the step has now."""
    before = [edit["timeout"] for edit in order.plan.edits if edit["op"] == "set_timeout"]
    step = order.steps()[0]
    return before[-1] if before else step.timeout or step.duration


def _added(order: Filled) -> int:
    """Return 1 where a time is added to the one there is, -1 where it is taken off, 0 where it is the new one."""
    around = order.around()
    by = any(t.is_("by") for t in around)
    if order.all_words("less") or (by and any(t.is_("cut", "reduce", "shorten", "decrease") for t in around)):
        return -1
    added = by and any(t.is_("extend", "prolong", "lengthen", "increase", "stretch") for t in around)
    return 1 if order.all_words("more") or added else 0


def _no_deadline(order: Filled) -> None:
    if any(t.is_("halve", "half", "double") for t in order.tokens):
        raise NotRead
    for step in order.steps():
        if step.timeout is None:
            raise NotRead
        order.plan.do({"op": "set_timeout", "step": step.id, "timeout": None})


def _escalate(order: Filled) -> None:
    step, who, length = order.step("step"), order.who(), order.time()
    if who is None or (length is None and step.timeout is None):
        raise NotRead
    if length is not None:
        order.plan.do({"op": "set_timeout", "step": step.id, "timeout": length})
    order.plan.do({"op": "update_step", "step": step.id, "set": {"escalate_to": who}})


def _no_escalation(order: Filled) -> None:
    who = order.who()
    for step in order.steps():
        if step.escalate_to is None or (who and not akin_words(who, step.escalate_to)):
            raise NotRead
        order.plan.do({"op": "update_step", "step": step.id, "unset": ["escalate_to"]})


def _growth(order: Filled) -> str | None:
    """Return how pauses between tries are to grow; None where nothing is said of it."""
    return next((how for how, words in _GROWING.items() if any(t.is_(*words) for t in order.tokens)), None)


def _retry(order: Filled) -> None:
    words = order.words("num")
    found = times_at(words, 0) if words else None
    value = next((t.value for t in words if t.value is not None), None)
    count = found.value if found else int(value) if value is not None else None
    if value is not None and value != int(value):
        raise NotRead
    if count == 0:
        raise NotRead
    more = any(t.is_("more", "another", "additional", "extra", "further") for t in (*order.around(), *words))
    interval = {"interval": order.time()} if order.words("time") else {}
    grows = _growth(order)
    interval |= {"backoff": grows} if grows else {}
    for step in order.steps():
        if count is None and step.retry is None and not grows:
            raise NotRead
        retry: JsonObject = step.retry.model_dump(mode="json", exclude_defaults=True) if step.retry else {}
        now = step.retry.max_attempts if step.retry else 0
        retry |= {"max_attempts": count + now if more else count} if count else {}
        order.plan.do({"op": "set_retry", "step": step.id, "retry": retry | interval})


def _no_retry(order: Filled) -> None:
    if _growth(order):
        raise NotRead
    for step in order.steps():
        if step.retry is None:
            raise NotRead
        order.plan.do({"op": "set_retry", "step": step.id, "retry": None})


def _condition(order: Filled) -> None:
    """Give a way another condition: the one that has the old words, or that leads where it is said."""
    plan, new = order.plan, bare(order.words("cond"))
    numbers = [t for t in new if t.kind == "number"]
    edges = _ways(order)
    if len(numbers) == 1:
        edges = [edge for edge in edges if len(NUMBER.findall(_told(edge))) == 1]
    limits = [edge for edge in plan.workflow.transitions if NUMBER.search(_told(edge))]
    if len(edges) != 1 and numbers and len(limits) == 1 and not order.words("oldcond"):
        # The only limit there is: "the limit for large deals is 50k now".
        edges = limits
    if not new or len(edges) != 1:
        raise NotRead
    text = plan.said(new)
    if numbers and any(t.is_("by") for t in order.around()):
        # By how much it is to change, and not to what.
        raise NotRead
    if len(numbers) == 1:
        # A new limit alone: what is compared with it stays as it is said.
        old = NUMBER.findall(_told(edges[0]))[0]
        if amount_of(old) == numbers[0].value:
            raise NotRead
        text = _told(edges[0]).replace(old, like_number(old, numbers[0]))
    plan.do({"op": "update_transition", "transition": edges[0].id, "set": {"when": {"text": text}}})


def _told(edge: Transition) -> str:
    return (edge.when.text or "") if edge.when else ""


def _ways(order: Filled) -> list[Transition]:
    """Return the ways with a condition that the slots of an order may mean."""
    plan = order.plan
    edges = [edge for edge in plan.workflow.transitions if edge.when is not None and edge.when.text]
    if old := [t for t in order.words("oldcond") if t.is_content]:
        edges = [edge for edge in edges if _speaks_of(_told(edge), old)]
        if len(edges) == 1:
            return edges
    for role, end in (("from", "from_"), ("to", "to"), ("step", "to"), ("after", "from_")):
        if order.words(role):
            step = order.step(role)
            some = [edge for edge in edges if getattr(edge, end) == step.id]
            some = some or [edge for edge in edges if step.id in (edge.from_, edge.to)]
            edges = some
    return edges


def _speaks_of(text: str, said: Sequence[Token]) -> bool:
    own = content_of(text)
    amounts = [amount_of(one) for one in NUMBER.findall(text)]
    words = [
        word for t in said if t.kind != "number" for word in (content_of(t.text) if t.kind == "quoted" else [t.lower])
    ]
    numbers = [t.value for t in said if t.kind == "number"]
    return all(any(akin(one, word) for word in own) for one in words) and all(one in amounts for one in numbers)


def _case(order: Filled, role: str) -> str:
    words = bare(order.words(role))
    while len(words) > 1 and words[0].is_("if", "when", "where", "whenever", "unless", "that"):
        words = words[1:]
    if not words:
        raise NotRead
    return order.plan.said(words)


def _case_branch(order: Filled) -> None:
    plan = order.plan
    condition = _case(order, "cond")
    from_ = order.maybe("after") or order.maybe("from") or decider(plan, condition)
    known = _there_already(order)
    target = known or order.maybe("to")
    if known is not None or not order.words("new"):
        if target is None:
            raise NotRead
        plan.do(*connections(plan, from_, target, condition))
        return
    draft = _new(order)
    onward = target.id if target else _main_way(plan, from_)
    plan.do({"op": "add_step", "step": draft})
    new = plan.workflow.step(draft["id"])
    if new is None:
        raise NotRead
    plan.do(*connections(plan, from_, new, condition))
    plan.do({"op": "connect", "from": draft["id"], "to": onward})


def _main_way(plan: Plan, step: Step) -> str:
    ways = [edge for edge in plan.workflow.outgoing(step.id) if edge.type == "sequence"]
    if len(ways) != 1:
        raise NotRead
    return ways[0].to


def _there_already(order: Filled) -> Step | None:
    """Return the step that the words for a new one name: "the harvest is halted", of an end "Harvest halted"."""
    words = bare(order.words("new"))
    step = order.plan.maybe([t for t in words if t.is_content]) if words else None
    return step if step is not None and (not order.words("who") or order.who() == step.assignee) else None


def _error(order: Filled) -> None:
    if _growth(order):
        raise NotRead
    plan, step = order.plan, order.step("step" if order.words("step") or not order.words("cond") else "cond")
    known = _there_already(order)
    target = known or order.maybe("to")
    if known is not None or not order.words("new"):
        if target is None:
            raise NotRead
        plan.do({"op": "add_error_path", "step": step.id, "to": target.id})
        return
    draft = _new(order)
    _on_failure(plan, step, draft, target)


def _on_failure(plan: Plan, step: Step, draft: JsonObject, target: Step | None) -> None:
    """Let a new step be done when another fails: in front of what is done then now, else on the way past it."""
    failing = [edge for edge in plan.workflow.outgoing(step.id) if edge.type == "error" and not edge.errors]
    onward = [target.id] if target else [edge.to for edge in failing[:1] or _plain_ways(plan, step)]
    plan.do({"op": "add_step", "step": draft})
    if failing:
        plan.do({"op": "update_transition", "transition": failing[0].id, "set": {"to": draft["id"]}})
    else:
        plan.do({"op": "add_error_path", "step": step.id, "to": draft["id"]})
    if len(onward) == 1:
        plan.do({"op": "connect", "from": draft["id"], "to": onward[0]})


def _plain_ways(plan: Plan, step: Step) -> list[Transition]:
    """Return the ways on from a step that have no condition."""
    return [edge for edge in plan.workflow.outgoing(step.id) if edge.type == "sequence" and edge.when is None]


def _connect(order: Filled) -> None:
    plan, from_, to = order.plan, order.step("from"), order.step("to")
    if from_.id == to.id:
        raise NotRead
    plain = _plain_ways(plan, from_)
    straight = any(t.is_("directly", "straight", "immediately", "instead") for t in order.around())
    if straight and not order.words("cond") and len(plain) == 1:
        plan.do({"op": "update_transition", "transition": plain[0].id, "set": {"to": to.id}})
        return
    plan.do(*connections(plan, from_, to, _case(order, "cond") if order.words("cond") else None))


def _disconnect(order: Filled) -> None:
    edges = _edges(order, "to")
    if len(edges) != 1:
        raise NotRead
    order.plan.do({"op": "disconnect", "from": edges[0].from_, "to": edges[0].to})


def _edges(order: Filled, to: str) -> list[Transition]:
    """Return the ways from the step of `from` to that of a role, on the condition of `cond`, where these are told."""
    edges = list(order.plan.workflow.transitions)
    if (from_ := order.maybe("from")) is not None:
        edges = [edge for edge in edges if edge.from_ == from_.id]
    if (target := order.maybe(to)) is not None:
        edges = [edge for edge in edges if edge.to == target.id]
    if cond := [t for t in order.words("cond") if t.is_content]:
        edges = [edge for edge in edges if edge.when and _speaks_of(_told(edge), cond)]
    return edges


def _redirect(order: Filled) -> None:
    plan, to = order.plan, order.step("to")
    edges = _edges(order, "oldto")
    if not order.words("oldto") and not any(t.is_content for t in order.words("cond")):
        edges = [edge for edge in edges if edge.type == "sequence"]
    if len(edges) != 1 or edges[0].to == to.id or edges[0].from_ == to.id:
        raise NotRead
    plan.do({"op": "update_transition", "transition": edges[0].id, "set": {"to": to.id}})


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


def _optional(order: Filled) -> None:
    plan, step = order.plan, order.step("step")
    skips = any(t.is_("skip", "omit", "bypass", "drop", "leave", "miss", "unnecessary") for t in order.around())
    role = "unless" if order.words("unless") else "only"
    if durations_in(order.words(role)):
        # "Only after 3 days" is a wait.
        raise NotRead
    condition = f"not ({_case(order, role)})" if role == "unless" or skips else _case(order, role)
    happens_if(plan, step, condition)


def _required(order: Filled) -> None:
    step = order.step("step")
    if step.when is None:
        raise NotRead
    order.plan.do({"op": "update_step", "step": step.id, "unset": ["when"]})


def _merge(order: Filled) -> None:
    first, *others = order.steps()
    if not others or not order.words("name"):
        raise NotRead
    order.plan.do(
        {"op": "rename_step", "step": first.id, "name": _name(order, "name")},
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
    move_steps(order.plan, order.steps(), _place(order))


def _rename_workflow(order: Filled) -> None:
    workflow = order.plan.workflow
    about = (*order.around(), *itertools.chain(*order.all_words("oldname")))
    if any(t.is_("step", "task") for t in about) or order.plan.steps.whole_names(about):
        # It is that step which gets another name.
        raise NotRead
    refers = order.plan.steps.last is not None and any(t.is_("it", "that", "this") for t in order.around())
    old = " ".join(t.lower for t in order.words("oldname") if t.is_content and t.lemma not in WHOLE)
    if refers or not any(akin_words(old, known) for known in (workflow.name, *workflow.aliases)):
        # It may be the step spoken of last, or another workflow.
        raise NotRead
    order.plan.do({"op": "rename_workflow", "name": _name(order, "name")})


def _value(op: str, key: str) -> Callable[[Filled], None]:
    def build(order: Filled) -> None:
        long = len(order.words("value")) > _MOST_LABEL
        around = order.around()
        other = any(t.is_("alias" if key == "tag" else "tag") for t in around)
        # "Make it the bank" is no tag, and says so as little.
        unsaid = key == "tag" and not any(t.is_("tag", "label", "mark", "#", "untag", "hashtag") for t in around)
        if long or other or unsaid:
            raise NotRead
        order.plan.do({"op": op, key: order.text("value")})

    return build


def _describe(order: Filled) -> None:
    words = order.words("value")
    said = words[0].text if len(words) == 1 else order.plan.said(words).strip(" .:")
    value = {t.start for t in words}
    if not said:
        raise NotRead
    if order.words("step") and not akin_words(order.text("step"), order.plan.workflow.name):
        step = order.step("step").id
        order.plan.do({"op": "update_step", "step": step, "set": {"description": said}})
        return
    if not order.words("step") and order.plan.steps.whole_names(tuple(t for t in order.tokens if t.start not in value)):
        # It may be of that step.
        raise NotRead
    order.plan.do({"op": "set_description", "description": said})


def _schedule(order: Filled) -> None:
    pieces = order.all_words("when")
    orders = [tuple(itertools.chain(*pieces)), tuple(itertools.chain(*reversed(pieces)))]
    each = ((words, schedule_at(words, at)) for words in orders for at in range(len(words)))
    words, found = next(((words, one) for words, one in each if one is not None), ((), None))
    if found is None or any(t.is_content for t in words[found.end :]):
        raise NotRead
    old = [i for i, one in enumerate(order.plan.workflow.triggers) if one.type == "schedule"]
    around = order.around()
    replaces = bool(order.words("oldtime")) or any(
        t.is_("instead", "not", "rather", "now", "change", "switch", "reschedule") for t in around
    )
    if old and not any(t.is_("also", "too", "additionally", "second", "well") for t in order.tokens):
        if len(old) > 1 or not replaces:
            raise NotRead
        order.plan.do({"op": "remove_trigger", "index": old[0]})
    order.plan.do({"op": "add_trigger", "trigger": found.value})


def _event(order: Filled) -> None:
    """Add an event by its name, "lead.created", or by the words for it: "a web form is submitted"."""
    words = [*itertools.chain(*order.all_words("when"), *order.all_words("value")), *order.around()]
    if any(t.is_(*_STARTED_BY["manual"]) for t in words):
        order.plan.do({"op": "add_trigger", "trigger": {"type": "manual"}})
        return
    if any(t.is_("webhook", "post") for t in words):
        path = re.search(r"(?<!\w)/[\w/-]+", order.plan.text)
        trigger = {"type": "webhook"} | ({"path": path[0]} if path else {})
        order.plan.do({"op": "add_trigger", "trigger": trigger})
        return
    named = list(
        dict.fromkeys(t.text for t in words if t.kind != "number" and re.fullmatch(r"\w+(?:[._]\w+)+", t.text))
    )
    said = [t for t in (order.words("when") or order.words("value")) if t.is_content]
    if len(named) > 1 or not (named or 0 < len(said) <= _MOST_LABEL):
        raise NotRead
    name = named[0] if named else "_".join(t.lower if t.entry.form == "ed" else t.lemma for t in said)
    order.plan.do({"op": "add_trigger", "trigger": {"type": "event", "event": name}})


def _untrigger(order: Filled) -> None:
    said = [*order.around(), *order.words("value")]
    kinds = {kind for kind, words in _STARTED_BY.items() if any(t.is_(*words) for t in said)}
    names = {t.text for t in said}
    found = [
        i
        for i, one in enumerate(order.plan.workflow.triggers)
        if one.type in kinds or getattr(one, "event", None) in names
    ]
    if len(found) != 1:
        raise NotRead
    order.plan.do({"op": "remove_trigger", "index": found[0]})


def _start(order: Filled) -> None:
    step = order.step("step")
    if step.id == order.plan.workflow.start:
        raise NotRead
    order.plan.do({"op": "set_start", "step": step.id})


def _permission(order: Filled) -> None:
    named = [t for t in order.words("value") if t.kind == "quoted" or any(mark in t.text for mark in "_.:")]
    if len(named) != 1:
        raise NotRead
    order.plan.do({"op": "set_permission", "step": order.step("step").id, "permission": named[0].text})


def _uses(order: Filled) -> None:
    if _growth(order):
        # "Use exponential backoff for the payment."
        _retry(order)
        return
    if any(t.is_("handle", "do", "perform") for t in order.around()):
        # "We want accounting to handle it": that may be somebody.
        raise NotRead
    step = order.step("step")
    if step.type == "human":
        # Whatever does the work of a person may as well be another person.
        raise NotRead
    named = [t for t in order.around() if "." in t.text and t.kind == "word"]
    value = named[0].text if len(named) == 1 and not order.words("value") else order.text("value")
    order.plan.do({"op": "update_step", "step": step.id, "set": {"uses": value}})


def _form_of(step: Step) -> JsonObject:
    return step.form.model_dump(mode="json", exclude_defaults=True) if step.form else {}


def _with_field(step: Step, name: list[Token], tokens: Tokens) -> JsonObject:
    """Return the form of a step with one field more.

    Raises:
        NotRead: It has the field already.
    """
    form = _form_of(step)
    label = " ".join(t.text for t in name)
    key = slug(label)
    if any(one["key"] == key for one in form.get("fields", ())):
        raise NotRead(f"{step.name!r} has a field {key!r} already")
    field: JsonObject = {"key": key, "label": titled(label)}
    if (kind := _TYPES.get(label.lower().rpartition(" ")[2])) is not None:
        field["type"] = kind
    if any(t.is_("required", "mandatory") for t in tokens):
        field["required"] = True
    return {**form, "fields": [*form.get("fields", ()), field]}


def _field(order: Filled) -> None:
    step = order.step("step")
    fields = [bare(words) for words in order.all_words("value")]
    # "A comment field."
    fields = [one[:-1] if len(one) > 1 and one[-1].is_("field", "box", "input") else one for one in fields]
    if not fields or any(not 0 < len(one) <= _MOST_NAME or any("." in t.text for t in one[:1]) for one in fields):
        raise NotRead
    form: JsonObject = {}
    for one in fields:
        form = _with_field(step, list(one), (*one, *order.words("need")))
        step = step.model_copy(update={"form": Form.model_validate(form)})
    order.plan.do({"op": "set_form", "step": step.id, "form": form})


def _no_field(order: Filled) -> None:
    step = order.step("step")
    form = _form_of(step)
    fields: list[JsonObject] = form.get("fields", [])
    found = [
        one
        for words in order.all_words("value")
        for one in fields
        if akin_words(order.plan.said(bare(words)), one.get("label") or one["key"])
    ]
    if not found or len(found) != len(order.all_words("value")):
        raise NotRead
    left = [one for one in fields if one not in found]
    order.plan.do({"op": "set_form", "step": step.id, "form": {**form, "fields": left} if left else None})


def _no_message(order: Filled) -> None:
    """Take away the one automation that sends what a message says is to be sent no longer."""
    found = [one for one in order.plan.workflow.automations if _is_message(order, one.model_dump(mode="json"))]
    if len(found) != 1 or not order.words("who"):
        raise NotRead
    order.plan.do({"op": "set_automation", "id": found[0].id, "automation": None})


def _is_message(order: Filled, automation: JsonObject) -> bool:
    told = content_of(json.dumps(automation["effect"]))
    who = [t for t in order.words("who") if t.is_content]
    return bool(who) and all(any(akin(t.lower, word) for word in told) for t in who)


BUILDERS: Mapping[str, Callable[[Filled], None]] = {
    "insert": _insert,
    "approve": _approve,
    "notify": _notify,
    "case": _case_branch,
    "error": _error,
    "remove": _remove,
    "rename": _rename,
    "replace": _replace,
    "assign": _assign,
    "deadline": _deadline,
    "nodeadline": _no_deadline,
    "escalate": _escalate,
    "noescalate": _no_escalation,
    "retry": _retry,
    "noretry": _no_retry,
    "condition": _condition,
    "connect": _connect,
    "disconnect": _disconnect,
    "redirect": _redirect,
    "parallel": _parallel,
    "serial": _serial,
    "optional": _optional,
    "required": _required,
    "merge": _merge,
    "swap": _swap,
    "move": _move,
    "wfname": _rename_workflow,
    "describe": _describe,
    "alias": _value("add_alias", "alias"),
    "unalias": _value("remove_alias", "alias"),
    "tag": _value("tag", "tag"),
    "untag": _value("untag", "tag"),
    "schedule": _schedule,
    "event": _event,
    "start": _start,
    "permission": _permission,
    "uses": _uses,
    "field": _field,
    "nofield": _no_field,
    "unnotify": _no_message,
    "untrigger": _untrigger,
}
"""What makes the edits of each intent; of one that is not here nothing is made."""
