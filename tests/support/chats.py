"""A whole chat in memory: the real turn protocol, agent and tools around a given model."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from pydantic_ai.models import Model

from workflow_agent.adapters.memory import InMemoryConversationStore, InMemoryWorkflowCatalog
from workflow_agent.agent.assistant import build_assistant
from workflow_agent.agent.models import Models
from workflow_agent.agent.prompts import read_prompts
from workflow_agent.chat import Chat, TurnOutcome, TurnRequest
from workflow_agent.chat.live import LiveRuns
from workflow_agent.chat.running import RunLimits, Runner
from workflow_agent.chat.work import Worker
from workflow_agent.context import ContextManager
from workflow_agent.domain.agents import ROSTER
from workflow_agent.domain.outline import outline
from workflow_agent.domain.workflow import Workflow
from workflow_agent.domain.workflow_parsing import parse_workflow
from workflow_agent.ports import Author, Change, ConversationStore, SearchAnswer, WorkflowHit
from workflow_agent.telemetry import RecentContexts

PROMPTS = Path(__file__).parents[2] / "prompts"
TENANT = "default"


class Clock:
    """A clock that goes on by a millisecond at each look."""

    def __init__(self) -> None:
        self._at = datetime(2026, 11, 21, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        self._at += timedelta(milliseconds=1)
        return self._at


@dataclass
class FakeOwners:
    """Owners of which the test decides who is alive."""

    owner: str = "this-process"
    dead: set[str] = field(default_factory=set)
    noted: list[tuple[str, str]] = field(default_factory=list)
    left_behind: list[tuple[str, str]] = field(default_factory=list)

    def is_alive(self, owner: str) -> bool:
        return owner not in self.dead

    def note(self, tenant: str, conversation_id: str) -> None:
        self.noted.append((tenant, conversation_id))

    def settle(self, tenant: str, conversation_id: str) -> None:
        self.noted.remove((tenant, conversation_id))

    def abandoned(self) -> Sequence[tuple[str, str]]:
        return self.left_behind

    def forget_abandoned(self) -> None:
        self.left_behind = []


@dataclass
class NameSearch:
    """Finds a workflow by a word of its name."""

    catalog: InMemoryWorkflowCatalog

    async def search(
        self, tenant: str, query: str, *, tag: str | None = None, trigger: str | None = None, limit: int = 10
    ) -> SearchAnswer:
        words = query.casefold().split()
        hits = [
            WorkflowHit(w.id, w.name, w.description, 1.0, ("exact_name",), ("name",))
            for w in await self.catalog.all(tenant)
            if all(word in w.name.casefold() for word in words)
        ]
        return SearchAnswer(tuple(hits[:limit]))


APPROVAL = parse_workflow(
    {
        "id": "wf_expense_approval",
        "name": "Expense approval",
        "steps": [
            {"id": "submit", "name": "Submit expense", "type": "human", "assignee": "employee"},
            {"id": "review", "name": "Manager review", "type": "human", "assignee": "manager"},
            {"id": "paid", "name": "Paid", "type": "end", "outcome": "ok"},
            {"id": "rejected", "name": "Rejected", "type": "end", "outcome": "rejected"},
        ],
        "transitions": [
            {"from": "submit", "to": "review"},
            {"from": "review", "to": "paid", "type": "condition", "when": {"text": "approved"}},
            {"from": "review", "to": "rejected", "type": "condition", "when": {"text": "rejected"}},
        ],
    }
)


@dataclass
class ChatUnderTest:
    """A chat and everything it keeps."""

    chat: Chat
    store: ConversationStore
    workflows: InMemoryWorkflowCatalog
    owners: FakeOwners

    async def say(self, message: str, **wanted: object) -> TurnOutcome:
        """Send a message and wait for its reply."""
        started = await self.chat.start(TENANT, TurnRequest(message, **wanted))  # type: ignore[arg-type]
        return await started.outcome()

    async def add(self, workflow: Workflow = APPROVAL) -> Workflow:
        """Put a workflow into the catalogue."""
        return await self.workflows.create(TENANT, workflow, Change(Author(), "created"))


def chat_with(
    model: Model,
    *,
    store: ConversationStore | None = None,
    owners: FakeOwners | None = None,
    timeout_seconds: float = 5.0,
    max_iterations: int = 10,
) -> ChatUnderTest:
    """Return a chat in memory that answers with a model."""
    now = Clock()
    numbers = count(1)
    conversations = store or InMemoryConversationStore()
    workflows = InMemoryWorkflowCatalog(now=now)
    live = LiveRuns()
    who = owners or FakeOwners()

    def new_id(prefix: str) -> str:
        return f"{prefix}_{next(numbers):06}"

    runner = Runner(
        assistant=build_assistant(read_prompts(PROMPTS), tool_timeout_seconds=5.0),
        context=ContextManager(),
        models=Models("scripted", {"scripted": model}, window_tokens=32_000),
        workflows=workflows,
        search=NameSearch(workflows),
        outline=outline,
        cache_stats=dict,
        limits=RunLimits(timeout_seconds=timeout_seconds, reserve_tokens=2_000),
        now=now,
    )
    worker = Worker(conversations, runner, who, RecentContexts(), live, now, new_id)
    roster = {
        name: agent.model_copy(update={"max_iterations": max_iterations}) for name, agent in ROSTER.items()
    }
    chat = Chat(conversations, worker, roster, who, live, now, new_id)
    return ChatUnderTest(chat, conversations, workflows, who)
