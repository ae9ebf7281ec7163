"""What a power cut can leave, whichever system call it comes after."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.simulated_disk import SimulatedDisk
from tests.support.stored import Clock, a_workflow
from workflow_agent.errors import StorageFailed
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.rules import first_version, next_version
from workflow_agent.storage.files.workflow_files import WorkflowFiles
from workflow_agent.values.caches import TtlCache
from workflow_agent.workflows.store import Author, Change

ROOT = Path("/disk/data")
DOCUMENT = ROOT / "acme" / "conversations" / "invoice-1.json"
OLD, NEW = b'{"version": 1, "text": "old"}', b'{"version": 2, "text": "the new one, longer"}'


@pytest.fixture
def disk() -> SimulatedDisk:
    return SimulatedDisk(ROOT)


def what_cuts_leave(disk: SimulatedDisk, path: Path, act: Callable[[], object]) -> list[set[bytes | None]]:
    """Return what each call of an action could leave, were it the last."""
    left: list[set[bytes | None]] = []
    disk.watch = lambda _: left.append(disk.after_crash(path))
    act()
    disk.watch = lambda _: None
    return left


def test_a_cut_during_a_save_leaves_the_old_document_or_the_new_one(disk: SimulatedDisk) -> None:
    files = DurableFiles(ROOT, file_system=disk)
    files.save(DOCUMENT, OLD)

    left = what_cuts_leave(disk, DOCUMENT, lambda: files.save(DOCUMENT, NEW))

    assert len(left) > 8
    assert set().union(*left) == {OLD, NEW}


def test_a_cut_during_the_first_save_leaves_no_document_or_a_whole_one(disk: SimulatedDisk) -> None:
    files = DurableFiles(ROOT, file_system=disk)

    left = what_cuts_leave(disk, DOCUMENT, lambda: files.save(DOCUMENT, NEW))

    assert set().union(*left) == {None, NEW}


@pytest.mark.parametrize("saves", [1, 2, 3])
def test_a_cut_after_a_save_always_leaves_what_was_saved_last(disk: SimulatedDisk, saves: int) -> None:
    files = DurableFiles(ROOT, file_system=disk)

    for number in range(saves):
        files.save(DOCUMENT, b"%d" % number)

    assert disk.after_crash(DOCUMENT) == {b"%d" % (saves - 1)}


def test_a_directory_that_another_process_made_and_did_not_sync_is_synced(disk: SimulatedDisk) -> None:
    for directory in (ROOT, ROOT / "acme", DOCUMENT.parent):
        disk.mkdir(directory, 0o700)
    disk.fsync(disk.open(ROOT.parent, 0))

    DurableFiles(ROOT, file_system=disk).save(DOCUMENT, NEW)

    assert disk.after_crash(DOCUMENT) == {NEW}


@pytest.mark.parametrize("failing", [0, 1])
def test_a_failed_fsync_is_reported_and_leaves_a_whole_document(disk: SimulatedDisk, failing: int) -> None:
    files = DurableFiles(ROOT, file_system=disk)
    files.save(DOCUMENT, OLD)
    disk.fsync_fails = iter([number == failing for number in range(2)])

    with pytest.raises(StorageFailed, match="input/output error"):
        files.save(DOCUMENT, NEW)

    assert disk.after_crash(DOCUMENT) <= {OLD, NEW}
    assert files.save(DOCUMENT, NEW) == files.state(DOCUMENT)
    assert disk.after_crash(DOCUMENT) == {NEW}


def test_a_failed_fsync_is_not_tried_again_on_its_descriptor(disk: SimulatedDisk) -> None:
    files = DurableFiles(ROOT, file_system=disk)
    files.save(DOCUMENT, OLD)
    disk.fsync_fails = iter([True])
    calls: list[str] = []
    disk.watch = calls.append

    with pytest.raises(StorageFailed):
        files.save(DOCUMENT, NEW)

    assert calls.count("fsync") == 1
    assert disk.listdir(DOCUMENT.parent) == [DOCUMENT.name]


class NoFileSync(SimulatedDisk):
    def _fsync(self, fd: int) -> None:
        if self._descriptors[fd][0].is_directory:
            super()._fsync(fd)


class NoDirectorySync(SimulatedDisk):
    def _fsync(self, fd: int) -> None:
        if not self._descriptors[fd][0].is_directory:
            super()._fsync(fd)


@pytest.mark.parametrize(
    ("careless", "left"),
    [
        pytest.param(NoFileSync, {b"", NEW, NEW[: len(NEW) // 2], bytes(len(NEW))}, id="file not synced"),
        pytest.param(NoDirectorySync, {None}, id="directory not synced"),
    ],
)
def test_the_simulated_disk_punishes_a_careless_save(careless: type[SimulatedDisk], left: set[bytes | None]) -> None:
    disk = careless(ROOT)

    DurableFiles(ROOT, file_system=disk).save(DOCUMENT, NEW)

    assert left <= disk.after_crash(DOCUMENT)


def test_a_cut_during_a_workflow_change_never_leaves_a_version_without_its_record(disk: SimulatedDisk) -> None:
    kept = WorkflowFiles(DurableFiles(ROOT, file_system=disk), TtlCache(max_entries=0, ttl_seconds=0), now=Clock())
    place, change = kept.place("acme", "wf_expenses"), Change(Author(), "edited")
    current = kept.commit(place, first_version(a_workflow(), Clock()()), change)
    record = place.record(2)
    heads, records = [], []

    def look(_: str) -> None:
        heads.append(disk.after_crash(place.document))
        records.append(disk.after_crash(record))

    [old] = disk.after_crash(place.document)
    disk.watch = look
    kept.commit(place, next_version(current, current.model_copy(update={"name": "Costs"}), Clock()()), change)

    [new] = disk.after_crash(place.document)
    assert all(head <= {old, new} for head in heads)
    assert all(len(kept_record) == 1 for head, kept_record in zip(heads, records, strict=True) if new in head)
    assert heads[-1] == {new}


def test_a_full_disk_while_undoing_leaves_the_first_failure_to_report(disk: SimulatedDisk) -> None:
    files = DurableFiles(ROOT, file_system=disk)
    files.save(DOCUMENT, OLD)
    disk.fsync_fails = iter([False, True, True])

    with pytest.raises(StorageFailed) as failure:
        files.save(DOCUMENT, NEW)

    assert failure.value.details["errno"] == errno.errorcode[errno.EIO]
