"""What a person wants remembered: told once, known in every conversation, gone once forgotten."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest
from pydantic_ai.models.function import AgentInfo, FunctionModel

from tests.support.postgres import a_database_of_ones_own
from tests.support.scripted import Streaming
from tests.support.server import Served, application_for, serving
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.settings import load_settings
from workflow_agent.storage.postgres.database import Database, DatabaseOptions, of_all_tenants

_ROWS = "SELECT to_jsonb(said)::text FROM {table} AS said"
TOLD = "I prefer heliotrope names for steps"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(load_settings(data_dir=tmp_path, seal_above_bytes=20_000, max_turns=4), OfflineModel()) as one:
        yield one


@pytest.fixture
def client(served: Served) -> Iterator[httpx.Client]:
    with served.client() as asking:
        yield asking


def say(client: httpx.Client, message: str, conversation: str | None = None, **fields: str) -> dict[str, str]:
    body = {"message": message, **fields} | ({"conversation_id": conversation} if conversation else {})
    answer = client.post("/api/v1/chat", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def rows_with(url: str, words: str) -> set[str]:
    """Return the tables of which a row holds some words, as text or as bytes of it."""
    database = Database(DatabaseOptions(url))
    try:
        tables = await database.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        found: set[str] = set()
        for (table,) in tables:
            for row in await database.rows(of_all_tenants(_ROWS.format(table=table))):
                # Bytes stand in it as hexadecimal digits.
                told = re.sub(r"\\x([0-9a-f]+)", lambda hexed: bytes.fromhex(hexed[1]).decode("latin-1"), row[0])
                found |= {table} if words in told else set()
        return found
    finally:
        await database.close()


def files_with(directory: Path, words: str) -> list[str]:
    pattern = re.compile(words.encode(), re.IGNORECASE)
    return [str(one) for one in directory.rglob("*") if one.is_file() and pattern.search(one.read_bytes())]


def test_what_is_told_is_listed_with_its_source_and_known_in_the_next_conversation(client: httpx.Client) -> None:
    told = say(client, f"Remember that {TOLD}")

    listed = client.get("/api/v1/memory").json()
    asked = say(client, "what do you remember?")

    (item,) = listed["items"]
    assert item["text"] == TOLD
    assert item["kind"] == "preference"
    assert item["source"] == {"conversation_id": told["conversation_id"], "turn": 1}
    assert TOLD in asked["response"]
    assert asked["conversation_id"] != told["conversation_id"]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("I prefer short names.", "preference"),
        ("From now on I prefer short names.", "preference"),
        ("From now on always put the finance team last.", "instruction"),
    ],
)
def test_what_is_told_without_asking_to_remember_it_is_noted_and_said_so(
    client: httpx.Client, said: str, kind: str
) -> None:
    told = say(client, said)

    listed = client.get("/api/v1/memory").json()["items"]

    assert [(one["text"], one["kind"], one["source"]["turn"]) for one in listed] == [(said.rstrip("."), kind, 1)]
    assert told["response"].startswith(f"Noted: “{said.rstrip('.')}”.")


def test_what_is_forgotten_in_words_is_in_no_file_any_more(client: httpx.Client, tmp_path: Path) -> None:
    first = say(client, f"Remember that {TOLD}")["conversation_id"]
    for _ in range(8):
        say(client, "Tell me something. " + "Some more words to make it long. " * 20, first)
        say(client, "what do you remember?", first)
    say(client, "what do you remember?")
    client.get("/api/v1/search/messages", params={"q": "heliotrope"})
    assert files_with(tmp_path, "heliotrope")
    assert list(tmp_path.rglob("turns-*.json")), "nothing was sealed"

    say(client, f"forget that {TOLD}", first)

    assert files_with(tmp_path, "heliotrope") == []
    assert client.get("/api/v1/memory").json()["items"] == []
    assert client.get("/api/v1/search/messages", params={"q": "heliotrope"}).json()["items"] == []
    history = client.get(f"/api/v1/conversations/{first}/history", params={"limit": 200}).json()["items"]
    assert len(history) == 36
    assert "[forgotten]" in history[0]["content"]
    assert "heliotrope" not in say(client, "what did I ask first?", first)["response"]


def test_what_is_forgotten_is_in_no_row_of_the_database_any_more(tmp_path: Path) -> None:
    url = a_database_of_ones_own()
    settings = load_settings(data_dir=tmp_path, database_url=url, max_turns=4)
    with serving(settings, OfflineModel()) as served, served.client() as client:
        first = say(client, f"Remember that {TOLD}")["conversation_id"]
        for _ in range(8):
            say(client, "what do you remember?", first)
        client.get("/api/v1/search/messages", params={"q": "heliotrope"})
        before = asyncio.run(rows_with(url, "heliotrope"))

        say(client, f"forget that {TOLD}", first)

        assert {"conversation_item", "person", "message"} <= before
        assert asyncio.run(rows_with(url, "heliotrope")) == set()
        assert files_with(tmp_path, "heliotrope") == []


def test_forget_that_takes_back_what_was_told_last(client: httpx.Client, tmp_path: Path) -> None:
    talk = say(client, "Remember that I file tamarind receipts on Fridays")["conversation_id"]

    say(client, "forget that", talk)

    assert files_with(tmp_path, "tamarind") == []


def test_what_is_forgotten_over_http_is_in_no_file_any_more(client: httpx.Client, tmp_path: Path) -> None:
    say(client, f"Remember that {TOLD}")
    say(client, "Please note that I file tamarind receipts on Fridays")
    (kept,) = [one for one in client.get("/api/v1/memory").json()["items"] if "tamarind" in one["text"]]

    gone = client.delete("/api/v1/memory/mem_0000000000")
    client.delete(f"/api/v1/memory/{kept['id']}")

    assert gone.status_code == 404
    assert files_with(tmp_path, "tamarind") == []
    assert files_with(tmp_path, "heliotrope")
    client.delete("/api/v1/memory")
    assert files_with(tmp_path, "heliotrope") == []


def test_what_is_corrected_leaves_no_trace_of_what_it_was(client: httpx.Client, tmp_path: Path) -> None:
    say(client, f"Remember that {TOLD}")
    (known,) = client.get("/api/v1/memory").json()["items"]

    now = client.patch(f"/api/v1/memory/{known['id']}", json={"text": "I prefer short names", "kind": "note"})

    assert (now.json()["text"], now.json()["kind"]) == ("I prefer short names", "note")
    assert files_with(tmp_path, "heliotrope") == []
    assert client.get(f"/api/v1/memory/{now.json()['id']}").json() == now.json()
    assert client.patch(f"/api/v1/memory/{now.json()['id']}", json={}).status_code == 422


def test_what_one_person_tells_is_not_told_of_another(client: httpx.Client) -> None:
    say(client, f"Remember that {TOLD}", user="anna")

    ours, theirs = (client.get("/api/v1/memory", params={"user": who}).json() for who in ("anna", "ben"))

    assert [one["text"] for one in ours["items"]] == [TOLD]
    assert theirs == {"user": "ben", "items": [], "workflows": []}
    assert TOLD not in say(client, "what do you remember?", user="ben")["response"]


@pytest.mark.parametrize(
    "secret",
    [
        pytest.param("my card is 4111 1111 1111 1111", id="a card"),
        pytest.param("the API key is sk-abcdefghijklmnop1234", id="a key"),
        pytest.param("my password: hunter2", id="a password"),
        pytest.param("pay to DE89 3704 0044 0532 0130 00", id="an account"),
    ],
)
def test_nothing_secret_is_remembered(client: httpx.Client, secret: str) -> None:
    answer = say(client, f"Remember that {secret}")

    assert "secrets are not remembered" in answer["response"]
    assert client.get("/api/v1/memory").json()["items"] == []


def hearing(heard: list[str]) -> FunctionModel:
    async def answer(messages: Sequence[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        del info
        heard.append(next(one.instructions or "" for one in messages[::-1] if isinstance(one, ModelRequest)))
        yield "Noted."

    return Streaming(stream_function=answer)


def test_a_preference_told_in_passing_reaches_the_model_in_the_next_conversation(tmp_path: Path) -> None:
    heard: list[str] = []
    with serving(load_settings(data_dir=tmp_path), hearing(heard)) as served, served.client() as client:
        first = say(client, f"Let us talk about expenses. {TOLD}. I prefer this one.")["conversation_id"]
        say(client, "Make a workflow for travel costs.")
        say(client, "And what do you say?", first)

    assert TOLD not in heard[0]
    assert f"[preference, told in turn 1 of conversation {first}] {TOLD}" in heard[1]
    assert f"[preference, told in turn 1] {TOLD}" in heard[2]
    assert "I prefer this one" not in heard[1]


def test_the_key_says_whose_memory_it_is(tmp_path: Path) -> None:
    settings = load_settings(
        data_dir=tmp_path, api_keys="of-all", api_key_users='{"anna": "of-anna"}', clients_name_users=False
    )
    with serving(settings, OfflineModel()) as served:
        with served.client(headers={"Authorization": "Bearer of-anna"}) as anna:
            say(anna, f"Remember that {TOLD}")
            mine = anna.get("/api/v1/memory").json()
            refused = anna.get("/api/v1/memory", params={"user": "ben"})
        with served.client(headers={"Authorization": "Bearer of-all"}) as other:
            nobodys = other.get("/api/v1/memory").json()
            named = other.post("/api/v1/chat", json={"message": "hi", "user": "anna"})

    assert (mine["user"], [one["text"] for one in mine["items"]]) == ("anna", [TOLD])
    assert (nobodys["user"], nobodys["items"]) == ("user", [])
    assert (refused.status_code, named.status_code) == (403, 403)
    assert named.json()["code"] == "user_not_allowed"


def test_workflows_dealt_with_and_names_given_are_listed_and_forgotten(client: httpx.Client) -> None:
    workflow = {"name": "Expenses", "steps": [{"id": "pay", "name": "Pay", "type": "end"}], "transitions": []}
    workflow_id = client.post("/api/v1/workflows", json=workflow).json()["id"]
    say(client, 'From now on call it "the Monday thing"', workflow_id=workflow_id)
    known = client.get("/api/v1/memory").json()

    client.delete(f"/api/v1/memory/{known['items'][0]['id']}")
    without_name = client.get("/api/v1/memory").json()
    client.delete(f"/api/v1/memory/{workflow_id}")

    assert [(one["kind"], one["text"]) for one in known["items"]] == [("alias", "the Monday thing")]
    assert [one["id"] for one in known["workflows"]] == [workflow_id]
    assert (without_name["items"], len(without_name["workflows"])) == ([], 1)
    assert client.get("/api/v1/memory").json()["workflows"] == []


def test_what_was_not_gone_through_when_the_server_stopped_is_gone_after_the_next_start(tmp_path: Path) -> None:
    with serving(load_settings(data_dir=tmp_path), OfflineModel()) as served, served.client() as client:
        say(client, f"Remember that {TOLD}")
    (path,) = (tmp_path / "default" / "people").glob("*.json")
    path.write_text(json.dumps({"user": "user", "forgetting": [{"texts": [TOLD]}]}))

    with closing(application_for(load_settings(data_dir=tmp_path))) as application:
        asyncio.run(application.prepare())

    assert files_with(tmp_path, "heliotrope") == []
