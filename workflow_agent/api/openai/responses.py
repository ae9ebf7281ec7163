"""Responses: a turn as an object with output items that can be asked for again, or as typed events."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated, Any

import orjson
from fastapi import Query, Request
from starlette.responses import Response

from workflow_agent.api.dependencies import Flag, IdempotencyKey, Services, TheServices, user_of
from workflow_agent.api.event_stream import EventStream, Voices, frames, problem_of, stream_of, told
from workflow_agent.api.native.chat import new_attachments
from workflow_agent.api.openai.completions import spent
from workflow_agent.api.openai.conversations import After, Order, PageSize, listing, no_such_item
from workflow_agent.api.openai.histories import asked_after, remember, remembering, start
from workflow_agent.api.openai.parameters import ResponseRequest, ignored_parameters
from workflow_agent.api.openai.response_object import (
    Recorded,
    answer_id,
    incomplete,
    input_item,
    output_item,
    output_text,
    recorded_response,
    response_id,
    response_object,
    response_of,
    server_error,
)
from workflow_agent.api.openai.texts import Script, Sent, finish_named, refused, script_of
from workflow_agent.api.openai.turn_requests import Ask, agent_of, conversation_named, headers_of, is_repeated
from workflow_agent.api.openai_errors import ResponseNotFound, openai_error
from workflow_agent.api.routes import json_reply, routes_at
from workflow_agent.assistant.requests import RunEvent, RunEvents
from workflow_agent.assistant.turns.narration import stream_of_outcome
from workflow_agent.errors import InvalidInput, Problem, RunNotFound
from workflow_agent.values.stored import JsonObject

Typed = tuple[str, dict[str, Any]]


@dataclass(slots=True)
class ResponseEvents:
    """Writes events with gapless sequence numbers, the same each time the run's stream is read.

    Those up to `after`, the number of the last event that arrived, are left out; -1 for none.
    """

    recorded: Recorded
    request: Request
    voices: Voices
    after: int = -1
    reply: str | None = field(default=None, init=False)
    """The whole answer, once it is complete."""
    _sequence: int = field(default=0, init=False)
    _done: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]], init=False)
    """The items that are complete: one for each agent that answered."""
    _writing: "_Item | None" = field(default=None, init=False)

    def render(self, event: RunEvent) -> bytes:
        """Return what an event of the run is on the wire."""
        return b"".join(self._numbered(kind, data) for kind, data in self._told(event))

    def _numbered(self, kind: str, data: dict[str, Any]) -> bytes:
        number, self._sequence = self._sequence, self._sequence + 1
        if number <= self.after:
            return b""
        whole = {"type": kind, "sequence_number": number, **data}
        return b"event: %s\ndata: %s\n\n" % (kind.encode(), orjson.dumps(whole))

    def _told(self, event: RunEvent) -> Iterator[Typed]:
        match event.name:
            case "start":
                yield from self._begun(event.data)
            case "delta" if self._writing:
                yield from self._writing.said(event.data["text"])
            case "complete":
                yield from self._finished()
                self.reply = "".join(item["content"][0]["text"] for item in self._done)
                yield self._complete(event.data)
            case "error":
                yield from self._failed(event.data)
            case _:
                return

    def _complete(self, data: dict[str, Any]) -> Typed:
        finish = finish_named([one["finish_reason"] for one in (*data["other_replies"], data)])
        if finish == "stop":
            return "response.completed", {"response": self._response("completed", data)}
        whole = self._response("incomplete", data) | {"incomplete_details": incomplete(finish)}
        return "response.incomplete", {"response": whole}

    def _begun(self, data: dict[str, Any]) -> Iterator[Typed]:
        if self._writing is None:
            begun = {"response": self._response("in_progress")}
            yield "response.created", begun
            yield "response.in_progress", begun
        else:
            yield from self._finished()
        name = self.voices.next(data["agent"])
        self._writing = _Item(answer_id(data["run_id"]), len(self._done), name)

    def _finished(self) -> Iterator[Typed]:
        if self._writing is not None:
            yield from self._writing.closed()
            self._done.append(output_item(self._writing.id, self._writing.text))

    def _failed(self, data: dict[str, Any]) -> Iterator[Typed]:
        if data.get("status") == "cancelled":
            # Somebody wanted it so: that is an end like any other, and no error.
            yield "response.incomplete", {"response": self._response("cancelled")}
            return
        error = openai_error(problem_of(data, self.request.scope))["error"]
        yield "error", {"code": error["code"], "message": error["message"], "param": error["param"]}
        failed = self._response("failed") | {"error": server_error(error["message"])}
        yield "response.failed", {"response": failed}

    def _response(self, status: str, outcome: dict[str, Any] | None = None) -> dict[str, Any]:
        if outcome is None:
            return response_object(self.recorded, status, self._done, None, None)
        took_ms = sum(one["duration_ms"] or 0 for one in (*outcome["other_replies"], outcome))
        completed_at = self.recorded.first.accepted_at + timedelta(milliseconds=took_ms)
        return response_object(self.recorded, status, self._done, spent(outcome), completed_at)


@dataclass(slots=True)
class _Item:
    """One agent's answer as it is written."""

    id: str
    index: int
    name: str
    """What it says before anything else."""
    text: str = ""
    _is_open: bool = False

    def said(self, text: str) -> Iterator[Typed]:
        """Yield what a piece of its text makes."""
        if not self._is_open:
            self._is_open = True
            yield ("response.output_item.added", {"output_index": self.index, "item": output_item(self.id, None)})
            yield "response.content_part.added", {**self._place(), "part": output_text("")}
            text = self.name + text
        self.text += text
        yield "response.output_text.delta", {**self._place(), "delta": text, "logprobs": []}

    def closed(self) -> Iterator[Typed]:
        """Yield what its end makes."""
        if not self._is_open:
            yield from self.said("")
        yield "response.output_text.done", {**self._place(), "text": self.text, "logprobs": []}
        yield "response.content_part.done", {**self._place(), "part": output_text(self.text)}
        item = output_item(self.id, self.text)
        yield "response.output_item.done", {"output_index": self.index, "item": item}

    def _place(self) -> dict[str, Any]:
        return {"item_id": self.id, "output_index": self.index, "content_index": 0}


_CALLED = ("function_call", "custom_tool_call", "local_shell_call", "shell_call", "computer_call", "apply_patch_call")
router = routes_at("/v1/responses", "openai", is_shown=False)


@router.post("")
async def create_response(
    request: Request, body: ResponseRequest, services: TheServices, key: IdempotencyKey
) -> Response:
    """Answer an input, in a conversation, after an earlier response, or on its own."""
    ignored = ignored_parameters(body)
    ask = await _ask(request, body, services, key)
    started = await start(services, ask)
    head = headers_of(started, ignored)
    if not (body.stream or body.background):
        outcome = await started.outcome()
        text = "".join(told(started.asked, outcome.replies))
        await remember(services.keys, ask, outcome.conversation_id, text)
    recorded = await recorded_response(services, response_id(started.run_id))
    if not body.stream:
        return json_reply(response_of(recorded), headers=head)
    events = ResponseEvents(recorded, request, Voices(recorded.first.asked))
    written = frames(await stream_of(started), request, events.render)
    kept = remembering(written, lambda: events.reply, services.keys, ask, started.conversation_id)
    return EventStream(kept, head)


async def _ask(request: Request, body: ResponseRequest, services: Services, key: str | None) -> Ask:
    if body.conversation is not None and body.previous_response_id is not None:
        message = "cannot be given together with `conversation`: either names what this goes on with"
        raise refused("/previous_response_id", message)
    _check_outputs(body)
    script = _script(body)
    ask = Ask(
        script=script,
        agent=agent_of(body.model, services.agents),
        conversation_id=conversation_named(request.headers, body.conversation, "/conversation"),
        author=user_of(request, body.user or None),
        is_repeated=is_repeated(request.headers),
        key=key,
        attachments=new_attachments(body.attachments) + script.files,
        echoed=_echoed(body),
        is_streamed=bool(body.stream or body.background),
    )
    if body.previous_response_id is None:
        return ask
    before = await recorded_response(services, body.previous_response_id, "previous_response_id")
    return await asked_after(services, ask, before)


def _echoed(body: ResponseRequest) -> JsonObject:
    background = {"background": True} if body.background else {}
    return background | ({"metadata": dict(body.metadata)} if body.metadata else {})


def _check_outputs(body: ResponseRequest) -> None:
    """Refuse what a function returned without a call of it before, in OpenAI's words."""
    called: set[str] = set()
    for at, one in enumerate(body.input):
        call_id = str((one.model_extra or {}).get("call_id"))
        if one.type in _CALLED:
            called.add(call_id)
        elif one.type.endswith("_call_output") and call_id not in called:
            kind = one.type.removesuffix("_output").replace("_", " ")
            problem = Problem("/input", f"item {at} answers no call before it")
            raise InvalidInput(f"No tool call found for {kind} output with call_id {call_id[:80]}.", [problem])


def _script(body: ResponseRequest) -> Script:
    sent = [
        Sent(one.role or "tool", one.content, f"/input/{at}")
        for at, one in enumerate(body.input)
        if one.type == "message"
    ]
    told = [Sent("system", [{"type": "text", "text": body.instructions}], "/instructions")] if body.instructions else []
    return script_of([*told, *sent], "/input")


@router.get("/{response_id}")
async def get_response(
    request: Request,
    response_id: str,
    services: TheServices,
    stream: Flag = False,
    starting_after: Annotated[int, Query(ge=-1, le=10_000_000)] = -1,
) -> Response:
    """Show a response, or follow it from any of its events on."""
    recorded = await recorded_response(services, response_id)
    if not stream:
        return json_reply(response_of(recorded))
    followed = await _followed(services, recorded, starting_after)
    events = ResponseEvents(recorded, request, Voices(recorded.first.asked), starting_after)
    return EventStream(frames(followed, request, events.render))


async def _followed(services: Services, recorded: Recorded, starting_after: int) -> RunEvents:
    """Return a response's events; where they are not kept any more, those of its replies as they are."""
    try:
        return await services.chat.stream(services.tenant, recorded.first.run_id)
    except RunNotFound as error:
        if recorded.newest.status == "completed" and recorded.outcome and starting_after < 0:
            return stream_of_outcome(recorded.outcome)
        raise ResponseNotFound(
            "The single events of this response are not kept any more. Retrieve it without `stream`.", param="stream"
        ) from error


@router.post("/{response_id}/cancel")
async def cancel_response(response_id: str, services: TheServices) -> Response:
    """Stop a response; one that has ended stays as it is."""
    recorded = await recorded_response(services, response_id)
    await services.chat.cancel(services.tenant, recorded.first.run_id)
    return json_reply(response_of(await recorded_response(services, response_id)))


@router.get("/{response_id}/input_items")
async def get_input_items(
    response_id: str, services: TheServices, order: Order = "desc", limit: PageSize = 20, after: After = None
) -> Response:
    """List what a response answers: the user's message, on one page in any order."""
    del order, limit
    recorded = await recorded_response(services, response_id)
    item = input_item(recorded.message)
    if after not in (None, item["id"]):
        raise no_such_item(after, "input of this response")
    return json_reply(listing([item] if after is None else []))
