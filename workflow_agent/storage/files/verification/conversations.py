"""The conversations of a tenant, each with all that belongs to it."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

import orjson

from workflow_agent.conversations.archive import SealedTurns
from workflow_agent.conversations.document import SCHEMA_VERSION, Conversation
from workflow_agent.conversations.records import kept_apart
from workflow_agent.conversations.seals import SealedPart, whole_conversation
from workflow_agent.conversations.verification import Change, wrong_in, wrong_steps
from workflow_agent.errors import StorageFailed
from workflow_agent.storage.files.archives import parsed_part
from workflow_agent.storage.files.conversation_documents import ConversationText, parse_file, written
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import is_conversation_id
from workflow_agent.storage.files.journals import DELETING, JOURNAL, Joined, finish_deletion, joined
from workflow_agent.storage.files.locks import locked
from workflow_agent.storage.files.verification.workflows import Finding, Mend, plain_object, readable

_DIGEST = re.compile(r"[0-9a-f]{64}")
_REFERENCE = re.compile(rb"sha256:([0-9a-f]{64})")


@dataclass(slots=True)
class ArchiveCheck:
    """Checks what a conversation keeps beside its file; afterwards it knows the sealed parts."""

    files: DurableFiles
    directory: Path
    """`<id>.archive`."""
    conversation: Conversation
    texts: list[bytes]
    """What may refer to blobs: the conversation's file, its journals; the sealed files are added."""
    parts: list[SealedPart] = field(default_factory=list[SealedPart])
    is_sound: bool = True
    """Whether all of them could be read."""
    _named: set[str] = field(default_factory=set[str])

    def findings(self) -> Iterator[Finding]:
        """Yield what is wrong with them."""
        yield from self._entries(self.conversation.archive)
        yield from self._order()
        if self.is_sound:
            yield from self._orphans()
        yield from self._blobs()

    def _entries(self, entries: Sequence[SealedTurns]) -> Iterator[Finding]:
        for entry in entries:
            self._named.add(entry.file)
            path = self.directory / entry.file
            stored = self.files.read(path)
            if stored is None or hashlib.sha256(stored.data).hexdigest() != entry.sha256:
                self.is_sound = False
                kind = "sealed_file_missing" if stored is None else "sealed_file_altered"
                what = "is missing" if stored is None else "is not what was sealed: its digest differs"
                turns = f"The file with turns {entry.first_turn} to {entry.last_turn}"
                yield self._finding(kind, path, f"{turns} {what}. Restore it from a backup.")
                continue
            self.texts.append(stored.data)
            yield from self._content(path, entry, stored.data)

    def _content(self, path: Path, entry: SealedTurns, data: bytes) -> Iterator[Finding]:
        try:
            if entry.kind == "turns":
                self.parts.append(parsed_part(data))
                return
            listed = [SealedTurns.model_validate(one) for one in orjson.loads(data)["entries"]]
        except (ValueError, LookupError, TypeError, StorageFailed) as error:
            self.is_sound = False
            yield self._finding("unreadable_document", path, f"It does not parse: {error}")
            return
        yield from self._entries(listed)

    def _order(self) -> Iterator[Finding]:
        turn, index, call = 1, 0, 0
        for entry in self.conversation.archive:
            if (entry.first_turn, entry.first_index, entry.first_call) != (turn, index, call):
                yield self._finding(
                    "archive_gap",
                    self.directory / entry.file,
                    f"It begins at turn {entry.first_turn}, event {entry.first_index}, call "
                    f"{entry.first_call}; turn {turn}, event {index}, call {call} come next.",
                )
            turn, index, call = entry.last_turn + 1, entry.last_index + 1, entry.first_call + entry.calls

    def _orphans(self) -> Iterator[Finding]:
        events = {event.id: event for event in whole_conversation(self.conversation, self.parts).events}
        for name in self.files.names(self.directory, ".json"):
            if name in self._named:
                continue
            path = self.directory / name
            stored = self.files.read(path)
            mend, message = None, "Nothing names it, and what it holds is nowhere else."
            if stored is not None and _is_within(stored.data, events):
                mend = partial(self.files.remove, path)
                message = "Nothing names it; a save that was cut off left it, and the conversation has what it holds."
            yield self._finding("sealed_file_orphan", path, message, mend)

    def _blobs(self) -> Iterator[Finding]:
        blobs = self.directory / "blobs"
        there = set(self.files.names(blobs))
        for reference in sorted(kept_apart(whole_conversation(self.conversation, self.parts))):
            if reference.removeprefix("sha256:") not in there:
                yield self._finding("blob_missing", blobs / reference[7:], "A message refers to it.")
        mentioned = {match.decode() for text in self.texts for match in _REFERENCE.findall(text)}
        for name in sorted(there):
            path = blobs / name
            stored = self.files.read(path) if _DIGEST.fullmatch(name) else None
            if stored is None:
                continue
            if hashlib.sha256(stored.data).hexdigest() != name:
                yield self._finding("blob_altered", path, "It is not what its name says: its digest differs.")
            elif name not in mentioned and self.is_sound:
                yield self._finding("blob_orphan", path, "Nothing refers to it.", partial(self.files.remove, path))

    def _finding(self, kind: str, path: Path, message: str, mend: Mend | None = None) -> Finding:
        return Finding(kind, self.files.name_of(path), message, mend)


def _is_within(data: bytes, events: dict[str, Any]) -> bool:
    """Say whether an unnamed sealed file holds only events that the conversation has just so."""
    try:
        part = parsed_part(data)
    except (ValueError, LookupError, TypeError, StorageFailed):
        return _is_index(data)
    return all(events.get(event.id) == event for event in part.events)


def _is_index(data: bytes) -> bool:
    """Say whether it lists sealed files, which has no other content than those."""
    try:
        plain: Any = orjson.loads(data)
    except orjson.JSONDecodeError:
        return False
    return isinstance(plain, dict) and "entries" in cast("dict[str, Any]", plain)


_RUN_JOURNAL = re.compile(r"(.{1,64})\.run-([0-9]{1,9})\.jsonl")
_MESSAGE_CHARS = 300


class ConversationCheck:
    """Checks the conversations of one directory."""

    def __init__(self, files: DurableFiles, directory: Path, workflow_ids: set[str]) -> None:
        self._files = files
        self._directory = directory
        self._workflow_ids = workflow_ids
        self._names = set[str]()

    def findings(self) -> Iterator[Finding]:
        """Yield what is wrong with them."""
        self._names.update(self._files.names(self._directory))
        for name in sorted(self._names):
            path = self._directory / name
            yield from readable(self._files, path, partial(self._entry, path))

    def _entry(self, path: Path) -> Iterator[Finding]:
        stem, ending = path.stem, path.suffix
        if ".corrupt-" in path.name:
            yield self._finding("set_aside", path, "It did not parse and was set aside. Mend it or remove it.")
        elif ending == ".json" and is_conversation_id(stem):
            yield from self._document(path)
        elif path.name.endswith(JOURNAL) and is_conversation_id(path.name.removesuffix(JOURNAL)):
            yield from self._journal_alone(path)
        elif ending in (".archive", ".lock") and is_conversation_id(stem):
            yield from self._left_alone(path)
        elif ending == DELETING and is_conversation_id(stem):
            mend = partial(finish_deletion, self._files, path.with_suffix(".json"))
            yield self._finding("cut_off_deletion", path, "It was being deleted when the process ended.", mend)

    def _journal_alone(self, path: Path) -> Iterator[Finding]:
        stem = path.name.removesuffix(JOURNAL)
        # A document that was set aside needs it once it is mended.
        if not any(name.startswith((f"{stem}.json", f"{stem}{DELETING}")) for name in self._names):
            mend = partial(self._files.remove, path)
            yield self._finding("journal_orphan", path, "Its conversation is gone.", mend)

    def _left_alone(self, path: Path) -> Iterator[Finding]:
        if {f"{path.stem}.json", f"{path.stem}{DELETING}"} & self._names:
            return
        if path.suffix == ".lock":
            if f"{path.stem}.archive" not in self._names:
                mend = partial(self._files.remove, path)
                yield self._finding("lock_orphan", path, "Its conversation is gone.", mend)
        elif self._was_never_stored(path):
            mend = partial(self._files.remove_directory, path)
            message = "There are contents of a conversation that was not stored."
            yield self._finding("cut_off_creation", path, message, mend)
        else:
            yield self._finding("conversation_missing", path, "There are turns or contents of it, and no file.")

    def _was_never_stored(self, archive: Path) -> bool:
        """Say whether a new conversation's contents were kept and then the process ended: it has no turns."""
        is_aside = any(name.startswith(f"{archive.stem}.json.corrupt-") for name in self._names)
        # Whatever was stored once has a lock file.
        was_stored = is_aside or f"{archive.stem}.lock" in self._names
        return not was_stored and self._files.names(archive) == ["blobs"]

    def _document(self, path: Path) -> Iterator[Finding]:
        stored = self._files.read(path)
        if stored is None:
            return
        found = self._parsed(path, stored.data)
        if isinstance(found, Finding):
            yield found
            return
        conversation = found.value.conversation
        journals = [one for name in self._names if (one := _RUN_JOURNAL.fullmatch(name)) and one[1] == path.stem]
        yield from self._journals(conversation, journals)
        texts = [stored.data, found.lines, *(self._files.content(self._directory / one[0]) for one in journals)]
        archive = ArchiveCheck(self._files, path.with_suffix(".archive"), conversation, texts)
        yield from archive.findings()
        wrong = wrong_in(conversation, archive.parts) if archive.is_sound else wrong_steps(conversation)
        for one in wrong:
            mend = None if one.change is None else partial(self._save, path, one.change)
            yield self._finding(one.kind, path, one.message, mend)
        yield from self._references(path, conversation)

    def _parsed(self, path: Path, data: bytes) -> Joined[ConversationText] | Finding:
        """Return the conversation in a file and its journal, or what is wrong with the file."""
        try:
            version: object = plain_object(self._files, path).get("schema_version")
            if type(version) is not int or not 1 <= version <= SCHEMA_VERSION:
                message = f"Its schema version is {version!r}; 1 to {SCHEMA_VERSION} are known."
                return self._finding("unknown_schema_version", path, message)
            return joined(self._files, path, data, parse_file)
        except ValueError as error:
            message = f"It is no conversation: {error}"[:_MESSAGE_CHARS]
            return self._finding("unreadable_conversation", path, message)
        except StorageFailed as error:
            return self._finding("wrong_place", path, error.message)

    def _journals(self, conversation: Conversation, journals: list[re.Match[str]]) -> Iterator[Finding]:
        # Of one that was interrupted too: it may be sent again, and goes on with what the model said.
        needed = [run for run in conversation.runs if run.status in ("running", "interrupted")]
        fences = {run.fence - back for run in needed for back in range(run.attempt)}
        for one in journals:
            if int(one[2]) not in fences:
                path = self._directory / one[0]
                mend = partial(self._files.remove, path)
                message = "The run it tells of has ended; its end is on record."
                yield self._finding("journal_orphan", path, message, mend)

    def _references(self, path: Path, conversation: Conversation) -> Iterator[Finding]:
        bound = conversation.bound_workflow_id
        if bound is not None and bound not in self._workflow_ids:
            mend = partial(self._save, path, _without_open_workflow)
            message = f"Its open workflow {bound!r} is not there and was not deleted."
            yield self._finding("dangling_workflow", path, message, mend)
        expected = {one.workflow_id for one in conversation.workflow_refs if not one.is_elsewhere}
        for missing in sorted(expected - self._workflow_ids):
            message = f"It refers to {missing!r}, which is not there and was not deleted."
            yield self._finding("dangling_workflow", path, message)

    def _save(self, path: Path, change: Change) -> None:
        lock = path.with_suffix(".lock")
        was_there = lock.exists()
        with locked(lock):
            stored = self._files.read(path)
            if stored is not None:
                before = joined(self._files, path, stored.data, parse_file).value.conversation
                after = change(before).model_copy(update={"version": before.version + 1})
                data, _ = written(after, ConversationText(after).parts)
                self._files.save(path, data)
            if not was_there:
                lock.unlink(missing_ok=True)

    def _finding(self, kind: str, path: Path, message: str, mend: Mend | None = None) -> Finding:
        return Finding(kind, self._files.name_of(path), message, mend)


def _without_open_workflow(conversation: Conversation) -> Conversation:
    return conversation.model_copy(update={"bound_workflow_id": None})
