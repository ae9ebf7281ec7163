"""What a description says beside its flow, read as orders about the draft, and the name of the draft."""

from dataclasses import replace

from workflow_agent.assistant.offline.drafting.description import Drafted
from workflow_agent.assistant.offline.orders import plan_orders
from workflow_agent.assistant.offline.plan import Asked, Plan
from workflow_agent.assistant.offline.references import Steps, StepUnclear, akin
from workflow_agent.assistant.offline.tokens import read_tokens, sentences, text_of
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.errors import InvalidWorkflow
from workflow_agent.workflows.edits.drafts import parse_draft, workflow_from_draft
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

_MOST_CHARS = 4_000
_SETS = frozenset({"set_timeout", "set_retry", "set_assignee", "update_step"})


def amended(draft: Drafted, text: str) -> Drafted:
    """Return a draft with what whole sentences set on its steps, and with a name made of what starts it."""
    draft = _named(_as_written(draft, text))
    if not draft.undrawn or len(text) > _MOST_CHARS:
        return draft
    try:
        workflow = workflow_from_draft(parse_draft(draft.arguments), "wf_draft")
    except InvalidWorkflow:
        return draft
    left = {word.casefold() for word in draft.unread}
    read: set[str] = set()
    undrawn = list(draft.undrawn)
    for sentence in sentences(read_tokens(text)):
        said = text_of(sentence, text).strip(" .!;")
        told = [one for one in undrawn if said.casefold() in one.casefold()]
        if not told or not {token.lower for token in sentence} & left:
            continue
        plan = Plan(said, workflow, Steps(workflow))
        try:
            plan_orders(plan, read_tokens(said))
        except (StepUnclear, Asked):
            continue
        if plan.edits and not plan.unread and not plan.notes and all(edit["op"] in _SETS for edit in plan.edits):
            workflow = plan.workflow
            read |= {token.lower for token in sentence}
            undrawn = [one for one in undrawn if one not in told]
    if not read:
        return draft
    unread = tuple(word for word in draft.unread if word.casefold() not in read)
    return replace(draft, arguments={**draft.arguments, **_parts(workflow)}, unread=unread, undrawn=tuple(undrawn))


def _parts(workflow: Workflow) -> JsonObject:
    document = workflow_document(workflow)
    kept = ("from", "to", "type", "when", "label", "action", "permission")
    edges = [{key: edge[key] for key in kept if key in edge} for edge in document["transitions"]]
    return {"steps": document["steps"], "transitions": edges, "start": document["start"]}


def _as_written(draft: Drafted, text: str) -> Drafted:
    """Return a draft with its name in the letters of the text: "Vendor A", not "Vendor a"."""
    name = draft.name or ""
    at = text.casefold().find(name.casefold()) if len(name) > 2 else -1
    if at < 0 or len(text.casefold()) != len(text):
        return draft
    said = text[at : at + len(name)]
    said = said[:1].upper() + said[1:]
    return replace(draft, arguments={**draft.arguments, "name": said}, name=said)


def _named(draft: Drafted) -> Drafted:
    """Return a draft with a name, else made of what starts it and what is done to it: "Expense approval"."""
    if draft.name is not None:
        return draft
    events = [one["event"] for one in draft.arguments.get("triggers", ()) if one.get("type") == "event"]
    if len(events) != 1 or "." not in events[0]:
        return draft
    thing = events[0].partition(".")[0].replace("_", " ")
    approves = any(
        akin(word.lower(), "approve") for step in draft.arguments["steps"] for word in step["name"].split()[:1]
    )
    if len(thing) < 3 or not approves:
        return draft
    name = f"{thing[:1].upper()}{thing[1:]} approval"
    return replace(draft, arguments={**draft.arguments, "name": name}, name=name)
