"""What lists and searches need of stored conversations, read again only where a file changed."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from workflow_agent.conversations.store import ConversationPage, ConversationSummary, MessageHit, MessageQuery
from workflow_agent.errors import CorruptDocument
from workflow_agent.storage.files.conversation_journal import joined, journal_of
from workflow_agent.storage.files.conversation_list import ConversationHead, lookup_of, page_of, stamp_of, summary_of
from workflow_agent.storage.files.documents import LeftOut, StatCache
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import FileState, is_conversation_id
from workflow_agent.storage.files.locks import locked
from workflow_agent.storage.files.message_index import ConversationMessages
from workflow_agent.storage.files.rules import no_conversation
from workflow_agent.storage.files.search.messages import storable

_SUMMARIES_KEPT = 50_000
_SUFFIX = ".json"
_States = tuple[FileState, FileState | None]
"""Of a document and its journal."""


class ConversationIndex:
    """The conversations of a directory as pages.

    Args:
        files: The data directory.
        check: Reads a whole conversation; sets it aside and raises CorruptDocument when it is damaged.
    """

    def __init__(self, files: DurableFiles, check: Callable[[Path], object]) -> None:
        self._files = files
        self._check = check
        self._summaries: StatCache[ConversationSummary] = StatCache(_SUMMARIES_KEPT)
        self._left_out = LeftOut(files)
        self._messages = ConversationMessages(files, self._left_out)

    def page(self, directory: Path, query: str, cursor: str | None, limit: int) -> ConversationPage:
        """Return one page of a directory; a damaged file is set aside, and what cannot be read is named."""
        documents = self._documents(directory)
        listed = self._summaries_of(documents)
        found = {one.id for one in listed}
        if query.strip():
            stamps = {one.id: stamp_of(one) for one in listed}
            found = self._messages.holding(directory, query, stamps, self._reading(directory))
        page = page_of(listed, cursor=cursor, limit=limit, matches=lambda one: one.id in found)
        return replace(page, unreadable=self._left_out.among(documents))

    def find(self, directory: Path, query: MessageQuery) -> Sequence[MessageHit]:
        """Return the messages of a directory, or of one conversation in it, that hold every word.

        Raises:
            ConversationNotFound: No such conversation.
        """
        one = query.conversation_id
        listed = (
            self._summaries_of(self._documents(directory))
            if one is None
            else [self._summary(directory / f"{one}{_SUFFIX}")]
        )
        stamps = {summary.id: stamp_of(summary) for summary in listed if summary is not None}
        if one is not None and not stamps:
            raise no_conversation(one)
        words = tuple(storable(query.text).casefold().split())
        if not words and not query.periods:
            return ()
        lookup = lookup_of(query, words)
        return self._messages.find(directory, lookup, stamps, self._reading(directory))

    def drop_messages(self, directory: Path) -> None:
        """Remove the index of messages, and with it every word it held; the next search builds it anew.

        Raises:
            StorageFailed: It cannot be removed.
        """
        self._messages.drop(directory)

    def _summaries_of(self, documents: Iterable[Path]) -> list[ConversationSummary]:
        found: list[ConversationSummary] = []
        for document in documents:
            with self._left_out.where_unreadable(document):
                summary = self._summary(document)
                if summary is not None:
                    found.append(summary)
        return found

    def _reading(self, directory: Path) -> Callable[[str], ConversationHead | None]:
        def read(conversation_id: str) -> ConversationHead | None:
            found = self._head(directory / f"{conversation_id}{_SUFFIX}")
            return None if found is None else found[0]

        return read

    def _documents(self, directory: Path) -> list[Path]:
        names = self._files.names(directory)
        return [
            directory / name
            for name in names
            if name.endswith(_SUFFIX) and is_conversation_id(name.removesuffix(_SUFFIX))
        ]

    def _summary(self, document: Path) -> ConversationSummary | None:
        state = self._files.state(document)
        if state is None:
            return None
        kept = self._summaries.get(document, (state, self._files.state(journal_of(document))))
        if kept is not None:
            return kept
        read = self._head(document)
        if read is None:
            return None
        summary = summary_of(read[0])
        self._summaries.put(document, read[1], summary)
        return summary

    def _head(self, document: Path, *, is_locked: bool = False) -> tuple[ConversationHead, _States] | None:
        stored = self._files.read(document)
        if stored is None:
            return None
        try:
            found = joined(self._files, document, stored.data, _parsed_head)
        except ValidationError:
            # Reported where it is set aside; one damaged file must not hide all others.
            with suppress(CorruptDocument):
                self._check(document)
            return None
        if not is_locked and self._files.state(document) not in (stored.state, None):
            # A save between reading the two files would have made a line obsolete that is missed then.
            with locked(document.with_suffix(".lock")):
                return self._head(document, is_locked=True)
        return found.value, (stored.state, found.state)


def _parsed_head(data: bytes, _: Path) -> ConversationHead:
    return ConversationHead.model_validate_json(data)
