"""Options that several commands take, and the settings they make."""

from pathlib import Path
from typing import Annotated, Any

import typer

from workflow_agent.cli.exits import or_exit
from workflow_agent.settings import Settings, load_settings

DataDir = Annotated[Path | None, typer.Option(help="Where conversations and workflows are kept (default data).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead, for programs.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="At most so many.")]


def chosen_settings(**given: Any) -> Settings:
    """Return the settings of the environment with the given options in front; None is not given."""
    return or_exit(lambda: load_settings(**{k: value for k, value in given.items() if value is not None}))
