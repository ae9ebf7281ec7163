"""Who does a step, within what time, how often it is tried, what it needs and asks for."""

import itertools
import re
from collections.abc import Callable, Mapping

from workflow_agent.assistant.offline.nlu.new_steps import MOST_NAME
from workflow_agent.assistant.offline.nlu.slots import Filled, akin_words, bare, length_of, using
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan, listed, titled
from workflow_agent.assistant.offline.references import StepUnclear, akin, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import durations_in, times_at
from workflow_agent.workflows.model.durations import duration_of, seconds_of
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.steps import Form, Step

_CHECKS = ("audit", "check", "review", "verify", "inspect", "approve", "countersign", "test", "examine")
_GROWING = {"exponential": ("exponential", "exponentially", "doubling"), "linear": ("linear", "linearly")}
_LIMITS = ("deadline", "timeout", "limit")
_TRIES = 3
_WORK = ("human", "action")
_TIMES_X = re.compile(r"x(\d{1,3})|(\d{1,3})x")
_TYPES = {
    "date": "date",
    **dict.fromkeys(("amount", "number", "price", "sum"), "number"),
    **dict.fromkeys(("email", "e-mail"), "email"),
    **dict.fromkeys(("file", "attachment"), "file"),
    **dict.fromkeys(("comment", "note", "reason"), "text"),
}
"""By the last word of a field's name; anything else is a line of text."""


def _assign(order: Filled) -> None:
    if order.words("oldwho") and not order.all_words("who"):
        _release(order)
        return
    who = _somebody(order)
    steps = _steps_of(order)
    own = {word for step in steps for word in content_of(step.name)}
    if any(t.is_(*_CHECKS) and not any(akin(t.lower, word) for word in own) for t in order.around()):
        # "Scoring has to be audited by HR" is other work than scoring.
        raise NotRead
    order.plan.do(*({"op": "set_assignee", "step": step.id, "assignee": who} for step in steps))


def _steps_of(order: Filled) -> list[Step]:
    """Return the steps that an order names; of several that it may mean the one that the person before does."""
    try:
        return order.steps()
    except StepUnclear as unclear:
        was = order.plan.said(bare(order.words("oldwho")))
        known = filter(None, (order.plan.workflow.step(one.id) for one in unclear.candidates))
        theirs = [step for step in known if was and step.assignee and akin_words(was, step.assignee)]
        if len(theirs) != 1:
            raise
        return theirs


def _release(order: Filled) -> None:
    """Let nobody in particular do the steps that somebody is to be taken off."""
    was = order.plan.said(bare(order.words("oldwho")))
    for step in order.steps():
        if step.assignee is None or not akin_words(was, step.assignee):
            raise NotRead
        order.plan.do({"op": "set_assignee", "step": step.id, "assignee": None})


def _somebody(order: Filled) -> str:
    """Return who does it.

    Raises:
        Asked: Nobody certain is named: "us", "someone".
        NotRead: Nobody is.
    """
    if (who := order.who()) is not None:
        return who
    raise order.asked("Which role or name is", words) if (words := order.words("who")) else NotRead


def _deadline(order: Filled) -> None:
    steps = [_at_work(order.plan, step) for step in _steps_by_time(order)]
    if len(steps) > 1 and order.says("between"):
        # "Leave a day between the mail and the visit" is a wait.
        raise NotRead
    _check_consistent(order)
    now = _time_of(order, steps[0])
    # "By two days" may stand in the slot for what is added, or taken off.
    length = order.time("time", "more", "less", like=now)
    factor = _factor(order) if length is None else 1
    if length is None and factor is None:
        raise NotRead
    sign = _added(order)
    for step in steps:
        value = length or ""
        if length is None or sign:
            value = _changed(step, factor or 1, sign * seconds_of(length or ""))
        if step.type == "wait":
            order.plan.do({"op": "update_step", "step": step.id, "set": {"duration": value}})
        else:
            _check_limit(order, step)
            order.plan.do({"op": "set_timeout", "step": step.id, "timeout": value})


def _steps_by_time(order: Filled) -> list[Step]:
    """Return the steps that an order names; where none is named for sure, the one that takes the time told as the old.

    Where another step is named, it is noted that it does not take that time.
    """
    seconds = _seconds_before(order)
    steps = order.plan.workflow.steps
    having = [one for one in steps if seconds and (own := length_of(one)) and seconds_of(own) == seconds]
    only = having[0] if len(having) == 1 else None
    by_name = [step.id for words in order.all_words("step") for step in order.plan.fits(bare(words))]
    likened = order.plan.likened
    try:
        named = order.steps()
    except (StepUnclear, NotRead):
        named = []
        if only is None or (by_name and only.id not in by_name):
            raise
    if only is None:
        return named
    if only in named:
        # What its words mean need not be guessed.
        order.plan.likened = likened
        return named
    if by_name and named:
        order.plan.notes.append(f"“{only.name}” takes that time now")
        return named
    order.plan.guesses.append(f"I took **{only.name}**, which takes that time now")
    return [only]


def _check_consistent(order: Filled) -> None:
    """Raise NotRead where a message gives a time and none: "a deadline of 3 days and no deadline"."""
    limits = [at for at, t in enumerate(order.tokens) if t.is_(*_LIMITS)]
    denied = [at for at in limits if at and order.tokens[at - 1].is_("no", "without")]
    if denied and len(limits) > len(denied) and durations_in(order.tokens):
        raise NotRead


def _seconds_before(order: Filled) -> float | None:
    """Return the time told as the old one; of "four weeks, three is too short" it is three weeks."""
    old, new = (list(itertools.chain(*order.all_words(role))) for role in ("oldtime", "time"))
    if len(found := durations_in(old)) == 1:
        return seconds_of(found[0][1].value)
    before, now = ([t.value for t in words if t.value] for words in (old, new))
    told = durations_in(new)
    if len(before) != 1 or len(now) != 1 or len(told) != 1:
        return None
    return before[0] * seconds_of(told[0][1].value) / now[0]


def _at_work(plan: Plan, step: Step) -> Step:
    """Return the step in front of a question in which its work is done: of "Letter signed?" "Sign letter"."""
    before = [plan.workflow.step(edge.from_) for edge in plan.workflow.incoming(step.id) if edge.type != "error"]
    if step.type != "decision" or len(before) != 1 or (work := before[0]) is None or work.type not in _WORK:
        return step
    if not any(akin(one, other) for one in content_of(step.name) for other in content_of(work.name)):
        return step
    plan.guesses.append(f"“{step.name}” takes no time: I took **{work.name}**")
    return work


def _time_of(order: Filled, step: Step) -> str | None:
    """Return the time that the message set before, or the one that the step has now."""
    before = [edit["timeout"] for edit in order.plan.edits if edit["op"] == "set_timeout"]
    return before[-1] if before else length_of(step)


def _factor(order: Filled) -> float | None:
    """Return what a time is multiplied by: "halve the time", "twice as long"; None where nothing is said of it."""
    said = {t.lemma for t in (*order.around(), *itertools.chain(*order.all_words("less"), *order.all_words("more")))}
    return 0.5 if said & {"halve", "half"} else 2 if said & {"double", "twice"} else None


def _changed(step: Step, factor: float, seconds: float) -> str:
    """Return the time of a step, changed.

    Raises:
        Asked: It has none.
        NotRead: Nothing would be left of it.
    """
    if (now := length_of(step)) is None:
        raise Asked(f"**{step.name}** has no time yet. How long may it take?", f"{step.name} takes ")
    left = seconds_of(now) * factor + seconds
    if left <= 0:
        raise NotRead
    return duration_of(left)


def _check_limit(order: Filled, step: Step) -> None:
    """Note where a time may be none within which something is done, but one that is waited for.

    Raises:
        NotRead: It is one: "pay out only after 3 days", "no sooner than", "at the earliest".
    """
    denied, least = order.says("no", "not", "never", "nobody"), order.says("least")
    after = order.says("after") or (not denied and order.says("later"))
    early = order.says("earliest") or (denied and order.says("sooner", "soon", "early"))
    if early or (least and not order.words("oldtime")) or (after and order.says("only")):
        raise NotRead
    if least or (after and not order.says_of("step_fields.limit")):
        order.plan.notes.append(f"I took that for the time within which **{step.name}** is done, not for one to wait")


def _added(order: Filled) -> int:
    """Return 1 where a time is added to the one there is, -1 where it is taken off, 0 where it is the new one."""
    times = [slot.tokens[0].start for slot in order.slots if slot.role == "time"]
    if any(t.is_("to") and other.start in times for t, other in itertools.pairwise(order.tokens)):
        # "Shortened to two days".
        return 0
    by = order.says("by")
    if order.all_words("less") or (by and order.says("cut", "reduce", "shorten", "decrease")):
        return -1
    added = by and order.says("extend", "prolong", "lengthen", "increase", "stretch")
    return 1 if order.all_words("more") or added else 0


def _no_deadline(order: Filled) -> None:
    if any(t.is_("halve", "half", "double") for t in order.tokens):
        raise NotRead
    _check_consistent(order)
    for step in order.steps():
        if step.timeout is None:
            raise NotRead
        order.plan.do({"op": "set_timeout", "step": step.id, "timeout": None})


def _escalate(order: Filled) -> None:
    step, who, length = _at_work(order.plan, order.step("step")), _somebody(order), order.time()
    if length is None and step.timeout is None:
        said = order.plan.said(order.words("who"))
        raise Asked(f"After how long is {said} told of **{step.name}**?", order.plan.going_on(" after"))
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
    count, told = _count(order), order.words("time")
    if count is None and told and all(t.value is not None for t in told if t.is_content):
        # A number alone: "retries for the push: ten".
        count = _count(order, "time")
        told = ()
    interval = {"interval": order.time()} if told else {}
    apart = any(t.among("drawing.apart") or t.is_("wait", "after", "delay") for t in order.tokens)
    if interval and count is not None and not apart:
        # In "20 minutes and 5 attempts" it may be its deadline.
        order.plan.notes.append(f"I took {order.text('time')} for the time between two tries")
    if grows := growth_of(order):
        interval["backoff"] = grows
    if not any(t.among("step_fields.retries") for t in order.tokens):
        order.plan.guesses.append("I took how often for how often it is tried again")
    for step in order.steps():
        retry: JsonObject = step.retry.model_dump(mode="json", exclude_defaults=True) if step.retry else {}
        if count is None and step.retry is None and not grows:
            order.plan.notes.append(f"you did not say how often: I would try **{step.name}** {_TRIES} times")
            retry["max_attempts"] = _TRIES
        elif count is not None:
            retry["max_attempts"] = _tries(order, step, count)
        order.plan.do({"op": "set_retry", "step": step.id, "retry": retry | interval})


def _count(order: Filled, role: str = "num") -> int | None:
    """Return how often something is tried; None where that is not told.

    Raises:
        NotRead: It is no such number.
    """
    if not (words := order.words(role)):
        return None
    found = times_at(words, 0)
    joined = next((one for t in words if (one := _TIMES_X.fullmatch(t.lower))), None)
    value = next((t.value for t in words if t.value is not None), None)
    count = found.value if found else int(joined[1] or joined[2]) if joined else value
    if not count or count != int(count):
        raise NotRead
    return int(count)


def _tries(order: Filled, step: Step, count: int) -> int:
    """Return how often a step is tried, the first time included, where an order says how often."""
    told = (*order.around(), *order.words("num"))
    more = any(t.is_("more", "another", "additional", "extra", "further") for t in told)
    if step.retry and more and not _is_limit(order):
        return count + step.retry.max_attempts
    # "Try once more", and not "one attempt".
    return 2 if count == 1 and not any(t.is_("attempt") for t in order.tokens) else count


def _is_limit(order: Filled) -> bool:
    """Say whether an order tells how often at most: "no more than two", and not "two more tries than now"."""
    words = [t.lower for t in order.tokens]
    pairs = [at for at in range(1, len(words)) if words[at : at + 2] == ["more", "than"]]
    return any(any(t.has("neg") for t in order.tokens[max(at - 3, 0) : at]) for at in pairs)


def _no_retry(order: Filled) -> None:
    further = any(one.is_("more") and other.is_("than") for one, other in itertools.pairwise(order.tokens))
    if growth_of(order) or further:
        # "One attempt more than now."
        raise NotRead
    for step in order.steps():
        if step.retry is None:
            raise NotRead
        order.plan.do({"op": "set_retry", "step": step.id, "retry": None})


def _permission(order: Filled) -> None:
    # "Only mail admins may delete it": who may is called by the permission.
    role = "value" if order.words("value") else "who"
    words, step = order.words(role), order.step("step")
    order.plan.unread += map(order.plan.said, order.all_words("who") if role == "value" else ())
    named = [t for t in words if t.kind == "quoted" or any(mark in t.text for mark in "_.:")]
    if len(named) == 1:
        order.plan.do({"op": "set_permission", "step": step.id, "permission": named[0].text})
        return
    if order.says_of("step_fields.forbids") and not any(t.among("step_fields.except") for t in order.tokens):
        # "Students must not touch it": a permission says who may.
        raise NotRead
    named_by = [t for t in bare(words) if not t.among("step_fields.permitted")]
    name = slug(order.plan.said(bare(named_by)), fallback="")
    names = [t for t in named_by if t.is_content]
    if not names or not name or (len(names) == 1 and names[0].has("verb") and not names[0].has("noun")):
        # "Only clerks may see it" names no permission to see.
        raise NotRead
    if step.permission:
        order.plan.notes.append(f"the permission “{name}” would stand in place of “{step.permission}”")
    order.plan.told.append(f"The permission is called “{name}”")
    order.plan.do({"op": "set_permission", "step": step.id, "permission": name})


def _uses(order: Filled) -> None:
    if growth_of(order):
        # "Use exponential backoff for the payment."
        _retry(order)
        return
    named = [t for t in order.around() if "." in t.text and t.kind == "word"]
    value = named[0].text if len(named) == 1 and not order.words("value") else order.text("value")
    for step in order.steps():
        if step.assignee and _acts(order):
            # "Let DeepL do it": whatever does the work of a person may as well be another person.
            order.plan.notes.append(f"**{step.name}** stays with {step.assignee}, who would use {value}")
        order.plan.do({"op": "update_step", "step": step.id, "set": {"uses": value}})


def _acts(order: Filled) -> bool:
    """Say whether what a step uses is told as who does it: "done by RouteMaster", "let DeepL handle it"."""
    value = order.words("value")[:1]
    before = next((t for t in reversed(order.tokens) if value and t.start < value[0].start and not t.has("det")), None)
    through = before is not None and before.has("prep") and not before.is_("by")
    return not through and order.says_of("step_fields.acting")


def _form_of(step: Step) -> JsonObject:
    return step.form.model_dump(mode="json", exclude_defaults=True) if step.form else {}


def _with_field(step: Step, name: list[Token], tokens: Tokens) -> JsonObject:
    """Return the form of a step with one field more.

    Raises:
        NotRead: It has the field already.
    """
    form = _form_of(step)
    label = " ".join(t.text for t in name)
    key, kind = slug(label), _TYPES.get(label.lower().rpartition(" ")[2])
    if any(one["key"] == key for one in form.get("fields", ())):
        raise NotRead(f"{step.name!r} has a field {key!r} already")
    field: JsonObject = {"key": key, "label": titled(label)} | ({"type": kind} if kind else {})
    if any(t.is_("required", "mandatory") for t in tokens):
        field["required"] = True
    return {**form, "fields": [*form.get("fields", ()), field]}


def _without_kind(words: Tokens) -> Tokens:
    """Return the words for a field without "field" behind them: "a comment field"."""
    return words[:-1] if len(words) > 1 and words[-1].among("step_fields.field") else words


def _field(order: Filled) -> None:
    step = order.step("step")
    fields = [bare(words) for said in order.all_words("value") for words in listed(said)]
    # "Fields for the employer and the income."
    fields = [one[1:] if one and one[0].is_("for") else one for one in fields]
    fields = list(map(_without_kind, fields))
    if not fields or any(not 0 < len(one) <= MOST_NAME or any("." in t.text for t in one[:1]) for one in fields):
        raise NotRead
    form: JsonObject = {}
    for one in fields:
        form = _with_field(step, list(one), (*one, *(order.words("need") or order.around())))
        step = step.model_copy(update={"form": Form.model_validate(form)})
    order.plan.do({"op": "set_form", "step": step.id, "form": form})


def _no_field(order: Filled) -> None:
    step = order.step("step")
    form = _form_of(step)
    fields: list[JsonObject] = form.get("fields", [])
    values = [bare(words) for words in order.all_words("value")]
    whole = [words for words in values if len(words) == 1 and words[0].is_("form")]
    if step.form and len(whole) == len(values) and (whole or order.says("form")):
        order.plan.do({"op": "set_form", "step": step.id, "form": None})
        return
    said = [order.plan.said(_without_kind(words)) for words in values]
    found = [one for words in said for one in fields if akin_words(words, one.get("label") or one["key"])]
    if not found or len(found) != len(said):
        raise NotRead
    left = [one for one in fields if one not in found]
    order.plan.do({"op": "set_form", "step": step.id, "form": {**form, "fields": left} if left else None})


OF_STEP_FIELDS: Mapping[str, Callable[[Filled], None]] = {
    "assign": using(_assign, "step", "who", "oldwho"),
    "deadline": using(_deadline, "step", "time", "oldtime", "more", "less"),
    "nodeadline": using(_no_deadline, "step", "time", "oldtime"),
    "escalate": using(_escalate, "step", "who", "oldwho", "time", "oldtime"),
    "noescalate": using(_no_escalation, "step", "who", "oldwho", "time", "oldtime"),
    "retry": using(_retry, "step", "num", "time", "oldtime"),
    "noretry": using(_no_retry, "step", "num", "time", "oldtime"),
    "permission": using(_permission, "step", "value", "who"),
    "uses": using(_uses, "step", "value", "num", "time"),
    "field": using(_field, "step", "value", "need"),
    "nofield": using(_no_field, "step", "value"),
}
