"""The tools of other MCP servers, as the operator's `mcpServers` file names them."""

import json
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from workflow_agent.errors import Misconfigured
from workflow_agent.settings import Settings

if TYPE_CHECKING:
    from workflow_agent.assistant.foreign_tools import ForeignTools


def foreign_tools_of(settings: Settings) -> "ForeignTools | None":
    """Return the tools of the servers in the file; None where no file is named. No server is asked yet.

    Raises:
        Misconfigured: The file cannot be used, or the SDK is not installed.
    """
    path = settings.mcp_servers_file
    if path is None:
        return None
    try:
        # Optional, and it takes a second.
        from pydantic_ai.mcp import MCPToolset, load_mcp_toolsets  # noqa: PLC0415 - see above
        from pydantic_ai.toolsets import PrefixedToolset  # noqa: PLC0415 - see above

        from workflow_agent.assistant.foreign_tools import (  # noqa: PLC0415 - see above
            ForeignPolicy,
            ForeignServer,
            ForeignTools,
        )
    except ImportError as error:
        raise Misconfigured(
            f"{str(path)!r} names MCP servers, and MCP is not installed. Install 'workflow-agent[mcp]'."
        ) from error
    try:
        toolsets = load_mcp_toolsets(path)
        written: dict[str, Any] = json.loads(path.read_bytes())["mcpServers"]
        policies = TypeAdapter(dict[str, ForeignPolicy]).validate_python(written)
    except (OSError, ValueError, KeyError) as error:
        raise Misconfigured(f"The file of MCP servers {str(path)!r} cannot be used: {error}") from error
    servers = [
        ForeignServer(name, one.wrapped, policies[name])
        for name, one in zip(policies, toolsets, strict=True)
        if isinstance(one, PrefixedToolset) and isinstance(one.wrapped, MCPToolset)
    ]
    return ForeignTools(servers, settings.mcp_timeout_seconds, settings.mcp_result_chars)
