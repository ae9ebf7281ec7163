"""Whether a request was sent before.

Official clients send a request again after a timeout or a broken connection, without any idempotency
key. Such a request is known by its content and its conversation.
"""

from datetime import datetime, timedelta

from workflow_agent.api.openai.asking import Ask
from workflow_agent.domain.conversation import Conversation
from workflow_agent.domain.records import leading_in
from workflow_agent.domain.runs import Run

RESEND_WINDOW = timedelta(seconds=10)
"""How long an equal message without any history is taken for the same one; people repeat themselves later."""


def key_of(conversation: Conversation, ask: Ask, now: datetime) -> str:
    """Return the key of the turn: that of the latest one where this is the same request again."""
    latest = _latest(conversation)
    if latest is not None and asked_last(conversation, ask) and _is_same(conversation.runs[-1], ask, now):
        return str(latest.key)
    return f"{_stem(ask)}.{conversation.turn_count + 1}"


def _latest(conversation: Conversation) -> Run | None:
    """Return the run that has the key of the latest turn: the first of those that answer its message."""
    return leading_in(conversation, conversation.runs[-1]) if conversation.runs else None


def _is_same(newest: Run, ask: Ask, now: datetime) -> bool:
    if newest.status == "cancelled" and not ask.is_repeated:
        # Somebody stopped it, and asks again.
        return False
    # With the whole history in it, an equal request can only be the same one.
    if ask.is_repeated or ask.script.earlier or newest.completed_at is None:
        return True
    return now - newest.completed_at < RESEND_WINDOW


def asked_last(conversation: Conversation, ask: Ask) -> bool:
    """Say whether the latest turn of a conversation was begun by an equal request."""
    latest = _latest(conversation)
    return latest is not None and (latest.key or "").startswith(_stem(ask))


def _stem(ask: Ask) -> str:
    return f"openai.{ask.digest()}"
