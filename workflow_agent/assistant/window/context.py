"""What the model will see this turn: the history that fits, the facts of the run, and the record of both."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from workflow_agent.assistant.compaction.policy import hidden_events
from workflow_agent.assistant.compaction.service import Compactor
from workflow_agent.assistant.compaction.text import earlier_turns, within
from workflow_agent.assistant.requests import Job
from workflow_agent.assistant.window.past_turns import (
    PastTurn,
    PastTurns,
    RenderedOf,
    keeping_nothing,
    reading_nothing,
    tokens_of_messages,
)
from workflow_agent.assistant.window.record import BuiltContext, earlier_tokens
from workflow_agent.conversations.agents import ROSTER
from workflow_agent.conversations.context_records import WindowLimits, overflow_of
from workflow_agent.conversations.document import AgentReply, Conversation, UserMessage
from workflow_agent.conversations.iterations import Message
from workflow_agent.conversations.records import ReadContent
from workflow_agent.conversations.transcript import Entry, Transcript
from workflow_agent.conversations.transitions import Handoff
from workflow_agent.values.tokens import TokenCounter, newest_that_fit, shortened


@dataclass(frozen=True, slots=True)
class ContextManager:
    """Builds the window of a turn."""

    max_turns: int = 50
    """How many earlier turns are considered at all, newest first."""
    turns_with_tools: int = 3
    """In how many of the newest turns tool calls and results are replayed; of older ones only what was said, because a
    workflow read long ago may have changed since."""
    rendered_of: RenderedOf = keeping_nothing
    """Keeps turns as they were rendered for earlier windows."""

    async def build(
        self,
        conversation: Conversation,
        trigger: UserMessage,
        agent: str,
        fixed: Mapping[str, int],
        limits: WindowLimits,
        counter: TokenCounter,
        *,
        handoff: Handoff | None = None,
        registered: Collection[str] = tuple(ROSTER),
        system_in_place: bool = True,
        mask_step: int = 1,
        material_tokens: int = 0,
        read: ReadContent = reading_nothing,
    ) -> BuiltContext:
        """Return what fits beside the fixed parts: the message itself and the newest unbroken turns.

        Args:
            conversation: With the trigger in it.
            trigger: The message to answer; it comes last and is never in the history.
            agent: Who answers: its own replies are the assistant's, those of others are attributed.
            fixed: Tokens of what is sent in any case, by section: prompt module, tools, facts, open workflow.
            limits: The window and how much of it may be used.
            counter: Counts tokens as the run's model does.
            handoff: What brought the agent in, if another handed over.
            registered: The agents there are.
            system_in_place: Whether the provider leaves system messages where they are.
            mask_step: In steps of how many turns tool results leave the window.
            material_tokens: What the artifacts take.
            read: Reads the tool results that are kept apart.

        Raises:
            ContextOverflow: The fixed parts alone are over the budget; says which weigh most.
        """
        transcript = Transcript(conversation, agent, trigger, handoff, registered, hidden_events(conversation))
        left = limits.budget_tokens - sum(fixed.values())
        if left <= 0:
            raise overflow_of(fixed, limits.budget_tokens)
        earlier = earlier_turns(conversation)
        if earlier is not None:
            earlier = within(earlier, left // 2, counter.count)
            left -= sum(earlier_tokens(earlier, counter).values())
        prompt = trigger.content
        message_tokens = counter.count(prompt)
        if message_tokens > left:
            # Half of what there is room for: passages of it, chosen by what it asks, take the other half.
            prompt = shortened(prompt, left // 2, counter.count)
            message_tokens = counter.count(prompt)
        # What frames the turns is there whatever fits between.
        frame_tokens = tokens_of_messages(chain(*transcript.frame()), counter)
        beside_message = left - message_tokens
        room = beside_message - frame_tokens - material_tokens
        past = PastTurns.of(transcript, counter, self.rendered_of, read, system_in_place=system_in_place)
        uncompacted = trigger.turn - 1 - (earlier.turns if earlier else 0)
        whole = self.turns_with_tools + _turns_since_step(uncompacted, mask_step)
        before = await _turns_before(past, whole, self.max_turns, room)
        past.settle()
        fitted = newest_that_fit(before[::-1], room)
        entries = [entry for turn in fitted.included for entry in turn.entries]
        # First, because it stays the same from one compaction to the next and providers cache beginnings.
        head = (Message(role="system", content=earlier.text),) if earlier else ()
        turns = sum(turn.is_earlier for turn in fitted.included)
        return BuiltContext(
            history=[*past.replay(head), *transcript.assembled(entries, past.replay)],
            prompt=prompt,
            limits=limits,
            history_tokens=fitted.tokens + frame_tokens,
            message_tokens=message_tokens,
            turns_included=turns,
            turns_excluded=max(trigger.turn - 1 - turns - (earlier.turns if earlier else 0), 0),
            counter=counter,
            original_chars=len(trigger.content),
            room_tokens=beside_message,
            verbatim=_verbatim(fitted.included, agent),
            earlier=earlier,
        )


def _turns_since_step(uncompacted: int, mask_step: int) -> int:
    """Return how many turns more show results than need to, so that results leave a window in steps.

    The first step waits until as many turns leave as in others. A step falls on the turn after a compaction,
    which by default leaves seven turns: there the window begins anew in any case.
    """
    if mask_step == 1 or uncompacted < 2 * mask_step - 1:
        return uncompacted if mask_step > 1 else 0
    return (uncompacted + 1) % mask_step


async def _turns_before(past: PastTurns, whole: int, most: int, room: int) -> list[PastTurn]:
    """Return the uncompacted turns before the trigger, newest first, up to the first that is too much.

    Each is rendered as it is come to; nothing older is. As many of the newest as `whole` show the results of their
    tools.
    """
    taken: list[PastTurn] = []
    for group, with_tools, is_earlier in _groups_before(past.transcript, whole):
        if room < 0 or len(taken) == most:
            break
        taken.append(await past.rendered(group, with_tools=with_tools, is_earlier=is_earlier))
        room -= taken[-1].tokens
    return taken


def _groups_before(transcript: Transcript, whole: int) -> Iterator[tuple[list[Entry], bool, bool]]:
    """Yield what belongs together, newest first; whether it shows results of tools, and is an earlier turn."""
    group: list[Entry] = []
    number = 0
    answered = getattr(transcript.trigger, "turn", None)
    for entry in transcript.newest_first():
        if group and getattr(group[-1].event, "turn", None) == answered != getattr(entry.event, "turn", None):
            # What others answered to this very message is no earlier turn.
            yield group, True, False
            group = []
        group.append(entry)
        if isinstance(entry.event, UserMessage):
            yield group, number < whole, True
            group = []
            number += 1
    if group:
        yield group, False, False


def _verbatim(turns: Iterable[PastTurn], agent: str) -> frozenset[int]:
    return frozenset(
        entry.event.index
        for turn in turns
        if turn.with_tools
        for entry, _ in turn.entries
        if isinstance(entry.event, AgentReply) and entry.event.author == agent
    )


@dataclass(slots=True)
class FittingWindow:
    """Builds the window of one job."""

    compactor: Compactor
    job: Job
    build: Callable[..., Awaitable[BuiltContext]]
    """Builds the window of a conversation."""
    may_compact: bool
    """Whether turns that do not fit are compacted, rather than left out this once."""
    _compacted: Conversation | None = field(default=None, init=False)

    async def built(self, *, material_tokens: int = 0) -> BuiltContext:
        """Return the window beside so many tokens of artifacts, which leave turns out but compact none."""
        conversation = self._compacted or self.job.conversation
        built = await self.build(conversation, material_tokens=material_tokens)
        if built.turns_excluded == 0 or material_tokens or not self.may_compact:
            return built
        count = self.job.evidence.counter.count
        made = await self.compactor.before_turn(conversation, built.turns_excluded, count)
        if made is None:
            return built
        if made.compaction is not None:
            self.job.evidence.summarised(made.compaction)
        self._compacted = made.conversation
        return await self.build(self._compacted)
