"""The supervisor: starts worker processes behind one port, replaces those that end, stops them all."""

import json
import os
import pickle
import secrets
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import BinaryIO

import typer

from workflow_agent.api.server import address_of, listening_socket
from workflow_agent.cli.context import EXIT_FAILED, CommandFailed, exit_code_of
from workflow_agent.errors import WorkflowAgentError
from workflow_agent.settings import Settings, refuse_open_binding
from workflow_agent.values.stored import JsonObject


@dataclass(frozen=True, slots=True)
class WorkerSlot:
    """A worker's place beside the others of its server; the process on it may change, the slot stays."""

    group: str
    """The same for all workers of a server, and no other server's."""
    number: int
    """From 1."""

    def new_owner_id(self) -> str:
        """Return an id for the process that takes this slot now."""
        return f"{self.group}-{self.number}-{secrets.token_hex(6)}"

    def number_of(self, owner: str) -> int | None:
        """Return the slot number of a process, or None if it belongs to another server."""
        group, _, rest = owner.partition("-")
        return int(rest.partition("-")[0]) if group == self.group else None


def new_group() -> str:
    """Return a name for the workers of a server that starts now."""
    return f"w{secrets.token_hex(6)}"


def announcement(settings: Settings, listener: socket.socket) -> str:
    """Return the line that tells the operator where the server listens."""
    workers = f"{settings.workers} workers, " if settings.workers > 1 else ""
    return (
        f"workflow-agent listens on {address_of(settings, listener)} ({workers}model {settings.model}, "
        f"data in {settings.data_dir.resolve()}; Ctrl-C stops it)"
    )


_SIGNS_READ_AT_ONCE = 4_096
_BEGIN = "from workflow_agent.main.workers import begin; begin()"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a worker ended."""

    exit_code: int
    """Below zero where a signal ended it."""
    was_hung: bool
    """Whether it was killed because it gave no sign of life."""


@dataclass(frozen=True, slots=True)
class Supervision:
    """What ties a worker to the process that started it."""

    ready: Callable[[], None]
    """To be called when the worker takes requests."""
    alive: Callable[[], None]
    """To be called from then on: who does not for `worker_silence_seconds` is killed."""
    line: BinaryIO
    """Comes to its end when the supervisor does; nothing is to be read from it before."""
    replaced: Ended | None
    """The end of the worker that had the slot before; None for the first."""


Work = Callable[[Settings, WorkerSlot, socket.socket, Supervision], None]
"""What a worker does: a function of a module, which its process imports by name."""


class WorkerProcess:
    """A worker's process; `replaced` is the end of the one that had the slot before, None for the first."""

    def __init__(
        self, settings: Settings, slot: WorkerSlot, work: Work, listener: socket.socket, replaced: Ended | None
    ) -> None:
        self._most_silent_seconds = settings.worker_silence_seconds
        self._process = subprocess.Popen(  # noqa: S603 - this Python, and a function of ours
            [sys.executable, "-c", _BEGIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=(listener.fileno(),)
        )
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        self._line, self._said = self._process.stdin, self._process.stdout
        try:
            # Kept open: the worker takes its end for that of this process.
            pickle.dump((settings, slot, listener.fileno(), replaced, work), self._line)
            self._line.flush()
        except BrokenPipeError:
            # The worker ended at once; `failure_to_start` reports it.
            return

    def failure_to_start(self) -> CommandFailed | None:
        """Wait until the worker takes requests; return why it cannot where it ends before that."""
        said = self._said.readline()
        if not said:
            code = self._process.wait()
            return CommandFailed(f"A worker ended with {code} before it took requests; its log says why.")
        told = json.loads(said)
        return CommandFailed(told["failed"], told["exit_code"]) if told else None

    def ended(self) -> Ended:
        """Wait until the process ends, or kill it when it is silent for too long; return how it ended."""
        is_hung = self._falls_silent()
        if is_hung:
            self.kill()
        code = self._process.wait()
        self._said.close()
        # Nobody reads any more what was not flushed.
        with suppress(BrokenPipeError):
            self._line.close()
        return Ended(code, is_hung)

    def _falls_silent(self) -> bool:
        """Wait until the worker ends or gives no sign of life for too long; say whether it does not."""
        with selectors.DefaultSelector() as hearing:
            hearing.register(self._said, selectors.EVENT_READ)
            while hearing.select(self._most_silent_seconds):
                if not os.read(self._said.fileno(), _SIGNS_READ_AT_ONCE):
                    return False
        return True

    def stop(self) -> None:
        """Let the worker finish and end; fine when it has ended."""
        self._process.terminate()

    def kill(self) -> None:
        """End the worker at once; fine when it has ended."""
        self._process.kill()


def begin() -> None:
    """Do the work that the supervisor hands over on standard input."""
    # Ctrl-C reaches the whole group of processes: the supervisor alone acts on it until the server does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    line = sys.stdin.buffer
    settings, slot, fd, replaced, work = pickle.load(line)  # noqa: S301 - our own supervisor wrote it
    told = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    # What anything else prints goes where the log goes: the supervisor would take it for an answer.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def tell(message: JsonObject) -> None:
        told.write(json.dumps(message) + "\n")
        told.flush()

    def give_sign() -> None:
        # The supervisor may be gone, which the end of the line tells.
        with suppress(BrokenPipeError):
            os.write(told.fileno(), b"\n")

    with socket.socket(fileno=fd) as listener:
        try:
            work(settings, slot, listener, Supervision(lambda: tell({}), give_sign, line, replaced))
        except WorkflowAgentError as error:
            tell({"failed": error.message, "exit_code": exit_code_of(error)})
            raise SystemExit(EXIT_FAILED) from error


_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_CLOSING_SECONDS = 15.0
"""What a worker may take to stop, beside the time that its runs are given."""
_LONGEST_PAUSE_SECONDS = 30.0


_News = WorkerProcess | CommandFailed | None
"""A worker that takes requests, why one cannot, or None where a signal told the server to stop."""


def serve_with_workers(settings: Settings, work: Work) -> None:
    """Serve with as many processes as the settings say until told to stop.

    A worker that ends is replaced at once, and so is one that hangs, once it is killed; one that cannot even
    start again, after a pause that grows.

    Raises:
        CommandFailed: A worker could not start in the first place; says why.
    """
    refuse_open_binding(settings)
    news: SimpleQueue[_News] = SimpleQueue()
    with listening_socket(settings) as listener, _signals_to(news):
        group = new_group()
        kept = [
            _Supervised(WorkerSlot(group, number + 1), settings, work, listener, news)
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


def _all_take_requests(kept: "list[_Supervised]", news: SimpleQueue[_News]) -> bool:
    """Wait until all workers take requests; return False if the server was told to stop before.

    Raises:
        CommandFailed: One of them could not start.
    """
    for _ in kept:
        told = news.get()
        if isinstance(told, CommandFailed):
            raise told
        if told is None:
            return False
    return True


def _until_told(news: SimpleQueue[_News]) -> None:
    while news.get() is not None:
        pass


def _leave(kept: "list[_Supervised]", news: SimpleQueue[_News], most_seconds: float) -> None:
    """Stop every worker; kill those that take too long, or all of them on a second signal."""
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


class _Supervised:
    """Keeps a worker running in a slot, from a thread of its own, and tells `news` of each that starts or cannot."""

    def __init__(
        self, slot: WorkerSlot, settings: Settings, work: Work, listener: socket.socket, news: SimpleQueue[_News]
    ) -> None:
        self._start: Callable[[Ended | None], WorkerProcess] = partial(WorkerProcess, settings, slot, work, listener)
        self._news = news
        self._leaving = threading.Event()
        self._changing = threading.Lock()
        self._worker: WorkerProcess | None = None
        self.thread = threading.Thread(target=self._keep, name=f"slot {slot.number}", daemon=True)

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
        """Stop the worker without replacing it."""
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
    """Report signals to a queue instead of acting on them, while the block runs.

    They are blocked and waited for: a handler would run in the middle of whatever this process does.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)

    def hear() -> None:
        while True:
            signal.sigwait(_SIGNALS)
            news.put(None)

    threading.Thread(target=hear, name="signals", daemon=True).start()
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
