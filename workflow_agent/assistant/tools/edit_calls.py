"""Edits as a model writes them: one flat shape for all operations.

The union of the operations' own models takes 33,000 characters as a JSON schema, in every request of
a mode that writes; this takes a quarter of that. What a call holds is checked against the operation's
own model afterwards, and a mistake goes back to the model with its place and what would be valid.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import Field

from workflow_agent.assistant.tools.parameters import NULL_CLEARS, Parameters
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.edits.operations import OPERATIONS
from workflow_agent.workflows.model.steps import StepType
from workflow_agent.workflows.model.transitions import TransitionType

OPERATIONS_HELP = """\
add_step(step) · insert_step(step, before | after | between) · remove_step(step, mode: reconnect | cut) ·
rename_step(step, name) · update_step(step, set, unset) · move_step(step, before | after | between) ·
replace_step(step, with) · connect(from, to, type, when) · disconnect(from, to | transition) ·
update_transition(transition, set, unset) · set_start(step) · add_trigger(trigger) ·
remove_trigger(index | trigger) · set_assignee(step, assignee) · set_timeout(step, timeout: ISO 8601) ·
set_retry(step, retry) · set_form(step, form) · set_permission(step | transition, permission) ·
set_automation(automation) · rename_workflow(name) · set_description(description) · add_alias(alias) ·
remove_alias(alias) · tag(tag) · untag(tag) · wrap_in_approval(step, assignee, on_reject) ·
parallelize(steps) · add_error_path(step, to).
Steps are named by id or name; in add_step and insert_step, step is the new step."""


class StepParts(Parameters):
    """A new step; its id is made from its name unless given."""

    name: str
    id: str | None = None
    type: StepType = "action"
    description: str | None = None
    assignee: str | None = Field(default=None, description="role or person, of a human step")
    uses: str | None = Field(default=None, description="service an action calls, like email.send")
    with_: JsonObject | None = Field(default=None, alias="with")
    form: JsonObject | None = Field(default=None, description="{fields: [{key, type, required}]}")
    timeout: str | None = Field(default=None, description="ISO 8601, like P2D")
    duration: str | None = Field(default=None, description="of a wait: ISO 8601")
    retry: JsonObject | None = Field(default=None, description="{max_attempts, interval, backoff}")
    escalate_to: str | None = None
    permission: str | None = None
    parent: str | None = Field(default=None, description="the loop or branch it is inside")
    event: str | None = Field(default=None, description="what an event step waits for")
    workflow: str | None = Field(default=None, description="what a subworkflow step runs")
    loop: JsonObject | None = Field(
        default=None, description="{over, while, until, max_iterations, parallel}"
    )
    join: JsonObject | None = Field(default=None, description="{mode: all | any | count, count}")
    when: str | JsonObject | None = Field(default=None, description="skipped unless this holds")
    outcome: str | None = Field(default=None, description="of an end: ok, rejected, failed, ...")


class EditCall(Parameters):
    """One edit; which fields it takes depends on `op`."""

    op: Annotated[str, Field(json_schema_extra={"enum": list(OPERATIONS)}, description=OPERATIONS_HELP)]
    step: str | StepParts | None = None
    steps: list[str] | None = None
    name: str | None = None
    before: str | None = None
    after: str | None = None
    between: list[str] | None = None
    mode: Literal["reconnect", "cut"] | None = None
    set: JsonObject | None = None
    unset: list[str] | None = None
    with_: StepParts | None = Field(default=None, alias="with")
    from_: str | None = Field(default=None, alias="from")
    to: str | None = None
    transition: str | None = None
    type: TransitionType | None = None
    when: str | JsonObject | None = None
    label: str | None = None
    action: str | None = None
    id: str | None = None
    trigger: JsonObject | None = Field(
        default=None, description="{type: schedule, cron} | {type: event, event} | …"
    )
    index: int | None = None
    assignee: Annotated[str | None, NULL_CLEARS] = None
    timeout: Annotated[str | None, NULL_CLEARS] = None
    retry: Annotated[JsonObject | None, NULL_CLEARS] = None
    form: Annotated[JsonObject | None, NULL_CLEARS] = None
    permission: Annotated[str | None, NULL_CLEARS] = None
    automation: Annotated[JsonObject | None, NULL_CLEARS] = None
    description: str | None = None
    alias: str | None = None
    tag: str | None = None
    on_reject: str | None = None

    def as_edit(self) -> dict[str, Any]:
        """Return the edit as plain data, with just the fields that were given."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


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
