"""The workflow memory around a turn; a memory that fails is done without, logged and counted."""

import logging
from collections.abc import Sequence

from workflow_agent.conversations.document import Conversation, WorkflowReference
from workflow_agent.conversations.memory.store import WorkflowMemory
from workflow_agent.errors import StorageFailed
from workflow_agent.telemetry.turns import TurnTrace

_log = logging.getLogger(__name__)


async def recalled(
    memory: WorkflowMemory, conversation: Conversation, user: str, trace: TurnTrace
) -> tuple[WorkflowReference, ...]:
    """Return what is remembered of the user's other conversations and of this one."""
    try:
        known = await memory.recall(conversation.tenant, user)
    except StorageFailed as error:
        _failed("not read", error, conversation, trace)
        known = ()
    elsewhere = (one for one in known if one.conversation_id != conversation.id)
    return (*elsewhere, *conversation.workflow_refs)


async def remember(
    memory: WorkflowMemory,
    conversation: Conversation,
    user: str,
    references: Sequence[WorkflowReference],
    trace: TurnTrace,
) -> None:
    """Add what a stored turn learned to the user's memory."""
    try:
        with trace.saving("memory"):
            await memory.remember(conversation.tenant, user, references)
    except StorageFailed as error:
        _failed("not stored", error, conversation, trace)


def _failed(what: str, error: StorageFailed, conversation: Conversation, trace: TurnTrace) -> None:
    trace.metrics.errors.add(1, {"type": "WorkflowMemoryFailed"})
    known = {"conversation_id": conversation.id, "reason": error.message}
    _log.error("workflow memory %s", what, extra=known, exc_info=error)
