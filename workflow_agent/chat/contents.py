"""Large contents of iterations: kept apart from the conversation's file, brought back where they are read."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import to_json

from workflow_agent.agent.evidence import BETWEEN_PARTS, Told, joined
from workflow_agent.domain.conversation import AgentReply, Conversation, Event
from workflow_agent.domain.errors import ContentNotFound, CorruptDocument
from workflow_agent.domain.iterations import Iteration, Message, MessagePart, ToolResult
from workflow_agent.ports import ConversationStore

INLINE_BYTES = 2_048
_INLINE_TEXT_CHARS = 512
"""A part of the instructions that is longer comes again in many turns; most shorter ones change with each."""
_SHORT_CHARS = 96
"""A part that lasts and is shorter is no longer than a reference."""
_MOST_BYTES = 16 * 2**10
"""Replies with larger results are read again for each window."""
_GONE = "(this content is not kept any more)"


ReadReplies = dict[str, tuple[AgentReply, AgentReply]]
"""Replies of a conversation by id: as it is stored, and with the tool results in it."""


def reading_again(tenant: str, conversation_id: str) -> ReadReplies:
    """Return room for one window."""
    del tenant, conversation_id
    return {}


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of one conversation's iterations.

    Args:
        store: Keeps what is large, by its digest: the same content once, however many turns have it.
        tenant: Whose conversation.
        conversation_id: Which one.
        inline_bytes: A tool result up to this size, as JSON, stays where it belongs.
        read: Replies whose results were read for the windows before; afterwards those of this one.
    """

    store: ConversationStore
    tenant: str
    conversation_id: str
    inline_bytes: int = INLINE_BYTES
    read: ReadReplies = field(default_factory=ReadReplies)

    async def keep(
        self, iterations: Sequence[Iteration], instructions: Sequence[Told] = ()
    ) -> tuple[Iteration, ...]:
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

    async def with_results_of_latest(self, conversation: Conversation, replies: int) -> Conversation:
        """Return the conversation as the window reads it: its latest replies with their tool results.

        Instructions of earlier runs stay references: no window shows them, and each would be a file to read.
        """
        events: list[Event] = list(conversation.events)
        read: ReadReplies = {}
        left = replies
        for at in range(len(events) - 1, -1, -1):
            event = events[at]
            if left == 0:
                break
            if isinstance(event, AgentReply):
                left -= 1
                stored, whole = self.read.get(event.id, (None, event))
                # The very same: the conversation may have been deleted and another brought in by its id.
                if stored is event or _is_kept(whole := await self._whole(event)):
                    read[event.id] = event, whole
                events[at] = whole
        self.read.clear()
        self.read.update(read)
        return conversation.model_copy(update={"events": tuple(events)})

    async def _whole(self, reply: AgentReply) -> AgentReply:
        """Return a reply with its tool results: itself, where none of them is kept apart."""
        if not any(one.content_ref for one in _results(reply)):
            return reply
        # One by one: mostly they are known, and a task each would take longer than the reading.
        with_results = tuple([await self._with_results(one) for one in reply.iterations])
        return reply.model_copy(update={"iterations": with_results})

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
        text = to_json(result.content, inf_nan_mode="null", serialize_unknown=True)
        if len(text) <= self.inline_bytes:
            return result
        content_ref = await self._put(json.loads(text))
        return result.model_copy(update={"content": None, "content_ref": content_ref})

    async def _put(self, content: Any) -> str:
        return await self.store.put_blob(self.tenant, self.conversation_id, content)

    async def _with_results(self, iteration: Iteration) -> Iteration:
        if not any(one.results for one in iteration.messages):
            return iteration
        messages = [await self._resolved_message(one) if one.results else one for one in iteration.messages]
        return iteration.model_copy(update={"messages": tuple(messages)})

    async def _resolved(self, iteration: Iteration) -> Iteration:
        if not any(one.parts or one.results for one in iteration.messages):
            return iteration
        messages = tuple(await asyncio.gather(*map(self._resolved_message, iteration.messages)))
        return iteration.model_copy(update={"messages": messages})

    async def _resolved_message(self, message: Message) -> Message:
        if message.parts:
            texts = [str(await self._get(one.content_ref)) if one.content_ref else one.text or ""
                     for one in message.parts]  # fmt: skip
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
        except (ContentNotFound, CorruptDocument):
            # What is left of the turn is worth more than an error; `verify` finds what is missing.
            return _GONE


def _results(reply: AgentReply) -> Iterator[ToolResult]:
    return (result for step in reply.iterations for message in step.messages for result in message.results)


def _is_kept(reply: AgentReply) -> bool:
    """Return whether a reply stays as it was read: not what is large, nor what a backup may bring back."""
    contents = [result.content for result in _results(reply)]
    if any(content is _GONE for content in contents):
        return False
    return len(to_json(contents, inf_nan_mode="null", serialize_unknown=True)) <= _MOST_BYTES
