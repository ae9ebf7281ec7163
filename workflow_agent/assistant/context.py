"""What tools and instructions of a run can reach, `RunContext[WorkflowContext]`, and what it learns of workflows."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any

from workflow_agent.assistant.record import Evidence
from workflow_agent.assistant.sandbox import PythonSandbox
from workflow_agent.conversations.agents import AgentProfile, Mode, Roster
from workflow_agent.conversations.archive import Position
from workflow_agent.conversations.document import (
    WRITES,
    Conversation,
    ModeRecord,
    Phase,
    Relation,
    WorkflowReference,
    WorkflowTouch,
)
from workflow_agent.conversations.memory.aliases import aliases_from_name, distinct, name_given_in
from workflow_agent.conversations.memory.references import HIGH_CONFIDENCE, known_workflows
from workflow_agent.conversations.memory.resolver import resolve_reference
from workflow_agent.conversations.memory.service import PersonalMemory
from workflow_agent.conversations.records import Records
from workflow_agent.conversations.seals import SealedPart
from workflow_agent.conversations.store import MessageHit, MessageQuery
from workflow_agent.conversations.transitions import Handoff, PhaseChange
from workflow_agent.values.stored import RunFence, digest_of
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.previews import Preview
from workflow_agent.workflows.service import WorkflowService, Writer
from workflow_agent.workflows.store import Author, WorkflowCatalog, WorkflowSearch

READ_ONLY_MODES: frozenset[Mode] = frozenset({"general", "search", "analysis"})

_LOOKED_THROUGH = 3
"""A run that looked at so many workflows was about none of them; of two the second stays open."""


@dataclass(slots=True)
class RunProgress:
    """What changes while a run goes on: its mode, and the workflows it dealt with."""

    mode: ModeRecord
    open_workflow_id: str | None = None
    phase: Phase = "chat"
    phase_changes: list[PhaseChange] = field(default_factory=list[PhaseChange])
    handoffs: list[Handoff] = field(default_factory=list[Handoff])
    """Who goes on after this run, in order."""
    touched: dict[tuple[str, Relation], WorkflowTouch] = field(
        default_factory=dict[tuple[str, Relation], WorkflowTouch]
    )
    names: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Aliases and former names of the workflows touched, by id."""
    pending: Preview | None = None
    """What the reply before showed and this message may confirm; whoever applies it takes it first."""
    preview: Preview | None = None
    """What this run showed and the next message may confirm."""

    _writes: Counter[str] = field(default_factory=Counter[str])
    _looks: set[str] = field(default_factory=set[str])
    _open_before: str | None = None

    def digest_of_write(self, data: object) -> str:
        """Return a digest of a write: equal in each attempt at the run, another for the same write again."""
        digest = digest_of(data)
        self._writes[digest] += 1
        return f"{digest}.{self._writes[digest]}"

    def touch(self, workflow: Workflow, change: Relation, *, formerly: str | None = None) -> None:
        """Note what was done to a workflow; it becomes the open one unless only mentioned.

        A run that looks at several workflows looks for something in all: what was open before stays so. By the name
        that it had formerly people may still ask for it.
        """
        self.touched[workflow.id, change] = WorkflowTouch(
            id=workflow.id, name=workflow.name, version=workflow.version, change=change
        )
        former = (*self.names.get(workflow.id, ()), *([formerly] if formerly else []))
        kept = (alias for alias in (*workflow.aliases, *former) if alias != workflow.name)
        self.names[workflow.id] = tuple(dict.fromkeys(kept))
        if not self._looks:
            self._open_before = self.open_workflow_id
        if change == "deleted":
            self.open_workflow_id = None
        elif change == "viewed":
            self._looks.add(workflow.id)
            looked_through = len(self._looks) >= _LOOKED_THROUGH
            self.open_workflow_id = self._open_before if looked_through else workflow.id
        elif change != "discussed":
            self._looks.clear()
            self.open_workflow_id = workflow.id

    @property
    def has_written(self) -> bool:
        """Return whether any workflow was changed."""
        return any(touch.change in WRITES for touch in self.touched.values())

    def take_pending(self) -> Preview | None:
        """Return what this message may confirm, once: two calls at the same time do not both get it."""
        taken, self.pending = self.pending, None
        return taken


@dataclass(frozen=True, slots=True)
class WorkflowContext:
    """The dependencies of one run."""

    tenant: str
    user: str
    agent: str
    run_id: str
    attempt: int
    conversation: Conversation
    """As it was when the message was accepted, the message included."""
    workflows: WorkflowCatalog
    search: WorkflowSearch
    progress: RunProgress
    evidence: Evidence
    sandbox: PythonSandbox
    blob: Callable[[str, str, str], Awaitable[Any]]
    """Reads what a conversation keeps apart, by tenant, conversation and reference."""
    find: Callable[[str, MessageQuery], Awaitable[Sequence[MessageHit]]]
    """Finds what was said in a tenant's conversations."""
    sealed: Callable[[str, str, Position], Awaitable[SealedPart]]
    """Reads turns that were moved out of a conversation, by tenant, conversation and position."""
    personal: PersonalMemory
    """What users want remembered."""
    outline: Callable[[Workflow], str]
    """Renders a workflow as the model reads it."""
    writing_is_refused: str | None
    """Why this run may not enter a mode that writes; None when it may."""
    idle_tools: frozenset[str]
    """Tools that can be of no use in this run; its model is told of none of them."""
    roster: Roster
    max_handoffs: int
    """How often the conversation may be handed on before the user says something again."""
    notes: Sequence[str]
    """Facts of this run for the instructions, one a line."""
    references: Sequence[WorkflowReference]
    """What is remembered of workflows dealt with, in this conversation and in the user's others."""
    now: Callable[[], datetime]
    fence_number: int | None
    """Of the attempt; None outside of conversations that are kept."""

    @property
    def profile(self) -> AgentProfile | None:
        """Return the agent as the roster has it."""
        return self.roster.get(self.agent)

    @property
    def fence(self) -> RunFence | None:
        """Return what each write of this run carries."""
        if self.fence_number is None:
            return None
        return RunFence(self.conversation.id, self.run_id, self.fence_number)

    @property
    def service(self) -> WorkflowService:
        """Return the use cases that write workflows."""
        return WorkflowService(self.workflows, self.tenant)

    async def records_of(self, turn: int) -> Records:
        """Return the records of the conversation that a turn is in, should there be one: its own, or a sealed part."""
        if turn > self.conversation.sealed_turns:
            return self.conversation
        return await self.sealed(self.tenant, self.conversation.id, Position("turn", turn))

    def writer(self, digest: str) -> Writer:
        """Return this run as the one who writes; the digest is of what it was asked to write."""
        author = Author(
            user=self.user,
            agent=self.agent,
            mode=self.progress.mode.name,
            run_id=self.run_id,
            attempt=self.attempt,
            conversation_id=self.conversation.id,
        )
        return Writer(author, digest, self.fence)


@dataclass(frozen=True, slots=True)
class Occasion:
    """The turn in which workflows are dealt with."""

    message: str
    conversation_id: str
    turn: int
    at: datetime

    def reference(self, workflow_id: str, name: str, relation: Relation, aliases: Sequence[str]) -> WorkflowReference:
        """Return the reference to a workflow that was dealt with on this occasion."""
        return WorkflowReference(
            workflow_id=workflow_id,
            name=name,
            relation=relation,
            turn=self.turn,
            at=self.at,
            aliases=distinct([*aliases, *aliases_from_name(name)]),
            conversation_id=self.conversation_id,
        )


def learned(
    progress: RunProgress, known: Sequence[WorkflowReference], occasion: Occasion
) -> tuple[WorkflowReference, ...]:
    """Return the references a run leaves: what it touched, and under which name the message knows one."""
    given = _name_given(progress, known, occasion)
    if given is None:
        return touched_so_far(progress, occasion)
    named_id, alias = given
    touched = touched_so_far(progress, occasion, {named_id: (alias,)})
    if any(one.workflow_id == named_id for one in touched):
        return touched
    remembered = {one.workflow_id: one.name for one in known_workflows(known)}
    if named_id not in remembered:
        return touched
    return (*touched, occasion.reference(named_id, remembered[named_id], "discussed", [alias]))


def _name_given(
    progress: RunProgress, known: Sequence[WorkflowReference], occasion: Occasion
) -> tuple[str, str] | None:
    """Return the workflow that the message gives a name to, and the name; None when it is not sure which."""
    given = name_given_in(occasion.message)
    if given is None:
        return None
    meant = resolve_reference(
        given.what,
        [*known, *touched_so_far(progress, occasion)],
        now=occasion.at,
        open_workflow_id=progress.open_workflow_id,
        conversation_id=occasion.conversation_id,
    )
    if meant.workflow_id is None or meant.confidence < HIGH_CONFIDENCE:
        return None
    name = next((touch.name for touch in progress.touched.values() if touch.id == meant.workflow_id), None)
    is_its_name = name is not None and name.casefold() == given.alias.casefold()
    return None if is_its_name else (meant.workflow_id, given.alias)


def touched_so_far(
    progress: RunProgress, occasion: Occasion, given: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> tuple[WorkflowReference, ...]:
    """Return references to what the run has dealt with until now, the names that the message gives first."""
    return tuple(
        occasion.reference(
            touch.id, touch.name, touch.change, [*given.get(touch.id, ()), *progress.names.get(touch.id, ())]
        )
        for touch in progress.touched.values()
    )
