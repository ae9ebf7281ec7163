"""Finding the sealed turns that come back into the window with a compaction that is undone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workflow_agent.assistant.compaction.compaction import compaction_named
from workflow_agent.assistant.compaction.policy import first_turn_undone, hidden_events, sent_and_budget_tokens
from workflow_agent.conversations.archive import Position
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.history import Past
from workflow_agent.conversations.seals import SealedPart, unsealed
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.errors import CannotRestore


@dataclass(frozen=True, slots=True)
class SealedAway:
    """Sealed turns that are needed in the conversation's file again."""

    basis: Conversation
    """The conversation they were read for."""
    parts: Sequence[SealedPart]
    """Oldest first, up to the last sealed turn."""

    def fits(self, conversation: Conversation) -> bool:
        """Say whether they are still what the archive of a conversation ends with."""
        return conversation.archive == self.basis.archive


_AT_ONCE = 1_000


async def sealed_with(
    store: ConversationStore, conversation: Conversation, compaction_id: str, count: Callable[[str], int]
) -> SealedAway:
    """Return the sealed parts that hold a compaction and the turns it would bring back; often none.

    Raises:
        CompactionNotFound: There is none with this id.
        CannotRestore: Its turns are too far back to fit in any window; says by how many tokens at least.
        CorruptDocument: A sealed part is missing or damaged.
    """
    parts: list[SealedPart] = []
    open_ended = [entry for entry in conversation.archive if entry.kind == "turns"]
    while True:
        known = unsealed(conversation, parts)
        first = first_turn_undone(known, compaction_id)
        if first == 0 or (first is not None and first > known.sealed_turns):
            return SealedAway(conversation, parts)
        if len(parts) == len(open_ended):
            break
        entry = open_ended[-1 - len(parts)]
        position = Position("turn", entry.last_turn)
        parts.insert(0, await store.sealed(conversation.tenant, conversation.id, position))
    if first is None and not await _is_further_back(store, known, compaction_id):
        # It is in none of the files: this says which there are.
        compaction_named(conversation, compaction_id)
    raise _too_far_back(known, compaction_id, count)


async def _is_further_back(store: ConversationStore, known: Conversation, compaction_id: str) -> bool:
    past, start = Past(store, known), None
    while True:
        found = await past.compactions(start, _AT_ONCE, newest_first=True)
        if any(one.id == compaction_id for one in found.items):
            return True
        if found.following is None:
            return False
        start = found.following


def _too_far_back(known: Conversation, compaction_id: str, count: Callable[[str], int]) -> CannotRestore:
    sent, budget = sent_and_budget_tokens(known)
    hidden = hidden_events(known)
    back = sum(count(one.content) for one in known.events if one.id in hidden)
    excess = max(sent + back - budget, 0)
    return CannotRestore(
        f"Compaction {compaction_id!r} is too far back: with all turns since it back, the next request would "
        f"be more than {excess} tokens over the window's budget. Let the assistant recall what you need of "
        "them.",
        excess_tokens=excess,
        sealed_turns=known.sealed_turns,
    )
