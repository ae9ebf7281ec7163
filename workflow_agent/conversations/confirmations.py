"""Whether a message answers the preview that the reply before it ended with."""

import re
from typing import Final, Literal

from workflow_agent.conversations.document import AgentReply, Conversation, UserMessage
from workflow_agent.workflows.previews import Preview

_MOST_CHARS: Final = 80
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
_AROUND: Final = frozenset({
    "please", "it", "that", "this", "them", "all", "ahead", "thanks", "thank", "you", "the", "change",
    "changes", "so", "then", "now", "just", "of", "course", "for", "me", "mind", "to", "as", "is", "edits",
    "preview", "really", "let's", "and", "delete", "fix", "remove", "restore",
})  # fmt: skip


def answer_in(message: str) -> Literal["yes", "no"] | None:
    """Return "yes" or "no" when a message is that and nothing else."""
    text = message.strip().casefold().replace("\u2019", "'")
    words = _WORD.findall(text)
    if not words or len(text) > _MOST_CHARS or "?" in text or re.search(r"\d", text):
        return None
    if not all(word in _YES or word in _NO or word in _AROUND for word in words):
        return None
    if any(word in _NO for word in words):
        return "no"
    return "yes" if any(word in _YES for word in words) else None


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
