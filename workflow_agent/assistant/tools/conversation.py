"""Tools about the run itself, and about what the person who speaks wants remembered."""

from typing import Literal

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext

from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.tools.parameters import Parameters, told_to_model
from workflow_agent.conversations import transitions
from workflow_agent.conversations.agents import WRITING, Mode
from workflow_agent.conversations.document import ModeRecord, Phase
from workflow_agent.conversations.memory.person import Fact, FactKind, FactSource, fact_meant
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
    if request.mode in WRITING and was.name not in WRITING and refused:
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
    made = transitions.handoffs_since_message(deps.conversation) + len(asked)
    with told_to_model(HandoffNotAllowed):
        transitions.refuse_handoff(deps.agent, request.to, made=made, most=deps.max_handoffs, roster=deps.roster)
    deps.progress.handoffs.append(
        transitions.Handoff(by=deps.agent, to=request.to, reason=request.reason, summary=request.summary)
    )
    return {"to": request.to, "agents_to_come": [one.to for one in deps.progress.handoffs]}


async def change_phase(ctx: RunContext[WorkflowContext], request: ChangePhase) -> JsonObject:
    """Enter another phase of the conversation."""
    progress = ctx.deps.progress
    was = progress.phase
    if request.to != was:
        with told_to_model(PhaseNotAllowed):
            transitions.check_phase_change(was, request.to)
        progress.phase_changes.append(
            transitions.PhaseChange(to=request.to, agent=ctx.deps.agent, reason=request.reason, summary=request.summary)
        )
        progress.phase = request.to
    return {"phase": request.to, "was": was, "allowed_next": list(transitions.ALLOWED[request.to])}


_EVERYTHING = frozenset({"everything", "all", "it all", "all of it", "everything about me", "me"})


class PersonalMemoryRequest(Parameters):
    """What to do with what is remembered of this user."""

    action: Literal["remember", "list", "correct", "forget"] = Field(description="what to do")
    text: str = Field(
        default="",
        max_length=500,
        description="the user's words; to forget also 'everything', or nothing for the last told",
    )
    kind: FactKind | None = Field(default=None, description="of what")
    id: str = Field(default="", max_length=40, description="mem_…, or by text")


async def personal_memory(ctx: RunContext[WorkflowContext], request: PersonalMemoryRequest) -> JsonObject:
    """Remember for all conversations what the user asks to; do not repeat what was forgotten."""
    with told_to_model():
        if request.action == "remember":
            return {"remembered": _told(await _remember(ctx.deps, request))}
        if request.action == "list":
            person = await ctx.deps.personal.people.person(ctx.deps.tenant, ctx.deps.user)
            return {"remembered": [_told(one) for one in person.facts]}
        return await _change(ctx.deps, request)


async def _remember(deps: WorkflowContext, request: PersonalMemoryRequest) -> Fact:
    source = FactSource(conversation_id=deps.conversation.id, turn=deps.conversation.turn_count)
    return await deps.personal.remember(deps.tenant, deps.user, request.text, request.kind, source)


async def _change(deps: WorkflowContext, request: PersonalMemoryRequest) -> JsonObject:
    """Correct or forget what is meant, if it is plain what that is."""
    if request.action == "forget" and request.text.strip(" .!").casefold() in _EVERYTHING:
        await deps.personal.forget_all(deps.tenant, deps.user)
        return {"forgotten": "everything"}
    person = await deps.personal.people.person(deps.tenant, deps.user)
    said = request.id if request.action == "correct" else request.id or request.text
    meant = fact_meant(person, said, deps.conversation.id)
    if len(meant) != 1:
        return {"forgotten": None, "candidates": [_told(one) for one in meant or person.facts]}
    (one,) = meant
    if request.action == "correct":
        new = await deps.personal.correct(deps.tenant, deps.user, one.id, text=request.text, kind=None)
        return {"corrected": _told(new)}
    await deps.personal.forget(deps.tenant, deps.user, one.id)
    return {"forgotten": one.id, "left": len(person.facts) - 1}


def _told(one: Fact) -> JsonObject:
    return one.model_dump(mode="json", include={"id", "kind", "text", "source"})


TOOLS = (switch_mode, hand_off, change_phase)
