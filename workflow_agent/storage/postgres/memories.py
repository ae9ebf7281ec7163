"""What is kept of users, on PostgreSQL: a row a user for what they dealt with, one for what they told."""

from collections.abc import Callable, Sequence

import asyncpg
from cachetools import LRUCache
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json
from typing_extensions import override

from workflow_agent.conversations.document import WorkflowReference
from workflow_agent.conversations.memory.person import Person, PersonMemory
from workflow_agent.conversations.memory.references import KnownOfUser, WorkflowMemory, merged_references
from workflow_agent.errors import CorruptDocument
from workflow_agent.storage.files.file_system import check_tenant
from workflow_agent.storage.files.memories import Correction, writable
from workflow_agent.storage.postgres.database import Database, change_of_tenant, digest_of_text, of_tenant

_REFERENCES = TypeAdapter(tuple[WorkflowReference, ...])
_READ = of_tenant("SELECT version, body FROM memory WHERE tenant = $1 AND user_digest = $2")
_SAVE = of_tenant("""
WITH changed AS (UPDATE memory SET version = version + 1, body = $4, user_name = $5
    WHERE tenant = $1 AND user_digest = $2 AND version = $3 RETURNING 1),
added AS (INSERT INTO memory (tenant, user_digest, version, body, user_name)
    SELECT $1, $2, 1, $4, $5 WHERE $3::bigint = 0 ON CONFLICT DO NOTHING RETURNING 1)
SELECT 1 FROM changed UNION ALL SELECT 1 FROM added""")
_FORGET = change_of_tenant("DELETE FROM memory WHERE tenant = $1 AND user_digest = $2")
_READ_PERSON = of_tenant("SELECT version, body FROM person WHERE tenant = $1 AND user_digest = $2")
_SAVE_PERSON = of_tenant("""
WITH changed AS (UPDATE person SET version = version + 1, is_forgetting = $4, body = $5
    WHERE tenant = $1 AND user_digest = $2 AND version = $3 RETURNING 1),
added AS (INSERT INTO person SELECT $1, $2, 1, $4, $5 WHERE $3::bigint = 0 ON CONFLICT DO NOTHING RETURNING 1)
SELECT 1 FROM changed UNION ALL SELECT 1 FROM added""")
_READ_BOTH = of_tenant("""
SELECT memory.version, memory.body, person.body AS person FROM (SELECT $1::text AS tenant) AS one
LEFT JOIN memory ON memory.tenant = one.tenant AND memory.user_digest = $2
LEFT JOIN person ON person.tenant = one.tenant AND person.user_digest = $2""")
_FORGET_PERSON = change_of_tenant("DELETE FROM person WHERE tenant = $1 AND user_digest = $2 AND version = $3")
_FORGETTING = of_tenant("SELECT body FROM person WHERE tenant = $1 AND is_forgetting")
_MOST_KNOWN = 1_000
_Known = tuple[int, tuple[WorkflowReference, ...]]


class PostgresWorkflowMemory(WorkflowMemory):
    """Keeps the references of each user in one row."""

    def __init__(self, database: Database, *, most: int) -> None:
        self._database = database
        self._most = most
        self._latest: LRUCache[tuple[str, str], _Known] = LRUCache(_MOST_KNOWN)
        """As read or written last: a change stands on it, and is made again where it is old."""

    @override
    async def recall(self, tenant: str, user: str) -> Sequence[WorkflowReference]:
        return (await self._read(tenant, user))[1]

    @override
    async def remember(self, tenant: str, user: str, references: Sequence[WorkflowReference]) -> None:
        if references:
            await self._change(tenant, user, lambda known: merged_references(known, references, most=self._most))

    @override
    async def correct(self, tenant: str, user: str, change: Correction) -> None:
        await self._change(tenant, user, change)

    async def _change(self, tenant: str, user: str, change: Correction) -> None:
        latest = self._latest.pop((tenant, user), None)
        while True:
            try:
                version, known = latest or await self._read(tenant, user)
            except CorruptDocument:
                await self._database.rows(_FORGET, tenant, digest_of_text(user))
                continue
            changed = tuple(change(known))
            if changed == known and latest is None:
                return
            name = user.encode("utf-8", "surrogatepass")
            values = (tenant, digest_of_text(user), version, _REFERENCES.dump_json(changed), name)
            if changed != known and await self._database.row(_SAVE, *values) is not None:
                self._latest[tenant, user] = version + 1, changed
                return
            latest = None

    async def settle(self) -> None:
        """Return at once: whatever is remembered is stored."""

    async def read_known(self, tenant: str, user: str) -> KnownOfUser:
        """Return what is remembered of a user and what is known of the person, with one question.

        Raises:
            StorageFailed: The database does not answer.
            CorruptDocument: One of them does not parse.
        """
        check_tenant(tenant)
        (row,) = await self._database.rows(_READ_BOTH, tenant, digest_of_text(user))
        _, known = self._noted(tenant, user, row if row["version"] is not None else None)
        return known, _parsed_person(row["person"]) if row["person"] is not None else Person(user=writable(user))

    async def _read(self, tenant: str, user: str) -> _Known:
        check_tenant(tenant)
        return self._noted(tenant, user, await self._database.row(_READ, tenant, digest_of_text(user)))

    def _noted(self, tenant: str, user: str, row: asyncpg.Record | None) -> _Known:
        try:
            known = (row["version"], _REFERENCES.validate_json(row["body"])) if row else (0, ())
        except ValidationError as error:
            raise CorruptDocument("What is remembered of a user does not parse.") from error
        self._latest[tenant, user] = known
        return known


class PostgresPersonMemory(PersonMemory):
    """Keeps each person in one row."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    async def person(self, tenant: str, user: str) -> Person:
        return (await self._read(tenant, user))[1]

    @override
    async def update(self, tenant: str, user: str, change: Callable[[Person], Person]) -> Person:
        while True:
            version, known = await self._read(tenant, user)
            changed = change(known)
            if changed == known:
                return known
            key = (tenant, digest_of_text(user), version)
            if changed.is_blank:
                await self._database.rows(_FORGET_PERSON, *key)
                if (await self._read(tenant, user))[0] == 0:
                    return changed
                continue
            values = (bool(changed.forgetting), to_json(changed))
            if await self._database.row(_SAVE_PERSON, *key, *values) is not None:
                return changed

    @override
    async def forgetful(self, tenant: str) -> Sequence[str]:
        check_tenant(tenant)
        return [Person.model_validate_json(row["body"]).user for row in await self._database.rows(_FORGETTING, tenant)]

    async def _read(self, tenant: str, user: str) -> tuple[int, Person]:
        check_tenant(tenant)
        row = await self._database.row(_READ_PERSON, tenant, digest_of_text(user))
        if row is None:
            return 0, Person(user=writable(user))
        return row["version"], _parsed_person(row["body"])


def _parsed_person(body: bytes) -> Person:
    try:
        return Person.model_validate_json(body)
    except ValidationError as error:
        raise CorruptDocument("What is known of a person does not parse.") from error
