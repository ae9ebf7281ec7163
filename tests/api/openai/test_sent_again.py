"""What is sent again, by OpenAI's own client or by the program that uses it, is one turn."""

from collections.abc import Callable, Iterator
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI, OpenAI

from tests.support.cut_proxy import CutProxy, cutting
from tests.support.server import Served

pytestmark = pytest.mark.untraced

MODEL = "workflow-agent"
LEAVE = "Create a leave request: the employee asks, the manager decides."
TEAL = "my favourite colour is teal"
HISTORY = [{"role": "user", "content": TEAL}, {"role": "assistant", "content": "Noted."}]
BEGINNING_BYTES = 900
"""The head of an answer and its first events."""
Ask = Callable[[OpenAI], Any]


def in_a_named_chat(client: OpenAI) -> Any:
    return client.chat.completions.create(
        model=MODEL,
        messages=[{"role": "user", "content": LEAVE}],
        stream=True,
        extra_headers={"X-Conversation-Id": "leave"},
    )


def with_a_history(client: OpenAI) -> Any:
    said = [*HISTORY, {"role": "user", "content": LEAVE}]
    return client.chat.completions.create(model=MODEL, messages=said, stream=True)


def as_a_response(client: OpenAI) -> Any:
    return client.responses.create(model=MODEL, input=LEAVE, conversation="leave", stream=True)


def as_a_response_with_a_history(client: OpenAI) -> Any:
    said = [*HISTORY, {"role": "user", "content": LEAVE}]
    return client.responses.create(model=MODEL, input=said, stream=True)


@pytest.fixture
def proxy(served: Served) -> Iterator[CutProxy]:
    with cutting(served.host, served.port, cuts=0) as between:
        yield between


@pytest.mark.parametrize("ask", [in_a_named_chat, with_a_history, as_a_response, as_a_response_with_a_history])
def test_a_stream_that_breaks_off_and_is_asked_for_again_is_one_turn(served: Served, proxy: CutProxy, ask: Ask) -> None:
    with OpenAI(base_url=f"{proxy.url}/v1", api_key="none", max_retries=2, timeout=30) as client:
        proxy.cut(1, after_bytes=BEGINNING_BYTES)
        with pytest.raises(openai.APIConnectionError):
            list(ask(client))
        told = list(ask(client))

    assert proxy.requests == 2
    assert told
    with served.client() as http:
        [talk] = http.get("/api/v1/conversations").json()["items"]
        events = http.get(f"/api/v1/conversations/{talk['id']}").json()["events"]
        workflows = http.get("/api/v1/workflows").json()["items"]
    assert [event["content"] for event in events].count(LEAVE) == 1
    assert len(workflows) == 1


def test_a_response_that_breaks_off_is_followed_from_its_last_event(served: Served, proxy: CutProxy) -> None:
    with OpenAI(base_url=f"{proxy.url}/v1", api_key="none", max_retries=0, timeout=30) as client:
        whole = list(as_a_response(client))
        made = whole[0].response.id
        proxy.cut(1, after_bytes=3 * BEGINNING_BYTES)
        seen: list[Any] = []
        with pytest.raises(openai.APIConnectionError):
            seen.extend(client.responses.retrieve(made, stream=True))
        last = seen[-1].sequence_number
        rest = list(client.responses.retrieve(made, stream=True, starting_after=last))

    assert 0 < len(seen) < len(whole)
    assert [event.to_dict() for event in (*seen, *rest)] == [event.to_dict() for event in whole]


def test_a_history_that_went_on_or_was_deleted_begins_another_conversation(served: Served) -> None:
    hello: list[Any] = [{"role": "user", "content": "hello"}]

    def ask(client: OpenAI, said: list[Any]) -> tuple[str, str]:
        answer = client.chat.completions.with_raw_response.create(model=MODEL, messages=said)
        return answer.headers["x-conversation-id"], str(answer.parse().choices[0].message.content)

    with OpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0, timeout=30) as client:
        first, greeting = ask(client, hello)
        told = [*hello, {"role": "assistant", "content": greeting}]
        went_on, _ = ask(client, [*told, {"role": "user", "content": "help"}])
        branch, _ = ask(client, [*told, {"role": "user", "content": TEAL}])
        same, _ = ask(client, [*told, {"role": "user", "content": TEAL}])
        client.conversations.delete(first)
        client.conversations.delete(branch)
        afresh, _ = ask(client, [*told, {"role": "user", "content": TEAL}])

    assert (went_on, same) == (first, branch)
    assert branch != first
    with served.client() as http:
        assert [one["id"] for one in http.get("/api/v1/conversations").json()["items"]] == [afresh]


async def test_ten_responses_that_carry_their_history_are_one_conversation(served: Served) -> None:
    questions = [
        LEAVE,
        "Add a check by HR after the manager decides.",
        "How many steps are there?",
        "Rename it to Time off.",
        "Where can it get stuck?",
        "Undo that.",
        "Tag it with people.",
        "Which workflows do I have?",
        "@finder and @analyst, what is it about?",
        "What did I ask first?",
    ]
    said: list[Any] = []
    conversations = set[str]()

    async with AsyncOpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0, timeout=60) as client:
        for at, question in enumerate(questions):
            said.append({"role": "user", "content": question})
            if at % 2:
                stream = await client.responses.create(model=MODEL, input=said, stream=True)
                response = [event async for event in stream][-1].response
            else:
                response = await client.responses.create(model=MODEL, input=said)
            conversations.add(response.conversation.id)
            said += [item.to_dict() for item in response.output]

    assert len(conversations) == 1
    assert LEAVE in response.output_text
    assert [item["role"] for item in said].count("assistant") == 11
