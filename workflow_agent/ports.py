"""What the application needs from whatever keeps something; one contract suite each in tests/contracts."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from workflow_agent.domain.conversation import Conversation
from workflow_agent.domain.values import JsonObject, Moment, Value
from workflow_agent.domain.workflow import Workflow


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

    async def page(
        self, tenant: str, *, query: str = "", cursor: str | None = None, limit: int = 50
    ) -> ConversationPage:
        """Return conversations by latest change first, optionally those whose title or messages hold `query`.

        Raises:
            InvalidInput: The cursor was not made by this method.
        """
        ...


class Author(Value):
    """Who changed a workflow."""

    user: str = "user"
    agent: str | None = None
    mode: str | None = None
    run_id: str | None = None
    attempt: int | None = None
    conversation_id: str | None = None


class WorkflowVersion(Value):
    """One version of a workflow: what changed, by whom, and the whole document."""

    workflow_id: str
    version: int
    at: Moment
    author: Author
    action: str
    """created, edited, replaced, imported, restored or undone"""
    summary: tuple[str, ...] = ()
    """The change in readable lines."""
    edits: tuple[JsonObject, ...] = ()
    digest: str | None = None
    """Of the request that made it; with the run's id it tells a repeated run's write from a new one."""
    document: JsonObject


@dataclass(frozen=True, slots=True)
class Change:
    """A write to a workflow, before it has a version."""

    author: Author
    action: str
    summary: tuple[str, ...] = ()
    edits: tuple[JsonObject, ...] = ()
    digest: str | None = None


class WorkflowCatalog(Protocol):
    """Keeps workflows and all their versions."""

    async def create(self, tenant: str, workflow: Workflow, change: Change) -> Workflow:
        """Store a new workflow durably; return it at version 1 with its times set.

        When an earlier attempt of the same run (same `run_id`, lower `attempt`) already made the
        write with the same digest, return what that made and store nothing.

        Raises:
            AlreadyExists: The id is taken.
            StorageFailed: It could not be stored.
        """
        ...

    async def get(self, tenant: str, workflow_id: str) -> Workflow:
        """Return the newest version.

        Raises:
            WorkflowNotFound: No such workflow.
            CorruptDocument: The file does not parse; it was set aside.
        """
        ...

    async def update(
        self,
        tenant: str,
        workflow_id: str,
        apply: Callable[[Workflow], tuple[Workflow, Change]],
        *,
        expected_version: int | None = None,
        beforehand: Change | None = None,
    ) -> Workflow:
        """Apply a pure change to the newest version, alone, and store the result as the next version.

        A change that returns its very argument stores nothing. What `apply` raises reaches the caller.

        Args:
            tenant: Whose workflow.
            workflow_id: Which one.
            apply: Gives the changed workflow, and what is written of the change.
            expected_version: The version the caller read, where it must still be the newest.
            beforehand: What is known of the change before it is applied. Where an earlier attempt of its
                run has made it already, that is returned as in `create`, and `apply` is not called:
                what was renamed once has no longer the name to be renamed by.

        Raises:
            WorkflowNotFound: No such workflow.
            WorkflowConflict: `expected_version` is not the newest; names both.
            StorageFailed: It could not be stored; the old version is what a reader finds.
        """
        ...

    async def delete(self, tenant: str, workflow_id: str, *, expected_version: int | None = None) -> None:
        """Remove a workflow; its versions are kept aside, out of every list.

        Raises:
            WorkflowNotFound: No such workflow.
            WorkflowConflict: `expected_version` is not the newest.
        """
        ...

    async def all(self, tenant: str) -> Sequence[Workflow]:
        """Return the newest version of every workflow, by id."""
        ...

    async def versions(self, tenant: str, workflow_id: str) -> Sequence[WorkflowVersion]:
        """Return every version, oldest first.

        Raises:
            WorkflowNotFound: No such workflow.
        """
        ...

    async def version(self, tenant: str, workflow_id: str, number: int) -> WorkflowVersion:
        """Return one version.

        Raises:
            WorkflowNotFound: No such workflow or version.
        """
        ...


@dataclass(frozen=True, slots=True)
class WorkflowHit:
    """A workflow that matches a search, and why."""

    id: str
    name: str
    description: str
    score: float
    """1.0 is an exact id or name; comparable within one answer only below that."""
    strategies: tuple[str, ...]
    """exact_id, exact_name, alias, full_text, fuzzy, filter, recent"""
    matched: tuple[str, ...]
    """The fields in which words were found."""


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Hits good enough to show, or suggestions where there are none."""

    hits: tuple[WorkflowHit, ...]
    suggestions: tuple[WorkflowHit, ...] = ()


class WorkflowSearch(Protocol):
    """Finds workflows by what people say."""

    async def search(
        self,
        tenant: str,
        query: str,
        *,
        tag: str | None = None,
        trigger: str | None = None,
        role: str | None = None,
        service: str | None = None,
        step_type: str | None = None,
        among: Collection[str] | None = None,
        limit: int = 10,
    ) -> SearchAnswer:
        """Return the best matches first; an empty query lists by latest change.

        Any text is a query. What the filters ask for, a hit has: all of it.

        Args:
            tenant: Whose workflows.
            query: An id, a name, an alias, or any words about a workflow, also misspelled.
            tag: A whole tag.
            trigger: What starts it, in words: `schedule`, `monday`, `nightly`, an event's name.
            role: Who does or decides something in it.
            service: What one of its steps calls: `slack.post_message`, or `slack` for anything of it.
            step_type: A type that one of its steps has.
            among: Ids, such as those that came up in a conversation.
            limit: The most hits to return.
        """
        ...


class Owners(Protocol):
    """Knows which server processes are alive, and which conversations the dead ones worked on."""

    @property
    def owner(self) -> str:
        """Return the id of this process."""
        ...

    def is_alive(self, owner: str) -> bool:
        """Say whether the process with this owner id still runs."""
        ...

    def note(self, tenant: str, conversation_id: str) -> None:
        """Remember that this process works on a conversation, should it die."""
        ...

    def settle(self, tenant: str, conversation_id: str) -> None:
        """Take back one `note`: the work on the conversation has ended."""
        ...

    def abandoned(self) -> Sequence[tuple[str, str]]:
        """Return tenant and id of the conversations that dead processes worked on."""
        ...

    def forget_abandoned(self) -> None:
        """Forget the dead processes whose conversations were seen to."""
        ...
