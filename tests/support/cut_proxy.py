"""A proxy that breaks connections: the request arrives, the answer does not."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress


class CutProxy:
    """Passes bytes between a client and a server, but cuts the first connections once an answer begins."""

    def __init__(self, host: str, port: int, cuts: int) -> None:
        self._upstream = (host, port)
        self._cuts_left = cuts
        self._lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.requests = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def cut(self, connections: int) -> None:
        """Cut this many of the connections that come next."""
        with self._lock:
            self._cuts_left = connections

    def serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        with self._lock:
            is_cut = self._cuts_left > 0
            self._cuts_left -= 1
            self.requests += 1
        with closing(client), closing(socket.create_connection(self._upstream)) as server, suppress(OSError):
            threading.Thread(target=self._forward, args=(client, server), daemon=True).start()
            while data := server.recv(65_536):
                if is_cut:
                    # Closing alone waits for the thread that reads from it.
                    client.shutdown(socket.SHUT_RDWR)
                    return
                client.sendall(data)

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := client.recv(65_536):
                server.sendall(data)


@contextmanager
def cutting(host: str, port: int, cuts: int) -> Iterator[CutProxy]:
    """Serve a proxy that cuts this many connections."""
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
