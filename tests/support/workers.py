"""A server with several workers, and clients that stay with one of them."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx

from tests.support.server_process import ServerProcess
from workflow_agent.storage.files.owners import running_owners

_SECONDS = 300.0


@asynccontextmanager
async def client_of_each(server: ServerProcess, workers: int = 2) -> AsyncIterator[list[httpx.AsyncClient]]:
    """Give a client for each worker, in the order of their numbers; a connection stays where it began."""
    found: dict[int, httpx.AsyncClient] = {}
    async with AsyncExitStack() as stack:
        async with asyncio.timeout(_SECONDS):
            while len(found) < workers:
                client = await stack.enter_async_context(connected_once(server))
                found.setdefault((await client.get("/health")).json()["worker"], client)
        yield [found[number] for number in sorted(found)]


def connected_once(server: ServerProcess) -> httpx.AsyncClient:
    """Return a client that keeps one connection; several requests at once would open more."""
    limits = httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=600)
    return httpx.AsyncClient(base_url=server.url, timeout=_SECONDS, limits=limits)


def pid_of(data: Path, number: int) -> int:
    """Return the process of a worker: whoever has its lock file open."""
    [owner] = [one for one in running_owners(data) if one.split("-")[1] == str(number)]
    lock = (data / ".owners" / f"{owner}.lock").stat()
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and _has_open(process, lock):
            return int(process.name)
    raise AssertionError(f"nobody has the lock of {owner}")


def _has_open(process: Path, file: os.stat_result) -> bool:
    try:
        opened = list((process / "fd").iterdir())
    except OSError:
        return False
    return any(_is(link, file) for link in opened)


def _is(link: Path, file: os.stat_result) -> bool:
    try:
        found = link.stat()
    except OSError:
        # A process that works has closed it since it was listed.
        return False
    return (found.st_dev, found.st_ino) == (file.st_dev, file.st_ino)
