"""A process that has imported everything and built the service once, and of which hosts are copies.

A host that starts takes some seconds of processor, nearly all of them for imports; a copy begins in a tenth of a
second and does what `workflow-agent serve` does from there on. Run as a script, with the release on PYTHONPATH;
it reads a host to begin from each line of standard input and answers with its process.
"""

import importlib
import json
import os
import signal
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from typing import Any


class ShiftedClock:
    """The clock of a host, which may be wrong."""

    ahead = timedelta()

    def now(self) -> datetime:
        """Return what it shows."""
        return datetime.now(UTC) + self.ahead


def main() -> None:
    """Begin hosts until the end of the input."""
    shifted = ShiftedClock()
    # Before anything else is imported, because modules take the function by its name.
    importlib.import_module("workflow_agent.main.process").__dict__["now"] = shifted.now
    run = importlib.import_module("workflow_agent.main").run
    for name in ("hosts", "serve", "composition"):
        importlib.import_module(f"workflow_agent.main.{name}")
    _built_once()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        order = json.loads(line)
        process = os.fork()
        if process == 0:
            shifted.ahead = timedelta(seconds=order["clock_seconds"])
            _become(order)
            run()
            os._exit(0)
        print(process, flush=True)


def _built_once() -> None:
    settings = importlib.import_module("workflow_agent.settings").Settings
    build = importlib.import_module("workflow_agent.main.composition").build
    with tempfile.TemporaryDirectory() as folder:
        provider = {"model": "openai:nobody", "model_base_url": "http://127.0.0.1:1/v1", "model_api_key": "k"}
        build(settings(data_dir=folder, **provider)).close()


def _become(order: dict[str, Any]) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.environ.update(order["environment"])
    sys.argv = ["workflow-agent", "serve"]


if __name__ == "__main__":
    main()
