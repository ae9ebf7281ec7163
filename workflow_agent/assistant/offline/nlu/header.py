"""What a workflow says of itself: its names and tags, what starts it, what it sends."""

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from workflow_agent.assistant.offline.nlu.new_steps import name_given
from workflow_agent.assistant.offline.nlu.recurring import recurrence_told, rhythm_beside
from workflow_agent.assistant.offline.nlu.slots import Filled, akin_words, bare, shares_word
from workflow_agent.assistant.offline.plan import SERVICES, WHOLE, Asked, NotRead, Plan, listed
from workflow_agent.assistant.offline.references import akin, content_of
from workflow_agent.assistant.offline.tokens import Token, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.workflows.model.workflow import Workflow

_MOST_LABEL = 5
"""Words of a tag or another name."""
_OF_TIME = 2
"""Fields of cron that are the time of day."""
_STARTED_BY = {
    "manual": ("manual", "manually", "hand"),
    "webhook": ("webhook",),
    "schedule": ("schedule", "timer", "clock", "daily", "nightly", "weekly", "monthly", "hourly", "every"),
}


def _rename_workflow(order: Filled) -> None:
    workflow = order.plan.workflow
    about = (*order.around(), *itertools.chain(*order.all_words("oldname")))
    if any(t.is_("step", "task") for t in about) or order.plan.steps.whole_names(about):
        # It is that step which gets another name.
        raise NotRead
    goes_on = order.goes_on and not any(t.lemma in WHOLE for t in about)
    refers = goes_on or (order.plan.steps.last is not None and order.says("it", "that", "this"))
    old = " ".join(t.lower for t in order.words("oldname") if t.is_content and t.lemma not in WHOLE)
    if refers or not any(akin_words(old, known) for known in (workflow.name, *workflow.aliases)):
        # It may be the step spoken of last, or another workflow.
        raise NotRead
    order.plan.do({"op": "rename_workflow", "name": name_given(order, "name")})


def _value(op: str, key: str, words_for_it: str) -> Callable[[Filled], None]:
    def build(order: Filled) -> None:
        values = [bare(words) for role in ("value", "name") for words in order.all_words(role)]
        # "Tag everything safety."
        values = [
            words[1:] if len(words) > 1 and words[0].is_("everything", "it", "this") else words for words in values
        ]
        items = [bare(item) for words in values for item in listed(words)]
        several = key == "tag" and all(len(one) == 1 for one in items)
        if several or any(t.lower in ("tags", "aliases", "names") for t in order.around()):
            # "The tags night and food", "tag it urgent and important", and not "also called salt and pepper".
            values = items
        other = order.says("alias" if key == "tag" else "tag")
        # "Call it X" may be the step spoken of last.
        refers = order.plan.steps.last is not None and order.says("it", "that", "this")
        is_label = all(0 < len(words) <= _MOST_LABEL for words in values)
        if not values or not is_label or other or (refers and order.all_words("name")):
            raise NotRead
        if refers and not order.says_of(words_for_it):
            # "Make it the bank."
            kind = "an alias" if key == "alias" else "a tag"
            order.plan.notes.append(f"I took “{order.plan.said(values[0])}” for {kind}")
        order.plan.do(*({"op": op, key: order.plan.said(words)} for words in values))

    return build


def _describe(order: Filled) -> None:
    words = order.words("value")
    said = words[0].text if len(words) == 1 else order.plan.said(words).strip(" .:")
    value = {t.start for t in words}
    if not said:
        raise NotRead
    if order.words("step") and not akin_words(order.text("step"), order.plan.workflow.name):
        step = order.step("step")
        if step.description:
            order.plan.notes.append(f"**{step.name}** has a description, in whose place that would be")
        elif not any(t.text == ":" or t.among("header.description") for t in order.around()):
            # "Change the loan.pdf in the contract" describes nothing.
            order.plan.notes.append(f"I would write “{said}” into the description of **{step.name}**")
        order.plan.do({"op": "update_step", "step": step.id, "set": {"description": said}})
        return
    if not order.words("step") and order.plan.steps.whole_names(tuple(t for t in order.tokens if t.start not in value)):
        # It may be of that step.
        raise NotRead
    order.plan.do({"op": "set_description", "description": said})


def _schedule(order: Filled) -> None:
    trigger, workflow = _trigger_told(order), order.plan.workflow
    old = [i for i, one in enumerate(workflow.triggers) if one.type == "schedule"]
    if not order.says_of("header.starts") and order.plan.steps.words() & {t.lemma for t in order.around()}:
        # "The clerk pays out every Friday" tells of a step.
        order.plan.notes.append("I took it for when the whole workflow starts")
    changes = order.says_of("header.rescheduling")
    if old and not _is_another(order):
        if len(old) > 1:
            raise NotRead
        if not changes and not order.words("oldtime"):
            if order.says("add", "new") or _days(trigger) != _days(workflow.triggers[old[0]].model_dump()):
                raise Asked("There is a schedule already. Instead of it, or also?", order.plan.going_on(","))
            order.plan.guesses.append("I took it for the time in place of the one before")
        order.plan.do({"op": "remove_trigger", "index": old[0]})
    order.plan.do({"op": "add_trigger", "trigger": trigger})


def _days(trigger: JsonObject) -> list[str]:
    """Return the days on which a schedule starts, as cron has them."""
    return str(trigger.get("cron") or "").split()[_OF_TIME:]


def _is_another(order: Filled) -> bool:
    """Say whether a schedule comes beside those that there are."""
    return any(t.is_("also", "too", "additionally", "second", "well") for t in order.tokens)


def _is_then(words: Sequence[Token], cron: str | None) -> bool:
    """Say whether words tell the time at which a schedule starts: "instead of 5", "not on Mondays"."""
    told = recurrence_told((*read_tokens("at"), *words), every=False)
    if told is None or cron is None or not (told.names_time or told.names_day):
        return False
    same = [one == other for one, other in zip(told.cron.split(), cron.split(), strict=False)]
    return all(same[: _OF_TIME if told.names_time else 0]) and all(same[_OF_TIME:] if told.names_day else ())


def _trigger_told(order: Filled) -> JsonObject:
    """Return the schedule that an order tells; an hour alone is that of the days on which it starts now.

    Raises:
        NotRead: It tells none, or none that cron can say; then the text says why.
    """
    crons = [one.cron for one in order.plan.workflow.triggers if one.type == "schedule"]
    pieces = order.all_words("when")
    # "It runs Mondays at 8. Make that Fridays."
    new = [words for words in pieces if len(pieces) == 1 or not any(_is_then(words, cron) for cron in crons)]
    words = (*rhythm_beside(order.around()), *itertools.chain(*(new or pieces)))
    told = recurrence_told(words, every=order.says("every", "each"))
    if told is None:
        raise NotRead
    if (old := order.words("oldtime")) and not any(_is_then(old, cron) for cron in crons):
        order.plan.notes.append(f"it does not start at {order.text('oldtime')} now")
    if len(crons) == 1 and crons[0] and not told.names_day:
        told = replace(told, cron=" ".join((*told.cron.split()[:2], *crons[0].split()[2:])), assumed="")
    elif len(crons) == 1 and crons[0] and told.cron and not told.names_time and not _is_another(order):
        # "On Tuesdays instead": at the same hour.
        told = replace(told, cron=" ".join((*crons[0].split()[:2], *told.cron.split()[2:])))
    if told.assumed:
        order.plan.notes.append(told.assumed)
    return told.trigger()


def _event(order: Filled) -> None:
    """Add an event by its name, "lead.created", or by the words for it: "a web form is submitted"."""
    words = [*itertools.chain(*order.all_words("when"), *order.all_words("value")), *order.around()]
    if any(t.is_(*_STARTED_BY["manual"]) for t in words):
        trigger = {"type": "manual"}
    elif any(t.is_("webhook", "post") for t in words):
        path = re.search(r"(?<!\w)/[\w/-]+", order.plan.text)
        trigger = {"type": "webhook"} | ({"path": path[0]} if path else {})
    else:
        # Beside the order where it is nowhere else: "they start it too, the event is lead.created".
        named = _ids_in(words) or _ids_in(order.tokens)
        if len(named) == 2 and (old := next(filter(_events(order.plan.workflow).__contains__, named), None)):
            named.remove(old)
            _replace_event(order.plan, old, named[0])
            return
        said = [t for t in (order.words("when") or order.words("value")) if t.is_content]
        if len(named) > 1 or not (named or 0 < len(said) <= _MOST_LABEL):
            raise NotRead
        name = named[0] if named else "_".join(t.lower if t.entry.form == "ed" else t.lemma for t in said)
        trigger = {"type": "event", "event": name}
    order.plan.do({"op": "add_trigger", "trigger": trigger})


def _events(workflow: Workflow) -> set[str]:
    """Return the events that start a workflow, and those that it waits for."""
    waited = {step.event for step in workflow.steps if step.event}
    return waited | {one.event for one in workflow.triggers if one.type == "event"}


def _replace_event(plan: Plan, old: str, new: str) -> None:
    """Let a workflow start on, or wait for, another event: "it is deposit.received, not deposit.paid"."""
    steps = [step for step in plan.workflow.steps if step.event == old]
    starts = [at for at, one in enumerate(plan.workflow.triggers) if one.type == "event" and one.event == old]
    plan.do(*({"op": "update_step", "step": step.id, "set": {"event": new}} for step in steps))
    if starts:
        trigger = {"type": "event", "event": new}
        plan.do({"op": "remove_trigger", "index": starts[0]}, {"op": "add_trigger", "trigger": trigger})


def _ids_in(words: Sequence[Token]) -> list[str]:
    """Return the identifiers among words, each once."""
    found = (t.text for t in words if t.kind != "number" and re.fullmatch(r"\w+(?:[._]\w+)+", t.text))
    return list(dict.fromkeys(found))


def _untrigger(order: Filled) -> None:
    said = [*order.around(), *order.words("value")]
    kinds = {kind for kind, words in _STARTED_BY.items() if any(t.is_(*words) for t in said)}
    names = {t.text for t in said}
    triggers = list(enumerate(order.plan.workflow.triggers))
    found = [at for at, one in triggers if one.type in kinds or getattr(one, "event", None) in names]
    if not found:
        # "When somebody sends the contact form", of "website.contact_form_sent".
        told = [t for t in (*said, *order.words("when")) if t.is_content]
        own = content_of(order.plan.workflow.name)
        telling = [t for t in told if not any(akin(t.lower, word) for word in own)]
        events = [
            (at, one.event) for at, one in triggers if one.type == "event" and shares_word(telling, _plain(one.event))
        ]
        found = [at for at, _ in events]
        order.plan.guesses += [f"I took “{name}” for the event that you mean" for _, name in events]
    if len(found) != 1:
        raise NotRead
    order.plan.do({"op": "remove_trigger", "index": found[0]})


def _plain(name: str) -> str:
    """Return an identifier as words: of "portal.form_sent" "portal form sent"."""
    return re.sub(r"[._]", " ", name)


def _no_message(order: Filled) -> None:
    """Take away the one automation that sends what a message says is to be sent no longer."""
    said = [t for role in ("who", "channel") for words in order.all_words(role) for t in words if t.is_content]
    about = order.maybe("after") or order.maybe("before") or order.maybe("step")
    if not said:
        raise NotRead
    sent = [one for one in order.plan.workflow.automations if _tells(said, one.effect.model_dump_json())]
    # "The mail about the shipment" may be sent when it is done.
    near = (
        {about.id, *(edge.to for edge in order.plan.workflow.outgoing(about.id))} if about is not None else set[str]()
    )
    found = [one for one in sent if about is None or about.id == one.on.from_ or one.on.to in near]
    if len(found) > 1 and about is not None:
        found = [one for one in found if about.id in (one.on.to, one.on.from_)]
    if not found and len(sent) == 1:
        found = sent
        order.plan.notes.append(f"“{sent[0].id}” is the only message to them, and is sent elsewhere")
    if len(found) != 1:
        raise NotRead
    order.plan.do({"op": "set_automation", "id": found[0].id, "automation": None})


def _tells(said: Sequence[Token], text: str) -> bool:
    """Say whether a text has all words of who is told, and by what."""
    told = content_of(_plain(text))
    kinds = (SERVICES.get(t.lemma, t.lower).partition(".")[0] for t in said)
    return all(any(akin(kind, word) for word in told) for kind in kinds)


OF_HEADER: Mapping[str, Callable[[Filled], None]] = {
    "wfname": _rename_workflow,
    "describe": _describe,
    "alias": _value("add_alias", "alias", "header.alias"),
    "unalias": _value("remove_alias", "alias", "header.alias"),
    "tag": _value("tag", "tag", "header.tag"),
    "untag": _value("untag", "tag", "header.tag"),
    "schedule": _schedule,
    "event": _event,
    "unnotify": _no_message,
    "untrigger": _untrigger,
}
