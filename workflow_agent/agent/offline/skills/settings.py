"""Edits that set things on steps and on the workflow: names, retries, triggers, tags."""

from collections.abc import Mapping

from workflow_agent.agent.offline.intents.changes import Change
from workflow_agent.agent.offline.intents.numbers import unquoted
from workflow_agent.agent.offline.intents.stems import content_words, phrase_score
from workflow_agent.agent.offline.intents.text import sentence_case
from workflow_agent.agent.offline.skills.plan import Builder, NotReadable, Plan
from workflow_agent.agent.offline.skills.steps import PRONOUNS, StepUnclear
from workflow_agent.agent.offline.turn.outcome import JsonObject
from workflow_agent.domain.triggers import describe_trigger
from workflow_agent.domain.workflow import ScheduleTrigger, Trigger

_WORKFLOW_WORDS = frozenset(["workflow", "process", "flow", "pipeline", "procedure", "lifecycle"])


def _rename_workflow(_: Plan, change: Change) -> list[JsonObject]:
    return [{"op": "rename_workflow", "name": _name(change.slots["name"])}]


def _rename(plan: Plan, change: Change) -> list[JsonObject]:
    if "both" in change.slots:
        return _called(plan, change.slots["both"])
    slots = dict(change.slots)
    if "name" not in slots:
        slots["name"] = slots.pop("quoted")
    old = slots.get("old") or slots.get("quoted")
    phrase, name = slots.get("step") or slots["quoted"], _name(slots["name"])
    if _means_workflow(plan, phrase):
        return [{"op": "rename_workflow", "name": name}]
    try:
        step = plan.step(phrase)
    except StepUnclear as unclear:
        # "That step isn't called 'ask for leave', it's ...": then what it was called tells which.
        if old is None or unclear.candidates:
            raise
        step = plan.step(old)
    return [{"op": "rename_step", "step": step, "name": name}]


def _rename_to(plan: Plan, change: Change) -> list[JsonObject]:
    """Return the new name behind an arrow; it shares a word with the old one, or it is who does it."""
    step, name = plan.step(change.slots["step"]), _name(change.slots["name"])
    known = next(one.name for one in plan.finder.steps if one.id == step)
    if not set(content_words(known)) & set(content_words(name)):
        raise NotReadable
    return [{"op": "rename_step", "step": step, "name": name}]


def _means_workflow(plan: Plan, phrase: str) -> bool:
    plain = unquoted(phrase).lower()
    if plain in PRONOUNS:
        return plan.prefers_workflow or plan.finder.last is None
    words = plain.removeprefix("the ").removeprefix("this ")
    return words in _WORKFLOW_WORDS or words in (plan.workflow.name.lower(), plan.workflow.id)


def _called(plan: Plan, both: str) -> list[JsonObject]:
    """Return the renaming for "call the review step Check": the split whose first part is a step."""
    words = both.split(" ")
    if words[0].lower() in PRONOUNS and len(words) > 1:
        return _rename(plan, Change("rename", {"step": words[0], "name": " ".join(words[1:])}))
    for at in range(len(words) - 1, 0, -1):
        phrase, name = " ".join(words[:at]), _name(" ".join(words[at:]))
        if _means_workflow(plan, phrase):
            return [{"op": "rename_workflow", "name": name}]
        try:
            step = plan.step(phrase)
        except StepUnclear:
            continue
        return [{"op": "rename_step", "step": step, "name": name}]
    raise NotReadable


def _name(text: str) -> str:
    plain = unquoted(text)
    return sentence_case(plain) if plain.islower() else plain


def _alias(_: Plan, change: Change) -> list[JsonObject]:
    return [{"op": "add_alias", "alias": unquoted(change.slots["alias"])}]


def _unalias(_: Plan, change: Change) -> list[JsonObject]:
    return [{"op": "remove_alias", "alias": unquoted(change.slots["alias"])}]


def _tag(_: Plan, change: Change) -> list[JsonObject]:
    return [{"op": "tag", "tag": tag.lower()} for tag in change.values["tags"]]


def _untag(plan: Plan, change: Change) -> list[JsonObject]:
    present = {tag.lower(): tag for tag in plan.workflow.tags}
    return [{"op": "untag", "tag": present.get(tag.lower(), tag)} for tag in change.values["tags"]]


def _describe(plan: Plan, change: Change) -> list[JsonObject]:
    slots = change.slots
    text = unquoted(slots.get("text") or slots.get("quoted") or slots["blurb"])
    if "step" in change.slots and not _means_workflow(plan, change.slots["step"]):
        return [{"op": "update_step", "step": plan.step(change.slots["step"]), "set": {"description": text}}]
    return [{"op": "set_description", "description": text}]


def _trigger(_: Plan, change: Change) -> list[JsonObject]:
    return [{"op": "add_trigger", "trigger": change.values["trigger"]}]


def _retrigger(plan: Plan, change: Change) -> list[JsonObject]:
    new, triggers = change.values["trigger"], plan.workflow.triggers
    old = [at for at, trigger in enumerate(triggers) if trigger.type == new["type"]]
    if "old" in change.slots and not old:
        raise NotReadable
    removed: list[JsonObject] = [{"op": "remove_trigger", "index": at} for at in reversed(old)]
    kept = triggers[old[0]] if len(old) == 1 else None
    merged = _rescheduled(kept, new, change.values["says"]) if isinstance(kept, ScheduleTrigger) else new
    return [*removed, {"op": "add_trigger", "trigger": merged}]


def _rescheduled(old: ScheduleTrigger, new: JsonObject, says: str) -> JsonObject:
    """Return a schedule that keeps of the old one what nobody spoke of: its days, or its time of day."""
    if not says or old.cron is None or "cron" not in new:
        return new
    before, after = old.cron.split(), str(new["cron"]).split()
    cron = [*before[:2], *after[2:]] if says == "day" else [*after[:2], *before[2:]]
    return new | {"cron": " ".join(cron)} | ({"timezone": old.timezone} if old.timezone else {})


def _untrigger(plan: Plan, change: Change) -> list[JsonObject]:
    phrase = change.slots.get("trigger", "")
    meant = [at for at, trigger in enumerate(plan.workflow.triggers) if _is_meant(trigger, phrase, plan)]
    if not meant:
        raise NotReadable
    return [{"op": "remove_trigger", "index": at} for at in reversed(meant)]


def _is_meant(trigger: Trigger, phrase: str, plan: Plan) -> bool:
    if not phrase:
        return trigger.type != "manual"
    parsed = plan.drafting.parse_trigger(phrase)
    plain = trigger.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    if parsed and all(
        plain.get(key) == value for key, value in parsed.items() if key in ("type", "cron", "every", "event")
    ):
        return True
    return phrase_score(phrase, [describe_trigger(trigger), trigger.type]) >= 0.6


def _retry(plan: Plan, change: Change) -> list[JsonObject]:
    steps = plan.finder.find_all(change.slots["step"])
    plan.prefers_workflow = False
    return [{"op": "set_retry", "step": step, "retry": _retried(plan, step, change)} for step in steps]


def _retried(plan: Plan, step_id: str, change: Change) -> JsonObject:
    """Return how a step is tried again: what was said, and of what was not said what it is now."""
    step, said = plan.workflow.step(step_id), change.values["retry"]
    if step is None or step.retry is None:
        return said
    known = step.retry.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return known | said


def _no_retry(plan: Plan, change: Change) -> list[JsonObject]:
    return [{"op": "set_retry", "step": plan.step(change.slots["step"]), "retry": None}]


def _permission(plan: Plan, change: Change) -> list[JsonObject]:
    permission = unquoted(change.slots["permission"])
    return [{"op": "set_permission", "step": plan.step(change.slots["step"]), "permission": permission}]


SETTINGS: Mapping[str, Builder] = {
    "rename_workflow": _rename_workflow,
    "rename": _rename,
    "rename_to": _rename_to,
    "alias": _alias,
    "unalias": _unalias,
    "tag": _tag,
    "untag": _untag,
    "describe": _describe,
    "trigger": _trigger,
    "retrigger": _retrigger,
    "untrigger": _untrigger,
    "retry": _retry,
    "no_retry": _no_retry,
    "permission": _permission,
}
