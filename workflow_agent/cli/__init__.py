"""The command line: the list of commands, and what their help looks like.

The module of a command is imported when the command is used, so that help and refusals wait for no other.
"""

import importlib
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typing_extensions import override

from workflow_agent.cli.context import EXIT_CODES, or_exit

COMMANDS = {
    "Talk": {
        "chat": ("chat", "Talk about workflows, one message after another."),
        "ask": ("chat", "Say one thing and print the reply."),
    },
    "Look and change": {
        "inspect": ("inspect", "Show a conversation: turns, modes, steps, calls, compactions, cost."),
        "workflows": ("workflow_changes", "List, search, draw, check, play, change, import and export workflows."),
        "conversations": ("conversations", "List, show, search, fork, export and import conversations."),
        "previews": ("previews", "List the changes that wait for a decision, and decide them."),
        "webhooks": ("webhooks", "List, add, try and remove the addresses that are told of events."),
        "memory": ("memory", "See, correct and forget what is known of a person."),
    },
    "Run and check": {
        "serve": ("server", "Run the server until it is told to stop."),
        "mcp": ("server", "Serve MCP over standard input and output."),
        "doctor": ("doctor", "Look over configuration, data, disk, clock, port and model."),
        "verify": ("server", "Look over a data directory or a database: digests, references, versions."),
        "migrate": ("migrate", "Bring in conversations that another service kept."),
        "migrate-database": ("server", "Bring the schema of a database up to date."),
        "move": ("server", "Move what a tenant keeps between a data directory and a database."),
        "settings": ("reference", "Show every setting with its value, as the environment sets it."),
        "schemas": ("reference", "Write the JSON Schemas of workflows and conversations into a folder."),
        "openapi": ("reference", "Print the description of the HTTP API: its OpenAPI document."),
        "evals": ("measurement", "Make evaluation cases of what people thought of replies."),
        "evidence": ("measurement", "Report how often, and how, programs of the model used the call history."),
        "bench": ("measurement", "Measure what it costs and what it keeps, and write the report."),
    },
}
"""By section of the first help page: each command, its module in this folder, and its first line of help."""


_EXAMPLE = re.compile(r"\n(  \S.*)((?:\n    .*)*)")
"""An indented line of a help text, and those that go on with it."""


def _apart(example: re.Match[str]) -> str:
    """Return an example as a paragraph of its own, whose lines Click does not join."""
    unwrapped = "\b\n" if example[2] else ""
    return f"\n\n{unwrapped}{example[1]}{example[2]}"


class Command(TyperCommand):
    """A command that tells errors in their own words, and whose help pipes well, each of its examples by itself."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.help = self.help and _EXAMPLE.sub(_apart, self.help)

    @override
    def invoke(self, ctx: Any) -> Any:
        return or_exit(partial(super().invoke, ctx))

    @override
    def format_help(self, ctx: Any, formatter: Any) -> None:
        if not sys.stdout.isatty():
            self.rich_markup_mode = None
        super().format_help(ctx, formatter)


class Group(TyperGroup):
    """A group of commands whose help pipes well and keeps its sections."""

    @override
    def format_help(self, ctx: Any, formatter: Any) -> None:
        if not sys.stdout.isatty():
            self.rich_markup_mode = None
        super().format_help(ctx, formatter)

    @override
    def format_commands(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            if not command.hidden:
                panel = getattr(command, "rich_help_panel", None)
                title = panel if isinstance(panel, str) else "Commands"
                sections.setdefault(title, []).append((name, command.get_short_help_str(200)))
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)

    @override
    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:
        if not sys.stderr.isatty():
            self.rich_markup_mode = None
        return super().main(args, *rest, **extra)


def group(name: str) -> typer.Typer:
    """Return a group of commands to add them to."""
    about = next(rows[name][1] for rows in COMMANDS.values() if name in rows)
    return typer.Typer(
        name=name, cls=Group, no_args_is_help=True, rich_markup_mode="rich", help=about, epilog=EXIT_CODES
    )


class Listed(Command):
    """A command as the list of commands shows it, before its module is imported."""

    def __init__(self, section: str, name: str, module: str, line: str) -> None:
        super().__init__(name, help=line, rich_help_panel=section)
        self._path = f"workflow_agent.cli.{module}"
        self._attribute = name.replace("-", "_")

    def loaded(self) -> Any:
        """Return the command itself."""
        module = importlib.import_module(self._path)
        found: typer.Typer | Callable[..., None] = getattr(module, self._attribute)
        if isinstance(found, typer.Typer):
            return typer.main.get_group(found)
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        alone.command(self.name, cls=Command)(found)
        return typer.main.get_command(alone)


class Commands(Group):
    """The first level of commands."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = {
            name: Listed(section, name, *about) for section, rows in COMMANDS.items() for name, about in rows.items()
        }

    @override
    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.loaded() if isinstance(command, Listed) else command, rest


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
