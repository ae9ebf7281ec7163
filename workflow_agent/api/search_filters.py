"""What the list of workflows can be narrowed to, as query parameters."""

from collections.abc import Collection
from typing import Annotated

from fastapi import Query

from workflow_agent.api.parameters import CLEAN_PATTERN
from workflow_agent.domain.conversation import CONVERSATION_ID_PATTERN
from workflow_agent.domain.workflow import StepType
from workflow_agent.ports import ConversationStore

_LONGEST = 200

TagFilter = Annotated[
    str | None, Query(max_length=_LONGEST, pattern=CLEAN_PATTERN, description="Only workflows with this tag.")
]
TriggerFilter = Annotated[
    str | None,
    Query(
        max_length=_LONGEST,
        pattern=CLEAN_PATTERN,
        description="Only workflows started so, such as `schedule`.",
    ),
]
RoleFilter = Annotated[
    str | None,
    Query(
        max_length=_LONGEST,
        pattern=CLEAN_PATTERN,
        description="Only workflows in which this role does or decides something.",
    ),
]
ServiceFilter = Annotated[
    str | None,
    Query(
        max_length=_LONGEST,
        pattern=CLEAN_PATTERN,
        description="Only workflows that call this service, such as `slack`.",
    ),
]
StepTypeFilter = Annotated[
    StepType | None, Query(description="Only workflows that have a step of this type.")
]
CalledFilter = Annotated[
    str | None,
    Query(
        max_length=_LONGEST,
        pattern=CLEAN_PATTERN,
        description="Only workflows with this piece in their id, name or an alias, such as `exp`.",
    ),
]
ConversationFilter = Annotated[
    str | None,
    Query(
        max_length=_LONGEST,
        pattern=CONVERSATION_ID_PATTERN,
        description="Only workflows that this conversation dealt with.",
    ),
]


async def touched_in(
    conversations: ConversationStore, tenant: str, conversation_id: str | None
) -> Collection[str] | None:
    """Return the ids of the workflows a conversation dealt with; None where it does not matter.

    Raises:
        ConversationNotFound: No such conversation.
    """
    if conversation_id is None:
        return None
    conversation = await conversations.load(tenant, conversation_id)
    return {reference.workflow_id for reference in conversation.workflow_refs}
