"""The collaborators of the application; only `main` builds them."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from workflow_agent.assistant.compaction.service import Compactor
from workflow_agent.assistant.providers import Models
from workflow_agent.assistant.turns.service import Chat
from workflow_agent.conversations.agents import AgentProfile, Mode
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.history import Find, Past
from workflow_agent.conversations.idempotency import IdempotencyKeys
from workflow_agent.conversations.memory.service import PersonalMemory
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.telemetry.providers import Telemetry
from workflow_agent.telemetry.sums import OtherWorkers
from workflow_agent.values.stored import JsonObject
from workflow_agent.webhooks import Webhooks
from workflow_agent.workflows.approvals import Approvals
from workflow_agent.workflows.store import WorkflowCatalog, WorkflowSearch


@dataclass(frozen=True, slots=True)
class ModeCard:
    """A mode as the catalogue shows it."""

    name: Mode
    tools: tuple[str, ...]
    prompt: str
    is_read_only: bool


@dataclass(frozen=True, slots=True)
class Services:
    """The collaborators of the routes, for one tenant."""

    tenant: str
    chat: Chat
    conversations: ConversationStore
    find: Find
    """Finds messages, by meaning too where that is configured."""
    personal: PersonalMemory
    compactor: Compactor
    workflows: WorkflowCatalog
    search: WorkflowSearch
    approvals: Approvals
    webhooks: Webhooks
    keys: IdempotencyKeys
    telemetry: Telemetry
    models: Models
    agents: Mapping[str, AgentProfile]
    max_handoffs: int
    modes: tuple[ModeCard, ...]
    caches: Callable[[], Mapping[str, JsonObject]]
    """Reads the statistics of each cache."""
    clock: Callable[[], datetime]
    new_id: Callable[[str], str]
    """Makes an id from its prefix."""
    of_tenant: "Callable[[str], Services]"
    """Returns the same for a tenant: what all share, with what is a tenant's own."""
    check_storage: Callable[[], Awaitable[None]]
    """Raises StorageFailed where nothing can be stored."""
    other_workers: OtherWorkers | None = None
    """The other workers of the server; None where this process serves alone."""

    async def conversation(self, conversation_id: str) -> Conversation:
        """Return a conversation with its turns that are not sealed."""
        return await self.conversations.load(self.tenant, conversation_id)

    async def past(self, conversation_id: str) -> Past:
        """Return everything that was said and done in a conversation."""
        return Past(self.conversations, await self.conversation(conversation_id))
