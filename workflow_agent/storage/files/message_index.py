"""The index of what was said in a directory's conversations: what follows the files, and what asks it."""

import logging
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from threading import Lock
from typing import TypeVar

from pydantic import ValidationError

from workflow_agent.conversations.store import MessageHit
from workflow_agent.errors import StorageFailed
from workflow_agent.storage.files.conversation_list import ConversationHead, ListedEvent, SealedHead, hit_of
from workflow_agent.storage.files.documents import LeftOut
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.search.index_file import is_damage, remove_database
from workflow_agent.storage.files.search.messages import Indexed, Lookup, MessageDatabase, Said, storable
from workflow_agent.storage.files.search.ranked_messages import Stemmer
from workflow_agent.values.stored import iso_milliseconds

_log = logging.getLogger(__name__)
_FILE = Path(".index") / "messages.sqlite"
_SEALED = re.compile(r"turns-[0-9]{6,12}-([0-9]{6,12})\.json")
_SPOKEN = ("user_message", "agent_reply")

Read = Callable[[str], ConversationHead | None]
"""Reads a conversation's file as far as a search needs it; None when it is gone or damaged."""
T = TypeVar("T")


class ConversationMessages:
    """Finds what was said in the conversations of a directory, sealed turns included.

    The index is `<tenant>/.index/messages.sqlite`. It is made from the files alone: one that is missing
    or damaged is built anew, and where no file can be used it is built in memory for each search.
    """

    def __init__(self, files: DurableFiles, left_out: LeftOut) -> None:
        self._files = files
        self._left_out = left_out
        self._lock = Lock()
        self._stemmed: Stemmer | None = None

    def holding(self, directory: Path, text: str, stamps: Mapping[str, str], read: Read) -> set[str]:
        """Return the conversations whose title or one of whose messages holds a text, whatever its case.

        The stamps say which state of each conversation is the newest; those of which the index knows another are
        read.
        """
        wanted = storable(text.strip()).casefold()

        def look(database: MessageDatabase) -> set[str]:
            self._follow(database, directory, stamps, read)
            return database.holding(wanted)

        return self._using(directory, look)

    def find(self, directory: Path, lookup: Lookup, stamps: Mapping[str, str], read: Read) -> Sequence[MessageHit]:
        """Return the messages that a lookup asks for; the other arguments are those of `holding`."""

        def look(database: MessageDatabase) -> Sequence[MessageHit]:
            if lookup.conversation_id is None:
                self._follow(database, directory, stamps, read)
            else:
                self._follow_one(
                    database,
                    directory,
                    lookup.conversation_id,
                    database.known_of(lookup.conversation_id),
                    stamps[lookup.conversation_id],
                    read,
                )
            return [hit_of(one, lookup) for one in database.find(lookup)]

        return self._using(directory, look)

    def drop(self, directory: Path) -> None:
        """Remove the index of a directory: what is deleted row by row stays in the file for a while.

        Raises:
            StorageFailed: It cannot be removed.
        """
        path = directory.parent / _FILE
        if self._files.state(path) is None:
            return
        with self._lock:
            try:
                remove_database(path)
            except OSError as error:
                raise StorageFailed(f"The index of messages could not be removed: {error}") from error

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

    def _follow(self, database: MessageDatabase, directory: Path, stamps: Mapping[str, str], read: Read) -> None:
        known = database.known()
        database.forget(one for one in known if one not in stamps)
        for conversation_id, stamp in stamps.items():
            before = known.get(conversation_id)
            if before is None or before.stamp != stamp:
                with self._left_out.where_unreadable(directory / f"{conversation_id}.archive"):
                    self._follow_one(database, directory, conversation_id, before, stamp, read)

    def _follow_one(
        self,
        database: MessageDatabase,
        directory: Path,
        conversation_id: str,
        known: Indexed | None,
        stamp: str,
        read: Read,
    ) -> None:
        if known is not None and known.stamp == stamp:
            return
        head = read(conversation_id)
        if head is None:
            database.forget([conversation_id])
            return
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
