"""Edits that say who does a step, and to whom it goes when it is late."""

import re
from collections.abc import Iterator, Mapping

from workflow_agent.agent.offline.intents.changes import Change
from workflow_agent.agent.offline.intents.numbers import unquoted
from workflow_agent.agent.offline.intents.stems import content_words, phrase_score
from workflow_agent.agent.offline.skills.plan import Builder, NotReadable, Plan
from workflow_agent.agent.offline.skills.steps import PRONOUNS, Known, StepUnclear
from workflow_agent.agent.offline.turn.outcome import JsonObject
from workflow_agent.domain.workflow_parsing import slug

_NOT_PEOPLE = PRONOUNS | {"we", "you", "i", "there", "nobody"}
_ARTICLE = re.compile(r"^(?:the|our|a|an|der|die|das|dem|den)\s+", re.IGNORECASE)
_ARTICLES = frozenset({"the", "our", "a", "an"})
_MOST_WORDS = 5
"""As many as a role has: "the head of customer support"."""
_SURELY = 0.9
"""How well a step's own name must fit what somebody is to do, for it to be that step and no new one."""


def _assign(plan: Plan, change: Change) -> list[JsonObject]:
    who = _person(plan, change.slots["who"])
    if "it" in change.slots and not plan.asked_who:
        raise NotReadable
    steps = plan.finder.find_all(change.slots.get("step") or change.slots["it"])
    plan.prefers_workflow = False
    return [_given(plan, step, who) for step in steps]


def _given(plan: Plan, step_id: str, who: str) -> JsonObject:
    """Return the edit that gives a step to somebody; one that is only just added is then their work."""
    added = next((one for one in plan.finder.steps if one.id == step_id), None)
    if plan.workflow.step(step_id) is None and added is not None and added.type == "action":
        return {"op": "update_step", "step": step_id, "set": {"type": "human", "assignee": who}}
    return {"op": "set_assignee", "step": step_id, "assignee": who}


def _person(plan: Plan, phrase: str) -> str:
    """Return a role or a name as an assignee; what is a length of time, a pronoun or a step is none."""
    who = _ARTICLE.sub("", unquoted(phrase))
    if (who.lower() in _NOT_PEOPLE and who != "IT") or plan.drafting.parse_duration(who):
        raise NotReadable
    if len(who.split()) > _MOST_WORDS + 1:
        raise NotReadable
    if any(who.lower() in (step.id, step.name.lower()) for step in plan.finder.steps):
        raise NotReadable
    return _known_role(plan, who) or _role(who)


def _known_role(plan: Plan, who: str) -> str | None:
    """Return a role as the workflow writes it already: "department head" is its `department_head`."""
    written = (role for step in plan.workflow.steps for role in (step.assignee, step.escalate_to) if role)
    return next((role for role in written if slug(role) == slug(who)), None)


def _role(who: str) -> str:
    """Return a role in lower case; abbreviations and proper names keep theirs."""
    return who if any(c.isupper() for c in who) else who.lower()


def _reassign(plan: Plan, change: Change) -> list[JsonObject]:
    """Return the new owner of the step that already does what somebody else is to do from now on."""
    for who, deed in _said(change.slots):
        try:
            step = plan.finder.find(deed)
        except StepUnclear:
            continue
        known = next(one for one in plan.finder.steps if one.id == step)
        if not _was_theirs(known, change.slots):
            continue
        if _does(known, deed) and len(who.split()) <= _MOST_WORDS:
            plan.prefers_workflow = False
            return [{"op": "set_assignee", "step": step, "assignee": _person(plan, who)}]
    raise NotReadable


def _was_theirs(step: Known, slots: Mapping[str, str]) -> bool:
    """Say whether "not the manager" is who does the step now; it must be where nothing else parts the two."""
    if "both" not in slots or "old" not in slots:
        return True
    return bool(step.assignee) and phrase_score(slots["old"], [step.assignee]) >= _SURELY


def _does(step: Known, deed: str) -> bool:
    """Say whether a step is what somebody is to do: its name has the verb, and hardly another word."""
    names = [step.name, step.id.replace("_", " ")]
    verb = content_words(deed)[0]
    return phrase_score(verb, names) > 0 and phrase_score(deed, names, related=True) >= _SURELY


def _said(slots: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield who is to do what; where no word parts the two, every way to part them."""
    if "both" not in slots:
        yield slots["who"], f"{slots['done']} {slots['thing']}" if "done" in slots else slots["deed"]
        return
    words = slots["both"].split(" ")
    for at in range(1, min(len(words) - 1, _MOST_WORDS + 1)):
        if words[at - 1].lower() not in _ARTICLES:
            yield " ".join(words[:at]), " ".join(words[at:])


def _reassign_all(plan: Plan, change: Change) -> list[JsonObject]:
    """Return the new owner of every step that somebody does."""
    old, who = _ARTICLE.sub("", unquoted(change.slots["old"])), _person(plan, change.slots["who"])
    theirs = [
        step.id
        for step in plan.finder.steps
        if step.assignee and slug(step.assignee) == slug(old)
    ]  # fmt: skip
    if not theirs:
        raise NotReadable
    plan.prefers_workflow = False
    return [{"op": "set_assignee", "step": step, "assignee": who} for step in theirs]


def _manual(plan: Plan, change: Change) -> list[JsonObject]:
    """Return a step made one that a person does; what it called until now goes with that."""
    step_id = plan.step(change.slots["step"])
    fields: JsonObject = {"type": "human"}
    if "who" in change.slots:
        fields["assignee"] = _person(plan, change.slots["who"])
    step = plan.workflow.step(step_id)
    called = ("uses", "with", "retry")
    gone = [
        name for name in called if step is not None and getattr(step, "with_" if name == "with" else name)
    ]
    edit: JsonObject = {"op": "update_step", "step": step_id, "set": fields}
    return [edit | ({"unset": gone} if gone else {})]


def _unassign(plan: Plan, change: Change) -> list[JsonObject]:
    return [{"op": "set_assignee", "step": plan.step(change.slots["step"]), "assignee": None}]


def _escalate(plan: Plan, change: Change) -> list[JsonObject]:
    slots = change.slots
    step = plan.step(
        f"{slots['done']} {slots['thing']}" if "thing" in slots else slots.get("step") or slots["deed"]
    )
    edits: list[JsonObject] = [
        {"op": "update_step", "step": step, "set": {"escalate_to": _person(plan, change.slots["who"])}}
    ]
    if "duration" in change.values:
        edits.append({"op": "set_timeout", "step": step, "timeout": change.values["duration"]})
    return edits


OWNERS: Mapping[str, Builder] = {
    "assign": _assign,
    "reassign": _reassign,
    "reassign_all": _reassign_all,
    "manual": _manual,
    "unassign": _unassign,
    "escalate": _escalate,
}
