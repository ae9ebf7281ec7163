"""A worker of a server with several: its process as the supervisor sees it, and what runs in it."""

import json
import os
import pickle
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO

from workflow_agent.cli.leaving import EXIT_FAILED, CommandFailed, exit_code_of
from workflow_agent.domain.errors import WorkflowAgentError
from workflow_agent.domain.values import JsonObject
from workflow_agent.main.collecting import importing
from workflow_agent.main.seats import Seat
from workflow_agent.settings import Settings

_SIGNS_READ_AT_ONCE = 4_096
_BEGIN = "from workflow_agent.main.worker_process import begin; begin()"


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
    """The end of the worker that had the seat before; None for the first."""


Work = Callable[[Settings, Seat, socket.socket, Supervision], None]
"""What a worker does: a function of a module, which its process imports by name."""


def work_of_service(
    settings: Settings, seat: Seat, listener: socket.socket, supervision: Supervision
) -> None:
    """Serve on a seat until told to stop, or until the supervisor is gone."""
    with importing():
        # Here, because it takes seconds and memory that the supervisor has no use for.
        from workflow_agent.main.serving import serve_on_seat  # noqa: PLC0415 - see above

    serve_on_seat(settings, seat, listener, supervision)


class WorkerProcess:
    """A worker's process, begun.

    Args:
        settings: What an operator can change.
        seat: Which of the workers it is.
        work: What it does.
        listener: Where all workers listen.
        replaced: The end of the worker that had the seat before; None for the first.
    """

    def __init__(
        self, settings: Settings, seat: Seat, work: Work, listener: socket.socket, replaced: Ended | None
    ) -> None:
        self._most_silent_seconds = settings.worker_silence_seconds
        self._process = subprocess.Popen(  # noqa: S603 - this Python, and a function of ours
            [sys.executable, "-c", _BEGIN],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(listener.fileno(),),
        )
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        self._line, self._said = self._process.stdin, self._process.stdout
        try:
            # Kept open: the worker takes its end for that of this process.
            pickle.dump((settings, seat, listener.fileno(), replaced, work), self._line)
            self._line.flush()
        except BrokenPipeError:
            # It ended at once; whoever asks what it said finds out.
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
    settings, seat, fd, replaced, work = pickle.load(line)  # noqa: S301 - our own supervisor wrote it
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
            work(settings, seat, listener, Supervision(lambda: tell({}), give_sign, line, replaced))
        except WorkflowAgentError as error:
            tell({"failed": error.message, "exit_code": exit_code_of(error)})
            raise SystemExit(EXIT_FAILED) from error
