"""Whatever keeps something in a data directory, and the caches in front of it."""

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from workflow_agent.adapters.durable_files import DurableFiles
from workflow_agent.adapters.idempotency_files import JsonIdempotencyKeys
from workflow_agent.adapters.json_conversations import JsonConversationStore
from workflow_agent.adapters.json_workflows import JsonWorkflowCatalog
from workflow_agent.adapters.process_owners import ProcessOwners, new_owner_id
from workflow_agent.adapters.process_sockets import ProcessSockets
from workflow_agent.adapters.search.index import SqliteWorkflowSearch
from workflow_agent.adapters.ttl_cache import CacheKey, TtlCache
from workflow_agent.adapters.workflow_memories import JsonWorkflowMemory
from workflow_agent.agent.past_turns import Rendered
from workflow_agent.chat.contents import ReadReplies
from workflow_agent.domain.errors import StorageFailed
from workflow_agent.domain.sealing import SealRule
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Workflow
from workflow_agent.main.clock import now
from workflow_agent.main.embedding import embedder_of
from workflow_agent.main.seats import Seat
from workflow_agent.ports import WorkflowSearch
from workflow_agent.settings import Settings

_SECONDS_AN_HOUR = 3_600


@dataclass(frozen=True, slots=True)
class Caches:
    """What is kept because it is costly to make."""

    specs: TtlCache[Workflow]
    contexts: TtlCache[str]
    turns: TtlCache[Rendered]
    """Earlier turns as the model reads them, by conversation."""

    replies: TtlCache[ReadReplies]
    """The latest replies with their tool results, by conversation."""

    def replies_read(self, tenant: str, conversation_id: str) -> ReadReplies:
        """Return the latest replies of a conversation as its windows read them before."""
        return self.replies.get_or_load(CacheKey(tenant, conversation_id, None), ReadReplies)

    def rendered_of(self, tenant: str, conversation_id: str, how: Hashable) -> Rendered:
        """Return the earlier turns of a conversation as they were rendered for its windows before."""
        return self.turns.get_or_load(CacheKey(tenant, conversation_id, how), dict)

    def statistics(self) -> dict[str, JsonObject]:
        """Return the statistics of each cache."""
        return {name: cache.statistics().as_dict() for name, cache in self._by_name().items()}

    def totals(self) -> JsonObject:
        """Return hits and misses of all caches together, for the record of a turn."""
        counted = [cache.statistics() for cache in self._by_name().values()]
        return {"hits": sum(one.hits for one in counted), "misses": sum(one.misses for one in counted)}

    def _by_name(self) -> dict[str, TtlCache[Any]]:
        return {"specs": self.specs, "contexts": self.contexts, "turns": self.turns, "replies": self.replies}


class OpenedSearch(WorkflowSearch, Protocol):
    """A search that holds files open."""

    def close(self) -> None:
        """Close every file."""
        ...


@dataclass(frozen=True, slots=True)
class Stores:
    """Whatever keeps something."""

    files: DurableFiles
    conversations: JsonConversationStore
    workflows: JsonWorkflowCatalog
    search: OpenedSearch
    memory: JsonWorkflowMemory
    keys: JsonIdempotencyKeys
    owners: ProcessOwners
    others: ProcessSockets
    caches: Caches


def build_stores(settings: Settings, seat: Seat | None = None) -> Stores:
    """Return the stores of a server process, which is on record as alive from here on."""
    files = DurableFiles(settings.data_dir)
    specs, contexts, turns, replies = (_cache(settings) for _ in range(4))
    caches = Caches(specs, contexts, turns, replies)
    workflows = JsonWorkflowCatalog(files, caches.specs, now=now)
    owners = _owners(settings.data_dir, seat.new_owner_id() if seat else new_owner_id())
    return Stores(
        files=files,
        conversations=JsonConversationStore(files, seal=SealRule(above_bytes=settings.seal_above_bytes)),
        workflows=workflows,
        search=_search(settings, workflows),
        memory=JsonWorkflowMemory(files, most=settings.max_remembered_references),
        keys=JsonIdempotencyKeys(files, settings.idempotency_kept_hours * _SECONDS_AN_HOUR),
        owners=owners,
        others=ProcessSockets(settings.data_dir, owners.owner),
        caches=caches,
    )


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


def _search(settings: Settings, workflows: JsonWorkflowCatalog) -> OpenedSearch:
    by_words = SqliteWorkflowSearch(workflows, root=settings.data_dir)
    embedder = embedder_of(settings)
    if embedder is None or settings.embedding_model is None:
        return by_words
    # Here, because most servers and all commands on the files do without, and it takes a while.
    from workflow_agent.adapters.search.meaning import SearchByMeaning  # noqa: PLC0415 - see above

    return SearchByMeaning(by_words, workflows, embedder, settings.embedding_model, settings.data_dir)


def _cache(settings: Settings) -> TtlCache[Any]:
    entries = settings.cache_max_entries if settings.caches_enabled else 0
    return TtlCache(max_entries=entries, ttl_seconds=settings.cache_ttl_seconds)
