"""From what a model calls a workflow to the workflow."""

from pydantic_ai import ModelRetry, RunContext

from workflow_agent.agent.learning import Occasion, touched_so_far
from workflow_agent.agent.workflow_context import WorkflowContext
from workflow_agent.domain.errors import WorkflowNotFound
from workflow_agent.domain.memory import HIGH_CONFIDENCE, Resolution, resolve_reference
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Workflow
from workflow_agent.ports import WorkflowHit

_OPEN = frozenset({"open", "current", "it", "this"})
_LEAST_CONFIDENCE = 0.6
_CERTAIN = frozenset({"exact_id", "exact_name", "alias"})


def named(workflow: Workflow) -> JsonObject:
    """Return a workflow's id, name and version."""
    return {"id": workflow.id, "name": workflow.name, "version": workflow.version}


async def find_workflow(
    ctx: RunContext[WorkflowContext], reference: str, *, to_change: bool = False
) -> Workflow:
    """Return the one workflow with this id, name or alias, or that the user's words for it mean.

    `open` is the open one. What is remembered of workflows dealt with decides about words like "the other
    one"; a guess is never made, and what is to be changed must be certain.

    Raises:
        ModelRetry: None or several are meant; names the candidates.
    """
    deps = ctx.deps
    wanted = reference.strip()
    if wanted.casefold() in _OPEN and deps.progress.open_workflow_id:
        wanted = deps.progress.open_workflow_id
    try:
        return await deps.workflows.get(deps.tenant, wanted)
    except WorkflowNotFound:
        answer = await deps.search.search(deps.tenant, wanted, limit=5)
    certain = [hit for hit in answer.hits if _CERTAIN.intersection(hit.strategies)]
    if len(certain) == 1:
        return await deps.workflows.get(deps.tenant, certain[0].id)
    if not certain:
        meant = meant_by(deps, wanted)
        found = await _remembered(deps, meant, HIGH_CONFIDENCE if to_change else _LEAST_CONFIDENCE)
        if found is not None:
            return found
        if meant.outcome == "resolved" or (meant.outcome == "ambiguous" and len(meant.candidates) > 1):
            raise ModelRetry(_uncertain(reference, meant))
    raise ModelRetry(_not_found(reference, certain or [*answer.hits, *answer.suggestions]))


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


def _not_found(reference: str, candidates: list[WorkflowHit]) -> str:
    if not candidates:
        return (
            f"There is no workflow {reference[:80]!r}, nor one like it. "
            "Call list_workflows to see which there are."
        )
    listed = "; ".join(f'{hit.id} "{hit.name}"' for hit in candidates[:5])
    return f"No workflow is certainly meant by {reference[:80]!r}. Close ones: {listed}. Use an id."
