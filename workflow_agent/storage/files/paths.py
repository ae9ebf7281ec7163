"""What may become a part of a path: tenants and ids, matched before anything else is done with them."""

import re
from functools import lru_cache
from pathlib import Path

from workflow_agent.conversations.document import CONVERSATION_ID_PATTERN
from workflow_agent.errors import InvalidInput
from workflow_agent.workflows.model.terms import ID_PATTERN, WORKFLOW_ID_PATTERN

_TENANT = re.compile(ID_PATTERN)
_CONVERSATION_ID = re.compile(CONVERSATION_ID_PATTERN)
_WORKFLOW_ID = re.compile(WORKFLOW_ID_PATTERN)
_SHOWN_CHARS = 80


def is_tenant(text: str) -> bool:
    """Say whether a tenant may have this name."""
    return _TENANT.fullmatch(text) is not None


def check_tenant(tenant: str) -> None:
    """Refuse what cannot be a tenant's name.

    Raises:
        InvalidInput: With what a name may be.
    """
    if not is_tenant(tenant):
        raise InvalidInput(
            f"{shown(tenant)} is not a tenant name: 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or digit."
        )


@lru_cache(maxsize=1_024)
def tenant_directory(root: Path, tenant: str) -> Path:
    """Return where everything of a tenant is kept.

    Raises:
        InvalidInput: This cannot be a tenant's name.
    """
    check_tenant(tenant)
    return root / tenant


def is_conversation_id(text: str) -> bool:
    """Say whether a conversation may have this id."""
    return _CONVERSATION_ID.fullmatch(text) is not None


def is_workflow_id(text: str) -> bool:
    """Say whether a workflow may have this id."""
    return _WORKFLOW_ID.fullmatch(text) is not None


def shown(text: str) -> str:
    """Return the beginning of a text from outside, for a message."""
    return repr(text[:_SHOWN_CHARS])
