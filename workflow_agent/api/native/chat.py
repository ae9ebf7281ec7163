"""Turns and their runs: one message, one reply, as JSON or as a stream; where a run stands, and stopping it."""

from typing import Annotated, Any, Literal

from fastapi import Body, Header, Request
from starlette.responses import Response

from workflow_agent.api.event_stream import EventStream, own_frames, stream_of
from workflow_agent.api.native.attachments import new_attachments
from workflow_agent.api.native.conversation_shapes import ChatResponse, RunState
from workflow_agent.api.native.request_shapes import ChatRequest
from workflow_agent.api.parameters import KEY_PATTERN, IdempotencyHeader, RunId, TheServices, services_of, user_of
from workflow_agent.api.routes import event_stream, json_reply, link, replies, routes_at
from workflow_agent.assistant.requests import StartedTurn, TurnRequest, chat_response, outcome_of
from workflow_agent.conversations.records import Records
from workflow_agent.conversations.runs import Run
from workflow_agent.values.tokens import Utilization

router = routes_at("/api/v1", "chat")
_PROBLEMS = (404, 408, 409, 413, 415, 422, 429, 502)
_TURN = {"conversation_id": "$response.body#/conversation_id", "n": "$response.body#/turn"}
_LINKS = {
    "run": link("get_run", "The run that made the reply.", run_id="$response.body#/run_id"),
    "stream": link("stream_run", "Its events once more.", run_id="$response.body#/run_id"),
    "turn": link("get_turn", "The turn in the conversation.", **_TURN),
    "iterations": link("get_iterations", "What the agent did for it, step by step.", **_TURN),
    "conversation": link(
        "get_conversation", "The whole conversation.", conversation_id="$response.body#/conversation_id"
    ),
    "history": link("get_history", "Its events.", conversation_id="$response.body#/conversation_id"),
}


ShareHeader = Annotated[
    Literal["low", "medium", "full"] | None,
    Header(
        alias="X-Context-Utilization",
        description="How much of the model's window may be used, where the body does not say.",
    ),
]
ModelKeyHeader = Annotated[
    str | None,
    Header(
        alias="X-Model-Key",
        pattern=KEY_PATTERN,
        description="The key for `model`, for this request alone, where the server takes keys.",
    ),
]


# The headers are the routes' own parameters: a dependency between would take as long as reading the body does.
async def _started(
    request: Request,
    body: ChatRequest,
    key: str | None,
    share: Utilization | None,
    model_key: str | None,
    *,
    is_streamed: bool,
) -> StartedTurn:
    services = await services_of(request)
    wanted = TurnRequest(
        message=body.message,
        author=user_of(request, body.user),
        conversation_id=body.conversation_id,
        workflow_id=body.workflow_id,
        mode=body.mode,
        agent=body.agent,
        model=body.model,
        context_utilization=body.context_utilization or share,
        key=key,
        attachments=new_attachments(body.attachments),
        model_key=model_key,
        is_streamed=is_streamed,
    )
    return await services.chat.start(services.tenant, wanted)


@router.post("/chat", response_model=ChatResponse, responses=replies(*_PROBLEMS, links=_LINKS))
async def chat(
    request: Request,
    body: Annotated[ChatRequest, Body()],
    key: IdempotencyHeader = None,
    share: ShareHeader = None,
    model_key: ModelKeyHeader = None,
) -> Response:
    """Send a message and get the reply, which may take as long as a run may."""
    started = await _started(request, body, key, share, model_key, is_streamed=False)
    outcome = await started.outcome()
    replayed = {"Idempotency-Replayed": "true"} if outcome.replayed else {}
    return json_reply(chat_response(outcome), headers=replayed)


@router.post("/chat/stream", status_code=200, response_class=EventStream, responses=event_stream(*_PROBLEMS))
async def chat_stream(
    request: Request,
    body: Annotated[ChatRequest, Body()],
    key: IdempotencyHeader = None,
    share: ShareHeader = None,
    model_key: ModelKeyHeader = None,
) -> Response:
    """Send a message and follow the run that answers it; the run goes on when the client goes away."""
    started = await _started(request, body, key, share, model_key, is_streamed=True)
    return EventStream(own_frames(await stream_of(started), request))


runs = routes_at("/api/v1/runs", "runs")
_RUN_LINKS = {
    "conversation": link("get_conversation", "Its conversation.", conversation_id="$response.body#/conversation_id")
}


def _state(records: Records, run: Run) -> dict[str, Any]:
    shown = run.model_dump(
        mode="json", include={"run_id", "turn", "status", "attempt", "agent", "accepted_at", "completed_at", "error"}
    )
    outcome = outcome_of(records, run.run_id)
    return {"conversation_id": records.id, **shown, "reply": chat_response(outcome) if outcome else None}


@runs.get("/{run_id}", response_model=RunState, responses=replies(404, 422, links=_RUN_LINKS))
async def get_run(run_id: RunId, services: TheServices) -> Response:
    """Say where a run stands, with its reply once there is one."""
    return json_reply(_state(*await services.chat.recorded_run(services.tenant, run_id)))


@runs.get("/{run_id}/stream", status_code=200, response_class=EventStream, responses=event_stream(404, 422))
async def stream_run(
    request: Request,
    run_id: RunId,
    services: TheServices,
    last_event_id: Annotated[
        str, Header(alias="Last-Event-ID", pattern="^[0-9]{1,9}$", description="The id of the last event that arrived.")
    ] = "0",
) -> Response:
    """Follow a run from any of its events on, until ten minutes after its end."""
    stream = await services.chat.stream(services.tenant, run_id)
    return EventStream(own_frames(stream, request, after=int(last_event_id)))


@runs.post("/{run_id}/cancel", response_model=RunState, responses=replies(404, 422, links=_RUN_LINKS))
async def cancel_run(run_id: RunId, services: TheServices) -> Response:
    """Stop a run; one that has ended stays as it is."""
    await services.chat.cancel(services.tenant, run_id)
    return json_reply(_state(*await services.chat.recorded_run(services.tenant, run_id)))
