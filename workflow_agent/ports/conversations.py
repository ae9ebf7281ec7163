"""Conversations: kept, changed by one writer at a time, and found."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from workflow_agent.domain.archive import Position
from workflow_agent.domain.conversation import Conversation
from workflow_agent.domain.sealing import SealedPart


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """A conversation as a list shows it."""

    id: str
    title: str
    phase: str
    version: int
    turns: int
    created_at: datetime
    updated_at: datetime
    bound_workflow_id: str | None


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """Some conversations, newest first, and where to go on."""

    items: tuple[ConversationSummary, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class MessageQuery:
    """Which messages to find: those that hold every word of a text, as they are or within longer ones."""

    text: str
    conversation_id: str | None = None
    """Where to look; None is in all conversations."""
    limit: int = 20
    offset: int = 0
    """How many of the hits to pass over."""


@dataclass(frozen=True, slots=True)
class MessageHit:
    """A message that was found: where it is, and the piece of it around the first word."""

    conversation_id: str
    title: str
    turn: int
    index: int
    event_id: str
    type: str
    author: str
    at: str
    run_id: str | None
    snippet: str


class ConversationStore(Protocol):
    """Keeps conversations, each changed by one writer at a time, also across processes."""

    async def create(self, conversation: Conversation) -> Conversation:
        """Store a new conversation durably; return it at version 1.

        Raises:
            AlreadyExists: The id is taken.
            StorageFailed: It could not be stored; nothing is there.
        """
        ...

    async def load(self, tenant: str, conversation_id: str) -> Conversation:
        """Return the conversation as last saved.

        Raises:
            ConversationNotFound: No such conversation.
            CorruptDocument: The file does not parse; it was set aside.
        """
        ...

    async def update(
        self, tenant: str, conversation_id: str, change: Callable[[Conversation], Conversation]
    ) -> Conversation:
        """Apply a pure change to the newest state, alone, and store the result durably.

        Returns the stored conversation, one version up; a change that returns its very argument
        stores nothing. What `change` raises reaches the caller, and nothing is stored.

        Raises:
            ConversationNotFound: No such conversation.
            StorageFailed: It could not be stored; the old state is what a reader finds.
        """
        ...

    async def delete(self, tenant: str, conversation_id: str) -> None:
        """Remove the conversation and all that belongs to it.

        Raises:
            ConversationNotFound: No such conversation.
        """
        ...

    async def sealed(self, tenant: str, conversation_id: str, position: Position) -> SealedPart:
        """Return the turns that were moved out of a conversation, those around a turn, an event or a call.

        A save moves compacted turns out of a long conversation, oldest first, so that it costs the
        same however long the conversation is; `Conversation.archive` says which. Reading a position
        reads the one file that holds it.

        Raises:
            ConversationNotFound: No such conversation.
            NotFound: What is at this position was not moved out, or is not there.
            CorruptDocument: The file is missing or is not what was stored.
        """
        ...

    async def put_blob(self, tenant: str, conversation_id: str, content: Any) -> str:
        """Keep JSON data for a conversation, durably once this returns; return its `sha256:…` reference.

        Equal data has the same reference and is kept once. The conversation need not be stored yet:
        what is referred to has to be there before whoever refers to it.

        Raises:
            StorageFailed: It could not be stored.
        """
        ...

    async def blob(self, tenant: str, conversation_id: str, content_ref: str) -> Any:
        """Return the JSON data a reference stands for.

        Raises:
            ContentNotFound: The conversation keeps nothing under this reference.
            CorruptDocument: What is kept is not what was stored; it was set aside.
        """
        ...

    async def page(
        self, tenant: str, *, query: str = "", cursor: str | None = None, limit: int = 50
    ) -> ConversationPage:
        """Return conversations by latest change first, optionally those whose title or messages hold `query`.

        Raises:
            InvalidInput: The cursor was not made by this method.
        """
        ...

    async def find(self, tenant: str, query: MessageQuery) -> Sequence[MessageHit]:
        """Return messages that hold every word of a query, whatever its case, newest first.

        Sealed turns are searched like all others. A text without a word finds nothing.

        Raises:
            ConversationNotFound: The conversation to look in is not there.
        """
        ...
