"""Which contents a conversation keeps apart, and where it refers to them."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import Any

from workflow_agent.conversations.document import AgentReply, AttachedDocument, Event
from workflow_agent.conversations.iterations import Iteration
from workflow_agent.conversations.runs import Run
from workflow_agent.errors import ContentNotFound, CorruptDocument, StorageFailed

UNREADABLE = "(this content cannot be read any more)"
"""Stands for a content that was kept apart and is gone or damaged."""
UNREADABLE_ERRORS = (ContentNotFound, CorruptDocument, StorageFailed)
"""How reading such a content fails; what is left of the turn is worth more than an error."""
ReadContent = Callable[[str], Awaitable[Any]]
"""Reads a content of the conversation that is kept apart, by its reference."""


_EVENT = "event:"


def event_ref(event_id: str) -> str:
    """Return the reference to what is said in an event of the same conversation."""
    return f"{_EVENT}{event_id}"


def kept_apart(events: Iterable[Event], runs: Iterable[Run], attachments: Iterable[AttachedDocument]) -> set[str]:
    """Return the references of the contents that stand nowhere else than in a blob."""
    found = {one.content_ref for one in attachments}
    for event in events:
        if isinstance(event, AgentReply):
            found.update(_of(event.iterations))
    for run in runs:
        found.update(_of(run.iterations))
    return found


def _of(iterations: Sequence[Iteration]) -> Iterator[str]:
    for message in (message for one in iterations for message in one.messages):
        for holder in (*message.results, *message.parts):
            if holder.content_ref is not None and not holder.content_ref.startswith(_EVENT):
                yield holder.content_ref
