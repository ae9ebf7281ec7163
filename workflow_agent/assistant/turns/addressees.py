"""Whom a message is for: the agents it names, or the one it goes on talking to."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from workflow_agent.assistant.modes.conversation_mode import (
    answer_in,
    answers_back,
    confirmed_offer,
    may_ask,
    mode_asked_for,
)
from workflow_agent.assistant.modes.reader import read
from workflow_agent.assistant.modes.shape import dependence
from workflow_agent.assistant.requests import TurnRequest
from workflow_agent.conversations.agents import WRITING, AgentProfile, Mode, Roster, only_reads
from workflow_agent.conversations.document import Conversation, ModeRecord, SystemEvent
from workflow_agent.conversations.transitions import Handoff, current_agent, handoff_in
from workflow_agent.workflows.previews import Preview

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_MENTION = re.compile(r"(?<![\w@./:+-])@([A-Za-z][A-Za-z0-9_-]{0,63})(?![\w@/(]|\.\w)")
_HANDLE = re.compile(
    r"\b(?:notify|tell|inform|ping|alert|remind|email|mail|message|cc|by|from|in|for|with|via|on|at|to)\s+$",
    re.IGNORECASE,
)
"""Before a name nobody here has: somebody outside whom the message is about, not for."""
_REFERS = re.compile(r"\b(?:this|that|it|its|they|them|their|these|those|there|he|she)\b", re.IGNORECASE)
_LEANS = 0.95
_LEANS_AND_REFERS = 0.6
_READ_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class Mentions:
    """The names after an `@` in a message, each once, in order."""

    agents: tuple[str, ...]
    unknown: tuple[str, ...]
    """Names that nobody has, where the message speaks to them."""


def mentions_in(message: str, roster: Collection[str]) -> Mentions:
    """Return who a message mentions; e-mail addresses and code mention nobody."""
    text = _CODE.sub(" ", message)
    known: list[str] = []
    unknown: list[str] = []
    for match in _MENTION.finditer(text):
        if (name := match[1].lower()) in roster:
            known.append(name)
        elif not _HANDLE.search(text[max(match.start() - 20, 0) : match.start()]):
            unknown.append(match[1])
    return Mentions(tuple(dict.fromkeys(known)), tuple(dict.fromkeys(unknown)))


def agents_for(
    conversation: Conversation, message: str, roster: Roster, *, asked_for: str | None = None
) -> tuple[str, ...]:
    """Return who answers a message to a conversation, in order: whom it is sent to, whom it names, or who has the word.

    Without a name, a message that goes on from the one before stays with the agent that last spoke, unless
    it asks for a change and that agent only reads; the first after a handoff is for whom it was handed to;
    any other is for the default agent, the first of the roster.
    """
    if asked_for is not None:
        return (asked_for,)
    mentions = mentions_in(message, roster)
    default = next(iter(roster))
    if mentions.agents or mentions.unknown:
        return mentions.agents or (default,)
    now = current_agent(conversation, roster)
    if now is not None and (_was_just_handed_over(conversation) or _is_for(now, roster, conversation, message)):
        return (now,)
    return (default,)


def _is_for(speaker: str, roster: Roster, conversation: Conversation, message: str) -> bool:
    """Say whether a message goes on with who spoke last, and asks for nothing that one could not do."""
    if not is_follow_up(message):
        return False
    return not only_reads(roster, speaker) or mode_asked_for(conversation, message).mode not in WRITING


def is_follow_up(message: str) -> bool:
    """Say whether a message goes on from the one before: a bare answer, or one that points back."""
    leaning = dependence(read(message[:_READ_CHARS]))
    return leaning >= (_LEANS_AND_REFERS if _REFERS.search(message[:_READ_CHARS]) else _LEANS)


def _was_just_handed_over(conversation: Conversation) -> bool:
    """Say whether nobody has answered since the conversation was handed over."""
    for event in reversed(conversation.events):
        if handoff_in(event) is not None:
            return True
        if not isinstance(event, SystemEvent) and event.type == "agent_reply":
            return False
    return False


def roster_answer(unknown: Sequence[str], roster: Sequence[tuple[str, str]]) -> str:
    """Return what to say to a message for somebody who is not there: who is."""
    names = ", ".join(f"@{name}" for name in unknown)
    listed = "\n".join(f"- `@{name}`: {description}" for name, description in roster)
    return f"There is no {names} here. You can ask:\n\n{listed}"


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
    record = ModeRecord(name=decision.mode, confidence=decision.confidence, signals=decision.signals, source="inferred")
    most_writing = max(decision.scores[mode] for mode in WRITING)
    reads = decision.mode in ("search", "analysis")
    is_question = reads and most_writing <= _CLEARLY * decision.scores[decision.mode]
    asks = is_question and may_ask(request.message, decision)
    if asks and not answers_back(conversation, request.message):
        return record, "the message asks a question: nothing in it asks for a change."
    return record, None


def _set_by(mode: Mode, source: Literal["request", "agent", "conversation"]) -> tuple[ModeRecord, str | None]:
    record = ModeRecord(name=mode, confidence=1.0, signals=(f"set by the {source}",), source=source)
    refused = None if mode in WRITING else f"the {source} set the mode to {mode!r}."
    return record, refused
