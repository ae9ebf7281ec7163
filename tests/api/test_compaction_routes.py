from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from tests.support.server import application_for, client_of
from workflow_agent.main.application import Application
from workflow_agent.settings import load_settings
from workflow_agent.storage.files.verification.directory import verify_directory


async def talked(client: httpx.AsyncClient, application: Application, *messages: str, into: str | None = None) -> str:
    """Send messages; return the conversation's id once all is compacted that is due."""
    conversation_id = into
    for message in messages:
        body = {"message": message} | ({"conversation_id": conversation_id} if conversation_id else {})
        sent = await client.post("/api/v1/chat", json=body)
        conversation_id = sent.json()["conversation_id"]
    await application.services.compactor.settled()
    assert conversation_id is not None
    return conversation_id


STORIES = [f"Always tell team {n} about the message. " + "It is long, you know. " * 60 for n in range(6)]


@pytest.fixture
async def compacted(client: httpx.AsyncClient, application: Application) -> str:
    return f"/api/v1/conversations/{await talked(client, application, *STORIES)}/compactions"


async def test_there_are_none_at_first(client: httpx.AsyncClient, compacted: str) -> None:
    listed = await client.get(compacted)

    assert listed.json() == {"items": [], "next_cursor": None, "total": 0}


async def test_one_is_made_on_request_and_listed(client: httpx.AsyncClient, compacted: str) -> None:
    made = await client.post(compacted)
    listed = await client.get(compacted)

    assert made.status_code == 201
    assert (made.json()["trigger"], made.json()["from_turn"], made.json()["to_turn"]) == ("request", 1, 2)
    assert [one["id"] for one in listed.json()["items"]] == [made.json()["id"]]
    assert "Always tell team 1 about the message." in made.json()["ledger"]["instructions"]


async def test_a_repeated_request_makes_one(client: httpx.AsyncClient, compacted: str) -> None:
    first = await client.post(compacted, headers={"Idempotency-Key": "once"})
    second = await client.post(compacted, headers={"Idempotency-Key": "once"})

    assert first.json() == second.json()
    assert second.headers["Idempotency-Replayed"] == "true"
    assert (await client.get(compacted)).json()["total"] == 1


async def test_where_no_turn_may_go_it_says_so(client: httpx.AsyncClient, application: Application) -> None:
    conversation_id = await talked(client, application, *STORIES[:2])

    refused = await client.post(f"/api/v1/conversations/{conversation_id}/compactions")

    assert refused.status_code == 409
    assert refused.json()["code"] == "nothing_to_compact"


async def test_restoring_brings_the_turns_back_into_the_window(
    client: httpx.AsyncClient, application: Application, compacted: str
) -> None:
    made = (await client.post(compacted)).json()
    conversation_id = compacted.split("/")[4]
    said = {"conversation_id": conversation_id, "message": "hello"}
    during = (await client.post("/api/v1/chat", json=said)).json()["context"]["turns"]

    restored = await client.post(f"{compacted}/{made['id']}/restore")

    after = (await client.post("/api/v1/chat", json=said)).json()["context"]["turns"]
    assert during == {"included": 4, "compacted": 2, "excluded": 0}
    assert restored.json() == {"conversation_id": conversation_id, "restored": [made["id"]], "turns_compacted": 0}
    assert after == {"included": 7, "compacted": 0, "excluded": 0}
    [kept] = (await client.get(compacted)).json()["items"]
    assert kept["restored_at"] is not None


async def test_turns_that_do_not_fit_stay_out_and_it_says_by_how_much(
    client: httpx.AsyncClient, application: Application
) -> None:
    long = [f"Story {n}. " + "x" * 12_000 for n in range(6)]
    conversation_id = await talked(client, application, *long)
    path = f"/api/v1/conversations/{conversation_id}/compactions"
    made = (await client.get(path)).json()["items"]
    await talked(client, application, *long[:2], into=conversation_id)

    refused = await client.post(f"{path}/{made[0]['id']}/restore")

    assert refused.status_code == 409
    assert refused.json()["code"] == "cannot_restore"
    assert refused.json()["excess_tokens"] > 0


@pytest.fixture
async def sealing(tmp_path: Path) -> AsyncIterator[tuple[httpx.AsyncClient, Application]]:
    """An application that moves compacted turns out of small files already."""
    made = application_for(load_settings(data_dir=tmp_path, seal_above_bytes=8_000))
    async with client_of(made) as asking:
        yield asking, made


async def test_archived_compactions_are_listed_and_can_be_restored(
    sealing: tuple[httpx.AsyncClient, Application], tmp_path: Path
) -> None:
    client, application = sealing
    conversation_id = ""
    for n in range(24):
        into = conversation_id or None
        conversation_id = await talked(client, application, f"Story {n}. " + "It goes on and on. " * 60, into=into)
    path = f"/api/v1/conversations/{conversation_id}"
    before = await application.services.conversations.load("default", conversation_id)

    listed = (await client.get(f"{path}/compactions")).json()
    pages = [
        (await client.get(f"{path}/compactions", params={"limit": 1, "order": "newest"} | more)).json()
        for more in ({}, {"cursor": str(listed["total"] - 2)})
    ]
    restored = await client.post(f"{path}/compactions/{listed['items'][1]['id']}/restore")
    again = await client.post(f"{path}/compactions/{listed['items'][1]['id']}/restore")

    first, wanted, *later = listed["items"]
    assert before.sealed_turns >= wanted["from_turn"]
    assert before.sealed_compactions > 0
    assert [first["from_turn"], wanted["from_turn"]] == [1, first["to_turn"] + 1]
    assert listed["total"] == len(listed["items"]) == before.sealed_compactions + len(before.compactions)
    assert [page["items"][0]["id"] for page in pages] == [one["id"] for one in listed["items"][:-3:-1]]
    assert restored.json()["restored"] == [one["id"] for one in (wanted, *later)]
    assert restored.json()["turns_compacted"] == first["to_turn"]
    assert again.json()["restored"] == []
    said = {"conversation_id": conversation_id, "message": "hello"}
    turns = (await client.post("/api/v1/chat", json=said)).json()["context"]["turns"]
    assert turns == {"included": 24 - first["to_turn"], "compacted": first["to_turn"], "excluded": 0}
    history = (await client.get(f"{path}/history")).json()
    assert [one["content"] for one in history["items"] if one["type"] == "user_message"][:24] == [
        f"Story {n}. " + "It goes on and on. " * 60 for n in range(24)
    ]
    found = (await client.get(f"{path}/search", params={"q": "Story 5"})).json()
    # Whatever has all the words comes first; then what stands beside it, and what has some.
    assert [one["turn"] for one in found["items"]][:2] == [16, 6]
    assert list(verify_directory(tmp_path)) == []


async def test_archived_turns_that_do_not_fit_stay_out_and_it_says_by_how_much(
    sealing: tuple[httpx.AsyncClient, Application],
) -> None:
    client, application = sealing
    conversation_id = ""
    for n in range(14):
        into = conversation_id or None
        conversation_id = await talked(client, application, f"Story {n}. " + "x" * 12_000, into=into)
    path = f"/api/v1/conversations/{conversation_id}"
    before = await application.services.conversations.load("default", conversation_id)
    first = (await client.get(f"{path}/compactions")).json()["items"][0]

    refused = await client.post(f"{path}/compactions/{first['id']}/restore")
    nothing = await client.post(f"{path}/compactions/cmp_none/restore")

    assert before.sealed_turns > 0
    assert (refused.status_code, refused.json()["code"]) == (409, "cannot_restore")
    assert refused.json()["excess_tokens"] > 1_000
    assert str(refused.json()["excess_tokens"]) in refused.json()["detail"]
    assert (nothing.status_code, nothing.json()["code"]) == (404, "compaction_not_found")
    assert await application.services.conversations.load("default", conversation_id) == before


async def test_what_is_not_there_is_not_found(client: httpx.AsyncClient, compacted: str) -> None:
    nobody = await client.get("/api/v1/conversations/nobody/compactions")
    nothing = await client.post(f"{compacted}/cmp_none/restore")

    assert (nobody.status_code, nobody.json()["code"]) == (404, "conversation_not_found")
    assert (nothing.status_code, nothing.json()["code"]) == (404, "compaction_not_found")
