"""Serving until told to stop: the whole server in one process, or one worker of several."""

import asyncio
import logging
import logging.config
import socket
from contextlib import closing

import typer

from workflow_agent.api.listening import listening_socket
from workflow_agent.api.logs import log_config
from workflow_agent.api.server import make_server
from workflow_agent.main.application import Application
from workflow_agent.main.building import build
from workflow_agent.main.seats import Seat, announcement
from workflow_agent.main.worker_process import Supervision
from workflow_agent.settings import Settings

_log = logging.getLogger(__name__)


def serve(settings: Settings) -> None:
    """Serve alone until told to stop.

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
        loop.run(application.listen())
        typer.echo(announcement(settings, listener))
        loop.run(server.serve([listener]))


def serve_on_seat(settings: Settings, seat: Seat, listener: socket.socket, supervision: Supervision) -> None:
    """Serve beside other workers until told to stop, or until the supervisor is gone.

    Raises:
        Misconfigured: A setting cannot work.
    """
    logging.config.dictConfig(log_config(settings.log_level))
    if supervision.replaced is not None:
        _log.warning(
            "a worker ended; this one takes its place",
            extra={"worker": seat.number, "exit_code": supervision.replaced},
        )
    serve_beside_others(build(settings, seat=seat), listener, supervision)


def serve_beside_others(application: Application, listener: socket.socket, supervision: Supervision) -> None:
    """Serve an application, which is closed at the end, where other workers listen too."""
    server = make_server(application.app, application.settings, application.finish)

    async def serve_while_supervised() -> None:
        await application.prepare()
        await application.listen()
        supervision.ready()
        loop = asyncio.get_running_loop()

        def left_alone() -> None:
            loop.remove_reader(supervision.line.fileno())
            server.should_exit = True

        loop.add_reader(supervision.line.fileno(), left_alone)
        await server.serve([listener])

    loops = asyncio.Runner(loop_factory=server.config.get_loop_factory())
    with closing(application), loops as loop:
        loop.run(serve_while_supervised())
