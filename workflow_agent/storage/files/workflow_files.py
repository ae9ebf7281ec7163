"""The files of workflows: a document each, a record for every version; blocking calls."""

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from pydantic_core import from_json, to_json

from workflow_agent.errors import InvalidWorkflow, WorkflowNotFound
from workflow_agent.storage.files import rules
from workflow_agent.storage.files.documents import DocumentReader, LeftOut
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import is_workflow_id, reported, tenant_directory
from workflow_agent.storage.files.locks import locked
from workflow_agent.storage.files.workflow_heads import WorkflowHeads, Written, mark_of, told_head
from workflow_agent.values.caches import CacheKey, TtlCache
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow, workflow_document
from workflow_agent.workflows.store import Change, WorkflowHead, WorkflowVersion

_SUFFIX = ".json"
_RECORD_NAME = re.compile(r"[0-9]{6,9}\.json")


class WorkflowPlace(NamedTuple):
    """Where one workflow is kept."""

    tenant: str
    id: str
    directory: Path

    @property
    def document(self) -> Path:
        """The newest version; replacing it is what makes a change happen."""
        return self.directory / f"{self.id}{_SUFFIX}"

    @property
    def lock(self) -> Path:
        """What a writer holds."""
        return self.directory / f"{self.id}.lock"

    @property
    def versions(self) -> Path:
        """The directory of version records."""
        return self.directory / f"{self.id}.versions"

    def record(self, number: int) -> Path:
        """Return where a version's record is."""
        return self.versions / f"{number:06d}{_SUFFIX}"


def _parsed_workflow(data: bytes, path: Path) -> Workflow:
    try:
        workflow = parse_workflow(from_json(data, allow_inf_nan=False))
    except InvalidWorkflow as error:
        raise ValueError(error.message) from error
    if workflow.id != path.stem:
        raise ValueError(f"it holds the workflow {workflow.id!r}")
    return workflow


def _parsed_record(data: bytes, _: Path) -> WorkflowVersion:
    return WorkflowVersion.model_validate_json(data)


def _head_of(workflow: Workflow, data: bytes) -> WorkflowHead:
    return WorkflowHead(workflow.version, workflow.updated_at, mark_of(data))


def _as_json(plain: object) -> bytes:
    return to_json(plain, indent=2, inf_nan_mode="null")


class WorkflowFiles:
    """Reads and writes workflows below a data directory; who may write is up to the caller.

    A record above the document's version is what a crash left: never listed, and overwritten by
    the next write.
    """

    def __init__(self, files: DurableFiles, specs: TtlCache[Workflow], now: Callable[[], datetime]) -> None:
        self._files = files
        self._specs = specs
        self._now = now
        self._workflows = DocumentReader(files, _parsed_workflow)
        self._records = DocumentReader(files, _parsed_record)
        self._heads = WorkflowHeads(files, self._head)
        self._left_out = LeftOut(files)

    def place(self, tenant: str, workflow_id: str) -> WorkflowPlace:
        """Return where a workflow is kept, or would be.

        Raises:
            InvalidInput: This cannot be a tenant's name.
            WorkflowNotFound: This cannot be a workflow's id.
        """
        directory = self._directory(tenant)
        if not is_workflow_id(workflow_id):
            raise rules.no_workflow(workflow_id)
        return WorkflowPlace(tenant, workflow_id, directory)

    def make_directory(self, place: WorkflowPlace) -> None:
        """Make the directory that a lock file needs."""
        self._files.ensure_directory(place.directory)

    @contextmanager
    def writing(self, place: WorkflowPlace) -> Generator[None]:
        """Hold the lock of a workflow, whose directory must exist."""
        if self._files.state(place.lock) is None:
            with (
                self._heads.making_beside(place.tenant, place.directory),
                reported("lock", place.lock, place.directory),
            ):
                place.lock.touch(0o600)
        with locked(place.lock):
            yield

    def exists(self, place: WorkflowPlace) -> bool:
        """Say whether there is such a workflow."""
        return self._files.state(place.document) is not None

    def waiting(self, place: WorkflowPlace) -> str | None:
        """Return the name of a document that was set aside and waits to be mended, or None."""
        return self._workflows.waiting(place.document, place.lock)

    def missing(self, place: WorkflowPlace) -> WorkflowNotFound:
        """Return why there is no such workflow: there never was, or its document was set aside."""
        aside = self.waiting(place)
        if aside is None:
            return rules.no_workflow(place.id)
        return rules.damaged_workflow(place.id, aside, self._files.name_of(place.versions))

    def read(self, place: WorkflowPlace, *, is_locked: bool = False) -> Workflow:
        """Return the newest version; `is_locked` says that the caller holds the lock.

        Raises:
            WorkflowNotFound: No such workflow.
            CorruptDocument: The file does not parse; it was set aside.
        """
        state = self._files.state(place.document)
        if state is None:
            raise self.missing(place)
        # By the state of the file, so that an edit shows at once, whoever made it.
        key = CacheKey(place.tenant, place.id, state)
        return self._specs.get_or_load(key, lambda: self._parsed(place, is_locked=is_locked))

    def known(self, place: WorkflowPlace) -> Workflow | None:
        """Return the newest version if it was read before and its file is as it was; takes one look."""
        state = self._files.state(place.document)
        return None if state is None else self._specs.get(CacheKey(place.tenant, place.id, state))

    def read_all(self, tenant: str) -> list[Workflow]:
        """Return the newest version of every workflow by id, but for those that cannot be read."""
        found: list[Workflow] = []
        for place in self._places(tenant):
            with self._left_out.where_unreadable(place.document):
                found.append(self.read(place))
        return found

    def heads(self, tenant: str) -> Mapping[str, WorkflowHead]:
        """Return which content each workflow has; what is no document is set aside and left out."""
        return self._heads.of(tenant, self._directory(tenant), _SUFFIX)

    def _head(self, tenant: str, workflow_id: str) -> WorkflowHead | None:
        if not is_workflow_id(workflow_id):
            return None
        place = self.place(tenant, workflow_id)
        # Deleted since it was listed, if it is not there.
        with self._left_out.where_unreadable(place.document), suppress(WorkflowNotFound):
            data = self._files.content(place.document)
            # Read whole it is mended, or set aside.
            return told_head(data, workflow_id) or _head_of(self.read(place), data)
        return None

    def records(self, place: WorkflowPlace, newest: Workflow) -> Iterator[WorkflowVersion]:
        """Yield the record of each version up to the newest, oldest first."""
        names = self._files.names(place.versions)
        numbers = {int(name.removesuffix(_SUFFIX)) for name in names if _RECORD_NAME.fullmatch(name)}
        for number in sorted({*numbers, newest.version}):
            if 0 < number <= newest.version:
                record = self.record(place, newest, number)
                if record is not None:
                    yield record

    def record(self, place: WorkflowPlace, newest: Workflow, number: int) -> WorkflowVersion | None:
        """Return the record of a version, or None; the newest always has one, made up where it is missing."""
        found = self._records.read(place.record(number), place.lock)
        if found is None:
            return self._unrecorded(newest) if number == newest.version else None
        return found.value

    def first_records(self, tenant: str, digest: str) -> Iterator[WorkflowVersion]:
        """Yield how each workflow began that a write with this digest created."""
        # Lists the directory once it is asked for the first of them.
        yield from self._marked((place.record(1) for place in self._places(tenant)), digest)

    def made_by(self, place: WorkflowPlace, newest: Workflow, digest: str) -> Iterator[WorkflowVersion]:
        """Yield the versions up to the newest that a write with this digest made, newest first."""
        return self._marked((place.record(number) for number in range(newest.version, 0, -1)), digest)

    def _marked(self, paths: Iterable[Path], digest: str) -> Iterator[WorkflowVersion]:
        mark = to_json(digest)
        for path in paths:
            data = b""
            with self._left_out.where_unreadable(path):
                data = self._files.content(path)
            # Most are of other writes, and need no parsing to see that.
            if mark in data:
                yield _parsed_record(data, path)

    def make_room(self, place: WorkflowPlace) -> None:
        """Put the versions aside that a cut-short creation or deletion left where a new workflow will be."""
        if self._files.state(place.versions) is not None:
            self._files.set_aside(place.versions, "deleted", into=place.directory / ".deleted")

    def commit(self, place: WorkflowPlace, workflow: Workflow, change: Change) -> Workflow:
        """Store a version durably and return it: its record first, then the document."""
        self._write_record(place, rules.record_of(workflow, change, workflow.updated_at or self._now()))
        before = self._files.state(place.directory)
        data = _as_json(workflow_document(workflow))
        document = self._files.save(place.document, data)
        after = self._files.state(place.directory)
        self._heads.note(place.tenant, Written(workflow.id, _head_of(workflow, data), document, before, after))
        return workflow

    def adopt(self, place: WorkflowPlace, newest: Workflow, versions: Iterable[WorkflowVersion]) -> None:
        """Store a workflow that another store kept: the records of its versions, then the document."""
        for record in versions:
            self._write_record(place, record)
        self._files.save(place.document, _as_json(workflow_document(newest)))

    def keep_record(self, place: WorkflowPlace, current: Workflow) -> None:
        """Record the newest version where that is missing, before another takes its place."""
        if self._files.state(place.record(current.version)) is None:
            self._write_record(place, self._unrecorded(current))

    def delete(self, place: WorkflowPlace) -> None:
        """Move a workflow and its versions out of every list."""
        # First, because it decides: without it the versions belong to nobody.
        self._files.set_aside(place.document, "deleted", into=place.directory / ".deleted")
        self.make_room(place)
        self._files.remove(place.lock)

    def seed(self, tenant: str, workflows: Sequence[Workflow]) -> int:
        """Give a tenant without a workflows directory these; return how many, all or none."""
        directory = self._directory(tenant)
        staging = directory.with_name(".workflows-seeding")
        self._files.ensure_directory(directory.parent)
        with locked(directory.with_suffix(".lock")):
            if self._files.state(directory) is not None:
                return 0
            self._files.remove_directory(staging)
            self._files.ensure_directory(staging)
            for workflow in workflows:
                place = WorkflowPlace(tenant, workflow.id, staging)
                self.commit(place, rules.first_version(workflow, self._now()), rules.SAMPLE)
            self._files.move(staging, directory)
        return len(workflows)

    def _directory(self, tenant: str) -> Path:
        return tenant_directory(self._files.root, tenant) / "workflows"

    def _places(self, tenant: str) -> list[WorkflowPlace]:
        directory = self._directory(tenant)
        ids = [name.removesuffix(_SUFFIX) for name in self._files.names(directory, _SUFFIX)]
        return [WorkflowPlace(tenant, one, directory) for one in ids if is_workflow_id(one)]

    def _parsed(self, place: WorkflowPlace, *, is_locked: bool) -> Workflow:
        found = self._workflows.read(place.document, None if is_locked else place.lock)
        if found is None:
            raise self.missing(place)
        return found.value

    def _unrecorded(self, workflow: Workflow) -> WorkflowVersion:
        return rules.record_of(workflow, rules.UNRECORDED, workflow.updated_at or self._now())

    def _write_record(self, place: WorkflowPlace, record: WorkflowVersion) -> None:
        if self._files.state(place.versions) is None:
            with self._heads.making_beside(place.tenant, place.directory):
                self._files.ensure_directory(place.versions)
        self._files.save(place.record(record.version), _as_json(record))
