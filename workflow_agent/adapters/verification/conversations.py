"""The conversations of a tenant, each with all that belongs to it."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from workflow_agent.adapters.conversation_json import ConversationText, parse_conversation, written
from workflow_agent.adapters.data_paths import is_conversation_id
from workflow_agent.adapters.durable_files import DurableFiles
from workflow_agent.adapters.file_locks import locked
from workflow_agent.adapters.verification.archives import ArchiveCheck
from workflow_agent.adapters.verification.documents import plain_object
from workflow_agent.adapters.verification.findings import Finding
from workflow_agent.domain.conversation import SCHEMA_VERSION, Conversation
from workflow_agent.domain.errors import StorageFailed
from workflow_agent.domain.verification import Change, wrong_in, wrong_steps

_JOURNAL = re.compile(r"(.{1,64})\.run-([0-9]{1,9})\.jsonl")
_MESSAGE_CHARS = 300


class ConversationCheck:
    """Checks the conversations of one directory.

    Args:
        files: The data directory.
        directory: Where the conversations are.
        workflow_ids: The workflows there are or were.
    """

    def __init__(self, files: DurableFiles, directory: Path, workflow_ids: set[str]) -> None:
        self._files = files
        self._directory = directory
        self._workflow_ids = workflow_ids
        self._names = files.names(directory)

    def findings(self) -> Iterator[Finding]:
        """Yield what is wrong with them."""
        for name in self._names:
            path = self._directory / name
            stem, ending = path.stem, path.suffix
            if ".corrupt-" in name:
                yield self._finding(
                    "set_aside", path, "It did not parse and was set aside. Mend it or remove it."
                )
            elif ending == ".json" and is_conversation_id(stem):
                yield from self._document(path)
            elif ending in (".archive", ".lock") and is_conversation_id(stem):
                yield from self._left_alone(path)

    def _left_alone(self, path: Path) -> Iterator[Finding]:
        if f"{path.stem}.json" in self._names:
            return
        if path.suffix == ".lock":
            yield self._finding(
                "lock_orphan", path, "Its conversation is gone.", partial(self._files.remove, path)
            )
        else:
            yield self._finding(
                "conversation_missing", path, "There are turns or contents of it, and no file."
            )

    def _document(self, path: Path) -> Iterator[Finding]:
        stored = self._files.read(path)
        if stored is None:
            return
        conversation = self._parsed(path, stored.data)
        if isinstance(conversation, Finding):
            yield conversation
            return
        journals = [one for name in self._names if (one := _JOURNAL.fullmatch(name)) and one[1] == path.stem]
        yield from self._journals(conversation, journals)
        texts = [stored.data, *(self._text(self._directory / one[0]) for one in journals)]
        archive = ArchiveCheck(self._files, path.with_suffix(".archive"), conversation, texts)
        yield from archive.findings()
        wrong = wrong_steps(conversation) if archive.whole is None else wrong_in(archive.whole)
        for one in wrong:
            mend = None if one.change is None else partial(self._save, path, one.change)
            yield self._finding(one.kind, path, one.message, mend)
        yield from self._references(path, conversation)

    def _parsed(self, path: Path, data: bytes) -> Conversation | Finding:
        """Return the conversation in a file, or what is wrong with the file."""
        try:
            version: object = plain_object(self._files, path).get("schema_version")
            if type(version) is not int or not 1 <= version <= SCHEMA_VERSION:
                message = f"Its schema version is {version!r}; 1 to {SCHEMA_VERSION} are known."
                return self._finding("unknown_schema_version", path, message)
            return parse_conversation(data, path)
        except ValueError as error:
            message = f"It is no conversation: {error}"[:_MESSAGE_CHARS]
            return self._finding("unreadable_conversation", path, message)
        except StorageFailed as error:
            return self._finding("wrong_place", path, error.message)

    def _journals(self, conversation: Conversation, journals: list[re.Match[str]]) -> Iterator[Finding]:
        running = {run.fence for run in conversation.runs if run.status == "running"}
        for one in journals:
            if int(one[2]) not in running:
                path = self._directory / one[0]
                yield self._finding(
                    "journal_orphan", path, "The run it tells of has ended; its end is on record.",
                    partial(self._files.remove, path),
                )  # fmt: skip

    def _text(self, path: Path) -> bytes:
        stored = self._files.read(path)
        return b"" if stored is None else stored.data

    def _references(self, path: Path, conversation: Conversation) -> Iterator[Finding]:
        bound = conversation.bound_workflow_id
        if bound is not None and bound not in self._workflow_ids:
            yield self._finding(
                "dangling_workflow", path, f"Its open workflow {bound!r} is not there and was not deleted.",
                partial(self._save, path, _without_open_workflow),
            )  # fmt: skip
        for missing in sorted({one.workflow_id for one in conversation.workflow_refs} - self._workflow_ids):
            yield self._finding(
                "dangling_workflow",
                path,
                f"It refers to {missing!r}, which is not there and was not deleted.",
            )

    def _save(self, path: Path, change: Change) -> None:
        lock = path.with_suffix(".lock")
        was_there = lock.exists()
        with locked(lock):
            stored = self._files.read(path)
            if stored is not None:
                before = parse_conversation(stored.data, path)
                after = change(before).model_copy(update={"version": before.version + 1})
                data, _ = written(after, ConversationText(after).parts)
                self._files.save(path, data)
            if not was_there:
                lock.unlink(missing_ok=True)

    def _finding(self, kind: str, path: Path, message: str, mend: Any = None) -> Finding:
        return Finding(kind, self._files.name_of(path), message, mend)


def _without_open_workflow(conversation: Conversation) -> Conversation:
    return conversation.model_copy(update={"bound_workflow_id": None})
