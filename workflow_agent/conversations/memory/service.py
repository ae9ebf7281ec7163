"""What is known of a person: told, seen, corrected, forgotten, and taken out of conversations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from workflow_agent.conversations.document import UserMessage, WorkflowReference
from workflow_agent.conversations.memory.person import (
    Fact,
    FactKind,
    FactSource,
    PersonMemory,
    corrected,
    fact_of,
    redaction_of,
    with_fact,
    without_fact,
    without_forgotten,
)
from workflow_agent.conversations.memory.references import Known, ReadKnown, WorkflowMemory, known_workflows
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.errors import NotFound
from workflow_agent.values.stored import digest_of

_PAGE = 200


@dataclass(frozen=True, slots=True)
class WhatIsKnown:
    """Everything that is kept of a person across conversations."""

    facts: Sequence[Fact]
    workflows: Sequence[Known]
    """Those dealt with, the latest first."""


@dataclass(frozen=True, slots=True)
class PersonalMemory:
    """The memory of people, over its stores."""

    people: PersonMemory
    workflows: WorkflowMemory
    conversations: ConversationStore
    now: Callable[[], datetime]
    read_known: ReadKnown | None = None
    """Where the store answers for both memories at once."""

    async def known(self, tenant: str, user: str) -> WhatIsKnown:
        """Return what is known of a user."""
        person = await self.people.person(tenant, user)
        return WhatIsKnown(person.facts, known_workflows(await self.workflows.recall(tenant, user)))

    async def remember(
        self, tenant: str, user: str, text: str, kind: FactKind | None, source: FactSource | None
    ) -> Fact:
        """Keep something durably and return it; told again, it stays where it was told first.

        Raises:
            InvalidInput: It is blank or too long, holds a secret, or there is no room for more.
        """
        fact = fact_of(text, kind, source, self.now())
        person = await self.people.update(tenant, user, lambda known: with_fact(known, fact))
        return person.fact(fact.id)

    async def correct(self, tenant: str, user: str, fact_id: str, *, text: str | None, kind: FactKind | None) -> Fact:
        """Replace the text or the kind of something and return it; its text before is forgotten everywhere.

        Raises:
            NotFound: Nothing is remembered under this id.
            InvalidInput: The new text cannot be remembered.
        """
        old = (await self.people.person(tenant, user)).fact(fact_id)
        source = old.source if text is None else None
        new = fact_of(text or old.text, kind or old.kind, source, self.now())
        await self.people.update(tenant, user, lambda known: corrected(known, fact_id, new))
        await self.settle(tenant, user)
        return new

    async def forget(self, tenant: str, user: str, known_id: str) -> None:
        """Forget something by its id, everywhere: a fact, a workflow dealt with, or a name given to one.

        Raises:
            NotFound: Nothing is known under this id.
        """
        if known_id.startswith("mem_"):
            await self.people.update(tenant, user, lambda known: without_fact(known, known_id))
            await self.settle(tenant, user)
            return
        references = await self.workflows.recall(tenant, user)
        if tuple(_without(references, known_id)) == tuple(references):
            raise NotFound(f"Nothing is remembered as {known_id[:80]!r}. GET /api/v1/memory lists what is.")
        await self.workflows.correct(tenant, user, lambda now: _without(now, known_id))

    async def forget_all(self, tenant: str, user: str) -> None:
        """Forget a person: all that was to be remembered, and which workflows were dealt with."""
        await self.people.update(tenant, user, lambda known: without_fact(known, None))
        await self.workflows.correct(tenant, user, lambda _: ())
        await self.settle(tenant, user)

    async def settle(self, tenant: str, user: str) -> bool:
        """Take what is forgotten out of the user's conversations; say whether there was anything to do.

        While a run is under way in one of them, it may write some of it once more: it is done again then.
        """
        person = await self.people.person(tenant, user)
        if not person.forgetting:
            return False
        gone, is_last = redaction_of(person), True
        for conversation_id in await self._conversations(tenant):
            conversation = await self.conversations.load(tenant, conversation_id)
            said = (one for one in conversation.events if isinstance(one, UserMessage))
            if conversation.archive or any(one.author == user for one in said):
                await self.conversations.redact(tenant, conversation_id, gone)
                is_last = is_last and conversation.active_run() is None
        if is_last:
            await self.people.update(tenant, user, lambda now: without_forgotten(now, person.forgetting))
        return True

    async def settle_all(self, tenant: str) -> None:
        """Go on with what was being forgotten when the server stopped."""
        for user in await self.people.forgetful(tenant):
            await self.settle(tenant, user)

    async def _conversations(self, tenant: str) -> list[str]:
        found: list[str] = []
        cursor: str | None = None
        while True:
            page = await self.conversations.page(tenant, cursor=cursor, limit=_PAGE)
            found += [one.id for one in page.items]
            if (cursor := page.next_cursor) is None:
                return found


def alias_id(workflow_id: str, alias: str) -> str:
    """Return the id under which a name that was given to a workflow is forgotten."""
    return f"alias_{digest_of([workflow_id, alias])[:10]}"


def _without(references: Sequence[WorkflowReference], known_id: str) -> Sequence[WorkflowReference]:
    """Return references without a workflow, or without a name given to one."""
    return [
        one.model_copy(
            update={"aliases": tuple(name for name in one.aliases if alias_id(one.workflow_id, name) != known_id)}
        )
        for one in references
        if one.workflow_id != known_id
    ]
