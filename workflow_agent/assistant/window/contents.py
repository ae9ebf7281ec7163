"""Large contents of iterations: kept apart from the conversation's file, brought back where they are read."""

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cachetools import LRUCache

from workflow_agent.assistant.record import BETWEEN_PARTS, Told, as_sent, joined
from workflow_agent.assistant.window.extraction import results_of
from workflow_agent.assistant.window.plan import asked_words, shares
from workflow_agent.conversations.archive import Position, SealedTurns
from workflow_agent.conversations.artifacts import text_of
from workflow_agent.conversations.document import AgentReply, Conversation, Event, UserMessage
from workflow_agent.conversations.iterations import Iteration, Message, MessagePart, ToolResult
from workflow_agent.conversations.records import UNREADABLE, UNREADABLE_ERRORS, event_ref
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.errors import WorkflowAgentError
from workflow_agent.values.stored import RunFence
from workflow_agent.workflows.search.words import fold, words

INLINE_BYTES = 2_048
_INLINE_TEXT_CHARS = 512
"""A part of the instructions that is longer comes again in many turns; most shorter ones change with each."""
_SHORT_CHARS = 96
"""A part that lasts and is shorter is no longer than a reference."""
_FILES = 4
"""So many sealed files are looked through, the latest: 32 to 256 turns."""
_MOST_TURNS = 3
_MOST_CHARS = 600
"""Of what a turn says and found; its first lines tell what it is about."""
_KEPT_TURNS = 4_000
"""Of so many it is known what they are about, some 5 KB each at most."""
Lost = Callable[[str, WorkflowAgentError], None]
"""Learns what cannot be read, and why."""


class _Told(NamedTuple):
    """What a turn with tool results is about."""

    turn: int
    stems: tuple[frozenset[str], frozenset[str]]
    """Of what was asked, of the person and of the tools; and of what was answered."""


def _kept() -> LRUCache[tuple[str, str, str], Sequence[_Told]]:
    return LRUCache(_KEPT_TURNS, getsizeof=lambda told: len(told) + 1)


@dataclass(frozen=True, slots=True)
class SealedResults:
    """Finds tool results in sealed turns at a cost that does not grow with the conversation.

    What a sealed file is about is kept in memory, by its digest. The file is read again only for a turn
    that shares a word with the question of which no message in the conversation's own file speaks: most
    questions are about what was talked of lately, and read nothing.
    """

    store: ConversationStore
    _about: LRUCache[tuple[str, str, str], Sequence[_Told]] = field(default_factory=_kept, repr=False)

    async def replies(self, conversation: Conversation, question: str, lost: Lost) -> Sequence[AgentReply]:
        """Return the replies that may answer a question, which the conversation ends with, newest first.

        What is in other sealed files is found although one cannot be read.
        """
        asked = asked_words(question)
        unsaid = _unsaid(asked, conversation)
        files = [entry for entry in conversation.archive if entry.kind == "turns"][-_FILES:] if unsaid else []
        told = [one for entry in files for one in await self._told(conversation, entry, lost)]
        likely = [
            (share.score, one.turn)
            for share, one in zip(shares([one.stems for one in told], asked), told, strict=True)
            if share.is_about and not unsaid.isdisjoint(one.stems[0] | one.stems[1])
        ]
        replies: list[AgentReply] = []
        for turn in sorted((turn for _, turn in sorted(likely, reverse=True)[:_MOST_TURNS]), reverse=True):
            events = await self._events(conversation, turn, lost)
            replies += (one for one in events or () if isinstance(one, AgentReply) and one.turn == turn)
        return replies

    async def _told(self, conversation: Conversation, entry: SealedTurns, lost: Lost) -> Sequence[_Told]:
        key = (conversation.tenant, conversation.id, entry.sha256)
        if key not in self._about:
            events = await self._events(conversation, entry.first_turn, lost)
            if events is None:
                return ()
            self._about[key] = tuple(_told(events))
        return self._about[key]

    async def _events(self, conversation: Conversation, turn: int, lost: Lost) -> Sequence[Event] | None:
        """Return the events of the sealed file that a turn is in; None where that cannot be read."""
        try:
            part = await self.store.sealed(conversation.tenant, conversation.id, Position("turn", turn))
        except UNREADABLE_ERRORS as error:
            lost(f"turn {turn}", error)
            return None
        return part.events


def _unsaid(asked: Mapping[str, float], conversation: Conversation) -> frozenset[str]:
    """Return the words of a question that no message in the conversation's file holds but the latest, its own."""
    said = [fold(event.content) for event in conversation.events[:-1]]
    own = (word for word, weight in asked.items() if weight == 1)
    return frozenset(word for word in own if not any(word in text for text in said))


def _told(events: Sequence[Event]) -> Iterator[_Told]:
    messages = {one.turn: one.content for one in events if isinstance(one, UserMessage)}
    for reply in events:
        if not isinstance(reply, AgentReply):
            continue
        found = [pair for step in reply.iterations for pair in results_of(step)]
        if found:
            calls = " ".join(f"{result.name} {text_of(args)}" for result, args in found)
            results = " ".join(text_of(result.content) for result, _ in found if result.content is not None)
            asked, said = (messages.get(reply.turn, ""), calls), (reply.content, results)
            yield _Told(reply.turn, (_stems_in(asked), _stems_in(said)))


def _stems_in(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in words(text[:_MOST_CHARS]))


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of one conversation's iterations."""

    store: ConversationStore
    """Keeps what is large, by its digest: the same content once, however many turns have it."""
    tenant: str
    conversation_id: str
    inline_bytes: int = INLINE_BYTES
    """A tool result up to this size, as JSON, stays where it belongs."""
    fence: RunFence | None = None
    """Of the run that writes, if one does."""

    async def keep(
        self, iterations: Sequence[Iteration], instructions: Sequence[Told] = (), asked: UserMessage | None = None
    ) -> tuple[Iteration, ...]:
        """Return iterations with references in place of what is large or said in an event, all durably kept by then.

        The instructions are the parts of the system message; the text of the message asked stands in its event alone.

        Raises:
            StorageFailed: Something could not be kept; nothing may refer to it.
        """
        kept: list[Iteration] = []
        for one in iterations:
            messages = tuple([await self._kept_message(said, instructions, asked) for said in one.messages])
            kept.append(one.model_copy(update={"messages": messages}))
        return tuple(kept)

    async def resolved(
        self, iterations: Sequence[Iteration], asked: UserMessage | None = None
    ) -> tuple[Iteration, ...]:
        """Return iterations with contents in place of references; what is gone says so."""
        return tuple([await self._resolved(one, asked) for one in iterations])

    async def _kept_message(self, message: Message, instructions: Sequence[Told], asked: UserMessage | None) -> Message:
        if asked is not None and message.role == "user" and message.content == asked.content:
            part = MessagePart(content_ref=event_ref(asked.id))
            return message.model_copy(update={"content": "", "parts": (part,)})
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

    async def _resolved(self, iteration: Iteration, asked: UserMessage | None) -> Iteration:
        if not any(one.parts or one.results for one in iteration.messages):
            return iteration
        messages = tuple(await asyncio.gather(*(self._resolved_message(one, asked) for one in iteration.messages)))
        return iteration.model_copy(update={"messages": messages})

    async def _resolved_message(self, message: Message, asked: UserMessage | None) -> Message:
        if message.parts:
            texts = [await self._resolved_part(one, asked) for one in message.parts]
            return message.model_copy(update={"content": BETWEEN_PARTS.join(texts), "parts": ()})
        results = tuple([await self._resolved_result(one) for one in message.results])
        return message.model_copy(update={"results": results}) if results else message

    async def _resolved_part(self, part: MessagePart, asked: UserMessage | None) -> str:
        if part.content_ref is None:
            return part.text or ""
        if asked is not None and part.content_ref == event_ref(asked.id):
            return asked.content
        return str(await self._get(part.content_ref))

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
