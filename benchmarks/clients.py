"""Many conversations at once over HTTP, by clients so cheap that the server is what is measured.

A client of httpx takes 2 to 7 ms of the processor for a request, more than some of the servers do for a turn.
"""

import asyncio
import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import quantiles
from urllib.parse import urlsplit

_ADDRESS = re.compile(r"http://[0-9.:]+")
_REQUEST = (
    "POST /api/v1/chat HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
)


@dataclass(frozen=True, slots=True)
class Load:
    """What came of some clients."""

    seconds: float
    each_ms: Sequence[float]

    @property
    def per_second(self) -> float:
        """Return the turns of one second."""
        return len(self.each_ms) / self.seconds

    @property
    def p99_ms(self) -> float:
        """Return the time that one turn in a hundred takes longer than."""
        return quantiles(self.each_ms, n=100, method="inclusive")[98]


def address_in(told: str) -> str:
    """Return the address in the line that a server prints once it listens."""
    found = _ADDRESS.search(told)
    assert found is not None, f"the server did not start; it said {told!r}"
    return found[0]


async def load(url: str, clients: int, turns: int, message_of: Callable[[int], str], *, reopens: bool = False) -> Load:
    """Let so many clients take so many turns each, one conversation a client.

    Args:
        url: Where the server is.
        clients: All begin at once.
        turns: Of each.
        message_of: What is said in a turn, from 1.
        reopens: Whether each turn has a connection of its own, rather than each client.

    Raises:
        RuntimeError: The server refused a message, or answered otherwise than servers on uvicorn do.
    """
    started = time.perf_counter()
    talks = (_conversation(url, turns, message_of, reopens=reopens) for _ in range(clients))
    done = await asyncio.gather(*talks)
    return Load(time.perf_counter() - started, [one for each in done for one in each])


async def _conversation(url: str, turns: int, message_of: Callable[[int], str], *, reopens: bool) -> list[float]:
    address = urlsplit(url)
    assert address.hostname is not None
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    said: dict[str, str] = {}
    taken: list[float] = []
    for turn in range(1, turns + 1):
        said["message"] = message_of(turn)
        body = json.dumps(said).encode()
        head = _REQUEST.format(host=address.netloc, length=len(body)).encode()
        started = time.perf_counter()
        writer.write(head + body)
        answer = await _answer(reader)
        taken.append((time.perf_counter() - started) * 1_000)
        said["conversation_id"] = json.loads(answer)["conversation_id"]
        if reopens and turn < turns:
            writer.close()
            reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.close()
    await writer.wait_closed()
    return taken


async def _answer(reader: asyncio.StreamReader) -> bytes:
    status, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines if line)
    if "content-length" not in headers:
        raise RuntimeError(f"{status!r} came without a length, which these clients need.")
    body = await reader.readexactly(int(headers["content-length"]))
    if status.split(" ")[1] != "200":
        raise RuntimeError(f"A turn was refused: {status}: {body.decode('utf-8', 'replace')}")
    return body
