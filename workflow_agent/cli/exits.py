"""How a command ends: its exit codes, and errors in one line."""

from collections.abc import Callable
from typing import TypeVar

import typer

from workflow_agent.errors import (
    AlreadyExists,
    ConversationBusy,
    Misconfigured,
    NotFound,
    VersionConflict,
    WorkflowAgentError,
)

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_NOT_FOUND = 3
EXIT_CONFLICT = 4
EXIT_UNREACHABLE = 75
"""EX_TEMPFAIL of sysexits.h: nobody answers, or the line broke; the same again may work later."""
EXIT_MISCONFIGURED = 78
"""EX_CONFIG of sysexits.h: the configuration has to be mended, a restart will not help."""
EXIT_INTERRUPTED = 130
"""What a shell reports of a command that Ctrl-C ended."""

EXIT_CODES = (
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 conflict, 75 unreachable, 78 misconfigured, "
    "130 interrupted."
)
_CODES: tuple[tuple[type[WorkflowAgentError], int], ...] = (
    (Misconfigured, EXIT_MISCONFIGURED),
    (NotFound, EXIT_NOT_FOUND),
    (AlreadyExists, EXIT_CONFLICT),
    (ConversationBusy, EXIT_CONFLICT),
    (VersionConflict, EXIT_CONFLICT),
)

Done = TypeVar("Done")


class CommandFailed(Exception):
    """A command cannot do what it was asked to; says why in words for people.

    Args:
        message: What happened, the offending value, what to do.
        exit_code: How the program ends.
    """

    def __init__(self, message: str, exit_code: int = EXIT_FAILED) -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code


def exit_code_of(error: WorkflowAgentError) -> int:
    """Return how a program ends that meets an error."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), EXIT_FAILED)


def or_exit(act: Callable[[], Done]) -> Done:
    """Return what an action returns; say what is wrong and leave where it cannot."""
    try:
        return act()
    except CommandFailed as error:
        message, code, cause = error.message, error.exit_code, error
    except WorkflowAgentError as error:
        message, code, cause = error.message, exit_code_of(error), error
    typer.echo(f"workflow-agent: {message}", err=True)
    raise SystemExit(code) from cause
