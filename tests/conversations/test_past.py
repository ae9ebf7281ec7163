"""Reading back across the boundary between the conversation's file and its sealed parts."""

from pathlib import Path

import pytest

from tests.support.chats import chat_with
from tests.support.long_talks import compacted, talked
from tests.support.scripted import scripted
from tests.support.stored import a_conversation
from workflow_agent.assistant.requests import TurnRequest
from workflow_agent.conversations.compactions import Compaction
from workflow_agent.conversations.document import Conversation, Event
from workflow_agent.conversations.history import MOST_FILES_A_PAGE, Past
from workflow_agent.conversations.records import reply_in
from workflow_agent.conversations.seals import SealRule
from workflow_agent.errors import NotFound, RunNotFound
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles

pytestmark = pytest.mark.untraced

TURNS = 60


@pytest.fixture
async def past(tmp_path: Path) -> Past:
    rule = SealRule(above_bytes=50_000, fewest_turns=4, most_turns=4)
    store = JsonConversationStore(DurableFiles(tmp_path), seal=rule)
    await store.create(a_conversation())
    for _ in range(TURNS):
        talk = await store.update("acme", "invoice-1", lambda one: compacted(talked(1, one), keep=6, step=2))
    assert len(talk.archive) > MOST_FILES_A_PAGE
    return Past(store, talk)


@pytest.mark.parametrize("number", [1, 17, TURNS])
async def test_a_turn_is_found_wherever_it_is(past: Past, number: int) -> None:
    turn = await past.turn(number)

    assert turn.message.content == f"Message {number}"
    assert turn.reply is not None
    run = turn.answers[0].run
    assert run is not None
    assert (turn.reply.turn, run.turn, len(turn.iterations)) == (number, number, 2)


@pytest.mark.parametrize("number", [-1, 0, TURNS + 1])
async def test_a_turn_that_never_was_is_not_found(past: Past, number: int) -> None:
    with pytest.raises(NotFound, match=f"no turn {number}"):
        await past.turn(number)


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize("limit", [1, 7, 100])
async def test_pages_together_are_the_whole_history(past: Past, newest_first: bool, limit: int) -> None:
    seen: list[Event] = []
    start: int | None = None
    while True:
        page = await past.events(start, limit, newest_first=newest_first)
        assert len(page.items) <= limit
        seen += page.items
        start = page.following
        if start is None:
            break

    whole = talked(TURNS).events
    assert seen == list(whole[::-1] if newest_first else whole)


@pytest.mark.parametrize("newest_first", [False, True])
async def test_a_number_that_an_edited_file_lacks_is_passed_over(tmp_path: Path, newest_first: bool) -> None:
    store = JsonConversationStore(DurableFiles(tmp_path))
    talk = talked(2)
    edited = talk.model_copy(update={"events": (*talk.events[:1], *talk.events[2:])})
    past, start, pages = Past(store, edited), None, 0

    while pages <= talk.next_index:
        page = await past.events(start, 1, newest_first=newest_first)
        pages, start = pages + 1, page.following
        if start is None:
            break

    assert start is None


async def test_a_filter_that_finds_nearly_nothing_goes_on_at_its_cursor(past: Past) -> None:
    def is_first(event: Event) -> bool:
        return event.index == 0

    page = await past.events(None, 10, is_first, newest_first=True)
    following = await past.events(page.following, 10, is_first, newest_first=True)

    assert (list(page.items), page.following is not None) == ([], True)
    assert [event.index for event in following.items] == [0]


async def test_pages_of_calls_are_all_calls(past: Past) -> None:
    first = await past.calls(None, 25)
    rest = await past.calls(first.following, 1_000)

    assert [call.call_id for call in (*first.items, *rest.items)][: len(first.items) + len(rest.items)] == [
        call.call_id for call in talked(TURNS).calls[: len(first.items) + len(rest.items)]
    ]
    assert len(first.items) == 25


async def test_a_sealed_run_is_found_with_its_reply(past: Past) -> None:
    model, _ = scripted("never asked")
    chat = chat_with(model, store=past.store).chat

    records, run = await chat.recorded_run("acme", "run_invoice-1_17_17")

    reply = reply_in(records, run.run_id)
    assert (run.status, run.turn) == ("completed", 17)
    assert reply is not None
    assert reply.content.startswith("Answer 17.")
    with pytest.raises(RunNotFound):
        await chat.recorded_run("acme", "run_invoice-1_17_18")


async def test_a_message_sent_again_gets_its_reply_from_the_archive(past: Past) -> None:
    model, _ = scripted("never asked")
    chat = chat_with(model, store=past.store).chat
    request = TurnRequest("Message 17", conversation_id="invoice-1", key="key-17")
    await past.store.update("acme", "invoice-1", lambda one: _with_fingerprint(one, request))

    outcome = await (await chat.start("acme", request)).outcome()

    assert (outcome.turn, outcome.replayed) == (17, True)
    assert outcome.reply.content.startswith("Answer 17.")


def _with_fingerprint(conversation: Conversation, request: TurnRequest) -> Conversation:
    runs = [
        run.model_copy(update={"fingerprint": request.fingerprint()}) if run.key == request.key else run
        for run in conversation.runs
    ]
    return conversation.model_copy(update={"runs": tuple(runs)})


async def compactions_of(past: Past, *, newest_first: bool) -> tuple[list[str], int | None]:
    found: list[Compaction] = []
    start: int | None = None
    while True:
        page = await past.compactions(start, 7, newest_first=newest_first)
        found += page.items
        if page.following is None:
            return [one.id for one in found], page.total
        start = page.following


@pytest.mark.parametrize("newest_first", [False, True])
async def test_compactions_of_archives_that_do_not_count_them_are_listed(past: Past, newest_first: bool) -> None:
    counted, total = await compactions_of(past, newest_first=newest_first)
    # As releases before wrote it: the files hold them, and no entry says so.
    uncounted = tuple(
        entry.model_copy(update={"first_compaction": 0, "compactions": 0}) for entry in past.conversation.archive
    )
    older = Past(past.store, past.conversation.model_copy(update={"archive": uncounted}))

    found = await compactions_of(older, newest_first=newest_first)

    assert past.conversation.sealed_compactions > 0
    assert found == (counted, total)
    assert len(counted) == total == past.conversation.sealed_compactions + len(past.conversation.compactions)
