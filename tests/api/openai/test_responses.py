"""Responses and conversations, held by OpenAI's own client."""

from pathlib import Path

import openai
import pytest
from openai import OpenAI
from openai.types.conversations import Conversation
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

from tests.support.cut_proxy import cutting
from tests.support.scripted import Waits, scripted
from tests.support.server import Served, serving
from workflow_agent.settings import load_settings

pytestmark = pytest.mark.untraced

MODEL = "workflow-agent"
ORDER = [
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
]


def test_a_response_has_every_member_openai_promises(client: OpenAI) -> None:
    raw = client.responses.with_raw_response.create(model=MODEL, input="hello")

    made = Response.model_validate(raw.http_response.json())
    assert made.status == "completed"
    assert made.output_text
    assert made.usage
    again = client.responses.retrieve(made.id)
    assert (again.id, again.output_text) == (made.id, made.output_text)


def test_events_come_in_order_and_can_be_followed_again(client: OpenAI) -> None:
    events = list(client.responses.create(model=MODEL, input="hello", stream=True))

    for event in events:
        TypeAdapter(ResponseStreamEvent).validate_python(event.model_dump())
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert list(dict.fromkeys(event.type for event in events)) == ORDER
    made = events[-1].response
    rest = list(client.responses.retrieve(made.id, stream=True, starting_after=events[-3].sequence_number))
    assert [event.type for event in rest] == [event.type for event in events[-2:]]
    assert "".join(e.delta for e in events if e.type == "response.output_text.delta") == made.output_text


def test_a_response_goes_on_after_another(client: OpenAI) -> None:
    first = client.responses.create(
        model=MODEL, input="Create a leave request: the employee asks, the manager decides."
    )
    second = client.responses.create(model=MODEL, input="Add a step for HR after it.", previous_response_id=first.id)
    branch = client.responses.create(model=MODEL, input="What did I ask first?", previous_response_id=first.id)

    assert second.conversation
    assert first.conversation
    assert branch.conversation
    assert second.conversation.id == first.conversation.id
    assert branch.conversation.id != first.conversation.id
    assert "leave request" in branch.output_text
    assert second.previous_response_id == first.id
    items = client.responses.input_items.list(second.id).data
    assert items[0].content[0].text == "Add a step for HR after it."


def test_a_branch_that_went_on_is_not_the_place_for_the_same_words(client: OpenAI) -> None:
    first = client.responses.create(model=MODEL, input="my favourite colour is teal")
    client.responses.create(model=MODEL, input="hello", previous_response_id=first.id)

    def again() -> Response:
        return client.responses.create(model=MODEL, input="What did I say?", previous_response_id=first.id)

    branch, same = again(), again()
    client.responses.create(model=MODEL, input="hello", previous_response_id=branch.id)
    other = again()

    assert branch.id == same.id
    assert len({one.conversation.id for one in (first, branch, other) if one.conversation}) == 3
    assert branch.previous_response_id == first.id


def test_a_broken_connection_and_a_retry_make_one_response(served: Served) -> None:
    with (
        cutting(served.host, served.port, cuts=0) as proxy,
        OpenAI(base_url=f"{proxy.url}/v1", api_key="none", max_retries=2, timeout=20) as client,
    ):
        first = client.responses.create(model=MODEL, input="hello")
        proxy.cut(1)
        client.responses.create(model=MODEL, input="help", previous_response_id=first.id)
        proxy.cut(1)
        client.responses.create(model=MODEL, input="Which workflows do I have?", previous_response_id=first.id)

    assert proxy.requests == 5
    with served.client() as http:
        listed = http.get("/api/v1/conversations").json()["items"]
    assert sorted(one["turns"] for one in listed) == [2, 2]


def test_a_response_in_the_background_can_be_cancelled(tmp_path: Path) -> None:
    model, _ = scripted(Waits(), "Good morning.")
    with (
        serving(load_settings(data_dir=tmp_path), model) as served,
        OpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=2) as client,
    ):
        made = client.responses.create(
            model=MODEL,
            input="hello",
            background=True,
            metadata={"ticket": "T-1"},
            extra_headers={"X-Conversation-Id": "talk"},
        )
        assert made.conversation
        with pytest.raises(openai.ConflictError) as busy:
            client.responses.create(model=MODEL, input="again", conversation=made.conversation.id)
        followed = client.responses.retrieve(made.id, stream=True)
        stopped = client.responses.cancel(made.id)
        events = list(followed)
        again = client.responses.create(
            model=MODEL,
            input="hello",
            background=True,
            metadata={"ticket": "T-1"},
            extra_headers={"X-Conversation-Id": made.conversation.id},
        )
        answered = list(client.responses.retrieve(again.id, stream=True))[-1].response

    assert (made.status, made.background, made.metadata) == ("in_progress", True, {"ticket": "T-1"})
    assert busy.value.response.headers["x-should-retry"] == "false"
    assert busy.value.code == "conversation_busy"
    assert (stopped.status, stopped.background, stopped.error) == ("cancelled", True, None)
    assert [event.type for event in events] == ["response.created", "response.in_progress", "response.incomplete"]
    assert events[-1].response.status == "cancelled"
    assert again.id != made.id
    assert (answered.output_text, answered.metadata) == ("Good morning.", {"ticket": "T-1"})


def test_conversations_and_their_items(client: OpenAI) -> None:
    made = client.conversations.create(
        metadata={"topic": "demo"},
        items=[
            {"type": "message", "role": "user", "content": "my favourite colour is teal"},
            {"type": "message", "role": "assistant", "content": "Noted."},
        ],
    )
    Conversation.model_validate(made.model_dump())
    answer = client.responses.create(model=MODEL, input="What did I say first?", conversation=made.id)
    added = client.conversations.items.create(
        made.id, items=[{"type": "message", "role": "user", "content": "just so you know"}]
    )
    texts = [item.content[0].text for item in client.conversations.items.list(made.id, order="asc")]
    page = client.conversations.items.list(made.id, limit=2)

    assert "teal" in answer.output_text
    assert texts == [
        "my favourite colour is teal",
        "Noted.",
        "What did I say first?",
        answer.output_text,
        "just so you know",
    ]
    assert page.has_more
    assert client.conversations.items.retrieve(added.data[0].id, conversation_id=made.id).role == "user"
    assert client.conversations.update(made.id, metadata={"topic": "changed"}).metadata == {"topic": "changed"}
    assert client.conversations.delete(made.id).deleted
    with pytest.raises(openai.NotFoundError):
        client.conversations.retrieve(made.id)


@pytest.mark.parametrize(
    ("body", "status", "param"),
    [
        pytest.param({"previous_response_id": "resp_x_1_a"}, 404, "previous_response_id", id="unknown response"),
        pytest.param({"previous_response_id": "x", "conversation": "y"}, 400, "previous_response_id", id="both"),
        pytest.param({"input": []}, 400, "input", id="no input"),
        pytest.param({"text": {"format": {"type": "json_schema"}}}, 400, "text", id="JSON wanted"),
    ],
)
def test_what_cannot_be_answered_is_refused(served: Served, body: dict[str, object], status: int, param: str) -> None:
    with served.client() as http:
        answer = http.post("/v1/responses", json={"model": MODEL, "input": "hi", **body})

    assert (answer.status_code, answer.json()["error"]["param"]) == (status, param)
