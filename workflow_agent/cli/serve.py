"""`serve` and `mcp`: the server, over HTTP and over standard input and output."""

from typing import Annotated

import typer

from workflow_agent.cli.context import DataDir, chosen_settings, or_exit, wiring_of
from workflow_agent.cli.database import Database
from workflow_agent.settings import refuse_open_binding, without_effect

Host = Annotated[
    str | None,
    typer.Option(help="Address to listen on; any but a loopback address needs an API key (default 127.0.0.1)."),
]
Port = Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one (default 8000).")]
Workers = Annotated[
    int | None, typer.Option(help="Processes that serve the port side by side, about one a processor core (default 1).")
]
Model = Annotated[
    str | None, typer.Option(help="A model such as openai:gpt-5.2, or offline, which needs no provider (the default).")
]
Samples = Annotated[bool | None, typer.Option("--samples", help="Give a new data directory the sample workflows.")]


def serve(
    context: typer.Context,
    host: Host = None,
    port: Port = None,
    data_dir: DataDir = None,
    model: Model = None,
    samples: Samples = None,
    workers: Workers = None,
    database: Database = None,
) -> None:
    """Run the server until it is told to stop.

    Options win over the environment (WORKFLOW_AGENT_PORT, …), which wins
    over the defaults; `workflow-agent settings` shows them all.

    Examples:

      workflow-agent serve

      workflow-agent serve --port 9000 --data-dir ~/workflows

      workflow-agent serve --workers 4

      WORKFLOW_AGENT_MODEL=openai:gpt-5.2 workflow-agent serve

      workflow-agent serve --database embedded

    Exit codes: 0 after a stop, 1 when the address or the data cannot be
    used, 78 when a setting cannot work.
    """
    chosen = chosen_settings(
        host=host, port=port, data_dir=data_dir, model=model, samples=samples, workers=workers, database_url=database
    )
    or_exit(lambda: refuse_open_binding(chosen))
    for one in without_effect(chosen):
        typer.echo(f"workflow-agent: {one}", err=True)
    or_exit(lambda: wiring_of(context).serve(chosen))


def mcp(context: typer.Context, data_dir: DataDir = None, model: Model = None, samples: Samples = None) -> None:
    """Serve MCP over standard input and output.

    A program that speaks MCP starts this command. It works on the data
    directory itself, beside servers on the same directory; a running
    server answers at /mcp. docs/mcp.md shows how to connect clients.

    Examples:

      workflow-agent mcp

      workflow-agent mcp --data-dir ~/workflows
    """
    chosen = chosen_settings(data_dir=data_dir, model=model, samples=samples)
    or_exit(lambda: wiring_of(context).speak_mcp(chosen))
