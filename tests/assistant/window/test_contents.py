"""Large contents of a turn are kept apart once, and read back wherever the turn is shown or replayed."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.support.chats import TENANT, chat_with
from tests.support.in_memory import InMemoryConversationStore
from tests.support.scripted import Calls, scripted
from tests.support.stored import AT
from workflow_agent.assistant.record import Told
from workflow_agent.assistant.window.contents import Contents
from workflow_agent.conversations.document import AgentReply, Conversation, UserMessage
from workflow_agent.conversations.iterations import Iteration, Message, ToolResult
from workflow_agent.errors import StorageFailed
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.values.stored import RunFence

LARGE = {"steps": ["x" * 100] * 40, "big": 2**80}


def contents(store: InMemoryConversationStore | None = None, inline_bytes: int = 2_048) -> Contents:
    return Contents(store or InMemoryConversationStore(), TENANT, "talk", inline_bytes)


def an_iteration(*results: Any, system: str = "") -> Iteration:
    told = (Message(role="system", content=system),) if system else ()
    got = tuple(ToolResult(id=str(n), name="t", content=one) for n, one in enumerate(results))
    messages = (*told, Message(role="user", content="Hi"), Message(role="tool", results=got))
    return Iteration(number=1, messages=messages, started_at=AT, completed_at=AT)


async def test_a_large_result_is_a_reference_and_comes_back_as_it_was() -> None:
    kept = contents()

    [stored] = await kept.keep([an_iteration(LARGE, {"small": 1})])
    [whole] = await kept.resolved([stored])

    large, small = stored.messages[1].results
    assert (large.content, small.content, small.content_ref) == (None, {"small": 1}, None)
    assert [one.content for one in whole.messages[1].results] == [LARGE, {"small": 1}]


@pytest.mark.parametrize(("chars", "is_apart"), [(18, False), (19, True)])
async def test_the_limit_is_the_size_as_json(chars: int, is_apart: bool) -> None:
    [stored] = await contents(inline_bytes=20).keep([an_iteration("x" * chars)])

    assert (stored.messages[1].results[0].content_ref is not None) == is_apart


def told_parts(module: str, *changing: str) -> tuple[Told, ...]:
    return Told("prompt_module", module, is_lasting=True), *(Told("memory", text) for text in changing)


async def test_a_part_of_the_instructions_that_lasts_is_kept_once_though_it_is_short() -> None:
    lasting, changing = "A guide. " * 20, "A fact. " * 20
    one = an_iteration(system=f"{lasting}\n\n{changing}")

    [stored] = await contents().keep([one], told_parts(lasting, changing))

    kept, inline = stored.messages[0].parts
    assert (kept.text, kept.content_ref is None) == (None, False)
    assert (inline.text, inline.content_ref) == (changing, None)


async def test_instructions_are_kept_once_by_their_parts() -> None:
    store = InMemoryConversationStore()
    kept, module = contents(store), "# Module\n\n" + "word " * 200

    first, second = [
        (await kept.keep([an_iteration(system=f"{module}\n\n{today}")], told_parts(module, today)))[0]
        for today in ("Monday", "Tuesday")
    ]

    parts = first.messages[0].parts, second.messages[0].parts
    assert parts[0][0] == parts[1][0]
    assert [one[1].text for one in parts] == ["Monday", "Tuesday"]
    assert first.messages[0].content == ""
    [whole] = await kept.resolved([second])
    assert (whole.messages[0].content, whole.messages[0].parts) == (f"{module}\n\nTuesday", ())


async def test_what_is_gone_is_said_so_and_the_rest_is_shown() -> None:
    [stored] = await contents().keep([an_iteration(LARGE, {"small": 1})])

    [whole] = await contents().resolved([stored])

    assert [one.content for one in whole.messages[1].results] == [
        "(this content cannot be read any more)",
        {"small": 1},
    ]


def replies(conversation: Conversation) -> list[AgentReply]:
    return [event for event in conversation.events if isinstance(event, AgentReply)]


async def test_the_file_refers_to_what_its_archive_has_and_the_next_turn_replays_it(tmp_path: Path) -> None:
    model, script = scripted(Calls([("get_workflow", {"workflow": "wf_expense_approval"})]), "That.", "Yes.")
    store = JsonConversationStore(DurableFiles(tmp_path))
    under_test = chat_with(model, store=store, inline_bytes=200)
    await under_test.add()

    first = await under_test.say("Show it")
    await under_test.say("And again?", conversation_id=first.conversation_id)

    [told, _] = replies(await store.load(TENANT, first.conversation_id))
    result = told.iterations[0].messages[-1].results[0]
    assert result.content is None
    assert result.content_ref is not None
    blobs = tmp_path / TENANT / "conversations" / f"{first.conversation_id}.archive" / "blobs"
    kept = blobs / result.content_ref.removeprefix("sha256:")
    assert orjson.loads(kept.read_bytes())["workflow"]["id"] == "wf_expense_approval"
    assert "Manager review" in str(script.requests[-1])


async def test_what_the_user_said_stands_once_in_the_file_and_is_shown_in_the_steps(tmp_path: Path) -> None:
    said = "Which of all the workflows that we have here takes the longest from its first step to its very last?"
    store = JsonConversationStore(DurableFiles(tmp_path))
    outcome = await chat_with(scripted("That one.")[0], store=store).say(said)

    document = tmp_path / TENANT / "conversations" / f"{outcome.conversation_id}.json"
    talk = await JsonConversationStore(DurableFiles(tmp_path)).load(TENANT, outcome.conversation_id)
    message, reply = talk.events
    assert isinstance(message, UserMessage)
    assert isinstance(reply, AgentReply)
    whole = await Contents(store, TENANT, talk.id).resolved(reply.iterations, message)

    assert document.read_text("utf-8").count(said) == 1
    assert [one.content for one in whole[0].messages if one.role == "user"] == [said]


class FullStore(InMemoryConversationStore):
    """A store that has no room for blobs, for as long as it is full."""

    is_full = True

    async def put_blob(self, tenant: str, conversation_id: str, content: Any, fence: RunFence | None = None) -> str:
        if self.is_full:
            raise StorageFailed("the disk is full")
        return await super().put_blob(tenant, conversation_id, content)


async def test_a_reply_whose_contents_cannot_be_kept_is_not_stored_and_the_next_turn_works() -> None:
    model, _ = scripted(Calls([("get_workflow", {"workflow": "wf_expense_approval"})]), "That.", "Yes.")
    store = FullStore()
    under_test = chat_with(model, store=store, inline_bytes=200)
    await under_test.add()

    with pytest.raises(StorageFailed, match="disk is full"):
        await under_test.say("Show it", key="k")

    store.is_full = False
    [summary] = (await store.page(TENANT)).items
    after = await under_test.say("Hello?", conversation_id=summary.id)
    assert after.reply.content == "Yes."
