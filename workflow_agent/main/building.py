"""Building the service: the only place that makes collaborators and joins them."""

import secrets
from collections.abc import Callable

from pydantic_ai.models import Model

from workflow_agent.adapters.documents import DocumentLimits
from workflow_agent.adapters.process_owners import running_owners
from workflow_agent.adapters.run_journal import JsonlRunJournal
from workflow_agent.adapters.ttl_cache import CacheKey
from workflow_agent.agent.assistant import Assistant, build_assistant
from workflow_agent.agent.models import OFFLINE, Models, Provider, build_model, with_fallback
from workflow_agent.agent.offline.model import OfflineModel
from workflow_agent.agent.prompts import read_phase_prompts, read_prompts
from workflow_agent.agent.token_counting import TokenCounters, counters_for
from workflow_agent.agent.workflow_context import READ_ONLY_MODES
from workflow_agent.api.app import create_app
from workflow_agent.api.services import ModeCard, Services
from workflow_agent.chat import Chat
from workflow_agent.chat.attaching import Attaching
from workflow_agent.chat.compacting import Compactor
from workflow_agent.chat.elsewhere import RunsElsewhere
from workflow_agent.chat.jobs import RunLimits
from workflow_agent.chat.joining import Joining
from workflow_agent.chat.live import LiveRuns
from workflow_agent.chat.running import Runner
from workflow_agent.chat.work import Worker
from workflow_agent.context import ContextManager
from workflow_agent.domain.agents import Roster
from workflow_agent.domain.modes import MODES
from workflow_agent.domain.outline import outline
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Workflow
from workflow_agent.main.application import Application
from workflow_agent.main.clock import now
from workflow_agent.main.compacting import compactor_of
from workflow_agent.main.observing import telemetry_of
from workflow_agent.main.planning import gathering_of, model_config_of
from workflow_agent.main.programs import sandbox_of
from workflow_agent.main.resources import resources
from workflow_agent.main.roster import roster_of
from workflow_agent.main.seats import Seat
from workflow_agent.main.stores import Stores, build_stores
from workflow_agent.settings import Settings
from workflow_agent.telemetry import Fellows, Telemetry


def build(
    settings: Settings,
    models: Models | None = None,
    telemetry: Telemetry | None = None,
    seat: Seat | None = None,
) -> Application:
    """Return the service that the settings describe; what else is given takes the place of what they name.

    Args:
        settings: What an operator can change.
        models: In place of those that the settings name.
        telemetry: In place of that of the environment.
        seat: Which of several workers this process is; None where it serves alone.

    Raises:
        Misconfigured: A model, its key, a prompt or the agents file cannot be used.
    """
    telemetry = telemetry or telemetry_of(settings)
    assistant = build_assistant(
        read_prompts(resources("prompts")),
        phases=read_phase_prompts(resources("prompts") / "phases"),
        tool_timeout_seconds=settings.tool_timeout_seconds,
        layout=settings.prompt_layout,
        instrumentation=telemetry.instrumentation,
    )
    roster = roster_of(settings)
    chosen = models or models_of(settings, roster)
    stores = build_stores(settings, seat)
    services = _services(settings, stores, assistant, chosen, telemetry, roster, seat)
    app = create_app(services, settings)
    late = (*_rules_of(chosen), app.state.late_routes.take_in)
    return Application(app, services, stores, settings, late)


def _rules_of(models: Models) -> list[Callable[[], None]]:
    """Return what reads the rules of the offline model where it is the one that answers."""
    answering = models.by_name[models.default]
    return [answering.read_rules] if isinstance(answering, OfflineModel) else []


def _services(
    settings: Settings,
    stores: Stores,
    assistant: Assistant,
    models: Models,
    telemetry: Telemetry,
    roster: Roster,
    seat: Seat | None,
) -> Services:
    live = LiveRuns(kept_seconds=settings.stream_kept_seconds)
    counters = counters_for(models.by_name.values())
    compactor = compactor_of(settings, stores.conversations, models, telemetry, counters, _new_id)
    runner = _runner(settings, stores, assistant, models, roster, compactor, counters)

    def caches() -> dict[str, JsonObject]:
        return {**stores.caches.statistics(), **runner.gathering.parts.statistics()}

    telemetry.observe(caches=caches, active_runs=lambda: len(live.running()))
    journal = JsonlRunJournal(settings.data_dir)
    worker = Worker(
        stores.conversations, journal, runner, stores.owners, telemetry, live, now, _new_id,
        settings.inline_result_bytes, stores.caches.replies_read,
    )  # fmt: skip
    attaching = _attaching(settings, stores)
    joining = Joining(stores.conversations, stores.owners, live, RunsElsewhere(stores.others))
    return Services(
        chat=Chat(
            stores.conversations, worker, attaching, roster, stores.owners, joining, live, now, _new_id
        ),
        conversations=stores.conversations,
        compactor=compactor,
        workflows=stores.workflows,
        search=stores.search,
        keys=stores.keys,
        telemetry=telemetry,
        agents=roster,
        max_handoffs=settings.max_handoffs,
        modes=_mode_cards(assistant),
        caches=caches,
        clock=now,
        new_id=_new_id,
        fellows=_fellows(settings, stores, seat) if seat else None,
    )


def _fellows(settings: Settings, stores: Stores, seat: Seat) -> Fellows:
    def owners() -> dict[int, str]:
        numbered = {owner: seat.number_of(owner) for owner in running_owners(settings.data_dir)}
        return {number: owner for owner, number in numbered.items() if number not in (None, seat.number)}

    return Fellows(seat.number, owners, stores.others)


def _runner(
    settings: Settings,
    stores: Stores,
    assistant: Assistant,
    models: Models,
    roster: Roster,
    compactor: Compactor,
    counters: TokenCounters,
) -> Runner:
    def cached_outline(workflow: Workflow) -> str:
        # The time tells a workflow from another that had its id before.
        key = CacheKey(settings.tenant, workflow.id, (workflow.version, workflow.updated_at))
        return stores.caches.contexts.get_or_load(key, lambda: outline(workflow))

    return Runner(
        assistant=assistant,
        context=ContextManager(max_turns=settings.max_history_turns, rendered_of=stores.caches.rendered_of),
        gathering=gathering_of(settings, stores.conversations, models),
        compactor=compactor,
        models=models,
        roster=roster,
        counters=counters,
        workflows=stores.workflows,
        search=stores.search,
        memory=stores.memory,
        sandbox=sandbox_of(settings),
        blob=stores.conversations.blob,
        find=stores.conversations.find,
        sealed=stores.conversations.sealed,
        outline=cached_outline,
        cache_stats=stores.caches.totals,
        limits=RunLimits(
            timeout_seconds=settings.run_timeout_seconds,
            reserve_tokens=settings.reply_reserve_tokens,
            max_handoffs=settings.max_handoffs,
        ),
        now=now,
    )


def _attaching(settings: Settings, stores: Stores) -> Attaching:
    limits = DocumentLimits(settings.max_attachment_bytes, settings.max_attachment_chars)
    return Attaching(stores.conversations, limits, settings.max_attachments)


def _mode_cards(assistant: Assistant) -> tuple[ModeCard, ...]:
    return tuple(
        ModeCard(
            name=mode, tools=tuple(sorted(assistant.offer.names(mode))),
            prompt_chars=len(assistant.prompts[mode]), is_read_only=mode in READ_ONLY_MODES,
        )
        for mode in MODES
    )  # fmt: skip


def models_of(settings: Settings, roster: Roster) -> Models:
    """Return the models that the settings and the agents name.

    Raises:
        Misconfigured: One of them cannot be used.
    """
    provider = Provider(
        base_url=settings.model_base_url,
        api_key=settings.model_api_key.get_secret_value() if settings.model_api_key else None,
        timeout_seconds=settings.model_timeout_seconds,
        max_retries=settings.model_attempts - 1,
    )

    def offline() -> Model:
        return OfflineModel()

    by_name = {OFFLINE: offline()}
    named = (agent.model for agent in roster.values())
    for name in (settings.fallback_model, settings.model, *named):
        if name is not None and name not in by_name:
            by_name[name] = build_model(name, provider, offline)
    fallback = by_name[settings.fallback_model] if settings.fallback_model else None
    by_name[settings.model] = with_fallback(by_name[settings.model], fallback)
    configs = [model_config_of(settings, name) for name in by_name]
    aside = {name for config in configs for name in (config.context_planner, config.summarizer)} - {OFFLINE}
    return Models(
        settings.model, by_name, window_tokens=settings.model_window_tokens,
        aside={name: by_name.get(name) or build_model(name, provider, offline) for name in sorted(aside)},
    )  # fmt: skip


def _new_id(prefix: str) -> str:
    return f"{prefix}_{secrets.token_hex(6)}"
