"""What is kept of a user in all conversations: which workflows were dealt with, and what to remember."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from workflow_agent.conversations.document import WorkflowReference
from workflow_agent.conversations.memory.person import Person

KnownOfUser = tuple[Sequence[WorkflowReference], Person]
ReadKnown = Callable[[str, str], Awaitable[KnownOfUser]]
"""Returns what is remembered of a user by tenant and name, as `recall` and `person` do, with one question."""


class WorkflowMemory(Protocol):
    """Remembers which workflows a user dealt with, in all conversations; a user is any text."""

    async def recall(self, tenant: str, user: str) -> Sequence[WorkflowReference]:
        """Return what is remembered of a user, oldest first; nothing of one never seen.

        Raises:
            CorruptDocument: It does not parse; it was set aside, and the next `remember` begins anew.
        """
        ...

    async def remember(self, tenant: str, user: str, references: Sequence[WorkflowReference]) -> None:
        """Add references durably, as `merged_references` does, alone also across processes.

        What is kept is bounded. The same references once more change nothing.

        Raises:
            StorageFailed: They could not be stored; what was remembered before still is.
        """
        ...

    async def correct(
        self, tenant: str, user: str, change: Callable[[Sequence[WorkflowReference]], Sequence[WorkflowReference]]
    ) -> None:
        """Replace what is remembered by what a pure change makes of it, durably.

        Raises:
            StorageFailed: It could not be stored; what was remembered before still is.
        """
        ...


class PersonMemory(Protocol):
    """Keeps what people asked to be remembered; a user is any text."""

    async def person(self, tenant: str, user: str) -> Person:
        """Return what is known of a user; a blank person for one never seen.

        Raises:
            CorruptDocument: It does not parse; it was set aside, and the next `update` begins anew.
        """
        ...

    async def update(self, tenant: str, user: str, change: Callable[[Person], Person]) -> Person:
        """Apply a pure change to what is known, alone also across processes; return it stored durably.

        Of a person who is blank afterwards nothing is kept. What `change` raises reaches the caller.

        Raises:
            StorageFailed: It could not be stored; what was known before still is.
        """
        ...

    async def forgetful(self, tenant: str) -> Sequence[str]:
        """Return the users of whom something is still to be forgotten in conversations."""
        ...
