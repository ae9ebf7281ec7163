"""Questions between hosts over a real Redis."""

import asyncio
import socket
import struct
import threading
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from pathlib import Path

import pytest
import uvloop

from tests.support.redis import emptied, redis_url
from workflow_agent.conversations.store import ProcessGone
from workflow_agent.storage.files.sockets import Answer, ProcessSockets
from workflow_agent.storage.redis import Redis, RedisProcesses
from workflow_agent.values.stored import JsonObject


class Hosts:
    """Hosts that share a Redis and no disk."""

    def __init__(self, root: Path, url: str) -> None:
        self.root, self.url = root, url
        self.open: list[RedisProcesses] = []

    async def named(self, owner: str, answer: Answer | None = None) -> RedisProcesses:
        directory = self.root / owner
        (directory / ".owners").mkdir(parents=True)
        host = RedisProcesses(Redis(self.url), ProcessSockets(directory, owner), lambda: owner, silence_seconds=0.5)
        if answer is not None:
            await host.listen(answer)
        self.open.append(host)
        return host


@pytest.fixture
async def hosts(tmp_path: Path) -> AsyncIterator[Hosts]:
    emptied()
    made = Hosts(tmp_path, redis_url())
    yield made
    for host in made.open:
        await host.close()


async def counting(question: JsonObject) -> AsyncGenerator[JsonObject]:
    for number in range(question["count"]):
        yield {"number": number, "text": "line\nbreak \u2028"}


async def asked(host: RedisProcesses, owner: str, question: JsonObject) -> list[JsonObject]:
    async with aclosing(host.answers(owner, question)) as told:
        return [piece async for piece in told]


async def test_the_pieces_of_an_answer_come_in_order(hosts: Hosts) -> None:
    await hosts.named("there", counting)
    here = await hosts.named("here")

    none, many = await asked(here, "there", {"count": 0}), await asked(here, "there", {"count": 3_000})

    assert none == []
    assert many == [{"number": number, "text": "line\nbreak \u2028"} for number in range(3_000)]


async def test_a_piece_comes_before_the_answer_is_complete(hosts: Hosts) -> None:
    let = asyncio.Event()

    async def answer(_: JsonObject) -> AsyncGenerator[JsonObject]:
        yield {"number": 1}
        await let.wait()
        yield {"number": 2}

    await hosts.named("there", answer)
    here = await hosts.named("here")

    async with aclosing(here.answers("there", {})) as told:
        first = await anext(told)
        let.set()
        rest = [piece async for piece in told]

    assert (first, rest) == ({"number": 1}, [{"number": 2}])


async def test_who_says_nothing_is_gone(hosts: Hosts) -> None:
    here = await hosts.named("here")

    with pytest.raises(ProcessGone, match="says nothing"):
        await asked(here, "there", {})


async def test_an_answer_breaks_off_when_redis_is_emptied_and_has_no_gap_before(hosts: Hosts) -> None:
    let = asyncio.Event()

    async def answer(_: JsonObject) -> AsyncGenerator[JsonObject]:
        yield {"number": 1}
        await let.wait()
        yield {"number": 2}
        await asyncio.Event().wait()

    await hosts.named("there", answer)
    here = await hosts.named("here")
    pieces: list[JsonObject] = []

    async def read() -> None:
        async with aclosing(here.answers("there", {})) as told:
            async for piece in told:
                pieces.append(piece)
                emptied()
                let.set()

    with pytest.raises(ProcessGone):
        await read()
    assert [piece["number"] for piece in pieces] in ([1], [1, 2])


async def test_without_redis_a_process_is_gone_and_listening_goes_on(tmp_path: Path) -> None:
    away = Hosts(tmp_path, "redis://127.0.0.1:9/0")
    here = await away.named("here", counting)

    with pytest.raises(ProcessGone, match="cannot be asked over Redis"):
        await asked(here, "there", {})
    await here.close()


def test_connections_that_end_as_soon_as_they_begin_are_a_redis_that_is_away() -> None:
    """As of a Redis that is killed: the end comes between two writes of a client."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        closing = threading.Thread(target=_closes_each, args=(server,))
        closing.start()
        redis = Redis(f"redis://127.0.0.1:{server.getsockname()[1]}/0")

        async def answers() -> set[bool]:
            return {await redis.answers() for _ in range(300)}

        try:
            assert uvloop.run(answers()) == {False}
        finally:
            server.shutdown(socket.SHUT_RDWR)
            closing.join()


def _closes_each(server: socket.socket) -> None:
    at_once = struct.pack("ii", 1, 0)
    with suppress(OSError):
        while True:
            connection, _ = server.accept()
            with connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
                connection.recv(1)


async def test_an_answer_that_nobody_reads_any_more_is_not_worked_on(hosts: Hosts) -> None:
    ended = asyncio.Event()

    async def answer(_: JsonObject) -> AsyncGenerator[JsonObject]:
        try:
            while True:
                yield {}
                await asyncio.sleep(0.01)
        finally:
            ended.set()

    await hosts.named("there", answer)
    here = await hosts.named("here")

    async with aclosing(here.answers("there", {})) as told:
        await anext(told)

    await asyncio.wait_for(ended.wait(), 20)
