"""Facts of a run for the instructions, one a line."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from workflow_agent.chat.jobs import Job
from workflow_agent.domain.confirmed_offers import carried_out
from workflow_agent.domain.conversation import WorkflowReference
from workflow_agent.domain.memory import memory_lines
from workflow_agent.domain.previews import Preview


def run_notes(
    job: Job,
    roster: Iterable[str],
    pending: Preview | None,
    known: Sequence[WorkflowReference],
    today: datetime,
) -> tuple[str, ...]:
    """Return what an agent has to know of today, of itself and the others, and of what came before."""
    agent = job.agent
    others = [name for name in roster if name != agent.name]
    lines = [
        f"Today: {today:%Y-%m-%d} ({today:%A})",
        f"You are the agent {agent.name}: {agent.description}",
        f"Other agents: {', '.join(others)}",
    ]
    if agent.mode is not None:
        lines.append(f"You always work in mode {agent.mode}; hand off what needs another.")
    if pending is not None:
        lines.append(
            f'Preview waiting for a yes: {pending.action} {pending.workflow_id} "{pending.workflow_name}"'
        )
    if (confirmed := carried_out(job.conversation, job.message)) is not None:
        lines.append(f"Offer of {confirmed.by} confirmed by the user: {confirmed.confirms}")
    lines += memory_lines(known, now=today, conversation_id=job.conversation.id)
    if job.request.instructions:
        lines.append(f"The calling application asks for this message:\n{job.request.instructions}")
    return tuple(lines)
