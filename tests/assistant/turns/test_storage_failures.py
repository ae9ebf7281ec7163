"""What the disk refuses reaches the caller, and the conversation is usable again once the disk is."""

import asyncio
import gc
from collections.abc import Callable

import pytest

from tests.support.chats import TENANT, FakeOwners, chat_with
from tests.support.in_memory import InMemoryConversationStore
from tests.support.scripted import Calls, Waits, scripted
from workflow_agent.assistant.requests import TurnRequest
from workflow_agent.conversations.document import Conversation
from workflow_agent.errors import RunNotFound, ShuttingDown, StaleRun, StorageFailed


class FailingStore(InMemoryConversationStore):
    """A store whose saves fail as long as the test wants."""

    def __init__(self) -> None:
        super().__init__()
        self.is_full = False

    async def create(self, conversation: Conversation) -> Conversation:
        self._refuse()
        return await super().create(conversation)

    async def update(
        self, tenant: str, conversation_id: str, change: Callable[[Conversation], Conversation]
    ) -> Conversation:
        self._refuse()
        return await super().update(tenant, conversation_id, change)

    def _refuse(self) -> None:
        if self.is_full:
            raise StorageFailed("The disk is full.")


class WaitingStore(InMemoryConversationStore):
    """A store whose next save begins, and goes on only when the test lets it."""

    def __init__(self) -> None:
        super().__init__()
        self.waits = False
        self.begun, self.let = asyncio.Event(), asyncio.Event()

    async def create(self, conversation: Conversation) -> Conversation:
        await self._wait()
        return await super().create(conversation)

    async def update(
        self, tenant: str, conversation_id: str, change: Callable[[Conversation], Conversation]
    ) -> Conversation:
        await self._wait()
        return await super().update(tenant, conversation_id, change)

    async def _wait(self) -> None:
        if self.waits:
            self.begun.set()
            await self.let.wait()


async def test_a_caller_that_leaves_while_its_message_is_stored_leaves_no_run_unstarted() -> None:
    store = WaitingStore()
    under_test = chat_with(scripted("Hi.")[0], store=store)
    store.waits = True
    request = TurnRequest("hello", key="k")
    sending = asyncio.create_task(under_test.chat.start(TENANT, request))
    await store.begun.wait()

    sending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending
    store.waits = False
    store.let.set()
    for _ in range(100):
        await asyncio.sleep(0)
    await asyncio.gather(*under_test.chat.worker.live.tasks())

    [listed] = (await store.page(TENANT)).items
    stored = await store.load(TENANT, listed.id)
    assert [run.status for run in stored.runs] == ["completed"]


async def test_a_reply_that_is_being_stored_is_not_cancelled_any_more() -> None:
    store = WaitingStore()
    waits = Waits(text="Here.")
    under_test = chat_with(scripted(waits)[0], store=store)
    started = await under_test.chat.start(TENANT, TurnRequest("hello"))
    await waits.begun.wait()
    store.waits = True
    waits.let.set()
    await store.begun.wait()

    cancelling = asyncio.create_task(under_test.chat.cancel(TENANT, started.run_id))
    await asyncio.sleep(0)
    store.waits = False
    store.let.set()
    run = await cancelling

    stored = await store.load(TENANT, started.conversation_id)
    assert run.status == "completed"
    assert [event.type for event in stored.events] == ["user_message", "agent_reply"]


async def test_a_message_that_cannot_be_stored_is_not_accepted() -> None:
    store = FailingStore()
    model, script = scripted("Hi.")
    under_test = chat_with(model, store=store)
    store.is_full = True

    with pytest.raises(StorageFailed, match="disk is full"):
        await under_test.say("hello")

    assert script.requests == []


async def test_a_reply_that_cannot_be_stored_is_an_error_and_the_next_turn_works() -> None:
    store = FailingStore()
    waits = Waits()
    under_test = chat_with(scripted(waits, "Here again.")[0], store=store)
    started = await under_test.chat.start(TENANT, TurnRequest("hello"))
    await waits.begun.wait()
    store.is_full = True

    waits.let.set()
    with pytest.raises(StorageFailed):
        await started.outcome()
    store.is_full = False
    following = await under_test.say("are you there?", conversation_id=started.conversation_id)

    stored = await store.load(TENANT, started.conversation_id)
    assert following.reply.content == "Here again."
    assert [run.status for run in stored.runs] == ["interrupted", "completed"]


async def test_a_run_of_another_process_is_waited_for() -> None:
    waits = Waits(text="from over there")
    there = chat_with(scripted(waits)[0], owners=FakeOwners(owner="there"))
    started = await there.chat.start(TENANT, TurnRequest("hello", key="k1"))
    await waits.begun.wait()
    here = chat_with(scripted()[0], store=there.store, owners=FakeOwners(owner="here"))

    joined = await here.chat.start(TENANT, TurnRequest("hello", key="k1"))
    waits.let.set()
    outcome = await joined.outcome()

    assert joined.stream is None
    assert outcome.reply.content == "from over there"
    assert outcome.run_id == started.run_id


async def test_a_commit_that_fails_after_its_run_was_cancelled_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    store = WaitingStore()
    model, _ = scripted("Hi.")
    under_test = chat_with(model, store=store)
    unretrieved: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unretrieved.append(context))
    started = await under_test.chat.start(TENANT, TurnRequest("hello"))
    store.waits = True
    await store.begun.wait()

    cancelling = asyncio.create_task(under_test.chat.cancel(TENANT, started.run_id))
    await asyncio.sleep(0)
    store.waits = False
    await store.delete(TENANT, started.conversation_id)
    store.let.set()
    with pytest.raises(RunNotFound):
        await cancelling
    await asyncio.gather(*under_test.chat.worker.live.tasks())
    gc.collect()

    assert unretrieved == []
    assert "work that nobody waits for any more failed" in caplog.messages


async def test_a_run_of_another_process_can_be_cancelled() -> None:
    waits = Waits()
    there = chat_with(scripted(waits)[0], owners=FakeOwners(owner="there"))
    started = await there.chat.start(TENANT, TurnRequest("hello", key="k1"))
    await waits.begun.wait()
    here = chat_with(scripted()[0], store=there.store, owners=FakeOwners(owner="here"))

    run = await here.chat.cancel(TENANT, started.run_id)
    waits.let.set()

    assert run.status == "cancelled"
    with pytest.raises(StaleRun, match="may not commit"):
        await started.outcome()
    with pytest.raises(StaleRun, match="was cancelled and has no reply"):
        await here.say("hello", key="k1")


async def test_a_process_that_lost_its_runs_asks_the_model_no_more_and_leaves_the_run_to_others() -> None:
    owners = FakeOwners()
    model, script = scripted(Calls([("list_workflows", {})]), "Once more.")
    under_test = chat_with(model, owners=owners)
    started = await under_test.chat.start(TENANT, TurnRequest("hi", key="k"))

    assert started.stream is not None
    async for event in started.stream.events():
        if event.name == "tool_call":
            owners.dead.add(owners.owner)

    with pytest.raises(ShuttingDown, match="Another server goes on"):
        await started.outcome()
    talk = await under_test.store.load(TENANT, started.conversation_id)
    assert [run.status for run in talk.runs] == ["running"]
    assert len(script.requests) == 1
