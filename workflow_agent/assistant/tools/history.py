"""Tools that look back into the conversation itself: search, reading a turn, and programs over its call records."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.exceptions import ToolFailed

from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.record import CallRecorder
from workflow_agent.assistant.sandbox import HostFunction, ProgramFailed
from workflow_agent.assistant.tools.parameters import Limit, Parameters
from workflow_agent.conversations.call_history import HISTORY_KEY, CallRecord
from workflow_agent.conversations.calls import InnerCall
from workflow_agent.conversations.history import best_messages
from workflow_agent.conversations.iterations import Iteration, ToolResult
from workflow_agent.conversations.records import Answer, RecordedTurn, told_calls, turn_in
from workflow_agent.conversations.store import MessageQuery
from workflow_agent.errors import WorkflowAgentError
from workflow_agent.values.stored import JsonObject, content_ref_of, digest_of, json_safe

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
    found = turn_in(await deps.records_of(number), number)
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


MAX_PROGRAM_CHARS = 10_000
_MOST_RECORDS = 10_000
"""The newest ones; reading more takes longer than a program may."""
_MOST_HITS = 20


class RunPython(Parameters):
    """What to run."""

    code: str = Field(min_length=1, max_length=MAX_PROGRAM_CHARS, description="its last expression is the result")


async def run_python(ctx: RunContext[WorkflowContext], request: RunPython) -> JsonObject:
    """Compute over the call records, with `content(ref)`, `search_history(text)`, `get_turn(n)`."""
    history, left_out = _history(ctx.deps)
    reading = _Reading(ctx.deps, ctx.tool_call_id or "")
    try:
        ran = await ctx.deps.sandbox.run(
            request.code, {"context": {HISTORY_KEY: history, f"{HISTORY_KEY}_left_out": left_out}}, reading.functions()
        )
    except ProgramFailed as failed:
        if ctx.last_attempt or failed.hit_a_limit:
            raise ToolFailed(f"The program was stopped. {failed.message}") from failed
        raise ModelRetry(f"{failed.message} Mend the program.") from failed
    # A text is passed on whole: it may be a table that was asked for, and the sandbox bounds it.
    result = ran.result if isinstance(ran.result, str) else json_safe(ran.result)
    older = {"older_records_left_out": left_out} if left_out else {}
    return {"result": result, "printed": ran.printed, "records": len(history), **older}


def _history(deps: WorkflowContext) -> tuple[list[JsonObject], int]:
    """Return the records of the turns before and of this run so far, as plain data.

    With them comes how many older ones are left out: those of sealed turns, and more than a program can read.
    """
    records: Sequence[CallRecord] = (*told_calls(deps.conversation), *deps.evidence.calls.records.values())
    newest = records[-_MOST_RECORDS:]
    left_out = deps.conversation.sealed_calls + len(records) - len(newest)
    return [record.model_dump(mode="json", exclude_none=True) for record in newest], left_out


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a program may read, each read on record as a call of its own."""

    deps: WorkflowContext
    call_id: str

    def functions(self) -> dict[str, HostFunction]:
        return {
            "content": self._recorded("content", self._content),
            "search_history": self._recorded("search_history", partial(earlier_hits, self.deps, limit=_MOST_HITS)),
            "get_turn": self._recorded("get_turn", self._turn),
        }

    def _recorded(self, name: str, read: HostFunction) -> HostFunction:
        async def reading(wanted: str) -> Any:
            recorder: CallRecorder = self.deps.evidence.calls
            started_at, started = self.deps.now(), time.perf_counter()
            result, message = None, None
            try:
                result = await read(wanted)
            except LookupError as error:
                message = str(error.args[0])
                raise
            finally:
                elapsed = round((time.perf_counter() - started) * 1000, 3)
                recorder.called_inside(
                    InnerCall(self.call_id, name, wanted, started_at, elapsed, message is None, result, message)
                )
            return result

        return reading

    async def _content(self, wanted: str) -> Any:
        for result in _results(self.deps):
            if result.content_ref == wanted:
                break
            content = result.content
            # The latter in records of before contents kept the order of their keys.
            if content is not None and wanted in (content_ref_of(content), f"sha256:{digest_of(content)}"):
                return result.content
        try:
            conversation = self.deps.conversation
            return await self.deps.blob(conversation.tenant, conversation.id, wanted)
        except WorkflowAgentError as error:
            raise LookupError(f"content_ref_not_found: {wanted[:100]}") from error

    async def _turn(self, wanted: str) -> Any:
        conversation = self.deps.conversation
        number = int(wanted) if wanted.removeprefix("-").isdecimal() and len(wanted) < 10 else 0
        asked = number if number > 0 else conversation.turn_count + number
        if number == 0 or not 1 <= asked < conversation.turn_count:
            raise LookupError(f"turn_not_found: {wanted[:40]}")
        return told_of(await recorded_turn(self.deps, asked))


def _results(deps: WorkflowContext) -> Iterator[ToolResult]:
    """Yield the tool results of this run and of the turns before, newest first."""
    runs: list[Sequence[Iteration]] = [
        getattr(kept, "iterations", ()) for kept in (*deps.conversation.runs, *deps.conversation.events)
    ]
    for iterations in (deps.evidence.turn.iterations, *reversed(runs)):
        for iteration in reversed(iterations):
            for message in iteration.messages:
                yield from message.results


TOOLS = (search_history, get_turn, run_python)
