"""`settings` and `schemas`: what can be set, and the shape of the files."""

from pathlib import Path
from typing import Annotated

import typer

from workflow_agent.cli.leaving import or_exit
from workflow_agent.settings import ENV_PREFIX, Settings, load_settings, settings_page, shown_value

Markdown = Annotated[
    bool, typer.Option("--markdown", help="Print the reference page with defaults and meanings instead.")
]


def settings(markdown: Markdown = False) -> None:
    """Show every setting with its value, as the environment sets it.

    Secrets are only said to be set.

    Examples:

      workflow-agent settings

      WORKFLOW_AGENT_PORT=9000 workflow-agent settings | grep PORT
    """
    if markdown:
        typer.echo(settings_page(), nl=False)
        return
    current = or_exit(load_settings)
    for name in Settings.model_fields:
        typer.echo(f"{ENV_PREFIX}{name.upper()}={shown_value(current, name)}")


def schemas(
    folder: Annotated[Path, typer.Argument(help="Where to write them; it is made if missing.")],
) -> None:
    """Write the JSON Schemas of workflows and conversations into a folder.

    Examples:

      workflow-agent schemas docs/schemas
    """
    from workflow_agent.domain.schemas import schema_files  # noqa: PLC0415 - help texts need not wait for it

    folder.mkdir(parents=True, exist_ok=True)
    for name, text in schema_files().items():
        (folder / name).write_text(text, encoding="utf-8")
        typer.echo(folder / name)
