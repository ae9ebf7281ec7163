"""Tools that look back into the conversation itself."""

from collections.abc import Sequence

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext

from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.tools.parameters import Limit, Parameters
from workflow_agent.conversations.archive import Position
from workflow_agent.conversations.history import best_messages
from workflow_agent.conversations.iterations import Iteration
from workflow_agent.conversations.records import Answer, RecordedTurn, Records, turn_in
from workflow_agent.conversations.store import MessageQuery
from workflow_agent.values.stored import JsonObject

_OF_ONE_RUN = 2
"""Messages that a run may have: the question and the answer."""


class SearchHistory(Parameters):
    """What to look for in what was said."""

    query: str = Field(min_length=1, max_length=200, description="words of it")
    limit: Limit = Field(default=5, description="or 5")


class GetTurn(Parameters):
    """Which turn to read."""

    turn: int = Field(description="from 1; -1 is the one before this")
    iteration: int | None = Field(default=None, ge=1, description="one step of it, whole")


async def search_history(ctx: RunContext[WorkflowContext], request: SearchHistory) -> JsonObject:
    """Find what was said earlier."""
    return {"hits": await earlier_hits(ctx.deps, request.query, request.limit)}


async def earlier_hits(deps: WorkflowContext, query: str, limit: int) -> list[JsonObject]:
    """Return the messages that say most of what a query asks for, those of this run left out."""
    wanted = MessageQuery(query, deps.conversation.id, limit=limit + _OF_ONE_RUN)
    found = await best_messages(deps.find, deps.conversation.tenant, wanted, deps.now())
    earlier = [hit for hit in found if hit.run_id != deps.run_id]
    return [{"turn": hit.turn, "speaker": hit.author, "excerpt": hit.snippet} for hit in earlier[:limit]]


async def get_turn(ctx: RunContext[WorkflowContext], request: GetTurn) -> JsonObject:
    """Read one earlier turn."""
    conversation = ctx.deps.conversation
    latest = conversation.turn_count - 1
    wanted = request.turn if request.turn > 0 else conversation.turn_count + request.turn
    if latest < 1:
        raise ModelRetry("This is the first turn: there is no earlier one.")
    if not 1 <= wanted <= latest:
        raise ModelRetry(f"There is no earlier turn {request.turn}; turns go from 1 to {latest}.")
    turn = await recorded_turn(ctx.deps, wanted)
    if request.iteration is None:
        return told_of(turn)
    return {"turn": wanted, "iteration": _step(turn, request.iteration)}


async def recorded_turn(deps: WorkflowContext, number: int) -> RecordedTurn:
    """Return an earlier turn, wherever its records are kept by now.

    Raises:
        LookupError: There is no such turn.
    """
    conversation = deps.conversation
    records: Records = conversation
    if number <= conversation.sealed_turns:
        records = await deps.sealed(conversation.tenant, conversation.id, Position("turn", number))
    found = turn_in(records, number)
    if found is None:
        raise LookupError(f"turn_not_found: {number}")
    return found


def _step(turn: RecordedTurn, number: int) -> JsonObject:
    """Return one iteration without the instructions, which are long and the model's own."""
    found = next((step for step in turn.iterations if step.number == number), None)
    if found is None:
        count = len(turn.iterations)
        raise ModelRetry(f"Turn {turn.message.turn} has no iteration {number}; it has {count}.")
    said = tuple(message for message in found.messages if message.role != "system")
    return found.model_copy(update={"messages": said}).model_dump(mode="json")


def told_of(turn: RecordedTurn) -> JsonObject:
    """Return one turn: what was asked, answered, called and changed, and how many iterations it took.

    Where several agents answered, what the others did comes after the first one's.
    """
    others = [{"agent": one.agent, **_answer(one)} for one in turn.answers if one != turn.first]
    return {
        "turn": turn.message.turn,
        "message": turn.message.content,
        **_answer(turn.first),
        **({"others": others} if others else {}),
    }


def _answer(answer: Answer) -> JsonObject:
    reply = answer.reply
    return {
        "response": reply.content if reply else None,
        "tools": _tools(answer.iterations),
        "iterations": len(answer.iterations),
        "workflows": [touch.model_dump(mode="json") for touch in reply.workflows_touched] if reply else [],
    }


def _tools(iterations: Sequence[Iteration]) -> list[JsonObject]:
    asked = {call.id: call for one in iterations for m in one.messages for call in m.tool_calls}
    return [
        {"name": call.name, "args": asked[call.id].args if call.id in asked else {}, "outcome": call.outcome}
        for one in iterations
        for call in one.tool_calls
    ]


TOOLS = (search_history, get_turn)
