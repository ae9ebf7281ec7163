"""Forking a conversation at one of its events."""

from workflow_agent.assistant.turns.wholes import contents_of, created_with
from workflow_agent.conversations.document import Conversation, SystemEvent
from workflow_agent.conversations.fork import NewFork, forked
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.conversations.verification import Whole
from workflow_agent.errors import NotFound


async def fork(store: ConversationStore, tenant: str, whole: Whole, new: NewFork) -> Conversation:
    """Return a new conversation, as stored, that holds another one up to an event.

    Raises:
        AlreadyExists: The id is taken.
    """
    contents = await contents_of(store, tenant, whole)
    return await created_with(store, forked(whole, new), contents)


def index_of_event(whole: Whole, event_id: str) -> int:
    """Return the number of an event by its id.

    Raises:
        NotFound: There is none.
    """
    found = next((event.index for event in whole.events if event.id == event_id), None)
    if found is None:
        raise NotFound(f"Conversation {whole.conversation.id!r} has no event {event_id[:80]!r}.")
    return found


def index_of_number(whole: Whole, number: int) -> int:
    """Return the number of an event that there is.

    Raises:
        NotFound: There is none.
    """
    if not 0 <= number < len(whole.events):
        raise NotFound(
            f"Conversation {whole.conversation.id!r} has no event number {number}.", events=len(whole.events)
        )
    return number


def index_of_turn(whole: Whole, turn: int) -> int:
    """Return the number of the last event of a turn.

    Raises:
        NotFound: There is no such turn.
    """
    of_turn = [event.index for event in whole.events if not isinstance(event, SystemEvent) and event.turn == turn]
    if not of_turn:
        raise NotFound(
            f"Conversation {whole.conversation.id!r} has no turn {turn}.", turns=whole.conversation.turn_count
        )
    return max(of_turn)
