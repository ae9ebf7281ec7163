"""Who answers a message, which mode leads, and whether the run may change a workflow at all."""

from collections.abc import Sequence
from typing import Literal

from workflow_agent.agent.workflow_context import WRITING_MODES
from workflow_agent.chat.requests import TurnRequest
from workflow_agent.domain.addressing import agents_for
from workflow_agent.domain.agents import AgentProfile, Roster
from workflow_agent.domain.confirmed_offers import confirmed_offer
from workflow_agent.domain.confirming import answer_in
from workflow_agent.domain.conversation import Conversation, ModeRecord
from workflow_agent.domain.conversation_mode import answers_back, mode_asked_for
from workflow_agent.domain.handoffs import Handoff
from workflow_agent.domain.modes import Mode
from workflow_agent.domain.previews import Preview

_CLEARLY = 0.5
"""A reading mode is certain when no writing mode scores more than this share of what it does."""


def choose_agents(
    conversation: Conversation, request: TurnRequest, roster: Roster
) -> tuple[Sequence[str], Handoff | None]:
    """Return who answers a message, in order, and the handoff it brings about; None for nearly any."""
    handoff = confirmed_offer(conversation, request.message, roster)
    if handoff is not None and request.mode is None and request.agent in (None, handoff.by):
        return (handoff.to,), handoff
    return agents_for(conversation, request.message, roster, asked_for=request.agent), None


def choose_mode(
    conversation: Conversation,
    request: TurnRequest,
    agent: AgentProfile,
    pending: Preview | None = None,
    confirmed: Handoff | None = None,
) -> tuple[ModeRecord, str | None]:
    """Return the mode, and why the run must not change workflows; None when it may.

    A mode that somebody set wins: the request's, then the agent's own, then the conversation's.
    A yes to a preview that waits for one is the change that was shown; a yes to what another agent offered
    and may not do is a change too.
    """
    if request.mode is not None:
        return _set_by(request.mode, "request")
    if agent.mode is not None:
        return _set_by(agent.mode, "agent")
    if conversation.mode_override is not None:
        return _set_by(conversation.mode_override, "conversation")
    if pending is not None and answer_in(request.message) == "yes":
        signals = (f"modification: confirms the preview of {pending.workflow_name!r}",)
        return ModeRecord(name="modification", confidence=1.0, signals=signals, source="inferred"), None
    if confirmed is not None and confirmed.to == agent.name:
        signals = (f"modification: confirms what {confirmed.by} offered",)
        return ModeRecord(name="modification", confidence=1.0, signals=signals, source="inferred"), None
    decision = mode_asked_for(conversation, request.message, workflow_id=request.workflow_id)
    record = ModeRecord(
        name=decision.mode, confidence=decision.confidence, signals=decision.signals, source="inferred"
    )
    most_writing = max(decision.scores[mode] for mode in WRITING_MODES)
    if answers_back(conversation, request.message):
        return record, None
    if decision.mode in ("search", "analysis") and most_writing <= _CLEARLY * decision.scores[decision.mode]:
        return record, "the message asks a question: nothing in it asks for a change."
    return record, None


def _set_by(mode: Mode, source: Literal["request", "agent", "conversation"]) -> tuple[ModeRecord, str | None]:
    record = ModeRecord(name=mode, confidence=1.0, signals=(f"set by the {source}",), source=source)
    refused = None if mode in WRITING_MODES else f"the {source} set the mode to {mode!r}."
    return record, refused
