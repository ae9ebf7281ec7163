"""Adding what is said of an earlier step to it: a limit, retries."""

from typing import Final

from workflow_agent.agent.offline.drafting.paths import Paths
from workflow_agent.agent.offline.drafting.statements import Amend

_NOT_AMENDED: Final = frozenset({"fork", "join", "decision", "end"})


def amend_step(paths: Paths, said: Amend) -> None:
    """Add fields to the step spoken of: the one that failed, the named person's, or the last."""
    active = paths.active[-1] if paths.active else None
    if active is not None and active.kind == "error" and "retry" in said.fields:
        paths.graph.step(active.step_id).update(said.fields)
        active.is_amended = True
        return
    work = [step for step in paths.graph.steps if step["type"] not in _NOT_AMENDED]
    if said.actor is not None:
        work = [step for step in work if step.get("assignee") == said.actor] or work
    if work:
        work[-1].update(said.fields)
