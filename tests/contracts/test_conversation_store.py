"""What every conversation store promises."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.in_memory import InMemoryConversationStore
from tests.support.postgres import an_empty_database
from tests.support.stored import AT, a_conversation, saying
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.periods import Period
from workflow_agent.conversations.store import ConversationStore, MessageQuery
from workflow_agent.errors import AlreadyExists, ContentNotFound, ConversationNotFound, InvalidInput
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.postgres.conversations import PostgresConversationStore
from workflow_agent.values.stored import content_ref_of, digest_of

BAD_IDS = [
    pytest.param("", id="empty"),
    pytest.param("../secrets", id="climbs"),
    pytest.param("a/b", id="slash"),
    pytest.param("Invoice", id="upper case"),
    pytest.param("invoice-1\n", id="line break at the end"),
    pytest.param("x" * 65, id="too long"),
    pytest.param("con.json", id="dot"),
    pytest.param("a\x00b", id="zero byte"),
]


NO_CACHE = pytest.param("postgres without a cache", marks=pytest.mark.slow)


@pytest.fixture(params=["memory", "json", "json without a cache", "postgres", NO_CACHE])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ConversationStore]:
    cache: dict[str, Any] = {"cache_bytes": 0} if request.param.endswith("without a cache") else {}
    if request.param == "memory":
        yield InMemoryConversationStore()
    elif request.param.startswith("json"):
        yield JsonConversationStore(DurableFiles(tmp_path / "data"), **cache)
    else:
        async with an_empty_database() as database:
            yield PostgresConversationStore(database, **cache)


def hello(conversation: Conversation) -> Conversation:
    return saying(conversation, "Hello")


async def test_a_new_conversation_is_stored_at_version_1(store: ConversationStore) -> None:
    created = await store.create(saying(a_conversation(), "Build me an approval"))

    assert created.version == 1
    assert await store.load("acme", "invoice-1") == created


async def test_a_taken_id_is_refused_and_what_has_it_stays(store: ConversationStore) -> None:
    first = await store.create(a_conversation(title="First"))

    with pytest.raises(AlreadyExists, match="'invoice-1'"):
        await store.create(a_conversation(title="Second"))

    assert await store.load("acme", "invoice-1") == first


async def test_of_many_who_create_the_same_id_one_succeeds(store: ConversationStore) -> None:
    outcomes = await asyncio.gather(
        *(store.create(a_conversation(title=f"By {n}")) for n in range(8)), return_exceptions=True
    )

    created = [one for one in outcomes if isinstance(one, Conversation)]
    assert [one.title for one in created] == [(await store.load("acme", "invoice-1")).title]
    assert sum(isinstance(one, AlreadyExists) for one in outcomes) == 7


async def test_an_unknown_conversation_is_not_found(store: ConversationStore) -> None:
    await store.create(a_conversation())

    for request in (
        store.load("acme", "invoice-2"),
        store.update("acme", "invoice-2", hello),
        store.delete("acme", "invoice-2"),
        store.load("other", "invoice-1"),
    ):
        with pytest.raises(ConversationNotFound, match="There is no conversation 'invoice-"):
            await request


@pytest.mark.parametrize("bad", BAD_IDS)
async def test_an_impossible_id_is_not_found_and_not_created(store: ConversationStore, bad: str) -> None:
    for request in (store.load("acme", bad), store.update("acme", bad, hello), store.delete("acme", bad)):
        with pytest.raises(ConversationNotFound):
            await request
    with pytest.raises(InvalidInput, match="not a conversation id"):
        await store.create(a_conversation().model_copy(update={"id": bad}))


@pytest.mark.parametrize("bad", [*BAD_IDS, pytest.param(".owners", id="one of our own directories")])
async def test_an_impossible_tenant_is_refused(store: ConversationStore, bad: str) -> None:
    for request in (
        store.create(a_conversation(tenant=bad)),
        store.load(bad, "invoice-1"),
        store.update(bad, "invoice-1", hello),
        store.delete(bad, "invoice-1"),
        store.page(bad),
    ):
        with pytest.raises(InvalidInput, match="not a tenant name"):
            await request


async def test_a_change_is_stored_one_version_up(store: ConversationStore) -> None:
    await store.create(a_conversation())

    updated = await store.update("acme", "invoice-1", hello)

    assert (updated.version, [event.content for event in updated.events]) == (2, ["Hello"])
    assert await store.load("acme", "invoice-1") == updated


async def test_a_change_sees_what_the_change_before_it_stored(store: ConversationStore) -> None:
    await store.create(a_conversation())

    for number in range(5):
        await store.update("acme", "invoice-1", lambda one, n=number: saying(one, f"Message {n}"))

    stored = await store.load("acme", "invoice-1")
    assert [event.content for event in stored.events] == [f"Message {n}" for n in range(5)]
    assert [run.turn for run in stored.runs] == [1, 2, 3, 4, 5]


async def test_changes_at_the_same_time_are_all_kept(store: ConversationStore) -> None:
    await store.create(a_conversation())

    await asyncio.gather(*(store.update("acme", "invoice-1", hello) for _ in range(20)))

    stored = await store.load("acme", "invoice-1")
    assert (stored.version, [event.index for event in stored.events]) == (21, list(range(20)))


async def test_a_change_that_returns_its_argument_stores_nothing(store: ConversationStore) -> None:
    created = await store.create(a_conversation())

    unchanged = await store.update("acme", "invoice-1", lambda one: one)

    assert unchanged == created
    assert (await store.load("acme", "invoice-1")).version == 1


async def test_what_a_change_raises_reaches_the_caller_and_nothing_is_stored(store: ConversationStore) -> None:
    created = await store.create(a_conversation())

    def refuse(_: Conversation) -> Conversation:
        raise LookupError("no such run")

    with pytest.raises(LookupError, match="no such run"):
        await store.update("acme", "invoice-1", refuse)

    assert await store.load("acme", "invoice-1") == created
    assert (await store.update("acme", "invoice-1", hello)).version == 2


async def test_a_part_that_is_exchanged_is_stored_exchanged(store: ConversationStore) -> None:
    created = await store.create(saying(a_conversation(), "Hello"))
    await store.update("acme", "invoice-1", lambda one: saying(one, "Again"))

    def finish(one: Conversation) -> Conversation:
        done = one.runs[0].model_copy(update={"status": "completed"})
        return one.model_copy(update={"runs": (done, *one.runs[1:]), "metadata": {"big": 2**80}})

    updated = await store.update("acme", "invoice-1", finish)

    stored = await store.load("acme", "invoice-1")
    assert stored == updated
    assert [run.status for run in stored.runs] == ["completed", "running"]
    assert (stored.metadata, stored.events[0]) == ({"big": 2**80}, created.events[0])


async def test_a_deleted_conversation_is_gone_and_its_id_is_free(store: ConversationStore) -> None:
    await store.create(saying(a_conversation(), "Hello"))

    await store.delete("acme", "invoice-1")

    with pytest.raises(ConversationNotFound):
        await store.load("acme", "invoice-1")
    assert (await store.page("acme")).items == ()
    assert (await store.create(a_conversation())).events == ()


async def test_tenants_do_not_see_each_other(store: ConversationStore) -> None:
    await store.create(a_conversation(tenant="acme", title="Ours"))
    await store.create(a_conversation(tenant="umbrella", title="Theirs"))

    await store.delete("umbrella", "invoice-1")

    assert (await store.load("acme", "invoice-1")).title == "Ours"
    assert (await store.page("umbrella")).items == ()


async def test_a_page_shows_the_latest_change_first(store: ConversationStore) -> None:
    await store.create(saying(a_conversation("first"), "one", minutes=3))
    await store.create(saying(a_conversation("second", title="Two", bound_workflow_id="wf_a"), "two", minutes=2))
    await store.create(a_conversation("third"))
    await store.update("acme", "third", lambda one: saying(saying(one, "a"), "b", minutes=4))

    page = await store.page("acme")

    assert [one.id for one in page.items] == ["third", "first", "second"]
    assert [(one.turns, one.version) for one in page.items] == [(2, 2), (1, 1), (1, 1)]
    assert (page.items[2].title, page.items[2].bound_workflow_id, page.items[2].phase) == ("Two", "wf_a", "chat")
    assert page.next_cursor is None


async def test_pages_together_show_each_conversation_once(store: ConversationStore) -> None:
    for number in range(7):
        await store.create(saying(a_conversation(f"c{number}"), "hi", minutes=number // 2))

    seen: list[str] = []
    cursor: str | None = None
    for _ in range(4):
        page = await store.page("acme", cursor=cursor, limit=2)
        seen += [one.id for one in page.items]
        cursor = page.next_cursor

    assert seen == ["c6", "c5", "c4", "c3", "c2", "c1", "c0"]
    assert cursor is None


async def test_a_full_last_page_has_no_next_cursor(store: ConversationStore) -> None:
    await store.create(a_conversation("a"))
    await store.create(a_conversation("b"))

    assert (await store.page("acme", limit=2)).next_cursor is None


@pytest.mark.parametrize(
    ("query", "found"),
    [
        pytest.param("LEGAL review", ["messages"], id="in a message, whatever its case"),
        pytest.param("holiday", ["titled"], id="in the title"),
        pytest.param("  strasse ", ["foreign"], id="folded, not only lowered"),
        pytest.param('say "now"', ["messages"], id="with characters that JSON escapes"),
        pytest.param("h", ["titled", "foreign", "messages"], id="in several"),
        pytest.param("user_message", [], id="not in the words of the file"),
        pytest.param("review please", [], id="not across messages"),
        pytest.param("", ["titled", "foreign", "messages"], id="all for an empty query"),
    ],
)
async def test_a_query_finds_what_title_or_messages_hold(
    store: ConversationStore, query: str, found: list[str]
) -> None:
    said = saying(saying(a_conversation("messages", title="Contract"), "A legal REVIEW"), 'please say "now" here')
    await store.create(said)
    await store.create(saying(a_conversation("foreign"), "Hauptstraße", minutes=5))
    await store.create(saying(a_conversation("titled", title="Holiday requests"), "hi", minutes=9))

    page = await store.page("acme", query=query)

    assert [one.id for one in page.items] == found


async def test_a_query_goes_on_at_its_cursor(store: ConversationStore) -> None:
    for number in range(6):
        await store.create(saying(a_conversation(f"c{number}"), f"parity {number % 2}", minutes=number))

    first = await store.page("acme", query="parity 1", limit=2)
    second = await store.page("acme", query="parity 1", cursor=first.next_cursor, limit=2)

    assert [[one.id for one in page.items] for page in (first, second)] == [["c5", "c3"], ["c1"]]


@pytest.mark.parametrize(
    "cursor",
    [
        pytest.param("", id="empty"),
        pytest.param("nonsense", id="other text"),
        pytest.param("Li4vLi4gLi4v", id="other text, encoded"),
        pytest.param("ümlaut", id="not ASCII"),
        pytest.param("MTc2MyBh=", id="padded"),
        pytest.param("\ud800", id="half a character"),
    ],
)
async def test_a_foreign_cursor_is_refused(store: ConversationStore, cursor: str) -> None:
    with pytest.raises(InvalidInput, match="not a cursor"):
        await store.page("acme", cursor=cursor)


async def test_a_page_of_nothing_is_refused(store: ConversationStore) -> None:
    with pytest.raises(InvalidInput, match="at least 1"):
        await store.page("acme", limit=0)


BLOBS = [
    pytest.param({"steps": [{"id": "a", "when": None}], "näme": "ü"}, id="object"),
    pytest.param(["a", 1, 2.5, True, None], id="list"),
    pytest.param("only text", id="text"),
    pytest.param("half a character: \ud800", id="lone surrogate"),
    pytest.param(None, id="null"),
    pytest.param(2**80, id="large number"),
]


@pytest.mark.parametrize("content", BLOBS)
async def test_a_blob_is_given_back_as_it_was_put(store: ConversationStore, content: Any) -> None:
    reference = await store.put_blob("acme", "invoice-1", content)

    assert await store.blob("acme", "invoice-1", reference) == content


async def test_equal_content_has_one_reference_and_keeps_the_order_of_its_keys(store: ConversationStore) -> None:
    first = await store.put_blob("acme", "invoice-1", {"b": 1, "a": [2]})
    again = await store.put_blob("acme", "invoice-1", {"b": 1, "a": [2]})
    other = await store.put_blob("acme", "invoice-1", {"a": [2], "b": 1})

    assert first == again == content_ref_of({"b": 1, "a": [2]})
    assert other == "sha256:" + digest_of({"b": 1, "a": [2]}) != first
    assert list(await store.blob("acme", "invoice-1", first)) == ["b", "a"]


@pytest.mark.parametrize(
    "reference",
    [
        pytest.param("sha256:" + "0" * 64, id="of nothing kept"),
        pytest.param("sha256:../../invoice-1.json", id="climbs"),
        pytest.param("", id="empty"),
        pytest.param("0" * 64, id="without its scheme"),
    ],
)
async def test_a_reference_to_nothing_says_so(store: ConversationStore, reference: str) -> None:
    await store.put_blob("acme", "invoice-1", {"a": 1})

    with pytest.raises(ContentNotFound, match="keeps nothing under"):
        await store.blob("acme", "invoice-1", reference)


async def test_a_blob_belongs_to_its_conversation_alone(store: ConversationStore) -> None:
    reference = await store.put_blob("acme", "invoice-1", {"a": 1})

    for tenant, conversation_id in (("acme", "invoice-2"), ("other", "invoice-1")):
        with pytest.raises(ContentNotFound):
            await store.blob(tenant, conversation_id, reference)


async def test_a_deleted_conversation_takes_its_blobs_along(store: ConversationStore) -> None:
    await store.create(a_conversation())
    reference = await store.put_blob("acme", "invoice-1", {"a": 1})

    await store.delete("acme", "invoice-1")
    await store.create(a_conversation())

    with pytest.raises(ContentNotFound):
        await store.blob("acme", "invoice-1", reference)
    assert await store.put_blob("acme", "invoice-1", {"a": 1}) == reference
    assert await store.blob("acme", "invoice-1", reference) == {"a": 1}


async def test_what_is_given_out_can_be_changed_without_changing_what_is_kept(store: ConversationStore) -> None:
    content = {"a": [1]}
    reference = await store.put_blob("acme", "invoice-1", content)

    content["a"].append(2)
    (await store.blob("acme", "invoice-1", reference))["a"].append(3)

    assert await store.blob("acme", "invoice-1", reference) == {"a": [1]}


async def test_a_blob_of_an_impossible_conversation_is_refused(store: ConversationStore) -> None:
    with pytest.raises(InvalidInput, match="not a conversation id"):
        await store.put_blob("acme", "../secrets", {"a": 1})
    with pytest.raises(InvalidInput, match="not a tenant name"):
        await store.put_blob("..", "invoice-1", {"a": 1})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("legal", [("a", 2), ("a", 1)], id="a word, newest first"),
        pytest.param("REVIEW legal", [("a", 1)], id="every word, in any order and case"),
        pytest.param("egal", [("a", 2), ("a", 1)], id="a part of a word"),
        pytest.param("strasse", [("b", 1)], id="folded"),
        pytest.param("so", [("b", 1)], id="two characters"),
        pytest.param("so ber", [("b", 1)], id="a short word beside a long one"),
        pytest.param('say "now"', [("a", 2)], id="with quotes"),
        pytest.param("NEAR(legal)", [], id="no operators"),
        pytest.param("holiday", [], id="not in the title"),
        pytest.param("   ", [], id="nothing for no words"),
        pytest.param("a\x00b \ud800", [], id="text that no message holds"),
    ],
)
async def test_messages_are_found_by_all_their_words(
    store: ConversationStore, text: str, found: list[tuple[str, int]]
) -> None:
    first = saying(saying(a_conversation("a", title="Holiday"), "A legal REVIEW"), 'say "now", legal', minutes=2)
    await store.create(first)
    await store.create(saying(a_conversation("b"), "So Hauptstraße, Berlin", minutes=5))

    hits = await store.find("acme", MessageQuery(text))

    assert [(hit.conversation_id, hit.turn) for hit in hits] == found


async def test_a_hit_says_where_it_is_and_shows_the_words(store: ConversationStore) -> None:
    created = await store.create(saying(a_conversation(title="Contract"), "x " * 500 + "the needle" + " y" * 500))

    (hit,) = await store.find("acme", MessageQuery("needle", "invoice-1"))

    event = created.events[0]
    assert (hit.title, hit.event_id, hit.index, hit.type, hit.author) == (
        "Contract",
        event.id,
        0,
        "user_message",
        "user",
    )
    assert "the needle" in hit.snippet
    assert hit.snippet.startswith("…")
    assert hit.snippet.endswith("…")


async def test_ranked_hits_need_not_hold_every_word_and_the_best_come_first(store: ConversationStore) -> None:
    talk = a_conversation()
    for told in ("We met at noon.", "The lorries were painted blue by Irene.", "Paint is dear.", "Blue sky.", "Bye."):
        talk = saying(talk, told)
    await store.create(talk)
    query = "what colour did Irene paint the lorry?"

    hits = await store.find("acme", MessageQuery(query, "invoice-1", is_ranked=True, with_neighbours=True))
    second = await store.find("acme", MessageQuery(query, "invoice-1", 1, 1, is_ranked=True, with_neighbours=True))

    assert hits[0].turn == 2
    assert {hit.turn for hit in hits} == {1, 2, 3, 4, 5}
    assert [hit.turn for hit in second] == [hits[1].turn]
    assert await store.find("acme", MessageQuery("zebra", "invoice-1", is_ranked=True)) in ((), [])


async def test_a_ranked_hit_holds_some_of_the_words_where_neighbours_are_not_asked_for(
    store: ConversationStore,
) -> None:
    talk = a_conversation()
    for told in ("We met at noon.", "The lorries were painted blue by Irene.", "Paint is dear.", "Blue sky.", "Bye."):
        talk = saying(talk, told)
    await store.create(talk)

    hits = await store.find("acme", MessageQuery("what did Irene paint?", "invoice-1", is_ranked=True))

    assert [hit.turn for hit in hits] == [2, 3]


async def test_hits_are_of_the_periods_asked_for(store: ConversationStore) -> None:
    talk = a_conversation()
    for minutes in (0, 10, 20, 30):
        talk = saying(talk, f"The lorry is {minutes} years old.", minutes=minutes)
    await store.create(talk)
    period = Period(AT + timedelta(minutes=10), AT + timedelta(minutes=30))

    ranked = [
        await store.find("acme", MessageQuery("how old is the lorry", place, is_ranked=True, periods=(period,)))
        for place in ("invoice-1", None)
    ]
    plain = await store.find("acme", MessageQuery("lorry", "invoice-1", periods=(period,)))
    wordless = await store.find("acme", MessageQuery("", "invoice-1", is_ranked=True, periods=(period,)))
    never = await store.find("acme", MessageQuery("lorry", periods=(Period(AT.replace(year=2020), AT),)))

    assert [sorted(hit.turn for hit in hits) for hits in ranked] == [[2, 3], [2, 3]]
    assert [[hit.turn for hit in hits] for hits in (plain, wordless, never)] == [[3, 2], [3, 2], []]


async def test_what_was_said_since_the_last_search_is_ranked_with_the_rest(store: ConversationStore) -> None:
    await store.create(saying(a_conversation(), "The lorries are red."))
    query = MessageQuery("which lorry is blue?", "invoice-1", is_ranked=True)
    before = await store.find("acme", query)

    await store.update("acme", "invoice-1", lambda now: saying(now, "One lorry is blue."))

    assert [hit.turn for hit in before] == [1]
    assert [hit.turn for hit in await store.find("acme", query)] == [2, 1]


async def test_a_ranked_hit_is_found_by_a_part_of_a_word_too(store: ConversationStore) -> None:
    await store.create(saying(saying(a_conversation(), "Open wf_expense_approval."), "Nothing else."))

    hits = await store.find("acme", MessageQuery("expense_appr", "invoice-1", is_ranked=True))

    assert hits[0].turn == 1


async def test_hits_come_in_portions(store: ConversationStore) -> None:
    talk = a_conversation()
    for number in range(6):
        talk = saying(talk, f"parity {number % 2}", minutes=number)
    await store.create(talk)

    portions = [await store.find("acme", MessageQuery("parity 1", limit=2, offset=at)) for at in (0, 2)]

    assert [[hit.turn for hit in hits] for hits in portions] == [[6, 4], [2]]


@pytest.mark.parametrize("conversation_id", ["missing", *["", "../secrets", "a\x00b"]])
async def test_messages_of_an_unknown_conversation_are_not_found(
    store: ConversationStore, conversation_id: str
) -> None:
    with pytest.raises(ConversationNotFound):
        await store.find("acme", MessageQuery("hello", conversation_id))
