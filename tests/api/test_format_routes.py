"""Importing and exporting over HTTP."""

import json

import httpx
import pytest

from workflow_agent.formats import FORMATS

ASL = {
    "Comment": "Pay a bill",
    "StartAt": "Pay",
    "States": {
        "Pay": {"Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:1:function:pay", "Next": "Done"},
        "Done": {"Type": "Succeed"},
    },
}


async def test_a_document_is_imported_by_its_content(client: httpx.AsyncClient) -> None:
    answer = await client.post("/api/v1/workflows/import", json={"text": json.dumps(ASL)})

    made = answer.json()
    assert answer.status_code == 201
    assert made["format"] == "asl"
    assert made["workflow"]["source"]["format"] == "asl"
    assert {"kept", "lost"} == set(made["report"])
    stored = await client.get(answer.headers["location"])
    assert stored.json() == made["workflow"]


async def test_the_same_key_imports_once(client: httpx.AsyncClient) -> None:
    sent = {"json": {"text": json.dumps(ASL)}, "headers": {"Idempotency-Key": "import-1"}}

    first = await client.post("/api/v1/workflows/import", **sent)
    again = await client.post("/api/v1/workflows/import", **sent)

    assert again.json()["workflow"] == first.json()["workflow"]
    assert len((await client.get("/api/v1/workflows")).json()["items"]) == 1


async def test_a_second_import_gets_an_id_of_its_own(client: httpx.AsyncClient) -> None:
    ids = set()
    for _ in range(2):
        answer = await client.post("/api/v1/workflows/import", json={"text": json.dumps(ASL)})
        ids.add(answer.json()["workflow"]["id"])

    assert len(ids) == 2


TWO_AND_A_CONFIGMAP = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
---
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: hello}
spec: {entrypoint: main, templates: [{name: main, container: {image: busybox}}]}
---
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: hello}
spec: {entrypoint: main, templates: [{name: main, container: {image: alpine}}]}
"""


async def test_of_several_documents_each_workflow_is_imported_and_the_rest_is_told(
    client: httpx.AsyncClient,
) -> None:
    answer = await client.post("/api/v1/workflows/import", json={"text": TWO_AND_A_CONFIGMAP})

    made = answer.json()
    refused, first, second = made["documents"]
    stored = (await client.get("/api/v1/workflows")).json()["items"]
    assert answer.status_code == 201
    assert first["workflow"]["id"] == made["workflow"]["id"]
    assert {first["workflow"]["id"], second["workflow"]["id"]} == {one["id"] for one in stored}
    assert len(stored) == 2
    assert refused["workflow"] is None
    assert "in no format that is known" in refused["problems"][0]["message"]


async def test_the_same_key_imports_several_documents_once(client: httpx.AsyncClient) -> None:
    sent = {"json": {"text": TWO_AND_A_CONFIGMAP}, "headers": {"Idempotency-Key": "import-2"}}

    first = await client.post("/api/v1/workflows/import", **sent)
    again = await client.post("/api/v1/workflows/import", **sent)

    assert again.json() == first.json()
    assert again.headers["idempotency-replayed"] == "true"
    assert len((await client.get("/api/v1/workflows")).json()["items"]) == 2


async def test_a_single_document_has_no_list_of_documents(client: httpx.AsyncClient) -> None:
    answer = await client.post("/api/v1/workflows/import", json={"text": json.dumps(ASL)})

    assert set(answer.json()) == {"workflow", "format", "report"}


@pytest.mark.parametrize("format_name", FORMATS)
async def test_a_workflow_is_exported_in_every_format(client: httpx.AsyncClient, format_name: str) -> None:
    made = (await client.post("/api/v1/workflows/import", json={"text": json.dumps(ASL)})).json()
    workflow_id = made["workflow"]["id"]

    answer = await client.get(f"/api/v1/workflows/{workflow_id}/export", params={"format": format_name})

    exported = answer.json()
    assert answer.status_code == 200
    assert exported["format"] == format_name
    assert exported["file_name"].startswith(f"{workflow_id}.")
    assert exported["text"]
    back = await client.post(
        "/api/v1/workflows/import", json={"text": exported["text"], "format": format_name}
    )
    assert back.status_code == 201


@pytest.mark.parametrize(
    ("body", "told"),
    [
        pytest.param({"text": "hello: world"}, "no format that is known", id="no known format"),
        pytest.param({"text": "{", "format": "asl"}, "not a valid", id="broken"),
        pytest.param({"text": "{}", "format": "fax"}, "fax", id="unknown format"),
    ],
)
async def test_what_cannot_be_imported_is_refused_with_why(
    client: httpx.AsyncClient, body: dict[str, str], told: str
) -> None:
    answer = await client.post("/api/v1/workflows/import", json=body)

    assert answer.status_code == 422
    assert told in answer.text


async def test_an_unknown_export_format_names_those_there_are(client: httpx.AsyncClient) -> None:
    made = (await client.post("/api/v1/workflows/import", json={"text": json.dumps(ASL)})).json()

    answer = await client.get(f"/api/v1/workflows/{made['workflow']['id']}/export", params={"format": "fax"})

    assert answer.status_code == 422
    assert "asl" in answer.text


async def test_import_is_not_the_id_of_a_workflow(client: httpx.AsyncClient) -> None:
    answer = await client.get("/api/v1/workflows/import")

    assert answer.status_code == 405
    assert "POST" in answer.headers["allow"]
