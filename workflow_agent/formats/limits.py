"""How large a document may be, and how one that cannot be read is refused."""

from workflow_agent.domain.errors import Problem
from workflow_agent.formats.base import UnreadableDocument

MAX_CHARS = 5_000_000
MAX_DEPTH = 64
MAX_NODES = 500_000
"""Values in a document, each alias counted as all that it stands for."""


def unreadable(what: str, message: str) -> UnreadableDocument:
    """Return the refusal of a whole document."""
    return UnreadableDocument(what, [Problem("", message)])
