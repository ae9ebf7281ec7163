"""Storing a new workflow under the first free id made from its name."""

from collections.abc import Callable

from pydantic_ai import ModelRetry

from workflow_agent.agent.workflow_context import WorkflowContext
from workflow_agent.domain.drafts import workflow_id_for
from workflow_agent.domain.errors import AlreadyExists
from workflow_agent.domain.workflow import Workflow
from workflow_agent.ports import Change

_ID_ATTEMPTS = 50


async def store_new(
    deps: WorkflowContext, name: str, made: Callable[[str], Workflow], change: Change
) -> Workflow:
    """Return what `made` gives for the first free id made from a name, stored and noted as created.

    Raises:
        ModelRetry: Too many workflows are named like it.
    """
    taken: list[str] = []
    for _ in range(_ID_ATTEMPTS):
        workflow = made(workflow_id_for(name, taken))
        try:
            created = await deps.workflows.create(deps.tenant, workflow, change)
        except AlreadyExists:
            taken.append(workflow.id)
        else:
            deps.progress.touch(created, "created")
            return created
    raise ModelRetry(f"There are {_ID_ATTEMPTS} workflows named like {name!r}. Choose another name.")
