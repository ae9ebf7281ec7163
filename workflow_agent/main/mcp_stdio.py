"""The MCP server over standard input and output, on a data directory; needs the `mcp` extra."""

import asyncio
import logging
import sys
from contextlib import closing

from workflow_agent.api.mcp.server import mcp_server
from workflow_agent.main.composition import build
from workflow_agent.settings import Settings
from workflow_agent.telemetry.logs import JsonLines


def speak_mcp(settings: Settings) -> None:
    """Serve the program that started this process, until it closes the input."""
    # Standard output is the protocol's.
    shown = logging.StreamHandler(sys.stderr)
    shown.setFormatter(JsonLines())
    logging.basicConfig(level=logging.WARNING, handlers=[shown])
    application = build(settings)
    server = mcp_server(application.services, application.app.version)

    async def serve() -> None:
        await application.prepare()
        beside = asyncio.create_task(application.look_after())
        try:
            await server.run_stdio_async()
        finally:
            beside.cancel()
            await application.finish()

    with closing(application):
        asyncio.run(serve())
