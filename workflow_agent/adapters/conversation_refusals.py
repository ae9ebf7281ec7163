"""What every conversation store refuses, in the same words."""

from workflow_agent.adapters.data_paths import is_conversation_id, shown
from workflow_agent.domain.errors import AlreadyExists, ConversationNotFound, InvalidInput


def check_new_id(conversation_id: str) -> None:
    """Refuse an id that no conversation may have."""
    if not is_conversation_id(conversation_id):
        raise InvalidInput(
            f"{shown(conversation_id)} is not a conversation id: 1 to 64 of a-z, 0-9, _ and -, "
            "beginning with a letter or digit."
        )


def id_taken(conversation_id: str) -> AlreadyExists:
    """Return the error for an id that another conversation has."""
    return AlreadyExists(
        f"There is already a conversation {conversation_id!r}. Choose another id.",
        conversation_id=conversation_id,
    )


def no_conversation(conversation_id: str) -> ConversationNotFound:
    """Return the error for an id that no conversation has."""
    return ConversationNotFound(
        f"There is no conversation {shown(conversation_id)}.", conversation_id=conversation_id[:64]
    )
