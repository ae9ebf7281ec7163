"""The mode a message asks for, with what its conversation says about that."""

import re
from dataclasses import replace
from typing import Final

from workflow_agent.assistant.modes.inference import ModeDecision, infer_mode
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.modes import WRITING

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


def mode_asked_for(conversation: Conversation, message: str, *, workflow_id: str | None = None) -> ModeDecision:
    """Return the mode that a message asks for, with the reasons.

    Args:
        conversation: Before the message.
        message: What was said.
        workflow_id: The workflow it was sent about, beside the conversation's own.
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
    return not message.rstrip().endswith("?") and _ASKS_FIRST.match(message[:_MOST_CHARS].strip()) is None


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
