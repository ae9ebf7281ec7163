"""Workflows as JSON files: the newest version in one document, every version beside it."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime

from typing_extensions import override

from workflow_agent.conversations.store import RunFences
from workflow_agent.storage.files import rules
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.locks import WriterQueues
from workflow_agent.storage.files.workflow_files import WorkflowFiles, WorkflowPlace
from workflow_agent.values.caches import TtlCache
from workflow_agent.values.stored import JsonObject, Revision, RunFence
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.store import Change, WorkflowCatalog, WorkflowHead, WorkflowVersion, check_expected


class JsonWorkflowCatalog(WorkflowCatalog):
    """Keeps each workflow in `<tenant>/workflows/<id>.json`, its versions in `<id>.versions/`.

    An operation makes one trip to a thread, where `update` runs the change too; a workflow that is known
    takes none, only a look at its file (ADR-0016).

    Without `fences`, which decide which attempt at a run may write, no change may carry a fence.
    """

    def __init__(
        self,
        files: DurableFiles,
        specs: TtlCache[Workflow],
        *,
        now: Callable[[], datetime],
        fences: RunFences | None = None,
    ) -> None:
        self._kept = WorkflowFiles(files, specs, now)
        self._now = now
        self._queues = WriterQueues()
        self._fences = fences

    @override
    async def create(self, tenant: str, workflow: Workflow, change: Change) -> Workflow:
        rules.check_new_workflow_id(workflow.id)
        place = self._kept.place(tenant, workflow.id)
        async with self._queues.of(place.document):
            return await asyncio.to_thread(self._create, place, workflow, change)

    async def adopt(self, tenant: str, newest: Workflow, versions: Sequence[WorkflowVersion]) -> None:
        """Store a workflow that another store kept, at the version it has; raises AlreadyExists if its id is taken."""
        rules.check_new_workflow_id(newest.id)
        place = self._kept.place(tenant, newest.id)
        async with self._queues.of(place.document):
            await asyncio.to_thread(self._adopt, place, newest, versions)

    @override
    async def get(self, tenant: str, workflow_id: str) -> Workflow:
        place = self._kept.place(tenant, workflow_id)
        return self._kept.known(place) or await asyncio.to_thread(self._kept.read, place)

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
        place = self._kept.place(tenant, workflow_id)
        async with self._queues.of(place.document):
            return await asyncio.to_thread(self._update, place, apply, expected, beforehand)

    @override
    async def delete(
        self, tenant: str, workflow_id: str, *, expected: Revision | None = None, fence: RunFence | None = None
    ) -> None:
        place = self._kept.place(tenant, workflow_id)
        async with self._queues.of(place.document):
            await asyncio.to_thread(self._delete, place, expected, fence)

    @override
    async def all(self, tenant: str) -> Sequence[Workflow]:
        return await asyncio.to_thread(self._kept.read_all, tenant)

    @override
    async def heads(self, tenant: str) -> Mapping[str, WorkflowHead]:
        return await asyncio.to_thread(self._kept.heads, tenant)

    @override
    async def versions(self, tenant: str, workflow_id: str) -> Sequence[WorkflowVersion]:
        place = self._kept.place(tenant, workflow_id)
        return await asyncio.to_thread(lambda: list(self._kept.records(place, self._kept.read(place))))

    @override
    async def version(self, tenant: str, workflow_id: str, number: int) -> WorkflowVersion:
        return await asyncio.to_thread(self._version, self._kept.place(tenant, workflow_id), number)

    async def seed(self, tenant: str, documents: Iterable[JsonObject]) -> int:
        """Give a tenant that has no workflows directory yet these workflows; return how many, all or none.

        Raises:
            InvalidWorkflow: One of the documents is not valid.
            StorageFailed: They could not be stored; the tenant still has none.
        """
        return await asyncio.to_thread(self._kept.seed, tenant, [parse_workflow(document) for document in documents])

    def _adopt(self, place: WorkflowPlace, newest: Workflow, versions: Sequence[WorkflowVersion]) -> None:
        self._kept.make_directory(place)
        with self._kept.writing(place):
            if self._kept.exists(place):
                raise rules.id_taken("workflow", place.id)
            self._kept.make_room(place)
            self._kept.adopt(place, newest, versions)

    def _create(self, place: WorkflowPlace, workflow: Workflow, change: Change) -> Workflow:
        self._kept.make_directory(place)
        aside = self._kept.waiting(place)
        with self._kept.writing(place):
            # Under whatever id: finding its first choice taken, a repeated run asks for another.
            first = self._kept.first_records(place.tenant, str(change.digest))
            made = rules.earlier_write(first, change) if change.author.run_id else None
            if made is not None:
                return parse_workflow(made.document)
            if aside is not None or self._kept.exists(place):
                raise rules.id_taken("workflow", place.id, aside)
            with self._fenced(place.tenant, change.fence):
                self._kept.make_room(place)
                return self._kept.commit(place, rules.first_version(workflow, self._now()), change)

    def _update(
        self,
        place: WorkflowPlace,
        apply: Callable[[Workflow], tuple[Workflow, Change]],
        expected: Revision | None,
        beforehand: Change | None,
    ) -> Workflow:
        self._check_exists(place)
        with self._kept.writing(place):
            current = self._kept.read(place, is_locked=True)
            if beforehand is not None:
                made = rules.earlier_write(self._kept.made_by(place, current, str(beforehand.digest)), beforehand)
                if made is not None:
                    return parse_workflow(made.document)
            check_expected(current, expected)
            changed, change = apply(current)
            if changed is current:
                return current
            with self._fenced(place.tenant, change.fence):
                self._kept.keep_record(place, current)
                return self._kept.commit(place, rules.next_version(current, changed, self._now()), change)

    def _delete(self, place: WorkflowPlace, expected: Revision | None, fence: RunFence | None) -> None:
        self._check_exists(place)
        with self._kept.writing(place):
            check_expected(self._kept.read(place, is_locked=True), expected)
            with self._fenced(place.tenant, fence):
                self._kept.delete(place)

    def _fenced(self, tenant: str, fence: RunFence | None) -> AbstractContextManager[None]:
        """Return what keeps other attempts from beginning; the workflow's lock is always taken before it."""
        if fence is None:
            return nullcontext()
        assert self._fences is not None  # noqa: S101 - who opens a catalogue without them has no runs
        return self._fences.held(tenant, fence)

    def _version(self, place: WorkflowPlace, number: int) -> WorkflowVersion:
        newest = self._kept.read(place)
        found = self._kept.record(place, newest, number) if 1 <= number <= newest.version else None
        if found is None:
            raise rules.no_version(newest, number)
        return found

    def _check_exists(self, place: WorkflowPlace) -> None:
        # Asked before locking, so that a wrong id leaves no lock file behind.
        if not self._kept.exists(place):
            raise self._kept.missing(place)
