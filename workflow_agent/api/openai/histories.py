"""Which conversation goes on with the messages that a client sends, and the turn that begins there."""

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import groupby

from workflow_agent.api.dependencies import Services
from workflow_agent.api.openai.response_object import Recorded
from workflow_agent.api.openai.turn_requests import Ask
from workflow_agent.assistant.requests import StartedTurn, TurnRequest
from workflow_agent.assistant.turns.bundles import fork, index_of_turn, whole_of
from workflow_agent.conversations.document import AgentReply, Conversation, UserMessage
from workflow_agent.conversations.fork import NewFork
from workflow_agent.conversations.idempotency import IdempotencyKeys
from workflow_agent.conversations.imports import Said, with_said
from workflow_agent.conversations.records import leading_in
from workflow_agent.conversations.runs import Run
from workflow_agent.errors import AlreadyExists, ConversationNotFound
from workflow_agent.values.stored import digest_of

RESEND_WINDOW = timedelta(seconds=10)
"""How long an equal message without any history is taken for the same one; people repeat themselves later."""
_TAIL = 4
"""Messages by which a history is known that was cut at its head: two questions and their answers."""


def key_of(conversation: Conversation, ask: Ask, now: datetime) -> str:
    """Return the key of the turn: that of the latest one where this is the same request again."""
    latest = _asked_last(conversation, ask)
    if latest is not None and _is_same(conversation.runs[-1], ask, now):
        return str(latest.key)
    return f"{_stem(ask)}.{conversation.turn_count + 1}"


def _is_same(newest: Run, ask: Ask, now: datetime) -> bool:
    if newest.status == "cancelled" and not ask.is_repeated:
        # Somebody stopped it, and asks again.
        return False
    # With the whole history in it, an equal request can only be the same one.
    if ask.is_repeated or ask.script.earlier or newest.completed_at is None:
        return True
    return now - newest.completed_at < RESEND_WINDOW


def _asked_last(conversation: Conversation, ask: Ask) -> Run | None:
    """Return the first run of the latest turn, which has its key, where an equal request began that turn."""
    latest = leading_in(conversation, conversation.runs[-1]) if conversation.runs else None
    return latest if latest is not None and (latest.key or "").startswith(_stem(ask)) else None


def _stem(ask: Ask) -> str:
    return f"openai.{ask.digest()}"


async def own_history(services: Services, ask: Ask) -> str:
    """Return the conversation for a request that names none: where its history was told, or a new one."""
    if ask.script.earlier:
        known = await _continued(services, ask) or await _continued_from_tail(services, ask)
        if known is not None:
            return known
    digest = ask.digest()
    key = f"openai-request.{digest}"
    claim = await services.keys.claim(key, digest, services.new_id("cv"))
    if not claim.is_first and not await _is_waiting_for(services, claim.resource_id, ask):
        # The same words once more, in a chat of their own.
        await services.keys.set(key, digest, fresh := services.new_id("cv"))
        return fresh
    return claim.resource_id


async def _is_waiting_for(services: Services, conversation_id: str, ask: Ask) -> bool:
    """Say whether a conversation that an equal request opened is this request's own."""
    if not (ask.is_repeated or ask.script.earlier):
        return False
    conversation = await _found(services, conversation_id)
    return conversation is None or _asked_last(conversation, ask) is not None


async def _continued(services: Services, ask: Ask) -> str | None:
    """Return the conversation in which this very history was told, unless it went on since."""
    conversation = await _noted(services, f"openai-history.{_told(ask.author, ask.script.earlier)}")
    asked = sum(one.role == "user" for one in ask.script.earlier)
    return conversation.id if conversation is not None and _stands_at(conversation, asked, ask) else None


async def _noted(services: Services, key: str) -> Conversation | None:
    """Return the conversation noted under a key, if there is one and it is still there."""
    conversation_id = await services.keys.find(key)
    return None if conversation_id is None else await _found(services, conversation_id)


async def _found(services: Services, conversation_id: str) -> Conversation | None:
    try:
        return await services.conversation(conversation_id)
    except ConversationNotFound:
        return None


async def _continued_from_tail(services: Services, ask: Ask) -> str | None:
    """Return the conversation whose latest messages a history is that was cut at its head."""
    earlier = ask.script.earlier
    if len(earlier) < _TAIL:
        return None
    conversation = await _noted(services, f"openai-tail.{_told(ask.author, earlier[-_TAIL:])}")
    if conversation is None:
        return None
    said = _said_in(conversation)
    if _asked_last(conversation, ask):
        said = said[: max((at for at, one in enumerate(said) if one.role == "user"), default=0)]
    same = [(one.role, one.text.strip()) for one in said[-len(earlier) :]]
    return conversation.id if same == [(one.role, one.text.strip()) for one in earlier] else None


def _said_in(conversation: Conversation) -> list[Said]:
    """Return what was said in a conversation, as a client's history holds it."""
    return [
        Said("user" if isinstance(event, UserMessage) else "assistant", event.content)
        for event in conversation.events
        if isinstance(event, UserMessage | AgentReply)
    ]


def _stands_at(conversation: Conversation, turns: int, ask: Ask) -> bool:
    """Say whether a conversation has so many turns, or this very request has followed them."""
    more = conversation.turn_count - turns
    # The request itself may have been accepted already, when the client sends it again.
    return more == 0 or (more == 1 and _asked_last(conversation, ask) is not None)


async def remember(keys: IdempotencyKeys, ask: Ask, conversation_id: str, reply: str) -> None:
    """Let a later request that carries this history go on in the same conversation."""
    if ask.conversation_id is not None:
        return
    said = (*ask.script.earlier, Said("user", ask.script.message), Said("assistant", reply))
    digest = _told(ask.author, said)
    await keys.set(f"openai-history.{digest}", digest, conversation_id)
    if len(said) > _TAIL:
        tail = _told(ask.author, said[-_TAIL:])
        await keys.set(f"openai-tail.{tail}", tail, conversation_id)


async def remembering(
    written: AsyncGenerator[bytes],
    reply: Callable[[], str | None],
    keys: IdempotencyKeys,
    ask: Ask,
    conversation_id: str,
) -> AsyncGenerator[bytes]:
    """Yield what is written; before the last piece, see to it that the next request finds this conversation."""
    async for piece in written:
        if (text := reply()) is not None:
            await remember(keys, ask, conversation_id, text)
        yield piece


def _told(author: str, said: Sequence[Said]) -> str:
    """Return a digest of what was said; what one role says in several messages counts as one."""
    roles = groupby(said, key=lambda one: one.role)
    return digest_of([author, *([role, "".join(one.text for one in told).strip()] for role, told in roles)])


async def asked_after(services: Services, ask: Ask, before: Recorded) -> Ask:
    """Return the request with the conversation in which it follows a response.

    A request that is sent again finds the place where it was answered before.
    """
    here = replace(ask, conversation_id=before.conversation_id)
    if _stands_at(await services.conversation(before.conversation_id), before.first.turn, here):
        return here
    branch_id = f"cv_{digest_of([before.conversation_id, before.first.run_id, ask.digest()])[:24]}"
    branch = replace(ask, conversation_id=branch_id)
    known = await _found(services, branch_id)
    if known is None:
        await _begin(services, before, branch_id)
    if known is None or _stands_at(known, before.first.turn, branch):
        return branch
    fresh = services.new_id("cv")
    await _begin(services, before, fresh)
    return replace(ask, conversation_id=fresh)


async def _begin(services: Services, before: Recorded, branch_id: str) -> None:
    """Fork the conversation where a response ends."""
    whole = await whole_of(services.conversations, services.tenant, before.conversation_id)
    index = index_of_turn(whole, before.first.turn)
    try:
        await fork(services.conversations, services.tenant, whole, NewFork(branch_id, index, services.clock()))
    except AlreadyExists:
        return


async def start(services: Services, ask: Ask) -> StartedTurn:
    """Start the turn that a request asks for, or join the one it asked for before."""
    conversation_id = ask.conversation_id or await own_history(services, ask)
    conversation = await _opened(services, conversation_id, ask)
    request = TurnRequest(
        message=ask.script.message,
        author=ask.author,
        conversation_id=conversation.id,
        agent=ask.agent,
        instructions=ask.script.instructions or None,
        attachments=ask.attachments,
        echoed=ask.echoed,
        key=ask.key or key_of(conversation, ask, services.clock()),
        is_streamed=ask.is_streamed,
    )
    return await services.chat.start(services.tenant, request)


async def _opened(services: Services, conversation_id: str, ask: Ask) -> Conversation:
    """Return the conversation, begun with the history the client sent where it is new."""
    try:
        return await services.conversation(conversation_id)
    except ConversationNotFound:
        # Nobody can have sent the message before, so there is no reply to give in place of a refusal.
        await services.chat.refuse_over_limit(services.tenant)
        at = services.clock()
        empty = Conversation(id=conversation_id, tenant=services.tenant, created_at=at, updated_at=at)
        begun = with_said(empty, ask.script.earlier, author=ask.author, at=at, new_id=services.new_id)
        try:
            return await services.conversations.create(begun)
        except AlreadyExists:
            return await services.conversation(conversation_id)
