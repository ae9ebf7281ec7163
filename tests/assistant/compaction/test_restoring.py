"""Compactions whose turns left the conversation's file: which can come back, and which cannot."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.chats import TENANT, chat_with
from tests.support.in_memory import InMemoryConversationStore
from tests.support.long_talks import a_compaction, compacted, talked
from tests.support.postgres import an_empty_database
from tests.support.scripted import scripted
from tests.support.stored import a_conversation
from workflow_agent.conversations.archive import Position
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.seals import SealRule, next_sealing
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.errors import CannotRestore, CompactionNotFound
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.postgres.conversations import PostgresConversationStore

RULE = SealRule(above_bytes=1, fewest_turns=1, most_turns=1)


@pytest.fixture(params=["files", "postgres"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ConversationStore]:
    if request.param == "files":
        yield JsonConversationStore(DurableFiles(tmp_path), seal=RULE)
    else:
        async with an_empty_database() as database:
            yield PostgresConversationStore(database, seal=RULE)


def compacted_early(budget_tokens: int) -> Conversation:
    """Return a talk of 140 turns, all but ten compacted, whose last request took 900 tokens."""
    talk = compacted(talked(140, a_conversation(tenant=TENANT)), keep=10)
    covered = {number: tuple(e.id for e in talk.events if getattr(e, "turn", 0) == number) for number in range(1, 131)}
    spans = [(1, 4), (5, 8), (9, 130)]
    made = tuple(
        a_compaction(first, last, event_ids=tuple(one for at in range(first, last + 1) for one in covered[at]))
        for first, last in spans
    )
    context = {"used_tokens": 900, "budget_tokens": budget_tokens, "strategy": "full"}
    last = talk.events[-1].model_copy(update={"context": context})
    return talk.model_copy(update={"events": (*talk.events[:-1], last), "compactions": made})


async def sealed_far_back(store: ConversationStore, talk: Conversation) -> Conversation:
    """Store a talk and save it until the files of its first turns are listed in a file."""
    await store.create(talk)
    for _ in range(40):
        talk = await store.update(TENANT, talk.id, lambda one: one.model_copy(update={"title": one.title + "."}))
    assert {entry.kind for entry in talk.archive} == {"turns", "index"}
    assert talk.sealed_compactions == 2
    return talk


async def test_what_is_too_far_back_for_the_window_stays_and_it_says_by_how_much(store: ConversationStore) -> None:
    talk = await sealed_far_back(store, compacted_early(1_000))
    compactor = chat_with(scripted()[0], store=store).compactor

    for compaction_id in ("cmp_5_8", "cmp_9_130"):
        with pytest.raises(CannotRestore, match="too far back") as refused:
            await compactor.restore(TENANT, talk.id, compaction_id)
        assert refused.value.details["excess_tokens"] > 0
        assert refused.value.details["sealed_turns"] > 100
    with pytest.raises(CompactionNotFound):
        await compactor.restore(TENANT, talk.id, "cmp_none")

    assert await store.load(TENANT, talk.id) == talk


async def test_turns_whose_files_are_listed_in_a_file_come_back(store: ConversationStore) -> None:
    whole = compacted_early(200_000)
    talk = await sealed_far_back(store, whole)
    compactor = chat_with(scripted()[0], store=store).compactor

    undone, back = await compactor.restore(TENANT, talk.id, "cmp_5_8")

    assert [one.id for one in undone] == ["cmp_5_8", "cmp_9_130"]
    assert back.sealed_turns == 4
    assert back.events == whole.events[8:]
    assert (await store.sealed(TENANT, talk.id, Position("turn", 2))).events == whole.events[2:4]
    assert await store.load(TENANT, talk.id) == back


async def test_files_of_turns_that_came_back_are_removed(tmp_path: Path) -> None:
    store = JsonConversationStore(DurableFiles(tmp_path), seal=RULE)
    talk = await sealed_far_back(store, compacted_early(200_000))

    _, back = await chat_with(scripted()[0], store=store).compactor.restore(TENANT, talk.id, "cmp_5_8")

    assert set(store.with_archive(back).parts) == {entry.file for entry in back.archive}


async def test_what_fits_is_counted_as_the_model_counts() -> None:
    compactor = chat_with(scripted()[0]).compactor
    talk = compacted(talked(20, a_conversation(tenant=TENANT)), keep=10)
    covered = tuple(event.id for event in talk.events[:20])
    made = talk.compactions[0].model_copy(update={"event_ids": covered})
    # Room for half their letters: too little where each is a token, enough where four are one.
    half = sum(len(event.content) for event in talk.events[:20]) // 2
    budget = {"used_tokens": 900, "budget_tokens": 900 + half, "strategy": "full"}
    last = talk.events[-1].model_copy(update={"context": budget})
    talk = talk.model_copy(update={"events": (*talk.events[:-1], last), "compactions": (made,)})
    await compactor.store.create(talk)

    with pytest.raises(CannotRestore, match="over the window's budget"):
        await replace(compactor, count=lambda: len).restore(TENANT, talk.id, "cmp_1_10")
    undone, _ = await compactor.restore(TENANT, talk.id, "cmp_1_10")

    assert [one.id for one in undone] == ["cmp_1_10"]


class SealsMeanwhile(InMemoryConversationStore):
    """A store in which another process seals turns between a load and an update."""

    async def update(
        self, tenant: str, conversation_id: str, change: Callable[[Conversation], Conversation]
    ) -> Conversation:
        sealing = next_sealing(await self.load(tenant, conversation_id), 100, RULE)
        assert sealing is not None
        return change(sealing.sealed("0" * 64, 99))


async def test_turns_that_are_sealed_at_the_same_moment_are_no_reason_to_lose_any() -> None:
    store = SealsMeanwhile()
    talk = compacted(talked(20, a_conversation(tenant=TENANT)), keep=10)
    await store.create(talk)

    with pytest.raises(CannotRestore, match="Send the request again"):
        await chat_with(scripted()[0], store=store).compactor.restore(TENANT, talk.id, "cmp_1_10")
