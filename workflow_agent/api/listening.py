"""Where the server may listen."""

import socket

from workflow_agent.domain.errors import CannotListen
from workflow_agent.settings import ENV_PREFIX, Settings

_BACKLOG = 2_048


def listening_socket(settings: Settings) -> socket.socket:
    """Return a socket that listens where the settings say.

    Raises:
        CannotListen: The address is taken, or not this machine's.
    """
    host = settings.host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, settings.port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise CannotListen(
            f"Cannot listen on {settings.host} port {settings.port}: {error.strerror or error}. "
            f"Choose another with --port or {ENV_PREFIX}PORT."
        ) from error
    # Connections have it from the listener. Not every event loop asks for it where it is given a socket, and
    # without it an answer in two pieces waits for the client to acknowledge the first, 40 ms on Linux.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def address_of(settings: Settings, listener: socket.socket) -> str:
    """Return the address at which a listening socket is reached, for people and programs."""
    host = f"[{settings.host}]" if ":" in settings.host.strip("[]") else settings.host
    return f"http://{host}:{listener.getsockname()[1]}"
