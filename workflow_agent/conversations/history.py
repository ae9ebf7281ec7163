"""Reading back in a conversation, wherever its turns are kept by now."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from typing import Generic, TypeVar

from workflow_agent.conversations.archive import Position
from workflow_agent.conversations.call_history import CallRecord
from workflow_agent.conversations.compactions import Compaction
from workflow_agent.conversations.document import Conversation, Event
from workflow_agent.conversations.message_records import conversation_of_run, turn_of_run
from workflow_agent.conversations.periods import said_when
from workflow_agent.conversations.records import RecordedTurn, Records, run_in, told_calls, turn_in
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.seals import SealedPart
from workflow_agent.conversations.store import ConversationStore, MessageHit, MessageQuery
from workflow_agent.errors import ConversationNotFound, NotFound, RunNotFound

MOST_FILES_A_PAGE = 8
"""A page that filters out nearly everything ends after so many sealed files; its cursor goes on."""

Find = Callable[[str, MessageQuery], Awaitable[Sequence[MessageHit]]]
"""`ConversationStore.find`."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Stretch(Generic[T]):
    """Some records in order, and where to go on."""

    items: Sequence[T]
    following: int | None
    """The number of the next record to look at; None at the end."""
    total: int | None = None
    """How many there are of the kind, where that is known without reading them."""


@dataclass(frozen=True, slots=True)
class Past:
    """Everything that was said and done in a conversation, sealed or not."""

    store: ConversationStore
    conversation: Conversation

    async def around_turn(self, number: int) -> Records:
        """Return the records a turn is in: one sealed part, or the conversation itself."""
        if 1 <= number <= self.conversation.sealed_turns:
            return await self._sealed(Position("turn", number))
        return self.conversation

    async def turn(self, number: int) -> RecordedTurn:
        """Return a turn; turns count from 1.

        Raises:
            NotFound: There is no such turn.
        """
        found = turn_in(await self.around_turn(number), number)
        if found is None:
            raise NotFound(
                f"Conversation {self.conversation.id!r} has no turn {number}.", turns=self.conversation.turn_count
            )
        return found

    async def events(
        self,
        start: int | None,
        limit: int,
        keep: Callable[[Event], bool] = lambda _: True,
        *,
        newest_first: bool = False,
    ) -> Stretch[Event]:
        """Return events from a number on.

        `start` is the number of the first event to look at; None begins at the first, or the newest.
        """
        sealed, count = self.conversation.sealed_events, self.conversation.next_index

        async def part_at(number: int) -> tuple[int, Sequence[Event]]:
            if number >= sealed:
                return sealed, self.conversation.events
            part = await self._sealed(Position("event", number))
            return part.events[0].index, part.events

        return await _stretch(part_at, start, count, limit, keep, newest_first=newest_first)

    async def calls(
        self, start: int | None, limit: int, keep: Callable[[CallRecord], bool] = lambda _: True
    ) -> Stretch[CallRecord]:
        """Return call records from a number on, oldest first."""
        sealed = self.conversation.sealed_calls

        async def part_at(number: int) -> tuple[int, Sequence[CallRecord]]:
            if number >= sealed:
                return sealed, told_calls(self.conversation)
            part = await self._sealed(Position("call", number))
            return part.first_call, told_calls(part)

        count = sealed + len(self.conversation.calls)
        return await _stretch(part_at, start, count, limit, keep, newest_first=False)

    async def compactions(self, start: int | None, limit: int, *, newest_first: bool = False) -> Stretch[Compaction]:
        """Return compactions from a number on, those that later ones took up included."""
        older = await self._uncounted_compactions()
        sealed = len(older) + self.conversation.sealed_compactions

        async def part_at(number: int) -> tuple[int, Sequence[Compaction]]:
            if number < len(older):
                return 0, older
            if number >= sealed:
                return sealed, self.conversation.compactions
            part = await self._sealed(Position("compaction", number - len(older)))
            return len(older) + part.first_compaction, part.compactions

        count = sealed + len(self.conversation.compactions)
        found = await _stretch(part_at, start, count, limit, lambda _: True, newest_first=newest_first)
        return replace(found, total=count)

    async def _uncounted_compactions(self) -> Sequence[Compaction]:
        """Return the compactions of the first sealed files, up to the first whose entry counts them.

        Older releases did not count them; of newer archives these are the one or two files that have none.
        """
        found: list[Compaction] = []
        uncounted = takewhile(lambda one: one.first_compaction + one.compactions == 0, self.conversation.archive)
        last, turn = max((one.last_turn for one in uncounted), default=0), 1
        while turn <= last:
            part = await self._sealed(Position("turn", turn))
            found += part.compactions
            turn = part.last_turn + 1
        return found

    async def _sealed(self, position: Position) -> SealedPart:
        return await self.store.sealed(self.conversation.tenant, self.conversation.id, position)


async def best_messages(find: Find, tenant: str, query: MessageQuery, now: datetime) -> Sequence[MessageHit]:
    """Return the messages that answer a query, best first; of a certain time where it names one.

    Where nothing of that time answers, the words are looked for at all times, the time words among them.

    Raises:
        ConversationNotFound: The conversation to look in is not there.
    """
    ranked = replace(query, is_ranked=True)
    text, periods = said_when(query.text, now)
    if periods:
        timed = replace(ranked, text=text, periods=periods)
        found = await find(tenant, timed)
        if found or (query.offset and await find(tenant, replace(timed, offset=0, limit=1))):
            return found
    return await find(tenant, ranked)


async def recorded_run(store: ConversationStore, tenant: str, run_id: str) -> tuple[Records, Run]:
    """Return a run, and the records of its conversation that it is in, sealed or not.

    Raises:
        RunNotFound: There is no such run.
    """
    try:
        conversation = await store.load(tenant, conversation_of_run(run_id))
    except ConversationNotFound as error:
        raise _no_run(run_id) from error
    records = await Past(store, conversation).around_turn(turn_of_run(run_id))
    run = run_in(records, run_id)
    if run is None:
        raise _no_run(run_id)
    return records, run


def _no_run(run_id: str) -> RunNotFound:
    return RunNotFound(f"There is no run {run_id!r}.", run_id=run_id)


async def _stretch(
    part_at: Callable[[int], Awaitable[tuple[int, Sequence[T]]]],
    start: int | None,
    count: int,
    limit: int,
    keep: Callable[[T], bool],
    *,
    newest_first: bool,
) -> Stretch[T]:
    """Return kept records of one part after another, with the number of the first that found no room."""
    step = -1 if newest_first else 1
    at = (count - 1 if newest_first else 0) if start is None else start
    found: list[T] = []
    for _ in range(MOST_FILES_A_PAGE):
        if not 0 <= at < count:
            return Stretch(found, None)
        first, records = await part_at(at)
        if not 0 <= at - first < len(records):
            # A file that somebody edited may lack a number; to stay at it would ask for it for ever.
            at += step
        while 0 <= at - first < len(records):
            record = records[at - first]
            if keep(record):
                if len(found) == limit:
                    return Stretch(found, at)
                found.append(record)
            at += step
    return Stretch(found, at if 0 <= at < count else None)
