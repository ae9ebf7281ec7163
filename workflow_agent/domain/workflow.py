"""A workflow: steps joined by transitions, with triggers, roles and forms; a process or a lifecycle."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints, model_validator

from workflow_agent.domain.values import JsonObject, Moment, Value

StepType = Literal[
    "action", "human", "decision", "fork", "join", "loop", "wait", "event", "subworkflow", "state", "end"
]
TransitionType = Literal["sequence", "condition", "default", "error", "compensation", "data"]
FieldType = Literal[
    "string", "text", "number", "integer", "boolean", "date", "datetime", "choice", "file", "email",
    "object", "array",
]  # fmt: skip
STEP_TYPES: tuple[StepType, ...] = get_args(StepType)
TRANSITION_TYPES: tuple[TransitionType, ...] = get_args(TransitionType)

MAX_STEPS = 5_000
MAX_TRANSITIONS = 20_000

ID_PATTERN = r"^[a-z0-9][a-z0-9_-]{0,63}$"
WORKFLOW_ID_PATTERN = r"^wf_[a-z0-9_-]{1,61}$"
DURATION_PATTERN = r"^P(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?$"
"""ISO 8601 durations, each unit at most once; fractions only in seconds."""

_CRON_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_CRON_NAMES = {
    3: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
    4: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
}
_CRON_PART = re.compile(r"(?:\*|([0-9a-z]{1,3})(?:-([0-9a-z]{1,3}))?)(?:/(\d{1,3}))?")


def _cron_value(text: str, field: int) -> int | None:
    names = _CRON_NAMES.get(field, [])
    if text in names:
        return names.index(text) + (1 if field == 3 else 0)
    return int(text) if text.isdigit() else None


def _cron_part_is_valid(part: str, field: int) -> bool:
    match = _CRON_PART.fullmatch(part)
    if match is None or match[3] == "0":
        return False
    low, high = _CRON_RANGES[field]
    bounds = [_cron_value(text, field) for text in (match[1], match[2]) if text is not None]
    return all(value is not None and low <= value <= high for value in bounds)


def cron_problem(cron: str) -> str | None:
    """Return what is wrong with a five-field cron expression, or None."""
    fields = cron.lower().split()
    if len(fields) != 5:
        return f"{cron!r} has {len(fields)} fields; cron takes five: minute hour day month weekday"
    for position, text in enumerate(fields):
        if not all(_cron_part_is_valid(part, position) for part in text.split(",")):
            low, high = _CRON_RANGES[position]
            return f"{text!r} is not valid in field {position + 1} of {cron!r} ({low} to {high})"
    return None


def _checked_cron(cron: str) -> str:
    if problem := cron_problem(cron):
        raise ValueError(problem)
    return cron


def _checked_duration(duration: str) -> str:
    if duration.endswith(("P", "T")):
        raise ValueError(f"{duration!r} names no amount; an ISO 8601 duration is like P2D or PT15M")
    return duration


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank; give it at least one visible character")
    return text


Id = Annotated[str, StringConstraints(pattern=ID_PATTERN)]
WorkflowId = Annotated[str, StringConstraints(pattern=WORKFLOW_ID_PATTERN)]
Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200),
    AfterValidator(_not_blank),
    Field(json_schema_extra={"pattern": r"\S"}),
]
Label = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Text = Annotated[str, StringConstraints(max_length=20_000)]
Duration = Annotated[
    str,
    StringConstraints(pattern=DURATION_PATTERN, max_length=64),
    AfterValidator(_checked_duration),
    Field(json_schema_extra={"not": {"pattern": "[PT]$"}}),
]
Cron = Annotated[
    str,
    AfterValidator(_checked_cron),
    StringConstraints(max_length=200),
    Field(json_schema_extra={"pattern": r"^\s*[0-9A-Za-z*,/-]+(\s+[0-9A-Za-z*,/-]+){4}\s*$"}),
]


def _has(name: str) -> JsonObject:
    """Return the schema of objects in which a field says something."""
    return {"required": [name], "properties": {name: {"not": {"type": "null"}}}}


class Condition(Value):
    """When a transition is taken or a step runs: in words, or as an expression of some language."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [_has("text"), _has("expression")]})

    text: Text | None = None
    expression: Any = None
    """A guard in a formal language, verbatim: text, or structured data such as a choice rule."""
    language: Label | None = None

    @model_validator(mode="after")
    def _says_something(self) -> "Condition":
        if self.text is None and self.expression is None:
            raise ValueError("needs `text` or `expression`")
        return self


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


class ManualTrigger(Value):
    """Somebody starts it."""

    type: Literal["manual"]
    with_: JsonObject = Field(default_factory=dict, alias="with")


class ScheduleTrigger(Value):
    """The clock starts it: by cron, or every so often."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [_has("cron"), _has("every")]})

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


_ALWAYS_WRITTEN: Mapping[str, Any] = {
    "version": 1, "description": "", "aliases": [], "tags": [], "triggers": [], "transitions": [],
    "automations": [],
}  # fmt: skip


def step_document(step: Step) -> JsonObject:
    """Return a step as it stands in its workflow's document."""
    return _step_document(step, step.model_dump(mode="json", by_alias=True, exclude_defaults=True))


def _step_document(step: Step, plain: JsonObject) -> JsonObject:
    return {"id": plain.pop("id"), "name": plain.pop("name"), "type": step.type} | plain


def workflow_document(workflow: Workflow) -> JsonObject:
    """Return the workflow as plain JSON data in its one canonical form.

    Fields at their default are left out below the top level, so that equal parts are equal
    bytes; a step always names its type, and the top level always has all of its lists.
    """
    plain = workflow.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    plain["steps"] = [_step_document(*one) for one in zip(workflow.steps, plain["steps"], strict=True)]
    ordered: JsonObject = {}
    for name in Workflow.model_fields:
        if name in plain:
            ordered[name] = plain[name]
        elif name in _ALWAYS_WRITTEN:
            ordered[name] = _ALWAYS_WRITTEN[name] if not isinstance(_ALWAYS_WRITTEN[name], list) else []
    return ordered
