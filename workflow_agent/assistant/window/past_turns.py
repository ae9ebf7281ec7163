"""Earlier turns as the model reads them, rendered once for as long as they stay in the window."""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from pydantic_ai.messages import ModelMessage

from workflow_agent.assistant.record import texts_of
from workflow_agent.assistant.replay import to_model_messages
from workflow_agent.conversations.document import AgentReply, Conversation
from workflow_agent.conversations.iterations import Message, ToolResult
from workflow_agent.conversations.records import UNREADABLE, UNREADABLE_ERRORS, ReadContent
from workflow_agent.conversations.transcript import Entry, Transcript, without_echo
from workflow_agent.errors import ContentNotFound
from workflow_agent.values.tokens import TokenCounter

_MOST_TOKENS = 4_000
"""A longer turn is rendered each time: keeping what tools gave back would take too much memory."""


@dataclass(frozen=True, slots=True)
class PastTurn:
    """One earlier turn as the model reads it."""

    entries: Sequence[tuple[Entry, Sequence[ModelMessage]]]
    tokens: int
    is_earlier: bool
    """Whether it counts as a turn: not what belongs to the one under way, nor what precedes the first."""
    with_tools: bool
    is_readable: bool = True
    """Whether all that its tools gave back could be read."""


Rendered = dict[Hashable, PastTurn]
RenderedOf = Callable[[str, str, Hashable], Rendered]
"""Gives what is kept of a conversation: of a tenant, by its id and by how it was rendered."""


async def reading_nothing(content_ref: str) -> Any:
    """Find nothing that is kept apart."""
    raise ContentNotFound(f"{content_ref} is not kept.")


async def with_results(reply: AgentReply, read: ReadContent) -> AgentReply:
    """Return a reply with the results of its tool calls in it; one that cannot be read is a failed one.

    Instructions of the run stay references: no window shows them, and each would be a file to read.
    """
    if all(one.content_ref is None for step in reply.iterations for said in step.messages for one in said.results):
        return reply
    steps = [
        step.model_copy(update={"messages": tuple([await _with_results(one, read) for one in step.messages])})
        for step in reply.iterations
    ]
    return reply.model_copy(update={"iterations": tuple(steps)})


async def _with_results(message: Message, read: ReadContent) -> Message:
    results = [await _result(one, read) for one in message.results]
    return message.model_copy(update={"results": tuple(results)}) if results else message


async def _result(result: ToolResult, read: ReadContent) -> ToolResult:
    if result.content_ref is None or result.content is not None:
        return result
    try:
        return result.model_copy(update={"content": await read(result.content_ref)})
    except UNREADABLE_ERRORS:
        return result.model_copy(update={"content": UNREADABLE, "outcome": "failed"})


def _is_readable(reply: AgentReply) -> bool:
    messages = (message for step in reply.iterations for message in step.messages)
    return all(result.content != UNREADABLE for message in messages for result in message.results)


def keeping_nothing(tenant: str, conversation_id: str, how: Hashable) -> Rendered:
    """Return room for one window."""
    del tenant, conversation_id, how
    return {}


@dataclass(slots=True)
class PastTurns:
    """The earlier turns of one window."""

    transcript: Transcript
    """The conversation as the agent reads it."""
    counter: TokenCounter
    kept: Rendered
    """What was rendered for the windows before; afterwards only what this one has."""
    replay: Callable[[Iterable[Message]], Sequence[ModelMessage]]
    """Gives messages the form in which the run's model gets them."""
    read: ReadContent
    """Reads the tool results that are kept apart."""
    _used: Rendered = field(default_factory=dict[Hashable, PastTurn])

    @classmethod
    def of(
        cls,
        transcript: Transcript,
        counter: TokenCounter,
        rendered_of: RenderedOf,
        read: ReadContent,
        *,
        system_in_place: bool,
    ) -> "PastTurns":
        """Return the earlier turns of a conversation, with what was rendered of them before."""
        talk: Conversation = transcript.conversation
        # The function says which tokenizer it is; an estimate is a new function for each run.
        by = counter.count if counter.counting == "tokenizer" else counter.factor
        how = (transcript.agent, frozenset(transcript.registered), counter.counting, by, system_in_place)
        replay = partial(to_model_messages, system_in_place=system_in_place)
        return cls(transcript, counter, rendered_of(talk.tenant, talk.id, how), replay, read)

    async def rendered(self, newest_first: Sequence[Entry], *, with_tools: bool, is_earlier: bool = True) -> PastTurn:
        """Return a turn as the model reads it."""
        entries = tuple(reversed(newest_first))
        key = (tuple((one.event.id, one.missed) for one in entries), with_tools, is_earlier)
        known = self.kept.get(key)
        # Events do not change, but a conversation may have been deleted and another brought in by its id.
        if known is None or tuple(entry for entry, _ in known.entries) != entries:
            known = await self._made(entries, with_tools=with_tools, is_earlier=is_earlier)
        # A backup may bring back what cannot be read.
        if known.tokens <= _MOST_TOKENS and known.is_readable:
            self._used[key] = known
        return known

    def settle(self) -> None:
        """Keep the turns of this window, and no others."""
        self.kept.clear()
        self.kept.update(self._used)

    async def _made(self, entries: Sequence[Entry], *, with_tools: bool, is_earlier: bool) -> PastTurn:
        made = PastTurn([], 0, is_earlier, with_tools)
        said: list[tuple[Entry, Sequence[Message]]] = []
        for entry in entries:
            event = entry.event
            # A reply that was given elsewhere has no iterations: what it said is all there is.
            own = event if isinstance(event, AgentReply) and event.author == self.transcript.agent else None
            if with_tools and own is not None and own.iterations:
                reply = await with_results(own, self.read)
                said.append((entry, _loop_messages(reply, self.transcript.registered)))
                made = replace(made, is_readable=made.is_readable and _is_readable(reply))
            else:
                said.append((entry, (self.transcript.message_of(event),)))
        tokens = sum(tokens_of_messages(messages, self.counter) for _, messages in said)
        return replace(made, entries=[(entry, self.replay(messages)) for entry, messages in said], tokens=tokens)


def tokens_of_messages(messages: Iterable[Message], counter: TokenCounter) -> int:
    """Return what messages weigh in the window."""
    return sum(counter.count(text) for message in messages for text in texts_of(message))


def _loop_messages(reply: AgentReply, names: Collection[str]) -> tuple[Message, ...]:
    """Return what was said and done in the run, without the instructions and the message it began with."""
    messages = (message for one in reply.iterations for message in one.messages)
    return tuple(
        message.model_copy(update={"content": without_echo(message.content, names)})
        if message.role == "assistant"
        else message
        for message in messages
        if message.role in ("assistant", "tool")
    )
