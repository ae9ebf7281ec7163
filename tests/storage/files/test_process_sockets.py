"""Questions between processes, over sockets in the data directory."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from workflow_agent.conversations.store import ProcessGone
from workflow_agent.storage.files.owners import ProcessOwners
from workflow_agent.storage.files.sockets import ProcessSockets


async def counted(question: dict[str, Any]) -> AsyncGenerator[dict[str, Any]]:
    for number in range(question["up_to"]):
        yield {"number": number}


def sockets(root: Path, owner: str) -> ProcessSockets:
    (root / ".owners").mkdir(parents=True, exist_ok=True)
    return ProcessSockets(root, owner)


async def asked(one: ProcessSockets, owner: str, up_to: int) -> list[int]:
    return [piece["number"] async for piece in one.answers(owner, {"up_to": up_to})]


@pytest.mark.parametrize("depth", [0, 12], ids=["a short path", "a path longer than a socket's address may be"])
async def test_a_process_is_asked_and_answers_piece_by_piece(tmp_path: Path, depth: int) -> None:
    root = tmp_path.joinpath(*["a-directory"] * depth)
    here, there = sockets(root, "here"), sockets(root, "there")
    await there.listen(counted)

    assert await asked(here, "there", 3) == [0, 1, 2]
    assert await asked(here, "there", 0) == []

    await there.close()
    assert not (root / ".owners" / "there.sock").exists()


async def test_who_is_not_there_is_gone(tmp_path: Path) -> None:
    with pytest.raises(ProcessGone, match="'nobody' cannot be reached"):
        await asked(sockets(tmp_path, "here"), "nobody", 1)


async def test_an_answer_that_is_cut_off_says_so(tmp_path: Path) -> None:
    here, there = sockets(tmp_path, "here"), sockets(tmp_path, "there")

    async def unending(_: dict[str, Any]) -> AsyncGenerator[dict[str, Any]]:
        yield {"number": 0}
        await asyncio.Event().wait()

    await there.listen(unending)
    pieces = here.answers("there", {})
    await anext(pieces)
    await there.close()

    with pytest.raises(ProcessGone, match="ended before its answer did"):
        await anext(pieces)


@pytest.mark.parametrize("ends_in_time", [True, False])
async def test_who_closes_lets_answers_to_it_end_for_a_while(tmp_path: Path, ends_in_time: bool) -> None:
    here, there = sockets(tmp_path, "here"), sockets(tmp_path, "there")
    let = asyncio.Event()

    async def waiting(_: dict[str, Any]) -> AsyncGenerator[dict[str, Any]]:
        yield {"number": 0}
        await let.wait()
        yield {"number": 1}

    await there.listen(waiting)
    pieces = here.answers("there", {})
    await anext(pieces)
    following = asyncio.ensure_future(anext(pieces))

    closing = asyncio.create_task(here.close(60.0 if ends_in_time else 0.0))
    if ends_in_time:
        let.set()
        assert await following == {"number": 1}
        assert await anext(pieces, None) is None
    else:
        with pytest.raises(ProcessGone, match="ended before its answer did"):
            await following
    await closing
    await there.close()


async def test_who_stops_listening_to_an_answer_disturbs_nobody(tmp_path: Path) -> None:
    here, there = sockets(tmp_path, "here"), sockets(tmp_path, "there")
    await there.listen(counted)

    async with aclosing(here.answers("there", {"up_to": 100_000})) as pieces:
        assert await anext(pieces) == {"number": 0}

    assert await asked(here, "there", 2) == [0, 1]
    await there.close()


async def test_what_is_no_question_is_not_answered(tmp_path: Path) -> None:
    there = sockets(tmp_path, "there")
    await there.listen(counted)
    reader, writer = await asyncio.open_unix_connection(tmp_path / ".owners" / "there.sock")
    writer.write(b"GET / HTTP/1.1\r\n")

    assert await reader.read() == b""

    writer.close()
    await there.close()


async def test_a_place_without_sockets_is_done_without(tmp_path: Path) -> None:
    there = sockets(tmp_path, "there")
    (tmp_path / ".owners" / "there.sock").touch()

    await there.listen(counted)

    with pytest.raises(ProcessGone):
        await asked(there, "there", 1)
    await there.close()


async def test_what_a_dead_process_left_of_its_socket_is_removed_with_it(tmp_path: Path) -> None:
    dead = ProcessOwners(tmp_path, "dead")
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / ".owners" / "dead.sock"))
    dead.note("acme", "c1")
    dead.close()
    owners = ProcessOwners(tmp_path, "here")

    await owners.abandoned()
    await owners.forget_abandoned()

    assert sorted(path.name for path in (tmp_path / ".owners").iterdir()) == ["here.lock", "here.runs"]
    owners.close()
