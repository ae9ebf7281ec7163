"""The edges of a workflow's graph, and what is reached along edges."""

from collections.abc import Callable, Hashable, Iterable
from typing import Literal, TypeVar, get_args

from pydantic import Field

from workflow_agent.values.stored import JsonObject, Value
from workflow_agent.workflows.model.steps import Condition, Form
from workflow_agent.workflows.model.terms import Id, Label, Text

TransitionType = Literal["sequence", "condition", "default", "error", "compensation", "data"]
TRANSITION_TYPES: tuple[TransitionType, ...] = get_args(TransitionType)


class Transition(Value):
    """One edge of the graph."""

    id: Id
    from_: Id = Field(alias="from")
    to: Id
    type: TransitionType = "sequence"
    when: Condition | None = None
    label: Text | None = None
    action: Label | None = None
    """In a lifecycle: what a person does to take it."""
    permission: Label | None = None
    form: Form | None = None
    errors: tuple[Label, ...] = ()
    """Of an error transition: which errors take it; empty for all."""
    extensions: JsonObject = Field(default_factory=dict)


_Node = TypeVar("_Node", bound=Hashable)


def reached(starts: Iterable[_Node], onward: Callable[[_Node], Iterable[_Node]]) -> list[_Node]:
    """Return all that some nodes lead to, these first and then the nearest, each once.

    Args:
        starts: Where to begin.
        onward: Gives the nodes that one leads to directly.
    """
    found = list(dict.fromkeys(starts))
    seen = set(found)
    for here in found:
        news = [one for one in dict.fromkeys(onward(here)) if one not in seen]
        seen.update(news)
        found += news
    return found
