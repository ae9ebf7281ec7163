"""Tools about the run itself."""

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext

from workflow_agent.assistant.context import WRITING_MODES, WorkflowContext
from workflow_agent.assistant.tools.parameters import Parameters
from workflow_agent.conversations.agents import Mode
from workflow_agent.conversations.document import ModeRecord, Phase
from workflow_agent.conversations.transitions import (
    ALLOWED,
    Handoff,
    PhaseChange,
    check_phase_change,
    handoffs_since_message,
    refuse_handoff,
)
from workflow_agent.errors import HandoffNotAllowed, PhaseNotAllowed
from workflow_agent.values.stored import JsonObject


class SwitchMode(Parameters):
    """Which mode fits better, and why."""

    mode: Mode = Field(description="to go on in")
    reason: str = Field(default="", max_length=300, description="what shows it")


async def switch_mode(ctx: RunContext[WorkflowContext], request: SwitchMode) -> JsonObject:
    """Change how you work on this message, at once, when the mode does not fit."""
    progress = ctx.deps.progress
    was = progress.mode
    refused = ctx.deps.writing_is_refused
    if request.mode in WRITING_MODES and was.name not in WRITING_MODES and refused:
        raise ModelRetry(f"Mode {request.mode!r} changes workflows, and {refused} Stay in {was.name!r}.")
    if request.mode != was.name:
        why = f": {request.reason}" if request.reason else ""
        signals = (*was.signals, f"switched from {was.name}{why}")
        progress.mode = ModeRecord(name=request.mode, confidence=was.confidence, signals=signals, source="switched")
    return {"mode": request.mode, "was": was.name}


class HandOff(Parameters):
    """Who is to go on, and with what."""

    to: str = Field(max_length=64, description="name of an agent")
    reason: str = Field(min_length=1, max_length=300, description="why")
    summary: str = Field(max_length=4_000, description="what is wanted, done and open")


class ChangePhase(Parameters):
    """Which phase comes now, and why."""

    to: Phase = Field(description="the next")
    reason: str = Field(min_length=1, max_length=300, description="what shows it")
    summary: str = Field(default="", max_length=4_000, description="for the next")


async def hand_off(ctx: RunContext[WorkflowContext], request: HandOff) -> JsonObject:
    """Let another agent answer after you. It reads everything; finish in a line."""
    deps = ctx.deps
    if request.to not in deps.roster:
        raise ModelRetry(f"There is no agent {request.to!r}; there are {', '.join(deps.roster)}.")
    asked = {one.to for one in deps.progress.handoffs}
    if request.to in asked:
        return {"to": request.to, "agents_to_come": list(dict.fromkeys(asked))}
    made = handoffs_since_message(deps.conversation) + len(asked)
    try:
        refuse_handoff(deps.agent, request.to, made=made, most=deps.max_handoffs, roster=deps.roster)
    except HandoffNotAllowed as error:
        raise ModelRetry(error.message) from error
    deps.progress.handoffs.append(Handoff(by=deps.agent, to=request.to, reason=request.reason, summary=request.summary))
    return {"to": request.to, "agents_to_come": [one.to for one in deps.progress.handoffs]}


async def change_phase(ctx: RunContext[WorkflowContext], request: ChangePhase) -> JsonObject:
    """Enter another phase of the conversation."""
    progress = ctx.deps.progress
    was = progress.phase
    if request.to != was:
        try:
            check_phase_change(was, request.to)
        except PhaseNotAllowed as error:
            raise ModelRetry(error.message) from error
        progress.phase_changes.append(
            PhaseChange(to=request.to, agent=ctx.deps.agent, reason=request.reason, summary=request.summary)
        )
        progress.phase = request.to
    return {"phase": request.to, "was": was, "allowed_next": list(ALLOWED[request.to])}


TOOLS = (switch_mode, hand_off, change_phase)
