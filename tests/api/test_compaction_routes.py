import httpx
import pytest

from workflow_agent.main.building import Application


async def talked(
    client: httpx.AsyncClient, application: Application, *messages: str, into: str | None = None
) -> str:
    """Send messages; return the conversation's id once all is compacted that is due."""
    conversation_id = into
    for message in messages:
        body = {"message": message} | ({"conversation_id": conversation_id} if conversation_id else {})
        sent = await client.post("/api/v1/chat", json=body)
        conversation_id = sent.json()["conversation_id"]
    await application.services.compactor.settled()
    assert conversation_id is not None
    return conversation_id


STORIES = [f"Always tell team {n} about the message. " + "It is long, you know. " * 10 for n in range(6)]


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
    assert restored.json() == {
        "conversation_id": conversation_id, "restored": [made["id"]], "turns_compacted": 0
    }  # fmt: skip
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


async def test_what_is_not_there_is_not_found(client: httpx.AsyncClient, compacted: str) -> None:
    nobody = await client.get("/api/v1/conversations/nobody/compactions")
    nothing = await client.post(f"{compacted}/cmp_none/restore")

    assert (nobody.status_code, nobody.json()["code"]) == (404, "conversation_not_found")
    assert (nothing.status_code, nothing.json()["code"]) == (404, "compaction_not_found")
