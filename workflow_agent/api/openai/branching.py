"""Going on after an earlier response: in its conversation, or in a branch where that went on already."""

from dataclasses import replace

from workflow_agent.api.openai.asking import Ask, asked_last
from workflow_agent.api.services import Services
from workflow_agent.chat.forking import fork, index_of_event
from workflow_agent.chat.wholes import whole_of
from workflow_agent.domain.conversation import Conversation
from workflow_agent.domain.digests import digest_of
from workflow_agent.domain.errors import AlreadyExists, ConversationNotFound
from workflow_agent.domain.forking import NewFork
from workflow_agent.domain.runs import Run


async def asked_after(services: Services, tenant: str, ask: Ask, conversation: Conversation, run: Run) -> Ask:
    """Return the request with the conversation in which it follows a run's reply.

    A request that is sent again finds the place where it was answered before.
    """
    here = replace(ask, conversation_id=conversation.id)
    if conversation.turn_count == run.turn or _was_next(conversation, run, here):
        return here
    branch_id = f"cv_{digest_of([conversation.id, run.run_id, ask.digest()])[:24]}"
    branch = replace(ask, conversation_id=branch_id)
    try:
        known = await services.conversations.load(tenant, branch_id)
    except ConversationNotFound:
        await _begin(services, tenant, conversation, run, branch_id)
        return branch
    if known.turn_count == run.turn or _was_next(known, run, branch):
        return branch
    fresh = services.new_id("cv")
    await _begin(services, tenant, conversation, run, fresh)
    return replace(ask, conversation_id=fresh)


def _was_next(conversation: Conversation, run: Run, ask: Ask) -> bool:
    return conversation.turn_count == run.turn + 1 and asked_last(conversation, ask)


async def _begin(
    services: Services, tenant: str, conversation: Conversation, run: Run, branch_id: str
) -> None:
    """Fork the conversation where a run replied."""
    whole = await whole_of(services.conversations, tenant, conversation.id)
    index = index_of_event(whole, run.reply_event_id or run.user_event_id)
    try:
        await fork(services.conversations, tenant, whole, NewFork(branch_id, index, services.clock()))
    except AlreadyExists:
        return
