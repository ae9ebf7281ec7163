"""The tool that creates a workflow from a description."""

from typing import Annotated

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext

from workflow_agent.agent.tools.edit_calls import StepParts
from workflow_agent.agent.tools.findings import listed_findings
from workflow_agent.agent.tools.parameters import Parameters
from workflow_agent.agent.tools.resolving import named
from workflow_agent.agent.workflow_context import WorkflowContext
from workflow_agent.domain.analysis import analyze
from workflow_agent.domain.drafts import WorkflowDraft, parse_draft, workflow_from_draft, workflow_id_for
from workflow_agent.domain.errors import AlreadyExists, InvalidInput
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import TransitionType, Workflow, workflow_document
from workflow_agent.ports import Change

_ID_ATTEMPTS = 50


class Edge(Parameters):
    """A transition between steps, named by id or by name."""

    from_: str = Field(alias="from")
    to: str
    type: TransitionType = "sequence"
    when: str | JsonObject | None = Field(default=None, description="the condition, in words")
    label: str | None = None
    action: str | None = Field(default=None, description="in a lifecycle: what a person does to take it")
    permission: str | None = None


class CreateWorkflow(Parameters):
    """A new workflow; transitions name steps by id or by name."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    description: str = Field(default="", description="one or two sentences: what it is for")
    steps: Annotated[list[StepParts], Field(min_length=1)]
    transitions: list[Edge] = Field(default_factory=list[Edge])
    triggers: list[JsonObject] = Field(
        default_factory=list[JsonObject],
        description="{type: manual}, {type: schedule, cron, timezone}, {type: event, event}, {type: webhook}",
    )
    tags: list[str] = Field(default_factory=list[str])
    aliases: list[str] = Field(default_factory=list[str])
    start: str | None = Field(default=None, description="the first step, unless it is the first in the list")


async def create_workflow(ctx: RunContext[WorkflowContext], request: CreateWorkflow) -> JsonObject:
    """Create and store a new workflow: its steps, the transitions between them, and what starts it."""
    given = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
    try:
        created = await _stored(ctx.deps, parse_draft(given), ctx.deps.progress.digest_of_write(given))
    except InvalidInput as error:
        raise ModelRetry(str(error)) from error
    ctx.deps.progress.touch(created, "created")
    document = workflow_document(created)
    return {
        "workflow": named(created),
        "steps": [_brief(step, ("id", "name", "type", "assignee")) for step in document["steps"]],
        "transitions": [_brief(edge, ("from", "to", "type", "when")) for edge in document["transitions"]],
        "findings": listed_findings(analyze(created)),
    }


async def _stored(deps: WorkflowContext, draft: WorkflowDraft, digest: str) -> Workflow:
    """Store the draft under the first free id made from its name."""
    taken: list[str] = []
    for _ in range(_ID_ATTEMPTS):
        workflow = workflow_from_draft(draft, workflow_id_for(draft.name, taken))
        change = Change(deps.author(), "created", summary=(f"Created {draft.name!r}",), digest=digest)
        try:
            return await deps.workflows.create(deps.tenant, workflow, change)
        except AlreadyExists:
            taken.append(workflow.id)
    raise ModelRetry(f"There are {_ID_ATTEMPTS} workflows named like {draft.name!r}. Choose another name.")


def _brief(part: JsonObject, fields: tuple[str, ...]) -> JsonObject:
    return {name: part[name] for name in fields if name in part}


TOOLS = (create_workflow,)
