"""Moving what a data directory keeps into a database: each thing once, checked by what is read back."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import orjson

from workflow_agent.conversations.memory.person import Person
from workflow_agent.errors import StorageFailed
from workflow_agent.main.clock import now
from workflow_agent.main.hosts import database_of, stores_on_postgres
from workflow_agent.main.stores import caches_of
from workflow_agent.settings import Settings
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.memories import RememberedWorkflows
from workflow_agent.storage.files.owners import new_owner_id
from workflow_agent.storage.files.records import JsonRecords
from workflow_agent.storage.files.workflows import JsonWorkflowCatalog
from workflow_agent.storage.postgres.adoption import Adoption
from workflow_agent.workflows.records import RecordKind


@dataclass(slots=True)
class Moved:
    """How much was moved."""

    conversations: int = 0
    workflows: int = 0
    people: int = 0
    others: int = 0


def moved(settings: Settings) -> Moved:
    """Move what a tenant keeps in its data directory into the database; done again, it goes on.

    Raises:
        StorageFailed: Something cannot be read, is not what was written, or is there already with another
            content; what was moved before stays moved.
    """
    return asyncio.run(_moved(settings))


async def _moved(settings: Settings) -> Moved:
    database = database_of(settings)
    await database.migrate()
    try:
        adoption = Adoption(database, settings.tenant)
        told = Moved()
        await _conversations(settings, adoption, told)
        await _workflows(settings, adoption, told)
        await _people(settings, told)
        await _others(settings, adoption, told)
    finally:
        await database.close()
    return told


async def _conversations(settings: Settings, adoption: Adoption, told: Moved) -> None:
    source = JsonConversationStore(DurableFiles(settings.data_dir))
    for path in _documents(settings, "conversations"):
        archive = path.with_suffix(".archive")
        parts = {one.name: one.read_bytes() for one in sorted(archive.glob("*.json"))}
        blobs = {one.name: one.read_bytes() for one in sorted((archive / "blobs").glob("*")) if "." not in one.name}
        conversation = await source.load(settings.tenant, path.stem)
        told.conversations += await adoption.conversation(conversation, parts, blobs)


async def _workflows(settings: Settings, adoption: Adoption, told: Moved) -> None:
    source = JsonWorkflowCatalog(DurableFiles(settings.data_dir), caches_of(settings).specs, now=now)
    for path in _documents(settings, "workflows"):
        newest = await source.get(settings.tenant, path.stem)
        versions = await source.versions(settings.tenant, path.stem)
        told.workflows += await adoption.workflow(newest, versions)


async def _people(settings: Settings, told: Moved) -> None:
    stores = stores_on_postgres(settings, new_owner_id)
    for path in _documents(settings, "memory"):
        kept = RememberedWorkflows.model_validate(orjson.loads(path.read_bytes()))
        await stores.memory.remember(settings.tenant, kept.user, kept.references)
        told.people += 1
    for path in _documents(settings, "people"):
        person = Person.model_validate_json(path.read_bytes())
        await stores.people.update(settings.tenant, person.user, lambda _, person=person: person)
        told.people += 1
    await stores.upkeep.close()


async def _others(settings: Settings, adoption: Adoption, told: Moved) -> None:
    records = JsonRecords(DurableFiles(settings.data_dir), settings.tenant)
    for kind in get_args(RecordKind):
        for record_id, document in (await records.all(kind)).items():
            await adoption.record(kind, record_id, document)
            told.others += 1
    for path in _documents(settings, "keys"):
        await adoption.key(path.stem, orjson.loads(path.read_bytes()))
        told.others += 1


def _documents(settings: Settings, folder: str) -> Iterator[Path]:
    root = settings.data_dir / settings.tenant
    if not root.is_dir():
        raise StorageFailed(f"There is no tenant {settings.tenant!r} in {str(settings.data_dir)!r}.")
    yield from sorted(path for path in (root / folder).glob("*.json") if path.is_file())
