"""What a host reads again of a conversation that another has changed."""

import random

import pytest

from tests.support.compacted_talks import said
from tests.support.postgres import an_empty_database
from tests.support.stored import a_conversation
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.redaction import Redaction
from workflow_agent.storage.postgres.conversations import PostgresConversationStore


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


@pytest.mark.parametrize("seed", range(5))
async def test_hosts_that_change_it_in_any_order_read_what_is_stored(seed: int) -> None:
    chance = random.Random(seed)

    def changed(one: Conversation) -> Conversation:
        events = list(one.events)
        at = chance.randrange(len(events))
        new = events[at].model_copy(update={"content": f"said {chance.random()}"})
        match chance.choice(("put", "added", "removed")):
            case "put":
                events[at] = new
            case "added":
                events.append(new)
            case _ if len(events) > 1:
                del events[at]
        return one.model_copy(update={"events": tuple(events)})

    async with an_empty_database() as database:
        hosts = [PostgresConversationStore(database) for _ in range(3)]
        talk = await hosts[0].create(said("one", "two", conversation=a_conversation()))
        for _ in range(25):
            await chance.choice(hosts).update(talk.tenant, talk.id, changed)
            if chance.random() < 0.5:
                await chance.choice(hosts).load(talk.tenant, talk.id)

        read = [await host.load(talk.tenant, talk.id) for host in (*hosts, PostgresConversationStore(database))]

    assert all(one == read[-1] for one in read)
