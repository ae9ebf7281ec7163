"""From a request in OpenAI's words to a turn: in which conversation, and whether it was sent before.

Official clients send a request again after a timeout or a broken connection, without any idempotency
key. Such a request is known by its content and its conversation.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta

from starlette.datastructures import Headers

from workflow_agent.api.openai.texts import Said, Script
from workflow_agent.api.services import Services
from workflow_agent.chat import NewAttachment, StartedTurn, TurnRequest
from workflow_agent.domain.conversation import CONVERSATION_ID_PATTERN, Conversation
from workflow_agent.domain.digests import digest_of
from workflow_agent.domain.errors import AlreadyExists, ConversationNotFound, InvalidInput, Problem
from workflow_agent.domain.records import leading_in
from workflow_agent.domain.runs import Run
from workflow_agent.domain.turns import with_history
from workflow_agent.domain.values import JsonObject

RESEND_WINDOW = timedelta(seconds=10)
"""How long an equal message without any history is taken for the same one; people repeat themselves later."""
_ID = re.compile(CONVERSATION_ID_PATTERN)
_CONVERSATION_HEADERS = ("x-conversation-id", "x-openwebui-chat-id")


@dataclass(frozen=True, slots=True)
class Ask:
    """One request for a reply, whichever API it came by."""

    script: Script
    agent: str | None
    conversation_id: str | None
    author: str
    is_repeated: bool
    """Whether the client says that it sends this again."""
    key: str | None = None
    """The idempotency key, where the client has one after all."""
    attachments: tuple[NewAttachment, ...] = ()
    echoed: JsonObject = field(default_factory=dict)
    """What the reply is to repeat of the request."""

    def digest(self) -> str:
        """Return what tells a re-sent request from another one."""
        said = [[one.role, one.text] for one in self.script.earlier]
        sent = [
            self.conversation_id, self.author, self.agent, self.script.instructions, said,
            self.script.message,
        ]  # fmt: skip
        echoed = [self.echoed] if self.echoed else []
        return digest_of([*sent, *(asdict(one) for one in self.attachments), *echoed])


def is_repeated(headers: Headers) -> bool:
    """Say whether an official client marks the request as sent again."""
    return headers.get("x-stainless-retry-count", "0") not in ("0", "")


def conversation_named(headers: Headers, given: str | None, pointer: str) -> str | None:
    """Return the id of the conversation that a request names; None where it carries its own history.

    Args:
        headers: Of the request; a chat id of Open WebUI counts as a name.
        given: The id in the body.
        pointer: Where the body names it.

    Raises:
        InvalidInput: The name cannot be an id.
    """
    if given is not None:
        return _checked(given, pointer)
    if header := headers.get(_CONVERSATION_HEADERS[0]):
        return _checked(header, "header:x-conversation-id")
    if chat := headers.get(_CONVERSATION_HEADERS[1]):
        return conversation_of_chat(chat)
    return None


def conversation_of_chat(chat_id: str) -> str:
    """Return the conversation that a front end's chat is, whatever its id looks like."""
    return chat_id if _ID.fullmatch(chat_id) else f"cv_{digest_of(['chat', chat_id])[:24]}"


def _checked(given: str, pointer: str) -> str:
    if not _ID.fullmatch(given):
        message = "is not a conversation id: lower-case letters, digits, '-' and '_', at most 64 characters"
        raise InvalidInput(f"{given[:80]!r} {message}.", [Problem(pointer, message)])
    return given


async def start(services: Services, tenant: str, ask: Ask) -> StartedTurn:
    """Start the turn that a request asks for, or join the one it asked for before."""
    conversation_id = ask.conversation_id or await _own_history(services, tenant, ask)
    conversation = await _opened(services, tenant, conversation_id, ask)
    request = TurnRequest(
        message=ask.script.message, author=ask.author, conversation_id=conversation.id, agent=ask.agent,
        instructions=ask.script.instructions or None, attachments=ask.attachments, echoed=ask.echoed,
        key=ask.key or _key(conversation, ask, services.clock()),
    )  # fmt: skip
    return await services.chat.start(tenant, request)


def _key(conversation: Conversation, ask: Ask, now: datetime) -> str:
    """Return the key of the turn: that of the latest one where this is the same request again."""
    latest = _latest(conversation)
    if latest is not None and asked_last(conversation, ask) and _is_same(conversation.runs[-1], ask, now):
        return str(latest.key)
    return f"{_stem(ask)}.{conversation.turn_count + 1}"


def _latest(conversation: Conversation) -> Run | None:
    """Return the run that has the key of the latest turn: the first of those that answer its message."""
    return leading_in(conversation, conversation.runs[-1]) if conversation.runs else None


def _is_same(newest: Run, ask: Ask, now: datetime) -> bool:
    if newest.status == "cancelled" and not ask.is_repeated:
        # Somebody stopped it, and asks again.
        return False
    # With the whole history in it, an equal request can only be the same one.
    if ask.is_repeated or ask.script.earlier or newest.completed_at is None:
        return True
    return now - newest.completed_at < RESEND_WINDOW


async def _opened(services: Services, tenant: str, conversation_id: str, ask: Ask) -> Conversation:
    """Return the conversation, begun with the history the client sent where it is new."""
    try:
        return await services.conversations.load(tenant, conversation_id)
    except ConversationNotFound:
        at = services.clock()
        empty = Conversation(id=conversation_id, tenant=tenant, created_at=at, updated_at=at)
        begun = with_history(
            empty,
            [(one.role, one.text) for one in ask.script.earlier],
            author=ask.author,
            at=at,
            new_id=services.new_id,
        )
        try:
            return await services.conversations.create(begun)
        except AlreadyExists:
            return await services.conversations.load(tenant, conversation_id)


async def _own_history(services: Services, tenant: str, ask: Ask) -> str:
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


def asked_last(conversation: Conversation, ask: Ask) -> bool:
    """Say whether the latest turn of a conversation was begun by an equal request."""
    latest = _latest(conversation)
    return latest is not None and (latest.key or "").startswith(_stem(ask))


def _stem(ask: Ask) -> str:
    return f"openai.{ask.digest()}"


async def remember(services: Services, tenant: str, ask: Ask, conversation_id: str, reply: str) -> None:
    """Let a later request that carries this history go on in the same conversation."""
    if ask.conversation_id is not None:
        return
    said = (*ask.script.earlier, Said("user", ask.script.message), Said("assistant", reply))
    digest = _told(ask.author, said)
    await services.keys.set(tenant, f"openai-history.{digest}", digest, conversation_id)


def _told(author: str, said: Sequence[Said]) -> str:
    return digest_of([author, *([one.role, one.text.strip()] for one in said)])
