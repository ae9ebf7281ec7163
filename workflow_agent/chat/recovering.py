"""Clearing up after processes that died while they worked on conversations."""

from collections.abc import Callable
from functools import partial

from workflow_agent.chat.journals import Journals
from workflow_agent.domain.conversation import Conversation
from workflow_agent.domain.errors import ConversationNotFound
from workflow_agent.domain.runs import Run
from workflow_agent.domain.turns import LeftBehind
from workflow_agent.ports import ConversationStore, Owners, RunJournal

WithoutDeadRuns = Callable[[Callable[[Run], LeftBehind], Conversation], Conversation]


async def recover(
    store: ConversationStore, journal: RunJournal, owners: Owners, settle: WithoutDeadRuns
) -> int:
    """Settle the conversations that dead processes worked on; return how many were changed.

    Args:
        store: Where they are.
        journal: What their runs left.
        owners: Knows which processes died.
        settle: Marks the dead runs of a conversation, given what each left.
    """
    changed = 0
    for tenant, conversation_id in owners.abandoned():
        journals = Journals(journal, tenant, owners)
        try:
            before = await store.load(tenant, conversation_id)
            after = await store.update(tenant, conversation_id, partial(settle, journals.left_by))
        except ConversationNotFound:
            continue
        changed += after.version != before.version
        await journals.forget_read()
    owners.forget_abandoned()
    return changed
