"""A whole chat in memory: the real turn protocol, agent and tools around a given model."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from pydantic_ai.models import Model

from tests.support.in_memory import (
    InMemoryConversationStore,
    InMemoryPersonMemory,
    InMemoryRunJournal,
    InMemoryWorkflowCatalog,
    InMemoryWorkflowMemory,
)
from tests.support.records import approvals_over
from workflow_agent.assistant.assistant import build_assistant
from workflow_agent.assistant.attachments import Attaching
from workflow_agent.assistant.compaction.policy import CompactionRule
from workflow_agent.assistant.compaction.service import Compactor
from workflow_agent.assistant.compaction.summarizer import Summarizer
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.assistant.prompts import read_phase_prompts, read_prompt, read_prompts
from workflow_agent.assistant.providers import OFFLINE, ModelConfig, Models
from workflow_agent.assistant.requests import RunLimits, TurnOutcome, TurnRequest
from workflow_agent.assistant.sandbox import PythonSandbox
from workflow_agent.assistant.turns.followers import Joining, RunsElsewhere, answer_about
from workflow_agent.assistant.turns.live import LiveRuns
from workflow_agent.assistant.turns.run import Runner
from workflow_agent.assistant.turns.service import Chat
from workflow_agent.assistant.turns.work import Worker
from workflow_agent.assistant.window.contents import INLINE_BYTES, Blobs
from workflow_agent.assistant.window.context import ContextManager
from workflow_agent.assistant.window.counters import TokenCounters
from workflow_agent.assistant.window.layout import PromptLayout
from workflow_agent.assistant.window.material import Gathering
from workflow_agent.assistant.window.planner import PlanningParts
from workflow_agent.conversations.agents import ROSTER, Roster
from workflow_agent.conversations.memory.references import WorkflowMemory
from workflow_agent.conversations.memory.service import PersonalMemory
from workflow_agent.conversations.store import ConversationStore, OtherProcesses, ProcessGone, RunJournal
from workflow_agent.storage.files.search.vectors import ranked_by_bm25
from workflow_agent.telemetry.providers import Telemetry, build_telemetry
from workflow_agent.values.caches import SummaryCache, TtlCache, count_lookups
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow, outline
from workflow_agent.workflows.store import ANY_WORKFLOW, Author, Change, SearchAnswer, WorkflowFilters, WorkflowHit

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
    seen: dict[str, datetime] = field(default_factory=dict)
    beats: int = 0
    left_behind: list[tuple[str, str]] = field(default_factory=list)

    def is_alive(self, owner: str) -> bool:
        return owner not in self.dead

    async def last_seen(self, owner: str) -> datetime | None:
        return self.seen.get(owner)

    def was_lost_with(self, owner: str) -> bool:
        return False

    def beat(self) -> None:
        self.beats += 1

    def note(self, tenant: str, conversation_id: str) -> None:
        self.noted.append((tenant, conversation_id))

    def settle(self, tenant: str, conversation_id: str) -> None:
        self.noted.remove((tenant, conversation_id))

    async def running(self, tenant: str) -> int:
        return sum(of == tenant for of, _ in self.noted)

    async def abandoned(self) -> Sequence[tuple[str, str]]:
        return self.left_behind

    def report(self, tenant: str, conversation_id: str) -> None:
        self.left_behind = [*self.left_behind, (tenant, conversation_id)]

    async def working_on(self) -> None:
        return None

    async def forget_abandoned(self) -> None:
        self.left_behind = []


@dataclass
class FakeProcesses:
    """Other processes of which the test decides who answers what; whoever is not given is gone."""

    runs: dict[str, LiveRuns] = field(default_factory=dict)
    """By owner."""
    dies_after: int | None = None
    """How many pieces of an answer come before the process ends."""

    async def answers(self, owner: str, question: JsonObject) -> AsyncGenerator[JsonObject]:
        if owner not in self.runs:
            raise ProcessGone(owner)
        told = 0
        async for piece in answer_about(self.runs[owner], question):
            yield piece
            told += 1
            if told == self.dies_after:
                raise ProcessGone(owner)


@dataclass
class NameSearch:
    """Finds a workflow by a word of its name."""

    catalog: InMemoryWorkflowCatalog

    async def search(
        self, tenant: str, query: str, filters: WorkflowFilters = ANY_WORKFLOW, *, limit: int = 10
    ) -> SearchAnswer:
        role, step_type, among = filters.role, filters.step_type, filters.among
        known = WorkflowFilters(role=role, step_type=step_type, among=among)
        assert filters == known, "this fake knows no other filters"
        words = query.casefold().split()
        hits = [
            WorkflowHit(w.id, w.name, w.description, 1.0, ("exact_name",), ("name",))
            for w in await self.catalog.all(tenant)
            if all(word in w.name.casefold() for word in words)
            and (role is None or role in {step.assignee for step in w.steps})
            and (step_type is None or step_type in {step.type for step in w.steps})
            and (among is None or w.id in among)
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
    telemetry: Telemetry
    sandbox: PythonSandbox
    compactor: Compactor

    async def say(self, message: str, **wanted: object) -> TurnOutcome:
        """Send a message and wait for its reply."""
        started = await self.chat.start(TENANT, TurnRequest(message, **wanted))
        return await started.outcome()

    async def add(self, workflow: Workflow = APPROVAL) -> Workflow:
        """Put a workflow into the catalogue."""
        return await self.workflows.create(TENANT, workflow, Change(Author(), "created"))


def offline_gathering(store: ConversationStore) -> Gathering:
    """Return what gathers artifacts, planning offline: the script of the model is for the agent alone."""
    return Gathering(
        Blobs(store),
        PlanningParts("Plan.", "Summarize.", ranked_by_bm25, SummaryCache(TtlCache(max_entries=100, ttl_seconds=60))),
        config_of=lambda name: ModelConfig(primary=name, context_planner=None, summarizer=OFFLINE),
        models={OFFLINE: OfflineModel()},
    )


def chat_with(
    model: Model,
    *,
    store: ConversationStore | None = None,
    memory: WorkflowMemory | None = None,
    owners: FakeOwners | None = None,
    timeout_seconds: float = 5.0,
    max_iterations: int | None = None,
    roster: Roster = ROSTER,
    inline_bytes: int = INLINE_BYTES,
    telemetry: Telemetry | None = None,
    sandbox: PythonSandbox | None = None,
    journal: RunJournal | None = None,
    layout: PromptLayout = "auto",
    gathering: Gathering | None = None,
    summarizer: Model | None = None,
    summary_timeout_seconds: float = 30.0,
    rule: CompactionRule | None = None,
    others: OtherProcesses | None = None,
) -> ChatUnderTest:
    """Return a chat in memory that answers with a model."""
    now = Clock()
    numbers = count(1)
    conversations = store or InMemoryConversationStore()
    workflows = InMemoryWorkflowCatalog(now=now, fences=conversations)
    live = LiveRuns()
    who = owners or FakeOwners()
    observed = telemetry or build_telemetry()

    def new_id(prefix: str) -> str:
        return f"{prefix}_{next(numbers):06}"

    sandbox = sandbox or PythonSandbox()
    compactor = Compactor(
        conversations,
        Summarizer(
            summarizer or OfflineModel(),
            read_prompt(PROMPTS, "summary"),
            timeout_seconds=summary_timeout_seconds,
            window_tokens=32_000,
            instrumentation=observed.instrumentation,
        ),
        rule or CompactionRule(),
        observed,
        now,
        new_id,
        lambda *_: nullcontext(),
    )
    if max_iterations is not None:
        limit = {"max_iterations": max_iterations}
        roster = {name: agent.model_copy(update=limit) for name, agent in roster.items()}
    runner = Runner(
        assistant=build_assistant(
            read_prompts(PROMPTS),
            phases=read_phase_prompts(PROMPTS / "phases"),
            tool_timeout_seconds=5.0,
            layout=layout,
            instrumentation=observed.instrumentation,
        ),
        context=ContextManager(),
        gathering=gathering or offline_gathering(conversations),
        compactor=compactor,
        approvals=approvals_over(workflows, now),
        models=Models("scripted", {"scripted": model}, window_tokens=32_000),
        roster=roster,
        counters=TokenCounters(),
        workflows=workflows,
        search=NameSearch(workflows),
        memory=(remembered := memory or InMemoryWorkflowMemory()),
        personal=PersonalMemory(InMemoryPersonMemory(), remembered, conversations, now),
        sandbox=sandbox,
        blob=conversations.blob,
        find=conversations.find,
        sealed=conversations.sealed,
        outline=outline,
        count_caches=count_lookups,
        limits=RunLimits(timeout_seconds=timeout_seconds, reserve_tokens=2_000),
        now=now,
    )
    worker = Worker(
        conversations, journal or InMemoryRunJournal(), runner, who, observed, live, now, new_id, inline_bytes
    )
    joining = Joining(conversations, who, live, RunsElsewhere(others or FakeProcesses(), live))
    chat = Chat(worker, Attaching(conversations), joining)
    return ChatUnderTest(chat, conversations, workflows, who, observed, sandbox, compactor)
