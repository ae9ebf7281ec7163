"""All that a tenant keeps in one store, piece by piece: to be moved into another, and looked over."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic_core import to_json

from workflow_agent.conversations.document import Conversation, WorkflowReference
from workflow_agent.conversations.memory.person import Person, PersonMemory
from workflow_agent.conversations.memory.references import WorkflowMemory
from workflow_agent.errors import WorkflowNotFound
from workflow_agent.values.stored import JsonObject, canonical_json
from workflow_agent.workflows.model.workflow import Workflow, workflow_document
from workflow_agent.workflows.store import RecordKind, Records, WorkflowCatalog, WorkflowVersion


def _digest(pieces: Iterable[bytes]) -> str:
    """Return the SHA-256 of pieces, whatever their lengths, as hex."""
    summed = hashlib.sha256()
    for piece in pieces:
        summed.update(len(piece).to_bytes(8) + piece)
    return summed.hexdigest()


@dataclass(frozen=True, slots=True)
class HeldConversation:
    """A conversation with all that is kept beside it, byte for byte."""

    conversation: Conversation
    parts: Mapping[str, bytes]
    """What is sealed, by name."""
    blobs: Mapping[str, bytes]
    """Contents by their SHA-256, as hex."""

    def without(self, other: "HeldConversation") -> "HeldConversation":
        """Return it without what is beside it and not beside another: leftovers that nothing refers to."""
        parts = {name: body for name, body in self.parts.items() if name in other.parts}
        blobs = {name: body for name, body in self.blobs.items() if name in other.blobs}
        return replace(self, parts=parts, blobs=blobs)

    @property
    def digest(self) -> str:
        """Return what only the same conversation has, wherever it is kept."""
        pieces = [to_json(self.conversation, by_alias=True, inf_nan_mode="null")]
        for name, body in (*sorted(self.parts.items()), *sorted(self.blobs.items())):
            pieces += (name.encode(), body)
        return _digest(pieces)


@dataclass(frozen=True, slots=True)
class HeldWorkflow:
    """A workflow with all its versions."""

    newest: Workflow
    versions: Sequence[WorkflowVersion]
    """Oldest first."""

    @property
    def digest(self) -> str:
        """Return what only the same workflow has, wherever it is kept."""
        versions = (to_json(one, inf_nan_mode="null") for one in self.versions)
        return _digest([canonical_json(workflow_document(self.newest)), *versions])


@dataclass(frozen=True, slots=True)
class HeldKey:
    """What an idempotency key stands for."""

    digest: str
    """Of the key, as hex."""
    fingerprint: str
    resource_id: str
    at: float
    """When it was claimed, in seconds since 1970."""


class Holdings(ABC):
    """What one tenant keeps in a store; what its stores' ports give is read and written through them alone.

    What is read is None where there is none; what is taken in must not be there, and is durable and whole, or
    not there, when the call ends. Every method raises StorageFailed where the store cannot be read or written,
    and CorruptDocument where what is kept does not parse.

    `memory` makes the memory of workflows anew, for a store that knows what it read.
    """

    def __init__(
        self,
        tenant: str,
        workflows: WorkflowCatalog,
        memory: Callable[[], WorkflowMemory],
        people: PersonMemory,
        records: Records,
    ) -> None:
        self._tenant = tenant
        self._catalog, self._memory, self._people, self._records = workflows, memory, people, records

    @abstractmethod
    async def conversation_ids(self) -> Sequence[str]:
        """Return the ids of all conversations, sorted."""

    @abstractmethod
    async def conversation(self, conversation_id: str) -> HeldConversation | None:
        """Return a conversation with all that is beside it."""

    @abstractmethod
    async def take_conversation(self, kept: HeldConversation) -> None:
        """Store a conversation at the version it has."""

    @abstractmethod
    async def workflow_ids(self) -> Sequence[str]:
        """Return the ids of all workflows, sorted."""

    async def workflow(self, workflow_id: str) -> HeldWorkflow | None:
        """Return a workflow with its versions."""
        try:
            newest = await self._catalog.get(self._tenant, workflow_id)
            return HeldWorkflow(newest, await self._catalog.versions(self._tenant, workflow_id))
        except WorkflowNotFound:
            return None

    @abstractmethod
    async def take_workflow(self, kept: HeldWorkflow) -> None:
        """Store a workflow at the version it has."""

    @abstractmethod
    async def remembering(self) -> Sequence[str]:
        """Return the users of whom workflows are remembered, sorted."""

    async def remembered(self, user: str) -> Sequence[WorkflowReference] | None:
        """Return the workflows that are remembered of a user."""
        return await self._memory().recall(self._tenant, user) or None

    async def take_remembered(self, user: str, references: Sequence[WorkflowReference]) -> None:
        """Store the workflows that are remembered of a user."""
        await self._memory().correct(self._tenant, user, lambda _: tuple(references))

    @abstractmethod
    async def people(self) -> Mapping[str, Person]:
        """Return what is known of people, by user."""

    async def take_person(self, person: Person) -> None:
        """Store what is known of a person."""
        await self._people.update(self._tenant, person.user, lambda _: person)

    async def records(self, kind: RecordKind) -> Mapping[str, JsonObject]:
        """Return the small documents of a kind by their ids."""
        return await self._records.all(kind)

    async def take_record(self, kind: RecordKind, record_id: str, document: JsonObject) -> None:
        """Store a small document."""
        await self._records.put(kind, record_id, document)

    @abstractmethod
    async def keys(self) -> Mapping[str, HeldKey]:
        """Return the idempotency keys by their digests."""

    @abstractmethod
    async def take_key(self, key: HeldKey) -> None:
        """Store an idempotency key."""

    @abstractmethod
    async def close(self) -> None:
        """Let go of connections."""
