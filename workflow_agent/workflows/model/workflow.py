"""A workflow as a whole: steps joined by transitions, and what starts it."""

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

from workflow_agent.values import grouped
from workflow_agent.values.stored import JsonObject, Moment, Value
from workflow_agent.workflows.model.steps import Condition, Step
from workflow_agent.workflows.model.terms import Id, Label, Name, Text, WorkflowId
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.triggers import Cron, Trigger, describe_trigger


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


def step_document(step: Step) -> JsonObject:
    """Return a step as it stands in its workflow's document."""
    return _step_document(step, step.as_plain())


def _step_document(step: Step, plain: JsonObject) -> JsonObject:
    document: JsonObject = {"id": plain.pop("id"), "name": plain.pop("name"), "type": step.type} | plain
    # What is left out reads as "none": of these, the values that hold are said.
    if step.retry is not None:
        document["retry"] = _with(step.retry, document["retry"], "max_attempts", "backoff")
    if step.join is not None:
        document["join"] = _with(step.join, document["join"], "mode")
    return document


def _with(part: Value, plain: JsonObject, *said: str) -> JsonObject:
    """Return a part of a step with these of its fields in it, also at their default, all in their order."""
    fields = [name for name in type(part).model_fields if name in plain or name in said]
    return {name: plain.get(name, getattr(part, name)) for name in fields}


def workflow_document(workflow: Workflow) -> JsonObject:
    """Return the workflow as plain JSON data in its one canonical form.

    Fields at their default are left out below the top level, so that equal parts are equal
    bytes; a step always names its type, how it is tried again and what it waits for, and the top level
    always has all of its lists.
    """
    lists: JsonObject = {name: [] for name in ("aliases", "tags", "triggers", "transitions", "automations")}
    plain: JsonObject = {"version": 1, "description": "", **lists, **workflow.as_plain()}
    plain["steps"] = [_step_document(*one) for one in zip(workflow.steps, plain["steps"], strict=True)]
    return {name: plain[name] for name in Workflow.model_fields if name in plain}


_DESCRIPTION_CHARS = 300
_OUTLINED_STEPS = 200


def outline(workflow: Workflow) -> str:
    """Return a workflow as a model reads it: a line for each step with its id, name, type, role and where it leads."""
    starts = ", ".join(describe_trigger(one) for one in workflow.triggers) or "not said how"
    edges = grouped((edge.from_, edge) for edge in workflow.transitions)
    left_out = len(workflow.steps) - _OUTLINED_STEPS
    lines = [
        *([" ".join(workflow.description[:_DESCRIPTION_CHARS].split())] if workflow.description else []),
        f"starts at {workflow.start}; started {starts}",
        *(_step_line(step, edges.get(step.id, [])) for step in workflow.steps[:_OUTLINED_STEPS]),
        *([f"… {left_out} more steps; get_workflow has them all"] if left_out > 0 else []),
    ]
    return "\n".join(lines)


def _step_line(step: Step, edges: Iterable[Transition]) -> str:
    facts = [
        step.type,
        f"by {step.assignee}" if step.assignee else "",
        f"uses {step.uses}" if step.uses else "",
        f"timeout {step.timeout}" if step.timeout else "",
        f"inside {step.parent}" if step.parent else "",
        f"outcome {step.outcome}" if step.outcome else "",
    ]
    leads = "; ".join(_lead(edge) for edge in edges)
    described = ", ".join(fact for fact in facts if fact)
    return f'- {step.id} "{step.name}" ({described})' + (f" -> {leads}" if leads else "")


def _lead(edge: Transition) -> str:
    when = edge.when
    condition = (when.formula[:80] if when.text is None else when.text) if when is not None else ""
    guard = condition or edge.action or edge.label or ""
    kind = "" if edge.type in ("sequence", "condition") else edge.type
    note = " ".join(part for part in (kind, guard) if part)
    return f"{edge.to} [{note}]" if note else edge.to
