"""Tools that look back into the conversation itself."""

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext

from workflow_agent.agent.tools.parameters import Limit, Parameters
from workflow_agent.agent.workflow_context import WorkflowContext
from workflow_agent.domain.conversation import AgentReply, Conversation, SystemEvent, UserMessage
from workflow_agent.domain.values import JsonObject

_EXCERPT_CHARS = 240


class SearchHistory(Parameters):
    """What to look for in what was said."""

    query: str = Field(min_length=1, max_length=200)
    limit: Limit = 5


class GetTurn(Parameters):
    """Which turn to read."""

    turn: int = Field(description="from 1; negative counts from the end: -1 is the turn before this one")


async def search_history(ctx: RunContext[WorkflowContext], request: SearchHistory) -> JsonObject:
    """Find what was said earlier in this conversation, newest first."""
    words = request.query.casefold().split()
    hits: list[JsonObject] = []
    for event in reversed(ctx.deps.conversation.events):
        if isinstance(event, SystemEvent) or getattr(event, "run_id", None) == ctx.deps.run_id:
            continue
        if all(word in event.content.casefold() for word in words):
            excerpt = _excerpt(event.content, words[0])
            hits.append({"turn": event.turn, "speaker": event.author, "excerpt": excerpt})
        if len(hits) == request.limit:
            break
    return {"hits": hits}


def _excerpt(text: str, word: str) -> str:
    at = max(text.casefold().find(word) - _EXCERPT_CHARS // 3, 0)
    cut = text[at : at + _EXCERPT_CHARS]
    return ("…" if at else "") + cut + ("…" if at + _EXCERPT_CHARS < len(text) else "")


async def get_turn(ctx: RunContext[WorkflowContext], request: GetTurn) -> JsonObject:
    """Read one earlier turn: what was asked, what was answered, which tools ran and what they changed."""
    conversation = ctx.deps.conversation
    latest = conversation.turn_count - 1
    wanted = request.turn if request.turn > 0 else conversation.turn_count + request.turn
    if latest < 1:
        raise ModelRetry("This is the first turn: there is no earlier one.")
    if not 1 <= wanted <= latest:
        raise ModelRetry(f"There is no earlier turn {request.turn}; turns go from 1 to {latest}.")
    return _turn(conversation, wanted)


def _turn(conversation: Conversation, number: int) -> JsonObject:
    events = conversation.events_of_turn(number)
    message = next((one for one in events if isinstance(one, UserMessage)), None)
    reply = next((one for one in events if isinstance(one, AgentReply)), None)
    return {
        "turn": number,
        "message": message.content if message else None,
        "response": reply.content if reply else None,
        "tools": _tools(reply) if reply else [],
        "workflows": [touch.model_dump(mode="json") for touch in reply.workflows_touched] if reply else [],
    }


def _tools(reply: AgentReply) -> list[JsonObject]:
    asked = {call.id: call for one in reply.iterations for m in one.messages for call in m.tool_calls}
    return [
        {"name": call.name, "args": asked[call.id].args if call.id in asked else {}, "outcome": call.outcome}
        for one in reply.iterations
        for call in one.tool_calls
    ]


TOOLS = (search_history, get_turn)
