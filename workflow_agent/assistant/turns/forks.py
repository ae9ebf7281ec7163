"""A whole conversation at once: with its sealed turns, and the contents that it keeps apart."""

from collections.abc import Mapping
from typing import Any

from workflow_agent.conversations.archive import Position
from workflow_agent.conversations.content_refs import kept_apart
from workflow_agent.conversations.document import Conversation, SystemEvent
from workflow_agent.conversations.fork import NewFork, forked
from workflow_agent.conversations.seals import SealedPart
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.conversations.verification import Whole
from workflow_agent.errors import ContentNotFound, NotFound


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


async def fork(store: ConversationStore, tenant: str, whole: Whole, new: NewFork) -> Conversation:
    """Return a new conversation, as stored, that holds another one up to an event.

    Raises:
        AlreadyExists: The id is taken.
    """
    contents = await contents_of(store, tenant, whole)
    return await created_with(store, forked(whole, new), contents)


def index_of_event(whole: Whole, event_id: str) -> int:
    """Return the number of an event by its id.

    Raises:
        NotFound: There is none.
    """
    found = next((event.index for event in whole.events if event.id == event_id), None)
    if found is None:
        raise NotFound(f"Conversation {whole.conversation.id!r} has no event {event_id[:80]!r}.")
    return found


def index_of_number(whole: Whole, number: int) -> int:
    """Return the number of an event that there is.

    Raises:
        NotFound: There is none.
    """
    if not 0 <= number < len(whole.events):
        raise NotFound(
            f"Conversation {whole.conversation.id!r} has no event number {number}.", events=len(whole.events)
        )
    return number


def index_of_turn(whole: Whole, turn: int) -> int:
    """Return the number of the last event of a turn.

    Raises:
        NotFound: There is no such turn.
    """
    of_turn = [event.index for event in whole.events if not isinstance(event, SystemEvent) and event.turn == turn]
    if not of_turn:
        raise NotFound(
            f"Conversation {whole.conversation.id!r} has no turn {turn}.", turns=whole.conversation.turn_count
        )
    return max(of_turn)
