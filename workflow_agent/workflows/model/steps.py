"""The nodes of a workflow's graph: their conditions, repetition and retries, and which of them end the work."""

import json
import re
from typing import Annotated, Any, Literal, get_args

from pydantic import ConfigDict, Field, model_validator

from workflow_agent.values.stored import JsonObject, Value
from workflow_agent.workflows.model.terms import Duration, Id, Label, Name, Text, says


class Condition(Value):
    """When a transition is taken or a step runs: in words, or as an expression of some language."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [says("text"), says("expression")]})

    text: Text | None = None
    expression: Any = None
    """A guard in a formal language, verbatim: text, or structured data such as a choice rule."""
    language: Label | None = None

    @model_validator(mode="after")
    def _says_something(self) -> "Condition":
        if self.text is None and self.expression is None:
            raise ValueError("needs `text` or `expression`")
        return self

    @property
    def formula(self) -> str:
        """The expression as text, structured data as JSON; empty where there is none."""
        if self.expression is None or isinstance(self.expression, str):
            return self.expression or ""
        return json.dumps(self.expression, ensure_ascii=False)


_FAILURES = re.compile("reject|fail|cancel|declin|abort|error|denied|deny|expire|timeout|timed")
FieldType = Literal[
    "string", "text", "number", "integer", "boolean", "date", "datetime", "choice", "file", "email", "object", "array"
]


class FormField(Value):
    """One input of a form."""

    key: Label
    type: FieldType = "string"
    label: Text | None = None
    required: bool = False
    options: tuple[Label, ...] = ()
    description: Text | None = None
    default: Any = None


class Form(Value):
    """What a person fills in."""

    title: Text | None = None
    fields: tuple[FormField, ...] = ()


StepType = Literal[
    "action", "human", "decision", "fork", "join", "loop", "wait", "event", "subworkflow", "state", "end"
]
STEP_TYPES: tuple[StepType, ...] = get_args(StepType)


class Retry(Value):
    """How often and how fast a failed step is tried again."""

    max_attempts: Annotated[int, Field(ge=1, le=1_000_000)] = 3
    """All attempts, the first included."""
    interval: Duration | None = None
    max_interval: Duration | None = None
    backoff: Literal["fixed", "linear", "exponential"] = "fixed"
    factor: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    errors: tuple[Label, ...] = ()
    """Which errors are retried; empty for all."""


class Loop(Value):
    """What a loop step repeats over, and until when."""

    over: Any = None
    """The collection, as data or as an expression."""
    while_: Condition | None = Field(default=None, alias="while")
    until: Condition | None = None
    max_iterations: Annotated[int, Field(ge=1)] | None = None
    parallel: Annotated[int, Field(ge=0)] | None = None
    """How many at once; 0 is without a bound, absent is one after the other."""


class Join(Value):
    """How many incoming branches a join waits for."""

    mode: Literal["all", "any", "count"] = "all"
    count: Annotated[int, Field(ge=1)] | None = None


class Identified(Value):
    """A value with an id of its own."""

    id: Id


class StepContent(Value):
    """What a step is, apart from its id."""

    name: Name
    type: StepType = "action"
    description: Text | None = None
    parent: Id | None = None
    """The step whose scope this one is inside: a loop's body, a branch."""
    assignee: Label | None = None
    """Who does it: a role or a person."""
    permission: Label | None = None
    uses: Text | None = None
    """The service, command or function an action calls."""
    with_: JsonObject = Field(default_factory=dict, alias="with")
    form: Form | None = None
    retry: Retry | None = None
    timeout: Duration | None = None
    duration: Duration | None = None
    """How long a wait lasts; of any other step, how long it is expected to take."""
    escalate_to: Label | None = None
    event: Label | None = None
    """What an event step waits for."""
    workflow: Label | None = None
    """The workflow a subworkflow step runs: an id or a name."""
    loop: Loop | None = None
    join: Join | None = None
    outcome: Label | None = None
    """How an end step ends: ok, rejected, failed, ..."""
    when: Condition | None = None
    """The step is skipped unless this holds."""
    idempotent: bool | None = None
    on_error: Literal["fail", "continue"] | None = None
    reads: tuple[Label, ...] = ()
    writes: tuple[Label, ...] = ()
    extensions: JsonObject = Field(default_factory=dict)


# In this order, because pydantic lists the fields of the last base first: the id leads.
class Step(StepContent, Identified):
    """One node of the graph."""


def ends_badly(step: Step) -> bool:
    """Say whether an end step stands for a rejection or a failure."""
    return _FAILURES.search(f"{step.outcome or ''} {step.name} {step.id}".lower()) is not None


def must_lead_on(step: Step) -> bool:
    """Say whether a step makes no sense as the last one: it only splits the way."""
    return step.type in ("decision", "fork")
