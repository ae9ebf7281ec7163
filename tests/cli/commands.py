"""Running commands in this process, on the real application."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer
from typer.testing import CliRunner

from workflow_agent.cli import cli
from workflow_agent.cli.context import Wiring
from workflow_agent.main import wiring
from workflow_agent.settings import Settings


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str


def run(*arguments: str, stdin: str = "", serve: Any = None, **environment: str) -> Ran:
    """Run a command; `environment` without the prefix of the settings."""
    prefixed = {f"WORKFLOW_AGENT_{name}": value for name, value in environment.items()}
    result = CliRunner().invoke(
        cli, arguments, obj=wiring_without_serving(serve), env=prefixed | {"COLUMNS": "80"}, input=stdin
    )
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


def wiring_without_serving(serve: Any = None) -> Wiring:
    """Return the real wiring, but for serving, which would not end."""

    def nothing(_: Settings) -> None:
        return None

    def told(program: Sequence[str], folder: Path) -> int:
        typer.echo(f"ran {' '.join(program[1:])} in {folder}")
        return 0

    return replace(wiring(), serve=serve or nothing, run_program=told)
