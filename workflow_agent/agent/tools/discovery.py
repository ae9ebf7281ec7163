"""Tools that find and read workflows."""

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext

from workflow_agent.agent.tools.parameters import Limit, Parameters, Reference
from workflow_agent.agent.tools.resolving import find_workflow
from workflow_agent.agent.workflow_context import WorkflowContext
from workflow_agent.domain.errors import InvalidInput, WorkflowNotFound
from workflow_agent.domain.triggers import describe_trigger
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import StepType, Workflow, workflow_document
from workflow_agent.domain.workflow_parsing import parse_workflow
from workflow_agent.ports import WorkflowFilters, WorkflowHit


class ListWorkflows(Parameters):
    """Which workflows to list."""

    tag: str | None = None
    trigger: str | None = Field(default=None, description="manual, schedule, event, webhook or workflow")
    limit: Limit = 20


class SearchWorkflows(Parameters):
    """What to look for."""

    query: str = Field(
        default="",
        max_length=500,
        description="words: a topic, a step; empty lists what the filters let through",
    )
    tag: str | None = None
    trigger: str | None = Field(
        default=None, description="what starts it, in words: schedule, monday, an event"
    )
    role: str | None = Field(default=None, description="who does or decides something in it")
    service: str | None = Field(default=None, description="what a step calls: slack, slack.post_message")
    step_type: StepType | None = None
    in_conversation: bool = Field(default=False, description="only those that came up in this conversation")
    limit: Limit = 5


class GetWorkflow(Parameters):
    """Which workflow to read."""

    workflow: Reference
    version: int | None = Field(default=None, ge=1, description="an older version; the newest unless given")


def _listed(workflow: Workflow) -> JsonObject:
    return {
        "id": workflow.id, "name": workflow.name, "description": workflow.description[:200],
        "version": workflow.version, "tags": list(workflow.tags), "aliases": list(workflow.aliases),
        "step_count": len(workflow.steps), "triggers": [describe_trigger(one) for one in workflow.triggers],
    }  # fmt: skip


def _hit(hit: WorkflowHit) -> JsonObject:
    return {
        "id": hit.id, "name": hit.name, "description": hit.description[:200], "score": round(hit.score, 3),
        "strategies": list(hit.strategies), "matched": list(hit.matched),
    }  # fmt: skip


async def list_workflows(ctx: RunContext[WorkflowContext], request: ListWorkflows) -> JsonObject:
    """List the workflows there are, optionally only those with a tag or a kind of trigger."""
    found = [
        workflow
        for workflow in await ctx.deps.workflows.all(ctx.deps.tenant)
        if (request.tag is None or request.tag.casefold() in {tag.casefold() for tag in workflow.tags})
        and (request.trigger is None or request.trigger in {one.type for one in workflow.triggers})
    ]
    by_name = sorted(found, key=lambda one: one.name.casefold())
    return {"workflows": [_listed(one) for one in by_name[: request.limit]], "total": len(found)}


async def search_workflows(ctx: RunContext[WorkflowContext], request: SearchWorkflows) -> JsonObject:
    """Find workflows by words of their names, descriptions, steps, roles, services or tags."""
    among = _met(ctx.deps) if request.in_conversation else None
    filters = WorkflowFilters(
        request.tag, request.trigger, request.role, request.service, request.step_type, among=among
    )
    answer = await ctx.deps.search.search(ctx.deps.tenant, request.query, filters, limit=request.limit)
    return {
        "query": request.query,
        "hits": [_hit(hit) for hit in answer.hits],
        "suggestions": [{"id": hit.id, "name": hit.name} for hit in answer.suggestions],
    }


def _met(deps: WorkflowContext) -> frozenset[str]:
    """Return the ids of the workflows that this conversation dealt with."""
    touched = {workflow_id for workflow_id, _ in deps.progress.touched}
    return frozenset(touched | {ref.workflow_id for ref in deps.conversation.workflow_refs})


async def get_workflow(ctx: RunContext[WorkflowContext], request: GetWorkflow) -> JsonObject:
    """Read one workflow whole: every step, transition and trigger. It becomes the open workflow."""
    workflow = await find_workflow(ctx, request.workflow)
    if request.version is not None and request.version != workflow.version:
        workflow = await _at_version(ctx, workflow, request.version)
    ctx.deps.progress.touch(workflow, "viewed")
    return {"workflow": workflow_document(workflow)}


async def _at_version(ctx: RunContext[WorkflowContext], workflow: Workflow, version: int) -> Workflow:
    try:
        record = await ctx.deps.workflows.version(ctx.deps.tenant, workflow.id, version)
        return parse_workflow(record.document)
    except (WorkflowNotFound, InvalidInput) as error:
        raise ModelRetry(f"{error} The newest version is {workflow.version}.") from error


TOOLS = (list_workflows, search_workflows, get_workflow)
