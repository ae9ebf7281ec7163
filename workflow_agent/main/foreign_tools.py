"""The tools of other MCP servers, as the operator's `mcpServers` file names them."""

from typing import TYPE_CHECKING

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
        # An extra, which takes a second to import.
        from workflow_agent.assistant.foreign_tools import ForeignTools, servers_in  # noqa: PLC0415 - see above
    except ImportError as error:
        raise Misconfigured(
            f"{str(path)!r} names MCP servers, and MCP is not installed. Install 'workflow-agent[mcp]'."
        ) from error
    return ForeignTools(servers_in(path), settings.mcp_timeout_seconds, settings.mcp_result_chars)
