"""A tenant's data, opened for one command or moved to another store and verified by reading it back."""

import asyncio
import hashlib
import shutil
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar, get_args

from workflow_agent.conversations.seals import SealRule
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.errors import CorruptDocument, StorageFailed
from workflow_agent.main.data import hosts_of
from workflow_agent.settings import Settings
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.holdings import FileHoldings
from workflow_agent.storage.files.verification.directory import repair_directory, verify_directory
from workflow_agent.storage.files.verification.workflows import Finding
from workflow_agent.storage.holdings import HeldConversation, HeldWorkflow, Holdings
from workflow_agent.values.stored import canonical_json
from workflow_agent.workflows.store import RecordKind

_AT_A_TIME = 100
"""Conversations of a database that lie on the disk together while they are looked over."""


T = TypeVar("T")
D = TypeVar("D", HeldConversation, HeldWorkflow)


@dataclass(slots=True)
class Moved:
    """How much was moved; what was there already with the same content is not counted."""

    conversations: int = 0
    workflows: int = 0
    people: int = 0
    others: int = 0
    digest: str = field(default="", compare=False)
    """Of all that is in both stores now, conversation by conversation and workflow by workflow."""


@asynccontextmanager
async def _holdings_of(settings: Settings) -> AsyncGenerator[Holdings]:
    """Open a tenant's data: in the database if the settings name one, else in files."""
    if settings.database_url is None:
        holdings = FileHoldings(settings.data_dir, settings.tenant, settings.max_remembered_references)
    else:
        holdings = await hosts_of(settings).holdings()
    try:
        yield holdings
    finally:
        await holdings.close()


@asynccontextmanager
async def open_data(settings: Settings) -> AsyncGenerator[ConversationStore]:
    """Open the conversations of a data directory or a database; nothing is made or written by that alone."""
    if settings.database_url is None:
        seal = SealRule(above_bytes=settings.seal_above_bytes)
        yield JsonConversationStore(DurableFiles(settings.data_dir), seal=seal)
        return
    async with hosts_of(settings).conversations() as store:
        yield store


def moved_in_words(source: Settings, target: Settings) -> str:
    """Return what `moved` moved, for people."""
    told = moved(source, target)
    return (
        f"New there: {told.conversations} conversations, {told.workflows} workflows, what is known of "
        f"{told.people} people, and {told.others} other documents. Conversations and workflows have the same "
        f"digest in both: {told.digest}"
    )


def moved(source: Settings, target: Settings) -> Moved:
    """Move a tenant's data from one store to another; a second call resumes.

    Raises:
        StorageFailed: Something cannot be read, is not what was written, or is there already with another
            content; what was moved before stays moved.
    """
    return asyncio.run(_moved(source, target))


async def _moved(source: Settings, target: Settings) -> Moved:
    if source.database_url is None and not (source.data_dir / source.tenant).is_dir():
        raise StorageFailed(f"There is no tenant {source.tenant!r} in {str(source.data_dir)!r}.")
    async with _holdings_of(source) as given, _holdings_of(target) as known:
        return await _all(given, known)


async def _all(source: Holdings, target: Holdings) -> Moved:
    told, summed = Moved(), hashlib.sha256()
    for one in await source.conversation_ids():
        given, known = await source.conversation(one), await target.conversation(one)
        if given is not None:
            # What only the target has beside it is nobody's: nothing in the conversation refers to it.
            known = known and known.without(given)
            take, read = target.take_conversation, partial(target.conversation, one)
            told.conversations += await _taken(f"Conversation {one!r}", given, known, take, read)
            summed.update(f"conversation {one} {given.digest}\n".encode())
    for one in await source.workflow_ids():
        kept = await source.workflow(one)
        if kept is not None:
            there, look = await target.workflow(one), partial(target.workflow, one)
            told.workflows += await _taken(f"Workflow {one!r}", kept, there, target.take_workflow, look)
            summed.update(f"workflow {one} {kept.digest}\n".encode())
    told.people = await _people(source, target)
    told.others = await _others(source, target)
    told.digest = summed.hexdigest()
    return told


async def _taken(
    what: str, given: D, known: D | None, take: Callable[[D], Awaitable[None]], read: Callable[[], Awaitable[D | None]]
) -> bool:
    """Store something that is not there, and read it back; say whether it was not. Another in its place is an error."""
    is_new = known is None
    if is_new:
        await take(given)
        known = await read()
    if known is None or known.digest != given.digest:
        raise StorageFailed(f"{what} is there with another content. It stays; move or remove it, and go on.")
    return is_new


async def _people(source: Holdings, target: Holdings) -> int:
    count = 0
    for user in await source.remembering():
        given, known = await source.remembered(user), await target.remembered(user)
        if given:
            what, there = f"What is remembered of {user!r}", list(known) if known else None
            count += await _put(what, list(given), there, partial(target.take_remembered, user, given))
    people = await target.people()
    for user, person in (await source.people()).items():
        what = f"What is known of {user!r}"
        count += await _put(what, person, people.get(user), partial(target.take_person, person))
    return count


async def _others(source: Holdings, target: Holdings) -> int:
    count = 0
    for kind in get_args(RecordKind):
        there = await target.records(kind)
        for record_id, document in (await source.records(kind)).items():
            known, take = there.get(record_id), partial(target.take_record, kind, record_id, document)
            what = f"{kind} {record_id!r}"
            count += await _put(what, canonical_json(document), known and canonical_json(known), take)
    known_keys = {digest: replace(key, at=0.0) for digest, key in (await target.keys()).items()}
    for digest, key in (await source.keys()).items():
        # A time may lose its last digits on the way.
        given, known = replace(key, at=0.0), known_keys.get(digest)
        count += await _put(f"The key {digest}", given, known, partial(target.take_key, key))
    return count


async def _put(what: str, given: object, known: object, take: Callable[[], Awaitable[None]]) -> bool:
    """Store something that is not there; say whether it was not. Another in its place is an error."""
    if known is not None and known != given:
        raise StorageFailed(f"{what} is there with another content. It stays; move or remove it, and go on.")
    if known is None:
        await take()
    return known is None


def verified(settings: Settings, repair: bool) -> tuple[Sequence[Finding], Sequence[Finding]]:
    """Return what was repaired, and what is still wrong; a database is only checked."""
    if settings.database_url is not None:
        return (), asyncio.run(_of_database(settings))
    root = settings.data_dir
    return repair_directory(root) if repair else ((), verify_directory(root))


async def _of_database(settings: Settings) -> Sequence[Finding]:
    """Return what is wrong in a database: conversations and workflows are looked over as the files they would be."""
    with tempfile.TemporaryDirectory(prefix="workflow-agent-verify-") as folder:
        async with _holdings_of(settings) as holdings:
            scratch = FileHoldings(Path(folder), settings.tenant, settings.max_remembered_references)
            found = await _copied("workflows", await holdings.workflow_ids(), holdings.workflow, scratch.take_workflow)
            found += await _small_documents(holdings)
            ids = iter(await holdings.conversation_ids())
            found += await asyncio.to_thread(verify_directory, Path(folder))
            while batch := list(islice(ids, _AT_A_TIME)):
                found += await _copied("conversations", batch, holdings.conversation, scratch.take_conversation)
                found += await asyncio.to_thread(verify_directory, Path(folder))
                await asyncio.to_thread(shutil.rmtree, Path(folder) / settings.tenant / "conversations", True)
    # Workflows are looked at with each batch. Nobody can mend the copies.
    return list({(one.kind, one.path): replace(one, mend=None) for one in found}.values())


async def _copied(
    folder: str, ids: Iterable[str], read: Callable[[str], Awaitable[T | None]], take: Callable[[T], Awaitable[None]]
) -> list[Finding]:
    """Copy what can be read; return what cannot."""
    found: list[Finding] = []
    for one in ids:
        try:
            held = await read(one)
        except CorruptDocument as error:
            found.append(Finding("unreadable_document", f"{folder}/{one}", error.message))
        else:
            if held is not None:
                await take(held)
    return found


async def _small_documents(holdings: Holdings) -> list[Finding]:
    readers: dict[str, Callable[[], Awaitable[object]]] = {"people": holdings.people, "keys": holdings.keys}
    readers |= {kind: partial(holdings.records, kind) for kind in get_args(RecordKind)}
    found: list[Finding] = []
    for name, read in readers.items():
        try:
            await read()
        except (CorruptDocument, ValueError) as error:
            found.append(Finding("unreadable_document", name, str(error)))
    return found
