"""What each tenant of a server has of its own: limits, retention, and parts bound to its name."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from workflow_agent.conversations.quotas import TenantLimits
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.errors import ConversationNotFound
from workflow_agent.main.clock import now
from workflow_agent.main.stores import Stores
from workflow_agent.settings import Settings, TenantAccess
from workflow_agent.storage.files.conversation_list import cursor_before
from workflow_agent.values.caches import CacheKey
from workflow_agent.webhooks import WebhookRules, Webhooks
from workflow_agent.workflows.approvals import Approvals
from workflow_agent.workflows.model.outline import outline
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.service import WorkflowService


@dataclass(frozen=True, slots=True)
class OwnParts:
    """The collaborators that are bound to one tenant."""

    approvals: Approvals
    webhooks: Webhooks
    outline: Callable[[Workflow], str]
    """Returns a workflow as the model reads it, from a cache."""


def own_parts(settings: Settings, stores: Stores, tenant: str, new_id: Callable[[str], str]) -> OwnParts:
    """Return the collaborators bound to a tenant."""
    records, workflows = stores.records_of(tenant), WorkflowService(stores.workflows, tenant)
    secret = settings.webhook_secret.get_secret_value() if settings.webhook_secret else None
    rules = WebhookRules(secret, settings.webhook_hosts, timedelta(hours=settings.webhook_kept_hours))

    def cached_outline(workflow: Workflow) -> str:
        # The time tells a workflow from another that had its id before.
        key = CacheKey(tenant, workflow.id, (workflow.version, workflow.updated_at))
        return stores.caches.contexts.get_or_load(key, lambda: outline(workflow))

    return OwnParts(
        Approvals(records, workflows, now, timedelta(hours=settings.preview_kept_hours)),
        Webhooks(records, stores.workflows, tenant, rules, now, new_id),
        cached_outline,
    )


def limits_of(settings: Settings, tenant: str) -> TenantLimits:
    """Return a tenant's limits: its own settings, else those for all tenants."""
    own = settings.tenants.get(tenant, TenantAccess())
    return TenantLimits(
        turns_per_minute=own.turns_per_minute or settings.tenant_turns_per_minute,
        tokens_per_day=own.tokens_per_day or settings.tenant_tokens_per_day,
        usd_per_day=own.usd_per_day or settings.tenant_usd_per_day,
        runs_at_once=own.runs_at_once or settings.tenant_runs_at_once,
    )


def kept_since(settings: Settings, tenant: str, at: datetime) -> datetime | None:
    """Return the time before which a tenant's unchanged conversations are deleted; None if all are kept."""
    own = settings.tenants.get(tenant, TenantAccess()).conversations_kept_days
    days = own or settings.tenant_conversations_kept_days
    return None if days is None else at - timedelta(days=days)


async def delete_unused(conversations: ConversationStore, tenant: str, since: datetime) -> int:
    """Delete a tenant's conversations that have not changed since a time; return how many.

    One in which a run is under way stays.

    Raises:
        StorageFailed: One could not be read or deleted; the next round begins with it again.
    """
    deleted, cursor = 0, cursor_before(since)
    while cursor is not None:
        page = await conversations.page(tenant, cursor=cursor)
        for one in page.items:
            try:
                # Read again: it may have been used since it was listed.
                talk = await conversations.load(tenant, one.id)
                if talk.updated_at < since and talk.active_run() is None:
                    await conversations.delete(tenant, one.id)
                    deleted += 1
            except ConversationNotFound:
                continue
        cursor = page.next_cursor
    return deleted
