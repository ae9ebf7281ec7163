"""Help and usage errors: in panels on a terminal, as plain text in a pipe."""

import sys
from collections.abc import Sequence
from typing import Any

from typer.core import TyperCommand, TyperGroup
from typing_extensions import override


class Command(TyperCommand):
    """A command whose help pipes well."""

    @override
    def format_help(self, ctx: Any, formatter: Any) -> None:
        if not sys.stdout.isatty():
            self.rich_markup_mode = None
        super().format_help(ctx, formatter)


class Group(TyperGroup):
    """A group of commands whose help pipes well and keeps its sections."""

    command_class = Command

    @override
    def format_help(self, ctx: Any, formatter: Any) -> None:
        if not sys.stdout.isatty():
            self.rich_markup_mode = None
        super().format_help(ctx, formatter)

    @override
    def format_commands(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            if command is None or command.hidden:
                continue
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
