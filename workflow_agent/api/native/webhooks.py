"""Which addresses are told of events."""

from typing import Annotated

from fastapi import APIRouter, Body
from pydantic import BaseModel, Field, StringConstraints

from workflow_agent.api.native.request_body import Body as RequestBody
from workflow_agent.api.native.workflows import BODY_PROBLEMS
from workflow_agent.api.parameters import CLEAN_PATTERN, TheServices
from workflow_agent.api.replies import problem_replies
from workflow_agent.api.route_class import StrictRoute
from workflow_agent.telemetry.webhooks import EventType, Webhook

router = APIRouter(prefix="/api/v1/webhooks", tags=["webhooks"], route_class=StrictRoute)


class NewWebhook(RequestBody):
    """An address to tell of events."""

    url: Annotated[str, StringConstraints(min_length=1, max_length=2_000, pattern=CLEAN_PATTERN)]
    """At a host that the operator allows."""
    events: list[EventType] = Field(default_factory=list)
    """All, unless some are named."""


class MadeWebhook(Webhook):
    """A webhook and its key, which is told only now."""

    key: str
    """Each event carries the HMAC-SHA256 of its time stamp, a dot and its body, made with this key."""


class WebhookList(BaseModel):
    """The webhooks, the oldest first."""

    items: list[Webhook]


@router.get("", operation_id="list_webhooks", responses=problem_replies(422))
async def list_webhooks(services: TheServices) -> WebhookList:
    """List the addresses that are told of events."""
    return WebhookList(items=list(await services.webhooks.listed()))


@router.post("", operation_id="add_webhook", status_code=201, responses=problem_replies(*BODY_PROBLEMS))
async def add_webhook(body: Annotated[NewWebhook, Body()], services: TheServices) -> MadeWebhook:
    """Tell an address of what happens from now on, each event at least once and in order."""
    made = await services.webhooks.add(body.url, body.events)
    return MadeWebhook(**made.model_dump(), key=services.webhooks.rules.key_of(made.id))


@router.delete("/{webhook_id}", operation_id="remove_webhook", status_code=204, responses=problem_replies(404, 422))
async def remove_webhook(webhook_id: str, services: TheServices) -> None:
    """Tell an address no more."""
    await services.webhooks.remove(webhook_id)
