"""Which mode leads a turn, and whether the run may change a workflow at all."""

from typing import Literal

from workflow_agent.agent.workflow_context import WRITING_MODES
from workflow_agent.chat.requests import TurnRequest
from workflow_agent.domain.agents import AgentProfile
from workflow_agent.domain.conversation import AgentReply, Conversation, ModeRecord
from workflow_agent.domain.modes import Mode, infer_mode

_CLEARLY = 0.5
"""A reading mode is certain when no writing mode scores more than this share of what it does."""


def choose_mode(
    conversation: Conversation, request: TurnRequest, agent: AgentProfile
) -> tuple[ModeRecord, str | None]:
    """Return the mode, and why the run must not change workflows; None when it may.

    A mode that somebody set wins: the request's, then the agent's own, then the conversation's.
    """
    if request.mode is not None:
        return _set_by(request.mode, "request")
    if agent.mode is not None:
        return _set_by(agent.mode, "agent")
    if conversation.mode_override is not None:
        return _set_by(conversation.mode_override, "conversation")
    previous = next((e for e in reversed(conversation.events) if isinstance(e, AgentReply)), None)
    decision = infer_mode(
        request.message,
        previous_tools=previous.tools_used if previous else (),
        phase=conversation.phase,
        workflow_loaded=bool(request.workflow_id or conversation.bound_workflow_id),
    )
    record = ModeRecord(
        name=decision.mode, confidence=decision.confidence, signals=decision.signals, source="inferred"
    )
    most_writing = max(decision.scores[mode] for mode in WRITING_MODES)
    if decision.mode in ("search", "analysis") and most_writing <= _CLEARLY * decision.scores[decision.mode]:
        return record, "the message asks a question: nothing in it asks for a change."
    return record, None


def _set_by(mode: Mode, source: Literal["request", "agent", "conversation"]) -> tuple[ModeRecord, str | None]:
    record = ModeRecord(name=mode, confidence=1.0, signals=(f"set by the {source}",), source=source)
    refused = None if mode in WRITING_MODES else f"the {source} set the mode to {mode!r}."
    return record, refused
