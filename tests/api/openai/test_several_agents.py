"""What OpenAI's own client sees where several agents answer one message."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import openai
import pytest
from openai import OpenAI
from openai.types.responses import Response

from tests.support.scripted import Calls, scripted
from tests.support.server import serving
from workflow_agent.settings import load_settings

pytestmark = pytest.mark.untraced

MODEL = "workflow-agent"
BOTH = "@finder and @analyst, look"
NAMED = "**finder:**\n\nFound none.\n\n**analyst:**\n\nNothing to check."
ASKED = [{"role": "user", "content": BOTH}]


@contextmanager
def talking(root: Path, *steps: object) -> Iterator[OpenAI]:
    """Give a client of a server whose model follows a script."""
    with (
        serving(load_settings(data_dir=root), scripted(*steps)[0]) as served,
        OpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0, timeout=30) as client,
    ):
        yield client


@pytest.fixture
def client(tmp_path: Path) -> Iterator[OpenAI]:
    with talking(tmp_path, *["Found none.", ["Nothing", " to check."]] * 3) as asking:
        yield asking


def test_a_completion_holds_all_answers_with_their_names(client: OpenAI) -> None:
    whole = client.chat.completions.create(model=MODEL, messages=ASKED)
    chunks = list(
        client.chat.completions.create(model=MODEL, messages=ASKED, stream=True, stream_options={"include_usage": True})
    )

    streamed = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert whole.choices[0].message.content == streamed == NAMED
    assert whole.usage
    assert chunks[-1].usage
    assert whole.usage.completion_tokens == chunks[-1].usage.completion_tokens
    assert [c.choices[0].delta.role for c in chunks[:-1]] == ["assistant", *[None] * (len(chunks) - 2)]


def test_a_history_with_such_an_answer_goes_on_in_its_conversation(client: OpenAI) -> None:
    first = client.chat.completions.with_raw_response.create(model=MODEL, messages=ASKED)
    answer = first.parse().choices[0].message.content

    second = client.chat.completions.with_raw_response.create(
        model=MODEL, messages=[*ASKED, {"role": "assistant", "content": answer}, *ASKED]
    )

    assert second.headers["x-conversation-id"] == first.headers["x-conversation-id"]
    assert second.headers["x-turn"] == "2"


def test_a_response_has_an_item_for_each_agent(client: OpenAI) -> None:
    events = list(client.responses.create(model=MODEL, input=BOTH, stream=True))
    made = events[-1].response
    again = client.responses.retrieve(made.id)
    items = client.conversations.items.list(made.conversation.id, order="asc").data
    followed = list(client.responses.retrieve(made.id, stream=True, starting_after=6))

    assert made.output_text == again.output_text == NAMED
    assert [item.id for item in made.output] == [item.id for item in again.output]
    assert [item.id for item in made.output] == [item.id for item in items[1:]]
    assert [item.content[0].text for item in items] == [BOTH, *(one.content[0].text for one in made.output)]
    assert made.usage == again.usage
    assert (made.completed_at, made.status) == (again.completed_at, "completed")
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert [event.to_dict() for event in followed] == [event.to_dict() for event in events[7:]]
    added = [event for event in events if event.type == "response.output_item.added"]
    assert [event.output_index for event in added] == [0, 1]


def test_who_hands_over_is_followed_by_name(tmp_path: Path) -> None:
    over = Calls([("hand_off", {"to": "editor", "reason": "it changes things", "summary": "Please."})])
    with talking(tmp_path, over, "The editor will help.", "Here I am.") as client:
        answer = client.chat.completions.create(
            model=MODEL, messages=[{"role": "user", "content": "hand this over to the editor"}]
        )

    assert answer.choices[0].message.content == "The editor will help.\n\n**editor:**\n\nHere I am."


def test_an_error_in_the_middle_of_a_stream_is_raised_with_all_four_members(tmp_path: Path) -> None:
    seen: list[str] = []
    with talking(tmp_path, "Found none.", RuntimeError("secret")) as client:
        stream = client.chat.completions.create(model=MODEL, messages=ASKED, stream=True)
        with pytest.raises(openai.APIError, match="Your message is kept") as failed:
            seen.extend(chunk.choices[0].delta.content or "" for chunk in stream)

    assert "".join(seen) == "**finder:**\n\nFound none.\n\n**analyst:**\n\n"
    assert isinstance(failed.value.body, dict)
    assert set(failed.value.body) == {"message", "type", "param", "code"}
    assert (failed.value.code, failed.value.type) == ("model_failed", "server_error")


def test_answers_there_are_remain_where_a_later_agent_fails(tmp_path: Path) -> None:
    with talking(tmp_path, "Found none.", RuntimeError("secret"), "Nothing to check.") as client:
        with pytest.raises(openai.APIStatusError) as failed:
            client.responses.create(model=MODEL, input=BOTH, conversation="talk")
        items = client.conversations.items.list("talk", order="asc").data
        stuck = client.responses.retrieve(items[1].id.replace("msg_run_", "resp_"))
        again = list(client.responses.create(model=MODEL, input=BOTH, conversation="talk", stream=True))

    assert failed.value.status_code == 502
    assert (stuck.status, stuck.output_text) == ("failed", "**finder:**\n\nFound none.")
    assert isinstance(again[-1].response, Response)
    assert (again[-1].response.id, again[-1].response.output_text) == (stuck.id, NAMED)
