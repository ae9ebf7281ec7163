from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings

from tests.support.workflows import workflows
from workflow_agent.workflows.formats import detect_format
from workflow_agent.workflows.formats.arazzo import Arazzo
from workflow_agent.workflows.formats.base import UnreadableDocument
from workflow_agent.workflows.formats.text import read_text
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

ARAZZO = Arazzo()
CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "workflows" / "arazzo"
needs_corpus = pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not beside this checkout")


def document(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "arazzo": "1.0.1",
        "info": {"title": "Pets", "version": "2.0.0"},
        "sourceDescriptions": [{"name": "pets", "url": "pets.yaml", "type": "openapi"}],
        "workflows": [{"workflowId": "buy", "steps": list(steps)}],
        **more,
    }


def step(step_id: str, **fields: Any) -> dict[str, Any]:
    return {"stepId": step_id, "operationId": f"do_{step_id}", **fields}


def plain(value: Any) -> dict[str, Any]:
    return value.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def ways(workflow: Workflow) -> list[tuple[str, str, str]]:
    return [(edge.from_, edge.to, edge.type) for edge in workflow.transitions]


def test_a_step_calls_an_operation_with_what_it_is_given() -> None:
    retry = {"name": "again", "type": "retry", "retryAfter": 5, "retryLimit": 2}
    given_step = step("find", parameters=[{"name": "a", "in": "query", "value": 1}], outputs={"id": "$response.body"})

    found = plain(ARAZZO.read(document({**given_step, "onFailure": [retry]})).workflow.steps[0])

    assert (found["name"], found["uses"], found["writes"]) == ("find", "do_find", ["id"])
    assert found["with"] == {"parameters": given_step["parameters"]}
    assert found["retry"] == {"interval": "PT5S"}


def test_a_step_that_runs_a_workflow_is_a_subworkflow() -> None:
    found = ARAZZO.read(document({"stepId": "a", "workflowId": "$sourceDescriptions.x.buy"})).workflow.steps[0]

    assert (found.type, found.workflow, found.uses) == ("subworkflow", "$sourceDescriptions.x.buy", None)


GOTO = {"name": "g", "type": "goto", "stepId": "c"}
TEST = [{"condition": "$statusCode == 200"}]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({}, [("a", "b", "sequence")], id="on to the next"),
        pytest.param({"onSuccess": [GOTO]}, [("a", "c", "sequence")], id="elsewhere"),
        pytest.param(
            {"onSuccess": [{**GOTO, "criteria": TEST}]},
            [("a", "c", "condition"), ("a", "b", "sequence")],
            id="elsewhere if",
        ),
        pytest.param({"onSuccess": [{"name": "e", "type": "end"}]}, [], id="end"),
        pytest.param({"onFailure": [GOTO]}, [("a", "b", "sequence"), ("a", "c", "error")], id="on failure"),
        pytest.param({"onSuccess": [{"reference": "$components.x"}]}, [("a", "b", "sequence")], id="reference"),
        pytest.param({"onSuccess": [{**GOTO, "stepId": "z"}]}, [], id="to a step that is not there"),
    ],
)
def test_actions_say_where_a_step_leads(fields: dict[str, Any], expected: list[Any]) -> None:
    read = document(step("a", **fields), step("b"), step("c"))
    workflow = ARAZZO.read(read).workflow

    found = [way for way in ways(workflow) if way[0] == "a"]

    assert found == expected
    assert read_text(ARAZZO.write(workflow).text) == read


def test_several_workflows_are_scopes_that_depend_on_each_other() -> None:
    read = document()
    read["workflows"] = [
        {"workflowId": "first", "description": "One", "steps": [step("a")]},
        {"workflowId": "second", "dependsOn": ["first"], "steps": [step("a"), step("b")]},
    ]

    workflow = ARAZZO.read(read).workflow

    assert [(one.id, one.parent) for one in workflow.steps] == [
        ("first", None),
        ("a", "first"),
        ("second", None),
        ("a_2", "second"),
        ("b", "second"),
    ]
    assert ways(workflow) == [("a_2", "b", "sequence"), ("first", "second", "sequence")]
    assert read_text(ARAZZO.write(workflow).text) == read


def test_an_edit_changes_what_it_names_and_keeps_the_rest() -> None:
    read = document(step("a", outputs={"x": "$response.body"}), step("b"), components={"inputs": {}})
    changed = workflow_document(ARAZZO.read(read).workflow)
    changed |= {"name": "Cats", "transitions": []}
    changed["steps"][0] |= {"uses": "other", "description": "New"}

    written = read_text(ARAZZO.write(parse_workflow(changed)).text)
    first = written["workflows"][0]["steps"][0]

    assert written["info"] == {"title": "Cats", "version": "2.0.0"}
    assert written["components"] == {"inputs": {}}
    assert (first["operationId"], first["outputs"]) == ("other", {"x": "$response.body"})
    assert first["onSuccess"] == [{"name": "end", "type": "end"}]


def test_what_arazzo_cannot_say_is_in_a_specification_extension() -> None:
    workflow = parse_workflow(
        {
            "id": "wf_expenses",
            "name": "Expenses",
            "tags": ["finance"],
            "triggers": [{"type": "manual"}],
            "steps": [
                {"id": "submit", "name": "Submit it", "type": "human", "assignee": "employee"},
                {"id": "pay", "name": "pay", "uses": "payments", "with": {"any": 1}, "timeout": "PT1M"},
                {"id": "done", "name": "done", "type": "end", "outcome": "ok"},
            ],
            "transitions": [
                {"from": "submit", "to": "pay", "type": "condition", "when": {"text": "all is there"}},
                {"from": "pay", "to": "done", "label": "paid"},
                {"from": "pay", "to": "submit", "type": "error", "errors": ["Declined"]},
            ],
        }
    )

    exported = ARAZZO.write(workflow)
    again = ARAZZO.read(read_text(exported.text)).workflow

    assert exported.report.lost == []
    assert (again.steps, again.transitions, again.triggers) == (workflow.steps, workflow.transitions, workflow.triggers)


@pytest.mark.parametrize("spoiled", [1, {"type": "nonsense"}, {"name": 5}, {"id": "x"}])
def test_an_extension_that_somebody_spoiled_is_not_believed(spoiled: Any) -> None:
    workflow = ARAZZO.read(document({**step("a"), "x-workflow-agent": spoiled})).workflow

    assert (workflow.steps[0].name, workflow.steps[0].type) == ("a", "action")
    assert ARAZZO.read(read_text(ARAZZO.write(workflow).text)).workflow == workflow


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        pytest.param(document(), "/workflows/0/steps: must have at least 1", id="no steps"),
        pytest.param(document(step("a"), step("a")), "/workflows/0/steps/1/stepId: 'a' is the id", id="step twice"),
        pytest.param(document(step("a"), arazzo="2.0"), "/arazzo: must be a version", id="version"),
        pytest.param(
            document(workflows=[{"workflowId": "a", "steps": [step("a")]}] * 2), "/workflows/1/workflowId", id="twice"
        ),
        pytest.param(document(step("a", onSuccess={})), "/workflows/0/steps/0/onSuccess: must be a list", id="actions"),
    ],
)
def test_what_arazzo_has_not_is_refused_with_its_place(broken: Any, told: str) -> None:
    with pytest.raises(UnreadableDocument, match=told):
        ARAZZO.read(broken)


@needs_corpus
def test_corpus_descriptions_come_back_verbatim() -> None:
    files = [*CORPUS.glob("1.0.0/*.arazzo.yaml"), *CORPUS.glob("1.0.0/*-arazzo.yaml")]

    for file in files:
        read = read_text(file.read_text(encoding="utf-8"))
        workflow = ARAZZO.read(read).workflow
        exported = ARAZZO.write(workflow)

        assert detect_format(read).name == "arazzo", file.name
        assert exported.report.lost == [], file.name
        assert read_text(exported.text) == read, file.name

    assert len(files) > 4


@needs_corpus
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(workflow=workflows())
def test_every_export_is_valid_by_the_schema(workflow: Workflow) -> None:
    schema = read_text((CORPUS / "schema" / "schema.json").read_text(encoding="utf-8"))

    exported = read_text(ARAZZO.write(workflow).text)

    jsonschema_rs.Draft202012Validator(schema).validate(exported)
