"""Workflows and all their versions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from workflow_agent.domain.values import JsonObject, Moment, Value
from workflow_agent.domain.workflow import Workflow


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


class WorkflowHead(NamedTuple):
    """Which content a workflow has: no two contents of one id share it."""

    version: int
    changed: datetime | None


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

    async def heads(self, tenant: str) -> Mapping[str, WorkflowHead]:
        """Return which content each workflow has, by id, without reading what did not change.

        As long as nothing changed this is the very same mapping, so that who follows the catalogue
        sees at a glance that there is nothing to do.
        """
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
