"""A provider on a local port that speaks the OpenAI wire and does what a test tells it to."""

import asyncio
import json
import re
import socket
import struct
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

JsonObject = dict[str, Any]


@dataclass(frozen=True)
class Refuses:
    """An error response."""

    status: int
    code: str = "server_error"
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Says:
    """An answer in pieces, or in one document where no stream is asked for."""

    pieces: Sequence[str]
    is_cut: bool = False
    """Whether the connection breaks before the end."""
    usage: tuple[int, int, int] | None = (100, 10, 0)
    """What it reports: input tokens, output tokens, and how many of the input were cached."""
    finish: str | None = "stop"
    """Why it ended; None ends the stream without a word of it."""
    delta: str = "content"
    """As what the pieces are sent: `content`, `refusal`, `reasoning_content`."""


@dataclass(frozen=True)
class CallsTools:
    """An answer that calls tools; arguments may be any text, also what is not JSON."""

    calls: Sequence[tuple[str, str]]
    usage: tuple[int, int, int] = (100, 10, 0)


@dataclass(frozen=True)
class Embeds:
    """The same vector for each text."""

    tokens: int | None = 100
    """What it reports; None says nothing."""


@dataclass(frozen=True)
class Sends:
    """An answer byte for byte, each chunk by itself."""

    chunks: Sequence[bytes]
    content_type: str = "text/event-stream"
    status: str = "200 OK"
    headers: tuple[tuple[str, str], ...] = ()
    ending: Literal["whole", "cut", "reset", "hangs"] = "whole"
    """How it ends: as it should, with the connection closed or reset, or not at all."""


@dataclass(frozen=True)
class Hangs:
    """No answer at all."""


@dataclass(frozen=True)
class Holds:
    """An answer that is begun when the request is there, and given when the test lets it."""

    answer: "Answer"
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    let: asyncio.Event = field(default_factory=asyncio.Event)


Answer = Refuses | Says | CallsTools | Embeds | Sends | Hangs | Holds


@dataclass
class ProviderStub:
    """What the provider was asked, and what it answers next."""

    answers: list[Answer]
    requests: list[JsonObject] = field(default_factory=list)
    authorized_as: list[str] = field(default_factory=list)
    """The Authorization header of each request."""
    port: int = 0
    model: str = "stub-1"
    """Who it says it is."""
    chooses: Callable[[JsonObject], "Answer"] | None = None
    """Answers each request by what it says, in place of `answers`."""
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    serving: set[asyncio.Task[Any]] = field(default_factory=set)

    @property
    def base_url(self) -> str:
        """Return where it is."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request and close the connection."""
        task = asyncio.current_task()
        assert task is not None
        self.serving.add(task)
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"(?im)^content-length: *(\d+)", head)
            self.authorized_as += re.findall(r"(?im)^authorization: (.*?)\r$", head.decode())
            body = await reader.readexactly(int(length[1]) if length else 0)
            self.requests.append(json.loads(body or b"{}"))
            chosen = self.chooses(self.requests[-1]) if self.chooses else self.answers.pop(0)
            await self._answer(chosen, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, answer: Answer, writer: asyncio.StreamWriter) -> None:
        match answer:
            case Hangs():
                await self.closing.wait()
            case Holds(later, begun, let):
                begun.set()
                await self._until(let)
                await self._answer(later, writer)
            case Sends():
                await self._send(writer, answer)
            case Refuses(status, code, headers):
                error = {"error": {"message": f"refused: {code}", "type": code, "param": None, "code": code}}
                body = json.dumps(error).encode()
                _whole(writer, f"{status} Refused", body, headers)
            case Embeds(tokens):
                self._embed(writer, tokens)
            case Says(pieces, is_cut, usage, finish, delta):
                chunks = [{delta: piece} for piece in pieces]
                self._say(writer, chunks, finish, usage, is_cut=is_cut)
            case CallsTools(calls, usage):
                chunks = [
                    {
                        "tool_calls": [
                            {
                                "index": at,
                                "id": f"call_{len(self.requests)}_{at}",
                                "type": "function",
                                "function": {"name": name, "arguments": arguments},
                            }
                        ]
                    }
                    for at, (name, arguments) in enumerate(calls)
                ]
                self._say(writer, chunks, "tool_calls", usage)
        await writer.drain()

    async def _until(self, let: asyncio.Event) -> None:
        either = [asyncio.create_task(event.wait()) for event in (let, self.closing)]
        _, undone = await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        for task in undone:
            task.cancel()

    def _embed(self, writer: asyncio.StreamWriter, tokens: int | None) -> None:
        texts = self.requests[-1]["input"]
        data = [{"object": "embedding", "index": at, "embedding": [1.0, 0.5]} for at in range(len(texts))]
        told = {"usage": {"prompt_tokens": tokens, "total_tokens": tokens}} if tokens else {"usage": None}
        reply = {"object": "list", "data": data, "model": self.requests[-1]["model"], **told}
        _whole(writer, "200 OK", json.dumps(reply).encode())

    async def _send(self, writer: asyncio.StreamWriter, answer: Sends) -> None:
        if answer.chunks or answer.ending != "reset":
            lines = [
                f"HTTP/1.1 {answer.status}",
                f"content-type: {answer.content_type}",
                "connection: close",
                "transfer-encoding: chunked",
                *(f"{name}: {value}" for name, value in answer.headers),
            ]
            writer.write("\r\n".join(lines).encode() + b"\r\n\r\n")
        for chunk in answer.chunks:
            self._chunk(writer, chunk)
            await writer.drain()
        if answer.ending == "whole":
            writer.write(b"0\r\n\r\n")
        elif answer.ending == "hangs":
            await self.closing.wait()
        elif answer.ending == "reset":
            # Closed without lingering, a connection is reset.
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)

    def _say(
        self,
        writer: asyncio.StreamWriter,
        deltas: Sequence[JsonObject],
        finish: str | None,
        reported: tuple[int, int, int] | None,
        *,
        is_cut: bool = False,
    ) -> None:
        usage = None
        if reported is not None:
            read, wrote, cached = reported
            usage = {
                "prompt_tokens": read,
                "completion_tokens": wrote,
                "total_tokens": read + wrote,
                "prompt_tokens_details": {"cached_tokens": cached},
            }
        if self.requests[-1].get("stream"):
            self._stream(writer, deltas, finish, usage, is_cut=is_cut)
            return
        message: JsonObject = {"role": "assistant", "content": None}
        for name, given in ((name, given) for delta in deltas for name, given in delta.items()):
            message[name] = (message.get(name) or type(given)()) + given
        choice = {"index": 0, "message": message, "finish_reason": finish}
        body = json.dumps({**self._named("chat.completion"), "choices": [choice], "usage": usage}).encode()
        _whole(writer, "200 OK", body, sent=len(body) // 2 if is_cut else None)

    def _stream(
        self,
        writer: asyncio.StreamWriter,
        deltas: Sequence[JsonObject],
        finish: str | None,
        usage: JsonObject | None,
        *,
        is_cut: bool,
    ) -> None:
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n"
            b"connection: close\r\n\r\n"
        )
        for delta in deltas:
            self._event(
                writer, {"choices": [{"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": None}]}
            )
        if is_cut:
            return
        if finish is not None:
            self._event(writer, {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        if usage is not None:
            self._event(writer, {"choices": [], "usage": usage})
        self._chunk(writer, b"data: [DONE]\n\n")
        writer.write(b"0\r\n\r\n")

    def _event(self, writer: asyncio.StreamWriter, payload: JsonObject) -> None:
        whole = self._named("chat.completion.chunk") | payload
        self._chunk(writer, b"data: " + json.dumps(whole).encode() + b"\n\n")

    def _named(self, kind: str) -> JsonObject:
        return {"id": f"chatcmpl-{len(self.requests)}", "object": kind, "created": 1, "model": self.model}

    def _chunk(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")


def _whole(
    writer: asyncio.StreamWriter,
    status: str,
    body: bytes,
    headers: Sequence[tuple[str, str]] = (),
    sent: int | None = None,
) -> None:
    lines = [
        f"HTTP/1.1 {status}",
        "content-type: application/json",
        f"content-length: {len(body)}",
        "connection: close",
        *(f"{name}: {value}" for name, value in headers),
    ]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body[:sent])


@asynccontextmanager
async def provider_stub(*answers: Answer) -> AsyncIterator[ProviderStub]:
    """Serve a provider with these answers, one a request, for as long as the block lasts."""
    stub = ProviderStub(list(answers))
    async with served(stub):
        yield stub


@asynccontextmanager
async def served(stub: ProviderStub) -> AsyncIterator[None]:
    """Serve a provider for as long as the block lasts."""
    server = await asyncio.start_server(stub.serve, "127.0.0.1", 0)
    stub.port = server.sockets[0].getsockname()[1]
    try:
        yield
    finally:
        server.close()
        stub.closing.set()
        await asyncio.gather(*stub.serving)
