"""Documents that came with a message: what a conversation keeps of them."""

from workflow_agent.domain.digests import digest_of
from workflow_agent.domain.values import Moment, Value


class AttachedDocument(Value):
    """A document somebody attached, read as text; the text itself is a blob of the conversation."""

    attachment_id: str
    """Made of the text: the same document attached again has the same id."""
    title: str
    source: str | None = None
    """Where the sender says it is from; it is never fetched."""
    attachment_type: str = "document"
    media_type: str
    """What it was before it was read as text."""
    size_chars: int
    content_ref: str
    turn: int
    """The turn it came with last."""
    at: Moment


def attachment_id_of(text: str) -> str:
    """Return the id of a document with this text."""
    return f"att_{digest_of(text)[:32]}"


def merged_attachments(
    known: tuple[AttachedDocument, ...], added: tuple[AttachedDocument, ...]
) -> tuple[AttachedDocument, ...]:
    """Return the documents of a conversation with those of a new message, each once, the latest last."""
    replaced = {one.attachment_id for one in added}
    once = {one.attachment_id: one for one in added}
    return (*(one for one in known if one.attachment_id not in replaced), *once.values())
