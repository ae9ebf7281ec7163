"""What every command uses: what main hands over, the port to the service, exit codes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Protocol, TypeVar, cast

import typer

from workflow_agent.errors import (
    AlreadyExists,
    ConversationBusy,
    Misconfigured,
    NotFound,
    VersionConflict,
    WorkflowAgentError,
)
from workflow_agent.settings import Settings, load_settings

if TYPE_CHECKING:
    import httpx2

    from workflow_agent.conversations.store import ConversationStore
    from workflow_agent.storage.files.verification.workflows import Finding


EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_NOT_FOUND = 3
EXIT_CONFLICT = 4
EXIT_UNREACHABLE = 75
"""EX_TEMPFAIL of sysexits.h: nobody answers, or the line broke; the same again may work later."""
EXIT_MISCONFIGURED = 78
"""EX_CONFIG of sysexits.h: the configuration has to be mended, a restart will not help."""

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
    """A command cannot do what it was asked to; the message says why, and what to do, in words for people."""

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


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a run's stream."""

    id: str
    name: str
    data: Mapping[str, Any]


class Backend(Protocol):
    """The service as commands see it, so that each command is written once.

    Every method raises `CommandFailed` when the service refuses or nobody answers.
    """

    def get(self, path: str, /, **query: object) -> Any:
        """Return what is at a path below the API's prefix; a query of None is left out."""
        ...

    def post(self, path: str, /, body: object = None, **query: object) -> Any:
        """Return what comes of sending a body to a path below the API's prefix."""
        ...

    def change(self, method: str, path: str, /, body: object = None, *, version: int | None = None) -> Any:
        """Return what comes of PATCH or DELETE; refused where it is not this version, any unless given."""
        ...

    def root(self, path: str, /) -> Any:
        """Return what is at a path outside the API, such as `/health`."""
        ...

    def pages(self, path: str, limit: int | None = None, /, **query: object) -> Iterator[Mapping[str, Any]]:
        """Yield the items of a list, page by page, at most so many."""
        ...

    def turn(self, body: Mapping[str, object], /) -> Generator[Event]:
        """Yield the events of a turn as they come; one that breaks off is taken up where it stopped."""
        ...


Listed = Sequence[Mapping[str, Any]]


class FindWorkflows(Protocol):
    """Lists and finds workflows."""

    def __call__(self, words: str, limit: int, *, tag: str | None = None, trigger: str | None = None) -> Listed:
        """Return the best matches first, as `GET /workflows` shows them; without words, what changed last."""
        ...


DataDir = Annotated[Path | None, typer.Option(help="Where conversations and workflows are kept (default data).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead, for programs.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write this file.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="At most so many.")]


class Examined(NamedTuple):
    """What was found of something that a server needs."""

    check: str
    level: Literal["ok", "warning", "failed", "misconfigured"]
    found: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Wiring:
    """How commands get at what they need; the context's object.

    A command that needs more gets another field here, and `main` gives it.
    """

    serve: Callable[[Settings], None]
    """Runs the server until it is told to stop."""
    open_data: Callable[[Settings], AbstractAsyncContextManager[ConversationStore]]
    """Opens the conversations of a data directory or a database, and closes them at the end of the block."""
    open_workflows: Callable[[Settings], AbstractContextManager[FindWorkflows]]
    """Opens the workflows of a data directory alone, to list and find them."""
    application: Callable[[Settings], AbstractContextManager[httpx2.BaseTransport]]
    """Builds the service in this process, as something that an HTTP client can send its requests to."""
    speak_mcp: Callable[[Settings], None]
    """Serves MCP over standard input and output until the input ends."""
    try_provider: Callable[[Settings], str]
    """Asks the model's provider something that costs nothing; returns what was found."""
    migrate_database: Callable[[Settings, bool | None], int]
    """Brings the schema of the database up to date; returns how many migrations were made."""
    move: Callable[[Settings, Settings], str]
    """Moves what a tenant keeps from one store into another; returns in words what was moved."""
    verify: Callable[[Settings, bool], tuple[Sequence[Finding], Sequence[Finding]]]
    """Looks over what is kept; returns what was set right, where that is wanted, and what is still wrong."""
    examine_database: Callable[[Settings], Sequence[Examined]]
    """Looks at the database and the Redis that the settings name; nothing is changed."""
    running: Callable[[Path], Sequence[str]]
    """Returns the ids of the server processes that work on a data directory."""
    run_program: Callable[[Sequence[str], Path], int]
    """Runs another program in a folder, with this one's input and output; returns its exit code."""


def wiring_of(context: typer.Context) -> Wiring:
    """Return what main handed to the command."""
    return cast("Wiring", context.obj)


def chosen_settings(**given: Any) -> Settings:
    """Return the settings of the environment with the given options in front; None is not given."""
    return or_exit(lambda: load_settings(**{k: value for k, value in given.items() if value is not None}))
