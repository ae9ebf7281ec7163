"""The tool that brings earlier turns back word for word."""

import json

from pydantic import Field, model_validator
from pydantic_ai import ModelRetry, RunContext

from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.tools.earlier_turns import about, best_turns, told
from workflow_agent.assistant.tools.parameters import Parameters
from workflow_agent.values.stored import JsonObject

_MOST_CHARS = 16_000
_MOST_TURNS = 5
_MOST_IN_A_ROW = 20
_RESULT_CHARS = 2_000


class Recall(Parameters):
    """What to bring back: give words, or one turn, or the first and last of several."""

    query: str = Field(default="", max_length=200, description="words; or else")
    turn: int = Field(default=0, ge=0, description="one turn; or else")
    from_turn: int = Field(default=0, ge=0, description="the first of several")
    to_turn: int = Field(default=0, ge=0, description="and the last")

    @model_validator(mode="after")
    def _one_way(self) -> "Recall":
        ways = [bool(self.query.strip()), self.turn > 0, self.from_turn > 0]
        if sum(ways) != 1 or (self.from_turn > 0) != (self.to_turn > 0):
            raise ValueError("give query, or turn, or from_turn together with to_turn")
        return self


async def recall(ctx: RunContext[WorkflowContext], request: Recall) -> JsonObject:
    """Bring back earlier turns word for word with tool results, also those you no longer see."""
    deps = ctx.deps
    now = deps.conversation.turn_count
    if request.query.strip():
        wanted = await best_turns(deps, request.query, now)
        return await _brought_back(deps, wanted[:_MOST_TURNS], wanted[_MOST_TURNS:], request.query)
    first = request.turn or request.from_turn or 1
    last = request.turn or request.to_turn or first
    if not first <= last < now:
        raise ModelRetry(
            f"There are no turns {first} to {last} before this one; turns go from 1 to {now - 1}."
            if now > 1
            else "This is the first turn: there is no earlier one."
        )
    wanted = list(range(first, last + 1))
    return await _brought_back(deps, wanted[:_MOST_IN_A_ROW], wanted[_MOST_IN_A_ROW:])


async def _brought_back(deps: WorkflowContext, wanted: list[int], left: list[int], query: str = "") -> JsonObject:
    """Return turns up to what one answer may hold, and which are left; the first is there in any case."""
    found: list[JsonObject] = []
    room = _MOST_CHARS
    for place, turn in enumerate(wanted):
        one = await told(deps, turn)
        if one is None:
            continue
        one["tools"] = [tool | {"result": _shortened(tool["result"], query)} for tool in one["tools"]]
        room -= len(json.dumps(one, ensure_ascii=False, default=str))
        if found and room < 0:
            left = wanted[place:] + left
            break
        found.append(one)
    return {"turns": found, "also_in_turns": left[:_MOST_IN_A_ROW]}


def _shortened(result: object, query: str) -> object:
    """Return a tool's result, or where it is very long its beginning and what it says of the query.

    The whole is kept with the turn.
    """
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
    if len(text) <= _MOST_CHARS // 2:
        return result
    shown = f"{text[:_RESULT_CHARS]} [... {len(text) - _RESULT_CHARS} of {len(text)} characters left out ...]"
    found = about(result, query, _RESULT_CHARS) if query else ""
    return f"{shown}\nFrom the whole, about the query:\n{found}" if found else shown


TOOLS = (recall,)
