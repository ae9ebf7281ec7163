"""What front ends send beside what a person says: their own tasks, images, tools, shortened histories."""

import json
from typing import Any

import httpx
import openai
import pytest
from openai import OpenAI

from tests.support.server import Served

CHAT = {"X-OpenWebUI-Chat-Id": "0b5c6f6e-6f5c-4a7b-9f5a-2f0e9d7f1a11"}
HISTORY = "<chat_history>\nUSER: Which vendor workflows do we have?\nASSISTANT: None.\n</chat_history>"
TASKS = {
    "title": "Generate a concise, 3-5 word title with an emoji summarizing the chat history.",
    "tags": "Generate 1-3 broad tags categorizing the main themes of the chat history.",
    "follow_ups": "Suggest 3-5 relevant follow-up questions or prompts that the user might ask next.",
    "queries": "Analyze the chat history to determine the necessity of generating search queries.",
    "text": "You are an autocompletion system. Continue the text in `<text>`.",
}


def task(name: str) -> str:
    return f"### Task:\n{TASKS[name]}\n### Guidelines:\n- Short.\n### Output:\nJSON\n{HISTORY}"


def say(client: OpenAI, *messages: Any, **wanted: Any) -> Any:
    listed = [{"role": "user", "content": one} if isinstance(one, str) else one for one in messages]
    return client.chat.completions.create(model="workflow-agent", messages=listed, **wanted)


def turns_of(served: Served) -> list[int]:
    listed = httpx.get(f"{served.url}/api/v1/conversations").json()
    return sorted(one["turns"] for one in listed["items"])


@pytest.mark.parametrize("name", TASKS)
def test_a_task_of_the_front_end_is_answered_without_a_turn(client: OpenAI, served: Served, name: str) -> None:
    say(client, "hello", extra_headers=CHAT)

    answer = say(client, task(name), extra_headers=CHAT).choices[0]
    streamed = say(client, task(name), extra_headers=CHAT, stream=True)

    assert name in json.loads(answer.message.content)
    assert answer.finish_reason == "stop"
    assert "".join(one.choices[0].delta.content or "" for one in streamed) == answer.message.content
    assert turns_of(served) == [1]


def test_a_title_is_of_what_was_said_first(client: OpenAI) -> None:
    answer = say(client, task("title"))

    assert json.loads(answer.choices[0].message.content) == {"title": "Which vendor workflows do we have"}


IN_GERMAN = '### Aufgabe:\nFasse den Verlauf in einem Titel zusammen.\n### Ausgabe:\nJSON: { "title": "dein Titel" }\n'
FOR_LIBRECHAT = (
    "Give this conversation a title of its own: concise, 5-word-or-less, without punctuation.\n"
    '||>User:\n"Which vendor workflows do we have?"\n||>Response:\n"None yet."\n||>Title:'
)


def test_a_title_is_given_in_other_words_too(client: OpenAI, served: Served) -> None:
    say(client, "hello", extra_headers=CHAT)

    translated = say(client, IN_GERMAN + HISTORY, extra_headers=CHAT).choices[0].message.content
    plain = say(client, FOR_LIBRECHAT, extra_headers=CHAT).choices[0].message.content

    assert json.loads(translated) == {"title": "Which vendor workflows do we have"}
    assert plain == "Which vendor workflows do we have"
    assert turns_of(served) == [1]


EMOJI = "Your task is to show what face the speaker makes, by an emoji (😊, 😢).\n\nMessage: ```All done!```"
ANSWERS = '"""Two steps."""\n\n"""Three steps."""\n\n"""Two steps."""'
OF_OTHERS = (
    'You have been provided with a set of responses from some models to the user query: "how many\nsteps?"\n\n'
    f"Your task is to make one of them.\n\nResponses from models: {ANSWERS}"
)
CHOICE = {"role": "system", "content": "Available Tools: []\n\nReturn an empty array if none fits."}


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        pytest.param([EMOJI], "💬", id="an emoji"),
        pytest.param([OF_OTHERS], "Two steps.\n\n---\n\nThree steps.", id="one answer of several models'"),
        pytest.param([CHOICE, "Query: History:\nUSER: hello\nQuery: hello"], '{"tool_calls": []}', id="its own tools"),
    ],
)
def test_a_task_without_a_heading_is_answered_without_a_turn(
    client: OpenAI, served: Served, messages: list[Any], told: str
) -> None:
    say(client, "hello", extra_headers=CHAT)

    answer = say(client, *messages, extra_headers=CHAT).choices[0].message.content

    assert answer == told
    assert turns_of(served) == [1]


def test_who_speaks_of_an_emoji_is_no_front_end(client: OpenAI, served: Served) -> None:
    say(client, "Your task is to put an emoji into each step's name", extra_headers=CHAT)

    assert turns_of(served) == [1]


def test_who_wants_a_title_for_a_workflow_is_no_front_end(client: OpenAI, served: Served) -> None:
    say(client, "Give the chat approval a concise title\nUser: clerk", extra_headers=CHAT)

    assert turns_of(served) == [1]


def test_a_person_may_speak_of_a_task(client: OpenAI, served: Served) -> None:
    say(client, "### Task:\nlist all workflows", extra_headers=CHAT)

    assert turns_of(served) == [1]


def test_an_image_is_refused_for_its_message_and_no_later_one(client: OpenAI) -> None:
    seen = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    with_image = {"role": "user", "content": [{"type": "text", "text": "what is this?"}, seen]}

    with pytest.raises(openai.BadRequestError, match="only text and files are read here"):
        say(client, with_image)
    later = say(client, with_image, {"role": "assistant", "content": "I cannot see."}, "hello")

    assert later.choices[0].finish_reason == "stop"


def test_what_a_tool_returned_without_a_call_is_refused_in_openais_words(client: OpenAI) -> None:
    orphan = {"role": "tool", "tool_call_id": "call_1", "content": "42"}

    with pytest.raises(openai.BadRequestError) as refused:
        say(client, orphan, "and now?")

    assert "must be a response to a preceding message with 'tool_calls'" in refused.value.message
    assert refused.value.param == "messages[0].role"


RETURNED = {"type": "function_call_output", "call_id": "call_1", "output": "42"}
CALLED = {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"}


def test_what_a_function_returned_without_a_call_is_refused_by_responses_too(client: OpenAI) -> None:
    said: Any = [RETURNED, {"role": "user", "content": "and now?"}]

    with pytest.raises(openai.BadRequestError) as refused:
        client.responses.create(model="workflow-agent", input=said)

    assert "No tool call found for function call output with call_id call_1." in refused.value.message
    assert refused.value.param == "input"


def test_what_a_function_returned_to_its_call_is_taken_by_responses(client: OpenAI) -> None:
    said: Any = [CALLED, RETURNED, {"role": "user", "content": "hello"}]

    assert client.responses.create(model="workflow-agent", input=said).status == "completed"


def test_what_a_tool_returned_to_its_call_is_taken(client: OpenAI) -> None:
    called = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    asked = {"role": "assistant", "content": None, "tool_calls": [called]}

    answer = say(client, "hello", asked, {"role": "tool", "tool_call_id": "call_1", "content": "42"}, "hello")

    assert answer.choices[0].message.content


@pytest.mark.parametrize(
    ("name", "value"),
    [("temperature", 2.1), ("temperature", "hot"), ("temperature", True), ("top_p", -0.1), ("max_tokens", 0)],
)
def test_a_number_out_of_its_range_is_refused_by_its_name(client: OpenAI, name: str, value: Any) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        say(client, "hello", extra_body={name: value})

    assert refused.value.param == name


def talked(client: OpenAI) -> list[Any]:
    """Return the history of four questions and their answers, as a client holds it."""
    said: list[Any] = []
    for number in range(4):
        said.append({"role": "user", "content": f"list my workflows, please, {number}"})
        said.append({"role": "assistant", "content": say(client, *said).choices[0].message.content})
    return said


def test_a_history_cut_at_its_head_goes_on_in_its_conversation(client: OpenAI, served: Served) -> None:
    said = talked(client)

    say(client, *said[-4:], "and once more")

    assert turns_of(served) == [5]


def test_a_history_of_other_words_is_another_conversation(client: OpenAI, served: Served) -> None:
    said = talked(client)

    say(client, "something else was said here", said[-5], *said[-4:], "and once more")

    assert 4 in turns_of(served)
