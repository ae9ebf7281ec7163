"""Files that come as parts of a message, and errors as OpenAI's own client raises them."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from openai import OpenAI

from tests.support.server import Served, serving
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.settings import load_settings

MODEL = "workflow-agent"
POLICY = "# Travel policy\n\nClaims are due within 30 days of the trip.\n"
DATA = base64.b64encode(POLICY.encode()).decode()
URL = f"data:text/markdown;base64,{DATA}"
ASKED = "What does the policy say about claims?"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = load_settings(data_dir=tmp_path_factory.mktemp("files"), api_keys=("a-good-key",))
    with serving(settings, OfflineModel()) as running:
        yield running


@pytest.fixture
def client(served: Served) -> Iterator[OpenAI]:
    with OpenAI(base_url=f"{served.url}/v1", api_key="a-good-key", max_retries=0, timeout=30) as asking:
        yield asking


def titles(served: Served, conversation_id: str) -> list[str]:
    head = {"Authorization": "Bearer a-good-key"}
    with served.client(headers=head) as http:
        items = http.get(f"/api/v1/conversations/{conversation_id}/artifacts").json()["items"]
    return [item["metadata"].get("title") or item["source"] for item in items if "attachment_id" in item["metadata"]]


def test_a_file_of_a_chat_is_read_and_stays_with_its_conversation(client: OpenAI, served: Served) -> None:
    part = {"type": "file", "file": {"filename": "policy.md", "file_data": URL}}
    said: list[Any] = [{"role": "user", "content": [{"type": "text", "text": ASKED}, part]}]

    first = client.chat.completions.with_raw_response.create(model=MODEL, messages=said)
    answer = first.parse().choices[0].message.content
    said += [{"role": "assistant", "content": answer}, {"role": "user", "content": "Which document was that?"}]
    second = client.chat.completions.with_raw_response.create(model=MODEL, messages=said)

    assert "30 days" in str(answer)
    assert second.headers["x-conversation-id"] == first.headers["x-conversation-id"]
    assert titles(served, first.headers["x-conversation-id"]) == ["policy.md"]


def test_a_file_of_a_response_is_read(client: OpenAI, served: Served) -> None:
    part = {"type": "input_file", "filename": "policy.md", "file_data": DATA}
    asked: Any = [{"role": "user", "content": [{"type": "input_text", "text": ASKED}, part]}]

    answer = client.responses.create(model=MODEL, input=asked)

    assert "30 days" in answer.output_text
    assert answer.conversation
    assert titles(served, answer.conversation.id) == ["policy.md"]


@pytest.mark.parametrize(
    ("part", "told"),
    [
        pytest.param({"type": "file", "file": {"file_id": "file-1"}}, "kept elsewhere", id="a file id"),
        pytest.param({"type": "file", "file": "x"}, "kept elsewhere", id="no object"),
        pytest.param({"type": "file", "file": {"file_data": URL, "filename": 1}}, "not a file", id="no name"),
        pytest.param({"type": "image_url", "image_url": {}}, "only text and files", id="an image"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(client: OpenAI, part: Any, told: str) -> None:
    said: Any = [{"role": "user", "content": [{"type": "text", "text": ASKED}, part]}]

    with pytest.raises(openai.BadRequestError, match=told) as error:
        client.chat.completions.create(model=MODEL, messages=said)

    assert error.value.param == "messages[0].content[1]"


def test_a_wrong_key_and_a_wrong_address_are_errors_of_their_types(client: OpenAI) -> None:
    with pytest.raises(openai.AuthenticationError) as wrong_key:
        client.with_options(api_key="wrong").models.list()
    with pytest.raises(openai.NotFoundError, match="Under /v1 there are models"):
        client.embeddings.create(model=MODEL, input="x")

    assert (wrong_key.value.code, wrong_key.value.type) == ("invalid_api_key", "invalid_request_error")


@pytest.mark.parametrize(
    ("body", "message", "param", "code"),
    [
        pytest.param(
            '{"model": "workflow-agent", "messages": []}',
            "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
            "messages",
            "empty_array",
            id="no messages",
        ),
        pytest.param(
            '{"model": "workflow-agent"}',
            "Missing required parameter: 'messages'.",
            "messages",
            "missing_required_parameter",
            id="messages left out",
        ),
        pytest.param(
            '{"model": ', "We could not parse the JSON body of your request. The body is", None, None, id="no JSON"
        ),
    ],
)
def test_a_body_that_cannot_be_is_refused_in_openais_words(
    served: Served, body: str, message: str, param: str | None, code: str | None
) -> None:
    head = {"Authorization": "Bearer a-good-key", "Content-Type": "application/json"}

    answer = httpx.post(f"{served.url}/v1/chat/completions", content=body, headers=head, timeout=30)

    error = answer.json()["error"]
    assert answer.status_code == 400
    assert error["message"].startswith(message)
    assert (error["type"], error["param"], error["code"]) == ("invalid_request_error", param, code)


@pytest.mark.parametrize(
    ("head", "message", "code"),
    [
        pytest.param(
            {"Authorization": "Bearer sk-wrong"}, "Incorrect API key provided.", "invalid_api_key", id="wrong"
        ),
        pytest.param({"Authorization": "Basic eA=="}, "You didn't provide an API key.", None, id="of another kind"),
        pytest.param({}, "You didn't provide an API key.", None, id="none"),
    ],
)
def test_a_wrong_key_and_none_are_told_apart_and_no_key_is_shown(
    served: Served, head: dict[str, str], message: str, code: str | None
) -> None:
    answer = httpx.get(f"{served.url}/v1/models", headers=head, timeout=30)

    error = answer.json()["error"]
    assert answer.status_code == 401
    assert error["message"].startswith(message)
    assert (error["type"], error["param"], error["code"]) == ("invalid_request_error", None, code)
    assert "sk-wrong" not in answer.text


def test_a_file_of_the_ai_sdk_is_read(served: Served, tmp_path: Path) -> None:
    part = {"type": "file", "mediaType": "text/markdown", "filename": "policy.md", "url": URL}
    body = {
        "trigger": "submit-message",
        "id": "sdk-chat",
        "messages": [{"id": "m1", "role": "user", "parts": [{"type": "text", "text": ASKED}, part]}],
    }

    answer = httpx.post(
        f"{served.url}/api/v1/vercel-ai", json=body, headers={"Authorization": "Bearer a-good-key"}, timeout=30
    )

    assert answer.status_code == 200, answer.text
    assert titles(served, "sdk-chat") == ["policy.md"]
