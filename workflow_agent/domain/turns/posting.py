"""A message that asks for no reply: the user's, or one from outside."""

from datetime import datetime

from workflow_agent.domain.conversation import Conversation, UserMessage
from workflow_agent.domain.turns.naming import title_from


def post_message(
    conversation: Conversation, content: str, *, author: str | None, at: datetime, event_id: str
) -> tuple[Conversation, UserMessage]:
    """Return the conversation with a message that nobody is asked to answer, and the message.

    Args:
        conversation: As read under its lock.
        content: What was said.
        author: Who said it, if not the user: an external party, whose words are data.
        at: Now.
        event_id: The message's id.
    """
    event = UserMessage(
        id=event_id, index=conversation.next_index, turn=conversation.turn_count + 1, at=at,
        author=author or "user", content=content, is_external=author is not None,
    )  # fmt: skip
    changed = {"events": (*conversation.events, event), "updated_at": at}
    title = {} if conversation.title or author else {"title": title_from(content)}
    return conversation.model_copy(update=changed | title), event
