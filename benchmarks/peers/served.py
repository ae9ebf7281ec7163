"""One peer behind HTTP, in a process of its own.

    python -m benchmarks.peers.served <peer> <directory> <seconds its model takes>

It prints the port. The service is served as itself; every other peer gets a minimal application.
"""

import asyncio
import logging
import socket
import sys
from pathlib import Path
from uuid import uuid4

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

from benchmarks.peers.protocol import PEERS, Peer
from benchmarks.peers.talking import opens


class Said(BaseModel):
    """A message."""

    message: str
    conversation_id: str | None = None


def _told(port: int) -> None:
    print(port, flush=True)


async def _serve(peer: Peer, directory: Path, seconds: float, listener: socket.socket) -> None:
    async with opens(peer)(directory, seconds) as talks:
        app = FastAPI()

        @app.post("/api/v1/chat")
        async def chat(said: Said) -> dict[str, str]:
            conversation = said.conversation_id or f"cv_{uuid4().hex}"
            response = await talks.say(conversation, said.message)
            return {"response": response, "conversation_id": conversation}

        # As long as its clients take: a connection that closes between two turns is not what is measured.
        config = uvicorn.Config(
            app, log_level="error", loop="uvloop", http="httptools", timeout_keep_alive=75
        )
        _told(listener.getsockname()[1])
        await uvicorn.Server(config).serve([listener])


def _serve_ours(directory: Path, seconds: float, listener: socket.socket) -> None:
    from benchmarks.peers.ours import application  # noqa: PLC0415 - no other peer's process should load it
    from workflow_agent.api.server import make_server  # noqa: PLC0415 - see above

    one = application(directory, seconds)
    server = make_server(one.app, one.settings, one.finish)
    with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as loop:
        loop.run(one.prepare())
        _told(listener.getsockname()[1])
        loop.run(server.serve([listener]))
    one.close()


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    listening = socket.create_server(("127.0.0.1", 0), backlog=2_048)
    if sys.argv[1] == "ours":
        _serve_ours(Path(sys.argv[2]), float(sys.argv[3]), listening)
    else:
        import uvloop

        uvloop.run(_serve(PEERS[sys.argv[1]], Path(sys.argv[2]), float(sys.argv[3]), listening))
