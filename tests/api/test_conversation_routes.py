"""Conversations over HTTP: create, list, read, change, delete, and their parts."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.scripted import Calls, scripted
from tests.support.server import application_for, client_of
from workflow_agent.settings import load_settings

CONVERSATIONS = "/api/v1/conversations"


@pytest.fixture
async def talked(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Return a client of an application with a conversation `talk` of two turns."""
    model, _ = scripted(Calls([("list_workflows", {}), ("get_workflow", {"workflow": "x"})]), "None.", "Bye.")
    application = application_for(load_settings(data_dir=tmp_path), model)
    async with client_of(application) as client:
        await client.post(CONVERSATIONS, json={"id": "talk"})
        for message in ("which are there?", "bye"):
            body = {"message": message, "conversation_id": "talk", "mode": "search"}
            assert (await client.post("/api/v1/chat", json=body)).status_code == 200
        yield client


async def test_a_created_conversation_is_what_was_asked_for(client: httpx.AsyncClient) -> None:
    body = {"id": "a", "title": "T", "mode_override": "analysis", "metadata": {"k": [1, None, "ü"]}}

    made = await client.post(CONVERSATIONS, json=body)
    read = await client.get(made.headers["location"])

    assert made.status_code == 201
    assert made.headers["etag"] == read.headers["etag"]
    assert read.headers["etag"].startswith('"1-')
    assert made.json() == read.json()
    assert {name: made.json()[name] for name in body} == body


async def test_nothing_has_to_be_said_about_it(client: httpx.AsyncClient) -> None:
    made = await client.post(CONVERSATIONS)

    assert made.status_code == 201
    assert made.json()["id"].startswith("cv_")


async def test_it_may_start_with_an_open_workflow_that_is_there(client: httpx.AsyncClient) -> None:
    await client.post("/api/v1/workflows", json={"id": "wf_a", "name": "A", "steps": [{"id": "s", "name": "S"}]})

    made = await client.post(CONVERSATIONS, json={"workflow_id": "wf_a"})
    refused = await client.post(CONVERSATIONS, json={"workflow_id": "wf_b"})

    assert made.json()["bound_workflow_id"] == "wf_a"
    assert refused.status_code == 404


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"id": "Not An Id"}, "/id"),
        ({"id": "a/../b"}, "/id"),
        ({"title": "x" * 201}, "/title"),
        ({"title": None}, "/title"),
        ({"metadata": []}, "/metadata"),
        ({"turns": []}, "/turns"),
        ({"metadata": {"a": "\x07"}}, "/metadata/a"),
    ],
)
async def test_other_bodies_are_refused(client: httpx.AsyncClient, body: Any, pointer: str) -> None:
    answer = await client.post(CONVERSATIONS, json=body)

    assert (answer.status_code, answer.json()["problems"][0]["pointer"]) == (422, pointer)


async def test_an_id_is_given_once(client: httpx.AsyncClient) -> None:
    await client.post(CONVERSATIONS, json={"id": "a"})

    again = await client.post(CONVERSATIONS, json={"id": "a"})

    assert (again.status_code, again.json()["code"]) == (409, "already_exists")


async def test_the_same_key_makes_one_conversation(client: httpx.AsyncClient) -> None:
    headers = {"Idempotency-Key": "k"}

    first = await client.post(CONVERSATIONS, json={"title": "A"}, headers=headers)
    again = await client.post(CONVERSATIONS, json={"title": "A"}, headers=headers)
    other = await client.post(CONVERSATIONS, json={"title": "B"}, headers=headers)

    assert again.json() == first.json()
    assert (again.status_code, again.headers["idempotency-replayed"]) == (201, "true")
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_mismatch")


async def test_a_key_whose_request_made_nothing_is_free_again(client: httpx.AsyncClient) -> None:
    await client.post(CONVERSATIONS, json={"id": "a"})
    headers = {"Idempotency-Key": "k"}

    taken = await client.post(CONVERSATIONS, json={"id": "a"}, headers=headers)
    other = await client.post(CONVERSATIONS, json={"id": "b"}, headers=headers)

    assert (taken.status_code, other.status_code) == (409, 201)


async def test_pages_join_to_the_whole_list_latest_first(client: httpx.AsyncClient) -> None:
    for name in ("a", "b", "c", "d", "e"):
        await client.post(CONVERSATIONS, json={"id": name})

    seen: list[str] = []
    cursor: dict[str, Any] = {}
    while True:
        page = (await client.get(CONVERSATIONS, params={"limit": 2} | cursor)).json()
        seen += [item["id"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}

    assert seen == ["e", "d", "c", "b", "a"]


async def test_search_finds_what_was_said(talked: httpx.AsyncClient) -> None:
    await talked.post(CONVERSATIONS, json={"id": "other", "title": "Something else"})

    found = (await talked.get(CONVERSATIONS, params={"q": "which are there"})).json()

    assert [item["id"] for item in found["items"]] == ["talk"]
    assert found["items"][0]["turns"] == 2


async def test_an_unchanged_conversation_is_not_sent_again(client: httpx.AsyncClient) -> None:
    made = await client.post(CONVERSATIONS, json={"id": "a"})

    same = await client.get(f"{CONVERSATIONS}/a", headers={"If-None-Match": f'W/"7", {made.headers["etag"]}'})
    changed = await client.get(f"{CONVERSATIONS}/a", headers={"If-None-Match": '"9"'})

    assert (same.status_code, same.content, changed.status_code) == (304, b"", 200)


async def test_a_change_needs_the_version_that_was_read(client: httpx.AsyncClient) -> None:
    await client.post(CONVERSATIONS, json={"id": "a"})
    change = {"title": "New", "mode_override": "search"}

    without = await client.patch(f"{CONVERSATIONS}/a", json=change)
    stale = await client.patch(f"{CONVERSATIONS}/a", json=change, headers={"If-Match": '"9"'})
    weak = await client.patch(f"{CONVERSATIONS}/a", json=change, headers={"If-Match": 'W/"1"'})
    right = await client.patch(f"{CONVERSATIONS}/a", json=change, headers={"If-Match": '"1"'})
    any_version = await client.patch(f"{CONVERSATIONS}/a", json={"mode_override": None}, headers={"If-Match": "*"})

    assert (without.status_code, without.json()["code"]) == (428, "precondition_required")
    assert (stale.status_code, stale.json()["code"]) == (412, "conversation_conflict")
    assert weak.status_code == 422
    assert (right.status_code, right.headers["etag"][:3], right.json()["title"]) == (200, '"2-', "New")
    assert (any_version.json()["title"], any_version.json()["mode_override"]) == ("New", None)


async def test_a_change_that_changes_nothing_makes_no_version(client: httpx.AsyncClient) -> None:
    await client.post(CONVERSATIONS, json={"id": "a", "title": "T"})

    same = await client.patch(f"{CONVERSATIONS}/a", json={"title": "T"}, headers={"If-Match": '"1"'})

    assert same.headers["etag"].startswith('"1-')


async def test_a_deleted_conversation_is_gone(client: httpx.AsyncClient) -> None:
    await client.post(CONVERSATIONS, json={"id": "a"})

    stale = await client.delete(f"{CONVERSATIONS}/a", headers={"If-Match": '"9"'})
    gone = await client.delete(f"{CONVERSATIONS}/a", headers={"If-Match": '"1"'})
    read = await client.get(f"{CONVERSATIONS}/a")
    again = await client.delete(f"{CONVERSATIONS}/a")

    assert [answer.status_code for answer in (stale, gone, read, again)] == [412, 204, 404, 404]


async def test_history_is_paged_and_filtered(talked: httpx.AsyncClient) -> None:
    whole = (await talked.get(f"{CONVERSATIONS}/talk/history")).json()
    second = (await talked.get(f"{CONVERSATIONS}/talk/history", params={"limit": 2, "cursor": "2"})).json()
    first = (await talked.get(f"{CONVERSATIONS}/talk/history", params={"limit": 1})).json()
    replies = (await talked.get(f"{CONVERSATIONS}/talk/history", params={"type": "agent_reply"})).json()

    assert [item["content"] for item in whole["items"]] == ["which are there?", "None.", "bye", "Bye."]
    assert (whole["total"], whole["next_cursor"], first["next_cursor"]) == (4, None, "1")
    assert second["items"] == whole["items"][2:]
    assert [item["content"] for item in replies["items"]] == ["None.", "Bye."]


async def test_history_is_read_backwards_while_it_grows(talked: httpx.AsyncClient) -> None:
    address = f"{CONVERSATIONS}/talk/history"
    newest = (await talked.get(address, params={"order": "newest", "limit": 3})).json()
    await talked.post(f"{CONVERSATIONS}/talk/events", json={"content": "meanwhile"})
    rest = (await talked.get(address, params={"order": "newest", "cursor": newest["next_cursor"]})).json()

    assert [item["content"] for item in newest["items"]] == ["Bye.", "bye", "None."]
    assert [item["content"] for item in rest["items"]] == ["which are there?"]
    assert (rest["next_cursor"], rest["total"]) == (None, 5)


async def test_a_brief_history_leaves_the_evidence_out(talked: httpx.AsyncClient) -> None:
    address = f"{CONVERSATIONS}/talk/history"
    whole = (await talked.get(address)).json()["items"][-1]
    brief = (await talked.get(address, params={"brief": "true"})).json()["items"][-1]

    assert whole.keys() - brief.keys() == {"iterations", "context"}
    assert all(whole[key] == value for key, value in brief.items())


async def test_a_turn_is_its_message_its_reply_and_its_run(talked: httpx.AsyncClient) -> None:
    turn = (await talked.get(f"{CONVERSATIONS}/talk/turns/1")).json()

    assert (turn["message"]["content"], turn["reply"]["content"]) == ("which are there?", "None.")
    assert (turn["run"]["status"], turn["run"]["turn"]) == ("completed", 1)


async def test_iterations_are_found_by_number(talked: httpx.AsyncClient) -> None:
    listed = (await talked.get(f"{CONVERSATIONS}/talk/turns/1/iterations")).json()
    second = await talked.get(f"{CONVERSATIONS}/talk/turns/1/iterations/2")

    assert [one["number"] for one in listed["items"]] == [1, 2]
    assert [call["name"] for call in listed["items"][0]["tool_calls"]] == ["list_workflows", "get_workflow"]
    assert second.json() == listed["items"][1]


@pytest.mark.parametrize("part", ["turns/3", "turns/0", "turns/one", "turns/1/iterations/9", "turns/9/iterations"])
async def test_parts_that_are_not_there_are_not_found(talked: httpx.AsyncClient, part: str) -> None:
    assert (await talked.get(f"{CONVERSATIONS}/talk/{part}")).status_code == 404


@pytest.mark.parametrize(
    ("wanted", "methods"),
    [
        ({"speaker": "user"}, ["chat", "chat"]),
        ({"outcome": "retried"}, ["get_workflow"]),
        ({"method": "list_workflows", "outcome": "success"}, ["list_workflows"]),
        ({"method": "list_workflows", "speaker": "user"}, []),
    ],
)
async def test_calls_are_filtered(talked: httpx.AsyncClient, wanted: dict[str, str], methods: list[str]) -> None:
    found = (await talked.get(f"{CONVERSATIONS}/talk/calls", params=wanted)).json()

    assert [call["method_name"] for call in found["items"]] == methods


async def test_context_records_of_a_conversation_and_of_the_process_agree(talked: httpx.AsyncClient) -> None:
    own = (await talked.get(f"{CONVERSATIONS}/talk/context")).json()["items"]
    of_it = (await talked.get("/api/v1/telemetry/tokens", params={"conversation_id": "talk"})).json()["items"]
    latest = (await talked.get("/api/v1/telemetry/tokens", params={"limit": 1})).json()["items"]

    assert [record["turn"] for record in own] == [1, 2]
    assert [record["turn"] for record in of_it] == [2, 1]
    assert latest == of_it[:1]
    assert [record["at"] for record in own] == [record["at"] for record in reversed(of_it)]
    assert all(sum(record["breakdown"].values()) == record["used_tokens"] for record in own)


@pytest.mark.parametrize("conversation_id", ["nothing", "../x", "A"])
async def test_token_records_of_no_conversation_are_not_found(client: httpx.AsyncClient, conversation_id: str) -> None:
    answer = await client.get("/api/v1/telemetry/tokens", params={"conversation_id": conversation_id})

    assert (answer.status_code, answer.json()["code"]) == (404, "conversation_not_found")


async def test_a_large_result_is_a_reference_in_the_history_and_whole_in_its_iteration(tmp_path: Path) -> None:
    model, _ = scripted(Calls([("get_workflow", {"workflow": "wf_a"})]), "That one.")
    application = application_for(load_settings(data_dir=tmp_path, inline_result_bytes=100), model)
    async with client_of(application) as client:
        steps = [{"id": f"s{n}", "name": f"Step {n}"} for n in range(9)]
        await client.post("/api/v1/workflows", json={"id": "wf_a", "name": "A", "steps": steps})
        reply = (await client.post("/api/v1/chat", json={"message": "Show wf_a"})).json()
        place = f"{CONVERSATIONS}/{reply['conversation_id']}"

        history = (await client.get(f"{place}/history", params={"order": "newest"})).json()
        listed = (await client.get(f"{place}/turns/1/iterations")).json()["items"][0]
        one = (await client.get(f"{place}/turns/1/iterations/1")).json()
        stored = history["items"][0]["iterations"][0]["messages"][-1]["results"][0]
        blob = await client.get(f"{place}/blobs/{stored['content_ref']}")
        bare = await client.get(f"{place}/blobs/{stored['content_ref'].removeprefix('sha256:')}")
        gone = await client.get(f"{place}/blobs/{'0' * 64}")

    assert stored["content"] is None
    assert listed == one
    assert one["messages"][-1]["results"][0]["content"]["workflow"]["id"] == "wf_a"
    assert one["messages"][0]["role"] == "system"
    assert len(one["messages"][0]["content"]) > 500
    assert blob.json() == bare.json()
    assert blob.json()["content"] == one["messages"][-1]["results"][0]["content"]
    assert (gone.status_code, gone.json()["code"]) == (404, "content_ref_not_found")


async def test_history_is_read_from_either_end(talked: httpx.AsyncClient) -> None:
    place = f"{CONVERSATIONS}/talk/history"
    oldest = (await talked.get(place)).json()["items"]
    first = (await talked.get(place, params={"order": "newest", "limit": 3})).json()
    last = (await talked.get(place, params={"order": "newest", "limit": 3, "cursor": first["next_cursor"]})).json()

    assert [*first["items"], *last["items"]] == oldest[::-1]
    assert (first["total"], last["next_cursor"]) == (4, None)
