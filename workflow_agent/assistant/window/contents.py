"""Large contents of iterations: kept apart from the conversation's file, brought back where they are read."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from cachetools import LRUCache

from workflow_agent.assistant.record import BETWEEN_PARTS, Told, as_sent, joined
from workflow_agent.conversations.artifacts import text_of
from workflow_agent.conversations.content_refs import UNREADABLE, UNREADABLE_ERRORS
from workflow_agent.conversations.iterations import Iteration, Message, MessagePart, ToolResult
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.values.run_fence import RunFence

INLINE_BYTES = 2_048
_INLINE_TEXT_CHARS = 512
"""A part of the instructions that is longer comes again in many turns; most shorter ones change with each."""
_SHORT_CHARS = 96
"""A part that lasts and is shorter is no longer than a reference."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of one conversation's iterations.

    Args:
        store: Keeps what is large, by its digest: the same content once, however many turns have it.
        tenant: Whose conversation.
        conversation_id: Which one.
        inline_bytes: A tool result up to this size, as JSON, stays where it belongs.
        fence: Of the run that writes, if one does.
    """

    store: ConversationStore
    tenant: str
    conversation_id: str
    inline_bytes: int = INLINE_BYTES
    fence: RunFence | None = None

    async def keep(self, iterations: Sequence[Iteration], instructions: Sequence[Told] = ()) -> tuple[Iteration, ...]:
        """Return iterations with references in place of what is large, all of it durably kept by then.

        Args:
            iterations: As the run left them.
            instructions: The parts that the system message is made of.

        Raises:
            StorageFailed: Something could not be kept; nothing may refer to it.
        """
        return tuple([await self._kept(one, instructions) for one in iterations])

    async def resolved(self, iterations: Sequence[Iteration]) -> tuple[Iteration, ...]:
        """Return iterations with contents in place of references; what is gone says so."""
        return tuple([await self._resolved(one) for one in iterations])

    async def _kept(self, iteration: Iteration, instructions: Sequence[Told]) -> Iteration:
        messages = tuple([await self._kept_message(one, instructions) for one in iteration.messages])
        return iteration.model_copy(update={"messages": messages})

    async def _kept_message(self, message: Message, instructions: Sequence[Told]) -> Message:
        if message.role == "system" and message.content == joined(instructions):
            parts = tuple([await self._kept_part(part) for part in instructions])
            return message.model_copy(update={"content": "", "parts": parts})
        results = tuple([await self._kept_result(one) for one in message.results])
        return message.model_copy(update={"results": results}) if results else message

    async def _kept_part(self, part: Told) -> MessagePart:
        if len(part.text) <= (_SHORT_CHARS if part.is_lasting else _INLINE_TEXT_CHARS):
            return MessagePart(text=part.text)
        return MessagePart(content_ref=await self._put(part.text))

    async def _kept_result(self, result: ToolResult) -> ToolResult:
        text = as_sent(result.content)
        if len(text) <= self.inline_bytes:
            return result
        content_ref = await self._put(json.loads(text))
        return result.model_copy(update={"content": None, "content_ref": content_ref})

    async def _put(self, content: Any) -> str:
        return await self.store.put_blob(self.tenant, self.conversation_id, content, self.fence)

    async def _resolved(self, iteration: Iteration) -> Iteration:
        if not any(one.parts or one.results for one in iteration.messages):
            return iteration
        messages = tuple(await asyncio.gather(*map(self._resolved_message, iteration.messages)))
        return iteration.model_copy(update={"messages": messages})

    async def _resolved_message(self, message: Message) -> Message:
        if message.parts:
            texts = [
                str(await self._get(one.content_ref)) if one.content_ref else one.text or "" for one in message.parts
            ]
            return message.model_copy(update={"content": BETWEEN_PARTS.join(texts), "parts": ()})
        results = tuple([await self._resolved_result(one) for one in message.results])
        return message.model_copy(update={"results": results}) if results else message

    async def _resolved_result(self, result: ToolResult) -> ToolResult:
        if result.content_ref is None:
            return result
        return result.model_copy(update={"content": await self._get(result.content_ref)})

    async def _get(self, content_ref: str) -> Any:
        try:
            return await self.store.blob(self.tenant, self.conversation_id, content_ref)
        except UNREADABLE_ERRORS:
            # `verify` finds what is missing.
            return UNREADABLE


_KEPT_CHARS = 4_000_000
"""Parsed, a content takes several times its text."""


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
