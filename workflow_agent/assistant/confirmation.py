"""What an answer claims to have changed, held against the record of its run."""

from pydantic_ai import ModelRetry, RunContext

from workflow_agent.assistant.context import READ_ONLY_MODES, WorkflowContext
from workflow_agent.assistant.providers import OFFLINE
from workflow_agent.conversations.claims import claims_in
from workflow_agent.conversations.document import WRITES, AgentReply

_LOOK_BACK = frozenset({"recall", "search_history", "get_turn", "list_changes", "compare_versions", "run_python"})
"""Whoever used these tells of what was done before."""


async def confirmed(ctx: RunContext[WorkflowContext], answer: str) -> str:
    """Return an answer whose claims were held against the record; what stands though sent back once is noted.

    Raises:
        ModelRetry: It claims a change that no tool made, for the first time.
    """
    evidence = ctx.deps.evidence
    if evidence.model == OFFLINE or _is_borne_out(ctx.deps):
        return answer
    claims = claims_in(answer)
    if not claims:
        return answer
    profile = ctx.deps.profile
    steps = profile.max_iterations if profile else 0
    if evidence.is_asked_again or ctx.last_attempt or ctx.usage.requests >= steps:
        evidence.unconfirmed_claims = claims
        return answer
    evidence.is_asked_again = True
    shown = " ".join(claims)
    waits = " A preview was shown; it waits for a yes." if ctx.deps.progress.preview else ""
    raise ModelRetry(
        f"Your answer says: {shown!r} The record of this message shows no change: no tool made one.{waits} "
        "If it is to be done, call the tool that does it. Otherwise answer again, and claim nothing that was "
        "not done."
    )


def _is_borne_out(deps: WorkflowContext) -> bool:
    """Say whether the record shows deeds, of this run or, where nothing is to be changed, of earlier ones."""
    progress = deps.progress
    if any(touch.change in WRITES for touch in progress.touched.values()):
        return True
    if progress.phase_changes or progress.handoffs or _LOOK_BACK.intersection(deps.evidence.tools_that_answered()):
        return True
    earlier = (event for event in deps.conversation.events if isinstance(event, AgentReply))
    wrote = any(touch.change in WRITES for reply in earlier for touch in reply.workflows_touched)
    return wrote and progress.mode.name in READ_ONLY_MODES
