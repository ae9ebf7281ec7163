"""What conversations keep apart, read once as long as it is in use."""

from dataclasses import dataclass, field
from typing import Any

from cachetools import LRUCache

from workflow_agent.domain.artifacts.artifact import text_of
from workflow_agent.ports import ConversationStore

_KEPT_CHARS = 32_000_000


@dataclass(frozen=True, slots=True)
class Blobs:
    """Large contents by their digest, which never change; those used last stay in memory."""

    store: ConversationStore
    _kept: LRUCache[tuple[str, str, str], Any] = field(
        default_factory=lambda: LRUCache[tuple[str, str, str], Any](
            _KEPT_CHARS, getsizeof=lambda content: len(text_of(content)) + 1
        )
    )

    async def get(self, tenant: str, conversation_id: str, content_ref: str) -> Any:
        """Return a content.

        Raises:
            ContentNotFound, CorruptDocument: It is not there any more, or not what was stored.
        """
        key = (tenant, conversation_id, content_ref)
        known = self._kept.get(key)
        if known is None:
            known = await self.store.blob(tenant, conversation_id, content_ref)
            if len(text_of(known)) < _KEPT_CHARS:
                self._kept[key] = known
        return known
