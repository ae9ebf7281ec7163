"""What every store of conversations refuses, and both kinds of stores of an id, in the same words."""

from typing import Literal

from workflow_agent.conversations.archive import Position
from workflow_agent.errors import AlreadyExists, ContentNotFound, ConversationNotFound, InvalidInput, NotFound
from workflow_agent.storage.files.file_system import is_conversation_id, shown

_ID_RULE = "1 to 64 of a-z, 0-9, _ and -, beginning with a letter or digit"


def check_new_id(conversation_id: str) -> None:
    """Refuse an id that no conversation may have."""
    if not is_conversation_id(conversation_id):
        raise InvalidInput(f"{shown(conversation_id)} is not a conversation id, which is {_ID_RULE}.")


def id_taken(kind: Literal["conversation", "workflow"], taken: str, aside: str | None = None) -> AlreadyExists:
    """Return the error for an id that another one has, or had until its file was set aside."""
    told = {f"{kind}_id": taken}
    if aside is None:
        return AlreadyExists(f"There is already a {kind} {taken!r}. Choose another id.", **told)
    return AlreadyExists(
        f"There was a {kind} {taken!r}; its file did not parse and waits as {aside!r} to be mended. Choose another id.",
        **told,
        aside=aside,
    )


def no_conversation(conversation_id: str) -> ConversationNotFound:
    """Return the error for an id that no conversation has."""
    advice = (
        "Create it under this id, or send a message without one."
        if is_conversation_id(conversation_id)
        else f"An id is {_ID_RULE}."
    )
    return ConversationNotFound(
        f"There is no conversation {shown(conversation_id)}. {advice}", conversation_id=conversation_id[:64]
    )


def damaged_conversation(conversation_id: str, aside: str) -> ConversationNotFound:
    """Return the error for a conversation whose file was set aside and not mended yet."""
    return ConversationNotFound(
        f"Conversation {conversation_id!r} cannot be read: its file did not parse and was set aside as "
        f"{aside!r}. Mend it and rename it back, or restore a backup.",
        conversation_id=conversation_id,
        aside=aside,
    )


def no_content(conversation_id: str, content_ref: str) -> ContentNotFound:
    """Return the error for a reference under which a conversation keeps nothing."""
    return ContentNotFound(
        f"Conversation {shown(conversation_id)} keeps nothing under {shown(content_ref)}. "
        "The reference is wrong, or the content was removed.",
        conversation_id=conversation_id[:64],
        content_ref=content_ref[:80],
    )


def not_sealed(conversation_id: str, position: Position) -> NotFound:
    """Return the error for a position that is in no sealed file."""
    what, number = position
    return NotFound(f"Conversation {shown(conversation_id)} has no sealed {what} {number}.")
