"""Changes that wait for somebody's word, and publishing: over the routes, on real files."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.server import application_for, client_of, serving
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.settings import load_settings

FLOW = {
    "id": "wf_flow",
    "name": "Flow",
    "start": "one",
    "steps": [
        {"id": "one", "name": "One", "type": "human", "assignee": "office"},
        *({"id": f"s{at}", "name": f"Step {at}", "type": "action"} for at in range(4)),
        {"id": "end", "name": "End", "type": "end"},
    ],
    "transitions": [
        {"from": a, "to": b} for a, b in (("one", "s0"), ("s0", "s1"), ("s1", "s2"), ("s2", "s3"), ("s3", "end"))
    ],
}
RENAME = [{"op": "rename_step", "step": "one", "name": "First"}]
OWNER = [{"op": "set_assignee", "step": "one", "assignee": "legal"}]


@pytest.fixture
async def asking(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    made = application_for(load_settings(data_dir=tmp_path), OfflineModel())
    async with client_of(made) as one:
        (await one.post("/api/v1/workflows", json=FLOW)).raise_for_status()
        yield one


async def proposed(asking: httpx.AsyncClient, edits: list[dict[str, Any]] = RENAME) -> str:
    """Let edits wait for a decision and return their preview's id."""
    body = {"workflow_id": "wf_flow", "edits": edits, "by": "ana", "reason": "it is law"}
    made = await asking.post("/api/v1/previews", json=body)
    assert made.status_code == 201, made.text
    return str(made.json()["preview"]["id"])


def let_pass(data: Path) -> None:
    """Let a year pass for what waits in a data directory."""
    waits = re.compile(r'("(?:created_at|expires_at)": ?")20\d\d')
    for path in data.rglob("*.json"):
        text = path.read_text("utf-8")
        if '"expires_at"' in text:
            path.write_text(waits.sub(r"\g<1>2020", text), "utf-8")


async def decided(asking: httpx.AsyncClient, preview: str, decision: str) -> httpx.Response:
    return await asking.post(f"/api/v1/previews/{preview}", json={"decision": decision, "by": "ben"})


async def version(asking: httpx.AsyncClient) -> int:
    return int((await asking.get("/api/v1/workflows/wf_flow")).json()["version"])


async def waiting(asking: httpx.AsyncClient, **query: str) -> list[tuple[str, str]]:
    items = (await asking.get("/api/v1/previews", params=query)).json()["items"]
    return [(one["preview"]["id"], one["state"]) for one in items]


async def test_a_change_waits_until_another_person_makes_it_once(asking: httpx.AsyncClient) -> None:
    preview = await proposed(asking)
    before = await version(asking)
    listed = await waiting(asking, workflow_id="wf_flow")

    answers = await asyncio.gather(*(decided(asking, preview, "apply") for _ in range(3)))

    assert (before, await version(asking)) == (1, 2)
    assert listed == [(preview, "waiting")]
    assert [one.status_code for one in answers] == [200, 200, 200]
    last = answers[-1].json()
    assert (last["state"], last["decided_by"], last["made_version"]) == ("applied", "ben", 2)
    made = (await asking.get("/api/v1/workflows/wf_flow/versions/2")).json()
    assert (made["author"]["user"], made["document"]["steps"][0]["name"]) == ("ben", "First")
    assert await waiting(asking) == []
    assert await waiting(asking, state="all") == [(preview, "applied")]
    assert (await decided(asking, preview, "reject")).status_code == 409


async def test_a_change_of_a_workflow_that_moved_on_is_refused(asking: httpx.AsyncClient) -> None:
    first, second = await proposed(asking), await proposed(asking, OWNER)
    (await decided(asking, first, "apply")).raise_for_status()

    refused = await decided(asking, second, "apply")

    assert (refused.status_code, refused.json()["code"], refused.json()["state"]) == (409, "preview_closed", "outdated")
    assert await version(asking) == 2


@pytest.mark.files
async def test_a_change_of_a_workflow_that_was_edited_by_hand_is_refused(
    asking: httpx.AsyncClient, tmp_path: Path
) -> None:
    preview = await proposed(asking)
    path = tmp_path / "default" / "workflows" / "wf_flow.json"
    path.write_text(path.read_text("utf-8").replace('"Step 2"', '"Second"'), "utf-8")

    answer = await decided(asking, preview, "apply")

    assert (answer.status_code, answer.json()["code"]) == (409, "preview_closed")
    assert await version(asking) == 1


@pytest.mark.files
async def test_a_change_that_waited_too_long_is_made_by_nobody(asking: httpx.AsyncClient, tmp_path: Path) -> None:
    preview = await proposed(asking)
    let_pass(tmp_path)

    answer = await decided(asking, preview, "apply")

    assert (answer.status_code, answer.json()["code"], answer.json()["state"]) == (409, "preview_closed", "expired")
    assert "it waited too long" in answer.json()["detail"]
    assert (await waiting(asking), await waiting(asking, state="all")) == ([], [(preview, "expired")])
    assert await version(asking) == 1


def test_who_decides_is_who_the_key_belongs_to(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, api_key_users='{"ana": "key-of-ana", "ben": "key-of-ben"}')
    with serving(settings, OfflineModel()) as served:
        ana, ben = (served.client(headers={"Authorization": f"Bearer key-of-{one}"}) for one in ("ana", "ben"))
        ana.post("/api/v1/workflows", json=FLOW).raise_for_status()
        asked = ana.post("/api/v1/previews", json={"workflow_id": "wf_flow", "edits": RENAME}).json()
        path = f"/api/v1/previews/{asked['preview']['id']}"
        as_ana = ben.post(path, json={"decision": "apply", "by": "ana"})
        applied = ben.post(path, json={"decision": "apply"}).json()
        published = ben.post("/api/v1/workflows/wf_flow/publish", json={}).json()
        ana.post("/api/v1/workflows/wf_flow/edits", json={"edits": OWNER}).raise_for_status()
        versions = ana.get("/api/v1/workflows/wf_flow/versions").json()["items"]
        for one in (ana, ben):
            one.close()

    assert (as_ana.status_code, as_ana.json()["code"]) == (403, "user_not_allowed")
    assert (asked["asked_by"], applied["decided_by"], published["published_by"]) == ("ana", "ben", "ben")
    assert [one["author"]["user"] for one in versions] == ["ana", "ben", "ana"]


async def test_a_change_that_was_turned_down_is_made_by_nobody(asking: httpx.AsyncClient) -> None:
    preview = await proposed(asking)

    answers = [(await decided(asking, preview, one)).status_code for one in ("reject", "reject", "apply")]

    assert answers == [200, 200, 409]
    assert await version(asking) == 1


async def test_what_was_shown_in_a_conversation_is_decided_elsewhere(asking: httpx.AsyncClient) -> None:
    said = {"message": "delete this workflow", "workflow_id": "wf_flow"}
    reply = (await asking.post("/api/v1/chat", json=said)).json()
    preview = reply["preview"]["id"]
    assert await waiting(asking) == [(preview, "waiting")]
    (await decided(asking, preview, "reject")).raise_for_status()

    said = {"message": "yes", "conversation_id": reply["conversation_id"]}
    (await asking.post("/api/v1/chat", json=said)).raise_for_status()

    assert await version(asking) == 1


@pytest.mark.parametrize(
    ("word", "state", "status"),
    [pytest.param("yes", "applied", 404, id="yes"), pytest.param("no", "rejected", 200, id="no")],
)
async def test_what_its_conversation_answers_waits_no_more(
    asking: httpx.AsyncClient, word: str, state: str, status: int
) -> None:
    said = {"message": "delete this workflow", "workflow_id": "wf_flow"}
    reply = (await asking.post("/api/v1/chat", json=said)).json()

    said = {"message": word, "conversation_id": reply["conversation_id"]}
    (await asking.post("/api/v1/chat", json=said)).raise_for_status()

    assert await waiting(asking, state="all") == [(reply["preview"]["id"], state)]
    assert (await asking.get("/api/v1/workflows/wf_flow")).status_code == status


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("previews", {"workflow_id": "wf_none", "edits": RENAME}, 404),
        ("previews", {"workflow_id": "wf_flow", "edits": [{"op": "remove_step", "step": "none"}]}, 422),
        ("previews/pv_none", {"decision": "apply"}, 404),
        ("previews/..%2Fkeys", {"decision": "apply"}, 404),
        ("previews/pv_none", {"decision": "maybe"}, 422),
        ("workflows/wf_flow/publish", {"version": 9}, 422),
        ("workflows/wf_none/publish", {"version": 1}, 404),
        ("webhooks", {"url": "https://example.org/"}, 422),
    ],
)
async def test_what_cannot_be_is_refused(
    asking: httpx.AsyncClient, path: str, body: dict[str, Any], status: int
) -> None:
    assert (await asking.post(f"/api/v1/{path}", json=body)).status_code == status


async def test_a_published_version_stays_published_while_a_draft_goes_on(asking: httpx.AsyncClient) -> None:
    async def state() -> tuple[str, int | None]:
        told = (await asking.get("/api/v1/workflows/wf_flow/publication")).json()
        return told["state"], told["published"] and told["published"]["version"]

    states = [await state()]
    made = await asking.post("/api/v1/workflows/wf_flow/publish", json={"by": "ana"})
    states.append(await state())
    (await asking.post("/api/v1/workflows/wf_flow/edits", json={"edits": RENAME})).raise_for_status()
    states.append(await state())

    assert states == [("draft", None), ("published", 1), ("changed", 1)]
    assert made.json()["published_by"] == "ana"
