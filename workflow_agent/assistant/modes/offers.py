"""A yes to a change that was offered by an agent that may not make it: who takes it over."""

import re

from workflow_agent.assistant.modes.inference import infer_mode
from workflow_agent.conversations.agents import DEFAULT_AGENT, Roster, only_reads
from workflow_agent.conversations.confirmations import answer_in
from workflow_agent.conversations.document import AgentReply, Conversation, SystemEvent, UserMessage
from workflow_agent.conversations.handoffs import Handoff, handoff_in
from workflow_agent.conversations.modes import WRITING, Mode

_LAST_CHARS = 600
_WANTED_CHARS = 300
_SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n+")
_ASKS = re.compile(
    r"^(?:so,? |then |and |if you (?:like|want),? )*"
    r"(?:(?:shall|should|may|can|could) i|(?:(?:do )?you )?want me to|would you like me to)\b",
    re.IGNORECASE,
)
_MAY = re.compile(r"^i (?:can|could|would|will|'ll) ", re.IGNORECASE)
_IT_ALONE = re.compile(r"(?:do )?(?:it|that|this|so|them)?(?: now| for you)?", re.IGNORECASE)


def confirmed_offer(conversation: Conversation, message: str, roster: Roster) -> Handoff | None:
    """Return the handoff that a message brings about, or None.

    It does where it says yes to nothing but the latest reply, which ended by offering a change, and the agent
    that offered it only ever reads: the change is then for whom it is the field of, or the default agent.

    Args:
        conversation: Before the message.
        message: What was said.
        roster: Who there is.
    """
    spoken = (event for event in reversed(conversation.events) if not isinstance(event, SystemEvent))
    reply = next(spoken, None)
    if not isinstance(reply, AgentReply) or not only_reads(roster, reply.author):
        return None
    if answer_in(re.sub(rf"@{re.escape(reply.author)}\b", "", message, flags=re.IGNORECASE)) != "yes":
        return None
    wanted = offered_in(reply.content)
    mode = infer_mode(wanted, previous_tools=(), phase="chat", workflow_loaded=True).mode
    if not wanted or mode not in WRITING:
        return None
    return Handoff(
        by=reply.author,
        to=_whose_field(roster, mode),
        summary=f"The user said yes to: {wanted}",
        reason=f"the user wants the change, and {reply.author} changes nothing",
        confirms=wanted,
    )


def carried_out(conversation: Conversation, message: UserMessage) -> Handoff | None:
    """Return the handoff that a message brought about, or None: it stands right before the message."""
    before = (event for event in reversed(conversation.events) if event.index < message.index)
    handoff = handoff_in(next(before, None))
    return handoff if handoff is not None and handoff.confirms else None


def _whose_field(roster: Roster, mode: Mode) -> str:
    return next((profile.name for profile in roster.values() if profile.mode == mode), DEFAULT_AGENT)


def offered_in(reply: str) -> str:
    """Return what a reply ends by offering, as one would ask for it; empty where it offers nothing."""
    sentences = [one.strip(" *_`") for one in _SENTENCE.split(reply.strip()[-_LAST_CHARS:])]
    if not sentences[-1].endswith("?") or not _ASKS.match(sentences[-1]):
        return ""
    wanted = _ASKS.sub("", sentences[-1]).strip(" ?")
    if _IT_ALONE.fullmatch(wanted):
        wanted = _MAY.sub("", sentences[-2]).strip(" .") if len(sentences) > 1 else ""
    return wanted[:_WANTED_CHARS]
