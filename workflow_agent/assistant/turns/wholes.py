"""A whole conversation at once: with its sealed turns, and the contents that it keeps apart."""

from collections.abc import Mapping
from typing import Any

from workflow_agent.conversations.archive import Position
from workflow_agent.conversations.content_refs import kept_apart
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.seals import SealedPart
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.conversations.verification import Whole
from workflow_agent.errors import ContentNotFound


async def whole_of(store: ConversationStore, tenant: str, conversation_id: str) -> Whole:
    """Return a conversation with all its sealed parts.

    Raises:
        ConversationNotFound: There is none.
        CorruptDocument: A part of it is missing or damaged.
    """
    conversation = await store.load(tenant, conversation_id)
    parts: list[SealedPart] = []
    turn = 1
    while turn <= conversation.sealed_turns:
        parts.append(await store.sealed(tenant, conversation_id, Position("turn", turn)))
        turn = parts[-1].last_turn + 1
    return Whole(conversation, parts)


async def contents_of(store: ConversationStore, tenant: str, whole: Whole) -> Mapping[str, Any]:
    """Return the contents that a conversation keeps apart, by reference; one that is lost is missing."""
    found: dict[str, Any] = {}
    for reference in sorted(kept_apart(whole.events, whole.runs, whole.conversation.attachments)):
        try:
            found[reference] = await store.blob(tenant, whole.conversation.id, reference)
        except ContentNotFound:
            # Lost before: what refers to it says so to whoever asks.
            continue
    return found


async def created_with(
    store: ConversationStore, conversation: Conversation, contents: Mapping[str, Any]
) -> Conversation:
    """Return a new conversation as stored, its contents first: nothing refers to what is not there.

    Raises:
        AlreadyExists: The id is taken.
    """
    for reference in sorted(kept_apart(conversation.events, conversation.runs, conversation.attachments)):
        if reference in contents:
            await store.put_blob(conversation.tenant, conversation.id, contents[reference])
    return await store.create(conversation)
