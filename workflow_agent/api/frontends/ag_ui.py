"""Runs of the Agent-User Interaction protocol (AG-UI) over a turn."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Body, Request
from pydantic import ValidationError
from starlette.responses import Response

from workflow_agent.api.event_stream import EventStream, stream_of, with_heartbeats
from workflow_agent.api.frontends.events import native_events
from workflow_agent.api.openai.histories import start
from workflow_agent.api.openai.texts import Sent, script_of
from workflow_agent.api.openai.turn_requests import Ask, conversation_of_chat, headers_of, is_repeated
from workflow_agent.api.parameters import IdempotencyKey, Tenant, TheServices, user_of
from workflow_agent.api.replies import event_stream
from workflow_agent.api.route_class import StrictRoute
from workflow_agent.errors import InvalidInput, NotFound
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.parser import problems_of

router = APIRouter(prefix="/api/v1", tags=["front ends"], route_class=StrictRoute, include_in_schema=False)
_SPOKEN = frozenset({"user", "assistant", "system", "developer"})


@router.post(
    "/ag-ui",
    operation_id="ag_ui_run",
    status_code=200,
    response_class=EventStream,
    responses=event_stream(404, 409, 422, 429),
)
async def ag_ui_run(
    request: Request, body: Annotated[JsonObject, Body()], services: TheServices, tenant: Tenant, key: IdempotencyKey
) -> Response:
    """Run the agent for a thread; the thread's id names the conversation."""
    try:
        # Optional, and only those who use it should wait for its import.
        from pydantic_ai.ui.ag_ui import AGUIAdapter, AGUIEventStream  # noqa: PLC0415 - see above
    except ImportError as error:
        raise NotFound("AG-UI is not installed here. Install 'workflow-agent[ag-ui]'.") from error
    try:
        run_input = AGUIAdapter.build_run_input(orjson.dumps(body))
    except ValidationError as error:
        problems = problems_of(error, body)
        raise InvalidInput(f"This is no run of AG-UI: {problems[0].message}", problems) from error
    spoken = [message for message in body["messages"] if message.get("role") in _SPOKEN]
    ask = Ask(
        script=script_of([_sent(message, at) for at, message in enumerate(spoken)], "/messages"),
        agent=None,
        conversation_id=conversation_of_chat(run_input.thread_id),
        author=user_of(request, None),
        is_repeated=is_repeated(request.headers),
        key=key,
    )
    started = await start(services, tenant, ask)
    encoder: AGUIEventStream[Any, Any] = AGUIEventStream(run_input, accept="text/event-stream")
    native = native_events(await stream_of(started), started.asked)
    told = encoder.encode_stream(_without_empty_messages(encoder.transform_stream(native)))
    return EventStream(with_heartbeats((text.encode() async for text in told), request), headers_of(started, ()))


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


def _sent(message: JsonObject, at: int) -> Sent:
    content = message.get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return Sent(str(message["role"]), parts, f"/messages/{at}")
