"""The window of one turn as it was built, and the record of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any

from pydantic_ai.messages import ModelMessage, TextContent, UserContent

from workflow_agent.assistant.compaction.text import EarlierTurns
from workflow_agent.assistant.modes.conversation_mode import carried_out
from workflow_agent.assistant.requests import Job
from workflow_agent.conversations.agents import AgentProfile
from workflow_agent.conversations.context_records import SECTIONS, WindowLimits, context_record
from workflow_agent.conversations.document import AgentReply, Conversation, ModeRecord, WorkflowReference
from workflow_agent.conversations.iterations import FinishReason
from workflow_agent.conversations.memory.person import Fact, person_lines
from workflow_agent.conversations.memory.references import memory_lines
from workflow_agent.errors import StorageFailed, WorkflowNotFound
from workflow_agent.values.stored import JsonObject
from workflow_agent.values.tokens import TokenCounter
from workflow_agent.workflows.previews import Preview
from workflow_agent.workflows.store import WorkflowCatalog

_REPLIES_WITH_RESULTS = 8
"""So many of the latest replies may show results of tools in the window, masking in steps included."""
_WORKFLOWS_LOOKED_UP = 10


def earlier_tokens(earlier: EarlierTurns | None, counter: TokenCounter) -> dict[str, int]:
    """Return what weighs that stands for compacted turns: the summary with its frame, and the ledger."""
    if earlier is None:
        return {}
    ledger = counter.count(earlier.ledger)
    return {"summary": max(counter.count(earlier.text) - ledger, 0), "ledger": ledger}


@dataclass(frozen=True, slots=True)
class BuiltContext:
    """The window of one turn."""

    history: list[ModelMessage]
    prompt: str
    """The message to answer, as the model gets it."""
    limits: WindowLimits
    history_tokens: int
    message_tokens: int
    turns_included: int
    turns_excluded: int
    counter: TokenCounter
    original_chars: int
    """Of the message, which may have been shortened."""
    room_tokens: int
    """Beside the fixed parts and the message."""
    verbatim: frozenset[int]
    """The indices of the replies whose steps are in the window."""
    material: str = ""
    """Artifacts, framed as data; they stand right before the message."""
    material_tokens: int = 0
    earlier: EarlierTurns | None = None
    """What stands for the turns that were compacted."""
    planning: JsonObject = field(default_factory=dict[str, Any])
    """What the record says of the artifacts."""

    @property
    def is_shortened(self) -> bool:
        """Return whether the message is larger than the window."""
        return len(self.prompt) != self.original_chars

    @property
    def free_tokens(self) -> int:
        """Return what the history leaves."""
        return self.room_tokens - self.history_tokens

    def user_content(self) -> str | list[UserContent]:
        """Return the message to answer, with the artifacts it may need before it."""
        return [TextContent(self.material), self.prompt] if self.material else self.prompt

    def sections(self, section_tokens: Mapping[str, int]) -> dict[str, int]:
        """Return what each section of the last request weighs, by our count, in the order of the record."""
        own = {
            **earlier_tokens(self.earlier, self.counter),
            "history": self.history_tokens,
            "artifacts": self.material_tokens,
            "message": self.message_tokens,
        }
        counted = {**section_tokens, **own}
        return {name: counted.get(name, 0) for name in SECTIONS}

    def record(
        self,
        *,
        model: str,
        mode: ModeRecord,
        section_tokens: Mapping[str, int],
        reported_tokens: int | None,
        cache_stats: JsonObject,
        finish_reason: FinishReason = "stop",
    ) -> JsonObject:
        """Return the context record: every section in tokens, summing to what was used.

        Args:
            model: The model that answered.
            mode: The mode the run ended in.
            section_tokens: Of what the agent loop rendered for its last request.
            reported_tokens: What the provider counted for that request, where it said so.
            cache_stats: Hits and misses of this turn.
            finish_reason: Why the model's last answer ended.
        """
        return context_record(
            counted=self.sections(section_tokens),
            reported_tokens=reported_tokens,
            counting=self.counter.counting,
            limits=self.limits,
            facts={
                "model": model,
                "turns": {
                    "included": self.turns_included,
                    "compacted": self.earlier.turns if self.earlier else 0,
                    "excluded": self.turns_excluded,
                },
                "compaction": self.earlier.record() if self.earlier else None,
                "message": {"original_chars": self.original_chars, "included_chars": len(self.prompt)},
                "artifacts_processed": [],
                "llm_planning_used": False,
                "planning_cost": None,
                **self.planning,
                "cache_stats": cache_stats,
                "finish_reason": finish_reason,
                "mode": mode.name,
            },
        )


def roster_notes(agent: AgentProfile | None, roster: Iterable[str]) -> str:
    """Return what an agent has to know of itself and the others, whatever the turn."""
    if agent is None:
        return ""
    others = ", ".join(name for name in roster if name != agent.name)
    lines = [f"You are the agent {agent.name}: {agent.description}", f"Other agents: {others}"]
    if agent.mode is not None:
        lines.append(f"You always work in mode {agent.mode}; hand off what needs another.")
    return "\n".join(lines)


def run_notes(
    job: Job,
    pending: Preview | None,
    known: Sequence[WorkflowReference],
    facts: Sequence[Fact],
    outdated: Sequence[str],
    today: datetime,
) -> tuple[str, ...]:
    """Return what an agent has to know of today, and of what came before."""
    lines = [f"Today: {today:%Y-%m-%d} ({today:%A})"]
    if pending is not None:
        lines.append(f'Preview waiting for a yes: {pending.action} {pending.workflow_id} "{pending.workflow_name}"')
    if (confirmed := carried_out(job.conversation, job.message)) is not None:
        lines.append(f"Offer of {confirmed.by} confirmed by the user: {confirmed.confirms}")
    lines += outdated
    lines += memory_lines(known, now=today, conversation_id=job.conversation.id)
    lines += person_lines(facts, job.conversation.id)
    if job.request.instructions:
        lines.append(f"The calling application asks for this message:\n{job.request.instructions}")
    return tuple(lines)


async def outdated_results(workflows: WorkflowCatalog, conversation: Conversation) -> list[str]:
    """Return a line for each workflow that was changed elsewhere since the latest replies looked at it.

    Their results stay in the window as they were sent: a provider's cache knows them so.
    """
    newest_first = (event for event in reversed(conversation.events) if isinstance(event, AgentReply))
    replies = [*islice(newest_first, _REPLIES_WITH_RESULTS)][::-1]
    seen: dict[str, int] = {}
    for touch in (touch for reply in replies for touch in reply.workflows_touched):
        seen[touch.id] = max(touch.version, seen.pop(touch.id, 0))
    lines: list[str] = []
    for workflow_id in list(seen)[-_WORKFLOWS_LOOKED_UP:]:
        try:
            version = (await workflows.get(conversation.tenant, workflow_id)).version
        except WorkflowNotFound:
            lines.append(f"Out of date: what is told above of {workflow_id}; it was deleted since.")
            continue
        except StorageFailed:
            continue  # A tool that needs it says so; this message may be about something else.
        if version > seen[workflow_id]:
            lines.append(
                f"Out of date: what is told above of {workflow_id} version {seen[workflow_id]} and before; "
                f"it is at version {version} now. Read it again before you tell of it."
            )
    return lines
