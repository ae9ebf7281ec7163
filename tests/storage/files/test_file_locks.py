"""One writer at a time."""

import asyncio
import stat
from pathlib import Path
from threading import Barrier, Thread

import pytest
from filelock import FileLock, Timeout

from workflow_agent.errors import StorageFailed
from workflow_agent.storage.files.locks import WriterQueues, locked, locked_for_long


def test_a_held_lock_keeps_others_out(tmp_path: Path) -> None:
    lock_file = tmp_path / "invoice-1.lock"

    with locked(lock_file), pytest.raises(Timeout):
        FileLock(lock_file, timeout=0).acquire()

    with FileLock(lock_file, timeout=0):
        pass
    assert stat.S_IMODE(lock_file.stat().st_mode) == 0o600


def test_who_waits_too_long_is_told_what_to_look_for(tmp_path: Path) -> None:
    lock_file = tmp_path / "invoice-1.lock"

    with (
        FileLock(lock_file),
        pytest.raises(StorageFailed, match=r"'invoice-1.lock'.*another process"),
        locked(lock_file, timeout_seconds=0.01),
    ):
        pass


def test_threads_take_turns_even_when_each_removes_the_file(tmp_path: Path) -> None:
    lock_file = tmp_path / "invoice-1.lock"
    start = Barrier(4)
    inside: list[int] = []
    seen: list[int] = []

    def work() -> None:
        start.wait()
        for _ in range(25):
            with locked(lock_file):
                inside.append(1)
                seen.append(len(inside))
                inside.pop()
                lock_file.unlink()

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert seen == [1] * 100


def test_a_lock_in_no_directory_is_reported(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match=r"Could not lock 'x.lock'"), locked(tmp_path / "none" / "x.lock"):
        pass


def test_a_link_in_place_of_the_lock_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.lock").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StorageFailed, match="symbolic link"), locked(tmp_path / "x.lock"):
        pass

    assert not (tmp_path / "elsewhere").exists()


async def test_a_queue_is_shared_while_somebody_uses_it() -> None:
    queues = WriterQueues()
    order: list[str] = []

    async def write(name: str) -> None:
        async with queues.of(Path("a.json")):
            order.append(f"{name} begins")
            await asyncio.sleep(0)
            order.append(f"{name} ends")

    await asyncio.gather(write("first"), write("second"))

    assert order == ["first begins", "first ends", "second begins", "second ends"]


async def test_long_work_is_done_by_one_at_a_time_and_leaves_no_file(tmp_path: Path) -> None:
    lock_file, begun, let = tmp_path / "x.lock", asyncio.Event(), asyncio.Event()
    order: list[str] = []

    async def work(name: str) -> None:
        async with locked_for_long(lock_file):
            order.append(f"{name} begins")
            begun.set()
            await let.wait()
            order.append(f"{name} ends")

    first = asyncio.create_task(work("first"))
    await begun.wait()
    second = asyncio.create_task(work("second"))
    await asyncio.sleep(0)
    let.set()
    await asyncio.gather(first, second)

    assert order == ["first begins", "first ends", "second begins", "second ends"]
    assert not lock_file.exists()
