"""The examples of the documentation: what stands in help texts and in pages, as commands that can be run."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.main import get_command

from workflow_agent.cli import Listed, cli

PROGRAM = "workflow-agent"
_CONTINUED = re.compile(r"(?:\\|(?<=\|))\n\s*")
_BLOCK = re.compile(r"```(?:sh|console)\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Example:
    """A documented command: what is piped in, the environment and the arguments."""

    where: str
    line: str

    @property
    def parts(self) -> tuple[str, dict[str, str], list[str]]:
        """Return what comes before the program, its environment and its arguments."""
        before, _, after = self.line.partition(PROGRAM)
        fed, _, assigned = before.rpartition("|")
        environment = dict(one.split("=", 1) for one in shlex.split(assigned))
        arguments = shlex.split(after, comments=True)
        end = next((n for n, one in enumerate(arguments) if one in ("|", ">")), len(arguments))
        return fed.strip(), environment, arguments[:end]

    def stdin(self) -> str:
        """Return what is piped in."""
        fed = shlex.split(self.parts[0])
        if not fed:
            return ""
        return Path(fed[1]).read_text() if fed[0] == "cat" else " ".join(fed[1:])


def commands(command: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command with its path, groups before what is in them."""
    command = command or get_command(cli)
    command = command.loaded() if isinstance(command, Listed) else command
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*path, name))


def help_examples() -> Iterator[Example]:
    """Yield the examples of the help texts."""
    for path, command in commands():
        _, _, shown = (command.help or "").replace("\b", "").partition("Examples:")
        shown, _, _ = shown.partition("\nExit codes:")
        yield from _examples(" ".join(path), shown)


def page_examples(page: Path) -> Iterator[Example]:
    """Yield the examples of a page: the lines with the program in its shell blocks."""
    for block in _BLOCK.findall(page.read_text(encoding="utf-8")):
        yield from _examples(page.name, block)


def _examples(where: str, text: str) -> Iterator[Example]:
    for line in _CONTINUED.sub(" ", text).splitlines():
        plain = line.strip().removeprefix("$ ")
        if re.match(rf"(?:(?:cat|echo) .*\| *|(?:[A-Z_]+=\S+ +)*){PROGRAM}\b", plain):
            yield Example(where, plain)
