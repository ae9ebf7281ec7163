"""The command line: start the server, look at the settings."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from workflow_agent.domain.errors import Misconfigured, WorkflowAgentError
from workflow_agent.settings import (
    ENV_PREFIX,
    Settings,
    load_settings,
    refuse_open_binding,
    settings_page,
    shown_value,
)

EXIT_FAILED = 1
EXIT_MISCONFIGURED = 78
"""EX_CONFIG of sysexits.h: the configuration has to be mended, a restart will not help."""
Serve = Callable[[Settings], None]
"""Runs the server until it is told to stop; comes to the commands as the context's object."""
Done = TypeVar("Done")

cli = typer.Typer(name="workflow-agent", no_args_is_help=True, pretty_exceptions_enable=False)

Host = Annotated[
    str | None,
    typer.Option(
        help="Address to listen on; any but a loopback address needs an API key (default 127.0.0.1)."
    ),
]
Port = Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one (default 8000).")]
DataDir = Annotated[
    Path | None, typer.Option(help="Where conversations and workflows are kept (default data).")
]
Model = Annotated[
    str | None,
    typer.Option(help="A model such as openai:gpt-5.2, or offline, which needs no provider (the default)."),
]
Samples = Annotated[
    bool | None, typer.Option("--samples", help="Give a new data directory the sample workflows.")
]
Markdown = Annotated[
    bool, typer.Option("--markdown", help="Print the reference page with defaults and meanings instead.")
]


@cli.callback()
def about() -> None:
    """Talk about workflows: create, find, change and analyse them."""


@cli.command()
def serve(
    context: typer.Context,
    host: Host = None,
    port: Port = None,
    data_dir: DataDir = None,
    model: Model = None,
    samples: Samples = None,
) -> None:
    """Run the server until it is told to stop.

    Options win over the environment (WORKFLOW_AGENT_PORT, …), which wins
    over the defaults; `workflow-agent settings` shows them all.

    Examples:

      workflow-agent serve

      workflow-agent serve --port 9000 --data-dir ~/workflows

      WORKFLOW_AGENT_MODEL=openai:gpt-5.2 workflow-agent serve

    Exit codes: 0 after a stop, 1 when the address or the data cannot be
    used, 78 when a setting cannot work.
    """
    given = {"host": host, "port": port, "data_dir": data_dir, "model": model, "samples": samples}
    chosen = _or_exit(
        lambda: load_settings(**{name: value for name, value in given.items() if value is not None})
    )
    _or_exit(lambda: refuse_open_binding(chosen))
    start: Serve = context.obj
    _or_exit(lambda: start(chosen))


@cli.command()
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
    current = _or_exit(load_settings)
    for name in Settings.model_fields:
        typer.echo(f"{ENV_PREFIX}{name.upper()}={shown_value(current, name)}")


def _or_exit(act: Callable[[], Done]) -> Done:
    """Return what an action returns; say what is wrong and leave where it cannot."""
    try:
        return act()
    except WorkflowAgentError as error:
        typer.echo(f"workflow-agent: {error.message}", err=True)
        raise SystemExit(EXIT_MISCONFIGURED if isinstance(error, Misconfigured) else EXIT_FAILED) from error
