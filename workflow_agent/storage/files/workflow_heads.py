"""The content marks of all workflows, found with as few disk reads as possible."""

import hashlib
import logging
import os
import time
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import override

from workflow_agent.errors import StorageFailed
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import FileState, reported
from workflow_agent.values.stored import Moment, iso_milliseconds
from workflow_agent.workflows.store import WorkflowHead

_log = logging.getLogger(__name__)
_SETTLED_NS = 50_000_000
"""What changed less than this before it was read may change again within one tick of its clock."""
_LOOK_AGAIN_SECONDS = 5.0
"""A file that somebody edits in place does not show in its directory: every file is looked at so often."""
_MOST_LOOKING_SHARE = 0.02
"""Of the time; where there are so many files that a look takes long, it is taken less often."""
_FILE = Path(".index") / "heads.json"
_WORTH_KEEPING = 1_000
"""Heads that changed since they were kept last; reading fewer again takes a process less than 0.1 s."""
_MOST_LOGGED = 10_000
_MOST_NEWER = 500
"""Heads that are kept beside the others before all are put together again."""
_TOTALS = 2**128

_State = tuple[int, int, int]
"""A `FileState`; many thousands are made."""
_Told = tuple[int, str, str]
"""A head as it is kept: version, time and mark."""
_Files = dict[str, tuple[_State, _Told]]
"""By workflow id."""


def token_of(workflow_id: str, version: int, changed: str, mark: str) -> int:
    """Return a number for the head of a workflow; the sum of all tells two sets of heads apart."""
    told = f"{workflow_id}\0{version}\0{changed}\0{mark}".encode()
    return int.from_bytes(hashlib.blake2b(told, digest_size=16).digest(), "big")


def told_of(head: WorkflowHead) -> _Told:
    """Return a head as it is kept."""
    return head.version, iso_milliseconds(head.changed) if head.changed else "", head.mark


class Heads(Mapping[str, WorkflowHead]):
    """The heads of workflows by id, and what changed since others of them. None of its heads ever changes.

    `total` is the sum of all their tokens, without carry; `log` the ids that changed, in order, of these and of those
    before and after them; `newer` what files told that were written since: few, for they are copied for each.
    """

    def __init__(self, files: _Files, total: int, log: list[str], newer: _Files | None = None) -> None:
        self._files = files
        self._newer: _Files = newer or {}
        self.total = total
        self.log = log
        self.logged = len(log)

    @override
    def __getitem__(self, workflow_id: str) -> WorkflowHead:
        version, changed, mark = (self._newer.get(workflow_id) or self._files[workflow_id])[1]
        return WorkflowHead(version, datetime.fromisoformat(changed) if changed else None, mark)

    @override
    def __iter__(self) -> Iterator[str]:
        yield from self._files
        yield from (one for one in self._newer if one not in self._files)

    @override
    def __len__(self) -> int:
        return len(self._files) + sum(one not in self._files for one in self._newer)

    @property
    def files(self) -> _Files:
        """What each file told."""
        return {**self._files, **self._newer} if self._newer else self._files

    def changed_since(self, before: object) -> set[str] | None:
        """Return the ids whose heads are others now, or gone; None where that is not known."""
        if not isinstance(before, Heads) or before.log is not self.log:
            return None
        return set(self.log[before.logged : self.logged])

    def followed_by(self, files: _Files, changed: Collection[str]) -> "Heads":
        """Return the heads after a change of some."""
        known = self.files
        if not changed:
            self._files, self._newer = files, {}
            return self
        before = sum(token_of(one, *known[one][1]) for one in changed if one in known)
        after = sum(token_of(one, *files[one][1]) for one in changed if one in files)
        return Heads(files, (self.total - before + after) % _TOTALS, self._logged(changed))

    def followed_by_write(self, workflow_id: str, state: _State, told: _Told) -> "Heads":
        """Return the heads after one document was written."""
        known = self._newer.get(workflow_id) or self._files.get(workflow_id)
        total = self.total + token_of(workflow_id, *told) - (token_of(workflow_id, *known[1]) if known else 0)
        newer = {**self._newer, workflow_id: (state, told)}
        files, newer = (self._files, newer) if len(newer) < _MOST_NEWER else ({**self._files, **newer}, {})
        return Heads(files, total % _TOTALS, self._logged([workflow_id]), newer)

    def _logged(self, changed: Collection[str]) -> list[str]:
        log = self.log if len(self.log) < _MOST_LOGGED and len(self.log) == self.logged else []
        log.extend(changed)
        return log


class _StoredHead(BaseModel):
    """The part of a document that identifies its content."""

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
    heads: Heads


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

    `read` gives a workflow's head by tenant and id, or None where it cannot be read.
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
        self._changed: dict[Path, int] = {}
        self._listings: dict[str, _Listing] = {}
        self._own_states: dict[str, FileState | None] = {}
        self._noting = Lock()

    def of(self, tenant: str, directory: Path, suffix: str) -> Heads:
        """Return the heads of a tenant's workflows; the very same mapping as long as nothing changed."""
        known = self._listings.get(tenant)
        # Before the files, so that what changes while they are looked at shows the next time.
        state, looked_ns, looked_at = self._files.state(directory), self._now_ns(), self._clock()
        if known and known.is_settled and known.directory == state and looked_at < known.look_again_at:
            return known.heads
        states = _states(directory, suffix, self._files.root)
        pause = max(_LOOK_AGAIN_SECONDS, (self._clock() - looked_at) / _MOST_LOOKING_SHARE)
        seen = known.heads if known else _kept_heads(self._files, directory)
        heads, news = self._look(tenant, states, seen)
        self._keep(directory, news, heads)
        # After a write of our own nothing else is to be expected in the same moment.
        is_own = state == self._own_states.get(tenant)
        is_settled = state is not None and (is_own or looked_ns - state.mtime_ns > _SETTLED_NS)
        self._listings[tenant] = _Listing(state, is_settled, looked_at + pause, heads)
        return heads

    @contextmanager
    def making_beside(self, tenant: str, directory: Path) -> Generator[None]:
        """Do what makes files or directories beside the documents, so that it is not taken for a change of one."""
        before = self._files.state(directory)
        yield
        with self._noting:
            known = self._listings.get(tenant)
            if known is not None and known.is_settled and known.directory == before:
                after = self._files.state(directory)
                self._own_states[tenant] = after
                self._listings[tenant] = replace(known, directory=after)

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
            heads = known.heads.followed_by_write(write.workflow_id, write.document, told_of(write.head))
            self._listings[tenant] = replace(known, directory=write.after, heads=heads)

    def _look(self, tenant: str, states: Mapping[str, _State], known: Heads) -> tuple[Heads, int]:
        """Return the current heads, and how many documents were opened to find them."""
        news: _Files = {}
        unreadable: list[str] = []
        before = known.files
        for workflow_id, state in states.items():
            kept = before.get(workflow_id)
            if kept is None or kept[0] != state:
                head = self._read(tenant, workflow_id)
                if head is not None:
                    news[workflow_id] = state, told_of(head)
                elif kept is not None:
                    unreadable.append(workflow_id)
        gone = [*unreadable, *(before.keys() - states.keys())]
        if not news and not gone:
            return known, 0
        changed = [one for one, (_, told) in news.items() if one not in before or before[one][1] != told]
        files = before | news
        for one in gone:
            del files[one]
        # Nearly in order already, which sorting makes use of.
        return known.followed_by(dict(sorted(files.items())), [*changed, *gone]), len(news)

    def _keep(self, directory: Path, news: int, heads: Heads) -> None:
        """Keep the heads there are for other processes where enough of them changed since the last time."""
        self._changed[directory] = self._changed.get(directory, 0) + news
        if self._changed[directory] < _WORTH_KEEPING:
            return
        self._changed[directory] = 0
        path = directory.parent / _FILE
        # Without them all is as slow as it was, so that a full disk must not stop a search.
        try:
            self._files.save(path, _text_of(heads))
        except StorageFailed as error:
            _log.warning("heads cannot be kept", extra={"reason": error.message})


def _kept_heads(files: DurableFiles, directory: Path) -> Heads:
    """Return what some process kept of a directory of workflows; nothing where that cannot be used.

    Only what the state of a document bears out may be taken from here. The file can be thrown away.
    """
    try:
        stored = files.read(directory.parent / _FILE)
        return _heads_in(orjson.loads(stored.data)) if stored else Heads({}, 0, [])
    except StorageFailed as error:
        _log.warning("kept heads cannot be read", extra={"reason": error.message})
    except (ValueError, TypeError, KeyError):
        _log.warning("kept heads are damaged and are made anew", extra={"document": _FILE.name})
    return Heads({}, 0, [])


_COLUMNS = {"id": str, "inode": int, "mtime_ns": int, "size": int, "version": int, "changed": str, "mark": str}


def _text_of(heads: Heads) -> bytes:
    rows = [(one, *state, *told) for one, (state, told) in heads.files.items()]
    columns = dict(zip(_COLUMNS, zip(*rows, strict=True), strict=True))
    return orjson.dumps({"total": f"{heads.total:x}", **columns})


def _heads_in(stored: Any) -> Heads:
    columns: list[list[Any]] = [stored[name] for name in _COLUMNS]
    for column, kind in zip(columns, _COLUMNS.values(), strict=True):
        if not set(map(type, column)) <= {kind}:
            raise ValueError("a column has values of another kind")
    ids, *state, version, changed, mark = columns
    states, told = zip(*state, strict=True), zip(version, changed, mark, strict=True)
    files = dict(zip(ids, zip(states, told, strict=True), strict=True))
    return Heads(files, int(stored["total"], 16), [])


def _states(directory: Path, suffix: str, root: Path) -> dict[str, _State]:
    """Return which content each file with this ending has, by name without it; thousands in milliseconds."""
    found: dict[str, _State] = {}
    with reported("list", directory, root), suppress(FileNotFoundError), os.scandir(directory) as entries:
        for entry in entries:
            try:
                if entry.name.endswith(suffix):
                    told = entry.stat(follow_symlinks=False)
                    found[entry.name[: -len(suffix)]] = told.st_ino, told.st_mtime_ns, told.st_size
            except FileNotFoundError:
                continue
    return found
