"""Questions between the server processes on one data directory, over a Unix socket each."""

import asyncio
import logging
import os
import socket
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing, contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson
from typing_extensions import override

from workflow_agent.conversations.store import OtherProcesses, ProcessGone
from workflow_agent.values.stored import JsonObject

Answer = Callable[[JsonObject], AsyncGenerator[JsonObject]]
_log = logging.getLogger(__name__)
_LONGEST_LINE_BYTES = 64 * 2**20
_LONGEST_ADDRESS_BYTES = 100
"""The system takes 108 with the closing zero, others 104."""
_COMPLETE = b"\n"
"""An empty line ends an answer: what ends without one was cut off."""


class ProcessSockets(OtherProcesses):
    """Asks other processes over `.owners/<owner>.sock`, and answers there for its own.

    A question is one line of JSON, an answer a line of JSON a piece and an empty line. Only whoever may read
    the data directory can open the socket.
    """

    def __init__(self, root: Path, owner: str) -> None:
        self._directory = root / ".owners"
        self._owner = owner
        self._server: asyncio.Server | None = None
        self._answering: set[asyncio.Task[Any]] = set()
        self._asking: set[asyncio.StreamWriter] = set()
        self._nothing_asked = asyncio.Event()
        self._nothing_asked.set()

    async def listen(self, answer: Answer) -> None:
        """Answer other processes from here on; where no socket can be made, they do without."""

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None  # noqa: S101 - asyncio runs this in one
            self._answering.add(task)
            try:
                await _serve(reader, writer, answer)
            finally:
                self._answering.discard(task)
                writer.close()

        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with _address(self._directory, self._owner) as address:
                listener.bind(address)
            self._server = await asyncio.start_unix_server(serve, sock=listener)
        except OSError as error:
            listener.close()
            _log.warning("other processes cannot follow the runs of this one: %s", error)

    async def close(self, grace_seconds: float = 0.0) -> None:
        """Ask and answer nothing any more.

        For `grace_seconds` the answers to own questions may still come. Then they are cut off, and `ProcessGone` is
        raised where they are read. What is being answered is cut off after that.
        """
        with suppress(TimeoutError):
            await asyncio.wait_for(self._nothing_asked.wait(), grace_seconds)
        for writer in self._asking:
            writer.close()
        if self._server is None:
            return
        self._server.close()
        for task in self._answering:
            task.cancel()
        await asyncio.gather(*self._answering, return_exceptions=True)
        self._server = None
        with suppress(OSError):
            (self._directory / f"{self._owner}.sock").unlink()

    def reaches(self, owner: str) -> bool:
        """Say whether a process is on this machine and answers there."""
        return (self._directory / f"{owner}.sock").exists()

    @override
    async def answers(self, owner: str, question: JsonObject) -> AsyncGenerator[JsonObject]:
        try:
            with _address(self._directory, owner) as address:
                reader, writer = await asyncio.open_unix_connection(address, limit=_LONGEST_LINE_BYTES)
        except OSError as error:
            raise ProcessGone(f"process {owner!r} cannot be reached: {error}") from error
        self._asking.add(writer)
        self._nothing_asked.clear()
        try:
            writer.write(orjson.dumps(question) + b"\n")
            while (line := await reader.readline()) != _COMPLETE:
                if not line.endswith(b"\n"):
                    raise ProcessGone(f"process {owner!r} ended before its answer did")
                yield orjson.loads(line)
        except OSError as error:
            raise ProcessGone(f"the connection to process {owner!r} broke: {error}") from error
        finally:
            self._asking.discard(writer)
            if not self._asking:
                self._nothing_asked.set()
            writer.close()


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: Answer) -> None:
    try:
        question = orjson.loads(await reader.readline())
        async with aclosing(answer(question)) as pieces:
            async for piece in pieces:
                writer.write(orjson.dumps(piece) + b"\n")
                await writer.drain()
        writer.write(_COMPLETE)
        await writer.drain()
    except (OSError, ValueError):
        # Whoever asked went away, or is none of us; nobody is left to be told.
        _log.debug("a question of another process was not answered", exc_info=True)


@contextmanager
def _address(directory: Path, owner: str) -> Generator[str]:
    """Give a name of a process's socket that is short enough for the system."""
    path = directory / f"{owner}.sock"
    if len(os.fsencode(path)) <= _LONGEST_ADDRESS_BYTES:
        yield str(path)
        return
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{fd}/{path.name}"
    finally:
        os.close(fd)
