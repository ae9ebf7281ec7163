"""Skills that change a workflow: apply orders, weigh them, undo, restore."""

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from workflow_agent.agent.offline.intents.changes import Order
from workflow_agent.agent.offline.intents.mentions import split_mention
from workflow_agent.agent.offline.intents.reading import Request
from workflow_agent.agent.offline.skills.focus import read_workflow
from workflow_agent.agent.offline.skills.plan import Builder, Incomplete, Plan, plan_orders
from workflow_agent.agent.offline.skills.settings import SETTINGS
from workflow_agent.agent.offline.skills.steps import StepFinder, StepUnclear
from workflow_agent.agent.offline.skills.structure import STRUCTURE, changes_structure
from workflow_agent.agent.offline.turn.drafting import Drafting
from workflow_agent.agent.offline.turn.focus import known_workflows, last_step, listed_in_reply
from workflow_agent.agent.offline.turn.offers import fixes_offered
from workflow_agent.agent.offline.turn.outcome import (
    Answered,
    Call,
    Candidate,
    Choice,
    Completion,
    JsonObject,
    Proposal,
    Reply,
    Skill,
    ToolFailure,
)
from workflow_agent.agent.offline.turn.reading import Turn
from workflow_agent.agent.offline.wording.changes import (
    describe_edits,
    describe_findings,
    numbered_steps,
    shall_i_fix,
)
from workflow_agent.agent.offline.wording.lists import clipped, joined, numbered
from workflow_agent.domain.workflow import Workflow

BUILDERS: Mapping[str, Builder] = {**STRUCTURE, **SETTINGS}


def change(turn: Turn, request: Request, drafting: Drafting) -> Skill:
    """Apply what a message orders, or describe it when the message only weighs it."""
    orders, phrase = _without_mention(turn, request, drafting)
    workflow = yield from read_workflow(turn, phrase)
    if orders[0].readings and _removes_workflow(orders[0], workflow):
        return Reply(cannot_delete(workflow))
    plan = _planned(turn, workflow, orders, drafting)
    if request.meaning != "order":
        return _weighed(workflow, plan.edits)
    return (yield from apply_edits(Candidate(workflow.id, workflow.name), plan.edits, unread=plan.unread))


def _without_mention(
    turn: Turn, request: Request, drafting: Drafting
) -> tuple[tuple[Order, ...], str | None]:
    """Return the orders and the workflow they name, when they name one."""
    names = [ref.name for ref in known_workflows(turn)]
    orders, phrase = split_mention(request.text, names, drafting)
    return (orders, phrase) if orders else (request.orders, None)


def _removes_workflow(order: Order, workflow: Workflow) -> bool:
    reading = order.readings[0]
    phrase = reading.slots.get("step", "")
    return reading.kind == "remove" and phrase.lower().removeprefix("the ") in (
        workflow.name.lower(),
        workflow.id,
    )


def cannot_delete(workflow: Workflow | None) -> str:
    """Return why a workflow is not deleted from a conversation, and how it can be."""
    route = f"`DELETE /api/v1/workflows/{workflow.id if workflow else '{workflow_id}'}`"
    return (
        f"I don't delete whole workflows from a conversation; that is too easily said by mistake. Over "
        f"REST it is {route}, "
        "with the workflow's ETag in `If-Match`. I can remove single steps, or undo changes."
    )


def _planned(turn: Turn, workflow: Workflow, orders: tuple[Order, ...], drafting: Drafting) -> Plan:
    """Return the edits of the orders.

    Raises:
        Answered: Something is unclear; the reply asks.
    """
    shown = {
        word: item.id
        for word, item in zip(_SHOWN, listed_in_reply(turn), strict=False)
        if workflow.step(item.id)
    }
    said = {
        f"{article}{word}{one}": step_id
        for word, step_id in shown.items()
        for article in ("", "the ")
        for one in ("", " one")
    }
    chosen = {**said, **turn.chosen}
    last = last_step(turn)
    finder = StepFinder.of(workflow, last=last, chosen=chosen)
    plan = Plan(workflow, finder, drafting, prefers_workflow=finder.last is None)
    try:
        return plan_orders(plan, orders, BUILDERS)
    except StepUnclear as unclear:
        raise Answered(unclear_step(turn, workflow, unclear)) from None
    except Incomplete as incomplete:
        listed = numbered_steps(workflow)
        example = _example(incomplete, workflow)
        asked = f'{incomplete.question} For example "{example}".'
        text = f"{asked} The steps of **{workflow.name}** are:\n\n{listed}"
        raise Answered(Reply(text, Completion(incomplete.before, incomplete.after))) from None


_SHOWN = ("first", "second", "third", "fourth", "fifth", "sixth")


def _example(incomplete: Incomplete, workflow: Workflow) -> str:
    step = next((step for step in workflow.steps if step.id != workflow.start), workflow.steps[0])
    return f"before {step.name}" if incomplete.question.startswith("Where") else step.name


def unclear_step(turn: Turn, workflow: Workflow, unclear: StepUnclear) -> Reply:
    """Return the question for a phrase that means several steps, or none."""
    said = clipped(unclear.phrase, 80)
    if unclear.candidates:
        question = f"{said!r} could be several steps of **{workflow.name}**. Which one do you mean?"
        return Reply(
            f"{question}\n\n{numbered(unclear.candidates)}",
            Choice(turn.text, unclear.phrase.lower(), unclear.candidates, turn.chosen),
        )
    candidates = tuple(Candidate(step.id, step.name) for step in workflow.steps)
    return Reply(
        f"I can't tell which step {said!r} is; nothing was changed. **{workflow.name}** has "
        f"these:\n\n{numbered_steps(workflow)}",
        Choice(turn.text, unclear.phrase.lower(), candidates, turn.chosen),
    )


def _weighed(workflow: Workflow, edits: Sequence[JsonObject]) -> Reply:
    """Return what a change would do, and the offer to make it."""
    lines = "\n".join(f"- {line}" for line in describe_edits(workflow, edits))
    return Reply(
        f"That would mean, in **{workflow.name}**:\n\n{lines}\n\nNothing is changed yet. Shall I do it?",
        Proposal(Candidate(workflow.id, workflow.name), (tuple(edits),)),
    )


def apply_edits(
    workflow: Candidate, edits: Sequence[JsonObject], *, unread: Sequence[str] = ()
) -> Generator[Call, Any, Reply]:
    """Make the edits, check the result and say what changed."""
    result = yield Call("edit_workflow", {"workflow": workflow.id, "edits": list(edits)})
    check = ""
    if changes_structure(list(edits)):
        check = yield from _validity(workflow.id)
    return _changed(result, check, unread)


def _validity(workflow_id: str) -> Generator[Call, Any, str]:
    try:
        result = yield Call("validate_workflow", {"workflow": workflow_id})
    except ToolFailure:
        return ""
    return (
        "It is still valid."
        if result["valid"]
        else "Careful: it has errors now; ask me to validate it for the list."
    )


def _changed(result: JsonObject, check: str, unread: Sequence[str]) -> Reply:
    workflow = result["workflow"]
    changes: list[str] = result["changes"]
    if not changes:
        return Reply(
            f"There was nothing to change: **{workflow['name']}** (version {workflow['version']}) is "
            f"already that way."
        )
    lines = "\n".join(f"- {line}" for line in changes)
    text = f"Done: **{workflow['name']}** is now version {workflow['version']}.\n\n{lines}"
    found: list[JsonObject] = result.get("findings") or []
    if found:
        text += f"\n\nWorth a look after this change:\n\n{describe_findings(found)}"
    elif check:
        text += f"\n\n{check}"
    if unread:
        parts = joined([repr(clipped(part, 80)) for part in unread])
        text += f"\n\nI did not understand {parts}, so that part is not done."
    offer = fixes_offered(Candidate(workflow["id"], workflow["name"]), found)
    return Reply(f"{text}\n\n{shall_i_fix(found)}" if offer else text, offer)
