"""Building the service: the only place that makes collaborators and joins them."""

import asyncio
import json
import logging
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from fastapi import FastAPI
from pydantic_ai.models import Model

from workflow_agent.adapters.durable_files import DurableFiles
from workflow_agent.adapters.idempotency_files import JsonIdempotencyKeys
from workflow_agent.adapters.json_conversations import JsonConversationStore
from workflow_agent.adapters.json_workflows import JsonWorkflowCatalog
from workflow_agent.adapters.process_owners import ProcessOwners, new_owner_id
from workflow_agent.adapters.search.index import SqliteWorkflowSearch
from workflow_agent.adapters.ttl_cache import CacheKey, TtlCache
from workflow_agent.agent.assistant import Assistant, build_assistant
from workflow_agent.agent.models import OFFLINE, Models, Provider, build_model, with_fallback
from workflow_agent.agent.offline import drafting
from workflow_agent.agent.offline.model import OfflineModel
from workflow_agent.agent.prompts import read_prompts
from workflow_agent.agent.workflow_context import READ_ONLY_MODES
from workflow_agent.api.app import create_app
from workflow_agent.api.services import ModeCard, Services
from workflow_agent.chat import Chat
from workflow_agent.chat.live import LiveRuns
from workflow_agent.chat.running import RunLimits, Runner
from workflow_agent.chat.work import Worker
from workflow_agent.context import ContextManager
from workflow_agent.domain.agents import ROSTER
from workflow_agent.domain.modes import MODES
from workflow_agent.domain.outline import outline
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Workflow
from workflow_agent.settings import Settings
from workflow_agent.telemetry import RecentContexts

_log = logging.getLogger(__name__)
_SECONDS_AN_HOUR = 3_600
_PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Caches:
    """What is kept because it is costly to make."""

    specs: TtlCache[Workflow]
    contexts: TtlCache[str]

    def statistics(self) -> dict[str, JsonObject]:
        """Return the statistics of each cache."""
        return {"specs": self.specs.statistics().as_dict(), "contexts": self.contexts.statistics().as_dict()}

    def totals(self) -> JsonObject:
        """Return hits and misses of all caches together, for the record of a turn."""
        counted = (self.specs.statistics(), self.contexts.statistics())
        return {"hits": sum(one.hits for one in counted), "misses": sum(one.misses for one in counted)}


@dataclass(frozen=True, slots=True)
class Stores:
    """Whatever keeps something."""

    files: DurableFiles
    conversations: JsonConversationStore
    workflows: JsonWorkflowCatalog
    search: SqliteWorkflowSearch
    keys: JsonIdempotencyKeys
    owners: ProcessOwners
    caches: Caches


@dataclass(frozen=True, slots=True)
class Application:
    """The whole service, built but not yet listening."""

    app: FastAPI
    services: Services
    stores: Stores
    settings: Settings

    async def prepare(self) -> None:
        """Clear up after an earlier process, and bring the samples where they are wanted."""
        swept = await asyncio.to_thread(self.stores.files.sweep)
        old_keys = await self.stores.keys.sweep(self.settings.tenant)
        interrupted = await self.services.chat.recover()
        seeded = (
            await self.stores.workflows.seed(self.settings.tenant, _samples()) if self.settings.samples else 0
        )
        counts = {
            "temporary_files_removed": len(swept), "old_keys_removed": old_keys,
            "conversations_with_interrupted_runs": interrupted, "samples_added": seeded,
        }  # fmt: skip
        _log.info("prepared", extra=counts)

    async def finish(self) -> None:
        """Tell open streams, and let runs end or mark them."""
        await self.services.chat.shut_down(self.settings.shutdown_grace_seconds)

    def close(self) -> None:
        """Let go of files and locks."""
        self.stores.search.close()
        self.stores.owners.close()


def build(settings: Settings, models: Models | None = None) -> Application:
    """Return the service that the settings describe.

    Args:
        settings: What to build.
        models: In place of those the settings name.

    Raises:
        Misconfigured: A model, its key or a prompt cannot be used.
    """
    assistant = build_assistant(
        read_prompts(_resources("prompts")), tool_timeout_seconds=settings.tool_timeout_seconds
    )
    stores = _stores(settings)
    services = _services(settings, stores, assistant, models or _models(settings))
    return Application(create_app(services, settings), services, stores, settings)


def _stores(settings: Settings) -> Stores:
    files = DurableFiles(settings.data_dir)
    entries = settings.cache_max_entries if settings.caches_enabled else 0
    caches = Caches(
        specs=TtlCache(max_entries=entries, ttl_seconds=settings.cache_ttl_seconds),
        contexts=TtlCache(max_entries=entries, ttl_seconds=settings.cache_ttl_seconds),
    )
    workflows = JsonWorkflowCatalog(files, caches.specs, now=_now)
    return Stores(
        files=files,
        conversations=JsonConversationStore(files),
        workflows=workflows,
        search=SqliteWorkflowSearch(workflows, root=settings.data_dir),
        keys=JsonIdempotencyKeys(files, settings.idempotency_kept_hours * _SECONDS_AN_HOUR),
        owners=ProcessOwners(settings.data_dir, new_owner_id()),
        caches=caches,
    )


def _services(settings: Settings, stores: Stores, assistant: Assistant, models: Models) -> Services:
    recent = RecentContexts()
    live = LiveRuns(kept_seconds=settings.stream_kept_seconds)
    roster = {
        name: agent.model_copy(update={"max_iterations": settings.max_model_requests})
        for name, agent in ROSTER.items()
    }
    runner = _runner(settings, stores, assistant, models)
    worker = Worker(stores.conversations, runner, stores.owners, recent, live, _now, _new_id)
    return Services(
        chat=Chat(stores.conversations, worker, roster, stores.owners, live, _now, _new_id),
        conversations=stores.conversations,
        workflows=stores.workflows,
        search=stores.search,
        keys=stores.keys,
        contexts=recent,
        agents=roster,
        modes=_mode_cards(assistant),
        caches=stores.caches.statistics,
        clock=_now,
        new_id=_new_id,
    )


def _runner(settings: Settings, stores: Stores, assistant: Assistant, models: Models) -> Runner:
    def cached_outline(workflow: Workflow) -> str:
        # The time tells a workflow from another that had its id before.
        key = CacheKey(settings.tenant, workflow.id, (workflow.version, workflow.updated_at))
        return stores.caches.contexts.get_or_load(key, lambda: outline(workflow))

    return Runner(
        assistant=assistant,
        context=ContextManager(max_turns=settings.max_history_turns),
        models=models,
        workflows=stores.workflows,
        search=stores.search,
        outline=cached_outline,
        cache_stats=stores.caches.totals,
        limits=RunLimits(
            timeout_seconds=settings.run_timeout_seconds, reserve_tokens=settings.reply_reserve_tokens
        ),
        now=_now,
    )


def _mode_cards(assistant: Assistant) -> tuple[ModeCard, ...]:
    return tuple(
        ModeCard(
            name=mode,
            tools=tuple(sorted(assistant.offer.names(mode))),
            prompt_chars=len(assistant.prompts[mode]),
            is_read_only=mode in READ_ONLY_MODES,
        )
        for mode in MODES
    )


def _models(settings: Settings) -> Models:
    provider = Provider(
        base_url=settings.model_base_url,
        api_key=settings.model_api_key.get_secret_value() if settings.model_api_key else None,
        timeout_seconds=settings.model_timeout_seconds,
        max_retries=settings.model_attempts - 1,
    )

    def offline() -> Model:
        return OfflineModel(drafting=drafting)

    by_name = {OFFLINE: offline()}
    for name in (settings.fallback_model, settings.model):
        if name is not None and name not in by_name:
            by_name[name] = build_model(name, provider, offline)
    fallback = by_name[settings.fallback_model] if settings.fallback_model else None
    by_name[settings.model] = with_fallback(by_name[settings.model], fallback)
    return Models(settings.model, by_name, window_tokens=settings.model_window_tokens)


def _samples() -> Iterable[JsonObject]:
    return [json.loads(path.read_bytes()) for path in sorted(_resources("samples").glob("*.json"))]


def _resources(name: str) -> Path:
    """Return where files are that belong to the package: in it once installed, beside it in a checkout."""
    installed = _PACKAGE / "_resources" / name
    in_checkout = {"prompts": _PACKAGE.parent / "prompts", "samples": _PACKAGE.parent / "data" / "samples"}
    return installed if installed.is_dir() else in_checkout[name]


def _now() -> datetime:
    """Return the time as precisely as it is stored, so that what is kept in memory equals what is on disk."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1_000 * 1_000)


def _new_id(prefix: str) -> str:
    return f"{prefix}_{secrets.token_hex(6)}"
