"""Attachments on their way into a conversation: read as text, kept, and listed."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from workflow_agent.assistant.documents import DocumentLimits, read_document
from workflow_agent.conversations.document import AttachedDocument, Conversation, attachment_id_of
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.errors import ConversationNotFound, InvalidInput, NotFound, Problem, UnreadableAttachment

_UNTITLED = "attachment"


@dataclass(frozen=True, slots=True)
class NewAttachment:
    """What comes with a message: a document, or the id of one that is there."""

    attachment_id: str | None = None
    content: str | None = None
    title: str | None = None
    source: str | None = None
    attachment_type: str = "document"
    media_type: str | None = None
    encoding: str = "text"

    @property
    def name(self) -> str:
        """Return what to call it: its title, or the end of where it is from."""
        tail = (self.source or "").rstrip("/").rpartition("/")[2].partition("?")[0]
        return " ".join((self.title or tail or _UNTITLED).split())[:200] or _UNTITLED


@dataclass(frozen=True, slots=True)
class Attaching:
    """Takes attachments into conversations."""

    store: ConversationStore
    limits: DocumentLimits = field(default_factory=DocumentLimits)
    most_of_a_conversation: int = 200

    async def stored(
        self, tenant: str, conversation_id: str, attachments: Sequence[NewAttachment], *, is_named: bool, at: datetime
    ) -> tuple[AttachedDocument, ...]:
        """Return attachments as a conversation lists them, their texts kept with it durably.

        Raises:
            ConversationNotFound: The request names the conversation, and it is not there.
            NotFound: The conversation has no attachment of this id.
            UnsupportedDocument, UnreadableAttachment, BodyTooLarge: One cannot be taken; says which.
        """
        if not attachments:
            return ()
        known = await self._known(tenant, conversation_id, is_named=is_named)
        read = [await self._read(position, one, known, at) for position, one in enumerate(attachments)]
        new = {one.attachment_id for _, one in read} - known.keys()
        if len(known) + len(new) > self.most_of_a_conversation:
            raise InvalidInput(
                f"Conversation {conversation_id!r} has {len(known)} attachments; the most is "
                f"{self.most_of_a_conversation}. Go on in a new conversation."
            )
        kept: list[AttachedDocument] = []
        for text, document in read:
            ref = document.content_ref
            if text is not None:
                ref = await self.store.put_blob(tenant, conversation_id, text)
            kept.append(document.model_copy(update={"content_ref": ref, "at": at}))
        return tuple(kept)

    async def _known(self, tenant: str, conversation_id: str, *, is_named: bool) -> dict[str, AttachedDocument]:
        try:
            conversation: Conversation = await self.store.load(tenant, conversation_id)
        except ConversationNotFound:
            if is_named:
                raise
            return {}
        return {one.attachment_id: one for one in conversation.attachments}

    async def _read(
        self, position: int, given: NewAttachment, known: dict[str, AttachedDocument], at: datetime
    ) -> tuple[str | None, AttachedDocument]:
        if given.content is None:
            attachment_id = str(given.attachment_id)
            if attachment_id not in known:
                raise NotFound(
                    f"The conversation has no attachment {attachment_id[:80]!r}; send its content.",
                    attachment_id=attachment_id[:80],
                )
            return None, known[attachment_id]
        try:
            read = await asyncio.to_thread(
                read_document,
                given.content,
                is_base64=given.encoding == "base64",
                name=given.name,
                media_type=given.media_type,
                limits=self.limits,
            )
        except UnreadableAttachment as error:
            problem = Problem(f"/attachments/{position}/content", error.message)
            raise UnreadableAttachment(error.message, [problem]) from error
        document = AttachedDocument(
            attachment_id=attachment_id_of(read.text),
            title=given.name,
            source=given.source,
            attachment_type=given.attachment_type,
            media_type=read.media_type,
            size_chars=len(read.text),
            content_ref="",
            turn=0,
            at=at,
        )
        return read.text, document
