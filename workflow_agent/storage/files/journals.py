"""Journals: changes of a conversation that are durable before its document has them (ADR-0074), and steps of runs."""

import asyncio
import json
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, cast

import orjson
from pydantic import ValidationError
from pydantic_core import to_json
from typing_extensions import override

from workflow_agent.conversations.call_history import CallRecord
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.iterations import Iteration
from workflow_agent.conversations.message_records import conversation_of_run
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.store import LeftBehind, RunJournal
from workflow_agent.errors import StorageFailed
from workflow_agent.storage.files.conversation_documents import LISTS, ConversationText, lines_of, unchanged_first
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import FileState, read_plain_file, tenant_directory
from workflow_agent.values.stored import JsonObject, Versioned

JOURNAL = ".journal.jsonl"
"""In place of `.json`."""
_MOST_BYTES = 256 * 2**10
"""Of the lines that the document does not have yet: more of them are written into it."""
DELETING = ".deleting"
"""In place of `.json`: the document of a conversation that is being deleted. It is in no list any more."""
V = TypeVar("V", bound=Versioned)


class Joined(NamedTuple, Generic[V]):
    """A document with the changes of its journal."""

    value: V
    lines: bytes
    """The lines that the document does not have, as they stand in the journal."""
    state: FileState | None
    """Of the journal; None where there is none."""


def journal_of(document: Path) -> Path:
    """Return where the journal of a document is."""
    return document.with_name(document.name.removesuffix(".json") + JOURNAL)


def takes_a_line(conversation: Conversation, previous: ConversationText) -> bool:
    """Say whether a change may stand in the journal until the next save, which is soon: a run is under way.

    A line adds to records as they stand in the file, so the file must be of the present schema.
    """
    return (
        previous.is_as_stored
        and conversation.archive is previous.conversation.archive
        and len(previous.lines) < _MOST_BYTES
        and conversation.active_run() is not None
    )


def with_line(conversation: Conversation, previous: ConversationText) -> ConversationText:
    """Return the text of a conversation whose last change is a line of its journal.

    The line has each field that changed; of a list of records, the first that differs and all after it.
    """
    parts, before = dict(previous.parts), previous.conversation
    changed = [
        name for name in type(conversation).model_fields if getattr(conversation, name) is not getattr(before, name)
    ]
    fields = conversation.model_dump(mode="json", by_alias=True, include=set(changed) - LISTS)
    records: dict[str, Any] = {}
    for name in LISTS.intersection(changed):
        old, new = getattr(before, name), getattr(conversation, name)
        same = unchanged_first(old, new)
        records[name] = {"after": same, "records": lines_of(name, new[same:], previous.parts, parts)}
    line = {
        "version": conversation.version,
        "fields": orjson.Fragment(to_json(fields, inf_nan_mode="null")),
        "lists": records,
    }
    lines = previous.lines + orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
    return replace(previous, conversation=conversation, parts=parts, lines=lines)


def joined(files: DurableFiles, document: Path, data: bytes, parse: Callable[[bytes, Path], V]) -> Joined[V]:
    """Return a document with the changes that only its journal has.

    Unless the document's lock is held, the caller asks afterwards whether the document is still the same one.

    Raises:
        StorageFailed: The journal cannot be read, or does not fit the document.
    """
    value, path = parse(data, document), journal_of(document)
    journal = files.read(path)
    if journal is None:
        return Joined(value, b"", None)
    lines, changes = _newer(journal.data, value.version)
    if changes:
        try:
            value = parse(_changed(data, changes), document)
        except (LookupError, TypeError, ValueError) as error:
            raise StorageFailed(
                f"The journal {files.name_of(path)!r} does not fit {files.name_of(document)!r}, which was "
                "changed while a message was being answered. Put the file back as it was, or move the "
                "journal away to go on without that message.",
                action="read",
                name=files.name_of(path),
            ) from error
    return Joined(value, lines, journal.state)


def _newer(journal: bytes, version: int) -> tuple[bytes, Sequence[JsonObject]]:
    """Return the lines of a journal that follow a version, as they stand and read.

    A power cut leaves part of the line that was being written, or of one that is obsolete; nobody was told
    of either.
    """
    kept: list[bytes] = []
    changes: list[JsonObject] = []
    for line in journal.splitlines(keepends=True):
        try:
            change: Any = json.loads(line)
        except ValueError:
            break
        if not isinstance(change, dict) or not line.endswith(b"\n"):
            break
        number: Any = cast("JsonObject", change).get("version")
        if number == version + len(changes) + 1:
            kept.append(line)
            changes.append(cast("JsonObject", change))
    return b"".join(kept), changes


def _changed(data: bytes, changes: Sequence[JsonObject]) -> bytes:
    plain: JsonObject = json.loads(data)
    for change in changes:
        plain |= change["fields"]
        for name, tail in change["lists"].items():
            if len(plain[name]) < tail["after"]:
                raise ValueError(f"It has {len(plain[name])} {name}, not {tail['after']}.")
            plain[name] = [*plain[name][: tail["after"]], *tail["records"]]
    return json.dumps(plain).encode()


def finish_deletion(files: DurableFiles, document: Path) -> None:
    """Remove all that belongs to a conversation whose deletion was begun; fine where none was."""
    begun = document.with_suffix(DELETING)
    if files.state(begun) is None:
        return
    files.remove_directory(document.with_suffix(".archive"))
    beside = (f"{document.name}.corrupt-", *(f"{document.stem}{end}" for end in (".run-", ".compacting", JOURNAL)))
    for name in files.names(document.parent):
        if name.startswith(beside):
            files.remove(document.parent / name)
    files.remove(begun)
    files.remove(document.with_suffix(".lock"))


def make_room(files: DurableFiles, document: Path) -> None:
    """Remove what a deletion that was cut off left where a new conversation will be, but for its contents.

    Those are told by their digest, and the new conversation's own may be among them already.
    """
    begun, archive = document.with_suffix(DELETING), document.with_suffix(".archive")
    if files.state(begun) is None:
        return
    for name in files.names(archive, ".json"):
        files.remove(archive / name)
    files.remove(begun)


_log = logging.getLogger(__name__)
_OPEN = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


class JsonlRunJournal(RunJournal):
    """Keeps each attempt at a run in `<conversation id>.run-<fence>.jsonl` until its end is stored.

    Lines are appended without waiting for the disk: they are there to outlive the process, and whatever a
    crash of the machine takes of them was not acknowledged to anybody. So they are written where the run
    is, which takes a fifth of the time of a trip to a thread (ADR-0016).
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    @override
    async def keep(
        self, tenant: str, run: Run, iteration: Iteration, calls: Iterable[CallRecord], response: bytes | None = None
    ) -> None:
        kept = {"run_id": run.run_id, **step_of(iteration, calls)}
        if response is not None:
            kept["response"] = orjson.Fragment(response)
        try:
            _append(self._path(tenant, run), orjson.dumps(kept, option=orjson.OPT_APPEND_NEWLINE))
        except OSError:
            _log.warning("the step of a run was not kept", extra={"run_id": run.run_id}, exc_info=True)

    @override
    async def left_by(self, tenant: str, run: Run) -> LeftBehind:
        return await asyncio.to_thread(self._left_by, tenant, run)

    def _left_by(self, tenant: str, run: Run) -> LeftBehind:
        steps, calls, latest = self._kept(tenant, run)
        said = dict(latest)
        for earlier in _attempts_before(run):
            # An attempt that died before it came so far kept less than the one before, whose steps it was at.
            said = {**self._kept(tenant, earlier)[2], **said}
        responses = takewhile(lambda one: one is not None, (said.get(number) for number in range(1, len(said) + 1)))
        return LeftBehind(tuple(steps), tuple(calls), responses=tuple(filter(None, responses)))

    def _kept(self, tenant: str, run: Run) -> tuple[Iterable[Iteration], Iterable[CallRecord], Mapping[int, bytes]]:
        """Return the steps of an attempt, its records, and what the model said in which step."""
        steps: dict[int, Iteration] = {}
        calls: list[CallRecord] = []
        said: dict[int, bytes] = {}
        for entry in self._entries(tenant, run):
            try:
                step, calls = parsed_step(entry)
            except (ValidationError, LookupError, TypeError):
                break
            steps[step.number] = step
            if "response" in entry:
                said[step.number] = orjson.dumps(entry["response"])
        return steps.values(), calls, said

    def _entries(self, tenant: str, run: Run) -> Iterable[Any]:
        try:
            lines = read_plain_file(self._path(tenant, run)).splitlines()
        except OSError:
            return
        for line in lines:
            try:
                entry: Any = orjson.loads(line)
            except orjson.JSONDecodeError:
                # The last line of a killed process may be half a line.
                return
            if isinstance(entry, dict) and entry.get("run_id") == run.run_id:  # pyright: ignore[reportUnknownMemberType] - JSON of any shape
                yield entry

    @override
    async def forget(self, tenant: str, run: Run) -> None:
        try:
            for attempt in (run, *_attempts_before(run)):
                self._path(tenant, attempt).unlink(missing_ok=True)
        except OSError:
            _log.warning("a run's journal was not removed", extra={"run_id": run.run_id}, exc_info=True)

    def _path(self, tenant: str, run: Run) -> Path:
        name = f"conversations/{conversation_of_run(run.run_id)}.run-{run.fence}.jsonl"
        return tenant_directory(self._root, tenant) / name


def step_of(iteration: Iteration, calls: Iterable[CallRecord]) -> JsonObject:
    """Return a step of a run, and the records up to it, as a journal keeps them."""
    return {
        "iteration": orjson.Fragment(to_json(iteration, by_alias=True)),
        "calls": [orjson.Fragment(to_json(call, by_alias=True)) for call in calls],
    }


def parsed_step(entry: Any) -> tuple[Iteration, list[CallRecord]]:
    """Return the step and the records of an entry; raises ValidationError, LookupError or TypeError if it has none."""
    step = Iteration.model_validate(entry["iteration"])
    return step, [CallRecord.model_validate(call) for call in entry["calls"]]


def _attempts_before(run: Run) -> Iterator[Run]:
    """Yield the attempts that may have kept something, the newest first: each took the next fence."""
    for back in range(1, run.attempt):
        yield run.model_copy(update={"fence": run.fence - back})


def _append(path: Path, line: bytes) -> None:
    # Conversations are nobody else's to read.
    fd = os.open(path, _OPEN, 0o600)
    try:
        os.write(fd, line)
    finally:
        os.close(fd)
