"""The server as a process of its own, for what only the end of a process shows."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import httpx

_START = "from workflow_agent.main import run; run()"
_ANNOUNCED = re.compile(r"listens on (http://\S+)")


@dataclass
class ServerProcess:
    """A running server process."""

    process: subprocess.Popen[str]
    url: str

    def client(self) -> httpx.AsyncClient:
        """Return a client of the server."""
        return httpx.AsyncClient(base_url=self.url, timeout=60)

    def kill(self) -> None:
        """End it as a crash would; fine when it has ended."""
        with self.process:
            self.process.kill()


def server_process(
    data: Path, environment: Mapping[str, str] | None = None, *options: str, log: IO[bytes] | None = None
) -> ServerProcess:
    """Start a server on a free port and return it once it listens; its log goes to a file, or nowhere."""
    command = [sys.executable, "-c", _START, "serve", "--port", "0", "--data-dir", str(data), *options]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=log or subprocess.DEVNULL,
        text=True,
        env={**os.environ, **(environment or {})},
    )
    assert process.stdout is not None
    for line in process.stdout:
        if announced := _ANNOUNCED.search(line):
            return ServerProcess(process, announced[1])
    raise AssertionError(f"the server ended with {process.wait()} before it listened")
