"""Serving until told to stop: the whole server in one process, or one worker of several."""

import asyncio
import logging
import logging.config
import socket
from contextlib import closing

import typer

from workflow_agent.api.server import GracefulServer, listening_socket, make_server
from workflow_agent.main.application import Application
from workflow_agent.main.composition import build
from workflow_agent.main.process import collect_seldom
from workflow_agent.main.workers import Ended, Supervision, WorkerSlot, announcement
from workflow_agent.settings import Settings
from workflow_agent.telemetry.logs import log_config
from workflow_agent.values.stored import JsonObject

_log = logging.getLogger(__name__)
_SIGNS_IN_TIME = 5
"""So many may be missed before a worker is taken for hung."""


def serve(settings: Settings) -> None:
    """Serve alone until told to stop."""
    logging.config.dictConfig(log_config(settings.log_level))
    application = build(settings)
    with closing(application), listening_socket(settings) as listener:
        serve_alone(application, listener)


def serve_alone(application: Application, listener: socket.socket) -> None:
    """Serve an application where nobody else listens, and say where, until told to stop."""
    server = make_server(application.app, application.settings, application.finish)
    with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as loop:
        loop.run(application.prepare())
        loop.run(application.listen())
        typer.echo(announcement(application.settings, listener))
        loop.run(_serve(server, application, listener))


async def _serve(server: GracefulServer, application: Application, listener: socket.socket) -> None:
    collect_seldom()
    # Together, so that a server which cannot read all that it is made of does not stay up without it.
    beside = [asyncio.create_task(one) for one in (application.look_after(), application.tell_of_events())]
    try:
        async with asyncio.TaskGroup() as both:
            both.create_task(application.catch_up())
            both.create_task(server.serve([listener]))
    finally:
        for task in beside:
            task.cancel()


def serve_as_worker(settings: Settings, slot: WorkerSlot, listener: socket.socket, supervision: Supervision) -> None:
    """Serve beside other workers until told to stop, or until the supervisor is gone."""
    logging.config.dictConfig(log_config(settings.log_level))
    _log_how_the_last_one_ended(settings, slot, supervision.replaced)
    serve_beside_others(build(settings, slot=slot), listener, supervision)


def _log_how_the_last_one_ended(settings: Settings, slot: WorkerSlot, replaced: Ended | None) -> None:
    if replaced is None:
        return
    told: JsonObject = {"worker": slot.number, "exit_code": replaced.exit_code}
    if replaced.was_hung:
        _log.error(
            "a worker hung and was killed; this one takes its place",
            extra=told | {"silent_seconds": settings.worker_silence_seconds},
        )
    else:
        _log.warning("a worker ended; this one takes its place", extra=told)


def serve_beside_others(application: Application, listener: socket.socket, supervision: Supervision) -> None:
    """Serve an application, which is closed at the end, where other workers listen too."""
    server = make_server(application.app, application.settings, application.finish)
    sign_every_seconds = application.settings.worker_silence_seconds / _SIGNS_IN_TIME

    async def serve_while_supervised() -> None:
        await application.prepare()
        await application.listen()
        supervision.ready()
        loop = asyncio.get_running_loop()

        def left_alone() -> None:
            loop.remove_reader(supervision.line.fileno())
            server.should_exit = True

        def give_sign() -> None:
            supervision.alive()
            loop.call_later(sign_every_seconds, give_sign)

        give_sign()
        loop.add_reader(supervision.line.fileno(), left_alone)
        await _serve(server, application, listener)

    loops = asyncio.Runner(loop_factory=server.config.get_loop_factory())
    with closing(application), loops as loop:
        loop.run(serve_while_supervised())
