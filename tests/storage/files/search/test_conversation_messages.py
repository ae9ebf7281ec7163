"""The index of messages: what it finds, how it keeps step, and that it is made of the files alone."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.failing_files import FailingFileSystem
from tests.support.long_talks import compacted, talked
from tests.support.stored import a_conversation, saying
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.seals import SealRule
from workflow_agent.conversations.store import MessageQuery
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.search.messages import Indexed, MessageDatabase, Said, lookup_of

RULE = SealRule(above_bytes=32 * 1024, fewest_turns=4, most_turns=8)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def store(data: Path) -> JsonConversationStore:
    return JsonConversationStore(DurableFiles(data), seal=RULE)


def index_of(data: Path) -> Path:
    return data / "acme" / ".index" / "messages.sqlite"


async def grown(store: JsonConversationStore, turns: int) -> Conversation:
    talk = await store.create(a_conversation())
    for _ in range(turns):
        talk = await store.update("acme", "invoice-1", lambda old: compacted(talked(1, old)))
    return talk


async def turns_with(store: JsonConversationStore, text: str, conversation_id: str | None = "invoice-1") -> list[int]:
    found = await store.find("acme", MessageQuery(text, conversation_id, limit=100))
    return [hit.turn for hit in found]


async def test_sealed_turns_are_found_like_all_others(store: JsonConversationStore) -> None:
    talk = await grown(store, 40)

    assert talk.sealed_turns > 8
    assert await turns_with(store, "Message 3") == [*range(39, 29, -1), 23, 13, 3]
    assert [one.id for one in (await store.page("acme", query="Message 3")).items] == ["invoice-1"]


async def test_turns_that_were_sealed_since_the_last_search_are_found(store: JsonConversationStore) -> None:
    await grown(store, 3)
    before = await turns_with(store, "Message")
    for _ in range(40):
        await store.update("acme", "invoice-1", lambda old: compacted(talked(1, old)))

    after = await turns_with(store, "Message")

    assert (before, after) == ([3, 2, 1], list(range(43, 0, -1)))


async def test_a_search_after_a_turn_reads_the_conversation_and_no_sealed_file(data: Path) -> None:
    counted = FailingFileSystem(lambda *_: False, 0)
    store = JsonConversationStore(DurableFiles(data, file_system=counted), seal=RULE)
    await grown(store, 40)
    await turns_with(store, "Message")
    await store.update("acme", "invoice-1", lambda old: talked(1, old))
    counted.made.clear()

    assert await turns_with(store, "Message 41") == [41]
    assert counted.made.count("listdir") == 0
    # Once for its summary and once for its words, each read twice to see its end.
    assert counted.made.count("read") == 4


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda path: path.unlink(), id="missing"),
        pytest.param(lambda path: path.write_bytes(b"no database" * 500), id="not a database"),
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:5000]), id="cut off"),
        pytest.param(
            lambda path: sqlite3.connect(path).executescript("DROP TABLE messages").connection.close(),
            id="without a table",
        ),
    ],
)
async def test_an_index_that_is_lost_or_damaged_is_built_anew(
    store: JsonConversationStore, data: Path, damage: object
) -> None:
    await grown(store, 30)
    before = await turns_with(store, "Message 2")
    damage(index_of(data))

    assert await turns_with(store, "Message 2") == before
    assert await turns_with(JsonConversationStore(DurableFiles(data)), "Message 2") == before


async def test_where_no_file_can_be_made_the_index_is_kept_in_memory(store: JsonConversationStore, data: Path) -> None:
    await grown(store, 5)
    (data / "acme" / ".index").write_text("in the way")

    assert await turns_with(store, "Message 2") == [2]


async def test_a_conversation_begun_anew_under_an_id_is_not_found_by_what_the_old_one_said(
    store: JsonConversationStore,
) -> None:
    await store.create(saying(a_conversation(), "apples"))
    assert await turns_with(store, "apples") == [1]
    await store.delete("acme", "invoice-1")
    assert await turns_with(store, "apples", None) == []
    anew = a_conversation().model_copy(update={"created_at": a_conversation().created_at.replace(year=2001)})
    await store.create(saying(saying(anew, "pears"), "plums"))

    assert await turns_with(store, "apples") == []
    assert await turns_with(store, "plums") == [2]


async def test_a_new_title_takes_the_place_of_the_old_one(store: JsonConversationStore) -> None:
    await store.create(a_conversation(title="Holidays"))
    assert len((await store.page("acme", query="holiday")).items) == 1
    await store.update("acme", "invoice-1", lambda one: one.model_copy(update={"title": "Expenses"}))

    assert [(await store.page("acme", query=text)).items == () for text in ("holiday", "expense")] == [True, False]


async def test_a_sealed_file_that_is_damaged_hides_its_own_turns_until_it_is_mended(
    store: JsonConversationStore, data: Path
) -> None:
    talk = await grown(store, 40)
    sealed = data / "acme" / "conversations" / "invoice-1.archive" / talk.archive[0].file
    whole = sealed.read_bytes()
    sealed.write_bytes(b"{")
    hidden = await turns_with(store, "Message 3")
    sealed.write_bytes(whole)

    assert 3 not in hidden
    assert {39, 30} <= set(hidden)
    assert 3 in await turns_with(store, "Message 3")


def test_pages_of_ranked_messages_hold_each_once_also_beyond_those_that_are_ranked() -> None:
    said = [
        Said(at, at, f"e{at}", "user_message", "user", f"2026-01-01T00:{at // 60:02}:{at % 60:02}Z", None, "A bill")
        for at in range(450)
    ]
    with closing(MessageDatabase(None)) as database:
        database.put("one", Indexed("", "", 449, 449), "Talk", said, anew=True)

        queries = [MessageQuery("bill", limit=50, offset=at, is_ranked=True) for at in range(0, 500, 50)]
        pages = [database.find(lookup) for lookup in filter(None, map(lookup_of, queries))]

    numbers = [found.index for page in pages for found in page]
    assert sorted(numbers) == list(range(450))
    assert numbers[-50:] == list(range(49, -1, -1))
