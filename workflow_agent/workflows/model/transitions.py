"""The edges of a workflow's graph."""

from typing import Literal, get_args

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
