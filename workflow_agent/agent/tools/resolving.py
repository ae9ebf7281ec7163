"""From what a model calls a workflow to the workflow."""

from pydantic_ai import ModelRetry, RunContext

from workflow_agent.agent.workflow_context import WorkflowContext
from workflow_agent.domain.errors import WorkflowNotFound
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Workflow
from workflow_agent.ports import WorkflowHit

_OPEN = frozenset({"open", "current", "it", "this"})
_CERTAIN = frozenset({"exact_id", "exact_name", "alias"})


def named(workflow: Workflow) -> JsonObject:
    """Return a workflow's id, name and version."""
    return {"id": workflow.id, "name": workflow.name, "version": workflow.version}


async def find_workflow(ctx: RunContext[WorkflowContext], reference: str) -> Workflow:
    """Return the one workflow with this id, name or alias; `open` is the open one.

    Raises:
        ModelRetry: None or several have it; names the candidates.
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
    raise ModelRetry(_not_found(reference, certain or [*answer.hits, *answer.suggestions]))


def _not_found(reference: str, candidates: list[WorkflowHit]) -> str:
    if not candidates:
        return (
            f"There is no workflow {reference[:80]!r}, nor one like it. "
            "Call list_workflows to see which there are."
        )
    listed = "; ".join(f'{hit.id} "{hit.name}"' for hit in candidates[:5])
    return f"No workflow is certainly meant by {reference[:80]!r}. Close ones: {listed}. Use an id."
