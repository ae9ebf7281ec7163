"""The state that the tools of one test conversation see and change."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai import ModelRetry
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models import Model

from tests.support.offline_documents import CONTRACT, EXPENSE, REPORT, workflows
from workflow_agent.agent.offline import drafting
from workflow_agent.agent.offline.model import OfflineModel
from workflow_agent.domain.workflow import Workflow


@dataclass
class World:
    """What the tools of one conversation see and change."""

    model: Model = field(default_factory=lambda: OfflineModel(drafting=drafting))
    store: dict[str, list[Workflow]] = field(default_factory=lambda: workflows(EXPENSE, CONTRACT, REPORT))
    open_id: str | None = "wf_expense_approval"
    mode: str | None = None
    """The mode of every turn; None infers it."""
    history: list[ModelMessage] = field(default_factory=list[ModelMessage])
    known: list[str] = field(default_factory=list[str])
    turns: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    withheld: frozenset[str] = frozenset()
    """Tools that are not offered at all."""
    failing: dict[str, str] = field(default_factory=dict[str, str])
    """Tools that refuse, and what they say."""
    current_mode: str = "general"

    def find(self, reference: str) -> Workflow:
        """Open a workflow by id or name and return it, or make the model try again."""
        for versions in self.store.values():
            if reference.lower() in (versions[-1].id, versions[-1].name.lower()):
                self.open_id = versions[-1].id
                return versions[-1]
        raise ModelRetry(f"There is no workflow {reference!r}. Known: {', '.join(self.store)}")

    def guard(self, tool: str) -> None:
        """Refuse where the test wants a refusal."""
        if tool in self.failing:
            raise ModelRetry(self.failing[tool])


@dataclass(frozen=True)
class Said:
    """One turn as it went."""

    text: str
    calls: Sequence[ToolCallPart]
    messages: Sequence[ModelMessage]

    @property
    def tools(self) -> list[str]:
        """The tools called, in order."""
        return [call.tool_name for call in self.calls]

    def args(self, tool: str) -> dict[str, Any]:
        """Return the arguments of the last call of a tool."""
        return next(call.args_as_dict() for call in reversed(self.calls) if call.tool_name == tool)

    @property
    def edits(self) -> list[dict[str, Any]]:
        """The edits of the last call that edits."""
        return self.args("edit_workflow")["edits"]


def calls_in(messages: Sequence[ModelMessage]) -> list[ToolCallPart]:
    """Return the tool calls of messages, in order."""
    return [
        p for m in messages if isinstance(m, ModelResponse) for p in m.parts if isinstance(p, ToolCallPart)
    ]
