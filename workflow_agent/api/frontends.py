"""Chats of Vercel's AI SDK and runs of AG-UI over turns, with the encoders that come with Pydantic AI."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

import orjson
from fastapi import Query, Request
from pydantic import ValidationError
from pydantic_ai.messages import (
    AgentStreamEvent,
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.ui import UIEventStream
from pydantic_ai.ui.vercel_ai import VercelAIAdapter, VercelAIEventStream
from pydantic_ai.ui.vercel_ai.request_types import FileUIPart, RegenerateMessage, TextUIPart, UIMessage, UIMessagePart
from starlette.responses import Response

from workflow_agent.api.dependencies import IdempotencyKey, Services, TheServices, user_of
from workflow_agent.api.event_stream import EventStream, Voices, stream_of, with_heartbeats
from workflow_agent.api.openai.histories import start
from workflow_agent.api.openai.texts import Script, Sent, script_of
from workflow_agent.api.openai.turn_requests import Ask, conversation_of_chat, headers_of, is_repeated
from workflow_agent.api.routes import event_stream, routes_at
from workflow_agent.assistant.attachments import NewAttachment
from workflow_agent.assistant.requests import RunEvent, RunEvents
from workflow_agent.errors import InvalidInput, NotFound
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.parser import problems_of

_OUTCOMES = ("success", "failed", "denied", "interrupted")


class RunFailed(Exception):
    """The run ended with an error; its text is fit to be shown."""


async def native_events(stream: RunEvents, asked: Sequence[str]) -> AsyncIterator[AgentStreamEvent]:
    """Yield what an agent loop would, from a run's stream; `RunFailed` becomes an error of the encoder's protocol."""
    parts = _Parts(Voices(asked))
    async for event in stream.events():
        if event.name == "error":
            raise RunFailed(str(event.data.get("detail", "The run failed.")))
        for native in parts.of(event):
            yield native


@dataclass(slots=True)
class _Parts:
    """The parts of the agent's messages as they begin and end; one is open at a time."""

    voices: Voices
    _index: int = -1
    _text: str = ""
    _is_open: bool = False
    _name: str = ""
    """What the agent that speaks says first."""
    _speaker: int = 0
    """How many agents have spoken with the one that does."""

    def of(self, event: RunEvent) -> Iterator[AgentStreamEvent]:
        """Yield the native events that one of ours stands for."""
        match event.name:
            case "start":
                yield from self._closed()
                self._speaker += 1
                self._name = self.voices.next(str(event.data["agent"])).lstrip()
            case "delta":
                yield from self._said(self._name + str(event.data["text"]))
                self._name = ""
            case "tool_call":
                yield from self._closed()
                yield from self._called(event.data)
            case "tool_result":
                yield FunctionToolResultEvent(part=_result(event.data, self._id(event.data)))
            case "complete":
                yield from self._closed()
            case _:
                return

    def _said(self, text: str) -> Iterator[AgentStreamEvent]:
        if not text:
            return
        self._text += text
        if self._is_open:
            yield PartDeltaEvent(index=self._index, delta=TextPartDelta(text))
            return
        self._is_open = True
        self._index += 1
        yield PartStartEvent(index=self._index, part=TextPart(text))

    def _closed(self) -> Iterator[AgentStreamEvent]:
        if self._is_open:
            yield PartEndEvent(index=self._index, part=TextPart(self._text))
        self._is_open, self._text = False, ""

    def _called(self, data: JsonObject) -> Iterator[AgentStreamEvent]:
        self._index += 1
        part = ToolCallPart(data["name"], data["args"], self._id(data))
        yield PartStartEvent(index=self._index, part=part)
        yield PartEndEvent(index=self._index, part=part)
        yield FunctionToolCallEvent(part=part)

    def _id(self, data: JsonObject) -> str:
        # Two models may count their calls alike, and clients put together what has one id.
        return str(data["id"]) if self._speaker <= 1 else f"{data['id']}_{self._speaker}"


def _result(data: JsonObject, call_id: str) -> ToolReturnPart:
    """Return a tool's result as far as a stream tells it: how it ended; the whole of it is in the turn."""
    told = {"outcome": data["outcome"], "duration_ms": data["duration_ms"]}
    outcome = data["outcome"] if data["outcome"] in _OUTCOMES else "failed"
    return ToolReturnPart(data["name"], told, call_id, outcome=outcome)


router = routes_at("/api/v1", "front ends", is_shown=False)
SdkVersion = Annotated[Literal["5", "6", "7"], Query(description="Major version of the `ai` package.")]


@router.post("/vercel-ai", status_code=200, response_class=EventStream, responses=event_stream(409, 422, 429))
async def vercel_ai_chat(
    request: Request, body: JsonObject, services: TheServices, key: IdempotencyKey, sdk: SdkVersion = "5"
) -> Response:
    """Answer the last message of a `useChat` chat; its id names the conversation."""
    run_input = _read(body, VercelAIAdapter.build_run_input, "request of the AI SDK")
    encoder: VercelAIEventStream[Any, Any] = VercelAIEventStream(
        accept=request.headers.get("accept"), sdk_version=_VERSIONS[sdk]
    )
    script = script_of([_sent(message, at) for at, message in enumerate(run_input.messages)], "/messages")
    # Asked for once more on purpose, the same words are another message.
    key = key or (services.new_id("again") if isinstance(run_input, RegenerateMessage) else None)
    ask = _ask(request, run_input.id, script, key, files=script.files)
    return await _answered(request, services, ask, encoder)


_VERSIONS: dict[str, Literal[5, 6, 7]] = {"5": 5, "6": 6, "7": 7}


async def _answered(
    request: Request,
    services: Services,
    ask: Ask,
    encoder: UIEventStream[Any, Any, Any, Any],
    tidied: Callable[[AsyncIterator[Any]], AsyncIterator[Any]] = lambda events: events,
) -> Response:
    """Start the turn that is asked for, or join it, and tell it in the words of an encoder, tidied before."""
    started = await start(services, ask)
    native = native_events(await stream_of(started), started.asked)
    told = encoder.encode_stream(tidied(encoder.transform_stream(native)))
    head = headers_of(started, ()) | dict(encoder.response_headers or {})
    return EventStream(with_heartbeats((text.encode() async for text in told), request), head)


Read = TypeVar("Read")


def _read(body: JsonObject, build: Callable[[bytes], Read], what: str) -> Read:
    try:
        return build(orjson.dumps(body))
    except ValidationError as error:
        problems = problems_of(error, body)
        raise InvalidInput(f"This is no {what}: {problems[0].message}", problems) from error


def _ask(
    request: Request, chat_id: str, script: Script, key: str | None, *, files: tuple[NewAttachment, ...] = ()
) -> Ask:
    return Ask(
        script=script,
        agent=None,
        conversation_id=conversation_of_chat(chat_id),
        author=user_of(request, None),
        is_repeated=is_repeated(request.headers),
        attachments=files,
        key=key,
    )


def _sent(message: UIMessage, at: int) -> Sent:
    """Return a message's text; what the assistant did beside it is on record here already."""
    is_user = message.role == "user"
    parts = [_part(part) for part in message.parts if is_user or isinstance(part, TextUIPart)]
    return Sent(message.role, parts, f"/messages/{at}")


def _part(part: UIMessagePart) -> JsonObject:
    match part:
        case TextUIPart():
            return {"type": "text", "text": part.text}
        case FileUIPart() if part.url.startswith("data:"):
            return {"type": "input_file", "filename": part.filename, "file_data": part.url}
        case _:
            return {"type": part.type}


_SPOKEN = frozenset({"user", "assistant", "system", "developer"})


@router.post("/ag-ui", status_code=200, response_class=EventStream, responses=event_stream(404, 409, 422, 429))
async def ag_ui_run(request: Request, body: JsonObject, services: TheServices, key: IdempotencyKey) -> Response:
    """Run the agent for a thread; the thread's id names the conversation."""
    try:
        # Optional, and only those who use it should wait for its import.
        from pydantic_ai.ui.ag_ui import AGUIAdapter, AGUIEventStream  # noqa: PLC0415 - see above
    except ImportError as error:
        raise NotFound("AG-UI is not installed here. Install 'workflow-agent[ag-ui]'.") from error
    run_input = _read(body, AGUIAdapter.build_run_input, "run of AG-UI")
    spoken = [message for message in body["messages"] if message.get("role") in _SPOKEN]
    script = script_of([_ag_ui_sent(message, at) for at, message in enumerate(spoken)], "/messages")
    encoder: AGUIEventStream[Any, Any] = AGUIEventStream(run_input, accept="text/event-stream")
    ask = _ask(request, run_input.thread_id, script, key)
    return await _answered(request, services, ask, encoder, _without_empty_messages)


async def _without_empty_messages(events: AsyncIterator[Any]) -> AsyncIterator[Any]:
    """Yield events without the text messages that say nothing, which the encoder begins before a call.

    Front ends show them as empty bubbles; a call whose parent was not begun makes its own message there.
    """
    begun: Any = None
    async for event in events:
        held, begun = begun, None
        if event.type == "TEXT_MESSAGE_START":
            begun = event
        elif held is None or event.type != "TEXT_MESSAGE_END":
            if held is not None:
                yield held
            yield event


def _ag_ui_sent(message: JsonObject, at: int) -> Sent:
    content = message.get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return Sent(str(message["role"]), parts, f"/messages/{at}")
