"""What a worker does in tests of its supervision; its process imports this by name."""

import socket
import threading

from workflow_agent.main.workers import Supervision, WorkerSlot
from workflow_agent.settings import Settings


def hang(_settings: Settings, _slot: WorkerSlot, _listener: socket.socket, supervision: Supervision) -> None:
    """Take requests, and never do anything again."""
    supervision.ready()
    threading.Event().wait()


def end(_settings: Settings, _slot: WorkerSlot, _listener: socket.socket, supervision: Supervision) -> None:
    """Take requests, give a sign of life, and end as a crash would."""
    supervision.ready()
    supervision.alive()
    raise SystemExit(3)
