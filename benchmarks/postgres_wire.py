"""A line to PostgreSQL that can be watched and cut, statement by statement."""

import asyncio
import struct
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit, urlunsplit

_CLOSING_SECONDS = 10.0
_LOST = (OSError, asyncio.IncompleteReadError)


@dataclass
class Sent:
    """A statement as it goes over the line, with its values in the server's binary form."""

    text: str
    values: Sequence[bytes | None]
    rows: int = 0
    """How many it gave or changed, once it is done."""

    def word(self, number: int) -> str | None:
        """Return the value of `$number`, a text."""
        value = self.values[number - 1]
        return None if value is None else value.decode()

    def integer(self, number: int) -> int | None:
        """Return the value of `$number`, an integer of any width."""
        value = self.values[number - 1]
        return None if value is None else int.from_bytes(value, signed=True)


Watch = Callable[[Sent, bool], Awaitable[bool]]
"""Is told of a statement before it goes, and again (True) when the server has done it and nobody knows yet;
says whether it is passed on. Where it is not, the connection breaks."""


@dataclass(eq=False)
class Wire:
    """Where one host finds its database."""

    target: str
    watch: Watch
    is_cut: bool = False
    """Whether nobody gets through."""
    linger_seconds: float = 0.0
    """How long the end of one side takes to reach the other."""
    port: int = 0
    _server: asyncio.Server | None = None
    _lines: set["_Line"] = field(default_factory=set["_Line"])
    _serving: set["asyncio.Task[Any]"] = field(default_factory=set["asyncio.Task[Any]"])

    async def open(self) -> None:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    @property
    def url(self) -> str:
        """Return the address of the database over this line."""
        there = urlsplit(self.target)
        user = f"{there.username or 'postgres'}:{there.password}" if there.password else there.username
        return urlunsplit(there._replace(netloc=f"{user or 'postgres'}@127.0.0.1:{self.port}", query="sslmode=disable"))

    def cut(self) -> None:
        """Break every connection, and let nobody through until `is_cut` is false."""
        self.is_cut = True
        for line in list(self._lines):
            line.close()

    def keys(self) -> list[int]:
        """Return the server's process of each connection."""
        return [line.process for line in self._lines if line.process]

    async def close(self) -> None:
        """Listen no more, and break every connection."""
        self.cut()
        if self._server is not None:
            self._server.close()
        if self._serving:
            _, left = await asyncio.wait(self._serving, timeout=_CLOSING_SECONDS)
            for one in left:
                one.cancel()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_cut:
            writer.close()
            return
        try:
            server_reader, server_writer = await self._reached()
        except OSError:
            writer.close()
            return
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        line = _Line(reader, writer, server_reader, server_writer, self.watch, self.linger_seconds)
        self._lines.add(line)
        try:
            await line.run()
        finally:
            self._lines.discard(line)
            self._serving.discard(task)
            line.close()

    async def _reached(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        there = urlsplit(self.target)
        folder = parse_qs(there.query).get("host", [""])[0]
        if folder:
            return await asyncio.open_unix_connection(f"{folder}/.s.PGSQL.{there.port or 5432}")
        return await asyncio.open_connection(there.hostname, there.port or 5432)


@dataclass(eq=False)
class _Line:
    """One connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    server_reader: asyncio.StreamReader
    server_writer: asyncio.StreamWriter
    watch: Watch
    linger_seconds: float
    process: int = 0
    _texts: dict[bytes, str] = field(default_factory=dict[bytes, str])
    _open: Sent | None = None
    _closed: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        """Pass on what either side says until one of them ends."""
        both = [asyncio.create_task(one) for one in (self._asked(), self._answered())]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._closed.wait(), self.linger_seconds)
        for one in both:
            one.cancel()
        await asyncio.gather(*both, return_exceptions=True)

    def close(self) -> None:
        """Break it."""
        self._closed.set()
        for one in (self.writer, self.server_writer):
            # Nothing that is still to be sent is: it breaks as a cable does.
            one.transport.abort()

    async def _asked(self) -> None:
        with suppress(*_LOST):
            length = await self.reader.readexactly(4)
            self.server_writer.write(length + await self._rest(length))
            while True:
                kind = await self.reader.readexactly(1)
                length = await self.reader.readexactly(4)
                body = await self._rest(length)
                if kind == b"P":
                    name, text, _ = body.split(b"\0", 2)
                    self._texts[name] = text.decode()
                elif kind == b"B":
                    self._open = self._bound(body)
                    if not await self.watch(self._open, False):
                        return
                self.server_writer.write(kind + length + body)
                await self.server_writer.drain()

    async def _rest(self, length: bytes) -> bytes:
        return await self.reader.readexactly(int.from_bytes(length) - 4)

    def _bound(self, body: bytes) -> Sent:
        _, name, rest = body.split(b"\0", 2)
        (formats,) = struct.unpack_from("!h", rest)
        at = 2 + 2 * formats
        (count,) = struct.unpack_from("!h", rest, at)
        at += 2
        values: list[bytes | None] = []
        for _ in range(count):
            (size,) = struct.unpack_from("!i", rest, at)
            at += 4
            values.append(None if size < 0 else rest[at : at + size])
            at += max(size, 0)
        return Sent(self._texts.get(name, ""), values)

    async def _answered(self) -> None:
        with suppress(*_LOST):
            while True:
                kind = await self.server_reader.readexactly(1)
                length = await self.server_reader.readexactly(4)
                body = await self.server_reader.readexactly(int.from_bytes(length) - 4)
                if kind == b"K":
                    self.process = int.from_bytes(body[:4])
                done, is_done = self._open, kind == b"Z"
                if kind == b"C" and done is not None:
                    # Such as "INSERT 0 1" or "SELECT 5".
                    done.rows = int(body[:-1].split()[-1])
                if is_done and done is not None:
                    self._open = None
                    if not await self.watch(done, True):
                        return
                self.writer.write(kind + length + body)
                if is_done:
                    await self.writer.drain()
