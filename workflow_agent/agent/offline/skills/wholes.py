"""Orders that are about a workflow as a whole: "rename the expense approval", "delete the leave request"."""

from collections.abc import Sequence
from dataclasses import replace

from workflow_agent.agent.offline.intents.changes import Order
from workflow_agent.agent.offline.intents.numbers import unquoted
from workflow_agent.agent.offline.skills.focus import is_pronoun, listed_workflow, names_workflow
from workflow_agent.agent.offline.turn.focus import meant_to_change
from workflow_agent.agent.offline.turn.reading import Turn

_OF_A_WHOLE = frozenset({"rename", "remove"})
_WHOLE = "the workflow"


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
