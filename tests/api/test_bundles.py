"""Export and import over HTTP."""

from pathlib import Path

import httpx

from tests.support.server import application_for, client_of
from workflow_agent.settings import load_settings
from workflow_agent.storage.files.verification.directory import verify_directory

CONVERSATIONS = "/api/v1/conversations"


async def a_bundle(client: httpx.AsyncClient) -> dict[str, object]:
    await client.post(CONVERSATIONS, json={"id": "talk"})
    answer = await client.post("/api/v1/chat", json={"message": "hello", "conversation_id": "talk"})
    assert answer.status_code == 200
    answer = await client.get(f"{CONVERSATIONS}/talk/export")
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"] == 'attachment; filename="talk.conversation.json"'
    return answer.json()


async def test_an_export_is_imported_as_it_is(client: httpx.AsyncClient) -> None:
    bundle = await a_bundle(client)
    before = (await client.get(f"{CONVERSATIONS}/talk")).json()
    await client.delete(f"{CONVERSATIONS}/talk")

    answer = await client.post(f"{CONVERSATIONS}/import", json=bundle)

    assert answer.status_code == 201
    assert answer.headers["Location"] == f"{CONVERSATIONS}/talk"
    assert answer.json() == before | {"version": 1, "missing_workflows": []}


async def test_an_import_names_the_workflows_that_are_not_here_and_leaves_nothing_dangling(
    client: httpx.AsyncClient, tmp_path: Path
) -> None:
    steps = [{"id": "one", "name": "One"}]
    await client.post("/api/v1/workflows", json={"id": "wf_a", "name": "A", "steps": steps})
    asked = {"message": "hello", "conversation_id": "talk", "workflow_id": "wf_a"}
    await client.post(CONVERSATIONS, json={"id": "talk"})
    await client.post("/api/v1/chat", json=asked)
    bundle = (await client.get(f"{CONVERSATIONS}/talk/export")).json()
    elsewhere = application_for(load_settings(data_dir=tmp_path / "elsewhere"))
    async with client_of(elsewhere) as there:
        made = (await there.post(f"{CONVERSATIONS}/import", json=bundle)).json()

    assert (made["missing_workflows"], made["bound_workflow_id"]) == (["wf_a"], None)
    assert [one["is_elsewhere"] for one in made["workflow_refs"]] == [True]
    assert [one.kind for one in verify_directory(tmp_path / "elsewhere")] == []


async def test_a_taken_id_is_refused_unless_a_new_one_is_asked_for(client: httpx.AsyncClient) -> None:
    bundle = await a_bundle(client)

    refused = await client.post(f"{CONVERSATIONS}/import", json=bundle)
    anyhow = await client.post(f"{CONVERSATIONS}/import", json=bundle | {"new_id": True})

    assert refused.status_code == 409
    assert anyhow.status_code == 201
    assert anyhow.json()["id"] != "talk"
    assert len(anyhow.json()["events"]) == 2


async def test_an_import_is_done_once_for_a_key(client: httpx.AsyncClient) -> None:
    bundle = await a_bundle(client)
    key = {"Idempotency-Key": "once"}

    answers = [
        await client.post(f"{CONVERSATIONS}/import", json=bundle | {"new_id": True}, headers=key) for _ in range(2)
    ]

    assert answers[0].json() == answers[1].json()
    assert answers[1].headers["Idempotency-Replayed"] == "true"


async def test_a_forged_bundle_and_an_unknown_conversation_are_refused(client: httpx.AsyncClient) -> None:
    bundle = await a_bundle(client)

    forged = await client.post(f"{CONVERSATIONS}/import", json=bundle | {"sha256": "0" * 64})
    missing = await client.get(f"{CONVERSATIONS}/missing/export")

    assert (forged.status_code, missing.status_code) == (422, 404)
    assert forged.json()["problems"][0]["pointer"] == "/sha256"
