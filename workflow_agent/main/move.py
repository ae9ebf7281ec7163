"""Moving what a tenant keeps from one store into another: each thing once, checked by what is read back."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol, TypeVar, get_args

from workflow_agent.errors import Misconfigured, StorageFailed
from workflow_agent.settings import Settings
from workflow_agent.storage.files.holdings import FileHoldings
from workflow_agent.storage.holdings import Holdings
from workflow_agent.values.digests import canonical_json
from workflow_agent.workflows.records import RecordKind


class _Digested(Protocol):
    @property
    def digest(self) -> str: ...


T = TypeVar("T")
D = TypeVar("D", bound=_Digested)


@dataclass(slots=True)
class Moved:
    """How much was moved; what was there already with the same content is not counted."""

    conversations: int = 0
    workflows: int = 0
    people: int = 0
    others: int = 0
    digest: str = field(default="", compare=False)
    """Of all that is in both stores now, conversation by conversation and workflow by workflow."""


async def holdings_of(settings: Settings) -> Holdings:
    """Return what a tenant keeps where the settings say: in the database where one is named, else in files.

    Raises:
        Misconfigured: The package of a database is not installed.
        StorageFailed: The database does not answer.
    """
    most = settings.max_remembered_references
    if settings.database_url is None:
        return FileHoldings(settings.data_dir, settings.tenant, most)
    try:
        # Here, because its packages are an extra.
        from workflow_agent.main.hosts import database_of  # noqa: PLC0415 - see above
        from workflow_agent.storage.postgres.holdings import PostgresHoldings  # noqa: PLC0415 - see above
    except ImportError as error:
        raise Misconfigured(
            f"A database needs more packages ({error}): pip install 'workflow-agent[postgres]'."
        ) from error
    database = database_of(settings)
    await database.migrate()
    return PostgresHoldings(database, settings.tenant, most)


def moved(source: Settings, target: Settings) -> Moved:
    """Move what a tenant keeps in one store into another; done again, it goes on.

    Raises:
        StorageFailed: Something cannot be read, is not what was written, or is there already with another
            content; what was moved before stays moved.
    """
    return asyncio.run(_moved(source, target))


async def _moved(source: Settings, target: Settings) -> Moved:
    if source.database_url is None and not (source.data_dir / source.tenant).is_dir():
        raise StorageFailed(f"There is no tenant {source.tenant!r} in {str(source.data_dir)!r}.")
    async with AsyncExitStack() as stack:
        both: list[Holdings] = []
        for one in (source, target):
            both.append(await holdings_of(one))
            stack.push_async_callback(both[-1].close)
        return await _all(*both)


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
    """Store something that is not there, and read it back; say whether it was not.

    Raises:
        StorageFailed: Another is there, or what is read back is not what was given.
    """
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
        if given and _is_missing(f"What is remembered of {user!r}", _plain(given), _plain(known)):
            await target.take_remembered(user, given)
            count += 1
    there = await target.people()
    for user, person in (await source.people()).items():
        if _is_missing(f"What is known of {user!r}", person, there.get(user)):
            await target.take_person(person)
            count += 1
    return count


def _plain(references: Sequence[T] | None) -> Sequence[T] | None:
    return list(references) if references else None


async def _others(source: Holdings, target: Holdings) -> int:
    count = 0
    for kind in get_args(RecordKind):
        there = await target.records(kind)
        for record_id, document in (await source.records(kind)).items():
            known = there.get(record_id)
            if _is_missing(f"{kind} {record_id!r}", canonical_json(document), known and canonical_json(known)):
                await target.take_record(kind, record_id, document)
                count += 1
    known_keys = {digest: replace(key, at=0.0) for digest, key in (await target.keys()).items()}
    for digest, key in (await source.keys()).items():
        # A time may lose its last digits on the way.
        if _is_missing(f"The key {digest}", replace(key, at=0.0), known_keys.get(digest)):
            await target.take_key(key)
            count += 1
    return count


def _is_missing(what: str, given: object, known: object) -> bool:
    """Say whether something is still to be moved.

    Raises:
        StorageFailed: Another is there.
    """
    if known is not None and known != given:
        raise StorageFailed(f"{what} is there with another content. It stays; move or remove it, and go on.")
    return known is None
