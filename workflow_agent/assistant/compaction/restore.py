"""Finding the sealed turns that come back into the window with a compaction that is undone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workflow_agent.assistant.compaction.compaction import compaction_named, least_excess_tokens
from workflow_agent.assistant.compaction.policy import first_turn_undone
from workflow_agent.conversations.archive import Position, SealedTurns
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
    archive: tuple[SealedTurns, ...]
    """Its archive, with an entry of its own for each of the parts."""
    parts: Sequence[SealedPart]
    """Oldest first, up to the last sealed turn."""

    def opened(self, conversation: Conversation) -> Conversation:
        """Return a conversation that names the files of the parts itself.

        Raises:
            CannotRestore: The parts are no longer what its archive ends with.
        """
        if conversation.archive == self.archive:
            return conversation
        if conversation.archive != self.basis.archive:
            raise CannotRestore(
                f"More turns of conversation {conversation.id!r} were moved to its archive at the same moment. "
                "Send the request again."
            )
        return conversation.model_copy(update={"archive": self.archive})


_AT_ONCE = 1_000


async def sealed_with(
    store: ConversationStore, conversation: Conversation, compaction_id: str, count: Callable[[str], int]
) -> SealedAway:
    """Return the sealed parts that hold a compaction and the turns it would bring back; often none.

    It goes back as far as the window has room, however many files that are.

    Raises:
        CompactionNotFound: There is none with this id.
        CannotRestore: Its turns are too far back to fit in the window; says by how many tokens at least.
        CorruptDocument: A sealed part is missing or damaged.
    """
    key = conversation.tenant, conversation.id
    archive, parts = conversation.archive, list[SealedPart]()
    while True:
        known = unsealed(conversation.model_copy(update={"archive": archive}), parts)
        first = first_turn_undone(known, compaction_id)
        if first == 0 or (first is not None and first > known.sealed_turns):
            return SealedAway(conversation, archive, parts)
        if not known.archive or least_excess_tokens(conversation, known, count):
            break
        if (last := known.archive[-1]).kind == "index":
            at = len(known.archive) - 1
            archive = (*archive[:at], *await store.listed(*key, last), *archive[at + 1 :])
        else:
            parts.insert(0, await store.sealed(*key, Position("turn", last.last_turn)))
    if first is None and not await _is_further_back(store, known, compaction_id):
        # It is in none of the files: this says which there are.
        compaction_named(conversation, compaction_id)
    excess = least_excess_tokens(conversation, known, count)
    raise CannotRestore(
        f"Compaction {compaction_id!r} is too far back: with all turns since it back, the next request would "
        f"be more than {excess} tokens over the window's budget. Let the assistant recall what you need of "
        "them, or use a model with a larger window.",
        excess_tokens=excess,
        sealed_turns=known.sealed_turns,
    )


async def _is_further_back(store: ConversationStore, known: Conversation, compaction_id: str) -> bool:
    past, start = Past(store, known), None
    while True:
        found = await past.compactions(start, _AT_ONCE, newest_first=True)
        if any(one.id == compaction_id for one in found.items):
            return True
        if found.following is None:
            return False
        start = found.following
