"""A conversation of ours from a history: ids that fit, times as they were, the rest beside it."""

import re
from collections.abc import Callable
from datetime import datetime
from itertools import count

from workflow_agent.domain.conversation import CONVERSATION_ID_PATTERN, Conversation
from workflow_agent.domain.digests import digest_of
from workflow_agent.domain.migration.history import History
from workflow_agent.domain.turns import with_said
from workflow_agent.domain.values import JsonObject

SOURCE = "imported"
"""The member of a conversation's metadata that says where it came from."""
KEPT_BYTES = 65_536
"""So much of what is no message is kept with a conversation: each save writes it again."""
_MOST_TITLE_CHARS = 200
_STEM_CHARS = 48


def fitting_id(old_id: str) -> str:
    """Return the id a conversation gets: its own where that fits, or one made of it, always the same."""
    if re.fullmatch(CONVERSATION_ID_PATTERN, old_id):
        return old_id
    stem = re.sub(r"[^a-z0-9]+", "-", old_id.lower()).strip("-")[:_STEM_CHARS].rstrip("-")
    return f"{stem or 'cv'}-{digest_of(old_id)[:8]}"


def source_digest(history: History) -> str:
    """Return what tells whether a document is the one that a conversation was made of."""
    return digest_of(history.source)


def conversation_of(history: History, tenant: str, old_id: str, at: datetime) -> Conversation:
    """Return the conversation that a history becomes; the same history makes the same one.

    Args:
        history: What was said.
        tenant: Whose it is.
        old_id: What it was called where it comes from.
        at: The time of what has none.
    """
    digest = source_digest(history)
    first = next((one.at for one in history.said if one.at is not None), at)
    made = Conversation(
        id=fitting_id(old_id), tenant=tenant, title=history.title.strip()[:_MOST_TITLE_CHARS],
        created_at=first, updated_at=first, metadata={SOURCE: _source(history, old_id, digest)},
    )  # fmt: skip
    return with_said(made, history.said, author="user", at=first, new_id=_numbered(digest))


def _source(history: History, old_id: str, digest: str) -> JsonObject:
    kept: list[JsonObject] = []
    room = KEPT_BYTES
    too_large = 0
    for one in history.left:
        if one.size_bytes > room:
            too_large += 1
            continue
        room -= one.size_bytes
        kept.append(one.as_dict())
    source: JsonObject = {"id": old_id, "shape": history.shape, "sha256": digest}
    return source | ({"left": kept} if kept else {}) | ({"too_large": too_large} if too_large else {})


def _numbered(digest: str) -> Callable[[str], str]:
    """Return what makes ids that are the same each time for the same source."""
    numbers = count(1)
    return lambda prefix: f"{prefix}_{digest_of([digest, next(numbers)])[:12]}"
