"""What OpenAI's own client reads of a conversation whose old turns have left its file."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import openai
import pytest
from openai import OpenAI

from tests.support.long_talks import compacted, talked
from tests.support.server import serving
from tests.support.stored import a_conversation
from workflow_agent.conversations.archive import Position
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.seals import SealRule
from workflow_agent.settings import load_settings
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles

TURNS = 70
"""More than those whose runs stay in the file for their idempotency keys."""
TALK = "long-talk"


async def sealed_talk(root: Path) -> tuple[Conversation, str]:
    """Store a conversation of which turns are sealed; return it and the id of its third response."""
    store = JsonConversationStore(DurableFiles(root), seal=SealRule(above_bytes=50_000, fewest_turns=4, most_turns=4))
    await store.create(a_conversation(TALK, tenant="default"))
    for _ in range(TURNS):
        talk = await store.update("default", TALK, lambda one: compacted(talked(1, one), keep=6, step=2))
    part = await store.sealed("default", TALK, Position("turn", 3))
    third = next(run for run in part.runs if run.turn == 3)
    return talk, third.run_id.replace("run_", "resp_")


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    root = tmp_path_factory.mktemp("sealed")
    talk, third = asyncio.run(sealed_talk(root))
    assert talk.sealed_turns > 3
    return root, third


@pytest.fixture(scope="module")
def client(stored: tuple[Path, str]) -> Iterator[OpenAI]:
    with (
        serving(load_settings(data_dir=stored[0])) as served,
        OpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0, timeout=30) as asking,
    ):
        yield asking


def test_a_response_of_a_sealed_turn_is_still_there(client: OpenAI, stored: tuple[Path, str]) -> None:
    found = client.responses.retrieve(stored[1])

    assert found.status == "completed"
    assert found.output_text.startswith("Answer 3.")
    assert found.usage
    assert found.usage.total_tokens == 110
    assert found.previous_response_id == stored[1].replace("3", "2")
    assert client.responses.retrieve(found.previous_response_id).output_text.startswith("Answer 2.")
    assert client.responses.cancel(stored[1]).status == "completed"


def test_events_that_are_not_kept_any_more_are_those_of_the_reply(client: OpenAI, stored: tuple[Path, str]) -> None:
    events = list(client.responses.retrieve(stored[1], stream=True))

    assert events[-1].response.to_dict() == client.responses.retrieve(stored[1]).to_dict()
    assert [event.sequence_number for event in events] == list(range(len(events)))
    with pytest.raises(openai.NotFoundError, match="not kept any more"):
        client.responses.retrieve(stored[1], stream=True, starting_after=3)


def test_what_a_sealed_response_answers_is_listed(client: OpenAI, stored: tuple[Path, str]) -> None:
    [item] = client.responses.input_items.list(stored[1], order="asc", limit=1).data

    assert item.content[0].text == "Message 3"
    assert client.responses.input_items.list(stored[1], after=item.id).data == []
    with pytest.raises(openai.BadRequestError, match="names no input") as refused:
        client.responses.input_items.list(stored[1], after="msg_other")
    assert refused.value.param == "after"


def test_a_branch_begins_at_a_sealed_response(client: OpenAI, stored: tuple[Path, str]) -> None:
    branch = client.responses.create(model="workflow-agent", input="go on", previous_response_id=stored[1])

    assert branch.conversation
    assert branch.conversation.id != TALK
    texts = [item.content[0].text for item in client.conversations.items.list(branch.conversation.id)]
    assert texts[:2] == ["Noted.", "go on"]
    assert len(texts) == 8


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("limit", [7, 100])
def test_pages_of_items_together_are_the_whole_conversation(client: OpenAI, order: str, limit: int) -> None:
    items = list(client.conversations.items.list(TALK, order=order, limit=limit))

    said = [item.content[0].text.split(".")[0] for item in items]
    whole = [text for turn in range(1, TURNS + 1) for text in (f"Message {turn}", f"Answer {turn}")]
    assert said == (whole if order == "asc" else whole[::-1])
    assert len({item.id for item in items}) == 2 * TURNS


def test_each_item_is_found_by_its_id(client: OpenAI) -> None:
    items = client.conversations.items.list(TALK, order="asc", limit=4).data

    for item in items:
        assert client.conversations.items.retrieve(item.id, conversation_id=TALK) == item
    for unknown in ("msg_999_x", "msg_0_other", f"msg_run_{TALK}_1_zz", "msg_run_other_1_a", "nonsense"):
        with pytest.raises(openai.NotFoundError):
            client.conversations.items.retrieve(unknown, conversation_id=TALK)
    assert client.conversations.items.list(TALK, order="desc", after=items[0].id).data == []
    with pytest.raises(openai.BadRequestError, match="names no item"):
        client.conversations.items.list(TALK, after="nonsense")
