"""The published JSON Schemas: current, true of the samples, and as strict as the parser about shape."""

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings

from tests.support.workflows import workflows
from workflow_agent.cli.reference import conversation_schema, schema_files, workflow_schema
from workflow_agent.errors import InvalidWorkflow
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "docs" / "schemas"
SAMPLES = sorted((ROOT / "data" / "samples").glob("*.json"))
COMMAND = "workflow-agent schemas docs/schemas"
WORKFLOW = jsonschema_rs.validator_for(workflow_schema())


@pytest.mark.parametrize("name", sorted(schema_files()))
def test_published_schema_is_made_from_the_models(name: str) -> None:
    if not PUBLISHED.parent.exists():
        pytest.skip("the documentation is not part of this installation")
    published = PUBLISHED / name

    assert published.exists(), f"run: {COMMAND}"
    assert published.read_text(encoding="utf-8") == schema_files()[name], f"the models changed; run: {COMMAND}"


def test_schemas_are_schemas() -> None:
    for schema in (workflow_schema(), conversation_schema()):
        jsonschema_rs.meta.validate(schema)


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in SAMPLES])
def test_sample_is_valid_by_the_schema(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))

    assert [error.message for error in WORKFLOW.iter_errors(document)] == []


@settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(workflow=workflows())
def test_every_stored_workflow_is_valid_by_the_schema(workflow: Workflow) -> None:
    assert [error.message for error in WORKFLOW.iter_errors(workflow_document(workflow))] == []


def test_what_reading_completes_may_be_left_out() -> None:
    document = {"id": "wf_x", "name": "X", "steps": [step("a"), step("b")], "transitions": [edge("a", "b")]}

    assert parse_workflow(document).start == "a"
    assert WORKFLOW.is_valid(document)


def step(step_id: str, **more: Any) -> dict[str, Any]:
    return {"id": step_id, "name": step_id.upper(), **more}


def edge(source: str, target: str, **more: Any) -> dict[str, Any]:
    return {"from": source, "to": target, **more}


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        pytest.param(("id",), "x", id="workflow id"),
        pytest.param(("name",), "   ", id="blank name"),
        pytest.param(("name",), "x" * 201, id="long name"),
        pytest.param(("colour",), "red", id="unknown field"),
        pytest.param(("version",), 0, id="version nought"),
        pytest.param(("steps",), [], id="no steps"),
        pytest.param(("steps", 0, "type"), "task", id="unknown step type"),
        pytest.param(("steps", 0, "id"), "Not An Id", id="step id"),
        pytest.param(("steps", 0, "timeout"), "2 days", id="no duration"),
        pytest.param(("steps", 0, "timeout"), "PT", id="duration without an amount"),
        pytest.param(("steps", 0, "retry"), {"max_attempts": 0}, id="no attempts"),
        pytest.param(("steps", 0, "when"), {}, id="condition that says nothing"),
        pytest.param(("steps", 0, "when"), {"text": None}, id="condition of nothing"),
        pytest.param(("steps", 0, "join"), {"mode": "most"}, id="unknown join"),
        pytest.param(("steps", 0, "form"), {"fields": [{"type": "string"}]}, id="field without a key"),
        pytest.param(("transitions", 0, "type"), "jump", id="unknown transition type"),
        pytest.param(("transitions", 0, "from"), None, id="from nowhere"),
        pytest.param(("triggers",), [{"type": "alarm"}], id="unknown trigger"),
        pytest.param(("triggers",), [{"type": "schedule"}], id="schedule without a time"),
        pytest.param(("triggers",), [{"type": "schedule", "cron": "* * * * *", "every": "P1D"}], id="two times"),
        pytest.param(("triggers",), [{"type": "schedule", "cron": "daily"}], id="no cron"),
        pytest.param(("triggers",), [{"type": "event"}], id="event without a name"),
        pytest.param(("automations",), [{"id": "a", "on": {"event": "slept"}}], id="unknown event"),
    ],
)
def test_what_the_parser_refuses_for_its_shape_the_schema_refuses(place: tuple[str | int, ...], wrong: Any) -> None:
    good: dict[str, Any] = {
        "id": "wf_x",
        "name": "X",
        "steps": [step("a"), step("b")],
        "transitions": [edge("a", "b", id="ab")],
    }
    document = copy.deepcopy(good)
    here: Any = document
    for part in place[:-1]:
        here = here[part]
    here[place[-1]] = wrong

    assert WORKFLOW.is_valid(good)
    with pytest.raises(InvalidWorkflow):
        parse_workflow(document)
    assert not WORKFLOW.is_valid(document)


def test_a_conversation_file_needs_its_identity() -> None:
    validator = jsonschema_rs.validator_for(conversation_schema())

    missing = {error.message for error in validator.iter_errors({})}

    assert any('"tenant"' in message for message in missing)
    assert any('"created_at"' in message for message in missing)
