"""Reading a request: what the person says now, the turns before it, and what its instructions say about the run."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Any, TypeVar, cast, get_args

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextContent,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from workflow_agent.conversations.document import Relation, WorkflowReference
from workflow_agent.conversations.memory.references import HEADING
from workflow_agent.conversations.transcript import Material, material_in

Part = TypeVar("Part", TextPart, ToolCallPart, ToolReturnPart, UserPromptPart)
HERE = "here"
"""Stands for the id of the conversation, which the instructions do not say."""

_MODE = re.compile(r"^Mode: (\w+)[ \t]*$", re.MULTILINE)
_OPEN = re.compile(r'^Open workflow: (wf_[a-z0-9_-]{1,61}) "(.{1,200}?)" \(version (\d{1,9})\)', re.MULTILINE)
_TODAY = re.compile(r"^Today: (\d{4}-\d\d-\d\d) ", re.MULTILINE)
_PENDING = re.compile(r'^Preview waiting for a yes: ([a-z]+) (wf_[a-z0-9_-]{1,61}) "(.{1,200}?)"[ \t]*$', re.MULTILINE)
_STRING = r'"(?:[^"\\\n]|\\.){0,300}"'
_MEMORY = re.compile(rf"^{re.escape(HEADING)}\n((?:- .{{1,2000}}(?:\n|$)){{1,100}})", re.MULTILINE)
_KNOWN = re.compile(rf"- (wf_[a-z0-9_-]{{1,61}}) ({_STRING})(?:, called ({_STRING}(?:, {_STRING})*))?: (.{{1,500}})")
_DEED = re.compile(rf"({'|'.join(get_args(Relation))})(?: turn (\d{{1,9}}))? (\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d)")
_AGENT = re.compile(r"^You are the agent ([a-z0-9][a-z0-9_-]{0,63}): (.{0,500})$", re.MULTILINE)
_CONFIRMED = re.compile(r"^Offer of [a-z0-9_-]{1,64} confirmed by the user: (.{1,300})$", re.MULTILINE)
_OTHERS = re.compile(r"^Other agents: ([a-z0-9_, -]{1,2000})$", re.MULTILINE)


@dataclass(frozen=True)
class WorkflowRef:
    """A workflow somebody can mean: its id and its name."""

    id: str
    name: str
    change: str = ""
    """What was done to it in this conversation: created, viewed, ..."""
    turn: int | None = None


@dataclass(frozen=True)
class Facts:
    """The facts of one run."""

    mode: str = "general"
    open: WorkflowRef | None = None
    known: tuple[WorkflowRef, ...] = ()
    """What was done in this conversation, the workflow dealt with last first."""
    references: tuple[WorkflowReference, ...] = ()
    """What is remembered, of other conversations too."""
    agent: str = "assistant"
    about: str = ""
    """What that agent does."""
    agents: tuple[str, ...] = ()
    """Everybody there is."""
    today: date | None = None
    pending: WorkflowRef | None = None
    """The workflow of a preview that waits for a yes, and as its change what would be done."""
    confirmed: str = ""
    """What another agent offered, and the message says yes to."""


def read_facts(instructions: str) -> Facts:
    """Return the facts that lines of the instructions state.

    Only a line that begins at the margin counts, and of several the first: what follows may quote documents.
    """
    mode, opened, today, pending, memory, me, others, confirmed = (
        one.search(instructions) for one in (_MODE, _OPEN, _TODAY, _PENDING, _MEMORY, _AGENT, _OTHERS, _CONFIRMED)
    )
    references = tuple(_references(memory[1])) if memory else ()
    name = me[1] if me else "assistant"
    return Facts(
        agent=name,
        about=me[2] if me else "",
        agents=(name, *(others[1].split(", ") if others else ())),
        mode=mode[1] if mode else "general",
        open=WorkflowRef(opened[1], opened[2]) if opened else None,
        known=tuple(
            WorkflowRef(one.workflow_id, one.name, one.relation, one.turn)
            for one in references
            if one.conversation_id == HERE
        ),
        references=references,
        today=date.fromisoformat(today[1]) if today else None,
        confirmed=confirmed[1] if confirmed else "",
        pending=WorkflowRef(pending[2], pending[3], pending[1]) if pending else None,
    )


def _references(lines: str) -> Iterator[WorkflowReference]:
    for match in filter(None, map(_KNOWN.fullmatch, lines.splitlines())):
        aliases = json.loads(f"[{match[3] or ''}]")
        for relation, turn, at in _DEED.findall(match[4]):
            yield WorkflowReference(
                workflow_id=match[1],
                name=json.loads(match[2]),
                aliases=tuple(aliases),
                relation=relation,
                turn=int(turn or 0),
                conversation_id=HERE if turn else "elsewhere",
                at=datetime.fromisoformat(at).replace(tzinfo=UTC),
            )


_NEW_INTERACTION = "=== NEW INTERACTION ==="
"""Precedes the message to answer when others spoke since the agent's last reply."""
_ADDRESS = re.compile(r"^(?:@[A-Za-z][\w-]{0,63}[,:]?\s+(?:and\s+|,\s*)?)+|,?\s*@[A-Za-z][\w-]{0,63}(?=\s*[?!.]*$)")
"""Whom a message speaks to, in front of it or at its end: no part of what it says."""
_EMPTINESS = re.compile(r"[ \t]{41,}|\s{101,}")
"""More blanks than mean anything: patterns further down take longer than their number to step over them."""
_OTHER = re.compile(r"\[[a-z0-9][a-z0-9_-]{0,63}\]: ")
"""Stands before what another agent said."""


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
    others: tuple[str, ...] = ()
    """What other agents said after the reply, or instead of it."""

    @property
    def said_last(self) -> str:
        """What the person read last in the turn, whoever said it."""
        return self.others[-1] if self.others else self.reply


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
    """Return the messages turn by turn; what comes before the first user message belongs to none.

    A message to another agent and what that one said reach the model in one request with the message to
    answer: each is a turn of its own. One that nobody answered is none, unless it is the last.
    """
    groups: list[list[ModelMessage]] = []
    for message in messages:
        if isinstance(message, ModelRequest):
            for piece in _by_prompt(message):
                if any(isinstance(part, UserPromptPart) for part in piece.parts):
                    groups.append([piece])
                elif groups:
                    groups[-1].append(piece)
        elif groups:
            groups[-1].append(message)
    return [group for group in groups[:-1] if _is_answered(group)] + groups[-1:]


def _is_answered(group: Sequence[ModelMessage]) -> bool:
    return any(isinstance(message, ModelResponse) for message in group) or bool(_said_by_others(group))


def _by_prompt(request: ModelRequest) -> list[ModelRequest]:
    """Return a request cut before each of the person's messages; the last has the instructions."""
    starts = [at for at, part in enumerate(request.parts) if isinstance(part, UserPromptPart)]
    end = len(request.parts)
    return [
        ModelRequest(parts=list(request.parts[a:b]), instructions=request.instructions if b == end else None)
        for a, b in pairwise(sorted({0, *starts, end}))
    ]


def _past_turn(group: Sequence[ModelMessage]) -> PastTurn:
    first = cast("ModelRequest", group[0])
    prompts = parts_in([first], UserPromptPart)
    texts = [part.content for part in parts_in(group, TextPart)]
    return PastTurn(
        text=_said(prompts[-1]),
        reply="\n".join(texts[-1:]),
        exchanges=tuple(_exchanges(group)),
        facts=read_facts(first.instructions) if first.instructions else None,
        material=_material(prompts[-1]),
        others=tuple(_said_by_others(group)),
    )


def _said_by_others(group: Sequence[ModelMessage]) -> list[str]:
    """Return what other agents said since the last response of the model's own."""
    said: list[str] = []
    for message in group:
        if isinstance(message, ModelResponse):
            said = []
            continue
        texts = [part.content for part in message.parts if isinstance(part, SystemPromptPart)]
        said += [text[match.end() :] for text in texts if (match := _OTHER.match(text))]
    return said


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
    text = _EMPTINESS.sub(lambda blank: "\n\n" if "\n" in blank[0] else "  ", text)
    return _ADDRESS.sub("", text.rpartition(_NEW_INTERACTION)[2].strip()).strip()


def _exchanges(group: Sequence[ModelMessage]) -> list[Exchange]:
    returns = {part.tool_call_id: part for part in parts_in(group, ToolReturnPart)}
    return [_exchange(call, returns.get(call.tool_call_id)) for call in parts_in(group, ToolCallPart)]


def parts_in(messages: Iterable[ModelMessage], kind: type[Part]) -> list[Part]:
    """Return the parts of one kind that messages have, in their order."""
    return [part for message in messages for part in message.parts if isinstance(part, kind)]


def _exchange(call: ToolCallPart, answer: ToolReturnPart | None) -> Exchange:
    args = call.args_as_dict()
    if answer is None:
        return Exchange(call.tool_name, args, failure="it gave no result")
    content = answer.model_response_str(wrap_if_error=False)
    if answer.outcome != "success":
        return Exchange(call.tool_name, args, failure=content)
    try:
        return Exchange(call.tool_name, args, result=json.loads(content))
    except ValueError:
        return Exchange(call.tool_name, args, result=content)
