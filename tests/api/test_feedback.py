"""What people think of replies, over real HTTP."""

from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from openai import OpenAI

from tests.support.scripted import scripted
from tests.support.server import serving
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.settings import load_settings

TALK = "/api/v1/conversations/talk"
FIRST = f"{TALK}/turns/1/feedback"


def said(client: httpx.Client, message: str) -> dict[str, Any]:
    answer = client.post("/api/v1/chat", json={"message": message, "conversation_id": "talk"}, timeout=30)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_a_reply_is_rated_rated_anew_and_the_rating_taken_back(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path)
    with serving(settings, OfflineModel()) as served, httpx.Client(base_url=served.url) as client:
        client.post("/api/v1/conversations", json={"id": "talk"})
        run_id = said(client, "Which workflows are there?")["run_id"]
        before = client.get(TALK).json()
        up = client.put(FIRST, json={"rating": "up"}).json()
        down = client.put(FIRST, json={"rating": "down", "note": "Too short."}, params={"run_id": run_id})
        same = client.put(FIRST, json={"rating": "down", "note": "Too short."})
    with serving(settings, OfflineModel()) as served, httpx.Client(base_url=served.url) as client:
        kept = client.get(TALK).json()
        turn = client.get(f"{TALK}/turns/1").json()
        history = client.get(f"{TALK}/history", params={"brief": "true"}).json()["items"]
        said(client, "Thank you")
        gone = [client.delete(FIRST).status_code for _ in range(2)]
        after = client.get(TALK).json()
        unrated = client.get(f"{TALK}/turns/1").json()

    assert (up["rating"], up["note"], up["turn"], up["run_id"]) == ("up", "", 1, run_id)
    assert down.json() == same.json()
    assert turn["reply"]["feedback"] == turn["replies"][0]["feedback"] == history[1]["feedback"]
    assert (turn["reply"]["feedback"]["rating"], turn["reply"]["feedback"]["note"]) == ("down", "Too short.")
    assert kept["feedback"] == {turn["reply"]["id"]: turn["reply"]["feedback"]}
    # Rated twice, and once the same: nothing else of the conversation is another.
    assert kept["version"] == before["version"] + 2
    assert {**kept, "version": 0, "feedback": 0} == {**before, "version": 0, "feedback": 0}
    assert gone == [204, 204]
    assert after["feedback"] == {}
    assert unrated["reply"]["feedback"] is None


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        pytest.param(f"{TALK}/turns/2/feedback", {"rating": "up"}, 404, id="no such turn"),
        pytest.param("/api/v1/conversations/none/turns/1/feedback", {"rating": "up"}, 404, id="no talk"),
        pytest.param(f"{FIRST}?agent=finder", {"rating": "up"}, 404, id="another agent"),
        pytest.param(FIRST, {"rating": "fine"}, 422, id="no rating"),
        pytest.param(FIRST, {"note": "Why?"}, 422, id="a note alone"),
        pytest.param(FIRST, {"rating": "up", "note": "x" * 2_001}, 422, id="too long"),
        pytest.param(FIRST, {"rating": "up", "stars": 5}, 422, id="unknown field"),
    ],
)
async def test_what_is_no_rating_of_a_reply_changes_nothing(
    client: httpx.AsyncClient, path: str, body: dict[str, Any], status: int
) -> None:
    await client.post("/api/v1/conversations", json={"id": "talk"})
    await client.post("/api/v1/chat", json={"message": "Hello", "conversation_id": "talk"})
    before = (await client.get(TALK)).json()

    refused = await client.put(path, json=body)

    assert refused.status_code == status, refused.text
    assert (await client.get(TALK)).json() == before


async def test_a_message_without_a_reply_has_nothing_to_rate(client: httpx.AsyncClient) -> None:
    await client.post("/api/v1/conversations", json={"id": "talk"})
    await client.post(f"{TALK}/events", json={"content": "Invoice 17 was paid."})

    refused = await client.put(FIRST, json={"rating": "up"})

    assert (refused.status_code, "no reply" in refused.json()["detail"]) == (404, True)


def test_a_rating_is_nothing_that_the_model_sees(tmp_path: Path) -> None:
    model, script = scripted("Hello.", "Hello again.")
    with serving(load_settings(data_dir=tmp_path), model) as served, httpx.Client(base_url=served.url) as one:
        one.post("/api/v1/conversations", json={"id": "talk"})
        said(one, "Hello")
        one.put(FIRST, json={"rating": "down", "note": "heliotrope"}).raise_for_status()
        said(one, "Hello again")

    assert "heliotrope" not in str(script.requests[1])


def test_openais_client_rates_a_completion_by_its_metadata(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path)
    with (
        serving(settings, OfflineModel()) as served,
        OpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0) as client,
        httpx.Client(base_url=served.url) as native,
    ):
        native.post("/api/v1/conversations", json={"id": "talk"})
        answer = client.chat.completions.create(
            model="workflow-agent",
            messages=[{"role": "user", "content": "Which workflows are there?"}],
            metadata={"conversation_id": "talk"},
        )
        rated = client.chat.completions.update(answer.id, metadata={"rating": "down", "note": "Too short."})
        kept = native.get(f"{TALK}/turns/1").json()["reply"]["feedback"]
        with pytest.raises(openai.BadRequestError, match="'rating' is 'up' or 'down'") as refused:
            client.chat.completions.update(answer.id, metadata={"rating": "fine"})
        with pytest.raises(openai.NotFoundError):
            client.chat.completions.update("chatcmpl-none", metadata={"rating": "up"})

    assert (rated.id, rated.choices[0].message.content) == (answer.id, answer.choices[0].message.content)
    assert (kept["rating"], kept["note"]) == ("down", "Too short.")
    assert refused.value.param == "metadata.rating"
