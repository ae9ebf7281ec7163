"""Orders that are about a workflow as a whole: "rename the expense approval", "delete the leave request"."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

from workflow_agent.agent.offline.intents.changes import Order
from workflow_agent.agent.offline.intents.numbers import unquoted
from workflow_agent.agent.offline.skills.focus import (
    bare_name,
    is_pronoun,
    listed_workflow,
    names_workflow,
)
from workflow_agent.agent.offline.skills.steps import StepFinder, StepUnclear
from workflow_agent.agent.offline.turn.focus import meant_to_change
from workflow_agent.agent.offline.turn.outcome import Call, ToolFailure
from workflow_agent.agent.offline.turn.reading import Turn
from workflow_agent.domain.workflow import Workflow

_OF_A_WHOLE = frozenset({"rename", "remove"})
_WHOLE = "the workflow"


def other_whole(orders: Sequence[Order], workflow: Workflow) -> Generator[Call, Any, str | None]:
    """Return the id of another workflow whose name an order says in full; None where it means this one.

    The conversation need not have met it: "rename the leave request to ..." while an invoice is open.
    """
    readings = orders[0].readings if len(orders) == 1 else ()
    if not readings or readings[0].kind not in _OF_A_WHOLE:
        return None
    phrase = unquoted(readings[0].slots.get("step", ""))
    if not phrase or is_pronoun(phrase) or _is_step(phrase, workflow):
        return None
    wanted = bare_name(phrase).lower()
    try:
        result = yield Call("search_workflows", {"query": wanted, "limit": 5})
    except ToolFailure:
        return None
    named = [hit["id"] for hit in result["hits"] if wanted in (hit["name"].lower(), hit["id"])]
    return named[0] if len(named) == 1 and named[0] != workflow.id else None


def _is_step(phrase: str, workflow: Workflow) -> bool:
    try:
        StepFinder.of(workflow).find(phrase)
    except StepUnclear as unclear:
        return bool(unclear.candidates)
    return True


def named_whole(turn: Turn, orders: Sequence[Order]) -> str | None:
    """Return what the only order calls the workflow that it renames or removes; None where it means a step.

    Where a workflow is at hand, what is named is one of its steps, unless the conversation knows a workflow
    by that name; where none is, there is no step to mean.
    """
    readings = orders[0].readings if len(orders) == 1 else ()
    if len(readings) != 1 or readings[0].kind not in _OF_A_WHOLE:
        return None
    phrase = unquoted(readings[0].slots.get("step", ""))
    if not phrase or is_pronoun(phrase) or phrase.lower().endswith("step") or listed_workflow(turn, phrase):
        return None
    is_named = names_workflow(turn, phrase) or not meant_to_change(turn).refs
    return phrase if is_named else None


def of_the_whole(orders: Sequence[Order]) -> tuple[Order, ...]:
    """Return orders that name the workflow as orders about the one at hand."""
    return tuple(
        replace(
            order,
            readings=tuple(replace(one, slots={**one.slots, "step": _WHOLE}) for one in order.readings),
        )
        for order in orders
    )
