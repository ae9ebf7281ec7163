"""Lists of conversations: what one shows, which match, and where a page ends."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice

from pydantic import BaseModel

from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.store import ConversationPage, ConversationSummary
from workflow_agent.errors import InvalidInput
from workflow_agent.storage.files.file_system import is_conversation_id, shown
from workflow_agent.values.stored import Moment, iso_milliseconds

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_POSITION = re.compile(r"(-?[0-9]{1,15}) (.{1,64})")


class ListedEvent(BaseModel):
    """An event as far as lists and searches need it."""

    type: str
    id: str
    index: int
    turn: int = 0
    author: str = ""
    at: str = ""
    run_id: str | None = None
    content: str = ""


class _ListedEntry(BaseModel):
    last_turn: int
    last_index: int


class ConversationHead(BaseModel):
    """The part of a stored conversation that lists and searches need; cheaper to read than the whole."""

    id: str
    title: str
    phase: str
    version: int
    created_at: Moment
    updated_at: Moment
    bound_workflow_id: str | None
    events: tuple[ListedEvent, ...]
    archive: tuple[_ListedEntry, ...] = ()


class SealedHead(BaseModel):
    """The part of a sealed file that searches need."""

    events: tuple[ListedEvent, ...]


def summary_of(found: Conversation | ConversationHead) -> ConversationSummary:
    """Return a conversation as a list shows it."""
    return ConversationSummary(
        id=found.id,
        title=found.title,
        phase=found.phase,
        version=found.version,
        turns=_turns(found),
        created_at=found.created_at,
        updated_at=found.updated_at,
        bound_workflow_id=found.bound_workflow_id,
    )


def _turns(found: Conversation | ConversationHead) -> int:
    sealed = found.archive[-1].last_turn if found.archive else 0
    return max((event.turn for event in found.events if event.type == "user_message"), default=sealed)


def stamp_of(summary: ConversationSummary) -> str:
    """Return what tells one state of a conversation from its others, and from another of the same id."""
    return f"{summary.version} {iso_milliseconds(summary.created_at)} {iso_milliseconds(summary.updated_at)}"


def page_of(summaries: Iterable[ConversationSummary], cursor: str | None, limit: int) -> ConversationPage:
    """Return the page of conversations that follows a cursor, latest change first; raises as `position_before` does."""
    before = position_before(cursor, limit)
    newest_first = sorted(summaries, key=_position, reverse=True)
    following = (one for one in newest_first if before is None or _position(one) < before)
    return page_with(tuple(islice(following, limit + 1)), limit)


def position_before(cursor: str | None, limit: int) -> tuple[int, str] | None:
    """Return what a page comes after: milliseconds since 1970 and an id; None where it is the first.

    Raises:
        InvalidInput: The cursor was not made here, or the limit is less than 1.
    """
    if limit < 1:
        raise InvalidInput(f"A page of {limit!r} conversations cannot be made; ask for at least 1.")
    if cursor is None:
        return None
    try:
        text = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except ValueError:
        text = ""
    match = _POSITION.fullmatch(text)
    if match is None or not is_conversation_id(match[2]) or _encoded((int(match[1]), match[2])) != cursor:
        raise InvalidInput(f"{shown(cursor)} is not a cursor; pass the `next_cursor` of the page before.")
    return int(match[1]), match[2]


def page_with(found: Sequence[ConversationSummary], limit: int) -> ConversationPage:
    """Return the page of the first summaries; what is over its limit says that there are more."""
    cursor = _encoded(_position(found[limit - 1])) if len(found) > limit else None
    return ConversationPage(tuple(found[:limit]), cursor)


def _position(summary: ConversationSummary) -> tuple[int, str]:
    return (summary.updated_at - _EPOCH) // _MILLISECOND, summary.id


def cursor_before(at: datetime) -> str:
    """Return the cursor of a page that begins with the conversation that was changed last before a time."""
    return _encoded(((at - _EPOCH) // _MILLISECOND, "0"))


def _encoded(position: tuple[int, str]) -> str:
    return urlsafe_b64encode(f"{position[0]} {position[1]}".encode()).decode().rstrip("=")
