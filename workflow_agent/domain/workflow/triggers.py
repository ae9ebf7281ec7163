"""What starts a workflow."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, model_validator

from workflow_agent.domain.values import JsonObject, Value
from workflow_agent.domain.workflow.cron import Cron
from workflow_agent.domain.workflow.terms import Duration, Label, Text, says


class ManualTrigger(Value):
    """Somebody starts it."""

    type: Literal["manual"]
    with_: JsonObject = Field(default_factory=dict, alias="with")


class ScheduleTrigger(Value):
    """The clock starts it: by cron, or every so often."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [says("cron"), says("every")]})

    type: Literal["schedule"]
    cron: Cron | None = None
    every: Duration | None = None
    timezone: Label | None = None
    with_: JsonObject = Field(default_factory=dict, alias="with")

    @model_validator(mode="after")
    def _has_a_time(self) -> "ScheduleTrigger":
        if (self.cron is None) == (self.every is None):
            raise ValueError("needs exactly one of `cron` and `every`")
        return self


class EventTrigger(Value):
    """Something that happens elsewhere starts it."""

    type: Literal["event"]
    event: Label
    with_: JsonObject = Field(default_factory=dict, alias="with")


class WebhookTrigger(Value):
    """An HTTP request starts it."""

    type: Literal["webhook"]
    path: Text | None = None
    method: Label | None = None
    with_: JsonObject = Field(default_factory=dict, alias="with")


class WorkflowTrigger(Value):
    """Another workflow starts it."""

    type: Literal["workflow"]
    workflow: Label
    with_: JsonObject = Field(default_factory=dict, alias="with")


Trigger = Annotated[
    ManualTrigger | ScheduleTrigger | EventTrigger | WebhookTrigger | WorkflowTrigger,
    Field(discriminator="type"),
]
