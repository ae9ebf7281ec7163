"""What the disk refuses reaches the caller, and the conversation is usable again once the disk is."""

from collections.abc import Callable

import pytest

from tests.support.chats import TENANT, FakeOwners, chat_with
from tests.support.scripted import Waits, scripted
from workflow_agent.adapters.memory import InMemoryConversationStore
from workflow_agent.chat import TurnRequest
from workflow_agent.domain.conversation import Conversation
from workflow_agent.domain.errors import StaleRun, StorageFailed


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
