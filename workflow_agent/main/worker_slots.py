"""The workers of one server: which of them a process is, and how they are announced."""

import secrets
import socket
from dataclasses import dataclass

from workflow_agent.api.server import address_of
from workflow_agent.settings import Settings


@dataclass(frozen=True, slots=True)
class WorkerSlot:
    """A worker's place beside the others of its server; the process on it may change, the slot stays."""

    group: str
    """The same for all workers of a server, and no other server's."""
    number: int
    """From 1."""

    def new_owner_id(self) -> str:
        """Return an id for the process that takes this slot now."""
        return f"{self.group}-{self.number}-{secrets.token_hex(6)}"

    def number_of(self, owner: str) -> int | None:
        """Return the slot number of a process, or None if it belongs to another server."""
        group, _, rest = owner.partition("-")
        return int(rest.partition("-")[0]) if group == self.group else None


def new_group() -> str:
    """Return a name for the workers of a server that starts now."""
    return f"w{secrets.token_hex(6)}"


def announcement(settings: Settings, listener: socket.socket) -> str:
    """Return the line that tells the operator where the server listens."""
    workers = f"{settings.workers} workers, " if settings.workers > 1 else ""
    return (
        f"workflow-agent listens on {address_of(settings, listener)} ({workers}model {settings.model}, "
        f"data in {settings.data_dir.resolve()}; Ctrl-C stops it)"
    )
