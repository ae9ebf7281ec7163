"""What every store of conversations promises of what somebody wants forgotten."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.compacted_talks import said
from tests.support.in_memory import InMemoryConversationStore
from tests.support.postgres import an_empty_database
from tests.support.stored import a_conversation
from workflow_agent.conversations.redaction import GONE, Redaction
from workflow_agent.conversations.store import ConversationStore, MessageQuery
from workflow_agent.errors import ConversationNotFound
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.postgres.conversations import PostgresConversationStore


@pytest.fixture(params=["memory", "json", "postgres"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ConversationStore]:
    if request.param == "memory":
        yield InMemoryConversationStore()
    elif request.param == "json":
        yield JsonConversationStore(DurableFiles(tmp_path))
    else:
        async with an_empty_database() as database:
            yield PostgresConversationStore(database)


async def test_what_is_redacted_is_in_no_event_no_content_and_no_search(store: ConversationStore) -> None:
    talk = said("Hello. I prefer mauve names. Bye.", "The mauve name is wf_1", conversation=a_conversation())
    await store.create(talk)
    content_ref = await store.put_blob(talk.tenant, talk.id, "He prefers names of mauve")
    gone = Redaction(("I prefer mauve names",))

    is_changed = await store.redact(talk.tenant, talk.id, gone)
    is_changed_again = await store.redact(talk.tenant, talk.id, gone)

    after = await store.load(talk.tenant, talk.id)
    assert (is_changed, is_changed_again) == (True, False)
    assert after.events[0].content == f"Hello. {GONE} Bye."
    assert after.events[2].content == "The mauve name is wf_1"
    assert after.version > 1
    assert await store.find(talk.tenant, MessageQuery("prefer mauve", talk.id)) == []
    assert content_ref


async def test_what_was_ranked_before_it_was_redacted_is_found_no_more(store: ConversationStore) -> None:
    talk = await store.create(said("Hello. I prefer mauve names. Bye.", conversation=a_conversation()))
    query = MessageQuery("which mauve names?", talk.id, is_ranked=True)
    before = await store.find(talk.tenant, query)

    await store.redact(talk.tenant, talk.id, Redaction(("I prefer mauve names",)))

    assert [hit.index for hit in before] == [0]
    assert list(await store.find(talk.tenant, query)) == []


async def test_a_conversation_without_it_stays_as_it_is(store: ConversationStore) -> None:
    talk = await store.create(said("Hello", conversation=a_conversation()))

    assert not await store.redact(talk.tenant, talk.id, Redaction(("I prefer mauve names",)))

    assert await store.load(talk.tenant, talk.id) == talk


async def test_only_what_is_there_is_redacted(store: ConversationStore) -> None:
    with pytest.raises(ConversationNotFound):
        await store.redact("default", "cv_missing", Redaction(("anything at all",)))


def test_a_name_alone_takes_out_short_sentences_only() -> None:
    gone = Redaction(("Call me Bob",))

    assert gone("Remember: call me Bob") == GONE
    assert gone("Please call me Bob when the long review of the contract in Lyon is over") != GONE
    assert gone("Bob signs.") == "Bob signs."


def test_ids_and_terms_of_our_own_are_no_text() -> None:
    gone = Redaction(("search",))

    assert gone.in_data({"name": "search", "query": "search"}) == {"name": "search", "query": GONE}
