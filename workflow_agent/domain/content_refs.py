"""Which contents a conversation keeps apart, and where it refers to them."""

from collections.abc import Iterable, Iterator, Sequence

from workflow_agent.domain.attachments import AttachedDocument
from workflow_agent.domain.conversation import AgentReply, Event
from workflow_agent.domain.iterations import Iteration
from workflow_agent.domain.runs import Run


def kept_apart(
    events: Iterable[Event], runs: Iterable[Run], attachments: Iterable[AttachedDocument]
) -> set[str]:
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
            if holder.content_ref is not None:
                yield holder.content_ref
