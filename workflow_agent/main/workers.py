"""Several processes behind one port: started together, replaced when they end, stopped together."""

import signal
import socket
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from queue import SimpleQueue

import typer

from workflow_agent.api.listening import listening_socket
from workflow_agent.cli.leaving import CommandFailed
from workflow_agent.main.seats import Seat, announcement, new_group
from workflow_agent.main.worker_process import Ended, Work, WorkerProcess, work_of_service
from workflow_agent.settings import Settings, refuse_open_binding

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_CLOSING_SECONDS = 15.0
"""What a worker may take to stop, beside the time that its runs are given."""
_LONGEST_PAUSE_SECONDS = 30.0


class _Told:
    """That a signal told the server to stop."""


_News = _Told | WorkerProcess | CommandFailed


def serve_with_workers(settings: Settings, work: Work = work_of_service) -> None:
    """Serve with as many processes as the settings say until told to stop.

    A worker that ends is replaced at once, and so is one that hangs, once it is killed; one that cannot even
    start again, after a pause that grows.

    Args:
        settings: What an operator can change.
        work: What each worker does.

    Raises:
        Misconfigured: See `refuse_open_binding`.
        CannotListen: The address is taken, or not this machine's.
        CommandFailed: A worker could not start in the first place; says why.
    """
    refuse_open_binding(settings)
    news: SimpleQueue[_News] = SimpleQueue()
    with listening_socket(settings) as listener, _signals_to(news):
        group = new_group()
        kept = [
            _KeptSeat(Seat(group, number + 1), settings, work, listener, news)
            for number in range(settings.workers)
        ]
        try:
            for one in kept:
                one.thread.start()
            if _all_take_requests(kept, news):
                typer.echo(announcement(settings, listener))
                _until_told(news)
        finally:
            _leave(kept, news, settings.shutdown_grace_seconds + _CLOSING_SECONDS)


def _all_take_requests(kept: "list[_KeptSeat]", news: SimpleQueue[_News]) -> bool:
    """Wait until all workers take requests; say whether they do, and nobody told the server to stop.

    Raises:
        CommandFailed: One of them could not start.
    """
    for _ in kept:
        told = news.get()
        if isinstance(told, CommandFailed):
            raise told
        if isinstance(told, _Told):
            return False
    return True


def _until_told(news: SimpleQueue[_News]) -> None:
    while not isinstance(news.get(), _Told):
        pass


def _leave(kept: "list[_KeptSeat]", news: SimpleQueue[_News], most_seconds: float) -> None:
    """Stop every worker; kill those that take too long, or all when told to stop once more."""
    for one in kept:
        one.leave()

    def kill_when_told_again() -> None:
        _until_told(news)
        for one in kept:
            one.kill()

    threading.Thread(target=kill_when_told_again, daemon=True).start()
    deadline = time.monotonic() + most_seconds
    for one in kept:
        one.thread.join(max(0.0, deadline - time.monotonic()))
        one.kill()
        one.thread.join()


class _KeptSeat:
    """Sees to it that there is a worker on a seat, in a thread of its own.

    Args:
        seat: Which one.
        settings: What an operator can change.
        work: What its worker does.
        listener: Where all workers listen.
        news: Is told of each worker that takes requests, and of each that cannot start.
    """

    def __init__(
        self, seat: Seat, settings: Settings, work: Work, listener: socket.socket, news: SimpleQueue[_News]
    ) -> None:
        self._start: Callable[[Ended | None], WorkerProcess] = partial(
            WorkerProcess, settings, seat, work, listener
        )
        self._news = news
        self._leaving = threading.Event()
        self._changing = threading.Lock()
        self._worker: WorkerProcess | None = None
        self.thread = threading.Thread(target=self._keep, name=f"seat {seat.number}", daemon=True)

    def _keep(self) -> None:
        pause_seconds, ended = 0.0, None
        while not self._leaving.wait(pause_seconds):
            with self._changing:
                if self._leaving.is_set():
                    return
                worker = self._worker = self._start(ended)
            failure = worker.failure_to_start()
            if failure is None or not self._leaving.is_set():
                self._news.put(failure or worker)
            pause_seconds = min(max(1.0, 2 * pause_seconds), _LONGEST_PAUSE_SECONDS) if failure else 0.0
            ended = worker.ended()

    def leave(self) -> None:
        """Let the worker stop, and no other take its place."""
        self._leaving.set()
        with self._changing:
            if self._worker is not None:
                self._worker.stop()

    def kill(self) -> None:
        """End a worker that does not stop."""
        with self._changing:
            if self._worker is not None:
                self._worker.kill()


@contextmanager
def _signals_to(news: SimpleQueue[_News]) -> Generator[None]:
    """Tell of signals instead of acting on them, as long as the block lasts.

    They are blocked and waited for: a handler would run in the middle of whatever this process does.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)

    def hear() -> None:
        while True:
            signal.sigwait(_SIGNALS)
            news.put(_Told())

    threading.Thread(target=hear, name="signals", daemon=True).start()
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
