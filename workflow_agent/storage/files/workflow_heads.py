"""Which content each workflow has, found out by as few looks at the disk as will do."""

import hashlib
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import FileState, reported
from workflow_agent.storage.files.kept_heads import KeptHeads
from workflow_agent.values.stored import Moment
from workflow_agent.workflows.store import WorkflowHead

_SETTLED_NS = 50_000_000
"""What changed less than this before it was read may change again within one tick of its clock."""
_LOOK_AGAIN_SECONDS = 5.0
"""A file that somebody edits in place does not show in its directory: every file is looked at so often."""


_MOST_LOOKING_SHARE = 0.02
"""Of the time; where there are so many files that a look takes long, it is taken less often."""


class _StoredHead(BaseModel):
    """What of a document tells its content from another."""

    model_config = ConfigDict(extra="ignore", strict=True)

    id: str
    version: Annotated[int, Field(ge=1)]
    updated_at: Moment


def mark_of(data: bytes) -> str:
    """Return what tells these bytes from any others."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def told_head(data: bytes, workflow_id: str) -> WorkflowHead | None:
    """Return the head that a workflow's document says it has; None where it says none, or is another's.

    The rest is not looked at: of many thousands, that is most of the time of a process's first search.
    """
    try:
        told = _StoredHead.model_validate_json(data)
    except ValidationError:
        return None
    return WorkflowHead(told.version, told.updated_at, mark_of(data)) if told.id == workflow_id else None


@dataclass(frozen=True, slots=True)
class _Listing:
    """What a directory held when it was last read."""

    directory: FileState | None
    is_settled: bool
    """Whether another change would show in the directory's time."""
    look_again_at: float
    files: Mapping[str, tuple[FileState, WorkflowHead]]
    """By workflow id."""
    heads: Mapping[str, WorkflowHead]


@dataclass(frozen=True, slots=True)
class Written:
    """A document that this process just replaced, and its directory before and after."""

    workflow_id: str
    head: WorkflowHead
    document: FileState
    before: FileState | None
    after: FileState | None


class WorkflowHeads:
    """The heads of the workflows below a data directory; threads may share it.

    A save renames a file into the directory, which changes its time: one look at the directory tells
    that nothing changed, by whatever process. Otherwise only files in another state are read.

    Args:
        files: The data directory.
        read: Gives a workflow's head by tenant and id, or None where it cannot be read.
        now_ns: The time as files have it.
        clock: Seconds that never go back.
    """

    def __init__(
        self,
        files: DurableFiles,
        read: Callable[[str, str], WorkflowHead | None],
        *,
        now_ns: Callable[[], int] = time.time_ns,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._files = files
        self._read = read
        self._now_ns = now_ns
        self._clock = clock
        self._kept = KeptHeads(files)
        self._listings: dict[str, _Listing] = {}
        self._own_states: dict[str, FileState | None] = {}
        self._noting = Lock()

    def of(self, tenant: str, directory: Path, suffix: str) -> Mapping[str, WorkflowHead]:
        """Return the heads of a tenant's workflows; the very same mapping as long as nothing changed."""
        known = self._listings.get(tenant)
        # Before the files, so that what changes while they are looked at shows the next time.
        state, looked_ns, looked_at = self._files.state(directory), self._now_ns(), self._clock()
        if known is not None and _is_current(known, state, looked_at):
            return known.heads
        states = _states(directory, suffix, self._files.root)
        pause = max(_LOOK_AGAIN_SECONDS, (self._clock() - looked_at) / _MOST_LOOKING_SHARE)
        seen = known.files if known else self._kept.read(directory)
        files = self._look(tenant, states, suffix, seen)
        self._kept.note(directory, sum(seen.get(one) is not now for one, now in files.items()), files)
        heads: Mapping[str, WorkflowHead] = {one: head for one, (_, head) in files.items()}
        if known is not None and known.heads == heads:
            heads = known.heads
        # After a write of our own nothing else is to be expected in the same moment.
        is_own = state == self._own_states.get(tenant)
        is_settled = state is not None and (is_own or looked_ns - state.mtime_ns > _SETTLED_NS)
        self._listings[tenant] = _Listing(state, is_settled, looked_at + pause, files, heads)
        return heads

    def note(self, tenant: str, write: "Written") -> None:
        """Take in what this process wrote, so that nobody has to look for it.

        Where somebody else wrote meanwhile, everything is looked at again.
        """
        with self._noting:
            self._own_states[tenant] = write.after
            known = self._listings.get(tenant)
            if known is None:
                return
            if not known.is_settled or known.directory != write.before:
                self._listings[tenant] = replace(known, is_settled=False)
                return
            self._listings[tenant] = replace(
                known,
                directory=write.after,
                files={**known.files, write.workflow_id: (write.document, write.head)},
                heads={**known.heads, write.workflow_id: write.head},
            )

    def _look(
        self,
        tenant: str,
        states: Mapping[str, FileState],
        suffix: str,
        known: Mapping[str, tuple[FileState, WorkflowHead]],
    ) -> dict[str, tuple[FileState, WorkflowHead]]:
        found: dict[str, tuple[FileState, WorkflowHead]] = {}
        for name, state in states.items():
            workflow_id = name.removesuffix(suffix)
            before = known.get(workflow_id)
            if before is not None and before[0] == state:
                found[workflow_id] = before
            elif (head := self._read(tenant, workflow_id)) is not None:
                found[workflow_id] = (state, head)
        return found


def _states(directory: Path, suffix: str, root: Path) -> dict[str, FileState]:
    """Return which content each file with this ending has, by name; thousands in a few milliseconds."""
    found: dict[str, FileState] = {}
    with reported("list", directory, root), suppress(FileNotFoundError), os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.endswith(suffix):
                with suppress(FileNotFoundError):
                    found[entry.name] = FileState.of(entry.stat(follow_symlinks=False))
    return dict(sorted(found.items()))


def _is_current(known: _Listing, state: FileState | None, now: float) -> bool:
    return known.is_settled and known.directory == state and now < known.look_again_at
