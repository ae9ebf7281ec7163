"""Who does a step, within what time, how often it is tried, what it needs and asks for."""

from collections.abc import Callable, Mapping

from workflow_agent.assistant.offline.nlu.new_steps import MOST_NAME
from workflow_agent.assistant.offline.nlu.slots import Filled, akin_words, bare
from workflow_agent.assistant.offline.plan import NotRead, listed, titled
from workflow_agent.assistant.offline.references import akin, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import times_at
from workflow_agent.workflows.model.durations import duration_of, seconds_of
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.steps import Form, Step

_CHECKS = ("audit", "check", "review", "verify", "inspect", "approve", "countersign", "test", "examine")
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
    # "By two days" may stand in the slot for what is added, or taken off.
    length = order.time(like=_time_before(order)) or order.time("more") or order.time("less")
    sign = _added(order)
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


def growth_of(order: Filled) -> str | None:
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
    grows = growth_of(order)
    interval |= {"backoff": grows} if grows else {}
    for step in order.steps():
        if count is None and step.retry is None and not grows:
            raise NotRead
        retry: JsonObject = step.retry.model_dump(mode="json", exclude_defaults=True) if step.retry else {}
        now = step.retry.max_attempts if step.retry else 0
        retry |= {"max_attempts": count + now if more else count} if count else {}
        order.plan.do({"op": "set_retry", "step": step.id, "retry": retry | interval})


def _no_retry(order: Filled) -> None:
    if growth_of(order):
        raise NotRead
    for step in order.steps():
        if step.retry is None:
            raise NotRead
        order.plan.do({"op": "set_retry", "step": step.id, "retry": None})


def _permission(order: Filled) -> None:
    named = [t for t in order.words("value") if t.kind == "quoted" or any(mark in t.text for mark in "_.:")]
    if len(named) != 1:
        raise NotRead
    order.plan.do({"op": "set_permission", "step": order.step("step").id, "permission": named[0].text})


def _uses(order: Filled) -> None:
    if growth_of(order):
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
    fields = [bare(words) for said in order.all_words("value") for words in listed(said)]
    # "Fields for the employer and the income."
    fields = [one[1:] if one and one[0].is_("for") else one for one in fields]
    # "A comment field."
    fields = [one[:-1] if len(one) > 1 and one[-1].is_("field", "box", "input") else one for one in fields]
    if not fields or any(not 0 < len(one) <= MOST_NAME or any("." in t.text for t in one[:1]) for one in fields):
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


OF_STEP_FIELDS: Mapping[str, Callable[[Filled], None]] = {
    "assign": _assign,
    "deadline": _deadline,
    "nodeadline": _no_deadline,
    "escalate": _escalate,
    "noescalate": _no_escalation,
    "retry": _retry,
    "noretry": _no_retry,
    "permission": _permission,
    "uses": _uses,
    "field": _field,
    "nofield": _no_field,
}
