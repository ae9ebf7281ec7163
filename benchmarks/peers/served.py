"""One peer behind HTTP, in a process of its own.

    python -m benchmarks.peers.served <peer> <directory> <seconds its model takes> [--calls]

It prints where it listens. The service is served as itself; every other peer gets a minimal application.
"""

import logging
import socket
import sys
from contextlib import closing
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


def _tell(listener: socket.socket) -> None:
    print(f"listens on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)


async def _serve(peer: Peer, directory: Path, seconds: float, listener: socket.socket, *, calls: bool) -> None:
    async with opens(peer)(directory, seconds, calls=calls) as talks:
        app = FastAPI()

        @app.post("/api/v1/chat")
        async def chat(said: Said) -> dict[str, str]:
            conversation = said.conversation_id or f"cv_{uuid4().hex}"
            response = await talks.say(conversation, said.message)
            return {"response": response, "conversation_id": conversation}

        # As long as its clients take: a connection that closes between two turns is not what is measured.
        config = uvicorn.Config(app, log_level="error", loop="uvloop", http="httptools", timeout_keep_alive=75)
        _tell(listener)
        await uvicorn.Server(config).serve([listener])


def _serve_ours(directory: Path, seconds: float, listener: socket.socket, *, calls: bool) -> None:
    # Here, because no other peer's process should load it; and as the command line does it.
    from workflow_agent.main.process import importing  # noqa: PLC0415 - see above

    with importing():
        from benchmarks.peers.ours import application  # noqa: PLC0415 - see above
        from workflow_agent.main.serve import serve_alone  # noqa: PLC0415 - see above

    with closing(application(directory, seconds, calls=calls)) as one:
        serve_alone(one, listener)


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    listening = socket.create_server(("127.0.0.1", 0), backlog=2_048)
    its_directory, its_seconds, is_calling = Path(sys.argv[2]), float(sys.argv[3]), "--calls" in sys.argv
    if sys.argv[1] == "ours":
        _serve_ours(its_directory, its_seconds, listening, calls=is_calling)
    else:
        import uvloop

        peer = PEERS[sys.argv[1]]
        uvloop.run(_serve(peer, its_directory, its_seconds, listening, calls=is_calling))
