"""The stores of a data directory, and the caches in front of them."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pydantic_ai import Embedder, UserError

from workflow_agent.assistant.window.past_turns import Rendered
from workflow_agent.conversations.idempotency import IdempotencyKeys
from workflow_agent.conversations.memory.person import PersonMemory
from workflow_agent.conversations.memory.references import ReadKnown, WorkflowMemory
from workflow_agent.conversations.quotas import UsageCounter
from workflow_agent.conversations.seals import SealRule
from workflow_agent.conversations.store import ConversationStore, OtherProcesses, Owners, RunJournal
from workflow_agent.errors import Misconfigured, StorageFailed
from workflow_agent.main.process import now
from workflow_agent.settings import Settings
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.journals import JsonlRunJournal
from workflow_agent.storage.files.memories import JsonPersonMemory, JsonWorkflowMemory
from workflow_agent.storage.files.owners import ProcessOwners, running_owners
from workflow_agent.storage.files.records import FileUsageCounter, JsonIdempotencyKeys, JsonRecords
from workflow_agent.storage.files.search.index import SqliteWorkflowSearch
from workflow_agent.storage.files.search.meaning import SearchByMeaning
from workflow_agent.storage.files.sockets import Answer, ProcessSockets
from workflow_agent.storage.files.verification.directory import Sweeper
from workflow_agent.storage.files.workflows import JsonWorkflowCatalog
from workflow_agent.values.caches import CacheKey, TtlCache
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.store import Records, WorkflowCatalog, WorkflowSearch

if TYPE_CHECKING:
    from workflow_agent.storage.redis import Redis


def embedder_of(settings: Settings) -> Embedder | None:
    """Return the embedder; None if no embedding model is named."""
    name = settings.embedding_model
    if name is None:
        return None
    try:
        return Embedder(name)
    except (UserError, ImportError, ValueError) as error:
        raise Misconfigured(f"Embedding model {name[:100]!r} cannot be used: {error}") from error


SECONDS_AN_HOUR = 3_600
_MOST_RENDERED = 32
"""Conversations whose earlier turns are kept as the model reads them: each takes 100 to 200 kB."""


@dataclass(frozen=True, slots=True)
class Caches:
    """Values that are costly to compute."""

    specs: TtlCache[Workflow]
    contexts: TtlCache[str]
    turns: TtlCache[Rendered]
    """Earlier turns as the model reads them, by conversation."""

    def rendered_of(self, tenant: str, conversation_id: str, how: Hashable) -> Rendered:
        """Return the earlier turns of a conversation as they were rendered for its windows before."""
        return self.turns.get_or_load(CacheKey(tenant, conversation_id, how), dict)

    def statistics(self) -> dict[str, JsonObject]:
        """Return the statistics of each cache."""
        named: dict[str, TtlCache[Any]] = {"specs": self.specs, "contexts": self.contexts, "turns": self.turns}
        return {name: cache.statistics().as_dict() for name, cache in named.items()}


class OpenedSearch(WorkflowSearch, Protocol):
    """A search that holds files open."""

    def close(self) -> None:
        """Close every file."""
        ...


class SeededCatalog(WorkflowCatalog, Protocol):
    """A catalogue whose new tenants can be given workflows."""

    async def seed(self, tenant: str, documents: Iterable[JsonObject]) -> int:
        """Give a tenant that never had a workflow these; return how many, all or none."""
        ...


class SettledMemory(WorkflowMemory, Protocol):
    """A memory that may delay storing repetitions."""

    async def settle(self) -> None:
        """Store what is not stored yet."""
        ...


class AnsweringProcesses(OtherProcesses, Protocol):
    """The other server processes, which ask this one too."""

    async def listen(self, answer: Answer) -> None:
        """Answer other processes from here on."""
        ...

    async def close(self, grace_seconds: float = 0.0) -> None:
        """Stop asking and answering; questions already asked get this grace period."""
        ...


class Presence(Owners, Protocol):
    """This process among the others on the same data."""

    def close(self) -> None:
        """Stop counting as alive."""
        ...


@dataclass(frozen=True, slots=True)
class Upkeep:
    """The maintenance of the stores."""

    open: Callable[[Callable[[], None]], Awaitable[None]]
    """Begins to be alive; what it is given is called when this process has lost its runs to others."""
    sweep: Callable[[], Awaitable[int]]
    """Clears leftovers away; returns how many."""
    periodically: Callable[[str, float, Callable[[], Awaitable[int]]], Awaitable[int | None]]
    """Does what comes round, by name and seconds, if it is due; None where it is not, or another host's."""
    check: Callable[[], Awaitable[None]]
    """Raises StorageFailed where nothing can be stored."""
    close: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Stores:
    """All stores of a process."""

    conversations: ConversationStore
    compacting: Callable[[str, str], AbstractAsyncContextManager[None]]
    """Keeps other processes from compacting a conversation."""
    journal: RunJournal
    workflows: SeededCatalog
    search: OpenedSearch
    memory: SettledMemory
    people: PersonMemory
    keys_of: Callable[[str], IdempotencyKeys]
    """Returns the idempotency keys of a tenant."""
    records_of: Callable[[str], Records]
    """Returns what keeps the small documents of a tenant."""
    owners: Presence
    running_owners: Callable[[], Iterable[str]]
    """The server processes that are alive."""
    others: AnsweringProcesses
    caches: Caches
    upkeep: Upkeep
    usage: UsageCounter
    """Counts what tenants use."""
    read_known: ReadKnown | None = None
    """Answers for both memories of a user at once."""


def stores_in_files(settings: Settings, new_owner: Callable[[], str]) -> Stores:
    """Return the stores of a server process and register it as alive."""
    files, caches = DurableFiles(settings.data_dir), caches_of(settings)
    conversations = JsonConversationStore(files, seal=SealRule(above_bytes=settings.seal_above_bytes))
    workflows = JsonWorkflowCatalog(files, caches.specs, now=now, fences=conversations)
    owners = _owners(settings.data_dir, new_owner())
    return Stores(
        conversations=conversations,
        compacting=conversations.compacting,
        journal=JsonlRunJournal(settings.data_dir),
        workflows=workflows,
        search=search_of(settings, workflows, settings.data_dir),
        memory=JsonWorkflowMemory(files, most=settings.max_remembered_references),
        people=JsonPersonMemory(files),
        keys_of=partial(JsonIdempotencyKeys, files, kept_seconds=settings.idempotency_kept_hours * SECONDS_AN_HOUR),
        records_of=partial(JsonRecords, files),
        owners=owners,
        running_owners=partial(running_owners, settings.data_dir),
        others=ProcessSockets(settings.data_dir, owners.owner),
        caches=caches,
        usage=usage_counter_of(settings),
        upkeep=_upkeep_of_files(files, {one: Sweeper(files, one) for one in settings.served_tenants}, owners),
    )


def _upkeep_of_files(files: DurableFiles, sweepers: Mapping[str, Sweeper], owners: ProcessOwners) -> Upkeep:
    async def begin(_: Callable[[], None]) -> None:
        for tenant, conversation_id in await owners.abandoned():
            if tenant in sweepers:
                sweepers[tenant].add([conversation_id])

    def sweep() -> int:
        return sum(one.sweep() for one in sweepers.values())

    async def close() -> None:
        return

    return Upkeep(
        open=begin,
        sweep=partial(asyncio.to_thread, sweep),
        periodically=_every_process(),
        check=partial(asyncio.to_thread, files.probe),
        close=close,
    )


def _every_process() -> Callable[[str, float, Callable[[], Awaitable[int]]], Awaitable[int | None]]:
    """Return a runner of periodic work by this process's clock: sweeping files twice does no harm."""
    done_at: dict[str, float] = {}

    async def periodically(name: str, every_seconds: float, work: Callable[[], Awaitable[int]]) -> int | None:
        if time.monotonic() < done_at.setdefault(name, time.monotonic()) + every_seconds:
            return None
        done_at[name] = time.monotonic()
        return await work()

    return periodically


def usage_counter_of(settings: Settings) -> UsageCounter:
    """Return the counter for tenants' limits: shared through Redis if there is one, else per machine."""
    near, redis = FileUsageCounter(settings.data_dir), redis_of(settings)
    return redis.usage_counter(near) if redis else near


def redis_of(settings: Settings) -> "Redis | None":
    """Return the Redis that the settings name."""
    if settings.redis_url is None:
        return None
    try:
        # Here, because its package is an extra.
        from workflow_agent.storage.redis import Redis  # noqa: PLC0415 - see above
    except ImportError as error:
        raise Misconfigured(f"Redis needs more packages ({error}): pip install 'workflow-agent[redis]'.") from error
    return Redis(settings.redis_url.get_secret_value())


def _owners(root: Path, owner: str) -> ProcessOwners:
    try:
        return ProcessOwners(root, owner)
    except StorageFailed as error:
        # It is the first thing that is written, and names a file below a directory that it does not name.
        raise StorageFailed(
            f"The data directory {str(root.absolute())!r} cannot be used. {error.message} "
            "`workflow-agent doctor` looks it over.",
            **error.details,
        ) from error


def search_of(settings: Settings, workflows: WorkflowCatalog, root: Path | None) -> OpenedSearch:
    """Return the search over a catalogue, its index below a folder or in memory."""
    by_words = SqliteWorkflowSearch(workflows, root=root)
    embedder = embedder_of(settings)
    if embedder is None or settings.embedding_model is None:
        return by_words
    return SearchByMeaning(by_words, workflows, embedder, settings.embedding_model, settings.data_dir)


def caches_of(settings: Settings) -> Caches:
    """Return new caches."""
    return Caches(cache_of(settings), cache_of(settings), turns=cache_of(settings, _MOST_RENDERED))


def cache_of(settings: Settings, most: int | None = None) -> TtlCache[Any]:
    """Return a new cache of as many entries as the settings allow, and at most so many."""
    entries = settings.cache_max_entries if settings.caches_enabled else 0
    return TtlCache(max_entries=entries if most is None else min(entries, most), ttl_seconds=settings.cache_ttl_seconds)
