"""Runs: where one stands, its events, and stopping it."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from starlette.responses import Response

from workflow_agent.api.event_stream import EventStream, own_frames
from workflow_agent.api.parameters import RunId, Tenant, TheServices
from workflow_agent.api.replies import event_stream, json_reply, link, replies
from workflow_agent.api.route_class import StrictRoute
from workflow_agent.assistant.requests import chat_response, outcome_of
from workflow_agent.conversations.records import Records
from workflow_agent.conversations.runs import Run

router = APIRouter(prefix="/api/v1/runs", tags=["runs"], route_class=StrictRoute)
_LINKS = {
    "conversation": link("get_conversation", "Its conversation.", conversation_id="$response.body#/conversation_id")
}


def _state(records: Records, run: Run) -> dict[str, Any]:
    shown = run.model_dump(
        mode="json", include={"run_id", "turn", "status", "attempt", "agent", "accepted_at", "completed_at", "error"}
    )
    outcome = outcome_of(records, run.run_id)
    return {"conversation_id": records.id, **shown, "reply": chat_response(outcome) if outcome else None}


@router.get("/{run_id}", operation_id="get_run", responses=replies("RunState", 404, 422, links=_LINKS))
async def get_run(run_id: RunId, services: TheServices, tenant: Tenant) -> Response:
    """Say where a run stands, with its reply once there is one."""
    return json_reply(_state(*await services.chat.recorded_run(tenant, run_id)))


@router.get(
    "/{run_id}/stream",
    operation_id="stream_run",
    status_code=200,
    response_class=EventStream,
    responses=event_stream(404, 422),
)
async def stream_run(
    request: Request,
    run_id: RunId,
    services: TheServices,
    tenant: Tenant,
    last_event_id: Annotated[
        str, Header(alias="Last-Event-ID", pattern="^[0-9]{1,9}$", description="The id of the last event that arrived.")
    ] = "0",
) -> Response:
    """Follow a run from any of its events on, until ten minutes after its end."""
    stream = await services.chat.stream(tenant, run_id)
    return EventStream(own_frames(stream, request, after=int(last_event_id)))


@router.post("/{run_id}/cancel", operation_id="cancel_run", responses=replies("RunState", 404, 422, links=_LINKS))
async def cancel_run(run_id: RunId, services: TheServices, tenant: Tenant) -> Response:
    """Stop a run; one that has ended stays as it is."""
    await services.chat.cancel(tenant, run_id)
    return json_reply(_state(*await services.chat.recorded_run(tenant, run_id)))
