"""What happens by itself beside a workflow's graph."""

from typing import Literal

from pydantic import Field

from workflow_agent.domain.values import JsonObject, Value
from workflow_agent.domain.workflow.conditions import Condition
from workflow_agent.domain.workflow.cron import Cron
from workflow_agent.domain.workflow.terms import Id, Label


class AutomationEvent(Value):
    """What an automation reacts to."""

    event: Literal["entered", "left", "created", "completed", "failed", "timeout", "scheduled"]
    to: Id | None = None
    from_: Id | None = Field(default=None, alias="from")
    cron: Cron | None = None


class Effect(Value):
    """What an automation does."""

    type: Label
    with_: JsonObject = Field(default_factory=dict, alias="with")


class Automation(Value):
    """Something that happens by itself beside the graph."""

    id: Id
    on: AutomationEvent
    effect: Effect
    when: Condition | None = None
    extensions: JsonObject = Field(default_factory=dict)
