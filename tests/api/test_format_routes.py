"""Importing and exporting over HTTP."""

import asyncio
import json
from codecs import BOM_UTF8

import httpx
import pytest

from workflow_agent.workflows.formats import FORMATS

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


@pytest.mark.parametrize(
    ("keys", "workflows"),
    [
        pytest.param([None] * 6, 6, id="no key"),
        pytest.param([f"import-{number}" for number in range(6)], 6, id="a key each"),
        pytest.param(["import-1"] * 6, 1, id="one key"),
    ],
)
async def test_imports_at_the_same_time_are_all_stored(
    client: httpx.AsyncClient, keys: list[str | None], workflows: int
) -> None:
    sent = [
        client.post(
            "/api/v1/workflows/import", json={"text": json.dumps(ASL)}, headers={"Idempotency-Key": key} if key else {}
        )
        for key in keys
    ]
    answers = await asyncio.gather(*sent)
    stored = (await client.get("/api/v1/workflows")).json()["items"]

    assert [answer.status_code for answer in answers] == [201] * 6
    assert len({answer.json()["workflow"]["id"] for answer in answers}) == len(stored) == workflows


async def test_an_import_is_on_record_with_its_summary(client: httpx.AsyncClient) -> None:
    made = await client.post("/api/v1/workflows/import", json={"text": json.dumps(ASL)})

    versions = await client.get(f"{made.headers['location']}/versions")

    (first,) = versions.json()["items"]
    name = made.json()["workflow"]["name"]
    assert (first["action"], first["summary"]) == ("imported", [f"Imported {name!r} from Amazon States Language"])


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        pytest.param(
            '{"StartAt": "A", "States": {"A": {"Seconds": %s}}}' % ("9" * 5_000),
            "/States/A/Seconds",
            id="a number of 5,000 digits in JSON",
        ),
        pytest.param(
            f"steps:\n- retry: {{max_attempts: {'9' * 5_000}}}", "/steps/0/retry/max_attempts", id="and in YAML"
        ),
        pytest.param(f"steps: [0x{'f' * 5_000}]", "/steps/0", id="and of base 16"),
        pytest.param("[18446744073709551616]", "/0", id="one of 65 bits"),
        pytest.param(
            "apiVersion: argoproj.io/v1alpha1\nkind: WorkflowTemplate\nmetadata: {name: hello}\n"
            "spec: {templates: [{container: {image: busybox}}]}",
            "/spec/templates/0",
            id="an Argo template without a name",
        ),
    ],
)
async def test_what_cannot_be_read_is_refused_with_its_place(
    client: httpx.AsyncClient, text: str, pointer: str
) -> None:
    answer = await client.post("/api/v1/workflows/import", json={"text": text})

    assert (answer.status_code, answer.json()["code"]) == (422, "unreadable_document")
    assert [problem["pointer"] for problem in answer.json()["problems"]] == [pointer]


async def test_a_body_may_begin_with_a_byte_order_mark(client: httpx.AsyncClient) -> None:
    body = BOM_UTF8 + json.dumps({"text": json.dumps(ASL)}).encode()

    answer = await client.post("/api/v1/workflows/import", content=body, headers={"Content-Type": "application/json"})

    assert answer.status_code == 201


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


async def test_of_several_documents_each_workflow_is_imported_and_the_rest_is_told(client: httpx.AsyncClient) -> None:
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

    assert set(answer.json()) == {"workflow", "format", "report", "findings"}


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
    back = await client.post("/api/v1/workflows/import", json={"text": exported["text"], "format": format_name})
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


PARALLEL = {
    "StartAt": "Both",
    "States": {
        "Both": {
            "Type": "Parallel",
            "End": True,
            "Branches": [
                {
                    "StartAt": name,
                    "States": {name: {"Type": "Pass", "Next": f"{name} done"}, f"{name} done": {"Type": "Succeed"}},
                }
                for name in ("One", "Two")
            ],
        }
    },
}
MAP = {
    "StartAt": "Each",
    "States": {
        "Each": {
            "Type": "Map",
            "End": True,
            "ItemProcessor": {"StartAt": "Done", "States": {"Done": {"Type": "Succeed"}}},
        }
    },
}
RAISE = """
document: {dsl: '1.0.3', namespace: test, name: guarded, version: '0.1.0'}
do:
  - refuse: {if: .age < 18, raise: {error: {type: https://example.com/young, status: 400}}, then: end}
  - go: {set: {a: 1}}
"""
EVENT_SUBPROCESS = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="x">
<process id="p" name="P"><startEvent id="s"/><task id="a" name="A"/><endEvent id="e"/>
<sequenceFlow id="f" sourceRef="s" targetRef="a"/><sequenceFlow id="g" sourceRef="a" targetRef="e"/>
<subProcess id="sub" name="Cancelled" triggeredByEvent="true"><startEvent id="c"><messageEventDefinition/>
</startEvent><task id="t" name="Tell"/><endEvent id="d"/><sequenceFlow id="h" sourceRef="c" targetRef="t"/>
<sequenceFlow id="i" sourceRef="t" targetRef="d"/></subProcess></process></definitions>"""
TEMPLATE_REF = """
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: report}
spec: {workflowTemplateRef: {name: report}}
"""
_NODE = {"typeVersion": 1, "position": [0, 0], "parameters": {}}
MERGE = {
    "name": "Merged",
    "nodes": [
        {**_NODE, "id": "1", "name": "Start", "type": "n8n-nodes-base.manualTrigger"},
        {**_NODE, "id": "2", "name": "If", "type": "n8n-nodes-base.if"},
        {**_NODE, "id": "3", "name": "Merge", "type": "n8n-nodes-base.merge"},
    ],
    "connections": {
        "Start": {"main": [[{"node": "If", "type": "main", "index": 0}]]},
        "If": {"main": [[{"node": "Merge", "type": "main", "index": at}] for at in (0, 1)]},
    },
}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(json.dumps(PARALLEL), id="a parallel state whose branches succeed"),
        pytest.param(json.dumps(MAP), id="a map state whose inside succeeds"),
        pytest.param(RAISE, id="an error raised only if"),
        pytest.param(EVENT_SUBPROCESS, id="an event sub-process"),
        pytest.param(TEMPLATE_REF, id="a template of the same name"),
        pytest.param(json.dumps(MERGE), id="a merge behind a choice"),
    ],
)
async def test_what_is_right_in_its_format_is_no_error(client: httpx.AsyncClient, text: str) -> None:
    made = await client.post("/api/v1/workflows/import", json={"text": text})

    analysis = await client.get(f"{made.headers['location']}/analysis")

    assert [one for one in analysis.json()["findings"] if one["severity"] == "error"] == []


SERVICES = """
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    services: ${{ fromJSON(inputs.services) }}
    strategy: ${{ fromJSON(inputs.strategy) }}
    steps: [{run: make}]
"""
ANCHORS = """
on: push
jobs:
  one: {runs-on: ubuntu-latest, steps: [&step {run: make}]}
  two: {runs-on: ubuntu-latest, steps: [&step {run: make check}, *step]}
"""
DANGLING = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="x">
<process id="p" name="P"><task id="a" name="A"/><task id="b" name="B"/>
<sequenceFlow id="f" sourceRef="a" targetRef="b"/><sequenceFlow id="g" sourceRef="b" targetRef="gone"/>
</process></definitions>"""


def _pass(**fields: object) -> str:
    return json.dumps({"StartAt": "A", "States": {"A": {"Type": "Pass", "End": True, **fields}}})


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        pytest.param(_pass(InputPath="$.[0]"), [], id="a point before an index"),
        pytest.param(_pass(Parameters={"a.$": "$.${Field}"}), [], id="a substitution in a path"),
        pytest.param(_pass(QueryLanguage="JSONata", Output="{%10%}"), [], id="jsonata without blanks"),
        pytest.param(ANCHORS, [], id="an anchor defined again"),
        pytest.param(SERVICES, [], id="services by an expression"),
        pytest.param(DANGLING, ["/sequenceFlow/g/targetRef"], id="a connector to nothing"),
    ],
)
async def test_what_can_be_read_is_not_refused(client: httpx.AsyncClient, text: str, lost: list[str]) -> None:
    answer = await client.post("/api/v1/workflows/import", json={"text": text})

    assert answer.status_code == 201
    assert [note["where"] for note in answer.json()["report"]["lost"]] == lost


DRAWN = {
    "id": "wf_drawn",
    "name": "Drawn",
    "steps": [
        {"id": "ask", "name": 'Ask: is it "ok"?', "type": "human", "assignee": "Ann & Bob"},
        {"id": "choose", "name": "Choose", "type": "decision"},
        {"id": "each", "name": "Each", "type": "loop"},
        {"id": "pay", "name": "Pay [at once]", "parent": "each"},
        {"id": "both", "name": "Both", "type": "fork"},
        {"id": "done", "name": "Done", "type": "end"},
        {"id": "bad", "name": "Bad", "type": "end"},
    ],
    "transitions": [
        {"from": "ask", "to": "choose"},
        {"from": "choose", "to": "each", "type": "condition", "when": {"text": "amount > 5"}},
        {"from": "choose", "to": "done", "type": "default"},
        {"from": "each", "to": "both"},
        {"from": "both", "to": "done"},
        {"from": "pay", "to": "bad", "type": "error"},
    ],
}


async def test_what_is_drawn_here_is_read_again(client: httpx.AsyncClient) -> None:
    made = await client.post("/api/v1/workflows", json=DRAWN)
    address = f"/api/v1/workflows/{made.json()['id']}"
    drawn = await client.get(f"{address}/diagram", params={"format": "mermaid"})

    answer = await client.post("/api/v1/workflows/import", json={"text": drawn.json()["diagram"]})

    assert answer.json()["format"] == "mermaid"
    before, after = made.json(), answer.json()["workflow"]
    for part, names in (
        ("steps", ("id", "name", "type", "assignee", "parent")),
        ("transitions", ("from", "to", "type", "when")),
    ):
        assert [[one.get(name) for name in names] for one in after[part]] == [
            [one.get(name) for name in names] for one in before[part]
        ]


async def test_a_dry_run_shows_what_would_be_imported_and_keeps_nothing(client: httpx.AsyncClient) -> None:
    answer = await client.post("/api/v1/workflows/import?dry_run=true", json={"text": json.dumps(ASL)})

    shown = answer.json()
    assert answer.status_code == 200
    assert (shown["format"], len(shown["workflow"]["steps"])) == ("asl", 2)
    assert [one["document"] for one in shown["documents"]] == [1]
    assert (await client.get("/api/v1/workflows")).json()["items"] == []
