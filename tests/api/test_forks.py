"""Forking over HTTP: where, once, and what is answered."""

from typing import Any

import httpx
import pytest

FORK = "/api/v1/conversations/talk/fork"


async def talked(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    await client.post("/api/v1/conversations", json={"id": "talk"})
    for message in ("hello", "which workflows are there?"):
        answer = await client.post("/api/v1/chat", json={"message": message, "conversation_id": "talk"})
        assert answer.status_code == 200
    return (await client.get("/api/v1/conversations/talk")).json()["events"]


async def test_a_fork_goes_on_from_an_event_and_leaves_the_other_as_it_is(client: httpx.AsyncClient) -> None:
    events = await talked(client)

    answer = await client.post(FORK, json={"turn": 1, "title": "Another way"})

    made = answer.json()
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/api/v1/conversations/{made['id']}"
    assert (made["title"], made["events"]) == ("Another way", events[:2])
    assert made["forked_from"]["conversation_id"] == "talk"
    await client.post("/api/v1/chat", json={"message": "thanks", "conversation_id": made["id"]})
    assert (await client.get("/api/v1/conversations/talk")).json()["events"] == events


@pytest.mark.parametrize(("place", "count"), [({"index": 0}, 1), ({"event_id": 2}, 3), ({"turn": 2}, 4)], ids=str)
async def test_a_place_is_an_event_or_a_turn(client: httpx.AsyncClient, place: dict[str, Any], count: int) -> None:
    events = await talked(client)
    if "event_id" in place:
        place = {"event_id": events[place["event_id"]]["id"]}

    made = (await client.post(FORK, json=place)).json()

    assert len(made["events"]) == count


async def test_a_fork_is_made_once_for_a_key(client: httpx.AsyncClient) -> None:
    await talked(client)
    key = {"Idempotency-Key": "once"}

    first = await client.post(FORK, json={"turn": 1}, headers=key)
    second = await client.post(FORK, json={"turn": 1}, headers=key)
    other = await client.post(FORK, json={"turn": 2}, headers=key)

    assert first.json() == second.json()
    assert second.headers["Idempotency-Replayed"] == "true"
    assert other.status_code == 422


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"turn": 1, "index": 0}, 422),
        ({"turn": 0}, 422),
        ({"index": -1}, 422),
        ({"turn": 9}, 404),
        ({"index": 99}, 404),
        ({"event_id": "evt_x"}, 404),
        ({"turn": 1, "id": "talk"}, 409),
    ],
    ids=str,
)
async def test_a_place_that_is_not_there_is_refused(
    client: httpx.AsyncClient, body: dict[str, Any], status: int
) -> None:
    await talked(client)

    assert (await client.post(FORK, json=body)).status_code == status
