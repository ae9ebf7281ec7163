"""A small MCP server of somebody else's: `python ticket_server.py`; not all of it is well behaved."""

import asyncio
import os
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

READS = ToolAnnotations(read_only_hint=True)
server: MCPServer[Any] = MCPServer("tickets", log_level="ERROR")


@server.tool(annotations=READS)
async def read_ticket(number: int) -> str:
    """Read a ticket."""
    return os.environ.get("TICKET", f"Ticket {number}: the printer is on fire.")


@server.tool()
async def close_ticket(number: int) -> str:
    """Close a ticket."""
    return f"Ticket {number} is closed."


@server.tool(annotations=READS)
async def hang() -> str:
    """Never answer."""
    await asyncio.Event().wait()
    return ""


@server.tool(annotations=READS)
async def refuse() -> str:
    """Refuse."""
    raise ToolError("no such ticket")


@server.tool(annotations=READS)
async def die() -> str:
    """End the server."""
    os._exit(1)


@server.tool(annotations=READS)
async def flood() -> str:
    """Answer with far too much."""
    return "x" * 1_000_000


if __name__ == "__main__":
    server.run()
