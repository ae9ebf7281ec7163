"""Reading the messages of a request: what the person says now, and the turns before it."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextContent,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from workflow_agent.agent.offline.turn.facts import Facts, read_facts
from workflow_agent.domain.artifacts.framing import Material, material_in

_NEW_INTERACTION = "=== NEW INTERACTION ==="
"""Precedes the message to answer when others spoke since the agent's last reply."""
_ADDRESS = re.compile(
    r"^(?:@[A-Za-z][\w-]{0,63}[,:]?\s+(?:and\s+|,\s*)?)+|,?\s*@[A-Za-z][\w-]{0,63}(?=\s*[?!.]*$)"
)
"""Whom a message speaks to, in front of it or at its end: no part of what it says."""


@dataclass(frozen=True)
class Exchange:
    """A tool call of a turn and how it ended."""

    tool: str
    args: Mapping[str, Any]
    result: Any = None
    failure: str | None = None
    """What the tool said when it refused or failed; None when it answered."""


@dataclass(frozen=True)
class PastTurn:
    """One turn as the messages tell it."""

    text: str
    reply: str
    exchanges: tuple[Exchange, ...]
    facts: Facts | None
    """None when the messages do not keep the instructions of that turn."""
    material: tuple[Material, ...] = ()


@dataclass(frozen=True)
class Turn:
    """Everything a skill may look at."""

    text: str
    facts: Facts = field(default_factory=Facts)
    past: tuple[PastTurn, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    tools: frozenset[str] = frozenset()
    material: tuple[Material, ...] = ()
    """Documents and earlier results that came with the message, as data."""
    chosen: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the person already settled: an ambiguous phrase, and the id it stands for."""


def read_turn(messages: Sequence[ModelMessage], instructions: str, tools: frozenset[str]) -> Turn:
    """Return the turn that a request asks to go on with.

    The facts are those the turn began with, so that going on reads it the way starting did.
    """
    turns = [_past_turn(group) for group in _grouped(messages)]
    if not turns:
        return Turn(text="", facts=read_facts(instructions), tools=tools)
    current = turns[-1]
    return Turn(
        text=current.text,
        facts=current.facts or read_facts(instructions),
        past=tuple(turns[:-1]),
        exchanges=current.exchanges,
        tools=tools,
        material=current.material,
    )


def _grouped(messages: Sequence[ModelMessage]) -> list[list[ModelMessage]]:
    """Return the messages turn by turn; what comes before the first user message belongs to none."""
    groups: list[list[ModelMessage]] = []
    for message in messages:
        if isinstance(message, ModelRequest) and any(isinstance(p, UserPromptPart) for p in message.parts):
            groups.append([message])
        elif groups:
            groups[-1].append(message)
    return groups


def _past_turn(group: Sequence[ModelMessage]) -> PastTurn:
    first = cast("ModelRequest", group[0])
    prompts = [part for part in first.parts if isinstance(part, UserPromptPart)]
    texts = [part.content for message in group if isinstance(message, ModelResponse)
             for part in message.parts if isinstance(part, TextPart)]  # fmt: skip
    return PastTurn(
        text=_said(prompts[-1]),
        reply="\n".join(texts[-1:]),
        exchanges=tuple(_exchanges(group)),
        facts=read_facts(first.instructions) if first.instructions else None,
        material=_material(prompts[-1]),
    )


def _material(prompt: UserPromptPart) -> tuple[Material, ...]:
    """Return the artifacts that stand before the person's own words."""
    if isinstance(prompt.content, str):
        return ()
    texts = (item.content for item in prompt.content if isinstance(item, TextContent))
    return tuple(one for text in texts for one in material_in(text))


def _said(prompt: UserPromptPart) -> str:
    """Return the person's own words; parts that are not plain text are material, not words."""
    if isinstance(prompt.content, str):
        text = prompt.content
    else:
        plain = [item for item in prompt.content if isinstance(item, str)]
        text = plain[-1] if plain else ""
    return _ADDRESS.sub("", text.rpartition(_NEW_INTERACTION)[2].strip()).strip()


def _exchanges(group: Sequence[ModelMessage]) -> list[Exchange]:
    returns = {part.tool_call_id: part for message in group if isinstance(message, ModelRequest)
               for part in message.parts if isinstance(part, ToolReturnPart)}  # fmt: skip
    calls = [part for message in group if isinstance(message, ModelResponse)
             for part in message.parts if isinstance(part, ToolCallPart)]  # fmt: skip
    return [_exchange(call, returns.get(call.tool_call_id)) for call in calls]


def _exchange(call: ToolCallPart, answer: ToolReturnPart | None) -> Exchange:
    args = call.args_as_dict()
    if answer is None:
        return Exchange(call.tool_name, args, failure="it gave no result")
    content = answer.model_response_str(wrap_if_error=False)
    if answer.outcome != "success":
        return Exchange(call.tool_name, args, failure=content)
    return Exchange(call.tool_name, args, result=_plain(content))


def _plain(content: str) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content
