"""What the stores of workflows, and of the small documents beside them, promise."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from typing_extensions import override

from workflow_agent.errors import WorkflowConflict
from workflow_agent.values.stored import JsonObject, Moment, Revision, RunFence, Value
from workflow_agent.values.tokens import RunCosts
from workflow_agent.workflows.model.workflow import Workflow


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
    """Of the request that made it: with the run's id, if any, it tells a repeated write from another."""
    document: JsonObject


@dataclass(frozen=True, slots=True)
class Change:
    """A write to a workflow, before it has a version."""

    author: Author
    action: str
    summary: tuple[str, ...] = ()
    edits: tuple[JsonObject, ...] = ()
    digest: str | None = None
    fence: RunFence | None = None
    """The attempt that writes; the write is refused once it is no longer the run's. None outside of runs."""


def check_expected(current: Workflow, expected: Revision | None) -> None:
    """Refuse a write that was made for another state than the newest.

    Raises:
        WorkflowConflict: It has changed since.
    """
    if expected is None or expected.fits(current):
        return
    made_for = f"version {expected.version}" if expected.version != current.version else "another content of it"
    raise WorkflowConflict(
        f"Workflow {current.id!r} is at version {current.version}, this change was made for {made_for}. "
        "Read it again and retry.",
        workflow_id=current.id,
        version=current.version,
        expected_version=expected.version,
    )


class WorkflowHead(NamedTuple):
    """Which content a workflow has: no two contents of one id share it."""

    version: int
    changed: datetime | None
    mark: str = ""
    """Of what is stored: an edit of a file by hand may keep the version and the time."""


class WorkflowCatalog(Protocol):
    """Keeps workflows and all their versions."""

    async def create(self, tenant: str, workflow: Workflow, change: Change) -> Workflow:
        """Store a new workflow durably; return it at version 1 with its times set.

        A write of the same run with the same digest is the same write, whichever attempt made it: what it
        made is returned, and nothing is stored.

        Raises:
            AlreadyExists: The id is taken.
            StaleRun: The change's fence is not the run's any more. Nothing is stored; until a write that
                is let through has been stored, no other attempt at its run begins.
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
        expected: Revision | None = None,
        beforehand: Change | None = None,
    ) -> Workflow:
        """Apply a pure change to the newest version, alone, and store the result as the next version.

        A change that returns its very argument stores nothing. What `apply` raises reaches the caller.

        Args:
            tenant: Whose workflow.
            workflow_id: Which one.
            apply: Gives the changed workflow, and what is written of the change.
            expected: What the caller read, where it must still be the newest.
            beforehand: What is known of the change before it is applied. Where the same run, or a request
                of no run, has made it already, that is returned as in `create`, and `apply` is not
                called: what was renamed once has no longer the name to be renamed by.

        Raises:
            WorkflowNotFound: No such workflow.
            WorkflowConflict: `expected` is not the newest; names both.
            StaleRun: As in `create`.
            StorageFailed: It could not be stored; the old version is what a reader finds.
        """
        ...

    async def delete(
        self, tenant: str, workflow_id: str, *, expected: Revision | None = None, fence: RunFence | None = None
    ) -> None:
        """Remove a workflow; its versions are kept aside, out of every list.

        Raises:
            WorkflowNotFound: No such workflow.
            WorkflowConflict: `expected` is not the newest.
            StaleRun: As in `create`.
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


@dataclass(slots=True)
class ReadOnceCatalog(WorkflowCatalog):
    """A catalogue that reads a workflow once between two steps of a run, and again after a write through it.

    A run looks at the same workflow several times before it asks its model: for the window, for what is out of
    date in it, for the instructions. What others write meanwhile is seen at the next step.
    """

    catalog: WorkflowCatalog
    step: Callable[[], object]
    """Returns the very same object as long as the step lasts."""
    _read: dict[tuple[str, str], Workflow] = field(default_factory=dict[tuple[str, str], Workflow])
    _read_at: object = None

    @override
    async def create(self, tenant: str, workflow: Workflow, change: Change) -> Workflow:
        try:
            return await self.catalog.create(tenant, workflow, change)
        finally:
            self._read = {}

    @override
    async def get(self, tenant: str, workflow_id: str) -> Workflow:
        step = self.step()
        if step is not self._read_at:
            self._read, self._read_at = {}, step
        # A write that ends while this reads begins another: what was read before it is not kept.
        read, key = self._read, (tenant, workflow_id)
        if key not in read:
            read[key] = await self.catalog.get(tenant, workflow_id)
        return read[key]

    @override
    async def update(
        self,
        tenant: str,
        workflow_id: str,
        apply: Callable[[Workflow], tuple[Workflow, Change]],
        *,
        expected: Revision | None = None,
        beforehand: Change | None = None,
    ) -> Workflow:
        try:
            return await self.catalog.update(tenant, workflow_id, apply, expected=expected, beforehand=beforehand)
        finally:
            self._read = {}

    @override
    async def delete(
        self, tenant: str, workflow_id: str, *, expected: Revision | None = None, fence: RunFence | None = None
    ) -> None:
        try:
            await self.catalog.delete(tenant, workflow_id, expected=expected, fence=fence)
        finally:
            self._read = {}

    @override
    async def all(self, tenant: str) -> Sequence[Workflow]:
        return await self.catalog.all(tenant)

    @override
    async def heads(self, tenant: str) -> Mapping[str, WorkflowHead]:
        return await self.catalog.heads(tenant)

    @override
    async def versions(self, tenant: str, workflow_id: str) -> Sequence[WorkflowVersion]:
        return await self.catalog.versions(tenant, workflow_id)

    @override
    async def version(self, tenant: str, workflow_id: str, number: int) -> WorkflowVersion:
        return await self.catalog.version(tenant, workflow_id, number)


LEAST_GOOD_SCORE = 0.25


@dataclass(frozen=True, slots=True)
class WorkflowHit:
    """A workflow that matches a search, and why."""

    id: str
    name: str
    description: str
    score: float
    """1.0 is an exact id or name; comparable within one answer only below that."""
    strategies: tuple[str, ...]
    """exact_id, exact_name, alias, full_text, fuzzy, filter, recent, meaning"""
    matched: tuple[str, ...]
    """The fields in which words were found."""

    @property
    def is_weak(self) -> bool:
        """Say whether it has so little of the query that it is rather a suggestion."""
        return 0 < self.score < LEAST_GOOD_SCORE


_NAMED = frozenset({"exact_id", "exact_name", "alias"})


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Whatever has a word of the query, best first; suggestions where nothing has."""

    hits: tuple[WorkflowHit, ...]
    suggestions: tuple[WorkflowHit, ...] = ()
    costs: RunCosts = field(default_factory=RunCosts)
    """What a provider took for it."""

    @property
    def certain(self) -> tuple[WorkflowHit, ...]:
        """Return the hits that are named by what was asked: by id, name or alias."""
        return tuple(hit for hit in self.hits if _NAMED.intersection(hit.strategies))


@dataclass(frozen=True, slots=True)
class WorkflowFilters:
    """What a workflow must have, all of it, to be found; None asks for nothing."""

    tag: str | None = None
    """A whole tag."""
    trigger: str | None = None
    """What starts it, in words: `schedule`, `monday`, `nightly`, an event's name."""
    role: str | None = None
    """Who does or decides something in it."""
    service: str | None = None
    """What one of its steps calls: `slack.post_message`, or `slack` for anything of it."""
    step_type: str | None = None
    """A type that one of its steps has."""
    called: str | None = None
    """A piece of its id, its name or an alias, as one begins to write it; spaces and marks do not count."""
    among: Collection[str] | None = None
    """Ids, such as those that came up in a conversation."""
    has_deadline: bool | None = None
    """Whether one of its steps has a time limit."""
    changed_since: datetime | None = None
    """When it changed last, at the earliest."""

    @property
    def ask(self) -> bool:
        """Say whether they ask for anything."""
        return self != ANY_WORKFLOW


ANY_WORKFLOW = WorkflowFilters()


class WorkflowSearch(Protocol):
    """Finds workflows by what people say."""

    async def search(
        self, tenant: str, query: str, filters: WorkflowFilters = ANY_WORKFLOW, *, limit: int = 10
    ) -> SearchAnswer:
        """Return the best matches first; an empty query lists by latest change.

        Any text is a query: an id, a name, an alias, or any words about a workflow, also misspelled.
        """
        ...


RecordKind = Literal["previews", "publications", "webhooks", "outbox", "announced"]


class Records(Protocol):
    """Keeps JSON documents of one tenant by kind and id; a write is durable when it returns.

    Every method raises StorageFailed where nothing can be stored or read.
    """

    async def put(self, kind: RecordKind, record_id: str, document: JsonObject) -> None:
        """Store a document in place of the one that has its id, if any."""
        ...

    async def get(self, kind: RecordKind, record_id: str) -> JsonObject | None:
        """Return a document, or None where there is none."""
        ...

    async def all(self, kind: RecordKind) -> Mapping[str, JsonObject]:
        """Return every document of a kind by its id, sorted by id."""
        ...

    async def remove(self, kind: RecordKind, record_id: str) -> None:
        """Remove a document; one that is not there stays away."""
        ...

    def alone(self, kind: RecordKind) -> AbstractAsyncContextManager[None]:
        """Hold a kind against everybody else who asks for it here, in this process or another."""
        ...
