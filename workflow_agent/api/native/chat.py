"""Turns and their runs: a message with its documents, the reply as JSON or as a stream; where a run stands."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import Header, Request
from pydantic import ConfigDict, Field, StringConstraints, model_validator
from starlette.responses import Response

from workflow_agent.api.body import Body
from workflow_agent.api.dependencies import (
    CLEAN_PATTERN,
    KEY_PATTERN,
    IdempotencyHeader,
    RunId,
    TheServices,
    UserName,
    services_of,
    user_of,
)
from workflow_agent.api.event_stream import EventStream, own_frames, stream_of
from workflow_agent.api.native.conversation_shapes import ChatResponse, RunState
from workflow_agent.api.native.request_shapes import AgentName, ConversationIdText, MessageText, WorkflowIdText
from workflow_agent.api.routes import answers, event_stream, json_reply, link, routes_at
from workflow_agent.assistant.attachments import NewAttachment
from workflow_agent.assistant.requests import StartedTurn, TurnRequest, chat_response, outcome_of
from workflow_agent.conversations.agents import Mode
from workflow_agent.conversations.records import Records
from workflow_agent.conversations.runs import Run
from workflow_agent.values.tokens import Utilization

_TEXT: dict[str, str] = {"type": "string"}
_NONE: dict[str, str] = {"type": "null"}
_ONE_OF = [
    {"required": ["attachment_id"], "properties": {"attachment_id": _TEXT, "content": _NONE}},
    {"required": ["content"], "properties": {"content": _TEXT, "attachment_id": _NONE}},
]


class RequestAttachment(Body):
    """A document that comes with a message: its content, or the id of one that was attached before."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"title": "Travel policy", "content": "Claims are due within 30 days of the trip."}],
            "oneOf": _ONE_OF,
        }  # pyright: ignore[reportArgumentType] - JSON, whose lists are invariant
    )

    attachment_id: Annotated[str, StringConstraints(pattern=r"^att_[0-9a-f]{32}$")] | None = None
    """Of a document of this conversation, as its artifacts list it."""
    content: (
        Annotated[
            str,
            StringConstraints(min_length=1, max_length=10_000_000),
            Field(json_schema_extra={"pattern": r"[^\s\x00]"}),
        ]
        | None
    ) = None
    """Its text; or, with `encoding` base64, its bytes (a PDF or a DOCX)."""
    title: Annotated[str, StringConstraints(max_length=200, pattern=CLEAN_PATTERN)] | None = None
    """What to call it; a file name tells its kind."""
    source: Annotated[str, StringConstraints(max_length=2_000, pattern=CLEAN_PATTERN)] | None = None
    """Where it is from: for people to read. It is never fetched."""
    attachment_type: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")] = "document"
    """What it is to you: document, data, ..."""
    media_type: Annotated[str, StringConstraints(max_length=200, pattern=CLEAN_PATTERN)] | None = None
    """Such as text/markdown or application/pdf; told by the title and the content where it is not given."""
    encoding: Literal["text", "base64"] = "text"
    """How `content` is to be read."""

    @model_validator(mode="after")
    def _has_one(self) -> "RequestAttachment":
        if (self.attachment_id is None) == (self.content is None):
            raise ValueError("needs exactly one of attachment_id and content")
        return self


Attachments = Annotated[list[RequestAttachment], Field(max_length=10)]


def new_attachments(given: Sequence[RequestAttachment] | None) -> tuple[NewAttachment, ...]:
    """Return attachments as a turn takes them."""
    return tuple(NewAttachment(**one.model_dump()) for one in given or ())


class ChatRequest(
    Body,
    json_schema_extra={
        "examples": [
            {
                "message": "When an employee submits an expense, the manager approves or rejects it. "
                "If approved, finance pays; otherwise tell the employee."
            },
            {"message": "Which of ours talk to Slack?", "mode": "search"},
        ]
    },
):
    """A message, and how it is to be answered."""

    message: MessageText
    """What to say; not blank."""
    conversation_id: ConversationIdText | None = None
    """The conversation to go on with; a new one without it."""
    workflow_id: WorkflowIdText | None = None
    """The workflow that is open: what `it` means."""
    mode: Mode | None = None
    """Leads instead of the mode that would be inferred."""
    agent: AgentName | None = None
    """Who answers; see /api/v1/agents."""
    model: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=CLEAN_PATTERN)] | None = None
    """The model to answer with, where the server allows it."""
    user: UserName | None = None
    """Who says it; what is remembered is remembered of them. By itself the user of the key, or `user`."""
    context_utilization: Utilization | None = None
    """How much of the model's window may be used."""
    attachments: Attachments | None = None
    """Documents that come with the message; later messages can refer to them."""


router = routes_at("/api/v1", "chat")
_PROBLEMS = (404, 408, 409, 413, 415, 422, 429, 502)
_CONVERSATION = {"conversation_id": "$response.body#/conversation_id"}
_TURN = {**_CONVERSATION, "n": "$response.body#/turn"}
_LINKS = {
    "run": link("get_run", "The run that made the reply.", run_id="$response.body#/run_id"),
    "stream": link("stream_run", "Its events once more.", run_id="$response.body#/run_id"),
    "turn": link("get_turn", "The turn in the conversation.", **_TURN),
    "iterations": link("get_iterations", "What the agent did for it, step by step.", **_TURN),
    "conversation": link("get_conversation", "The whole conversation.", **_CONVERSATION),
    "history": link("get_history", "Its events.", **_CONVERSATION),
}
ShareHeader = Annotated[
    Utilization | None,
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


@router.post("/chat", **answers(ChatResponse, *_PROBLEMS, links=_LINKS))
async def chat(
    request: Request,
    body: ChatRequest,
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
    body: ChatRequest,
    key: IdempotencyHeader = None,
    share: ShareHeader = None,
    model_key: ModelKeyHeader = None,
) -> Response:
    """Send a message and follow the run that answers it; the run goes on when the client goes away."""
    started = await _started(request, body, key, share, model_key, is_streamed=True)
    return EventStream(own_frames(await stream_of(started), request))


runs = routes_at("/api/v1/runs", "runs")
_RUN_LINKS = {"conversation": link("get_conversation", "Its conversation.", **_CONVERSATION)}


def _state(records: Records, run: Run) -> dict[str, Any]:
    shown = run.model_dump(
        mode="json", include={"run_id", "turn", "status", "attempt", "agent", "accepted_at", "completed_at", "error"}
    )
    outcome = outcome_of(records, run.run_id)
    return {"conversation_id": records.id, **shown, "reply": chat_response(outcome) if outcome else None}


@runs.get("/{run_id}", **answers(RunState, 404, 422, links=_RUN_LINKS))
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


@runs.post("/{run_id}/cancel", **answers(RunState, 404, 422, links=_RUN_LINKS))
async def cancel_run(run_id: RunId, services: TheServices) -> Response:
    """Stop a run; one that has ended stays as it is."""
    await services.chat.cancel(services.tenant, run_id)
    return await get_run(run_id, services)
