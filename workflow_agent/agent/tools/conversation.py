"""Tools about the run itself."""

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext

from workflow_agent.agent.tools.parameters import Parameters
from workflow_agent.agent.workflow_context import WRITING_MODES, WorkflowContext
from workflow_agent.domain.conversation import ModeRecord
from workflow_agent.domain.modes import Mode
from workflow_agent.domain.values import JsonObject


class SwitchMode(Parameters):
    """Which mode fits better, and why."""

    mode: Mode
    reason: str = Field(min_length=1, max_length=300, description="what in the message shows it")


async def switch_mode(ctx: RunContext[WorkflowContext], request: SwitchMode) -> JsonObject:
    """Change how you work on this message, when the mode does not fit it. Takes effect at once."""
    progress = ctx.deps.progress
    was = progress.mode
    refused = ctx.deps.writing_is_refused
    if request.mode in WRITING_MODES and was.name not in WRITING_MODES and refused:
        raise ModelRetry(f"Mode {request.mode!r} changes workflows, and {refused} Stay in {was.name!r}.")
    if request.mode != was.name:
        signals = (*was.signals, f"switched from {was.name}: {request.reason}")
        progress.mode = ModeRecord(
            name=request.mode, confidence=was.confidence, signals=signals, source="switched"
        )
    return {"mode": request.mode, "was": was.name}


TOOLS = (switch_mode,)
