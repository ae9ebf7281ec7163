"""Small documents of a tenant that belong to no workflow file and to no conversation."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Literal, Protocol

from workflow_agent.values.stored import JsonObject

RecordKind = Literal["previews", "publications", "webhooks", "outbox", "announced"]


class Records(Protocol):
    """Keeps JSON documents of one tenant by kind and id; a write is durable when it returns.

    Every method raises StorageFailed where nothing can be stored or read.
    """

    async def put(self, kind: RecordKind, record_id: str, document: JsonObject) -> None:
        """Store a document in place of the one that has its id, if any."""
        ...

    async def get(self, kind: RecordKind, record_id: str) -> JsonObject | None:
        """Return a document, or None where there is none."""
        ...

    async def all(self, kind: RecordKind) -> Mapping[str, JsonObject]:
        """Return every document of a kind by its id, sorted by id."""
        ...

    async def remove(self, kind: RecordKind, record_id: str) -> None:
        """Remove a document; one that is not there stays away."""
        ...

    def alone(self, kind: RecordKind) -> AbstractAsyncContextManager[None]:
        """Hold a kind against everybody else who asks for it here, in this process or another."""
        ...
