"""Conversations and workflows kept in memory, for as long as the process runs."""

import json
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from typing_extensions import override

from workflow_agent.conversations.archive import Position, SealedTurns
from workflow_agent.conversations.call_history import CallRecord
from workflow_agent.conversations.document import (
    Conversation,
    Event,
    SystemEvent,
    WorkflowReference,
    conversation_document,
)
from workflow_agent.conversations.iterations import Iteration
from workflow_agent.conversations.memory.person import Person, PersonMemory
from workflow_agent.conversations.memory.references import MOST_REFERENCES, WorkflowMemory, merged_references
from workflow_agent.conversations.outcome import current_run
from workflow_agent.conversations.redaction import Redaction
from workflow_agent.conversations.runs import Run
from workflow_agent.conversations.seals import SealedPart
from workflow_agent.conversations.store import (
    ConversationPage,
    ConversationStore,
    LeftBehind,
    MessageHit,
    MessageQuery,
    RunFences,
    RunJournal,
)
from workflow_agent.storage.files import rules
from workflow_agent.storage.files.conversation_list import page_of, summary_of
from workflow_agent.storage.files.file_system import check_tenant
from workflow_agent.storage.files.rules import (
    check_new_workflow_id,
    earlier_write,
    first_version,
    id_taken,
    next_version,
    no_version,
    no_workflow,
    record_of,
)
from workflow_agent.storage.files.search.messages import Indexed, MessageDatabase, Said, lookup_of
from workflow_agent.values.stored import (
    Revision,
    RunFence,
    content_json,
    content_ref_of,
    iso_milliseconds,
    parse_canonical,
)
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.search.passages import excerpt
from workflow_agent.workflows.store import Change, WorkflowCatalog, WorkflowHead, WorkflowVersion, check_expected

Correction = Callable[[Sequence[WorkflowReference]], Sequence[WorkflowReference]]


class InMemoryConversationStore(ConversationStore, RunFences):
    """Keeps conversations in one process, alone in the event loop while it changes one.

    Turns stay where they are, because nothing is written: no conversation gets an archive.
    """

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, Conversation]] = {}
        self._blobs: dict[tuple[str, str], dict[str, bytes]] = {}

    @override
    async def create(self, conversation: Conversation) -> Conversation:
        rules.check_new_id(conversation.id)
        kept = self._of(conversation.tenant)
        if conversation.id in kept:
            raise id_taken("conversation", conversation.id)
        kept[conversation.id] = conversation.model_copy(update={"version": 1})
        return kept[conversation.id]

    @override
    async def load(self, tenant: str, conversation_id: str) -> Conversation:
        found = self._of(tenant).get(conversation_id)
        if found is None:
            raise rules.no_conversation(conversation_id)
        return found

    @override
    async def update(
        self, tenant: str, conversation_id: str, change: Callable[[Conversation], Conversation]
    ) -> Conversation:
        current = await self.load(tenant, conversation_id)
        changed = change(current)
        if changed is not current:
            changed = changed.model_copy(update={"version": current.version + 1})
            self._kept[tenant][conversation_id] = changed
        return changed

    @override
    async def delete(self, tenant: str, conversation_id: str) -> None:
        await self.load(tenant, conversation_id)
        del self._kept[tenant][conversation_id]
        self._blobs.pop((tenant, conversation_id), None)

    @override
    async def redact(self, tenant: str, conversation_id: str, gone: Redaction) -> bool:
        known = await self.load(tenant, conversation_id)
        blobs = self._blobs.get((tenant, conversation_id), {})
        for content_ref, data in blobs.items():
            # In its place: nothing here checks a content against its reference.
            blobs[content_ref] = content_json(gone.in_data(parse_canonical(data), "content"))
        plain = conversation_document(known)
        if (changed := gone.in_data(plain)) == plain:
            return False
        await self.update(tenant, conversation_id, lambda _: Conversation.model_validate_json(json.dumps(changed)))
        return True

    @override
    async def sealed(self, tenant: str, conversation_id: str, position: Position) -> SealedPart:
        await self.load(tenant, conversation_id)
        raise rules.not_sealed(conversation_id, position)

    @override
    async def listed(self, tenant: str, conversation_id: str, index: SealedTurns) -> Sequence[SealedTurns]:
        return ()

    @override
    async def put_blob(self, tenant: str, conversation_id: str, content: Any, fence: RunFence | None = None) -> str:
        check_tenant(tenant)
        rules.check_new_id(conversation_id)
        if fence is not None:
            self._check(tenant, fence)
        content_ref = content_ref_of(content)
        # As text, so that what is given out is nobody else's to change.
        self._blobs.setdefault((tenant, conversation_id), {})[content_ref] = content_json(content)
        return content_ref

    @override
    async def blob(self, tenant: str, conversation_id: str, content_ref: str) -> Any:
        check_tenant(tenant)
        kept = self._blobs.get((tenant, conversation_id), {}).get(content_ref)
        if kept is None:
            raise rules.no_content(conversation_id, content_ref)
        return parse_canonical(kept)

    @override
    async def page(
        self, tenant: str, *, query: str = "", cursor: str | None = None, limit: int = 50
    ) -> ConversationPage:
        kept = self._of(tenant)
        found = (one for one in kept.values() if _holds(_searchable_texts(one), query))
        return page_of(map(summary_of, found), cursor, limit)

    @override
    async def find(self, tenant: str, query: MessageQuery) -> Sequence[MessageHit]:
        one = query.conversation_id
        searched = self._of(tenant).values() if one is None else [await self.load(tenant, one)]
        return _messages_found(searched, query)

    @contextmanager
    @override
    def held(self, tenant: str, fence: RunFence) -> Generator[None]:
        # Nothing else happens in the event loop meanwhile.
        self._check(tenant, fence)
        yield

    def _check(self, tenant: str, fence: RunFence) -> None:
        current_run(self._of(tenant).get(fence.conversation_id), fence.run_id, fence.number)

    def _of(self, tenant: str) -> dict[str, Conversation]:
        check_tenant(tenant)
        return self._kept.setdefault(tenant, {})


def _utc_now() -> datetime:
    return datetime.now(UTC)


class InMemoryWorkflowCatalog(WorkflowCatalog):
    """Keeps workflows and their versions in one process.

    Args:
        now: The time written on versions.
        fences: Decides which attempt at a run may write; without them every one may.
    """

    def __init__(self, *, now: Callable[[], datetime] = _utc_now, fences: RunFences | None = None) -> None:
        self._now = now
        self._fences = fences
        self._kept: dict[str, dict[str, list[WorkflowVersion]]] = {}
        self._heads: dict[str, Mapping[str, WorkflowHead]] = {}
        self._deleted: list[list[WorkflowVersion]] = []

    @override
    async def create(self, tenant: str, workflow: Workflow, change: Change) -> Workflow:
        check_new_workflow_id(workflow.id)
        kept = self._of(tenant)
        made = change.author.run_id and earlier_write((records[0] for records in kept.values()), change)
        if made:
            return parse_workflow(made.document)
        if workflow.id in kept:
            raise id_taken("workflow", workflow.id)
        self._check(tenant, change.fence)
        kept[workflow.id] = []
        return self._append(tenant, kept[workflow.id], first_version(workflow, self._now()), change)

    @override
    async def get(self, tenant: str, workflow_id: str) -> Workflow:
        return _newest(self._records(tenant, workflow_id))

    @override
    async def update(
        self,
        tenant: str,
        workflow_id: str,
        apply: Callable[[Workflow], tuple[Workflow, Change]],
        *,
        expected: Revision | None = None,
        beforehand: Change | None = None,
    ) -> Workflow:
        records = self._records(tenant, workflow_id)
        made = beforehand and earlier_write(records, beforehand)
        if made is not None:
            return parse_workflow(made.document)
        current = _newest(records)
        check_expected(current, expected)
        changed, change = apply(current)
        if changed is current:
            return current
        self._check(tenant, change.fence)
        return self._append(tenant, records, next_version(current, changed, self._now()), change)

    @override
    async def delete(
        self, tenant: str, workflow_id: str, *, expected: Revision | None = None, fence: RunFence | None = None
    ) -> None:
        records = self._records(tenant, workflow_id)
        check_expected(_newest(records), expected)
        self._check(tenant, fence)
        self._deleted.append(self._kept[tenant].pop(workflow_id))
        self._heads.pop(tenant, None)

    @override
    async def all(self, tenant: str) -> Sequence[Workflow]:
        return [_newest(records) for _, records in sorted(self._of(tenant).items())]

    @override
    async def heads(self, tenant: str) -> Mapping[str, WorkflowHead]:
        kept = self._of(tenant)
        if tenant not in self._heads:
            self._heads[tenant] = {one: _head(records) for one, records in sorted(kept.items())}
        return self._heads[tenant]

    @override
    async def versions(self, tenant: str, workflow_id: str) -> Sequence[WorkflowVersion]:
        return tuple(self._records(tenant, workflow_id))

    @override
    async def version(self, tenant: str, workflow_id: str, number: int) -> WorkflowVersion:
        records = self._records(tenant, workflow_id)
        if not 1 <= number <= len(records):
            raise no_version(_newest(records), number)
        return records[number - 1]

    def _check(self, tenant: str, fence: RunFence | None) -> None:
        if fence is not None and self._fences is not None:
            with self._fences.held(tenant, fence):
                return

    def _of(self, tenant: str) -> dict[str, list[WorkflowVersion]]:
        check_tenant(tenant)
        return self._kept.setdefault(tenant, {})

    def _records(self, tenant: str, workflow_id: str) -> list[WorkflowVersion]:
        records = self._of(tenant).get(workflow_id)
        if records is None:
            raise no_workflow(workflow_id)
        return records

    def _append(self, tenant: str, records: list[WorkflowVersion], workflow: Workflow, change: Change) -> Workflow:
        self._heads.pop(tenant, None)
        records.append(record_of(workflow, change, workflow.updated_at or self._now()))
        return workflow


def _head(records: Sequence[WorkflowVersion]) -> WorkflowHead:
    return WorkflowHead(records[-1].version, records[-1].at)


def _newest(records: Sequence[WorkflowVersion]) -> Workflow:
    return parse_workflow(records[-1].document)


class InMemoryWorkflowMemory(WorkflowMemory):
    """Remembers what users dealt with in one process.

    Args:
        most: References kept for a user.
    """

    def __init__(self, *, most: int = MOST_REFERENCES) -> None:
        self._most = most
        self._kept: dict[tuple[str, str], tuple[WorkflowReference, ...]] = {}

    @override
    async def recall(self, tenant: str, user: str) -> Sequence[WorkflowReference]:
        check_tenant(tenant)
        return self._kept.get((tenant, user), ())

    @override
    async def remember(self, tenant: str, user: str, references: Sequence[WorkflowReference]) -> None:
        known = await self.recall(tenant, user)
        self._kept[tenant, user] = merged_references(known, references, most=self._most)

    @override
    async def correct(self, tenant: str, user: str, change: Correction) -> None:
        self._kept[tenant, user] = tuple(change(await self.recall(tenant, user)))


class InMemoryPersonMemory(PersonMemory):
    """Keeps what people want remembered for as long as the process runs."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Person] = {}

    @override
    async def person(self, tenant: str, user: str) -> Person:
        check_tenant(tenant)
        return self._kept.get((tenant, user)) or Person(user=user)

    @override
    async def update(self, tenant: str, user: str, change: Callable[[Person], Person]) -> Person:
        self._kept[tenant, user] = change(await self.person(tenant, user))
        return self._kept[tenant, user]

    @override
    async def forgetful(self, tenant: str) -> Sequence[str]:
        return [user for (of, user), one in self._kept.items() if of == tenant and one.forgetting]


class InMemoryRunJournal(RunJournal):
    """Keeps the steps of runs in one process."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, int], LeftBehind] = {}

    @override
    async def keep(
        self, tenant: str, run: Run, iteration: Iteration, calls: Iterable[CallRecord], response: bytes | None = None
    ) -> None:
        before = await self.left_by(tenant, run)
        steps = {step.number: step for step in (*before.iterations, iteration)}
        said = (*before.responses, *([] if response is None else [response]))
        left = LeftBehind(tuple(steps.values()), tuple(calls), responses=said)
        self._kept[tenant, run.run_id, run.fence] = left

    @override
    async def left_by(self, tenant: str, run: Run) -> LeftBehind:
        attempts = [
            left
            for (of, run_id, fence), left in self._kept.items()
            if (of, run_id) == (tenant, run.run_id) and run.fence - run.attempt < fence <= run.fence
        ]
        said = max((left.responses for left in attempts), key=len, default=())
        return replace(self._kept.get((tenant, run.run_id, run.fence), LeftBehind()), responses=said)

    @override
    async def forget(self, tenant: str, run: Run) -> None:
        self._kept.pop((tenant, run.run_id, run.fence), None)


def _searchable_texts(found: Conversation) -> tuple[str, ...]:
    """Return the title and each message, folded so that case does not matter."""
    return (found.title.casefold(), *_messages_of(found.events))


def _messages_of(events: Iterable[Event]) -> tuple[str, ...]:
    """Return what was said in some events, folded so that case does not matter."""
    said = (event for event in events if event.type in ("user_message", "agent_reply"))
    return tuple(event.content.casefold() for event in said)


def _holds(texts: Iterable[str], query: str) -> bool:
    """Say whether one of the folded texts holds a query; an empty one is in every text."""
    wanted = query.strip().casefold()
    return any(wanted in text for text in texts)


def _best_messages(searched: Iterable[Conversation], query: MessageQuery) -> Sequence[MessageHit]:
    """Return the messages of some conversations that say most of what a query asks for, best first."""
    lookup = lookup_of(query)
    if lookup is None:
        return ()
    with closing(MessageDatabase(None)) as database:
        for one in searched:
            said = [
                Said(
                    event.index,
                    event.turn,
                    event.id,
                    event.type,
                    event.author,
                    iso_milliseconds(event.at),
                    event.run_id,
                    event.content,
                )
                for event in one.events
                if not isinstance(event, SystemEvent)
            ]
            database.put(one.id, Indexed("", "", -1, 0), one.title, said, anew=True)
        return database.find(lookup)


def _messages_found(searched: Iterable[Conversation], query: MessageQuery) -> Sequence[MessageHit]:
    """Return the messages of some conversations that a query asks for."""
    if query.is_ranked:
        return _best_messages(searched, query)
    words = query.text.casefold().split()
    hits = [
        MessageHit(
            conversation_id=one.id,
            title=one.title,
            turn=event.turn,
            index=event.index,
            event_id=event.id,
            type=event.type,
            author=event.author,
            at=iso_milliseconds(event.at),
            run_id=event.run_id,
            snippet=excerpt(event.content, words[0] if words else ""),
        )
        for one in searched
        for event in one.events
        if not isinstance(event, SystemEvent)
        and (words or query.periods)
        and all(word in event.content.casefold() for word in words)
        and (not query.periods or any(period.holds(event.at) for period in query.periods))
    ]
    newest_first = sorted(hits, key=lambda hit: (hit.at, hit.conversation_id, hit.index), reverse=True)
    return newest_first[query.offset : query.offset + query.limit]
