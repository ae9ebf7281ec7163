"""Conversations as JSON files: one a conversation, readable, replaced whole at each save."""

import asyncio
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from typing_extensions import override

from workflow_agent.conversations.archive import Position, SealedTurns
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.outcome import current_run
from workflow_agent.conversations.redaction import Redaction
from workflow_agent.conversations.seals import SealedPart, SealRule, no_longer_sealed
from workflow_agent.conversations.store import ConversationPage, ConversationStore, MessageHit, MessageQuery, RunFences
from workflow_agent.errors import ConversationNotFound
from workflow_agent.storage.files import journals
from workflow_agent.storage.files.archives import ConversationArchive, parsed_entries
from workflow_agent.storage.files.conversation_documents import ConversationBlobs, ConversationText, parse_file, written
from workflow_agent.storage.files.conversation_index import ConversationIndex
from workflow_agent.storage.files.documents import DocumentReader, StatCache
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import FileState, is_conversation_id, tenant_directory
from workflow_agent.storage.files.locks import WriterQueues, locked, locked_for_long
from workflow_agent.storage.files.redaction import redacted
from workflow_agent.storage.files.rules import check_new_id, damaged_conversation, id_taken, no_conversation
from workflow_agent.storage.holdings import HeldConversation
from workflow_agent.values.stored import RunFence, content_json, parse_canonical

_CACHE_BYTES = 24 * 2**20
_MEMORY_A_FILE_BYTE = 6
"""What a parsed conversation takes for each byte of its file, the text of its parts among it; measured."""
_LARGE_CHARS = 64 * 2**10
"""An attachment that is longer takes a while to digest."""


class _Place(NamedTuple):
    """Where one conversation is kept."""

    id: str
    directory: Path
    document: Path
    journal: Path
    lock: Path
    archive: Path


# Names are matched first; making paths of them anew at every look took longer than looking.
@lru_cache(maxsize=4_096)
def _place_of(conversation_id: str, tenant_directory: Path) -> _Place:
    directory = tenant_directory / "conversations"
    document, journal, lock, archive = (
        directory / f"{conversation_id}{end}" for end in (".json", journals.JOURNAL, ".lock", ".archive")
    )
    return _Place(conversation_id, directory, document, journal, lock, archive)


class JsonConversationStore(ConversationStore, RunFences):
    """Keeps each conversation in `<tenant>/conversations/<id>.json` below the data directory.

    An operation makes one trip to a thread, where `update` runs the change too; what is known takes none,
    only a look at its file (ADR-0016).

    `cache_bytes` is how much memory the most recently used conversations may take, parsed; `seal` says when compacted
    turns are moved into files of their own.
    """

    def __init__(self, files: DurableFiles, *, cache_bytes: int = _CACHE_BYTES, seal: SealRule | None = None) -> None:
        self._files = files
        self._archive = ConversationArchive(files, seal or SealRule())
        self._reader = DocumentReader(files, self._joined)
        self._queues = WriterQueues()
        self._conversations: StatCache[ConversationText] = StatCache(
            cache_bytes, lambda kept: kept.size_bytes * _MEMORY_A_FILE_BYTE
        )
        self._index = ConversationIndex(files, self._check)
        self._blobs = ConversationBlobs(files)

    @override
    async def create(self, conversation: Conversation) -> Conversation:
        check_new_id(conversation.id)
        place = self._place(conversation.tenant, conversation.id)
        async with self._queues.of(place.document):
            return await asyncio.to_thread(self._create, place, conversation)

    async def adopt(self, kept: HeldConversation) -> None:
        """Store a kept conversation, its document last, at its version; raises AlreadyExists if the id is taken."""
        conversation = kept.conversation
        check_new_id(conversation.id)
        place = self._place(conversation.tenant, conversation.id)
        beside = {place.archive / name: body for name, body in kept.parts.items()}
        beside |= {place.archive / "blobs" / digest: body for digest, body in kept.blobs.items()}
        async with self._queues.of(place.document):
            await asyncio.to_thread(self._create, place, conversation, conversation.version, beside)

    def with_archive(self, conversation: Conversation) -> HeldConversation:
        """Return a conversation with all that is beside its file; blocks."""
        archive = self._place(conversation.tenant, conversation.id).archive
        blobs = archive / "blobs"
        return HeldConversation(
            conversation,
            {name: self._files.content(archive / name) for name in self._files.names(archive, ".json")},
            {digest: self._files.content(blobs / digest) for digest in self._files.names(blobs) if "." not in digest},
        )

    @override
    async def load(self, tenant: str, conversation_id: str) -> Conversation:
        place = self._existing_place(tenant, conversation_id)
        return (self._cached(place) or await asyncio.to_thread(self._load, place)).conversation

    @override
    async def update(
        self, tenant: str, conversation_id: str, change: Callable[[Conversation], Conversation]
    ) -> Conversation:
        place = self._existing_place(tenant, conversation_id)
        async with self._queues.of(place.document):
            return await asyncio.to_thread(self._update, place, change)

    @override
    async def delete(self, tenant: str, conversation_id: str) -> None:
        place = self._existing_place(tenant, conversation_id)
        async with self._queues.of(place.document):
            await asyncio.to_thread(self._delete, place)

    @override
    async def redact(self, tenant: str, conversation_id: str, gone: Redaction) -> bool:
        place = self._existing_place(tenant, conversation_id)
        async with self._queues.of(place.document):
            return await asyncio.to_thread(self._redact, place, gone)

    @override
    async def sealed(self, tenant: str, conversation_id: str, position: Position) -> SealedPart:
        place = self._existing_place(tenant, conversation_id)
        return await asyncio.to_thread(
            lambda: self._archive.part(place.archive, self._load(place).conversation, position)
        )

    @override
    async def listed(self, tenant: str, conversation_id: str, index: SealedTurns) -> Sequence[SealedTurns]:
        place = self._existing_place(tenant, conversation_id)
        return parsed_entries(await asyncio.to_thread(self._archive.checked, place.archive, index))

    @override
    async def put_blob(self, tenant: str, conversation_id: str, content: Any, fence: RunFence | None = None) -> str:
        place = self._place(tenant, conversation_id)
        check_new_id(conversation_id)
        if not isinstance(content, str) or len(content) <= _LARGE_CHARS:
            known = self._blobs.reference_of_known(place.archive, content)
            if known is not None:
                return known
        return await asyncio.to_thread(self._put_blob, place, tenant, content, fence)

    @override
    async def blob(self, tenant: str, conversation_id: str, content_ref: str) -> Any:
        place = self._existing_place(tenant, conversation_id)
        known = self._blobs.known(place.archive, content_ref)
        if known is not None:
            return parse_canonical(known)
        return await asyncio.to_thread(self._blobs.get, place.archive, conversation_id, content_ref)

    @override
    async def page(
        self, tenant: str, *, query: str = "", cursor: str | None = None, limit: int = 50
    ) -> ConversationPage:
        return await asyncio.to_thread(self._index.page, self._directory(tenant), query, cursor, limit)

    @override
    async def find(self, tenant: str, query: MessageQuery) -> Sequence[MessageHit]:
        directory = self._directory(tenant)
        if query.conversation_id is not None:
            self._existing_place(tenant, query.conversation_id)
        return await asyncio.to_thread(self._index.find, directory, query)

    @contextmanager
    @override
    def held(self, tenant: str, fence: RunFence) -> Generator[None]:
        place = self._existing_place(tenant, fence.conversation_id)
        # Asked before locking, so that a deleted conversation gets no lock file.
        is_there = self._files.state(place.document) is not None
        with locked(place.lock) if is_there else nullcontext():
            kept = self._cached(place) or self._read(place, is_locked=True) if is_there else None
            current_run(kept.conversation if kept else None, fence.run_id, fence.number)
            yield

    def compacting(self, tenant: str, conversation_id: str) -> AbstractAsyncContextManager[None]:
        """Return what keeps every other process from compacting a conversation as long as the block lasts."""
        place = self._existing_place(tenant, conversation_id)
        return locked_for_long(place.directory / f"{place.id}.compacting.lock")

    def _directory(self, tenant: str) -> Path:
        return tenant_directory(self._files.root, tenant) / "conversations"

    def _place(self, tenant: str, conversation_id: str) -> _Place:
        return _place_of(conversation_id, tenant_directory(self._files.root, tenant))

    def _existing_place(self, tenant: str, conversation_id: str) -> _Place:
        place = self._place(tenant, conversation_id)
        if not is_conversation_id(conversation_id):
            raise no_conversation(conversation_id)
        return place

    def _create(
        self, place: _Place, conversation: Conversation, version: int = 1, beside: Mapping[Path, bytes] | None = None
    ) -> Conversation:
        self._files.ensure_directory(place.directory)
        # Its sealed turns and contents are still there, and those of another would overwrite them.
        aside = self._reader.waiting(place.document, place.lock)
        with locked(place.lock):
            if aside is not None or self._files.state(place.document) is not None:
                raise id_taken("conversation", place.id, aside)
            journals.make_room(self._files, place.document)
            self._files.remove(place.journal)
            for path, body in (beside or {}).items():
                self._files.save(path, body)
            nothing = ConversationText(conversation, is_as_stored=False)
            return self._save(place, conversation.model_copy(update={"version": version}), nothing)

    def _load(self, place: _Place, *, is_locked: bool = False) -> ConversationText:
        found = self._cached(place) or self._read(place, is_locked=is_locked)
        if found is None:
            raise self._missing(place)
        return found

    @contextmanager
    def _alone(self, place: _Place) -> Generator[ConversationText]:
        """Hold the lock of a conversation, and give what is stored."""
        self._check_exists(place)
        with locked(place.lock):
            yield self._load(place, is_locked=True)

    def _update(self, place: _Place, change: Callable[[Conversation], Conversation]) -> Conversation:
        with self._alone(place) as current:
            changed = change(current.conversation)
            if changed is current.conversation:
                return changed
            return self._save(place, changed.model_copy(update={"version": current.conversation.version + 1}), current)

    def _save(self, place: _Place, conversation: Conversation, previous: ConversationText) -> Conversation:
        if journals.takes_a_line(conversation, previous):
            return self._note(place, journals.with_line(conversation, previous), previous)
        data, text = self._archive.sealed(place.archive, conversation, previous)
        self._keep(place, self._files.save(place.document, data), replace(text, journal=previous.journal))
        for name in no_longer_sealed(previous.conversation, text.conversation):
            # What it holds is in the file again, which names it no more.
            self._files.remove(place.archive / name)
        return text.conversation

    def _note(self, place: _Place, text: ConversationText, previous: ConversationText) -> Conversation:
        """Write the lines that the document does not have; what the journal had before, the document has."""
        write = self._files.save if previous.lines else self._files.overwrite
        noted = replace(text, journal=write(place.journal, text.lines))
        state = self._files.state(place.document)
        if state is not None:
            self._keep(place, state, noted)
        return noted.conversation

    def _redact(self, place: _Place, gone: Redaction) -> bool:
        with self._alone(place) as current:
            found = redacted(self._files, self._archive, place.archive, current.conversation, gone)
            if found is None:
                return self._forget_lines(place, current, gone)
            without, obsolete = found
            # Before too: were the process to die after the save, nothing would be left that tells to.
            self._index.drop_messages(place.directory)
            data, text = written(without.model_copy(update={"version": current.conversation.version + 1}), {})
            self._keep(place, self._files.save(place.document, data), replace(text, journal=current.journal))
            self._forget_lines(place, text, gone)
            self._index.drop_messages(place.directory)
            for path in obsolete:
                self._files.remove(path)
        return True

    def _forget_lines(self, place: _Place, current: ConversationText, gone: Redaction) -> bool:
        """Remove a journal whose lines are obsolete and hold what is to be gone; say whether one did."""
        journal = self._files.read(place.journal)
        is_held = journal is not None and not current.lines and gone.may_change(journal.data)
        if is_held:
            self._files.remove(place.journal)
        return is_held

    def _delete(self, place: _Place) -> None:
        self._check_exists(place)
        with locked(place.lock):
            self._check_exists(place)
            # From here on it is deleted, and in no list.
            self._files.move(place.document, place.document.with_suffix(journals.DELETING))
            self._conversations.drop(place.document)
            journals.finish_deletion(self._files, place.document)

    def _put_blob(self, place: _Place, tenant: str, content: Any, fence: RunFence | None) -> str:
        data = content_json(content)
        with self.held(tenant, fence) if fence else nullcontext():
            return self._blobs.put(place.archive, data)

    def _check_exists(self, place: _Place) -> None:
        # Asked before locking too, so that a wrong id leaves no lock file behind.
        if self._files.state(place.document) is None:
            raise self._missing(place)

    def _missing(self, place: _Place) -> ConversationNotFound:
        aside = self._reader.waiting(place.document, place.lock)
        return no_conversation(place.id) if aside is None else damaged_conversation(place.id, aside)

    def _cached(self, place: _Place) -> ConversationText | None:
        state = self._files.state(place.document)
        if state is None:
            return None
        return self._conversations.get(place.document, (state, self._files.state(place.journal)))

    def _keep(self, place: _Place, state: FileState, text: ConversationText) -> None:
        self._conversations.put(place.document, (state, text.journal), text)

    def _joined(self, data: bytes, document: Path) -> ConversationText:
        found = journals.joined(self._files, document, data, parse_file)
        return replace(found.value, lines=found.lines, journal=found.state)

    def _read(self, place: _Place, *, is_locked: bool = False) -> ConversationText | None:
        found = self._reader.read(place.document, None if is_locked else place.lock)
        if found is None:
            return None
        if not is_locked and self._files.state(place.document) not in (found.state, None):
            # A save between reading the two files would have made a line obsolete that is missed then.
            with locked(place.lock):
                return self._read(place, is_locked=True)
        self._keep(place, found.state, found.value)
        return found.value

    def _check(self, document: Path) -> None:
        self._read(_place_of(document.stem, document.parent.parent))
