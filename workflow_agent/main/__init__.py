"""The composition root: joins the command line, the settings and the service."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from workflow_agent.cli import cli
from workflow_agent.cli.context import DataDirectory, Examined, OpenWorkflows, Wiring
from workflow_agent.errors import Misconfigured
from workflow_agent.main.database import hosts_of
from workflow_agent.main.process import importing
from workflow_agent.settings import Settings
from workflow_agent.storage.files.owners import running_owners

if TYPE_CHECKING:
    import socket

    import httpx2

    from workflow_agent.main.workers import Supervision, WorkerSlot
    from workflow_agent.storage.files.verification.workflows import Finding


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
        open_data=_open_data,
        open_workflows=_open_workflows,
        application=_application,
        try_provider=_try_provider,
        migrate_database=_migrate_database,
        move=_move,
        verify=_verify,
        examine_database=_examine_database,
        running=running_owners,
        run_program=_run_program,
        speak_mcp=_speak_mcp,
    )


def _run_program(program: Sequence[str], folder: Path) -> int:
    return subprocess.run(program, cwd=folder, check=False).returncode  # noqa: S603 - this Python, and modules of a checkout


# Imported where they are used, because it takes seconds that help texts and refusals should not wait for.


def _serve(settings: Settings) -> None:
    if settings.workers > 1:
        from workflow_agent.main.workers import serve_with_workers  # noqa: PLC0415 - see above

        serve_with_workers(settings, serve_as_worker)
        return
    with importing():
        from workflow_agent.main.serve import serve  # noqa: PLC0415 - see above

    serve(settings)


def serve_as_worker(settings: Settings, slot: WorkerSlot, listener: socket.socket, supervision: Supervision) -> None:
    """Serve as one of several workers until told to stop, or until the supervisor is gone.

    The process of a worker imports this function by its name.
    """
    with importing():
        # Here, because it takes seconds and memory that the supervisor has no use for.
        from workflow_agent.main.serve import serve_as_worker  # noqa: PLC0415 - see above

    serve_as_worker(settings, slot, listener, supervision)


@asynccontextmanager
async def _open_data(settings: Settings) -> AsyncGenerator[DataDirectory]:
    with importing():
        from workflow_agent.main.holdings import open_data  # noqa: PLC0415 - see above

    async with open_data(settings) as data:
        yield data


def _verify(settings: Settings, repair: bool) -> tuple[Sequence[Finding], Sequence[Finding]]:
    from workflow_agent.main.holdings import verified  # noqa: PLC0415 - see above

    return verified(settings, repair=repair)


def _examine_database(settings: Settings) -> Sequence[Examined]:
    return hosts_of(settings).examined()


@contextmanager
def _open_workflows(settings: Settings) -> Generator[OpenWorkflows]:
    with importing():
        from workflow_agent.main.data_directory import open_workflows  # noqa: PLC0415 - see above

    with open_workflows(settings) as workflows:
        yield workflows


@contextmanager
def _application(settings: Settings) -> Generator[httpx2.BaseTransport]:
    with importing():
        from workflow_agent.main.in_process import application_transport  # noqa: PLC0415 - see above

    with application_transport(settings) as transport:
        yield transport


def _speak_mcp(settings: Settings) -> None:
    try:
        with importing():
            from workflow_agent.main.mcp_stdio import speak_mcp  # noqa: PLC0415 - see above
    except ModuleNotFoundError as error:
        if error.name != "mcp":
            raise
        raise Misconfigured("MCP is not installed here. Install 'workflow-agent[mcp]'.") from error

    speak_mcp(settings)


def _migrate_database(settings: Settings, row_security: bool | None) -> int:
    return hosts_of(settings).migrated(row_security)


def _move(source: Settings, target: Settings) -> str:
    from workflow_agent.main.holdings import moved  # noqa: PLC0415 - see above

    told = moved(source, target)
    return (
        f"New there: {told.conversations} conversations, {told.workflows} workflows, what is known of "
        f"{told.people} people, and {told.others} other documents. Conversations and workflows have the same "
        f"digest in both: {told.digest}"
    )


def _try_provider(settings: Settings) -> str:
    from workflow_agent.main.providers import try_provider  # noqa: PLC0415 - see above

    return try_provider(settings)
