"""The command line, one module for each group of commands; `Wiring` says how they get at the data."""

from typing import Annotated

import typer

from workflow_agent.cli import workflow_changes
from workflow_agent.cli.bench import bench
from workflow_agent.cli.chat import ask, chat
from workflow_agent.cli.context import DataDirectory, OpenWorkflows, Wiring
from workflow_agent.cli.conversations import conversations
from workflow_agent.cli.database import migrate_database, move
from workflow_agent.cli.doctor import doctor
from workflow_agent.cli.evals import evals
from workflow_agent.cli.evidence import evidence
from workflow_agent.cli.exits import EXIT_CODES, EXIT_FAILED, EXIT_MISCONFIGURED
from workflow_agent.cli.help_texts import LOOKING, RUNNING, TALKING, Command, Group
from workflow_agent.cli.inspect import inspect
from workflow_agent.cli.mcp import mcp
from workflow_agent.cli.memory import memory
from workflow_agent.cli.migrate import migrate
from workflow_agent.cli.previews import previews
from workflow_agent.cli.reference import openapi, schemas, settings
from workflow_agent.cli.serve import serve
from workflow_agent.cli.verify import verify

__all__ = ["EXIT_FAILED", "EXIT_MISCONFIGURED", "DataDirectory", "OpenWorkflows", "Wiring", "cli"]

cli = typer.Typer(
    name="workflow-agent", cls=Group, no_args_is_help=True, pretty_exceptions_enable=False,
    rich_markup_mode="rich", epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip


def _tell_version(is_wanted: bool) -> None:
    if is_wanted:
        # Imported here, because reading what is installed takes a while.
        from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - see above

        try:
            found = version("workflow-agent")
        except PackageNotFoundError:
            found = "from sources that are not installed"
        typer.echo(f"workflow-agent {found}")
        raise typer.Exit


@cli.callback()
def about(
    _: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Talk about workflows: create, find, change and analyse them.

    Commands work on a data directory (--data-dir, WORKFLOW_AGENT_DATA_DIR),
    or ask a server (--url, WORKFLOW_AGENT_URL). `COMMAND --help` has
    examples.
    """


for command in (chat, ask):
    cli.command(cls=Command, rich_help_panel=TALKING)(command)
cli.add_typer(workflow_changes.workflows, rich_help_panel=LOOKING)
cli.add_typer(conversations, rich_help_panel=LOOKING)
cli.add_typer(previews, rich_help_panel=LOOKING)
cli.add_typer(memory, rich_help_panel=LOOKING)
cli.add_typer(evals, rich_help_panel=RUNNING)
cli.command(cls=Command, rich_help_panel=LOOKING)(inspect)
_COMMANDS = (
    serve,
    mcp,
    doctor,
    verify,
    migrate,
    migrate_database,
    move,
    settings,
    schemas,
    openapi,
    evidence,
    bench,
)
for command in _COMMANDS:
    cli.command(cls=Command, rich_help_panel=RUNNING)(command)
