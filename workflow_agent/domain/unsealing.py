"""Bringing sealed turns back into the conversation's file, with all that belongs to them."""

from collections.abc import Sequence

from workflow_agent.domain.compacting import in_force
from workflow_agent.domain.conversation import Conversation
from workflow_agent.domain.sealing import SealedPart


def unsealed(conversation: Conversation, parts: Sequence[SealedPart]) -> Conversation:
    """Return the conversation with its newest sealed parts in it again, and out of its archive.

    Args:
        conversation: Whose archive ends with these parts, each with an entry of its own.
        parts: Oldest first.
    """
    if not parts:
        return conversation
    back = {run.run_id for part in parts for run in part.runs}
    return conversation.model_copy(
        update={
            "archive": conversation.archive[: -len(parts)],
            "events": (*(one for part in parts for one in part.events), *conversation.events),
            "runs": (
                *(one for part in parts for one in part.runs),
                # What was left of a run for its key alone is in the part, whole.
                *(run for run in conversation.runs if run.run_id not in back),
            ),
            "calls": (*(one for part in parts for one in part.calls), *conversation.calls),
            "compactions": (*(one for part in parts for one in part.compactions), *conversation.compactions),
            "phase_transitions": (
                *(one for part in parts for one in part.phase_transitions),
                *conversation.phase_transitions,
            ),
        }
    )


def no_longer_sealed(before: Conversation, after: Conversation) -> frozenset[str]:
    """Return the names of the sealed files whose turns came back between two states of a conversation."""
    gone = {one.file for one in before.archive if one.first_turn > after.sealed_turns}
    return frozenset(gone - {one.file for one in after.archive})


def first_turn_undone(conversation: Conversation, compaction_id: str) -> int | None:
    """Return the first turn that undoing a compaction brings back: 0 for none; None while it is not found."""
    wanted = next((one for one in conversation.compactions if one.id == compaction_id), None)
    if wanted is None:
        return None
    if wanted.restored_at is not None:
        return 0
    return min(one.from_turn for one in in_force(conversation) if one.to_turn >= wanted.from_turn)
