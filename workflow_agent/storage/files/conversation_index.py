"""What lists and searches need of stored conversations, read again only where a file changed."""

import logging
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TypeVar

from pydantic import ValidationError

from workflow_agent.conversations.store import ConversationPage, ConversationSummary, MessageHit, MessageQuery
from workflow_agent.errors import CorruptDocument, StorageFailed
from workflow_agent.storage.files.conversation_list import (
    ConversationHead,
    ListedEvent,
    SealedHead,
    page_of,
    stamp_of,
    summary_of,
)
from workflow_agent.storage.files.documents import LeftOut, StatCache
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import FileState, is_conversation_id
from workflow_agent.storage.files.journals import joined, journal_of
from workflow_agent.storage.files.locks import locked
from workflow_agent.storage.files.rules import no_conversation
from workflow_agent.storage.files.search.index_file import is_damage, remove_database
from workflow_agent.storage.files.search.messages import Indexed, MessageDatabase, Said, lookup_of, storable
from workflow_agent.storage.files.search.ranked_messages import Stemmer
from workflow_agent.values.stored import iso_milliseconds

_log = logging.getLogger(__name__)
_FILE = Path(".index") / "messages.sqlite"
_SEALED = re.compile(r"turns-[0-9]{6,12}-([0-9]{6,12})\.json")
_SPOKEN = ("user_message", "agent_reply")

T = TypeVar("T")
_SUMMARIES_KEPT = 50_000
_SUFFIX = ".json"
_States = tuple[FileState, FileState | None]
"""Of a document and its journal."""


class ConversationIndex:
    """The conversations of a directory as pages, and what was said in them, sealed turns included.

    The index of messages is `<tenant>/.index/messages.sqlite`. It is made from the files alone: one that is missing
    or damaged is built anew, and where no file can be used it is built in memory for each search.

    `check` reads a whole conversation; it sets a damaged one aside and raises CorruptDocument.
    """

    def __init__(self, files: DurableFiles, check: Callable[[Path], object]) -> None:
        self._files = files
        self._check = check
        self._summaries: StatCache[ConversationSummary] = StatCache(_SUMMARIES_KEPT)
        self._left_out = LeftOut(files)
        self._lock = Lock()
        self._stemmed: Stemmer | None = None

    def page(self, directory: Path, query: str, cursor: str | None, limit: int) -> ConversationPage:
        """Return one page of a directory; a damaged file is set aside, and what cannot be read is named."""
        documents = self._documents(directory)
        listed = self._summaries_of(documents)
        if query.strip():
            stamps = {one.id: stamp_of(one) for one in listed}

            def look(database: MessageDatabase) -> set[str]:
                self._follow(database, directory, stamps)
                return database.holding(storable(query.strip()).casefold())

            found = self._using(directory, look)
            listed = [one for one in listed if one.id in found]
        return replace(page_of(listed, cursor, limit), unreadable=self._left_out.among(documents))

    def find(self, directory: Path, query: MessageQuery) -> Sequence[MessageHit]:
        """Return messages of a directory, or of one conversation; raises ConversationNotFound if that is not there."""
        one = query.conversation_id
        listed = (
            self._summaries_of(self._documents(directory))
            if one is None
            else [self._summary(directory / f"{one}{_SUFFIX}")]
        )
        stamps = {summary.id: stamp_of(summary) for summary in listed if summary is not None}
        if one is not None and not stamps:
            raise no_conversation(one)
        lookup = lookup_of(query)
        if lookup is None:
            return ()

        def look(database: MessageDatabase) -> Sequence[MessageHit]:
            if one is None:
                self._follow(database, directory, stamps)
            else:
                self._follow_one(database, directory, one, database.known_of(one), stamps[one])
            return database.find(lookup)

        return self._using(directory, look)

    def drop_messages(self, directory: Path) -> None:
        """Remove the index of messages, or raise StorageFailed: rows that are deleted stay in its file for a while."""
        path = directory.parent / _FILE
        if self._files.state(path) is None:
            return
        with self._lock:
            try:
                remove_database(path)
            except OSError as error:
                raise StorageFailed(f"The index of messages could not be removed: {error}") from error

    def _summaries_of(self, documents: Iterable[Path]) -> list[ConversationSummary]:
        found: list[ConversationSummary] = []
        for document in documents:
            with self._left_out.where_unreadable(document):
                summary = self._summary(document)
                if summary is not None:
                    found.append(summary)
        return found

    def _documents(self, directory: Path) -> list[Path]:
        names = self._files.names(directory, _SUFFIX)
        return [directory / name for name in names if is_conversation_id(name.removesuffix(_SUFFIX))]

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
            found = joined(
                self._files, document, stored.data, lambda head, _: ConversationHead.model_validate_json(head)
            )
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

    def _using(self, directory: Path, use: Callable[[MessageDatabase], T]) -> T:
        path = directory.parent / _FILE
        with self._lock:
            for _ in range(2):
                try:
                    with closing(self._database(path)) as database:
                        return use(database)
                except (sqlite3.Error, OSError) as error:
                    if not (isinstance(error, sqlite3.Error) and is_damage(error)):
                        _log.warning("The index of messages is built in memory: %s", error)
                        break
                    _log.warning("The index of messages is damaged and is built anew: %s", error)
                    remove_database(path)
            try:
                with closing(self._database(None)) as database:
                    return use(database)
            except sqlite3.Error as error:
                raise StorageFailed(f"The index of messages does not work, not even in memory: {error}") from error

    def _database(self, path: Path | None) -> MessageDatabase:
        self._stemmed = self._stemmed or Stemmer()
        return MessageDatabase(path, self._stemmed)

    def _follow(self, database: MessageDatabase, directory: Path, stamps: Mapping[str, str]) -> None:
        """Read those conversations again of which the index knows another state than their stamps say."""
        known = database.known()
        database.forget(one for one in known if one not in stamps)
        for conversation_id, stamp in stamps.items():
            before = known.get(conversation_id)
            if before is None or before.stamp != stamp:
                with self._left_out.where_unreadable(directory / f"{conversation_id}.archive"):
                    self._follow_one(database, directory, conversation_id, before, stamp)

    def _follow_one(
        self, database: MessageDatabase, directory: Path, conversation_id: str, known: Indexed | None, stamp: str
    ) -> None:
        if known is not None and known.stamp == stamp:
            return
        found = self._head(directory / f"{conversation_id}{_SUFFIX}")
        if found is None:
            database.forget([conversation_id])
            return
        head = found[0]
        began = iso_milliseconds(head.created_at)
        last_number = max([_sealed_up_to(head), *(event.index for event in head.events)])
        anew = known is None or not known.stamp or known.began != began or known.last_number > last_number
        start = Indexed("", began, -1, 0) if anew or known is None else known
        messages = list(_said(head.events))
        complete = True
        if _sealed_up_to(head) > start.last_number:
            for part in self._sealed(directory / f"{conversation_id}.archive", start.last_turn):
                complete = complete and part is not None
                messages += _said(part.events) if part else ()
        # Once each: a save that was cut off may have left a sealed file of turns that are in the file again.
        told = {message.number: message for message in messages if message.number > start.last_number}
        new = list(told.values())
        last_turn = max([start.last_turn, *(message.turn for message in new)])
        state = Indexed(stamp if complete else "", began, last_number, last_turn)
        database.put(conversation_id, state, head.title, new, anew=anew)

    def _sealed(self, archive: Path, last_turn: int) -> Iterator[SealedHead | None]:
        """Yield the sealed files with turns from the last one indexed on; None for one that is damaged."""
        for name in self._files.names(archive):
            match = _SEALED.fullmatch(name)
            if match is None or int(match[1]) < last_turn:
                continue
            stored = self._files.read(archive / name)
            try:
                yield None if stored is None else SealedHead.model_validate_json(stored.data)
            except ValidationError:
                # Whoever reads the turns is told; a search goes on without them, and looks again next time.
                yield None


def _sealed_up_to(head: ConversationHead) -> int:
    return head.archive[-1].last_index if head.archive else -1


def _said(events: Sequence[ListedEvent]) -> Iterator[Said]:
    for one in events:
        if one.type in _SPOKEN:
            yield Said(one.index, one.turn, one.id, one.type, one.author, one.at, one.run_id, one.content)
