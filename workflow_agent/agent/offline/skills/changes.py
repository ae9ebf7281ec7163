"""Skills that change a workflow: apply orders, weigh them, undo, restore."""

import re
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from workflow_agent.agent.offline.intents.changes import Order
from workflow_agent.agent.offline.intents.mentions import may_mention, split_mention
from workflow_agent.agent.offline.intents.numbers import unquoted
from workflow_agent.agent.offline.intents.reading import Request
from workflow_agent.agent.offline.skills.approvals import APPROVALS
from workflow_agent.agent.offline.skills.conditions import CONDITIONS
from workflow_agent.agent.offline.skills.confirming import deletion, is_preview, previewed
from workflow_agent.agent.offline.skills.connections import CONNECTIONS
from workflow_agent.agent.offline.skills.deadlines import DEADLINES
from workflow_agent.agent.offline.skills.focus import listed_workflow, read_workflow
from workflow_agent.agent.offline.skills.orders import plan_orders
from workflow_agent.agent.offline.skills.owners import OWNERS
from workflow_agent.agent.offline.skills.plan import Builder, Incomplete, NotReadable, Plan
from workflow_agent.agent.offline.skills.reshaping import RESHAPING
from workflow_agent.agent.offline.skills.settings import SETTINGS
from workflow_agent.agent.offline.skills.steps import StepFinder, StepUnclear
from workflow_agent.agent.offline.skills.structure import STRUCTURE, changes_structure
from workflow_agent.agent.offline.skills.wholes import named_whole, of_the_whole, other_whole
from workflow_agent.agent.offline.turn.drafting import Drafting
from workflow_agent.agent.offline.turn.focus import (
    focus,
    known_workflows,
    last_step,
    listed_in_reply,
    meant_to_change,
)
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
    Suggestion,
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
from workflow_agent.domain.workflow import WORKFLOW_ID_PATTERN, Workflow

BUILDERS: Mapping[str, Builder] = {
    **STRUCTURE, **RESHAPING, **APPROVALS, **CONDITIONS, **CONNECTIONS, **SETTINGS, **DEADLINES, **OWNERS,
}  # fmt: skip
_MOST_LISTED = 100
_ASKS_WHO = re.compile(r"(?:\W*(?:and|so|ok|but) )*(?:who|whose|whom|by whom|to whom)\b", re.IGNORECASE)


def change(turn: Turn, request: Request, drafting: Drafting, *, dry_run: bool = False) -> Skill:
    """Apply what a message orders, show it first, or describe it when the message only weighs it."""
    orders, phrase = yield from _without_mention(turn, request, drafting)
    if phrase is None and (whole := named_whole(turn, orders)) is not None:
        orders, phrase = of_the_whole(orders), whole
    workflow = yield from read_workflow(turn, phrase, to_change=True)
    if phrase is None and (other := (yield from other_whole(orders, workflow))) is not None:
        orders = of_the_whole(orders)
        workflow = yield from read_workflow(turn, other, to_change=True)
    if removed := _removed_workflow(turn, orders, workflow):
        return deletion((yield Call("delete_workflow", {"workflow": removed})))
    if (asked := _listed_one(turn, orders)) is not None:
        return asked
    plan = _planned(turn, workflow, orders, drafting)
    if request.meaning != "order":
        return _weighed(workflow, plan.edits)
    meant = Candidate(workflow.id, workflow.name)
    try:
        return (yield from apply_edits(meant, plan.edits, unread=plan.unread, dry_run=dry_run))
    except ToolFailure as failure:
        # In a mode that only reads there is no tool that could show it.
        if failure.offered or not dry_run:
            raise
        return _weighed(workflow, plan.edits)


def _without_mention(
    turn: Turn, request: Request, drafting: Drafting
) -> Generator[Call, Any, tuple[tuple[Order, ...], str | None]]:
    """Return the orders and the workflow they name, when they name one."""
    # Of one word, an alias may be part of what is ordered: "add an expense review".
    called = [alias for ref in turn.facts.references for alias in ref.aliases if " " in alias]
    met = [ref.name for ref in (*known_workflows(turn), *turn.facts.references)]
    names = list(dict.fromkeys([*met, *called]))
    orders, phrase = split_mention(request.text, names, drafting)
    if not orders and _is_nothing_at_hand(turn) and may_mention(request.text):
        # The first order of all names one that nobody opened yet.
        listed = (yield Call("list_workflows", {"limit": _MOST_LISTED}))["workflows"]
        orders, phrase = split_mention(request.text, [*names, *(one["name"] for one in listed)], drafting)
    return (orders, phrase) if orders else (request.orders, None)


def _is_nothing_at_hand(turn: Turn) -> bool:
    return "" not in turn.chosen and focus(turn) is None and not meant_to_change(turn).refs


def _removed_workflow(turn: Turn, orders: Sequence[Order], workflow: Workflow) -> str | None:
    """Return the id of the workflow that an order removes whole: by name, place in a list, or as "it"."""
    readings = orders[0].readings if len(orders) == 1 else ()
    if not readings or readings[0].kind != "remove":
        return None
    phrase = unquoted(readings[0].slots.get("step", "")).lower().removeprefix("the ")
    if phrase == "workflow":
        return workflow.id
    if phrase in ("it", "this", "that", "that one", "this one") and last_step(turn) is None:
        return workflow.id
    if any(phrase in (step.id, step.name.lower()) for step in workflow.steps):
        return None
    if (shown := listed_workflow(turn, phrase)) is not None:
        return shown.id
    refs = [Candidate(workflow.id, workflow.name), *(Candidate(r.id, r.name) for r in known_workflows(turn))]
    named = next((ref.id for ref in refs if phrase in (ref.id, ref.name.lower())), None)
    return named or (phrase if re.fullmatch(WORKFLOW_ID_PATTERN, phrase) else None)


def _listed_one(turn: Turn, orders: Sequence[Order]) -> Reply | None:
    """Return the question whether "the second one" is a workflow of the list just shown, and no step."""
    for phrase in (change.slots.get("step", "") for order in orders for change in order.readings):
        if (shown := listed_workflow(turn, phrase)) is not None:
            meant = Suggestion(turn.text.replace(phrase, shown.name))
            return Reply(f"Do you mean **{shown.name}** (`{shown.id}`)? Nothing is changed yet.", meant)
    return None


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
    asked_who = bool(turn.past) and _ASKS_WHO.match(turn.past[-1].text) is not None
    plan = Plan(workflow, finder, drafting, prefers_workflow=finder.last is None, asked_who=asked_who)
    try:
        return plan_orders(plan, orders, BUILDERS)
    except StepUnclear as unclear:
        raise Answered(unclear_step(turn, workflow, unclear)) from None
    except NotReadable as unread:
        said = clipped(str(unread), 80)
        raise Answered(Reply(
            f"I see no change to **{workflow.name}** that {said!r} could mean; nothing was changed. It has "
            f"these steps:\n\n{numbered_steps(workflow)}"
        )) from None  # fmt: skip
    except Incomplete as incomplete:
        listed = numbered_steps(workflow)
        example = _example(incomplete, workflow)
        asked = f'{incomplete.question} For example "{example}".'
        text = f"{asked} The steps of **{workflow.name}** are:\n\n{listed}"
        raise Answered(Reply(text, Completion(incomplete.before, incomplete.after))) from None


_SHOWN = ("first", "second", "third", "fourth", "fifth", "sixth")


def _example(incomplete: Incomplete, workflow: Workflow) -> str:
    step = next((step for step in workflow.steps if step.id != workflow.start), workflow.steps[0])
    if incomplete.question.startswith("Where"):
        return f"before {step.name}"
    return "3 days" if "take" in incomplete.question else step.name


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
    workflow: Candidate, edits: Sequence[JsonObject], *, unread: Sequence[str] = (), dry_run: bool = False
) -> Generator[Call, Any, Reply]:
    """Make the edits, check the result and say what changed."""
    wanted = {"workflow": workflow.id, "edits": list(edits)}
    result = yield Call("edit_workflow", wanted | {"dry_run": True} if dry_run else wanted)
    if is_preview(result):
        return previewed(result)
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
