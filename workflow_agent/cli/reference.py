"""`settings`, `schemas` and `openapi`: what can be set, the shape of the files, and of the API."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from workflow_agent.cli.leaving import or_exit
from workflow_agent.cli.wiring import wiring_of
from workflow_agent.settings import ENV_PREFIX, Settings, load_settings, settings_page, shown_value

Markdown = Annotated[bool, typer.Option("--markdown", help="Print the reference page instead.")]


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


def openapi(context: typer.Context, markdown: Markdown = False) -> None:
    """Print the description of the HTTP API: its OpenAPI document.

    Examples:

      workflow-agent openapi | jq '.paths | keys'

      workflow-agent openapi --markdown
    """
    from workflow_agent.cli.api_page import api_page  # noqa: PLC0415 - help texts need not wait for it
    from workflow_agent.cli.http_backend import local_backend  # noqa: PLC0415 - see above
    from workflow_agent.cli.printing import print_json  # noqa: PLC0415 - see above

    with TemporaryDirectory() as folder:
        own = load_settings(data_dir=Path(folder))
        with (
            wiring_of(context).application(own) as transport,
            local_backend(transport, "this process") as backend,
        ):
            document = backend.root("/openapi.json")
    if markdown:
        typer.echo(api_page(document), nl=False)
    else:
        print_json(document)


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
