"""Serving until told to stop."""

import asyncio
import logging.config
from contextlib import closing

import typer

from workflow_agent.api.logs import log_config
from workflow_agent.api.server import listening_socket, make_server
from workflow_agent.main.building import build
from workflow_agent.settings import Settings


def serve(settings: Settings) -> None:
    """Serve until told to stop.

    Raises:
        Misconfigured: A setting cannot work.
        CannotListen: The address is taken, or not this machine's.
    """
    logging.config.dictConfig(log_config(settings.log_level))
    application = build(settings)
    server = make_server(application.app, settings, application.finish)
    loops = asyncio.Runner(loop_factory=server.config.get_loop_factory())
    with closing(application), listening_socket(settings) as listener, loops as loop:
        loop.run(application.prepare())
        typer.echo(_announcement(settings, listener.getsockname()[1]))
        loop.run(server.serve([listener]))


def _announcement(settings: Settings, port: int) -> str:
    host = f"[{settings.host}]" if ":" in settings.host.strip("[]") else settings.host
    return (
        f"workflow-agent listens on http://{host}:{port} (model {settings.model}, "
        f"data in {settings.data_dir.resolve()}; Ctrl-C stops it)"
    )
