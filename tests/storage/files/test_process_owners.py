"""Who is alive, and what the dead were working on."""

import fcntl
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from workflow_agent.errors import StorageFailed
from workflow_agent.storage.files.owners import ProcessOwners, new_owner_id

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def owners(data: Path) -> Iterator[ProcessOwners]:
    here = ProcessOwners(data, "here")
    yield here
    here.close()


@contextmanager
def process(data: Path, owner: str, *conversations: str) -> Iterator["subprocess.Popen[str]"]:
    """Run another process that is alive and has noted the conversations."""
    command = [sys.executable, "-m", "tests.support.hold_owner", str(data), owner, *conversations]
    with subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        try:
            yield other
        finally:
            other.kill()


def leave(data: Path, owner: str, *conversations: str) -> None:
    """Leave what a process leaves that died while it worked on the conversations."""
    dead = ProcessOwners(data, owner)
    for conversation_id in conversations:
        dead.note("acme", conversation_id)
    dead.close()


def files_of(data: Path) -> list[str]:
    return sorted(path.name for path in (data / ".owners").iterdir())


def test_a_process_is_alive_until_it_dies_however_it_dies(data: Path, owners: ProcessOwners) -> None:
    with process(data, "there") as other:
        assert owners.is_alive("there")

        other.kill()
        other.wait()

        assert not owners.is_alive("there")


def test_this_process_is_alive_to_itself_and_to_others(data: Path, owners: ProcessOwners) -> None:
    assert owners.owner == "here"
    assert owners.is_alive("here")
    other = ProcessOwners(data, "other")
    assert other.is_alive("here")
    other.close()


@pytest.mark.parametrize("owner", ["nobody", "", "../../etc/passwd", "a/b", "here\n", "x" * 65])
def test_an_unknown_owner_is_not_alive(owners: ProcessOwners, owner: str) -> None:
    assert not owners.is_alive(owner)


def test_asking_does_not_make_a_dead_owner_look_alive(data: Path, owners: ProcessOwners) -> None:
    leave(data, "there", "c1")

    other = ProcessOwners(data, "other")

    assert [one.is_alive("there") for one in (owners, other, owners)] == [False] * 3
    other.close()


def test_two_who_ask_at_the_same_time_do_not_take_each_other_for_the_owner(data: Path, owners: ProcessOwners) -> None:
    leave(data, "there", "c1")

    with (data / ".owners" / "there.lock").open() as asked_by_another:
        fcntl.flock(asked_by_another, fcntl.LOCK_SH)

        assert not owners.is_alive("there")


async def test_runs_of_dead_processes_are_found_and_forgotten(data: Path, owners: ProcessOwners) -> None:
    owners.note("acme", "mine")
    leave(data, "first", "c1", "c2")
    alive = ProcessOwners(data, "alive")
    alive.note("acme", "c9")
    with process(data, "second", "c2", "c3"):
        assert await owners.abandoned() == [("acme", "c1"), ("acme", "c2")]

    assert await owners.abandoned() == [("acme", "c1"), ("acme", "c2"), ("acme", "c3")]
    await owners.forget_abandoned()

    assert await owners.abandoned() == []
    assert files_of(data) == ["alive.lock", "alive.runs", "here.lock", "here.runs"]
    alive.close()


async def test_one_that_died_after_the_look_is_not_forgotten(data: Path, owners: ProcessOwners) -> None:
    with process(data, "there", "c1"):
        await owners.abandoned()

    await owners.forget_abandoned()

    assert await owners.abandoned() == [("acme", "c1")]


async def test_one_that_came_alive_after_the_look_is_not_forgotten(data: Path, owners: ProcessOwners) -> None:
    (data / ".owners" / "starting.lock").touch()
    assert await owners.abandoned() == []
    starting = ProcessOwners(data, "starting")

    await owners.forget_abandoned()

    assert owners.is_alive("starting")
    starting.close()


async def test_what_another_process_forgot_already_is_no_error(data: Path, owners: ProcessOwners) -> None:
    leave(data, "there", "c1")
    other = ProcessOwners(data, "other")
    await owners.abandoned()
    await other.abandoned()

    await owners.forget_abandoned()
    await other.forget_abandoned()

    assert await owners.abandoned() == []
    other.close()


@pytest.mark.parametrize(
    "cut",
    [
        pytest.param(b"acme c1\nac", id="cut off"),
        pytest.param(b"acme c1\nacme ../x\n../y c2\nacme c3 more\n\n", id="not what we write"),
        pytest.param(b"acme c1\n\xff\xfe\n", id="not text"),
    ],
)
async def test_a_damaged_hint_costs_no_more_than_its_line(data: Path, owners: ProcessOwners, cut: bytes) -> None:
    leave(data, "there", "c1")
    (data / ".owners" / "there.runs").write_bytes(cut)

    assert await owners.abandoned() == [("acme", "c1")]


async def test_a_missing_hint_is_no_error(data: Path, owners: ProcessOwners) -> None:
    leave(data, "there", "c1")
    (data / ".owners" / "there.runs").unlink()

    assert await owners.abandoned() == []


def test_settled_runs_are_not_hinted_at(data: Path, owners: ProcessOwners) -> None:
    hint = data / ".owners" / "here.runs"
    for conversation_id in ("c1", "c2", "c1"):
        owners.note("acme", conversation_id)
    assert hint.read_text() == "acme c1\nacme c2\n"

    owners.settle("acme", "c1")
    owners.settle("acme", "c2")
    assert "acme c1\n" in hint.read_text()
    owners.settle("acme", "c1")

    assert hint.read_text() == ""


def test_a_hint_that_grew_long_is_cut_to_what_is_active(data: Path, owners: ProcessOwners) -> None:
    owners.note("acme", "stays")
    for number in range(700):
        owners.note("acme", f"{'c' * 50}{number:04d}")
        owners.note("umbrella", f"{'c' * 50}{number:04d}")
        owners.settle("acme", f"{'c' * 50}{number:04d}")
        owners.settle("umbrella", f"{'c' * 50}{number:04d}")

    lines = (data / ".owners" / "here.runs").read_text().splitlines()
    assert len(lines) < 1_000
    assert "acme stays" in lines


@pytest.mark.parametrize(
    ("conversations", "left"),
    [pytest.param([], [], id="nothing active"), pytest.param(["c1"], ["here.lock", "here.runs"], id="one active")],
)
async def test_a_closed_owner_leaves_files_only_for_active_runs(
    data: Path, conversations: list[str], left: list[str]
) -> None:
    owners = ProcessOwners(data, "here")
    for conversation_id in conversations:
        owners.note("acme", conversation_id)

    owners.close()

    assert files_of(data) == left
    other = ProcessOwners(data, "other")
    assert not other.is_alive("here")
    assert await other.abandoned() == [("acme", one) for one in conversations]
    other.close()


def test_the_directories_are_the_owners_alone(data: Path, owners: ProcessOwners) -> None:
    assert [stat.S_IMODE(path.stat().st_mode) for path in (data, data / ".owners")] == [0o700, 0o700]


def test_a_place_that_cannot_hold_the_files_is_reported(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")

    with pytest.raises(StorageFailed, match=r"Could not make '\.owners'"):
        ProcessOwners(tmp_path / "data", "here")


def test_owner_ids_are_not_used_twice() -> None:
    assert len({new_owner_id() for _ in range(100)}) == 100


async def test_the_last_sign_of_life_outlives_its_process(tmp_path: Path) -> None:
    owners = ProcessOwners(tmp_path, "me")
    before = datetime.now(UTC) - timedelta(seconds=1)
    os.utime(tmp_path / ".owners" / "me.lock", (0, 0))

    owners.beat()
    owners.note("default", "talk")
    owners.close()

    seen = await ProcessOwners(tmp_path, "other").last_seen("me")
    assert seen is not None
    assert seen > before
    assert await ProcessOwners(tmp_path, "third").last_seen("nobody") is None
