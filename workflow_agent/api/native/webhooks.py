"""Which addresses are told of events."""

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from workflow_agent.api.body import Body
from workflow_agent.api.dependencies import CLEAN_PATTERN, TheServices
from workflow_agent.api.routes import BODY_PROBLEMS, problem_replies, routes_at
from workflow_agent.webhooks import Delivery, EventType, Webhook

router = routes_at("/api/v1/webhooks", "webhooks")


class NewWebhook(Body):
    """An address to tell of events."""

    url: Annotated[str, StringConstraints(min_length=1, max_length=2_000, pattern=CLEAN_PATTERN)]
    """At a host that the operator allows."""
    events: list[EventType] = Field(default_factory=list)
    """All, unless some are named."""


class MadeWebhook(Webhook):
    """A webhook and its key, which is told only now."""

    key: str
    """Each event carries the HMAC-SHA256 of its time stamp, a dot and its body, made with this key."""


class ListedWebhook(Webhook):
    """A webhook, and what it has not taken yet."""

    waiting: int
    """How many events are still to be taken."""


class WebhookList(BaseModel):
    """The webhooks, the oldest first, and what the operator allows."""

    items: list[ListedWebhook]
    is_enabled: bool
    """Whether this server sends events at all."""
    hosts: list[str]
    """The hosts that may be told; `*` for any."""


@router.get("", responses=problem_replies(422))
async def list_webhooks(services: TheServices) -> WebhookList:
    """List the addresses that are told of events."""
    hooks = services.webhooks
    waiting = await hooks.waiting()
    items = [ListedWebhook(**one.model_dump(), waiting=waiting.get(one.id, 0)) for one in await hooks.listed()]
    return WebhookList(items=items, is_enabled=hooks.rules.secret is not None, hosts=list(hooks.rules.hosts))


@router.post("", status_code=201, responses=problem_replies(*BODY_PROBLEMS))
async def add_webhook(body: NewWebhook, services: TheServices) -> MadeWebhook:
    """Tell an address of what happens from now on, each event at least once and in order."""
    made = await services.webhooks.add(body.url, body.events)
    return MadeWebhook(**made.model_dump(), key=services.webhooks.rules.key_of(made.id))


@router.post("/{webhook_id}/test", responses=problem_replies(404, 422))
async def test_webhook(webhook_id: str, services: TheServices) -> Delivery:
    """Send an address an event of type `webhook.test` now, signed as all are, and tell whether it was taken."""
    return await services.webhooks.test(webhook_id)


@router.delete("/{webhook_id}", status_code=204, responses=problem_replies(404, 422))
async def remove_webhook(webhook_id: str, services: TheServices) -> None:
    """Tell an address no more."""
    await services.webhooks.remove(webhook_id)
