"""Builds the service: the only place where collaborators are created and connected."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

from workflow_agent.api.app import create_app
from workflow_agent.api.dependencies import ModeCard, Services
from workflow_agent.assistant.assistant import Assistant, build_assistant
from workflow_agent.assistant.attachments import Attaching
from workflow_agent.assistant.compaction.policy import CompactionRule
from workflow_agent.assistant.compaction.service import Compactor
from workflow_agent.assistant.compaction.summarizer import Summarizer
from workflow_agent.assistant.context import READ_ONLY_MODES
from workflow_agent.assistant.documents import DocumentLimits
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.assistant.prompts import read_phase_prompts, read_prompt, read_prompts
from workflow_agent.assistant.providers import Models
from workflow_agent.assistant.requests import RunLimits
from workflow_agent.assistant.sandbox import PythonSandbox, SandboxLimits
from workflow_agent.assistant.turns.followers import Joining, RunsElsewhere
from workflow_agent.assistant.turns.live import LiveRuns
from workflow_agent.assistant.turns.run import Runner
from workflow_agent.assistant.turns.service import Chat
from workflow_agent.assistant.turns.takeover import Takeover
from workflow_agent.assistant.turns.work import Worker
from workflow_agent.assistant.window.contents import Blobs, SealedResults
from workflow_agent.assistant.window.context import ContextManager
from workflow_agent.assistant.window.counters import TokenCounters, counters_for
from workflow_agent.assistant.window.material import Gathering, GatheringLimits
from workflow_agent.assistant.window.plan import PlanningThresholds
from workflow_agent.assistant.window.planner import PlanningParts
from workflow_agent.conversations.agents import MODES, Roster
from workflow_agent.conversations.history import Find
from workflow_agent.conversations.memory.service import PersonalMemory
from workflow_agent.conversations.quotas import Quotas
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.main.application import Application, limits_of, own_parts
from workflow_agent.main.data import hosts_of
from workflow_agent.main.extensions import extensions_of, foreign_tools_of, model_config_of, models_of, roster_of
from workflow_agent.main.process import new_id, now, resources
from workflow_agent.main.stores import Stores, cache_of, embedder_of, stores_in_files
from workflow_agent.main.workers import WorkerSlot
from workflow_agent.settings import OtlpTargets, Settings
from workflow_agent.storage.files.owners import new_owner_id
from workflow_agent.storage.files.search.meaning import MessagesByMeaning
from workflow_agent.storage.files.search.vectors import PassagesByMeaning, ranked_by_bm25
from workflow_agent.telemetry.providers import Telemetry, TelemetryOptions, build_telemetry
from workflow_agent.telemetry.sums import OtherWorkers
from workflow_agent.values.caches import SummaryCache, count_lookups
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.store import WorkflowCatalog


def gathering_of(settings: Settings, store: ConversationStore, workflows: WorkflowCatalog, models: Models) -> Gathering:
    """Return what gathers and plans artifacts."""
    embedder = embedder_of(settings)
    configs = {name: model_config_of(settings, name) for name in models.by_name}
    return Gathering(
        Blobs(store),
        PlanningParts(
            plan_prompt=read_prompt(resources("prompts"), "plan"),
            summary_prompt=read_prompt(resources("prompts"), "artifact_summary"),
            rank=ranked_by_bm25,
            summaries=SummaryCache(cache_of(settings)),
            rank_by_meaning=PassagesByMeaning(embedder) if embedder else None,
            timeout_seconds=settings.planning_timeout_seconds,
            plans=cache_of(settings),
            extracts=cache_of(settings),
        ),
        config_of=lambda name: configs.get(name) or model_config_of(settings, name),
        models=models.aside,
        thresholds=PlanningThresholds(
            few_chars=settings.planning_few_chars,
            large_chars=settings.planning_large_chars,
            buffer=settings.planning_buffer,
            expensive_usd_per_token=settings.planning_expensive_usd_per_token,
        ),
        limits=GatheringLimits(share=settings.artifact_window_share),
        workflows=workflows,
        sealed=SealedResults(store),
    )


def compactor_of(
    settings: Settings, stores: Stores, models: Models, telemetry: Telemetry, counters: TokenCounters
) -> Compactor:
    """Return what compacts the conversations."""
    name = model_config_of(settings, models.default).summarizer
    summarizer = Summarizer(
        models.aside.get(name) or models.named(None),
        read_prompt(resources("prompts"), "summary"),
        timeout_seconds=settings.summarizer_timeout_seconds,
        window_tokens=models.window_tokens,
        instrumentation=telemetry.instrumentation,
    )
    rule = CompactionRule(settings.max_turns, settings.compaction_trigger_share, settings.compaction_share)
    return Compactor(
        stores.conversations,
        summarizer,
        rule,
        telemetry,
        now,
        new_id,
        stores.compacting,
        count=lambda: counters.of(models.named(None)).count,
        share=settings.compaction_kept_share,
    )


def sandbox_of(settings: Settings) -> PythonSandbox:
    """Return the interpreter with the limits that the settings say; it starts with its first program."""
    return PythonSandbox(
        SandboxLimits(
            duration_seconds=settings.program_seconds,
            memory_bytes=settings.program_memory_bytes,
            recursion_depth=settings.program_recursion_depth,
            sleep_seconds=settings.program_sleep_seconds,
            output_chars=settings.program_output_chars,
            suspensions=settings.program_calls,
            processes=settings.program_processes,
        )
    )


def telemetry_of(settings: Settings) -> Telemetry:
    """Return the telemetry that the settings and the standard variables describe."""
    targets = OtlpTargets()
    return build_telemetry(
        TelemetryOptions(
            export_spans=targets.takes_spans,
            export_metrics=targets.takes_metrics,
            include_content=settings.spans_with_content,
        )
    )


def build(
    settings: Settings,
    models: Models | None = None,
    telemetry: Telemetry | None = None,
    slot: WorkerSlot | None = None,
    *,
    takes_over: bool = True,
) -> Application:
    """Return the service that the settings describe; the other arguments replace parts of it.

    Args:
        settings: What an operator can change.
        models: In place of those that the settings name.
        telemetry: In place of that of the environment.
        slot: Which of several workers this process is; None where it serves alone.
        takes_over: Whether runs of dead processes are gone on with, by this process or another. Where nobody
            does, the next message to their conversation marks them interrupted.

    Raises:
        Misconfigured: A model, its key, a prompt or the agents file cannot be used.
    """
    telemetry = telemetry or telemetry_of(settings)
    extensions = extensions_of(settings)
    assistant = build_assistant(
        read_prompts(resources("prompts")),
        phases=read_phase_prompts(resources("prompts") / "phases"),
        tool_timeout_seconds=settings.tool_timeout_seconds,
        layout=settings.prompt_layout,
        instrumentation=telemetry.instrumentation,
        foreign=foreign_tools_of(settings),
        own_tools=extensions.tools,
        own_writing=extensions.writing,
    )
    roster = roster_of(settings)
    chosen = models or models_of(settings, roster)
    new_owner = slot.new_owner_id if slot else new_owner_id
    is_in_files = settings.database_url is None
    stores = stores_in_files(settings, new_owner) if is_in_files else hosts_of(settings).stores(new_owner)
    quotas = Quotas(partial(limits_of, settings), stores.usage, now, new_id, stores.owners.running)
    embedder = embedder_of(settings)
    meaning = MessagesByMeaning(stores.conversations, embedder, quotas.spend) if embedder else None
    find = meaning.find if meaning else stores.conversations.find
    runner = _runner(settings, stores, assistant, chosen, roster, quotas, telemetry, find)
    services = _services(settings, stores, runner, telemetry, slot, quotas, takes_over=takes_over)
    app = create_app(services, settings)

    def worker_of(tenant: str) -> Worker:
        return services.of_tenant(tenant).chat.worker

    takeover = Takeover(stores.conversations, worker_of, stores.owners, services.chat.worker.live, now)
    return Application(app, services, stores, settings, _rules_of(chosen), takeover, meaning)


def _rules_of(models: Models) -> list[Callable[[], None]]:
    """Return the loaders of the offline model's rules, if that model answers."""
    answering = models.by_name[models.default]
    return [answering.read_rules] if isinstance(answering, OfflineModel) else []


def _services(
    settings: Settings,
    stores: Stores,
    runner: Runner,
    telemetry: Telemetry,
    slot: WorkerSlot | None,
    quotas: Quotas,
    *,
    takes_over: bool,
) -> Services:
    live = LiveRuns(kept_seconds=settings.stream_kept_seconds)

    def caches() -> dict[str, JsonObject]:
        return {**stores.caches.statistics(), **runner.gathering.parts.statistics()}

    telemetry.metrics.observe(caches=caches, active_runs=lambda: len(live.running()))
    limits = DocumentLimits(settings.max_attachment_bytes, settings.max_attachment_chars)
    attaching = Attaching(stores.conversations, limits, settings.max_attachments)
    elsewhere = RunsElsewhere(stores.others, live)
    joining = Joining(stores.conversations, stores.owners, live, elsewhere, are_taken_over=takes_over)
    worker = Worker(
        stores.conversations,
        stores.journal,
        runner,
        stores.owners,
        telemetry,
        live,
        now,
        new_id,
        settings.inline_result_bytes,
        quotas=quotas,
    )
    chat = Chat(worker, attaching, joining)

    @cache
    def of_tenant(tenant: str) -> Services:
        own = own_parts(settings, stores, tenant)
        answering = replace(runner, approvals=own.approvals, outline=own.outline)
        return Services(
            tenant=tenant,
            chat=replace(chat, worker=replace(worker, runner=answering, webhooks=own.webhooks)),
            conversations=stores.conversations,
            find=runner.find,
            personal=runner.personal,
            compactor=runner.compactor,
            workflows=stores.workflows,
            search=stores.search,
            approvals=own.approvals,
            webhooks=own.webhooks,
            keys=stores.keys_of(tenant),
            telemetry=telemetry,
            models=runner.models,
            agents=runner.roster,
            max_handoffs=settings.max_handoffs,
            modes=_mode_cards(runner.assistant),
            caches=caches,
            clock=now,
            new_id=new_id,
            of_tenant=of_tenant,
            check_storage=stores.upkeep.check,
            other_workers=_other_workers(stores, slot) if slot else None,
        )

    return of_tenant(settings.tenant)


def _other_workers(stores: Stores, slot: WorkerSlot) -> OtherWorkers:
    def owners() -> dict[int, str]:
        numbered = {owner: slot.number_of(owner) for owner in stores.running_owners()}
        return {number: owner for owner, number in numbered.items() if number not in (None, slot.number)}

    return OtherWorkers(slot.number, owners, stores.others)


def _runner(
    settings: Settings,
    stores: Stores,
    assistant: Assistant,
    models: Models,
    roster: Roster,
    quotas: Quotas,
    telemetry: Telemetry,
    find: Find,
) -> Runner:
    """Return the runner that answers messages, with the default tenant's parts."""
    own = own_parts(settings, stores, settings.tenant)
    counters = counters_for(models.by_name.values())
    compactor = compactor_of(settings, stores, models, telemetry, counters)
    return Runner(
        assistant=assistant,
        context=ContextManager(max_turns=settings.max_history_turns, rendered_of=stores.caches.rendered_of),
        gathering=gathering_of(settings, stores.conversations, stores.workflows, models),
        compactor=replace(compactor, spent=quotas.spend),
        approvals=own.approvals,
        models=models,
        roster=roster,
        counters=counters,
        workflows=stores.workflows,
        search=stores.search,
        memory=stores.memory,
        personal=PersonalMemory(stores.people, stores.memory, stores.conversations, now, stores.read_known),
        sandbox=sandbox_of(settings),
        blob=stores.conversations.blob,
        find=find,
        sealed=stores.conversations.sealed,
        outline=own.outline,
        count_caches=count_lookups,
        limits=RunLimits(
            timeout_seconds=settings.run_timeout_seconds,
            reserve_tokens=settings.reply_reserve_tokens,
            max_handoffs=settings.max_handoffs,
        ),
        now=now,
    )


def _mode_cards(assistant: Assistant) -> tuple[ModeCard, ...]:
    return tuple(
        ModeCard(
            name=mode,
            tools=tuple(sorted(assistant.offer.names(mode))),
            prompt=assistant.modules.prompts[mode],
            is_read_only=mode in READ_ONLY_MODES,
        )
        for mode in MODES
    )
