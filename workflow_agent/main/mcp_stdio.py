"""The MCP server over standard input and output, on a data directory."""

import asyncio
import logging
import sys
from contextlib import closing

from workflow_agent.api.logs import JsonLines
from workflow_agent.errors import Misconfigured
from workflow_agent.main.composition import build
from workflow_agent.settings import Settings


def speak_mcp(settings: Settings) -> None:
    """Serve the program that started this process, until it closes the input.

    Raises:
        Misconfigured: The SDK is not installed, or a setting cannot work.
    """
    try:
        # Optional: it comes with an extra.
        from workflow_agent.api.mcp.server import mcp_server  # noqa: PLC0415 - see above
    except ModuleNotFoundError as error:
        if error.name != "mcp":
            raise
        raise Misconfigured("MCP is not installed here. Install 'workflow-agent[mcp]'.") from error
    # Standard output is the protocol's.
    shown = logging.StreamHandler(sys.stderr)
    shown.setFormatter(JsonLines())
    logging.basicConfig(level=logging.WARNING, handlers=[shown])
    application = build(settings)
    server = mcp_server(application.services, settings.tenant, application.app.whole().version)

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
