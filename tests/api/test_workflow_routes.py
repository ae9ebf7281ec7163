"""Workflows over HTTP: create, find, replace, delete; the catalogue and the caches."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from workflow_agent.conversations.document import WorkflowReference
from workflow_agent.main.application import Application

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


@pytest.fixture
async def made(client: httpx.AsyncClient) -> httpx.Response:
    return await client.post(WORKFLOWS, json=APPROVAL)


async def test_a_created_workflow_gets_an_id_from_its_name(client: httpx.AsyncClient, made: httpx.Response) -> None:
    read = await client.get(made.headers["location"])

    assert made.status_code == 201
    assert made.headers["location"] == f"{WORKFLOWS}/wf_expense_approval"
    assert made.headers["etag"] == read.headers["etag"]
    assert read.headers["etag"].startswith('"1-')
    assert made.json() == read.json()
    assert (made.json()["start"], made.json()["version"]) == ("submit", 1)
    assert made.json()["transitions"][0] == {"id": "submit-review", "from": "submit", "to": "review"}


async def test_a_second_one_of_the_name_gets_another_id(client: httpx.AsyncClient, made: httpx.Response) -> None:
    second = await client.post(WORKFLOWS, json=APPROVAL)

    assert (second.status_code, second.json()["id"]) == (201, "wf_expense_approval_2")


async def test_two_of_one_name_at_once_both_come_to_be(application: Application, client: httpx.AsyncClient) -> None:
    class TakenMeanwhile:
        """A catalogue in which no id ever seems taken."""

        def __getattr__(self, name: str) -> Any:
            return getattr(application.services.workflows, name)

        async def get(self, tenant: str, workflow_id: str) -> Any:
            return await application.services.workflows.get(tenant, "wf_nothing")

    await client.post(WORKFLOWS, json=APPROVAL)
    application.app.state.services = replace(application.services, workflows=TakenMeanwhile())

    second = await client.post(WORKFLOWS, json=APPROVAL)

    assert second.status_code == 201
    assert second.json()["id"].startswith("wf_expense_approval_")


async def test_an_id_is_given_once(client: httpx.AsyncClient, made: httpx.Response) -> None:
    again = await client.post(WORKFLOWS, json=APPROVAL | {"id": "wf_expense_approval"})

    assert (again.status_code, again.json()["code"]) == (409, "already_exists")


async def test_the_same_key_makes_one_workflow(client: httpx.AsyncClient) -> None:
    headers = {"Idempotency-Key": "k"}

    first = await client.post(WORKFLOWS, json=APPROVAL, headers=headers)
    again = await client.post(WORKFLOWS, json=APPROVAL, headers=headers)
    other = await client.post(WORKFLOWS, json=APPROVAL | {"name": "Other"}, headers=headers)

    assert again.json() == first.json()
    assert again.headers["idempotency-replayed"] == "true"
    assert other.status_code == 422
    assert len((await client.get(WORKFLOWS)).json()["items"]) == 1


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        pytest.param({"name": None}, "/name", id="no name"),
        pytest.param({"name": " "}, "/name", id="blank name"),
        pytest.param({"id": 5}, "/id", id="a number as id"),
        pytest.param({"id": "expense"}, "/id", id="an id of another kind"),
        pytest.param({"steps": []}, "/steps", id="no steps"),
        pytest.param({"version": "3"}, "/version", id="text as a number"),
        pytest.param({"created_at": 5}, "/created_at", id="a number as a time"),
        pytest.param({"colour": "red"}, "/colour", id="unknown field"),
        pytest.param({"start": "nowhere"}, "/start", id="unknown start"),
        pytest.param({"transitions": [{"from": "submit", "to": "x"}]}, "/transitions/0/to", id="unknown step"),
        pytest.param({"triggers": [{"type": "schedule", "cron": "x"}]}, "/triggers/0/cron", id="no cron"),
    ],
)
async def test_other_documents_are_refused_with_the_place(
    client: httpx.AsyncClient, change: dict[str, Any], pointer: str
) -> None:
    answer = await client.post(WORKFLOWS, json=APPROVAL | change)

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_workflow")
    assert pointer in [problem["pointer"] for problem in answer.json()["problems"]]


@pytest.mark.parametrize("body", [[], "x", 5, None])
async def test_only_an_object_is_a_document(client: httpx.AsyncClient, body: Any) -> None:
    assert (await client.post(WORKFLOWS, json=body)).status_code == 422


async def test_search_scores_and_says_why(client: httpx.AsyncClient, made: httpx.Response) -> None:
    await client.post(WORKFLOWS, json=APPROVAL | {"name": "Car wash", "description": "", "tags": ["cars"]})

    found = (await client.get(WORKFLOWS, params={"q": "expense approval"})).json()
    tagged = (await client.get(WORKFLOWS, params={"tag": "cars"})).json()
    scheduled = (await client.get(WORKFLOWS, params={"trigger": "schedule", "limit": 1})).json()

    assert found["items"][0]["id"] == "wf_expense_approval"
    assert found["items"][0]["score"] == 1.0
    assert found["items"][0]["strategies"]
    assert [item["id"] for item in tagged["items"]] == ["wf_car_wash"]
    assert (len(scheduled["items"]), scheduled["next_cursor"]) == (1, "1")


async def test_the_list_narrows_by_role_service_and_type_of_step(
    client: httpx.AsyncClient, made: httpx.Response
) -> None:
    steps = [
        {"id": "wash", "name": "Wash", "uses": "soap.wash"},
        {"id": "look", "name": "Look", "type": "human", "assignee": "washer"},
    ]
    await client.post(WORKFLOWS, json={"name": "Car wash", "steps": steps})
    narrow = [{"role": "washer"}, {"service": "soap"}, {"step_type": "human", "q": "car wash"}]

    found = [(await client.get(WORKFLOWS, params=params)).json()["items"] for params in narrow]
    unknown = await client.get(WORKFLOWS, params={"step_type": "teapot"})

    assert [[item["id"] for item in items] for items in found] == [["wf_car_wash"]] * 3
    assert unknown.status_code == 422


async def test_the_list_narrows_to_what_a_conversation_dealt_with(
    client: httpx.AsyncClient, made: httpx.Response, application: Application
) -> None:
    await client.post(WORKFLOWS, json=APPROVAL | {"name": "Car wash"})
    said = (await client.post("/api/v1/chat", json={"message": "hello"})).json()["conversation_id"]
    dealt_with = WorkflowReference(
        workflow_id="wf_car_wash",
        name="Car wash",
        relation="viewed",
        turn=1,
        conversation_id=said,
        at=datetime(2026, 1, 2, tzinfo=UTC),
    )
    await application.services.conversations.update(
        application.settings.tenant, said, lambda one: one.model_copy(update={"workflow_refs": (dealt_with,)})
    )

    found = await client.get(WORKFLOWS, params={"conversation_id": said})
    unknown = await client.get(WORKFLOWS, params={"conversation_id": "nobody"})

    assert [item["id"] for item in found.json()["items"]] == ["wf_car_wash"]
    assert unknown.status_code == 404


async def test_pages_join_to_the_whole_list(client: httpx.AsyncClient) -> None:
    for name in ("A", "B", "C"):
        await client.post(WORKFLOWS, json=APPROVAL | {"name": name})

    first = (await client.get(WORKFLOWS, params={"limit": 2})).json()
    second = (await client.get(WORKFLOWS, params={"limit": 2, "cursor": first["next_cursor"]})).json()

    assert sorted(item["id"] for item in first["items"] + second["items"]) == ["wf_a", "wf_b", "wf_c"]
    assert second["next_cursor"] is None


@pytest.mark.parametrize("cursor", ["x", "-1", "9999999999"])
async def test_a_cursor_is_one_of_ours(client: httpx.AsyncClient, cursor: str) -> None:
    answer = await client.get(WORKFLOWS, params={"cursor": cursor})

    assert answer.json()["problems"] == [{"pointer": "query:cursor", "message": "was not made here"}]


async def test_an_unchanged_workflow_is_not_sent_again(client: httpx.AsyncClient, made: httpx.Response) -> None:
    same = await client.get(made.headers["location"], headers={"If-None-Match": made.headers["etag"]})

    assert (same.status_code, same.headers["etag"]) == (304, made.headers["etag"])


async def test_replacing_needs_the_version_that_was_read(client: httpx.AsyncClient, made: httpx.Response) -> None:
    path = made.headers["location"]
    document = made.json() | {"description": "New."}

    without = await client.put(path, json=document)
    malformed = await client.put(path, json=document, headers={"If-Match": "1"})
    stale = await client.put(path, json=document, headers={"If-Match": '"abc"'})
    right = await client.put(path, json=document, headers={"If-Match": '"1"'})
    outdated = await client.put(path, json=document, headers={"If-Match": '"1"'})

    assert [a.status_code for a in (without, malformed, stale, right, outdated)] == [428, 422, 412, 200, 412]
    assert (right.json()["description"], right.json()["version"]) == ("New.", 2)


async def test_a_document_is_stored_at_its_own_address_alone(client: httpx.AsyncClient, made: httpx.Response) -> None:
    answer = await client.put(
        made.headers["location"], json=made.json() | {"id": "wf_other"}, headers={"If-Match": "*"}
    )

    assert (answer.status_code, answer.json()["problems"][0]["pointer"]) == (422, "/id")


async def test_a_deleted_workflow_is_gone(client: httpx.AsyncClient, made: httpx.Response) -> None:
    path = made.headers["location"]

    without = await client.delete(path)
    stale = await client.delete(path, headers={"If-Match": '"7"'})
    gone = await client.delete(path, headers={"If-Match": '"1"'})
    read = await client.get(path)

    assert [a.status_code for a in (without, stale, gone, read)] == [428, 412, 204, 404]


async def test_the_catalogue_lists_agents_and_modes(client: httpx.AsyncClient) -> None:
    agents = (await client.get("/api/v1/agents")).json()
    modes = {mode["name"]: mode for mode in (await client.get("/api/v1/modes")).json()["items"]}

    assert agents["default"] in [agent["name"] for agent in agents["items"]]
    assert set(modes) == {"general", "creation", "search", "modification", "analysis"}
    assert [name for name, mode in modes.items() if not mode["read_only"]] == ["creation", "modification"]
    assert "edit_workflow" in modes["modification"]["tools"]
    assert "edit_workflow" not in modes["analysis"]["tools"]


async def test_caches_say_how_they_do(client: httpx.AsyncClient, made: httpx.Response) -> None:
    before = (await client.get("/api/v1/telemetry/caches")).json()["caches"]["specs"]

    await client.get(made.headers["location"])

    after = (await client.get("/api/v1/telemetry/caches")).json()["caches"]["specs"]
    assert after["hits"] + after["misses"] > before["hits"] + before["misses"]
    assert set(after) == {"hits", "misses", "evictions", "size", "max_entries", "ttl_seconds"}


async def test_a_case_is_played_and_what_cannot_be_worked_out_is_asked_for(client: httpx.AsyncClient) -> None:
    document = {
        "name": "Expense",
        "steps": [
            {"id": "size", "name": "Size", "type": "decision"},
            {"id": "boss", "name": "Boss approves", "type": "human", "assignee": "boss", "duration": "P1D"},
            {"id": "pay", "name": "Pay", "duration": "PT1H"},
        ],
        "transitions": [
            {"from": "size", "to": "boss", "type": "condition", "when": {"text": "amount over 1000"}},
            {"from": "size", "to": "pay", "type": "condition", "when": {"text": "amount up to 1000"}},
            {"from": "boss", "to": "pay"},
        ],
    }
    made = await client.post("/api/v1/workflows", json=document)
    address = f"/api/v1/workflows/{made.json()['id']}/simulate"

    large = (await client.post(address, json={"case": {"amount": 1500}})).json()
    unknown = (await client.post(address, json={})).json()
    wrong = await client.post(address, json={"runs": 0, "times": {"pay": "soon"}})

    assert [one["step"] for one in large["path"]] == ["size", "boss", "pay"]
    assert (large["outcome"], large["median_seconds"]) == ("completed", 25 * 3600)
    assert unknown["questions"] == [
        {"step": "size", "name": "Size", "what": "which way it goes", "ways": ["amount over 1000", "amount up to 1000"]}
    ]
    assert wrong.status_code == 422
    assert {one["pointer"] for one in wrong.json()["problems"]} == {"/runs", "/times/pay"}
