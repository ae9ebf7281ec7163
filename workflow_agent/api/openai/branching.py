"""Going on after an earlier response: in its conversation, or in a branch where that went on already."""

from dataclasses import replace

from workflow_agent.api.openai.asking import Ask
from workflow_agent.api.openai.recorded import Recorded
from workflow_agent.api.openai.resent import asked_last
from workflow_agent.api.services import Services
from workflow_agent.chat.forking import fork, index_of_turn
from workflow_agent.chat.wholes import whole_of
from workflow_agent.domain.conversation import Conversation
from workflow_agent.domain.digests import digest_of
from workflow_agent.domain.errors import AlreadyExists, ConversationNotFound
from workflow_agent.domain.forking import NewFork


async def asked_after(services: Services, tenant: str, ask: Ask, before: Recorded) -> Ask:
    """Return the request with the conversation in which it follows a response.

    A request that is sent again finds the place where it was answered before.
    """
    here = replace(ask, conversation_id=before.conversation_id)
    if _goes_on(await services.conversations.load(tenant, before.conversation_id), before, here):
        return here
    branch_id = f"cv_{digest_of([before.conversation_id, before.first.run_id, ask.digest()])[:24]}"
    branch = replace(ask, conversation_id=branch_id)
    try:
        known = await services.conversations.load(tenant, branch_id)
    except ConversationNotFound:
        await _begin(services, tenant, before, branch_id)
        return branch
    if _goes_on(known, before, branch):
        return branch
    fresh = services.new_id("cv")
    await _begin(services, tenant, before, fresh)
    return replace(ask, conversation_id=fresh)


def _goes_on(conversation: Conversation, before: Recorded, ask: Ask) -> bool:
    """Say whether a conversation stands at a response, or this very request has followed it."""
    turn = before.first.turn
    if conversation.turn_count == turn:
        return True
    return conversation.turn_count == turn + 1 and asked_last(conversation, ask)


async def _begin(services: Services, tenant: str, before: Recorded, branch_id: str) -> None:
    """Fork the conversation where a response ends."""
    whole = await whole_of(services.conversations, tenant, before.conversation_id)
    index = index_of_turn(whole, before.first.turn)
    try:
        await fork(services.conversations, tenant, whole, NewFork(branch_id, index, services.clock()))
    except AlreadyExists:
        return
