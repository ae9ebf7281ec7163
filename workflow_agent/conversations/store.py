"""Conversations: kept, changed by one writer at a time, and found."""

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from workflow_agent.conversations.archive import Position, SealedTurns
from workflow_agent.conversations.call_history import CallRecord
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.iterations import Iteration
from workflow_agent.conversations.periods import Period
from workflow_agent.conversations.redaction import Redaction
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.seals import SealedPart
from workflow_agent.values.stored import JsonObject, RunFence


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
    unreadable: tuple[str, ...] = ()
    """What should be a conversation and cannot be read; it is in no page."""


@dataclass(frozen=True, slots=True)
class MessageQuery:
    """Which messages to find: those that hold every word of a text, as they are or within longer ones."""

    text: str
    conversation_id: str | None = None
    """Where to look; None is in all conversations."""
    limit: int = 20
    offset: int = 0
    """How many of the hits to pass over."""
    is_ranked: bool = False
    """Whether messages that hold some of the words are found too, best first, rather than newest first."""
    with_neighbours: bool = False
    """Whether ranked messages may hold none of the words, for what those beside them say."""
    periods: tuple[Period, ...] = ()
    """Where given, only what was said in one of these; a text without a word finds all of it, newest first."""


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


class RunFences(Protocol):
    """Decides which attempt at a run may write, wherever it writes."""

    def held(self, tenant: str, fence: RunFence) -> AbstractContextManager[None]:
        """Keep the attempt the run's as long as the block lasts: no other begins, and it is not ended.

        Blocks; what is done within it must be short, and must not change the conversation.

        Raises:
            StaleRun: Another attempt has begun, the run has ended, or the conversation is gone.
        """
        ...


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

    async def redact(self, tenant: str, conversation_id: str, gone: Redaction) -> bool:
        """Take what somebody wants forgotten out of a conversation; say whether any was there.

        Events, records, sealed turns, contents and the index of messages: afterwards no file holds it.

        Raises:
            ConversationNotFound: No such conversation.
            StorageFailed: It could not be done; done again it goes on.
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

    async def listed(self, tenant: str, conversation_id: str, index: SealedTurns) -> Sequence[SealedTurns]:
        """Return the entries that a file of the archive stands for, oldest first.

        Raises:
            ConversationNotFound: No such conversation.
            CorruptDocument: The file is missing or is not what was stored.
        """
        ...

    async def put_blob(self, tenant: str, conversation_id: str, content: Any, fence: RunFence | None = None) -> str:
        """Keep JSON data for a conversation, durably once this returns; return its `sha256:…` reference.

        Equal data with its keys in the same order has the same reference, is kept once, and is read back
        in that order. The conversation need not be stored yet:
        what is referred to has to be there before whoever refers to it.

        Raises:
            StaleRun: The attempt that writes is not its run's any more.
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


class Owners(Protocol):
    """Knows which server processes are alive, and which conversations the dead ones worked on."""

    @property
    def owner(self) -> str:
        """Return the id of this process."""
        ...

    def is_alive(self, owner: str) -> bool:
        """Say whether the process with this owner id still runs, and nobody else has its runs."""
        ...

    async def last_seen(self, owner: str) -> datetime | None:
        """Return the last sign of life of a process, or None where none is left."""
        ...

    def was_lost_with(self, owner: str) -> bool:
        """Say whether this process was cut off when that one was: then neither died, and the database was away."""
        ...

    def beat(self) -> None:
        """Give a sign of life of this process."""
        ...

    def note(self, tenant: str, conversation_id: str) -> None:
        """Remember that this process works on a conversation, should it die."""
        ...

    def settle(self, tenant: str, conversation_id: str) -> None:
        """Take back one `note`: the work on the conversation has ended."""
        ...

    async def abandoned(self) -> Sequence[tuple[str, str]]:
        """Return tenant and id of the conversations that dead processes worked on."""
        ...

    async def running(self, tenant: str) -> int:
        """Return in how many conversations of a tenant a run is under way, as far as the store knows.

        On a data directory those of this process.
        """
        ...

    def report(self, tenant: str, conversation_id: str) -> None:
        """Let `abandoned` name a conversation too: it was met with a run that nobody works on."""
        ...

    async def forget_abandoned(self) -> None:
        """Forget the dead processes whose conversations were seen to, and what was reported."""
        ...

    async def working_on(self) -> Sequence[tuple[str, str, str]] | None:
        """Return tenant, conversation and run of all that this process is on record to work on.

        None where that need not be asked: nobody but the process itself ends its runs while it is alive.
        """
        ...


class ProcessGone(Exception):
    """Another server process does not answer, or ended before its answer did."""


class OtherProcesses(Protocol):
    """Asks other server processes on the same data about what only they have in memory."""

    def answers(self, owner: str, question: JsonObject) -> AsyncGenerator[JsonObject]:
        """Yield what a process answers, piece by piece, until its answer is complete.

        What a process does not understand, it answers with nothing.

        Raises:
            ProcessGone: It cannot be reached, or it ended before its answer did.
        """
        ...


@dataclass(frozen=True, slots=True)
class LeftBehind:
    """What a run that ended from outside left: its iterations as they stood, the records of ended calls."""

    iterations: Sequence[Iteration] = ()
    calls: Sequence[CallRecord] = ()
    last_seen: datetime | None = None
    """The last sign of life of its process; None where none is left."""
    responses: Sequence[bytes] = ()
    """What the model said in the run's first steps, in this attempt or before, as the assistant writes it."""


class RunJournal(Protocol):
    """Keeps what a run has come to while it goes on, for the case that its process is killed."""

    async def keep(
        self, tenant: str, run: Run, iteration: Iteration, calls: Iterable[CallRecord], response: bytes | None = None
    ) -> None:
        """Keep an iteration as it stands and the records so far; what cannot be kept fails nothing.

        A response of the model that was kept with the iteration before stays, where none comes with it.

        It outlives the process, not necessarily the machine: nothing was promised to anybody yet.
        """
        ...

    async def left_by(self, tenant: str, run: Run) -> LeftBehind:
        """Return what was kept of this attempt at a run."""
        ...

    async def forget(self, tenant: str, run: Run) -> None:
        """Let go of what was kept: the run's evidence is in its conversation."""
        ...
