"""What lists and searches need of stored conversations, read again only where a file changed."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from workflow_agent.adapters.conversation_listing import (
    ConversationHead,
    holds,
    page_of,
    searchable_texts,
    summary_of,
)
from workflow_agent.adapters.data_paths import is_conversation_id
from workflow_agent.adapters.durable_files import DurableFiles
from workflow_agent.adapters.file_system import FileState
from workflow_agent.adapters.stat_cache import StatCache
from workflow_agent.domain.errors import CorruptDocument
from workflow_agent.ports import ConversationPage, ConversationSummary

_SUMMARIES_KEPT = 50_000
_SEARCH_CHARS_KEPT = 8 * 2**20
_SUFFIX = ".json"


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
        self._texts: StatCache[tuple[str, ...]] = StatCache(
            _SEARCH_CHARS_KEPT, lambda texts: sum(map(len, texts))
        )

    def page(self, directory: Path, query: str, cursor: str | None, limit: int) -> ConversationPage:
        """Return one page of a directory; a damaged file is set aside and left out."""
        listed = (self._summary(document) for document in self._documents(directory))
        return page_of(
            (summary for summary in listed if summary is not None),
            cursor=cursor,
            limit=limit,
            matches=lambda one: not query or holds(self._texts_of(directory / f"{one.id}{_SUFFIX}"), query),
        )

    def _documents(self, directory: Path) -> list[Path]:
        names = self._files.names(directory)
        return [
            directory / name
            for name in names
            if name.endswith(_SUFFIX) and is_conversation_id(name.removesuffix(_SUFFIX))
        ]

    def _summary(self, document: Path) -> ConversationSummary | None:
        state = self._files.state(document)
        kept = None if state is None else self._summaries.get(document, state)
        if kept is not None:
            return kept
        read = self._head(document)
        if read is None:
            return None
        summary = summary_of(read[0])
        self._summaries.put(document, read[1], summary)
        return summary

    def _texts_of(self, document: Path) -> tuple[str, ...]:
        state = self._files.state(document)
        kept = None if state is None else self._texts.get(document, state)
        if kept is not None:
            return kept
        read = self._head(document)
        if read is None:
            return ()
        texts = searchable_texts(read[0])
        self._texts.put(document, read[1], texts)
        return texts

    def _head(self, document: Path) -> tuple[ConversationHead, FileState] | None:
        stored = self._files.read(document)
        if stored is None:
            return None
        try:
            return ConversationHead.model_validate_json(stored.data), stored.state
        except ValidationError:
            # Reported where it is set aside; one damaged file must not hide all others.
            with suppress(CorruptDocument):
                self._check(document)
            return None
