"""What a host reads again of a conversation that another has changed."""

import random
from typing import Any

import asyncpg
import pytest
from typing_extensions import override

from tests.support.compacted_talks import said
from tests.support.postgres import an_empty_database
from tests.support.stored import a_conversation, saying
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.redaction import Redaction
from workflow_agent.storage.postgres.conversation_rows import KeptConversation, saving
from workflow_agent.storage.postgres.conversations import PostgresConversationStore
from workflow_agent.storage.postgres.database import Database


async def test_what_the_other_host_did_not_change_stays_the_same_objects() -> None:
    async with an_empty_database() as database:
        here, there = PostgresConversationStore(database), PostgresConversationStore(database)
        talk = await here.create(said("one", "two", conversation=a_conversation()))
        known = await here.load(talk.tenant, talk.id)
        changed = await there.update(talk.tenant, talk.id, lambda one: said("three", conversation=one))

        read = await here.load(talk.tenant, talk.id)

    assert read == changed
    assert len(read.events) > len(known.events)
    assert all(one is other for one, other in zip(known.events, read.events, strict=False))


async def test_what_was_made_unreadable_is_read_anew() -> None:
    async with an_empty_database() as database:
        here, there = PostgresConversationStore(database), PostgresConversationStore(database)
        talk = await here.create(said("I prefer mauve.", "Well.", conversation=a_conversation()))
        await there.redact(talk.tenant, talk.id, Redaction(("I prefer mauve",)))

        read = await here.load(talk.tenant, talk.id)

    assert "mauve" not in str(read.events)
    assert read.events[2:] == talk.events[2:]


async def test_another_conversation_by_the_same_id_is_read_whole() -> None:
    async with an_empty_database() as database:
        here, there = PostgresConversationStore(database), PostgresConversationStore(database)
        talk = await here.create(said("one", "two", conversation=a_conversation()))
        await there.delete(talk.tenant, talk.id)
        other = await there.create(said("three", conversation=a_conversation()))

        assert await here.load(talk.tenant, talk.id) == other


@pytest.mark.parametrize("seed", range(8))
async def test_hosts_that_change_it_in_any_order_read_what_is_stored(seed: int) -> None:
    chance = random.Random(seed)

    def changed(one: Conversation) -> Conversation:
        events = list(one.events)
        at = chance.randrange(len(events))
        new = events[at].model_copy(update={"content": f"said {chance.random()}"})
        ways = {
            "put": [*events[:at], new, *events[at + 1 :]],
            "added": [*events, new],
            "between": [*events[:at], new, *events[at:]],
            "removed": [*events[:at], *events[at + 1 :]] or events,
            "turned over": events[::-1],
            "moved on": [*events[1:], new],
        }
        return one.model_copy(update={"events": tuple(ways[chance.choice(list(ways))])})

    async with an_empty_database() as database:
        hosts = [PostgresConversationStore(database) for _ in range(3)]
        talk = await hosts[0].create(said("one", "two", conversation=a_conversation()))
        for _ in range(40):
            await chance.choice(hosts).update(talk.tenant, talk.id, changed)
            if chance.random() < 0.5:
                await chance.choice(hosts).load(talk.tenant, talk.id)

        read = [await host.load(talk.tenant, talk.id) for host in (*hosts, PostgresConversationStore(database))]

    assert all(one == read[-1] for one in read)


async def test_items_that_stay_are_not_written_again_when_older_ones_go() -> None:
    stored = saving(_nothing(), said("one", "two", "three", conversation=a_conversation())).kept
    before = stored.conversation
    new = before.events[-1].model_copy(update={"id": "evt_new"})

    made = saving(stored, before.model_copy(update={"events": (*before.events[2:-1], new)}))

    events = [put for put in made.put if put.list == 0]
    assert [put.body for put in events] == [new.model_dump_json(by_alias=True).encode()]
    assert {place for number, place in made.removed if number == 0} == {0, 1, len(before.events) - 1} - {events[0].ord}


def _nothing() -> KeptConversation:
    return KeptConversation(a_conversation(), 1)


class Counted(Database):
    """Counts what is asked."""

    asked = 0

    @override
    async def rows(self, statement: str, *values: Any) -> list[asyncpg.Record]:
        self.asked += 1
        return await super().rows(statement, *values)


async def test_a_conversation_that_other_hosts_change_is_read_before_it_is_changed() -> None:
    async with an_empty_database() as database:
        there = PostgresConversationStore(database)
        counted = Counted(database.options)
        here = PostgresConversationStore(counted)
        talk = await here.create(said("one", conversation=a_conversation()))

        async def asked_for(*hosts: PostgresConversationStore) -> int:
            before = counted.asked
            for host in hosts:
                await host.update(talk.tenant, talk.id, lambda one: said("again", conversation=one))
            return counted.asked - before

        # A save on an old version, what is new, and the save again.
        assert await asked_for(there, here) == 3
        # A look, and a save.
        assert await asked_for(there, here) == 2
        assert await asked_for(there, here) == 2
        # A look before a turn, and none in it.
        before = counted.asked
        await here.update(talk.tenant, talk.id, lambda one: saying(one, "Well?"))
        running = await here.update(talk.tenant, talk.id, lambda one: one.model_copy(update={"title": "Well"}))
        assert counted.asked - before == 3
        await here.update(talk.tenant, talk.id, lambda one: one.model_copy(update={"runs": running.runs[:-1]}))
        # Nobody else comes any more: after four looks in vain, the one above included, it is saved at once.
        assert [await asked_for(here) for _ in range(6)] == [2, 2, 2, 1, 1, 1]
        await counted.close()
