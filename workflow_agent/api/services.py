"""What the application is made with; only `main` builds it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from workflow_agent.adapters.idempotency_files import JsonIdempotencyKeys
from workflow_agent.chat import Chat
from workflow_agent.domain.agents import AgentProfile
from workflow_agent.domain.modes import Mode
from workflow_agent.domain.values import JsonObject
from workflow_agent.ports import ConversationStore, WorkflowCatalog, WorkflowSearch
from workflow_agent.telemetry import RecentContexts


@dataclass(frozen=True, slots=True)
class ModeCard:
    """A mode as the catalogue shows it."""

    name: Mode
    tools: tuple[str, ...]
    prompt_chars: int
    is_read_only: bool


@dataclass(frozen=True, slots=True)
class Services:
    """The collaborators of the routes."""

    chat: Chat
    conversations: ConversationStore
    workflows: WorkflowCatalog
    search: WorkflowSearch
    keys: JsonIdempotencyKeys
    contexts: RecentContexts
    agents: Mapping[str, AgentProfile]
    modes: tuple[ModeCard, ...]
    caches: Callable[[], Mapping[str, JsonObject]]
    """Reads the statistics of each cache."""
    clock: Callable[[], datetime]
    new_id: Callable[[str], str]
    """Makes an id from its prefix."""
