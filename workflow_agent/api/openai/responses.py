"""Responses: a turn as an object with output items that can be asked for again, or as typed events."""

from typing import Annotated

from fastapi import Body, Query, Request
from starlette.responses import Response

from workflow_agent.api.event_stream import EventStream, frames, stream_of, told
from workflow_agent.api.native.attachments import new_attachments
from workflow_agent.api.openai.histories import asked_after, remember, remembering, start
from workflow_agent.api.openai.items import After, Order, PageSize, listing, no_such_item
from workflow_agent.api.openai.models import agent_of
from workflow_agent.api.openai.parameters import ResponseRequest, ignored_parameters
from workflow_agent.api.openai.response_events import ResponseEvents
from workflow_agent.api.openai.response_object import Recorded, input_item, recorded_response, response_id, response_of
from workflow_agent.api.openai.texts import Script, Sent, script_of
from workflow_agent.api.openai.turn_requests import Ask, conversation_named, headers_of, is_repeated
from workflow_agent.api.openai_errors import ResponseNotFound
from workflow_agent.api.parameters import Flag, IdempotencyKey, TheServices, user_of
from workflow_agent.api.routes import json_reply, routes_at
from workflow_agent.api.services import Services
from workflow_agent.assistant.requests import RunEvents
from workflow_agent.assistant.turns.narration import stream_of_outcome
from workflow_agent.errors import InvalidInput, Problem, RunNotFound
from workflow_agent.values.stored import JsonObject

_CALLED = ("function_call", "custom_tool_call", "local_shell_call", "shell_call", "computer_call", "apply_patch_call")
router = routes_at("/v1/responses", "openai", is_shown=False)


@router.post("")
async def create_response(
    request: Request, body: Annotated[ResponseRequest, Body()], services: TheServices, key: IdempotencyKey
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
    events = ResponseEvents(recorded, request)
    written = frames(await stream_of(started), request, events.render)
    kept = remembering(written, lambda: events.reply, services.keys, ask, started.conversation_id)
    return EventStream(kept, head)


async def _ask(request: Request, body: ResponseRequest, services: Services, key: str | None) -> Ask:
    if body.conversation is not None and body.previous_response_id is not None:
        message = "cannot be given together with `conversation`: either names what this goes on with"
        raise InvalidInput(f"previous_response_id {message}.", [Problem("/previous_response_id", message)])
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
    """Refuse what a function returned without a call of it before.

    Raises:
        InvalidInput: In OpenAI's words.
    """
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
    events = ResponseEvents(recorded, request, starting_after)
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
