"""Saving, reading and putting aside single files."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.failing_files import FailingFileSystem, never
from workflow_agent.errors import StorageFailed
from workflow_agent.storage.files.durable import DurableFiles

OLD, NEW = b"the old content", b"the new content, which is longer"


@pytest.fixture
def files(tmp_path: Path) -> DurableFiles:
    return DurableFiles(tmp_path / "data")


@pytest.fixture
def document(files: DurableFiles) -> Path:
    return files.root / "acme" / "conversations" / "invoice-1.json"


def calls_of_a_save(tmp_path: Path) -> list[str]:
    """Return the names of the calls that replacing a file makes, in their order."""
    counting = FailingFileSystem(never, errno.EIO)
    files = DurableFiles(tmp_path / "counting", file_system=counting)
    files.save(files.root / "x.json", OLD)
    counting.made.clear()
    files.save(files.root / "x.json", NEW)
    return counting.made


def test_a_save_makes_the_promised_calls_and_no_more(tmp_path: Path) -> None:
    assert calls_of_a_save(tmp_path) == [
        "open",  # the old content, to go back to
        "open",
        "try_lock",
        "fstat",
        "write",
        "utime",
        "fsync",
        "fstat",
        "replace",
        "close",
        "open",
        "fsync",
        "close",  # the directory
        "close",
    ]


def test_what_was_saved_is_read_with_its_state(files: DurableFiles, document: Path) -> None:
    state = files.save(document, NEW)

    stored = files.read(document)

    assert stored is not None
    assert (stored.data, stored.state) == (NEW, state)
    assert files.state(document) == state


def test_every_save_has_a_state_of_its_own(files: DurableFiles, document: Path) -> None:
    states = {files.save(document, b"same size") for _ in range(50)}

    assert len(states) == 50


def test_a_large_file_is_saved_and_read_whole(files: DurableFiles, document: Path) -> None:
    content = os.urandom(3 * 2**20)

    files.save(document, content)

    stored = files.read(document)
    assert stored is not None
    assert stored.data == content


def test_only_the_owner_may_read_what_is_kept(files: DurableFiles, document: Path) -> None:
    files.save(document, NEW)

    modes = [stat.S_IMODE(path.stat().st_mode) for path in (files.root, document.parent.parent, document.parent)]
    assert modes == [0o700, 0o700, 0o700]
    assert stat.S_IMODE(document.stat().st_mode) == 0o600


def test_a_data_directory_below_missing_ones_is_made(tmp_path: Path) -> None:
    files = DurableFiles(tmp_path / "a" / "b" / "data")

    files.save(files.root / "x.json", NEW)

    assert (tmp_path / "a" / "b" / "data" / "x.json").read_bytes() == NEW


def test_a_directory_removed_while_serving_is_made_again(files: DurableFiles, document: Path) -> None:
    files.save(document, OLD)
    document.unlink()
    document.parent.rmdir()

    files.save(document, NEW)

    assert document.read_bytes() == NEW


def test_what_does_not_exist_reads_as_nothing(files: DurableFiles, document: Path) -> None:
    assert files.read(document) is None
    assert files.state(document) is None
    assert files.names(document.parent) == []
    files.remove(document)
    files.remove_directory(document.parent)


@pytest.mark.parametrize("number", range(14))
@pytest.mark.parametrize("error_number", [errno.EIO, errno.ENOSPC], ids=["EIO", "ENOSPC"])
@pytest.mark.parametrize("old", [OLD, None], ids=["replacing", "first"])
def test_a_save_that_fails_at_any_call_shows_the_old_content_and_leaves_nothing_behind(
    tmp_path: Path, number: int, error_number: int, old: bytes | None
) -> None:
    counting = FailingFileSystem(never, error_number)
    files = DurableFiles(tmp_path / "data", file_system=counting)
    path = files.root / "x.json"
    files.save(files.root / "other.json", OLD)
    if old is not None:
        files.save(path, old)
    start = len(counting.made)
    failed: list[str] = []

    def fails(call: int, name: str, _: Any) -> bool:
        if call == start + number:
            failed.append(name)
        return call == start + number

    counting._fails = fails
    try:
        files.save(path, NEW)
    except StorageFailed as failure:
        shown, code = old, failure.details["errno"]
        assert code == errno.errorcode[error_number]
    else:
        # The last call closes what was only read; without an old file there is one call less.
        assert number >= 13
        shown = NEW

    counting._fails = never
    stored = files.read(path)
    assert (stored and stored.data) == shown
    assert list(files.root.glob(".*.tmp")) == []
    files.save(path, NEW)
    assert path.read_bytes() == NEW


@pytest.mark.parametrize(
    ("error_number", "words"),
    [
        pytest.param(errno.ENOSPC, "the disk is full", id="full"),
        pytest.param(errno.EDQUOT, "quota", id="quota"),
        pytest.param(errno.EROFS, "read-only", id="read-only"),
        pytest.param(errno.EACCES, "permission was denied", id="permission"),
        pytest.param(errno.EIO, "input/output error", id="device"),
        pytest.param(errno.EMFILE, "too many files open", id="descriptors"),
        pytest.param(errno.ENOBUFS, "No buffer space", id="another"),
    ],
)
@pytest.mark.parametrize(
    ("call", "act"),
    [
        pytest.param("write", lambda files, path: files.save(path, NEW), id="save"),
        pytest.param("read", lambda files, path: files.read(path), id="read"),
        pytest.param("lstat", lambda files, path: files.state(path), id="state"),
        pytest.param("listdir", lambda files, path: files.names(path.parent), id="names"),
        pytest.param("replace", lambda files, path: files.move(path, path.with_name("y")), id="move"),
        pytest.param("unlink", lambda files, path: files.remove(path), id="remove"),
        pytest.param("mkdir", lambda files, path: files.ensure_directory(path / "z"), id="directory"),
        pytest.param("listdir", lambda files, path: files.remove_directory(path.parent), id="remove directory"),
    ],
)
def test_a_refusal_of_the_system_is_reported_in_words(
    tmp_path: Path, call: str, act: Callable[[DurableFiles, Path], object], error_number: int, words: str
) -> None:
    failing = FailingFileSystem(never, error_number)
    files = DurableFiles(tmp_path / "data", file_system=failing)
    path = files.root / "acme" / "x.json"
    files.save(path, OLD)
    failing._fails = lambda _number, name, _argument: name == call

    with pytest.raises(StorageFailed, match=words) as failure:
        act(files, path)

    assert "'acme" in failure.value.message
    assert str(tmp_path) not in failure.value.message


def test_a_link_is_not_followed(files: DurableFiles, document: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_bytes(OLD)
    files.ensure_directory(document.parent)
    document.symlink_to(secret)

    with pytest.raises(StorageFailed, match="symbolic link"):
        files.read(document)
    with pytest.raises(StorageFailed, match="symbolic link"):
        files.save(document, NEW)

    assert secret.read_bytes() == OLD


def test_what_is_no_plain_file_is_refused_without_waiting(files: DurableFiles, document: Path) -> None:
    files.ensure_directory(document.parent)
    os.mkfifo(document)

    with pytest.raises(StorageFailed, match="not a plain file"):
        files.read(document)


def test_a_path_below_a_file_is_refused(files: DurableFiles, document: Path) -> None:
    files.save(document, OLD)

    with pytest.raises(StorageFailed, match="not a directory"):
        files.save(document / "x.json", NEW)


def test_a_data_directory_below_a_dangling_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    files = DurableFiles(tmp_path / "dangling" / "data")

    with pytest.raises(StorageFailed, match="Could not save"):
        files.save(files.root / "x.json", NEW)


def test_what_is_set_aside_keeps_its_content_under_a_new_name(tmp_path: Path) -> None:
    files = DurableFiles(tmp_path / "data", now_ns=lambda: 1_795_262_400_250_000_000)
    path = files.root / "x.json"
    asides = []
    for content in (OLD, NEW):
        files.save(path, content)
        asides.append(files.set_aside(path))

    assert asides[0].name == "x.json.corrupt-20261121T120000250Z"
    assert asides[1].name.startswith("x.json.corrupt-20261121T120000250Z-")
    assert [aside.read_bytes() for aside in asides] == [OLD, NEW]
    assert files.state(path) is None


def test_a_directory_is_removed_with_all_below_it_but_not_what_links_lead_to(
    files: DurableFiles, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "keep").write_bytes(OLD)
    files.save(files.root / "a" / "b" / "c.json", OLD)
    (files.root / "a" / "link").symlink_to(outside)

    files.remove_directory(files.root / "a")

    assert files.names(files.root) == []
    assert (outside / "keep").exists()


def test_a_sweep_removes_what_a_crash_left_and_nothing_else(files: DurableFiles, document: Path) -> None:
    files.save(document, OLD)
    left = document.with_name(".invoice-1.json.0123456789abcdef.tmp")
    others = [document.with_name(name) for name in (".hidden.tmp", "notes.tmp", ".x.json.0123.tmp")]
    for path in (left, *others):
        path.write_bytes(b"part")
    (document.parent / ".d.0123456789abcdef.tmp").mkdir()
    (document.parent / ".l.0123456789abcdef.tmp").symlink_to(document)

    assert files.sweep() == [left]

    assert not left.exists()
    assert all(path.exists() for path in (document, *others, document.parent / ".l.0123456789abcdef.tmp"))


def test_a_sweep_of_a_directory_that_is_not_there_finds_nothing(files: DurableFiles) -> None:
    assert files.sweep() == []


def test_a_sweep_leaves_what_a_save_is_writing(tmp_path: Path) -> None:
    swept: list[list[Path]] = []

    def sweep_meanwhile(_number: int, name: str, _argument: Any) -> bool:
        if name in ("write", "replace"):
            swept.append(DurableFiles(tmp_path / "data").sweep())
        return False

    files = DurableFiles(tmp_path / "data", file_system=FailingFileSystem(sweep_meanwhile, errno.EIO))

    files.save(files.root / "x.json", NEW)

    assert swept == [[], []]
    assert (files.root / "x.json").read_bytes() == NEW


@pytest.mark.parametrize("moment", ["before its lock", "after its lock"])
def test_a_save_whose_new_file_was_swept_takes_another(tmp_path: Path, moment: str) -> None:
    swept: list[Path] = []

    def sweep_once(_number: int, name: str, _argument: Any) -> bool:
        if name == ("try_lock" if moment == "before its lock" else "fstat") and not swept:
            # What a sweep does between seeing the file and the save's claim on it.
            [left] = (tmp_path / "data").glob(".*.tmp")
            left.unlink()
            swept.append(left)
        return False

    files = DurableFiles(tmp_path / "data", file_system=FailingFileSystem(sweep_once, errno.EIO))

    files.save(files.root / "x.json", NEW)

    assert len(swept) == 1
    assert [path.name for path in files.root.iterdir()] == ["x.json"]


@pytest.mark.parametrize("call", ["lstat", "unlink"])
def test_a_sweep_does_not_mind_that_a_file_is_gone_meanwhile(tmp_path: Path, call: str) -> None:
    left = tmp_path / ".x.json.0123456789abcdef.tmp"
    left.write_bytes(b"part")

    def vanish(_number: int, name: str, _argument: Any) -> bool:
        if name == call:
            left.unlink()
        return False

    assert DurableFiles(tmp_path, file_system=FailingFileSystem(vanish, errno.EIO)).sweep() == []


def test_a_sweep_that_may_not_look_says_so(tmp_path: Path) -> None:
    (tmp_path / ".x.json.0123456789abcdef.tmp").write_bytes(b"part")
    failing = FailingFileSystem(lambda _number, name, _argument: name == "unlink", errno.EACCES)

    with pytest.raises(StorageFailed, match=r"Could not sweep .*permission"):
        DurableFiles(tmp_path, file_system=failing).sweep()


def test_a_sweep_reports_a_place_it_cannot_walk(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")

    with pytest.raises(StorageFailed, match=r"Could not sweep .*not a directory"):
        DurableFiles(tmp_path / "data").sweep()
