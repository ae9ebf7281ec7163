"""A workflow as a whole: steps joined by transitions, and what starts it."""

from typing import Annotated

from pydantic import Field

from workflow_agent.domain.values import JsonObject, Moment, Value
from workflow_agent.domain.workflow.automations import Automation
from workflow_agent.domain.workflow.steps import Step
from workflow_agent.domain.workflow.terms import Id, Label, Name, Text, WorkflowId
from workflow_agent.domain.workflow.transitions import Transition
from workflow_agent.domain.workflow.triggers import Trigger

MAX_STEPS = 5_000
MAX_TRANSITIONS = 20_000


class Source(Value):
    """Where an imported workflow came from."""

    format: Label
    name: Text | None = None


class Workflow(Value):
    """A structurally valid workflow; build one from outside data with `parse_workflow`."""

    id: WorkflowId
    name: Name
    version: Annotated[int, Field(ge=1)] = 1
    description: Text = ""
    aliases: tuple[Name, ...] = ()
    tags: tuple[Label, ...] = ()
    start: Id
    triggers: tuple[Trigger, ...] = ()
    steps: Annotated[tuple[Step, ...], Field(min_length=1, max_length=MAX_STEPS)]
    transitions: Annotated[tuple[Transition, ...], Field(max_length=MAX_TRANSITIONS)] = ()
    automations: tuple[Automation, ...] = ()
    source: Source | None = None
    extensions: JsonObject = Field(default_factory=dict)
    created_at: Moment | None = None
    updated_at: Moment | None = None

    def step(self, step_id: str) -> Step | None:
        """Return the step with this id, or None."""
        return next((step for step in self.steps if step.id == step_id), None)

    def outgoing(self, step_id: str) -> tuple[Transition, ...]:
        """Return the transitions that leave a step, in order."""
        return tuple(edge for edge in self.transitions if edge.from_ == step_id)

    def incoming(self, step_id: str) -> tuple[Transition, ...]:
        """Return the transitions that enter a step, in order."""
        return tuple(edge for edge in self.transitions if edge.to == step_id)
