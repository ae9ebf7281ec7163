"""The whole service, built but not yet listening: how it starts, ends, answers others, and what each tenant has."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from fastapi import FastAPI

from workflow_agent.api.dependencies import Services
from workflow_agent.assistant.turns.followers import answer_about
from workflow_agent.assistant.turns.takeover import Takeover
from workflow_agent.conversations.quotas import TenantLimits
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.errors import ConversationNotFound, StorageFailed
from workflow_agent.main.process import importing, new_id, now, samples
from workflow_agent.main.stores import Stores
from workflow_agent.settings import Settings, TenantAccess
from workflow_agent.storage.files.conversation_list import cursor_before
from workflow_agent.storage.files.search.meaning import MessagesByMeaning
from workflow_agent.telemetry.sums import families_of
from workflow_agent.values.caches import CacheKey
from workflow_agent.values.stored import JsonObject
from workflow_agent.webhooks import WebhookRules, Webhooks
from workflow_agent.workflows.approvals import Approvals
from workflow_agent.workflows.model.workflow import Workflow, outline
from workflow_agent.workflows.service import WorkflowService


@dataclass(frozen=True, slots=True)
class OwnParts:
    """The collaborators that are bound to one tenant."""

    approvals: Approvals
    webhooks: Webhooks
    outline: Callable[[Workflow], str]
    """Returns a workflow as the model reads it, from a cache."""


def own_parts(settings: Settings, stores: Stores, tenant: str) -> OwnParts:
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

    One in which a run is under way stays. Where one cannot be read, the next round begins with it again.
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


_log = logging.getLogger(__name__)
_SWEEP_SECONDS = 600.0
_DUE_SECONDS = 60.0
"""How often a host checks for periodic work: the host that was to do it may have died."""
_LOOK_SECONDS = 0.5
"""How often dead processes are looked for, whose runs are then continued."""


@dataclass(frozen=True, slots=True)
class Application:
    """The whole service, built but not yet listening."""

    app: FastAPI
    services: Services
    stores: Stores
    settings: Settings
    late: Sequence[Callable[[], None]]
    """Reads the rules of the offline model, which a server listens without; who needs them before waits for them."""
    takeover: Takeover
    """Goes on with the runs of processes that died."""
    meaning: MessagesByMeaning | None = None
    """Finds messages by their meaning too, where that is configured."""
    _beside: set["asyncio.Task[None]"] = field(default_factory=set["asyncio.Task[None]"])
    """What is done beside requests, until `finish`."""

    async def open(self) -> None:
        """Open the stores and register this process as alive."""
        await self.stores.upkeep.open(self.services.chat.lose_runs)

    async def prepare(self) -> None:
        """Clean up after dead processes, and add the sample workflows if the settings ask for them."""
        await self.open()
        swept = await self.stores.upkeep.sweep()
        old_keys = await self._sweep_keys()
        for tenant in self.settings.served_tenants:
            await self.services.personal.settle_all(tenant)
        seeded = await self._seed() if self.settings.samples else 0
        _log.info("prepared", extra={"leftovers_removed": swept, "old_keys_removed": old_keys, "samples_added": seeded})

    async def _sweep_keys(self) -> int:
        return sum([await self.stores.keys_of(tenant).sweep() for tenant in self.settings.served_tenants])

    async def _seed(self) -> int:
        known = samples()
        return sum([await self.stores.workflows.seed(tenant, known) for tenant in self.settings.served_tenants])

    async def look_after(self) -> None:
        """Continue the runs of dead processes and remove their leftovers, until `finish`."""
        with self._until_finish():
            async with asyncio.TaskGroup() as both:
                both.create_task(self.sweep_regularly())
                both.create_task(self._take_over())

    async def _take_over(self) -> None:
        try:
            while True:
                try:
                    await self.takeover.look()
                except StorageFailed as error:
                    _log.warning("runs of dead processes were not looked after: %s", error.message)
                await asyncio.sleep(_LOOK_SECONDS)
        finally:
            await self.takeover.stop()

    async def sweep_regularly(self) -> None:
        """Remove the leftovers of dead processes at intervals, until cancelled."""
        while True:
            await asyncio.sleep(_DUE_SECONDS)
            try:
                removed = await self.stores.upkeep.periodically("sweep", _SWEEP_SECONDS, self._sweep)
            except StorageFailed:
                _log.warning("leftovers were not removed", exc_info=True)
            else:
                if removed is not None:
                    _log.info("swept", extra={"leftovers_removed": removed})

    async def _sweep(self) -> int:
        removed = await self.stores.upkeep.sweep() + await self._sweep_keys()
        for tenant in self.settings.served_tenants:
            removed += await self.services.of_tenant(tenant).approvals.sweep()
            since = kept_since(self.settings, tenant, now())
            if since is not None:
                removed += await delete_unused(self.services.conversations, tenant, since)
        return removed

    async def tell_of_events(self) -> None:
        """Send events to webhooks, until `finish`."""
        with self._until_finish():
            async with asyncio.TaskGroup() as each:
                for tenant in self.settings.served_tenants:
                    each.create_task(self.services.of_tenant(tenant).webhooks.tell_for_ever())

    @contextmanager
    def _until_finish(self) -> Generator[None]:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - whoever is awaited is one's
        self._beside.add(task)
        try:
            yield
        finally:
            self._beside.discard(task)

    async def listen(self) -> None:
        """Answer other processes on the same data, until `finish`."""
        await self.stores.others.listen(self.answer)

    async def catch_up(self) -> None:
        """Load the rules of the offline model while the first requests are served."""
        await asyncio.to_thread(self._read_late)

    def _read_late(self) -> None:
        with importing():
            for read in self.late:
                read()

    async def answer(self, question: JsonObject) -> AsyncGenerator[JsonObject]:
        """Yield the answer to another process's question; nothing if the question is unknown."""
        match question.get("ask"):
            case "metrics":
                yield await asyncio.to_thread(families_of, self.services.telemetry.registry)
            case "caches":
                yield {"caches": self.services.caches()}
            case "contexts":
                recent = self.services.telemetry.recent
                yield {"contexts": list(recent.latest(str(question["tenant"]), int(question["limit"])))}
            case _:
                async with aclosing(answer_about(self.services.chat.worker.live, question)) as told:
                    async for piece in told:
                        yield piece

    async def finish(self) -> None:
        """Tell open streams, let runs end or mark them as interrupted, and store what is still unsaved."""
        until = time.monotonic() + self.settings.shutdown_grace_seconds
        await self.services.chat.shut_down(self.settings.shutdown_grace_seconds)
        # A look that is under way would open the stores again.
        beside = list(self._beside)
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        # Followers of other processes' runs get what is left of the same grace period.
        await self.stores.others.close(max(0.0, until - time.monotonic()))
        await self.stores.memory.settle()
        if self.meaning is not None:
            await self.meaning.tasks.shut_down()
        runner = self.services.chat.worker.runner
        await runner.sandbox.close()
        if runner.assistant.foreign is not None:
            await runner.assistant.foreign.close()
        await self.stores.usage.close()
        await self.stores.upkeep.close()

    def close(self) -> None:
        """Close files and release locks."""
        self.stores.search.close()
        self.stores.owners.close()
        self.services.telemetry.stop()
