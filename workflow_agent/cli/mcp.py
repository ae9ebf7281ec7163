"""`mcp`: serve a program that speaks MCP over standard input and output."""

import typer

from workflow_agent.cli.context import wiring_of
from workflow_agent.cli.exits import or_exit
from workflow_agent.cli.options import DataDir, chosen_settings
from workflow_agent.cli.serve import Model, Samples


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
