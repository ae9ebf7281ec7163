"""A proxy that breaks connections: the request arrives, the answer does not, or only its beginning."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

_METHODS = (b"POST ", b"GET ", b"DELETE ")


class _Answer:
    """How much of the answer to a connection's latest request still passes; None for all of it."""

    left_bytes: int | None = None


class CutProxy:
    """Passes bytes between a client and a server, but cuts connections where an answer begins."""

    def __init__(self, host: str, port: int, cuts: int) -> None:
        self._upstream = (host, port)
        self._cuts_left = cuts
        self._passed_bytes = 0
        self._lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.requests = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def cut(self, requests: int, *, after_bytes: int = 0) -> None:
        """Cut the connection of this many of the requests that come next, after so much of the answer."""
        with self._lock:
            self._cuts_left = requests
            self._passed_bytes = after_bytes

    def serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        answer = _Answer()
        with closing(client), closing(socket.create_connection(self._upstream)) as server, suppress(OSError):
            threading.Thread(target=self._forward, args=(client, server, answer), daemon=True).start()
            while data := server.recv(65_536):
                if answer.left_bytes is None:
                    client.sendall(data)
                    continue
                client.sendall(data[: answer.left_bytes])
                answer.left_bytes -= len(data)
                if answer.left_bytes <= 0:
                    # Closing alone waits for the thread that reads from it.
                    client.shutdown(socket.SHUT_RDWR)
                    return

    def _forward(self, client: socket.socket, server: socket.socket, answer: _Answer) -> None:
        with suppress(OSError):
            while data := client.recv(65_536):
                if data.startswith(_METHODS):
                    # Connections are used again: each request counts, not each connection.
                    answer.left_bytes = self._passing_of_next()
                server.sendall(data)

    def _passing_of_next(self) -> int | None:
        with self._lock:
            self.requests += 1
            self._cuts_left -= 1
            return self._passed_bytes if self._cuts_left >= 0 else None


@contextmanager
def cutting(host: str, port: int, cuts: int) -> Iterator[CutProxy]:
    """Serve a proxy that cuts the connections of this many requests."""
    proxy = CutProxy(host, port, cuts)
    thread = threading.Thread(target=proxy.serve, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        # Closing alone does not wake the thread that accepts.
        with suppress(OSError):
            proxy.listener.shutdown(socket.SHUT_RDWR)
        proxy.listener.close()
        thread.join(5)
