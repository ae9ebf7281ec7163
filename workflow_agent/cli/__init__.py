"""The command line, one module for each group of commands; `Wiring` says how they get at the data."""

from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer

from workflow_agent.cli.commands import Commands
from workflow_agent.cli.context import EXIT_CODES, EXIT_FAILED, EXIT_MISCONFIGURED, DataDirectory, OpenWorkflows, Wiring

__all__ = ["EXIT_FAILED", "EXIT_MISCONFIGURED", "DataDirectory", "OpenWorkflows", "Wiring", "cli"]

cli = typer.Typer(
    name="workflow-agent",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    epilog=EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _tell_version(is_wanted: bool) -> None:
    if is_wanted:
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
