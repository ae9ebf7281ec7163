"""Edits as a model writes them: one flat shape for all operations.

The union of the operations' own models takes 33,000 characters as a JSON schema; this takes a seventh of that.
What a call holds is checked against the operation's own model afterwards, and a mistake goes back to the model
with its place and what would be valid.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import BeforeValidator, Field, WithJsonSchema

from workflow_agent.assistant.tools.parameters import NULL_CLEARS, Parameters
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.steps import StepType
from workflow_agent.workflows.model.transitions import TransitionType

OPERATIONS_HELP = """\
add_step(step) · insert_step(step, before|after|between) · remove_step(step, mode) · \
rename_step(step, name) · update_step(step, set, unset) · move_step(step, before|after|between) · \
replace_step(step, with) · connect(from, to, type, when) · disconnect(from, to|transition) · \
update_transition(transition, set, unset) · set_start(step) · add_trigger(trigger) · \
remove_trigger(index|trigger) · set_assignee(step, assignee) · set_timeout(step, timeout) · \
set_retry(step, retry) · set_form(step, form) · set_permission(step|transition, permission) · \
set_automation(automation) · rename_workflow(name) · set_description(description) · add_alias(alias) · \
remove_alias(alias) · tag(tag) · untag(tag) · wrap_in_approval(step, assignee, on_reject) · \
parallelize(steps) · add_error_path(step, to)"""
EXAMPLES = """\
[{"op":"insert_step","after":"review","step":{"name":"Legal review","type":"human","assignee":"legal"}}], \
[{"op":"update_step","step":"pay","set":{"timeout":"PT1H","retry":{"max_attempts":3}}}]"""
FURTHER_EXAMPLES = """\
[{"op":"add_step","step":{"name":"Ask again","type":"human","assignee":"clerk"}},\
{"op":"connect","from":"review","to":"Ask again","type":"condition","when":"something is missing"},\
{"op":"connect","from":"Ask again","to":"review"}]"""
WHAT_THEY_DO = """\
insert_step joins what was around the new step to it; remove_step joins the neighbours (mode cut leaves them apart); \
replace_step keeps the transitions; wrap_in_approval puts a human step before it, whose refusal leads to on_reject or \
to an end; parallelize puts steps that follow each other between a fork and a join"""
_NEW_STEP = "{name, type, …}"
# `WithJsonSchema` tells a model of a field in other words than its type would.
Words = Annotated[str | JsonObject, WithJsonSchema({"type": "string"})]
"""A condition: words for a model; an expression of another tool's is taken too."""
_Step = Annotated["str | StepParts", WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object"}]})]
_NewStep = Annotated["StepParts", WithJsonSchema({"type": "object"})]


class StepParts(Parameters):
    """A new step; its id is made from its name unless given."""

    name: str = Field(description="verb and object")
    id: str | None = Field(default=None, description="made from the name unless given")
    type: StepType = Field(default="action", description="action unless given")
    description: str | None = Field(default=None, description="details")
    assignee: str | None = Field(default=None, description="role, of a human step")
    uses: str | None = Field(default=None, description="service an action calls, like email.send")
    with_: JsonObject | None = Field(default=None, alias="with", description="its arguments, by name")
    form: JsonObject | None = Field(
        default=None,
        description="{fields: [{key, label, required: true, "
        "type: string|text|number|boolean|date|choice|file, options: [of a choice]}]}",
    )
    timeout: str | None = Field(default=None, description="ISO 8601, like P2D")
    duration: str | None = Field(default=None, description="of a wait: ISO 8601")
    retry: JsonObject | None = Field(
        default=None, description="{max_attempts: 3, interval: PT10S, backoff: fixed|linear|exponential}"
    )
    escalate_to: str | None = Field(default=None, description="role, after the timeout")
    permission: str | None = Field(default=None, description="who may do it")
    parent: str | None = Field(default=None, description="the loop or branch it is inside")
    event: str | None = Field(default=None, description="what an event step waits for")
    workflow: str | None = Field(default=None, description="what a subworkflow step runs")
    loop: JsonObject | None = Field(
        default=None, description="{over|while|until: words, max_iterations, parallel: how many at once}"
    )
    join: JsonObject | None = Field(default=None, description="{mode: all|any|count, count}")
    when: Words | None = Field(default=None, description="skipped unless this holds")
    outcome: str | None = Field(default=None, description="of an end: ok, rejected, failed, …")


class EditCall(Parameters):
    """One edit; which fields it takes depends on `op`."""

    op: str = Field(description=OPERATIONS_HELP)
    step: _Step | None = Field(
        default=None, description=f"id or name; in add_step and insert_step the new step, {_NEW_STEP}"
    )
    steps: list[str] | None = Field(default=None, description="to run at once")
    name: str | None = Field(default=None, description="the new name")
    before: str | None = Field(default=None, description="a step")
    after: str | None = Field(default=None, description="a step")
    between: list[str] | None = Field(default=None, description="two joined steps")
    mode: Literal["reconnect", "cut"] | None = Field(default=None, description="reconnect unless given")
    set: JsonObject | None = Field(default=None, description="{field: value} of the step or transition")
    unset: list[str] | None = Field(default=None, description="fields to clear")
    with_: _NewStep | None = Field(default=None, alias="with", description="the new step")
    from_: str | None = Field(default=None, alias="from", description="a step")
    to: str | None = Field(default=None, description="a step")
    transition: str | None = Field(default=None, description="its id")
    type: Annotated[TransitionType, WithJsonSchema({"type": "string"})] | None = Field(
        default=None, description="of a transition"
    )
    when: Words | None = Field(default=None, description="in words")
    label: str | None = Field(default=None, description="of a transition")
    action: str | None = Field(default=None, description="in a lifecycle")
    id: str | None = Field(default=None, description="of the automation to remove")
    trigger: JsonObject | None = Field(default=None, description="a trigger; to remove, its type")
    index: int | None = Field(default=None, description="from 0")
    assignee: Annotated[str | None, NULL_CLEARS] = Field(default=None, description="role")
    timeout: Annotated[str | None, NULL_CLEARS] = Field(default=None, description="ISO 8601")
    retry: Annotated[JsonObject | None, NULL_CLEARS] = Field(default=None, description="as of a step")
    form: Annotated[JsonObject | None, NULL_CLEARS] = Field(default=None, description="as of a step")
    permission: Annotated[str | None, NULL_CLEARS] = Field(default=None, description="who may")
    automation: Annotated[JsonObject | None, NULL_CLEARS] = Field(
        default=None,
        description="{id, on: {event: entered|left|completed|failed|timeout, to: step}, "
        "effect: {type: email, with: {to}}}",
    )
    description: str | None = Field(default=None, description="of the workflow")
    alias: str | None = Field(default=None, description="another name")
    tag: str | None = Field(default=None, description="one word")
    on_reject: str | None = Field(default=None, description="a step; an end unless given")

    def as_edit(self) -> dict[str, Any]:
        """Return the edit as plain data, with just the fields that were given."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


def _read(edits: Any) -> Any:
    """Return edits that a model wrote as JSON text, read; one edit by itself is a list of one.

    Raises:
        ValueError: The text is not JSON.
    """
    if isinstance(edits, str):
        try:
            edits = json.loads(edits)
        except ValueError as error:
            raise ValueError(f"is text that is no JSON: {error}. Give a list of edits.") from error
    return [edits] if isinstance(edits, dict) else edits


Edits = Annotated[
    list[EditCall], Field(min_length=1, max_length=100, description=f"like {EXAMPLES}"), BeforeValidator(_read)
]


def without_new_ids(edits: list[dict[str, Any]]) -> Any:
    """Return edits with the ids they give to new steps replaced by their order.

    A repeated run finds the step its earlier attempt made, and gives its own another id: that is
    still the same edit, and must be recognised as such.
    """
    steps = [edit["step"] for edit in edits if isinstance(edit.get("step"), dict)]
    made = {step["id"]: f"new step {at}" for at, step in enumerate(steps) if step.get("id")}
    return _renamed(edits, made)


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _renamed(item, names) for key, item in cast("JsonObject", value).items()}
    if isinstance(value, list):
        return [_renamed(item, names) for item in cast("list[Any]", value)]
    return names.get(value, value) if isinstance(value, str) else value
