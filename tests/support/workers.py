"""A server with several workers, and clients that stay with one of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import httpx

from tests.support.server_process import ServerProcess

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
