"""Reading earlier turns back, wherever they are kept by now, with the contents that are kept apart."""

import json
import math
import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

from pydantic import Field, model_validator
from pydantic_ai import ModelRetry, RunContext

from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.tools.parameters import Parameters
from workflow_agent.conversations.document import AgentReply, SystemEvent, UserMessage
from workflow_agent.conversations.history import best_messages
from workflow_agent.conversations.iterations import ToolResult
from workflow_agent.conversations.records import UNREADABLE, UNREADABLE_ERRORS
from workflow_agent.conversations.seals import SealedPart
from workflow_agent.conversations.store import MessageQuery
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.search.passages import best_passages, passages_of

_WORD: Final = re.compile(r"\w+(?:[-_.]\w+)*")
_LEAST_LETTERS: Final = 2
_STEM_FROM: Final = 5
_NOT_SEARCHED: Final = frozenset({
    "the", "and", "for", "was", "were", "did", "what", "when", "that", "this", "about", "with", "you", "your",
    "our", "we", "us", "me", "my", "it", "is", "are", "be", "to", "of", "in", "on", "at", "an", "as", "do",
    "does", "how", "who", "which", "said", "say", "tell", "told", "agree", "agreed", "beginning", "earlier",
    "before",
})  # fmt: skip
_LOOK_BACK: Final = frozenset({"recall", "search_history", "get_turn"})
_MOST_HITS: Final = 100
_MOST_READ: Final = 64
"""Results kept apart that one search opens."""
_READ_CHARS: Final = 200_000
"""Of each of them."""
_GOOD_ENOUGH: Final = 0.6
"""Of the best match."""
_MOST_CHARS = 16_000
_MOST_TURNS = 5
_MOST_IN_A_ROW = 20
_RESULT_CHARS = 2_000


def words_asked_for(query: str) -> list[str]:
    """Return the words of a query to look for: all of them where only common ones are left."""
    words = [word for word in _WORD.findall(query.casefold()) if len(word) >= _LEAST_LETTERS]
    telling = [word for word in words if word not in _NOT_SEARCHED]
    return list(dict.fromkeys(map(_stem, telling or words)))


def _stem(word: str) -> str:
    """Return the beginning of a word that its other forms have too; numbers and ids stay whole."""
    if len(word) <= _STEM_FROM or not word.isalpha():
        return word
    return next((word[: -len(end)] for end in ("ing", "ed", "es", "s") if word.endswith(end)), word)


async def best_turns(deps: WorkflowContext, query: str, before_turn: int) -> list[int]:
    """Return the turns that speak of what a query asks for, best first.

    By the index of messages; where that has none, everything is read, tool results too.
    """
    wanted = MessageQuery(query, deps.conversation.id, limit=_MOST_HITS, with_neighbours=True)
    hits = await best_messages(deps.find, deps.tenant, wanted, deps.now())
    found = list(dict.fromkeys(hit.turn for hit in hits if hit.turn < before_turn))
    return found or await _read_for(deps, words_asked_for(query), before_turn)


async def _read_for(deps: WorkflowContext, words: Sequence[str], before_turn: int) -> list[int]:
    matches: dict[int, set[str]] = {}
    searched = 0
    async for turn, text in _texts(deps, before_turn):
        searched += 1
        found = {word for word in words if word in text}
        if found:
            matches[turn] = found
    known = Counter(word for found in matches.values() for word in found)
    scores = {turn: sum(math.log(1 + searched / known[word]) for word in found) for turn, found in matches.items()}
    best = max(scores.values(), default=0.0)
    good = [turn for turn, score in scores.items() if score >= best * _GOOD_ENOUGH]
    return sorted(good, key=lambda turn: (-scores[turn], -turn))


async def _texts(deps: WorkflowContext, before_turn: int) -> AsyncIterator[tuple[int, str]]:
    """Yield each earlier turn with everything that was said and done in it, newest file first.

    Of results that are kept apart the newest are read, as many as one search may open.
    """
    unread = _MOST_READ
    last = before_turn - 1
    while last > 0:
        records = await deps.records_of(last)
        first = records.first_turn if isinstance(records, SealedPart) else records.sealed_turns + 1
        by_turn: dict[int, list[str]] = {}
        for event in reversed(records.events):
            if isinstance(event, SystemEvent) or not first <= event.turn <= last:
                continue
            texts = by_turn.setdefault(event.turn, [])
            texts.append(_searchable(event))
            for result in _kept_apart(event)[:unread]:
                texts.append(_as_text(await _content(deps, result))[:_READ_CHARS])
                unread -= 1
        for turn, texts in by_turn.items():
            yield turn, "\n".join(texts).casefold()
        last = first - 1


def _kept_apart(event: UserMessage | AgentReply) -> Sequence[ToolResult]:
    """Return the results of an event's tools that are not in the conversation's file."""
    if isinstance(event, UserMessage):
        return ()
    results = (result for one in event.iterations for message in one.messages for result in message.results)
    return [one for one in results if one.content_ref and one.content is None and one.name not in _LOOK_BACK]


def _as_text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, default=str)


def about(content: Any, query: str, most_chars: int) -> str:
    """Return the passages of a long content that hold most words of a query, each with its place."""
    # A field a line, so that a passage does not end in the middle of one.
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=0, default=str)
    words = words_asked_for(query)
    passages = passages_of(text)
    held = [sum(word in one.text.casefold() for word in words) for one in passages]
    ranked = sorted((at for at, count in enumerate(held) if count), key=lambda at: -held[at])
    return "\n\n".join(one.quoted(len(text)) for one in best_passages(passages, ranked, most_chars))


def _searchable(event: UserMessage | AgentReply) -> str:
    if isinstance(event, UserMessage):
        return event.content
    # What looks back repeats what was said: found there, it would hide where that was.
    exchanged = (
        [call.args for call in message.tool_calls if call.name not in _LOOK_BACK]
        + [result.content for result in message.results if result.name not in _LOOK_BACK]
        for one in event.iterations
        for message in one.messages
    )
    return event.content + _as_text(list(exchanged))


async def told(deps: WorkflowContext, turn: int) -> JsonObject | None:
    """Return a turn as it was, tool results included; None where there is no such turn."""
    records = await deps.records_of(turn)
    events = [one for one in records.events if not isinstance(one, SystemEvent) and one.turn == turn]
    if not events:
        return None
    said = [
        {
            "speaker": "user" if isinstance(event, UserMessage) and not event.is_external else event.author,
            "text": event.content,
        }
        for event in events
    ]
    tools = [one for event in events if isinstance(event, AgentReply) for one in await _tools(deps, event)]
    return {"turn": turn, "said": said, "tools": tools}


async def _tools(deps: WorkflowContext, reply: AgentReply) -> list[JsonObject]:
    messages = [message for one in reply.iterations for message in one.messages]
    results = {result.id: result for message in messages for result in message.results}
    return [
        {
            "name": call.name,
            "args": call.args,
            "outcome": results[call.id].outcome if call.id in results else "interrupted",
            "result": await _content(deps, results[call.id]) if call.id in results else None,
        }
        for message in messages
        for call in message.tool_calls
    ]


async def _content(deps: WorkflowContext, result: ToolResult) -> Any:
    if result.content_ref is None or result.content is not None:
        return result.content
    try:
        return await deps.blob(deps.tenant, deps.conversation.id, result.content_ref)
    except UNREADABLE_ERRORS:
        return UNREADABLE


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
        room -= len(_as_text(one))
        if found and room < 0:
            left = wanted[place:] + left
            break
        found.append(one)
    return {"turns": found, "also_in_turns": left[:_MOST_IN_A_ROW]}


def _shortened(result: object, query: str) -> object:
    """Return a tool's result, or where it is very long its beginning and what it says of the query.

    The whole is kept with the turn.
    """
    text = _as_text(result)
    if len(text) <= _MOST_CHARS // 2:
        return result
    shown = f"{text[:_RESULT_CHARS]} [... {len(text) - _RESULT_CHARS} of {len(text)} characters left out ...]"
    found = about(result, query, _RESULT_CHARS) if query else ""
    return f"{shown}\nFrom the whole, about the query:\n{found}" if found else shown


TOOLS = (recall,)
