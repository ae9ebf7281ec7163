"""Which workflows a user dealt with, in all conversations."""

from collections.abc import Sequence
from typing import Protocol

from workflow_agent.conversations.document import WorkflowReference


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
