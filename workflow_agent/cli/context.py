"""What main hands to the commands: the command line imports nothing that builds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, cast

import typer

from workflow_agent.cli.exits import or_exit
from workflow_agent.settings import Settings, load_settings

if TYPE_CHECKING:
    import httpx2

    from workflow_agent.conversations.store import ConversationStore
    from workflow_agent.storage.files.verification.workflows import Finding
    from workflow_agent.workflows.store import WorkflowCatalog, WorkflowSearch


DataDir = Annotated[Path | None, typer.Option(help="Where conversations and workflows are kept (default data).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead, for programs.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="At most so many.")]


@dataclass(frozen=True, slots=True)
class DataDirectory:
    """What a data directory or a database keeps, opened for one command."""

    settings: Settings
    conversations: ConversationStore

    @property
    def tenant(self) -> str:
        """Return whose data the command works with."""
        return self.settings.tenant


@dataclass(frozen=True, slots=True)
class OpenWorkflows:
    """The workflows of a data directory, opened for one command."""

    tenant: str
    catalog: WorkflowCatalog
    search: WorkflowSearch


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
    open_data: Callable[[Settings], AbstractAsyncContextManager[DataDirectory]]
    """Opens the conversations of a data directory or a database, and closes them at the end of the block."""
    open_workflows: Callable[[Settings], AbstractContextManager[OpenWorkflows]]
    """Opens the workflows of a data directory alone."""
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
