"""Workflows over HTTP: edits, versions, and looking into them."""

import asyncio
from typing import Any

import httpx
import pytest

WORKFLOWS = "/api/v1/workflows"
APPROVAL: dict[str, Any] = {
    "name": "Expense approval",
    "description": "Employees get their money back.",
    "tags": ["finance"],
    "triggers": [{"type": "schedule", "cron": "0 9 * * 1"}],
    "steps": [
        {"id": "submit", "name": "Submit expense", "type": "human", "assignee": "employee"},
        {"id": "review", "name": "Manager review", "type": "human", "assignee": "manager"},
        {"id": "paid", "name": "Paid", "type": "end"},
    ],
    "transitions": [{"from": "submit", "to": "review"}, {"from": "review", "to": "paid"}],
}
RENAME = {"op": "rename_step", "step": "review", "name": "Check"}
INSERT = {
    "op": "insert_step",
    "before": "paid",
    "step": {"id": "legal", "name": "Legal check", "type": "human", "assignee": "legal"},
}


@pytest.fixture
async def made(client: httpx.AsyncClient) -> httpx.Response:
    return await client.post(WORKFLOWS, json=APPROVAL)


async def test_edits_report_what_they_did_and_how_to_take_it_back(
    client: httpx.AsyncClient, made: httpx.Response
) -> None:
    path = made.headers["location"]

    report = (await client.post(f"{path}/edits", json={"edits": [INSERT, RENAME]})).json()
    back = (await client.post(f"{path}/edits", json={"edits": report["inverse"]})).json()

    assert [step["id"] for step in report["workflow"]["steps"]] == ["submit", "review", "legal", "paid"]
    assert (report["previous_version"], report["workflow"]["version"], report["dry_run"]) == (1, 2, False)
    assert len(report["changes"]) >= 2
    assert back["workflow"]["steps"] == made.json()["steps"]
    assert back["workflow"]["transitions"] == made.json()["transitions"]


async def test_a_dry_run_changes_nothing(client: httpx.AsyncClient, made: httpx.Response) -> None:
    path = made.headers["location"]

    report = await client.post(f"{path}/edits?dry_run=true", json={"edits": [RENAME]})
    stale = await client.post(f"{path}/edits?dry_run=true", json={"edits": [RENAME]}, headers={"If-Match": '"7"'})

    assert (report.json()["dry_run"], report.json()["workflow"]["steps"][1]["name"]) == (True, "Check")
    assert (await client.get(path)).json() == made.json()
    assert stale.status_code == 412


async def test_edits_honour_the_version_they_name(client: httpx.AsyncClient, made: httpx.Response) -> None:
    answer = await client.post(
        f"{made.headers['location']}/edits", json={"edits": [RENAME]}, headers={"If-Match": '"7"'}
    )

    assert (answer.status_code, answer.json()["code"]) == (412, "workflow_conflict")


async def test_edits_under_one_key_are_applied_once(client: httpx.AsyncClient, made: httpx.Response) -> None:
    path, headers = f"{made.headers['location']}/edits", {"Idempotency-Key": "k"}

    first = await client.post(path, json={"edits": [INSERT]}, headers=headers)
    await client.post(path, json={"edits": [RENAME]})
    again = await client.post(path, json={"edits": [INSERT]}, headers=headers)
    other = await client.post(path, json={"edits": [RENAME]}, headers=headers)

    assert again.json() == first.json()
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_mismatch")


async def test_edits_under_one_key_at_the_same_time_are_applied_once(
    client: httpx.AsyncClient, made: httpx.Response
) -> None:
    path, headers = f"{made.headers['location']}/edits", {"Idempotency-Key": "k"}
    sent = [client.post(path, json={"edits": [RENAME]}, headers=headers) for _ in range(6)]

    answers = await asyncio.gather(*sent)

    assert len({answer.text for answer in answers}) == 1
    newest = (await client.get(f"{made.headers['location']}/versions")).json()["items"][0]
    assert (newest["version"], newest["author"]["run_id"]) == (2, None)


async def test_a_key_whose_edits_were_refused_may_be_sent_again(
    client: httpx.AsyncClient, made: httpx.Response
) -> None:
    path, headers = f"{made.headers['location']}/edits", {"Idempotency-Key": "k"}
    late = [{"op": "rename_step", "step": "legal", "name": "Law"}]

    refused = await client.post(path, json={"edits": late}, headers=headers)
    await client.post(path, json={"edits": [INSERT]})
    applied = await client.post(path, json={"edits": late}, headers=headers)

    assert (refused.status_code, applied.status_code) == (422, 200)


@pytest.mark.parametrize(
    ("edits", "pointer"),
    [
        pytest.param([], "/edits", id="none"),
        pytest.param([RENAME] * 501, "/edits", id="too many"),
        pytest.param([5], "/edits/0", id="a number"),
        pytest.param([{"op": "explode"}], "/edits/0", id="unknown operation"),
        pytest.param([RENAME, {"op": "rename_step", "step": "nothing", "name": "X"}], "/edits/1", id="unknown step"),
        pytest.param(
            [{"op": "set_retry", "step": "review", "retry": {"max_attempts": "3"}}],
            "/edits/0/retry/max_attempts",
            id="text as a number",
        ),
    ],
)
async def test_other_edits_are_refused_and_nothing_is_applied(
    client: httpx.AsyncClient, made: httpx.Response, edits: list[Any], pointer: str
) -> None:
    answer = await client.post(f"{made.headers['location']}/edits", json={"edits": edits})

    assert answer.status_code == 422
    assert answer.json()["problems"][0]["pointer"].startswith(pointer)
    assert (await client.get(made.headers["location"])).headers["etag"].startswith('"1-')


async def test_versions_stay_readable_and_are_restored_as_new_ones(
    client: httpx.AsyncClient, made: httpx.Response
) -> None:
    path = made.headers["location"]
    await client.post(f"{path}/edits", json={"edits": [RENAME]})

    listed = (await client.get(f"{path}/versions")).json()["items"]
    second = (await client.get(f"{path}/versions/2")).json()
    stale = await client.post(f"{path}/versions/1/restore", headers={"If-Match": '"1"'})
    restored = await client.post(f"{path}/versions/1/restore", headers={"If-Match": '"2"'})

    assert [(one["version"], one["action"]) for one in listed] == [(2, "edited"), (1, "created")]
    assert second["edits"] == [RENAME]
    assert second["document"]["steps"][1]["name"] == "Check"
    assert stale.status_code == 412
    assert restored.json()["workflow"]["steps"] == made.json()["steps"]
    assert (restored.json()["previous_version"], restored.headers["etag"][:3]) == (2, '"3-')


@pytest.mark.parametrize("part", ["versions/9", "versions/0", "versions/x", "diff?from=9", "diff?to=9"])
async def test_versions_that_are_not_there_are_not_found(
    client: httpx.AsyncClient, made: httpx.Response, part: str
) -> None:
    assert (await client.get(f"{made.headers['location']}/{part}")).status_code == 404


async def test_a_difference_is_told_in_words_and_as_data(client: httpx.AsyncClient, made: httpx.Response) -> None:
    path = made.headers["location"]
    await client.post(f"{path}/edits", json={"edits": [RENAME]})
    await client.post(f"{path}/edits", json={"edits": [INSERT]})

    last = (await client.get(f"{path}/diff")).json()
    first = (await client.get(f"{path}/diff", params={"from": 1, "to": 2})).json()

    assert (last["from_version"], last["to_version"]) == (2, 3)
    assert "Legal check" in last["changes"][0]
    assert first["diff"]["steps"]["changed"][0]["fields"]["name"] == {"before": "Manager review", "after": "Check"}


async def test_findings_come_with_evidence_and_counts(client: httpx.AsyncClient) -> None:
    stuck = {"name": "Stuck", "steps": [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]}
    await client.post(WORKFLOWS, json=stuck)

    report = (await client.get(f"{WORKFLOWS}/wf_stuck/analysis")).json()

    assert "unreachable-step" in [finding["rule"] for finding in report["findings"]]
    assert sum(report["counts"].values()) == len(report["findings"])
    assert report["proof"]["verdict"] == "not sound"
    assert report["proof"]["counterexamples"][0] == {
        "property": "no_dead_step",
        "path": [],
        "left": ["b"],
        "why": "No run ever comes to 'B' (b).",
    }
    assert report["proof"]["assumptions"]


async def test_a_diagram_is_mermaid(client: httpx.AsyncClient, made: httpx.Response) -> None:
    drawn = (await client.get(f"{made.headers['location']}/diagram", params={"format": "mermaid"})).json()
    other = await client.get(f"{made.headers['location']}/diagram", params={"format": "png"})
    lanes = await client.get(f"{made.headers['location']}/diagram", params={"lanes": "true"})

    assert drawn["diagram"].startswith("flowchart")
    assert (lanes.status_code, "format=svg" in lanes.json()["detail"]) == (422, True)
    assert (other.status_code, other.json()["problems"][0]["valid"]) == (422, ["mermaid", "dot", "svg"])


async def test_a_picture_is_sent_as_one_to_who_accepts_pictures(
    client: httpx.AsyncClient, made: httpx.Response
) -> None:
    address = f"{made.headers['location']}/diagram"
    accepted = {"Accept": "image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8"}

    picture = await client.get(address, params={"format": "svg"}, headers=accepted)
    in_json = await client.get(address, params={"format": "svg"})

    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert "default-src 'none'" in picture.headers["content-security-policy"]
    assert picture.text == in_json.json()["diagram"]
    assert picture.text.startswith("<svg ")


async def test_a_diagram_marks_findings_and_the_last_change_where_asked_to(
    client: httpx.AsyncClient, made: httpx.Response
) -> None:
    address = made.headers["location"]
    lonely = {"op": "add_step", "step": {"id": "lonely", "name": "Lonely"}}
    edited = await client.post(f"{address}/edits", json={"edits": [lonely]}, headers={"If-Match": '"1"'})

    plain = (await client.get(f"{address}/diagram")).json()["diagram"]
    older = (await client.get(f"{address}/diagram", params={"changes": "true", "version": "1"})).json()
    marked = (await client.get(f"{address}/diagram", params={"findings": "true", "changes": "true"})).json()

    assert edited.is_success
    assert "Mark" not in plain
    assert "addedStep" not in plain
    assert (older["workflow"]["version"], "s_lonely" in older["diagram"]) == (1, False)
    assert "class s_lonely addedStep" in marked["diagram"]
    assert "Mark" in marked["diagram"]


async def test_validation_says_what_is_wrong_and_what_could_be_better(client: httpx.AsyncClient) -> None:
    lonely = {"id": "lonely", "name": "Lonely"}
    good = (await client.post(f"{WORKFLOWS}/validate", json=APPROVAL | {"steps": [*APPROVAL["steps"], lonely]})).json()
    bad = (await client.post(f"{WORKFLOWS}/validate", json={"name": "", "steps": [{"id": "A"}]})).json()

    assert (good["valid"], good["problems"], bool(good["findings"])) == (True, [], True)
    assert bad["valid"] is False
    assert {"/name", "/steps/0/id", "/steps/0/name"} <= {problem["pointer"] for problem in bad["problems"]}
    assert (await client.get(WORKFLOWS)).json()["items"] == []


async def test_a_change_by_hand_stands_in_its_conversation_once(
    client: httpx.AsyncClient, made: httpx.Response
) -> None:
    path = made.headers["location"]
    await client.post("/api/v1/conversations", json={"id": "talk"})
    edits = {"json": {"edits": [INSERT]}, "headers": {"Idempotency-Key": "by-hand", "If-Match": '"1"'}}

    first = await client.post(f"{path}/edits?conversation_id=talk", **edits)
    again = await client.post(f"{path}/edits?conversation_id=talk", **edits)
    back = await client.post(f"{path}/versions/1/restore?conversation_id=talk")
    nowhere = await client.post(f"{path}/edits?conversation_id=other", json={"edits": [RENAME]})

    conversation = (await client.get("/api/v1/conversations/talk")).json()
    events = conversation["events"]
    assert (first.status_code, again.status_code, back.status_code, nowhere.status_code) == (200, 200, 200, 404)
    assert [one["kind"] for one in events] == ["workflow_change", "workflow_change"]
    assert events[0]["data"]["changes"] == first.json()["changes"]
    assert "'Legal check'" in events[0]["content"]
    assert events[1]["data"]["action"] == "restored version 1"
    assert conversation["bound_workflow_id"] == made.json()["id"]
    assert [one["times"] for one in conversation["workflow_refs"]] == [2]
    versions = (await client.get(f"{path}/versions")).json()["items"]
    assert [one["author"]["conversation_id"] for one in versions] == ["talk", "talk", None]
