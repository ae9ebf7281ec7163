"""What is known of the user around a turn; a memory that fails is done without, logged and counted."""

import logging
from collections.abc import Sequence
from contextlib import suppress

from workflow_agent.assistant.compaction.facts import without_documents
from workflow_agent.conversations.document import Conversation, WorkflowReference
from workflow_agent.conversations.memory.person import Fact, FactSource, told_of_oneself
from workflow_agent.conversations.memory.references import WorkflowMemory
from workflow_agent.conversations.memory.service import PersonalMemory
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.errors import InvalidInput, StorageFailed, WorkflowAgentError
from workflow_agent.telemetry.turns import TurnTrace

_log = logging.getLogger(__name__)


async def known_of_user(
    memory: WorkflowMemory, personal: PersonalMemory, conversation: Conversation, user: str, trace: TurnTrace
) -> tuple[tuple[WorkflowReference, ...], Sequence[Fact]]:
    """Return which workflows the user dealt with, here and elsewhere, and what is to be remembered."""
    if personal.read_known is not None:
        # Where that fails each is asked for by itself: one may be readable.
        with suppress(StorageFailed):
            known, person = await personal.read_known(conversation.tenant, user)
            return _with_own(known, conversation), person.facts
    return await recalled(memory, conversation, user, trace), await known_facts(personal, conversation, user, trace)


async def recalled(
    memory: WorkflowMemory, conversation: Conversation, user: str, trace: TurnTrace
) -> tuple[WorkflowReference, ...]:
    """Return what is remembered of the user's other conversations and of this one."""
    try:
        known = await memory.recall(conversation.tenant, user)
    except StorageFailed as error:
        _failed("not read", error, conversation, trace)
        known = ()
    return _with_own(known, conversation)


def _with_own(known: Sequence[WorkflowReference], conversation: Conversation) -> tuple[WorkflowReference, ...]:
    elsewhere = (one for one in known if one.conversation_id != conversation.id)
    return (*elsewhere, *conversation.workflow_refs)


async def known_facts(
    personal: PersonalMemory, conversation: Conversation, user: str, trace: TurnTrace
) -> Sequence[Fact]:
    """Return what the user asked to be remembered."""
    try:
        return (await personal.people.person(conversation.tenant, user)).facts
    except StorageFailed as error:
        _failed("not read", error, conversation, trace)
        return ()


async def learn(
    personal: PersonalMemory, conversation: Conversation, user: str, turn: int, message: str, trace: TurnTrace
) -> None:
    """Remember what a message plainly tells of its author's preferences."""
    source = FactSource(conversation_id=conversation.id, turn=turn)
    try:
        for told in told_of_oneself(without_documents(message)):
            fact = await personal.remember(conversation.tenant, user, told, None, source)
            _log.info("remembered of a user", extra={"conversation_id": conversation.id, "memory_id": fact.id})
    except (StorageFailed, InvalidInput) as error:
        _failed("not learned", error, conversation, trace)


async def forget(
    personal: PersonalMemory, store: ConversationStore, conversation: Conversation, user: str, trace: TurnTrace
) -> Conversation:
    """Take what the user wanted forgotten out of all conversations; return this one as it is then.

    After the reply is stored, because the run that forgets writes once more what it was asked to forget.
    """
    try:
        if await personal.settle(conversation.tenant, user):
            return await store.load(conversation.tenant, conversation.id)
    except WorkflowAgentError as error:
        # It is on record that it is to be forgotten: the next turn, or the next start, goes on with it.
        _failed("not forgotten", error, conversation, trace)
    return conversation


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


def _failed(what: str, error: WorkflowAgentError, conversation: Conversation, trace: TurnTrace) -> None:
    trace.metrics.errors.add(1, {"type": "WorkflowMemoryFailed"})
    known = {"conversation_id": conversation.id, "reason": error.message}
    _log.error("workflow memory %s", what, extra=known, exc_info=error)
