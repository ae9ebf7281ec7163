"""What every tool and instruction of a run can reach: `RunContext[WorkflowContext]`."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from workflow_agent.agent.evidence import Evidence
from workflow_agent.domain.conversation import Conversation, ModeRecord, Relation, WorkflowTouch
from workflow_agent.domain.digests import digest_of
from workflow_agent.domain.modes import Mode
from workflow_agent.domain.workflow import Workflow
from workflow_agent.ports import Author, WorkflowCatalog, WorkflowSearch

READ_ONLY_MODES: frozenset[Mode] = frozenset({"general", "search", "analysis"})
WRITING_MODES: frozenset[Mode] = frozenset({"creation", "modification"})


@dataclass(slots=True)
class RunProgress:
    """What changes while a run goes on: its mode, and the workflows it dealt with."""

    mode: ModeRecord
    open_workflow_id: str | None = None
    touched: dict[tuple[str, Relation], WorkflowTouch] = field(
        default_factory=dict[tuple[str, Relation], WorkflowTouch]
    )
    names: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Aliases of the workflows touched, by id."""

    _writes: Counter[str] = field(default_factory=Counter[str])

    def digest_of_write(self, data: object) -> str:
        """Return a digest of a write: equal in each attempt at the run, another for the same write again."""
        digest = digest_of(data)
        self._writes[digest] += 1
        return f"{digest}.{self._writes[digest]}"

    def touch(self, workflow: Workflow, change: Relation) -> None:
        """Note what was done to a workflow; it becomes the open one unless it was only mentioned."""
        self.touched[workflow.id, change] = WorkflowTouch(
            id=workflow.id, name=workflow.name, version=workflow.version, change=change
        )
        self.names[workflow.id] = workflow.aliases
        if change != "discussed":
            self.open_workflow_id = workflow.id


def _utc_now() -> datetime:
    return datetime.now(UTC)


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
    outline: Callable[[Workflow], str]
    """Renders a workflow as the model reads it."""
    writing_is_refused: str | None = None
    """Why this run may not enter a mode that writes; None when it may."""
    notes: Sequence[str] = field(default_factory=tuple)
    """Facts of this run for the instructions, one a line."""
    now: Callable[[], datetime] = _utc_now

    def author(self) -> Author:
        """Return who a change of this run is attributed to."""
        return Author(
            user=self.user, agent=self.agent, mode=self.progress.mode.name, run_id=self.run_id,
            attempt=self.attempt, conversation_id=self.conversation.id,
        )  # fmt: skip
