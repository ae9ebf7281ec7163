"""The composition root: joins the command line, the settings and the service."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workflow_agent.cli import cli
from workflow_agent.cli.context import Wiring
from workflow_agent.errors import Misconfigured
from workflow_agent.main.process import importing
from workflow_agent.settings import Settings
from workflow_agent.storage.files.owners import running_owners

if TYPE_CHECKING:
    import socket

    from workflow_agent.main.workers import Supervision, WorkerSlot


def run() -> None:
    """Run the command line."""
    # The library's own greeting would stand in the first reply and in the log of a server.
    os.environ.setdefault("PYDANTIC_AI_NO_BANNER", "1")
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets a question mark; files and pipes are never changed so.
        if isinstance(stream, io.TextIOWrapper) and stream.isatty():
            stream.reconfigure(errors="replace")
    cli(obj=wiring())


def wiring() -> Wiring:
    """Return how commands get at what they need."""
    return Wiring(
        serve=_serve,
        open_data=_late("holdings", "open_data"),
        open_workflows=_late("data", "open_workflows"),
        application=_late("in_process", "application_transport"),
        try_provider=_late("providers", "try_provider"),
        migrate_database=lambda settings, row_security: _hosts_of(settings).migrated(row_security),
        move=_late("holdings", "moved_in_words"),
        verify=_late("holdings", "verified"),
        examine_database=lambda settings: _hosts_of(settings).examined(),
        running=running_owners,
        run_program=_run_program,
        speak_mcp=_speak_mcp,
    )


def _run_program(program: Sequence[str], folder: Path) -> int:
    return subprocess.run(program, cwd=folder, check=False).returncode  # noqa: S603 - this Python, and modules of a checkout


def _late(module: str, name: str) -> Any:
    """Return a function whose module is imported when it is called: that takes seconds which help need not wait."""

    def call(*given: Any) -> Any:
        with importing():
            function = getattr(import_module(f"{__name__}.{module}"), name)
        return function(*given)

    return call


_hosts_of = _late("data", "hosts_of")


def _serve(settings: Settings) -> None:
    if settings.workers > 1:
        _late("workers", "serve_with_workers")(settings, serve_as_worker)
    else:
        _late("serve", "serve")(settings)


def serve_as_worker(settings: Settings, slot: WorkerSlot, listener: socket.socket, supervision: Supervision) -> None:
    """Serve as one of several workers until told to stop, or until the supervisor is gone.

    The process of a worker imports this function by its name, and what it needs here: the supervisor needs none of it.
    """
    _late("serve", "serve_as_worker")(settings, slot, listener, supervision)


def _speak_mcp(settings: Settings) -> None:
    try:
        with importing():
            speak = import_module(f"{__name__}.mcp_stdio").speak_mcp
    except ModuleNotFoundError as error:
        if error.name != "mcp":
            raise
        raise Misconfigured("MCP is not installed here. Install 'workflow-agent[mcp]'.") from error
    speak(settings)
