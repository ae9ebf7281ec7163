"""Tools that find and read workflows."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, WithJsonSchema
from pydantic_ai import ModelRetry, RunContext

from workflow_agent.assistant.context import Occasion, WorkflowContext, touched_so_far
from workflow_agent.assistant.tools.parameters import Limit, Parameters, Reference
from workflow_agent.conversations.memory.references import HIGH_CONFIDENCE, Resolution
from workflow_agent.conversations.memory.resolver import resolve_reference
from workflow_agent.errors import InvalidInput, WorkflowNotFound
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.steps import StepType
from workflow_agent.workflows.model.triggers import describe_trigger
from workflow_agent.workflows.model.workflow import Workflow, workflow_document
from workflow_agent.workflows.store import ANY_WORKFLOW, SearchAnswer, WorkflowFilters, WorkflowHit

_OPEN = frozenset({"open", "current", "it", "this"})
_LEAST_CONFIDENCE = 0.6


def named(workflow: Workflow) -> JsonObject:
    """Return a workflow's id, name and version."""
    return {"id": workflow.id, "name": workflow.name, "version": workflow.version}


async def find_workflow(ctx: RunContext[WorkflowContext], reference: str, *, to_change: bool = False) -> Workflow:
    """Return the one workflow with this id, name or alias, or that the user's words for it mean.

    `open` is the open one. What is remembered of workflows dealt with decides about words like "the other
    one"; a guess is never made, and what is to be changed must be certain.

    Raises:
        ModelRetry: None or several are meant; names the candidates.
    """
    deps, wanted = ctx.deps, reference.strip()
    if wanted.casefold() in _OPEN and deps.progress.open_workflow_id:
        wanted = deps.progress.open_workflow_id
    try:
        return await deps.workflows.get(deps.tenant, wanted)
    except WorkflowNotFound:
        answer = await _searched(deps, wanted, limit=5)
    certain = answer.certain
    if len(certain) == 1:
        return await deps.workflows.get(deps.tenant, certain[0].id)
    if not certain:
        meant = meant_by(deps, wanted)
        found = await _remembered(deps, meant, HIGH_CONFIDENCE if to_change else _LEAST_CONFIDENCE)
        if found is not None:
            return found
        if meant.outcome == "resolved" or (meant.outcome == "ambiguous" and len(meant.candidates) > 1):
            raise ModelRetry(_uncertain(reference, meant))
    raise ModelRetry(_not_found(reference, certain or (*answer.hits, *answer.suggestions)))


def meant_by(deps: WorkflowContext, words: str) -> Resolution:
    """Return what words mean among the workflows dealt with, those of this run included."""
    at = deps.now()
    occasion = Occasion("", deps.conversation.id, deps.conversation.turn_count, at)
    return resolve_reference(
        words,
        [*deps.references, *touched_so_far(deps.progress, occasion)],
        now=at,
        open_workflow_id=deps.progress.open_workflow_id,
        conversation_id=deps.conversation.id,
    )


async def _remembered(deps: WorkflowContext, meant: Resolution, least_confidence: float) -> Workflow | None:
    if meant.workflow_id is None or meant.confidence < least_confidence:
        return None
    try:
        return await deps.workflows.get(deps.tenant, meant.workflow_id)
    except WorkflowNotFound as error:
        name = meant.candidates[0].name
        raise ModelRetry(f"That was {meant.workflow_id} {name!r}, which is no longer there.") from error


def _uncertain(reference: str, meant: Resolution) -> str:
    listed = "; ".join(f'{one.workflow_id} "{one.name}"' for one in meant.candidates)
    return (
        f"{reference[:80]!r} may mean ({meant.reason}): {listed}. "
        "Unless the conversation says which, ask the user; then use the id."
    )


def _not_found(reference: str, candidates: Sequence[WorkflowHit]) -> str:
    if not candidates:
        return f"There is no workflow {reference[:80]!r}, nor one like it. Call list_workflows to see which there are."
    listed = "; ".join(f'{hit.id} "{hit.name}"' for hit in candidates[:5])
    return f"No workflow is certainly meant by {reference[:80]!r}. Close ones: {listed}. Use an id."


class ListWorkflows(Parameters):
    """Which workflows to list."""

    tag: str | None = Field(default=None, description="one word")
    trigger: str | None = Field(default=None, description="manual, schedule, event, webhook or workflow")
    limit: Limit = Field(default=20, description="or 20")


class SearchWorkflows(Parameters):
    """What to look for."""

    query: str = Field(default="", max_length=500, description="two or three words; none for all")
    tag: str | None = Field(default=None, description="department, topic")
    trigger: str | None = Field(default=None, description="schedule, monday, event")
    role: str | None = Field(default=None, description="who acts in it")
    service: str | None = Field(default=None, description="like slack.post")
    step_type: Annotated[StepType, WithJsonSchema({"type": "string"})] | None = Field(
        default=None, description="human, wait, …"
    )
    in_conversation: bool = Field(default=False, description="only of this one")
    limit: Limit = Field(default=5, description="or 5")


class GetWorkflow(Parameters):
    """Which workflow to read."""

    workflow: Reference
    version: int | None = Field(default=None, ge=1, description="an older one")


def _listed(workflow: Workflow) -> JsonObject:
    return {
        "id": workflow.id,
        "name": workflow.name,
        "description": workflow.description[:200],
        "version": workflow.version,
        "tags": list(workflow.tags),
        "aliases": list(workflow.aliases),
        "step_count": len(workflow.steps),
        "triggers": [describe_trigger(one) for one in workflow.triggers],
    }


def _hit(hit: WorkflowHit) -> JsonObject:
    return {
        "id": hit.id,
        "name": hit.name,
        "description": hit.description[:200],
        "score": round(hit.score, 3),
        "strategies": list(hit.strategies),
        "matched": list(hit.matched),
    }


async def list_workflows(ctx: RunContext[WorkflowContext], request: ListWorkflows) -> JsonObject:
    """List the workflows there are."""
    found = [
        workflow
        for workflow in await ctx.deps.workflows.all(ctx.deps.tenant)
        if (request.tag is None or request.tag.casefold() in {tag.casefold() for tag in workflow.tags})
        and (request.trigger is None or request.trigger in {one.type for one in workflow.triggers})
    ]
    by_name = sorted(found, key=lambda one: one.name.casefold())
    return {"workflows": [_listed(one) for one in by_name[: request.limit]], "total": len(found)}


async def search_workflows(ctx: RunContext[WorkflowContext], request: SearchWorkflows) -> JsonObject:
    """Find workflows by words, what starts them, who acts, what they call."""
    among = _met(ctx.deps) if request.in_conversation else None
    filters = WorkflowFilters(
        request.tag, request.trigger, request.role, request.service, request.step_type, among=among
    )
    answer = await _searched(ctx.deps, request.query, filters, limit=request.limit)
    good = [hit for hit in answer.hits if not hit.is_weak]
    if not good and request.query.strip() and filters == ANY_WORKFLOW:
        good = await _called_so(ctx.deps, request.query)
    suggested = () if good else (*answer.hits, *answer.suggestions)
    return {
        "query": request.query,
        "hits": [_hit(hit) for hit in good],
        "suggestions": [{"id": hit.id, "name": hit.name} for hit in suggested],
    }


async def _searched(
    deps: WorkflowContext, query: str, filters: WorkflowFilters = ANY_WORKFLOW, *, limit: int
) -> SearchAnswer:
    answer = await deps.search.search(deps.tenant, query, filters, limit=limit)
    deps.evidence.spent_aside(answer.costs)
    return answer


async def _called_so(deps: WorkflowContext, words: str) -> list[WorkflowHit]:
    """Return the workflow that the person gave a name of these words, in whichever conversation."""
    meant = meant_by(deps, words)
    if meant.workflow_id is None or meant.confidence < HIGH_CONFIDENCE:
        return []
    try:
        found = await deps.workflows.get(deps.tenant, meant.workflow_id)
    except WorkflowNotFound:
        return []
    return [WorkflowHit(found.id, found.name, found.description, 1.0, ("alias",), ("aliases",))]


def _met(deps: WorkflowContext) -> frozenset[str]:
    """Return the ids of the workflows that this conversation dealt with."""
    touched = {workflow_id for workflow_id, _ in deps.progress.touched}
    return frozenset(touched | {ref.workflow_id for ref in deps.conversation.workflow_refs})


async def get_workflow(ctx: RunContext[WorkflowContext], request: GetWorkflow) -> JsonObject:
    """Read a workflow whole: steps, transitions, triggers. It becomes the open one."""
    # What is empty weighs in every request until the result is masked, and says nothing.
    workflow = await find_workflow(ctx, request.workflow)
    if request.version is not None and request.version != workflow.version:
        try:
            workflow = await ctx.deps.service.at(workflow.id, request.version)
        except (WorkflowNotFound, InvalidInput) as error:
            raise ModelRetry(f"{error} The newest version is {workflow.version}.") from error
    ctx.deps.progress.touch(workflow, "viewed")
    return {"workflow": {name: value for name, value in workflow_document(workflow).items() if value not in ("", [])}}


TOOLS = (list_workflows, search_workflows, get_workflow)
