"""Chat completions, held by OpenAI's own client."""

import json

import openai
import pytest
from openai import AsyncOpenAI, OpenAI
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from tests.support.cut_proxy import cutting
from tests.support.server import Served

pytestmark = pytest.mark.untraced

MODEL = "workflow-agent"
EXPENSES = "Create an expense approval: the employee submits an expense, the manager reviews it, then finance pays it."


def asked(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def turns(served: Served, conversation_id: str) -> list[str]:
    with served.client() as http:
        conversation = http.get(f"/api/v1/conversations/{conversation_id}").json()
    return [event["content"] for event in conversation["events"] if event["type"] == "user_message"]


def test_an_answer_has_every_member_openai_promises(client: OpenAI) -> None:
    raw = client.chat.completions.with_raw_response.create(model=MODEL, messages=asked("hello"))

    body = raw.http_response.json()
    assert ChatCompletion.model_validate(body, strict=True).choices[0].finish_reason == "stop"
    assert body["choices"][0]["message"]["refusal"] is None
    assert body["usage"]["total_tokens"] == body["usage"]["prompt_tokens"] + body["usage"]["completion_tokens"]
    assert body["id"] == f"chatcmpl-{raw.headers['x-run-id']}"
    assert raw.headers["x-request-id"]


def test_a_stream_begins_with_the_role_and_ends_with_an_empty_delta(served: Served) -> None:
    body = {"model": MODEL, "messages": asked("hello"), "stream": True, "stream_options": {"include_usage": True}}
    with served.client() as http:
        text = http.post("/v1/chat/completions", json=body).text

    frames = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    chunks = [ChatCompletionChunk.model_validate(json.loads(frame)) for frame in frames[:-1]]
    assert frames[-1] == "[DONE]"
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [c.choices[0].finish_reason for c in chunks[:-1]] == [None] * (len(chunks) - 2) + ["stop"]
    assert json.loads(frames[-3])["choices"][0]["delta"] == {}
    assert chunks[-1].choices == []
    assert chunks[-1].usage
    assert chunks[-1].usage.total_tokens > 0
    assert all(json.loads(frame)["usage"] is None for frame in frames[:-2])


def test_streamed_text_is_the_answer_to_the_letter(client: OpenAI, served: Served) -> None:
    stream = client.chat.completions.create(
        model=MODEL, messages=asked(EXPENSES), stream=True, metadata={"conversation_id": "expenses"}
    )
    told = "".join(chunk.choices[0].delta.content or "" for chunk in stream)

    with served.client() as http:
        stored = http.get("/api/v1/conversations/expenses").json()["events"][-1]["content"]
    assert told == stored
    assert "\n" in told


def test_ten_turns_without_naming_a_conversation_are_one_conversation(client: OpenAI, served: Served) -> None:
    said: list[dict[str, str]] = []
    conversations = set[str]()
    questions = [
        EXPENSES,
        "Add a legal review before the payment.",
        "What happens after the manager reviews it?",
        "Rename it to Travel expenses.",
        "Where can it get stuck?",
        "Undo that.",
        "How many steps are there?",
        "Tag it with finance.",
        "Which workflows do I have?",
        "What did I ask first?",
    ]

    for at, question in enumerate(questions):
        said += asked(question)
        if at % 2:
            with client.chat.completions.with_streaming_response.create(
                model=MODEL, messages=said, stream=True
            ) as streamed:
                conversations.add(streamed.headers["x-conversation-id"])
                reply = "".join(c.choices[0].delta.content or "" for c in streamed.parse())
        else:
            raw = client.chat.completions.with_raw_response.create(model=MODEL, messages=said)
            conversations.add(raw.headers["x-conversation-id"])
            reply = raw.parse().choices[0].message.content or ""
        assert reply
        said.append({"role": "assistant", "content": reply})

    assert len(conversations) == 1
    assert turns(served, conversations.pop()) == questions
    with served.client() as http:
        assert [one["tags"] for one in http.get("/api/v1/workflows").json()["items"]] == [["finance"]]


def test_history_of_the_clients_own_is_known_to_the_agent(client: OpenAI, served: Served) -> None:
    said = [
        {"role": "user", "content": "my favourite colour is teal"},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "What did I say first?"},
    ]

    raw = client.chat.completions.with_raw_response.create(model=MODEL, messages=said)

    assert turns(served, raw.headers["x-conversation-id"]) == [said[0]["content"], said[2]["content"]]
    assert "teal" in (raw.parse().choices[0].message.content or "")


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize("named", [{}, {"metadata": {"conversation_id": "chat-1"}}], ids=["stateless", "named"])
def test_a_broken_connection_and_a_retry_make_one_turn(
    served: Served, is_stream: bool, named: dict[str, dict[str, str]]
) -> None:
    with (
        cutting(served.host, served.port, cuts=2) as proxy,
        OpenAI(base_url=f"{proxy.url}/v1", api_key="none", max_retries=3, timeout=20) as client,
    ):
        answer = client.chat.completions.create(model=MODEL, messages=asked(EXPENSES), stream=is_stream, **named)
        text = "".join(c.choices[0].delta.content or "" for c in answer) if is_stream else str(answer)

    assert proxy.requests == 3
    assert "Expense approval" in text
    with served.client() as http:
        listed = http.get("/api/v1/conversations").json()["items"]
        workflows = http.get("/api/v1/workflows").json()["items"]
    assert [one["turns"] for one in listed] == [1]
    assert len(workflows) == 1


def test_the_same_words_in_another_chat_are_another_conversation(client: OpenAI) -> None:
    first, second = (
        client.chat.completions.with_raw_response.create(model=MODEL, messages=asked("hello")) for _ in range(2)
    )

    assert first.headers["x-conversation-id"] != second.headers["x-conversation-id"]


def test_open_webui_names_the_conversation_by_its_chat(client: OpenAI, served: Served) -> None:
    chat = {"X-OpenWebUI-Chat-Id": "0f8fad5b-d9cb-469f-a165-70867728950e"}
    first = client.chat.completions.create(model=MODEL, messages=asked("hello"), extra_headers=chat)
    said = [*asked("hello"), {"role": "assistant", "content": first.choices[0].message.content}, *asked("help")]

    client.chat.completions.create(model=MODEL, messages=said, extra_headers=chat)

    assert turns(served, chat["X-OpenWebUI-Chat-Id"]) == ["hello", "help"]


async def test_the_asynchronous_client_streams_as_well(served: Served) -> None:
    async with AsyncOpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0) as client:
        stream = await client.chat.completions.create(model=f"{MODEL}/finder", messages=asked("hello"), stream=True)
        told = [chunk.choices[0].delta.content or "" async for chunk in stream]

    assert "".join(told)


def test_instructions_of_the_application_reach_the_model(client: OpenAI, served: Served) -> None:
    said = [{"role": "system", "content": "Answer in the voice of a pirate."}, *asked("hello")]

    raw = client.chat.completions.with_raw_response.create(model=MODEL, messages=said)

    with served.client() as http:
        path = f"/api/v1/conversations/{raw.headers['x-conversation-id']}/turns/1/iterations/1"
        assert "voice of a pirate" in http.get(path).text


@pytest.mark.parametrize(
    ("body", "status", "param", "code"),
    [
        pytest.param({"messages": []}, 400, "messages", "empty_array", id="no messages"),
        pytest.param({"messages": "hi"}, 400, "messages", "invalid_type", id="no list"),
        pytest.param(
            {"messages": [{"role": "poet", "content": "hi"}]},
            400,
            "messages[0].role",
            "invalid_value",
            id="unknown role",
        ),
        pytest.param(
            {"messages": [{"role": "assistant", "content": "hi"}]}, 400, "messages", "invalid_input", id="nothing asked"
        ),
        pytest.param(
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]},
            400,
            "messages[0].content[0]",
            "invalid_input",
            id="an image",
        ),
        pytest.param({"model": "gpt-99"}, 404, "model", "model_not_found", id="unknown model"),
        pytest.param(
            {"metadata": {"conversation_id": "../x"}}, 400, "metadata.conversation_id", "invalid_input", id="no id"
        ),
    ],
)
def test_an_error_has_all_four_members(
    served: Served, body: dict[str, object], status: int, param: str, code: str
) -> None:
    whole = {"model": MODEL, "messages": asked("hi"), **body}

    with served.client() as http:
        answer = http.post("/v1/chat/completions", json=whole)

    error = answer.json()["error"]
    assert (answer.status_code, error["param"], error["code"]) == (status, param, code)
    assert set(error) == {"message", "type", "param", "code"}
    assert answer.headers["content-type"] == "application/json"


def test_there_is_nothing_at_other_addresses(served: Served) -> None:
    with served.client() as http:
        missing, wrong = http.get("/v1/embeddings"), http.put("/v1/chat/completions")

    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_found")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")


def test_models_are_the_assistant_and_its_agents(client: OpenAI) -> None:
    names = [model.id for model in client.models.list()]

    assert names[0] == MODEL
    assert f"{MODEL}/analyst" in names
    assert client.models.retrieve(f"{MODEL}/analyst").owned_by == MODEL
    with pytest.raises(openai.NotFoundError, match="gpt-99"):
        client.models.retrieve("gpt-99")
