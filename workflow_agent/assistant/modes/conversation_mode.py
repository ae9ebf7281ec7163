"""The mode a message asks for with what its conversation says about that, and what the message answers in it."""

import re
from dataclasses import replace
from typing import Final, Literal

from workflow_agent.assistant.modes.inference import ModeDecision, infer_mode
from workflow_agent.conversations.agents import DEFAULT_AGENT, WRITING, Roster, only_reads
from workflow_agent.conversations.document import AgentReply, Conversation, SystemEvent, UserMessage
from workflow_agent.conversations.transitions import Handoff, handoff_in
from workflow_agent.workflows.previews import Preview

_MOST_CHARS: Final = 200
_PICK: Final = re.compile(
    r"(?:(?:the|number|no\.?|option|#) ?){0,3}"
    r"(?:\d{1,2}(?:st|nd|rd|th)?|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last"
    r"|former|latter)(?: (?:one|option|workflow|step))?"
)
_NAMED: Final = re.compile(r"\*\*([^*\n]{1,200})\*\*|`([^`\n]{1,100})`")
_ASKS_FIRST: Final = re.compile(
    r"(?:and |but |so |ok |okay |please )*(?:who|whose|what|what's|when|where|which|why|how|is|are|was|were"
    r"|do|does|did|has|have|can|could|will|would|should|list|show|find|search|explain|describe|compare|check|tell)\b",
    re.IGNORECASE,
)
_AROUND: Final = re.compile(r"^(?:(?:the|our|my|please) )+|,? please$")
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


def mode_asked_for(conversation: Conversation, message: str, *, workflow_id: str | None = None) -> ModeDecision:
    """Return the mode that a message asks for, with the reasons.

    The conversation is that before the message; a workflow may be what it was sent about, beside the one that is open.
    """
    previous = conversation.last_reply()
    decision = infer_mode(
        message,
        previous_tools=previous.tools_used if previous else (),
        phase=conversation.phase,
        workflow_loaded=bool(workflow_id or conversation.bound_workflow_id),
    )
    if previous is None or not picks_one(previous.content, message):
        return decision
    # It says nothing by itself: what it is about was said before the question.
    mode = previous.mode.name
    return replace(
        decision,
        mode=mode,
        confidence=1.0,
        signals=(f"{mode}: picks one of what turn {previous.turn} asked about",),
        scores={**decision.scores, mode: max(decision.scores.values())},
    )


def answers_back(conversation: Conversation, message: str) -> bool:
    """Say whether a message may answer what was asked about a change: it says something and asks nothing.

    "The one for contracts" behind "Which one shall get the review?" belongs to an order, whatever its words
    alone would be.
    """
    previous = conversation.last_reply()
    if previous is None or previous.mode.name not in WRITING or not _asks(previous.content):
        return False
    return not _begins_or_ends_asking(message)


def may_ask(message: str, decision: ModeDecision) -> bool:
    """Say whether a message that is taken for reading asks for that, and is no order in words nobody knows.

    "The intern does it" asks nothing, though most messages with its words do.
    """
    return decision.is_said or _begins_or_ends_asking(message)


def _begins_or_ends_asking(message: str) -> bool:
    return message.rstrip().endswith("?") or _ASKS_FIRST.match(message[:_MOST_CHARS].strip()) is not None


def _asks(reply: str) -> bool:
    """Say whether a reply begins or ends with a question; a list may stand before or behind it."""
    lines = [line.strip(" *_") for line in reply.splitlines() if line.strip()]
    return any(line.endswith("?") for line in (*lines[:1], *lines[-1:]))


def picks_one(reply: str, message: str) -> bool:
    """Say whether a message only picks one of what a reply asked about: by number, place or name.

    "2", "the second one" and "Contract signing" behind "Which one do you mean?" are neither questions nor
    orders; their words alone would make them a search.
    """
    if not _asks(reply) or len(message) > _MOST_CHARS:
        return False
    plain = " ".join(message.lower().split()).strip(" .!\"'“”`*")
    bare = _AROUND.sub("", plain)
    if _PICK.fullmatch(bare):
        return True
    return bare in {(found[1] or found[2]).lower() for found in _NAMED.finditer(reply)}


def confirmed_offer(conversation: Conversation, message: str, roster: Roster) -> Handoff | None:
    """Return the handoff that a message brings about in the conversation before it, or None.

    It does where it says yes to nothing but the latest reply, which ended by offering a change, and the agent
    that offered it only ever reads: the change is then for whom it is the field of, or the default agent.
    """
    reply = next((event for event in reversed(conversation.events) if not isinstance(event, SystemEvent)), None)
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
        to=next((profile.name for profile in roster.values() if profile.mode == mode), DEFAULT_AGENT),
        summary=f"The user said yes to: {wanted}",
        reason=f"the user wants the change, and {reply.author} changes nothing",
        confirms=wanted,
    )


def carried_out(conversation: Conversation, message: UserMessage) -> Handoff | None:
    """Return the handoff that a message brought about, or None: it stands right before the message."""
    before = (event for event in reversed(conversation.events) if event.index < message.index)
    handoff = handoff_in(next(before, None))
    return handoff if handoff is not None and handoff.confirms else None


def offered_in(reply: str) -> str:
    """Return what a reply ends by offering, as one would ask for it; empty where it offers nothing."""
    sentences = [one.strip(" *_`") for one in _SENTENCE.split(reply.strip()[-_LAST_CHARS:])]
    if not sentences[-1].endswith("?") or not _ASKS.match(sentences[-1]):
        return ""
    wanted = _ASKS.sub("", sentences[-1]).strip(" ?")
    if _IT_ALONE.fullmatch(wanted):
        wanted = _MAY.sub("", sentences[-2]).strip(" .") if len(sentences) > 1 else ""
    return wanted[:_WANTED_CHARS]


_MOST_ANSWER_CHARS: Final = 80
_WORD: Final = re.compile(r"[a-zà-ÿ']+")
_YES: Final = frozenset({
    "yes", "yeah", "yep", "yup", "sure", "ok", "okay", "y", "do", "apply", "confirm", "confirmed",
    "proceed", "go", "absolutely", "definitely", "certainly", "ja", "oui", "si", "sí", "agreed", "accept",
})  # fmt: skip
_NO: Final = frozenset({
    "no", "nope", "nah", "n", "don't", "dont", "not", "never", "cancel", "drop", "stop", "forget", "leave",
    "discard", "abort", "nein", "non", "reject", "keep",
})  # fmt: skip
# A verb by itself is an order of its own, and no answer: "delete it" is none, "yes, delete it" is one.
_BESIDE_ANSWER: Final = frozenset({
    "please", "it", "that", "this", "them", "all", "ahead", "thanks", "thank", "you", "the", "change",
    "changes", "so", "then", "now", "just", "of", "course", "for", "me", "mind", "to", "as", "is", "edits",
    "preview", "really", "let's", "and", "delete", "fix", "remove", "restore",
})  # fmt: skip


def answer_in(message: str) -> Literal["yes", "no"] | None:
    """Return "yes" or "no" when a message is that and nothing else."""
    text = message.strip().casefold().replace("\u2019", "'")
    words = set(_WORD.findall(text))
    if not words or len(text) > _MOST_ANSWER_CHARS or "?" in text or re.search(r"\d", text):
        return None
    if not words <= _YES | _NO | _BESIDE_ANSWER:
        return None
    if words & _NO:
        return "no"
    return "yes" if words & _YES else None


def pending_preview(conversation: Conversation, message: UserMessage) -> Preview | None:
    """Return the preview that a message may confirm, or None.

    It is the one of the latest reply. Any message in between lets it expire, but for a yes whose run came to
    no reply: that one may be said again.
    """
    waiting = reply_that_waits(conversation, message.index)
    return waiting.preview if waiting is not None else None


def reply_that_waits(conversation: Conversation, before_index: int) -> AgentReply | None:
    """Return the reply that a message with this number would answer; its preview could be confirmed."""
    for event in reversed(conversation.events):
        if event.index >= before_index:
            continue
        if isinstance(event, AgentReply):
            return event
        if isinstance(event, UserMessage) and answer_in(event.content) != "yes":
            return None
    return None
