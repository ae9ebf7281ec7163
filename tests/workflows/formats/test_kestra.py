"""Kestra: flows are read with their branches, loops and errors, come back as they were, and are changed in place."""

from pathlib import Path
from typing import Any

import pytest

from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.formats import detect_format
from workflow_agent.workflows.formats.base import UnreadableDocument
from workflow_agent.workflows.formats.kestra import Kestra
from workflow_agent.workflows.formats.text import read_text
from workflow_agent.workflows.model.workflow import Workflow

SAMPLES = sorted((Path(__file__).parents[3] / "benchmarks" / "data" / "formats" / "kestra").glob("*.yaml"))
KESTRA = Kestra()
CORE = "io.kestra.plugin.core."


def log(task_id: str, **more: Any) -> dict[str, Any]:
    return {"id": task_id, "type": f"{CORE}log.Log", "message": f"from {task_id}", **more}


def flow(*tasks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "orders", "namespace": "shop.sales", "tasks": [*tasks], **more}


def steering(kind: str, task_id: str, **more: Any) -> dict[str, Any]:
    return {"id": task_id, "type": f"{CORE}flow.{kind}", **more}


def read(document: Any) -> Workflow:
    return KESTRA.read(document).workflow


def links(workflow: Workflow) -> list[tuple[str, str, str]]:
    return [(edge.from_, edge.type, edge.to) for edge in workflow.transitions]


def written(workflow: Workflow) -> Any:
    return read_text(KESTRA.write(workflow).text)


def edited(document: Any, *edits: dict[str, Any]) -> Any:
    return written(apply_edits(read(document), parse_edits([*edits])).workflow)


@pytest.mark.parametrize("path", [pytest.param(one, id=one.stem) for one in SAMPLES])
def test_a_flow_comes_back_as_it_was(path: Path) -> None:
    document = read_text(path.read_text("utf-8"))
    workflow = read(document)

    exported = KESTRA.write(workflow)

    assert detect_format(document).name == "kestra"
    assert (read_text(exported.text), exported.report.lost) == (document, [])


IF = steering("If", "big", condition="{{ inputs.amount > 1000 }}", then=[log("ask")])


def test_branches_come_together_at_the_next_task() -> None:
    workflow = read(flow({**IF, "else": [log("skip")]}, log("pay")))

    assert links(workflow) == [
        ("big", "condition", "ask"),
        ("big", "default", "skip"),
        ("ask", "sequence", "pay"),
        ("skip", "sequence", "pay"),
    ]
    assert workflow.transitions[0].when is not None
    assert workflow.transitions[0].when.expression == "{{ inputs.amount > 1000 }}"


def test_errors_of_a_flow_are_led_to_from_each_of_its_tasks() -> None:
    workflow = read(flow(log("a"), log("b"), errors=[log("alert")]))

    assert links(workflow) == [("a", "sequence", "b"), ("a", "error", "alert"), ("b", "error", "alert")]


@pytest.mark.parametrize(
    ("task", "fields"),
    [
        pytest.param(log("a", timeout="PT5M"), {"timeout": "PT5M"}, id="timeout"),
        pytest.param(log("a", allowFailure=True), {"on_error": "continue"}, id="failure allowed"),
        pytest.param(
            log("a", retry={"type": "exponential", "interval": "PT1S", "maxAttempts": 4}),
            {"retry": {"max_attempts": 4, "interval": "PT1S", "backoff": "exponential"}},
            id="retry",
        ),
        pytest.param(log("a", runIf="{{ x }}"), {"when": {"expression": "{{ x }}", "language": "pebble"}}, id="runIf"),
        pytest.param(steering("Pause", "a"), {"type": "human"}, id="a pause until somebody goes on"),
        pytest.param(steering("Pause", "a", delay="PT1H"), {"type": "wait", "duration": "PT1H"}, id="a pause"),
        pytest.param(
            steering("Subflow", "a", namespace="n", flowId="sub", inputs={"x": 1}),
            {"type": "subworkflow", "workflow": "sub", "with": {"x": 1}},
            id="subflow",
        ),
        pytest.param(
            steering("ForEach", "a", values=[1, 2], concurrencyLimit=0, tasks=[log("b")]),
            {"type": "loop", "loop": {"over": [1, 2], "parallel": 0}},
            id="for each",
        ),
        pytest.param(
            {"id": "a", "type": f"{CORE}execution.Fail"}, {"type": "end", "outcome": "failed"}, id="an end that fails"
        ),
    ],
)
def test_a_task_becomes_a_step_and_comes_back(task: dict[str, Any], fields: dict[str, Any]) -> None:
    document = flow(log("first"), task)

    workflow = read(document)

    step = workflow.step("a")
    assert step is not None
    assert step.model_dump(mode="json", by_alias=True, exclude_defaults=True).items() >= fields.items()
    assert written(workflow) == document


def test_a_name_stands_in_the_first_line_of_a_description() -> None:
    workflow = read(flow(log("check_stock", description="Check stock\n\nIn all shops.")))

    assert (workflow.steps[0].name, workflow.steps[0].description) == ("Check stock", "In all shops.")


def test_a_step_that_is_added_is_one_more_task_and_nothing_else_changes() -> None:
    document = flow({**IF, "else": [log("skip")]}, log("pay", level="WARN"), variables={"a": 1})
    new = {"op": "insert_step", "step": {"name": "Book it", "uses": f"{CORE}http.Request"}, "between": ["ask", "pay"]}

    told = edited(document, new)

    added = {"id": "book_it", "type": f"{CORE}http.Request", "description": "Book it"}
    assert told == flow(
        {**IF, "then": [log("ask"), added], "else": [log("skip")]}, *document["tasks"][1:], variables={"a": 1}
    )


def test_a_dag_says_what_each_task_waits_for() -> None:
    tasks = [{"task": log("a")}, {"task": log("b"), "dependsOn": ["a"]}, {"task": log("c"), "dependsOn": ["a", "b"]}]
    document = flow(steering("Dag", "all", tasks=tasks))

    workflow = read(document)

    assert links(workflow) == [("a", "sequence", "b"), ("a", "sequence", "c"), ("b", "sequence", "c")]
    assert written(workflow) == document


@pytest.mark.parametrize(
    ("document", "pointer", "told"),
    [
        pytest.param(flow(), "/tasks", "at least 1", id="no tasks"),
        pytest.param(flow({"id": "a"}), "/tasks/0", "needs `type`", id="no type"),
        pytest.param(flow(log("a"), log("a")), "/tasks/1/id", "another task 'a'", id="an id twice"),
        pytest.param(flow(steering("If", "a", then=[])), "/tasks/0", "needs `condition`", id="If without condition"),
        pytest.param(
            flow(steering("Dag", "d", tasks=[{"task": log("a"), "dependsOn": ["b"]}])),
            "/tasks/0/tasks/0/dependsOn/0",
            "there is no task 'b'",
            id="Dag that waits for nothing",
        ),
        pytest.param(
            flow(steering("Parallel", "p", tasks=[log("bad id")])), "/tasks/0/tasks/0/id", "must be letters", id="id"
        ),
    ],
)
def test_what_kestra_does_not_allow_is_refused_with_its_place(document: Any, pointer: str, told: str) -> None:
    with pytest.raises(UnreadableDocument, match=told) as refused:
        read(document)

    assert pointer in [one.pointer for one in refused.value.problems]
