"""The hosts on a database, whose packages are an extra."""

from typing import TYPE_CHECKING

from workflow_agent.errors import Misconfigured
from workflow_agent.settings import Settings

if TYPE_CHECKING:
    from workflow_agent.main.hosts import Hosts


def hosts_of(settings: Settings) -> "Hosts":
    """Return what a command or a server does on the database that the settings name; nothing is asked of it yet.

    Raises:
        Misconfigured: No database is named, or its packages are not installed.
    """
    if settings.database_url is None:
        raise Misconfigured("No database is named: give --database, or set WORKFLOW_AGENT_DATABASE_URL.")
    try:
        from workflow_agent.main.hosts import Hosts  # noqa: PLC0415 - an extra, and who keeps files does without
    except ImportError as error:
        raise Misconfigured(
            f"A database needs more packages ({error}): pip install 'workflow-agent[postgres]'."
        ) from error
    return Hosts(settings)
