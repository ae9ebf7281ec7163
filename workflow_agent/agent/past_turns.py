"""Earlier turns as the model reads them, rendered once for as long as they stay in the window."""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from workflow_agent.agent.evidence import texts_of
from workflow_agent.domain.conversation import AgentReply, Conversation, Event
from workflow_agent.domain.counting import TokenCounter
from workflow_agent.domain.iterations import Message
from workflow_agent.domain.transcript import Entry, Transcript, without_echo

_MOST_TOKENS = 4_000
"""A longer turn is rendered each time: keeping what tools gave back would take too much memory."""


@dataclass(frozen=True, slots=True)
class PastTurn:
    """One earlier turn as the model reads it."""

    entries: Sequence[tuple[Entry, Sequence[Message]]]
    tokens: int
    is_earlier: bool
    """Whether it counts as a turn: not what belongs to the one under way, nor what precedes the first."""
    with_tools: bool


Rendered = dict[Hashable, PastTurn]
RenderedOf = Callable[[str, str, Hashable], Rendered]
"""Gives what is kept of a conversation: of a tenant, by its id and by how it was rendered."""


def keeping_nothing(tenant: str, conversation_id: str, how: Hashable) -> Rendered:
    """Return room for one window."""
    del tenant, conversation_id, how
    return {}


@dataclass(slots=True)
class PastTurns:
    """The earlier turns of one window.

    Args:
        transcript: The conversation as the agent reads it.
        counter: Counts tokens as the run's model does.
        kept: What was rendered for the windows before; afterwards only what this one has.
    """

    transcript: Transcript
    counter: TokenCounter
    kept: Rendered
    _used: Rendered = field(default_factory=dict[Hashable, PastTurn])

    @classmethod
    def of(cls, transcript: Transcript, counter: TokenCounter, rendered_of: RenderedOf) -> "PastTurns":
        """Return the earlier turns of a conversation, with what was rendered of them before."""
        talk: Conversation = transcript.conversation
        # The function says which tokenizer it is; an estimate is a new function for each run.
        by = counter.count if counter.counting == "tokenizer" else counter.factor
        how = (transcript.agent, frozenset(transcript.registered), counter.counting, by)
        return cls(transcript, counter, rendered_of(talk.tenant, talk.id, how))

    def rendered(
        self, newest_first: Sequence[Entry], *, with_tools: bool, is_earlier: bool = True
    ) -> PastTurn:
        """Return a turn as the model reads it."""
        entries = tuple(reversed(newest_first))
        key = (tuple((one.event.id, one.missed) for one in entries), with_tools, is_earlier)
        known = self.kept.get(key)
        # Events do not change, but a conversation may have been deleted and another brought in by its id.
        if known is None or tuple(entry for entry, _ in known.entries) != entries:
            known = self._made(entries, with_tools=with_tools, is_earlier=is_earlier)
        if known.tokens <= _MOST_TOKENS:
            self._used[key] = known
        return known

    def settle(self) -> None:
        """Keep the turns of this window, and no others."""
        self.kept.clear()
        self.kept.update(self._used)

    def _made(self, entries: Sequence[Entry], *, with_tools: bool, is_earlier: bool) -> PastTurn:
        said = [
            (entry, _messages_of(self.transcript, entry.event, with_tools=with_tools)) for entry in entries
        ]
        tokens = sum(tokens_of_messages(messages, self.counter) for _, messages in said)
        return PastTurn(said, tokens, is_earlier, with_tools)


def tokens_of_messages(messages: Iterable[Message], counter: TokenCounter) -> int:
    """Return what messages weigh in the window."""
    return sum(counter.count(text) for message in messages for text in texts_of(message))


def _messages_of(transcript: Transcript, event: Event, *, with_tools: bool) -> tuple[Message, ...]:
    # A reply that was given elsewhere has no iterations: what it said is all there is.
    if with_tools and isinstance(event, AgentReply) and event.iterations and event.author == transcript.agent:
        return _loop_messages(event, transcript.registered)
    return (transcript.message_of(event),)


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
