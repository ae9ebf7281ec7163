"""Conversations that clients do not name, found by the history that they carry along."""

from collections.abc import AsyncGenerator, Callable, Sequence
from itertools import groupby

from workflow_agent.api.openai.asking import Ask
from workflow_agent.api.openai.resent import asked_last
from workflow_agent.api.openai.texts import Said
from workflow_agent.api.services import Services
from workflow_agent.domain.conversation import Conversation
from workflow_agent.domain.digests import digest_of
from workflow_agent.domain.errors import ConversationNotFound


async def own_history(services: Services, tenant: str, ask: Ask) -> str:
    """Return the conversation for a request that names none: where its history was told, or a new one."""
    if ask.script.earlier:
        known = await _continued(services, tenant, ask)
        if known is not None:
            return known
    digest = ask.digest()
    key = f"openai-request.{digest}"
    claim = await services.keys.claim(tenant, key, digest, services.new_id("cv"))
    if not claim.is_first and not await _is_waiting_for(services, tenant, claim.resource_id, ask):
        # The same words once more, in a chat of their own.
        await services.keys.set(tenant, key, digest, fresh := services.new_id("cv"))
        return fresh
    return claim.resource_id


async def _is_waiting_for(services: Services, tenant: str, conversation_id: str, ask: Ask) -> bool:
    """Say whether a conversation that an equal request opened is this request's own."""
    if not (ask.is_repeated or ask.script.earlier):
        return False
    try:
        conversation = await services.conversations.load(tenant, conversation_id)
    except ConversationNotFound:
        return True
    return asked_last(conversation, ask)


async def _continued(services: Services, tenant: str, ask: Ask) -> str | None:
    """Return the conversation in which this very history was told, unless it went on since."""
    digest = _told(ask.author, ask.script.earlier)
    conversation_id = await services.keys.find(tenant, f"openai-history.{digest}")
    if conversation_id is None:
        return None
    try:
        conversation = await services.conversations.load(tenant, conversation_id)
    except ConversationNotFound:
        return None
    asked = sum(one.role == "user" for one in ask.script.earlier)
    return conversation_id if _stands_at(conversation, asked, ask) else None


def _stands_at(conversation: Conversation, turns: int, ask: Ask) -> bool:
    if conversation.turn_count == turns:
        return True
    # The request itself may have been accepted already, when the client sends it again.
    return conversation.turn_count == turns + 1 and asked_last(conversation, ask)


async def remember(services: Services, tenant: str, ask: Ask, conversation_id: str, reply: str) -> None:
    """Let a later request that carries this history go on in the same conversation."""
    if ask.conversation_id is not None:
        return
    said = (*ask.script.earlier, Said("user", ask.script.message), Said("assistant", reply))
    digest = _told(ask.author, said)
    await services.keys.set(tenant, f"openai-history.{digest}", digest, conversation_id)


async def remembering(
    written: AsyncGenerator[bytes], reply: Callable[[], str | None], services: Services, tenant: str,
    ask: Ask, conversation_id: str,
) -> AsyncGenerator[bytes]:  # fmt: skip
    """Yield what is written; before the last piece, see to it that the next request finds this conversation.

    Args:
        written: The reply as it goes over the wire.
        reply: Gives the whole text of the reply once it is complete.
        services: What the application is made with.
        tenant: Whose data this is about.
        ask: What is answered.
        conversation_id: Where.
    """
    async for piece in written:
        if (text := reply()) is not None:
            await remember(services, tenant, ask, conversation_id, text)
        yield piece


def _told(author: str, said: Sequence[Said]) -> str:
    """Return a digest of what was said; what one role says in several messages counts as one."""
    roles = groupby(said, key=lambda one: one.role)
    return digest_of([author, *([role, "".join(one.text for one in told).strip()] for role, told in roles)])
