"""Messages by meaning: joined with words once there are vectors, by words alone where there are none."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pydantic_ai import Embedder
from pydantic_ai.exceptions import ModelHTTPError

from tests.support.embedding import ConceptModel
from tests.support.long_talks import accepted, compacted, talked
from tests.support.postgres import an_empty_database
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.seals import SealRule
from workflow_agent.conversations.store import ConversationStore, MessageQuery
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.search.meaning import MessagesByMeaning
from workflow_agent.storage.postgres.conversations import PostgresConversationStore
from workflow_agent.values.tokens import Cost, Usage

RULE = SealRule(above_bytes=1_000, fewest_turns=1)


@dataclass
class Searched:
    """A conversation about a puppy and an invoice, and a search in it."""

    store: ConversationStore
    model: ConceptModel = field(default_factory=ConceptModel)
    requests: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.search = MessagesByMeaning(self.store, Embedder(self.model), self.spend)

    async def spend(self, tenant: str, usage: Usage, cost: Cost) -> None:
        del cost
        assert tenant == "acme"
        self.requests.append(usage.requests)

    async def found(self, text: str, **asked: object) -> list[int]:
        query = MessageQuery(text, **{"conversation_id": "invoice-1", "is_ranked": True, **asked})
        return [hit.index for hit in await self.search.find("acme", query)]


@pytest.fixture(params=["files", "postgres"])
async def searched(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Searched]:
    if request.param == "files":
        yield await a_search(JsonConversationStore(DurableFiles(tmp_path), seal=RULE))
    else:
        async with an_empty_database() as database:
            yield await a_search(PostgresConversationStore(database, seal=RULE))


async def a_search(store: ConversationStore) -> Searched:
    talk = talked(8)
    told = {0: "Bring the puppy in on Monday", 2: "Ask what Miller sent"}
    events = tuple(one.model_copy(update={"content": told.get(one.index, one.content)}) for one in talk.events)
    await store.create(compacted(talk.model_copy(update={"events": events}), keep=3, step=1))
    # Its first turns are sealed by now.
    stored = await store.update("acme", talk.id, lambda one: one.model_copy(update={"title": "Vet"}))
    assert stored.sealed_turns > 0
    return Searched(store)


async def test_what_shares_no_word_is_found_once_there_are_vectors(searched: Searched) -> None:
    before = await searched.found("canine")
    await searched.search.tasks.settled()
    after = await searched.found("canine")
    both = await searched.found("canine sent")

    assert (before, after) == ([], [0])
    assert set(both) >= {0, 2}
    assert len(searched.requests) == 3


async def test_a_hit_by_meaning_tells_the_message(searched: Searched) -> None:
    await searched.found("canine")
    await searched.search.tasks.settled()

    (hit,) = await searched.search.find("acme", MessageQuery("canine", "invoice-1", is_ranked=True))

    assert (hit.turn, hit.type, hit.title, hit.snippet) == (1, "user_message", "Vet", "Bring the puppy in on Monday")


async def test_only_what_is_new_is_sent_again(searched: Searched) -> None:
    await searched.found("canine")
    await searched.search.tasks.settled()
    count = len(searched.model.documents)

    def more(conversation: Conversation) -> Conversation:
        return accepted(conversation, content="And the dog of Smith").conversation

    stored = await searched.store.update("acme", "invoice-1", more)
    await searched.found("canine")
    await searched.search.tasks.settled()

    assert searched.model.documents[count:] == ["And the dog of Smith"]
    assert await searched.found("canine") == [0, stored.next_index - 1]


async def test_pages_follow_each_other(searched: Searched) -> None:
    await searched.found("canine message")
    await searched.search.tasks.settled()

    whole = await searched.found("canine message", limit=8)
    pages = [await searched.found("canine message", limit=2, offset=at) for at in (0, 2, 4, 6)]

    assert len(whole) == 7
    assert [one for page in pages for one in page] == whole


async def test_a_model_that_fails_leaves_the_words(searched: Searched) -> None:
    searched.model.error = ModelHTTPError(500, "concepts")

    before = await searched.found("Miller")
    await searched.search.tasks.settled()

    assert before == await searched.found("Miller")
    assert before[0] == 2
    assert searched.search.failures == 1
    await searched.search.tasks.shut_down()


async def test_a_search_that_is_not_ranked_or_in_all_conversations_asks_no_model(searched: Searched) -> None:
    await searched.found("puppy", is_ranked=False)
    await searched.found("puppy", conversation_id=None)
    await searched.search.tasks.settled()

    assert (searched.model.documents, searched.requests) == ([], [])
