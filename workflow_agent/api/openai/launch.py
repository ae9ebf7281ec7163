"""From a request in OpenAI's words to a turn."""

from workflow_agent.api.openai.histories import key_of, own_history
from workflow_agent.api.openai.turn_requests import Ask
from workflow_agent.api.services import Services
from workflow_agent.assistant.requests import StartedTurn, TurnRequest
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.imports import with_history
from workflow_agent.errors import AlreadyExists, ConversationNotFound


async def start(services: Services, tenant: str, ask: Ask) -> StartedTurn:
    """Start the turn that a request asks for, or join the one it asked for before."""
    conversation_id = ask.conversation_id or await own_history(services, tenant, ask)
    conversation = await _opened(services, tenant, conversation_id, ask)
    request = TurnRequest(
        message=ask.script.message,
        author=ask.author,
        conversation_id=conversation.id,
        agent=ask.agent,
        instructions=ask.script.instructions or None,
        attachments=ask.attachments,
        echoed=ask.echoed,
        key=ask.key or key_of(conversation, ask, services.clock()),
    )
    return await services.chat.start(tenant, request)


async def _opened(services: Services, tenant: str, conversation_id: str, ask: Ask) -> Conversation:
    """Return the conversation, begun with the history the client sent where it is new."""
    try:
        return await services.conversations.load(tenant, conversation_id)
    except ConversationNotFound:
        # Nobody can have sent the message before, so there is no reply to give in place of a refusal.
        await services.chat.refuse_over_limit(tenant)
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
