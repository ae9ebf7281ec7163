from pathlib import Path
from typing import Any

import pytest

from workflow_agent.workflows.formats import import_workflow, import_workflows
from workflow_agent.workflows.formats.base import UnreadableDocument
from workflow_agent.workflows.formats.dag_factory import DagFactory
from workflow_agent.workflows.formats.text import read_text
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

DAGS = DagFactory()
CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "workflows" / "airflow-dag-factory"
needs_corpus = pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not beside this checkout")
BASH = "airflow.operators.bash.BashOperator"


def bash(command: str, **more: Any) -> dict[str, Any]:
    return {"operator": BASH, "bash_command": command, **more}


def read(tasks: Any, **dag: Any) -> Workflow:
    return DAGS.read({"etl": {"tasks": tasks, **dag}}).workflow


def plain(value: Any) -> dict[str, Any]:
    return value.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def ways(workflow: Workflow) -> list[tuple[str, str, str]]:
    return [(edge.from_, edge.to, edge.type) for edge in workflow.transitions]


def written(workflow: Workflow) -> dict[str, Any]:
    return read_text(DAGS.write(workflow).text)


def test_a_task_calls_its_operator_with_its_own_arguments() -> None:
    task = bash(
        "echo 1",
        retries=2,
        retry_delay={"__type__": "datetime.timedelta", "minutes": 5},
        execution_timeout={"__type__": "datetime.timedelta", "hours": 1},
        doc_md="Says one.",
        pool="small",
        outlets=["s3://one"],
    )

    found = plain(read({"say": task}).steps[0])

    assert (found["name"], found["uses"], found["with"]) == ("say", BASH, {"bash_command": "echo 1"})
    assert found["retry"] == {"interval": "PT5M"}
    assert (found["timeout"], found["description"], found["writes"]) == ("PT1H", "Says one.", ["s3://one"])
    assert found["extensions"]["dag-factory"]["pool"] == "small"


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        pytest.param({"operator": "a.DummyOperator"}, {}, id="nothing to do"),
        pytest.param({"operator": "a.ApprovalOperator", "subject": "t"}, {"type": "human"}, id="a person decides"),
        pytest.param(
            {"operator": "a.TriggerDagRunOperator", "trigger_dag_id": "load"},
            {"type": "subworkflow", "workflow": "load"},
            id="another dag",
        ),
        pytest.param(
            {"operator": "a.TimeDeltaSensor", "delta": {"__type__": "datetime.timedelta", "days": 1, "hours": 1}},
            {"type": "wait", "duration": "PT25H"},
            id="a wait",
        ),
        pytest.param(
            {"operator": "a.ExternalTaskSensor", "external_dag_id": "b", "external_task_id": "c", "timeout": 300},
            {
                "type": "event",
                "event": "b.c",
                "uses": "a.ExternalTaskSensor",
                "timeout": "PT5M",
                "with": {"external_dag_id": "b", "external_task_id": "c"},
            },
            id="waits for another task",
        ),
        pytest.param(
            {"decorator": "airflow.decorators.task", "python_callable": "x.double", "number": 2},
            {"uses": "x.double", "with": {"number": 2}},
            id="a function",
        ),
        pytest.param(
            {"decorator": "airflow.decorators.task", "python_callable_name": "f", "python_callable_file": "f.py"},
            {"uses": "airflow.decorators.task", "with": {"python_callable_name": "f", "python_callable_file": "f.py"}},
            id="a function of a file",
        ),
        pytest.param(
            {"operator": "a.PythonOperator", "expand": {"op_args": [[1], [2]]}},
            {"type": "loop", "uses": "a.PythonOperator", "loop": {"over": {"op_args": [[1], [2]]}, "parallel": 0}},
            id="once for each",
        ),
    ],
)
def test_operators_become_the_steps_they_mean(task: dict[str, Any], expected: dict[str, Any]) -> None:
    found = plain(read({"t": task}).steps[0])

    found.pop("extensions", None)
    assert found == {"id": "t", "name": "t", **expected}


def test_dependencies_are_transitions_and_several_beginnings_a_fork() -> None:
    workflow = read({"a": bash("1"), "b": bash("2"), "c": bash("3", dependencies=["a", "b"])})

    assert ways(workflow) == [
        ("before_c", "c", "sequence"),
        ("a", "before_c", "sequence"),
        ("b", "before_c", "sequence"),
        ("start", "a", "sequence"),
        ("start", "b", "sequence"),
    ]


def test_a_task_given_anothers_output_waits_for_it() -> None:
    workflow = read({"numbers": bash("1"), "double": bash("2", expand={"x": "+numbers"})})

    assert ways(workflow) == [("numbers", "double", "sequence")]
    assert "dependencies" not in written(workflow)["etl"]["tasks"]["double"]


@pytest.mark.parametrize(
    ("rule", "mode", "kind"),
    [
        pytest.param("all_success", "all", "sequence", id="all"),
        pytest.param("one_success", "any", "sequence", id="any"),
        pytest.param("one_failed", "any", "error", id="any failed"),
        pytest.param("all_failed", "all", "error", id="all failed"),
    ],
)
def test_a_trigger_rule_says_how_branches_come_together(rule: str, mode: str, kind: str) -> None:
    workflow = read({"a": bash("1"), "b": bash("2"), "c": bash("3", dependencies=["a", "b"], trigger_rule=rule)})

    join = workflow.step("before_c")
    assert join is not None
    assert (join.join.mode if join.join else "all") == mode
    assert {edge.type for edge in workflow.incoming("before_c")} == {kind}
    assert DAGS.read(written(workflow)).workflow == workflow


def test_a_group_is_a_scope_that_waits_and_is_waited_for() -> None:
    workflow = read(
        [
            {"task_id": "a", **bash("1")},
            {"task_id": "b", **bash("2"), "task_group_name": "g", "dependencies": ["a"]},
            {"task_id": "c", **bash("3"), "dependencies": ["g"]},
        ],
        task_groups=[{"group_name": "g", "tooltip": "In the middle"}],
    )

    group, inside = workflow.step("g"), workflow.step("b")
    assert group is not None
    assert inside is not None
    assert (group.description, inside.parent) == ("In the middle", "g")
    assert ways(workflow) == [("a", "g", "sequence"), ("g", "c", "sequence")]
    again = written(workflow)["etl"]
    assert again["task_groups"] == [{"group_name": "g", "tooltip": "In the middle"}]
    assert again["tasks"][1]["dependencies"] == ["a"]


@pytest.mark.parametrize(
    ("dag", "triggers"),
    [
        pytest.param({"schedule": "0 3 * * *"}, [{"type": "schedule", "cron": "0 3 * * *"}], id="cron"),
        pytest.param({"schedule_interval": "@daily"}, [{"type": "schedule", "cron": "0 0 * * *"}], id="preset"),
        pytest.param(
            {"schedule": "@daily", "timezone": "Europe/Paris"},
            [{"type": "schedule", "cron": "0 0 * * *", "timezone": "Europe/Paris"}],
            id="in a timezone",
        ),
        pytest.param({"schedule": " none "}, [{"type": "manual"}], id="none as a word"),
        pytest.param({}, [{"type": "manual"}], id="none"),
        pytest.param(
            {"schedule": {"__type__": "datetime.timedelta", "hours": 6}},
            [{"type": "schedule", "every": "PT6H"}],
            id="every so often",
        ),
        pytest.param(
            {"schedule": {"__type__": "x.CronTriggerTimetable", "__args__": ["0 1 * * 3"], "timezone": "UTC"}},
            [{"type": "schedule", "cron": "0 1 * * 3", "timezone": "UTC"}],
            id="timetable",
        ),
        pytest.param({"schedule": ["s3://a"]}, [{"type": "event", "event": "s3://a"}], id="data"),
    ],
)
def test_a_schedule_is_a_trigger_and_comes_back_as_it_was(dag: dict[str, Any], triggers: list[dict[str, Any]]) -> None:
    workflow = read({"a": bash("1")}, **dag)

    assert workflow_document(workflow)["triggers"] == triggers
    assert written(workflow) == {"etl": {**dag, "tasks": {"a": bash("1")}}}


SHARED = {
    "default": {
        "default_args": {"retries": 3, "start_date": "2 days"},
        "schedule": "@daily",
        "tasks": [{"task_id": "load", **bash("none")}],
    },
    "one": {"tasks": [{"task_id": "load", "bash_command": "one"}]},
    "two": {"tasks": [{"task_id": "load", "bash_command": "two", "retries": 0}]},
}


def test_each_dag_of_a_file_is_a_workflow_with_what_they_share() -> None:
    one, two = (DAGS.read(part).workflow for part in DAGS.documents(SHARED))

    assert [one.name, two.name] == ["one", "two"]
    assert plain(one.steps[0])["retry"] == {"max_attempts": 4}
    assert two.steps[0].retry is None
    assert plain(two.steps[0])["with"] == {"bash_command": "two"}
    assert plain(one.triggers[0])["cron"] == "0 0 * * *"
    assert written(one)["default"]["default_args"]["retries"] == 3
    assert "retries" not in written(one)["one"]["tasks"][0]


def test_a_file_of_dags_is_imported_whole_and_a_bad_one_is_told() -> None:
    text = """
good: {tasks: {a: {operator: a.BashOperator, bash_command: echo}}}
bad: {tasks: {a: {operator: a.BashOperator, dependencies: [b]}}}
"""

    good, bad = import_workflows(text)

    assert good.imported is not None
    assert (good.imported.workflow.name, bad.imported) == ("good", None)
    assert [(one.pointer, one.message) for one in bad.problems] == [
        ("/bad/tasks", "'a' waits for 'b', which is not there")
    ]


def test_a_file_of_several_is_not_taken_for_one() -> None:
    text = "a: {tasks: {x: {operator: a.B}}}\nb: {tasks: {x: {operator: a.B}}}"

    with pytest.raises(UnreadableDocument, match="has 2 documents; one is read at a time"):
        import_workflow(text)


def test_the_problems_of_several_documents_say_which_is_meant() -> None:
    with pytest.raises(UnreadableDocument) as refused:
        import_workflows("a: 1\n---\nb: 2\n")

    assert [one.pointer for one in refused.value.problems] == ["/0", "/1"]


def test_a_list_of_documents_is_read_as_each_of_them() -> None:
    text = '[{"a": {"tasks": {"x": {"operator": "a.B"}}}}, {"b": {"tasks": {"x": {"operator": "a.B"}}}}]'

    parts = import_workflows(text)

    assert [part.imported.workflow.name for part in parts if part.imported] == ["a", "b"]


@pytest.mark.parametrize(
    ("dag", "told"),
    [
        pytest.param({"description": "x"}, "has no tasks", id="no tasks"),
        pytest.param({"tasks": {"a": bash("1", dependencies=["a"])}}, "waits for itself", id="itself"),
        pytest.param({"tasks": [{"operator": BASH}]}, "needs `task_id`", id="no id"),
        pytest.param({"tasks": [{"task_id": "a"}, {"task_id": "a"}]}, "two tasks or groups named 'a'", id="twice"),
        pytest.param(
            {"tasks": {"a": bash("1", task_group_name="g")}}, "a group 'g', which is not there", id="no group"
        ),
        pytest.param(
            {"default_args": {"start_date": "205-01-01-01"}, "tasks": {"a": bash("1")}},
            "must be a date like",
            id="no date",
        ),
    ],
)
def test_what_dag_factory_refuses_is_refused(dag: dict[str, Any], told: str) -> None:
    with pytest.raises(UnreadableDocument, match=told):
        DAGS.read({"etl": dag})


def test_a_workflow_of_our_own_becomes_tasks_that_airflow_knows() -> None:
    workflow = parse_workflow(
        {
            "id": "wf_x",
            "name": "Pay a bill",
            "triggers": [{"type": "schedule", "cron": "0 9 * * 1"}],
            "steps": [
                {"id": "review", "name": "Review", "type": "human", "assignee": "boss"},
                {"id": "cool", "name": "Cool off", "type": "wait", "duration": "P1D"},
                {"id": "pay", "name": "Pay", "uses": "payments.transfer", "with": {"to": "x"}},
            ],
            "transitions": [{"from": "review", "to": "cool"}, {"from": "cool", "to": "pay"}],
        }
    )

    dag = written(workflow)["pay_a_bill"]

    assert (dag["dag_display_name"], dag["schedule"]) == ("Pay a bill", "0 9 * * 1")
    review, cool, pay = dag["tasks"]
    assert review["operator"].endswith("ApprovalOperator")
    assert cool["delta"] == {"__type__": "datetime.timedelta", "seconds": 86_400}
    assert (pay["python_callable"], pay["to"], pay["dependencies"]) == ("payments.transfer", "x", ["cool"])


def test_an_edited_import_writes_the_edit_and_leaves_the_rest() -> None:
    workflow = read({"a": bash("1", pool="p"), "b": bash("2", dependencies=["a"])})
    changed = [workflow.steps[0].model_copy(update={"with_": {"bash_command": "one"}}), workflow.steps[1]]

    dag = written(workflow.model_copy(update={"steps": tuple(changed)}))["etl"]

    assert dag["tasks"] == {"a": bash("one", pool="p"), "b": bash("2", dependencies=["a"])}


@needs_corpus
def test_the_dags_of_the_corpus_come_back_as_they_were() -> None:
    read_back, as_it_was = 0, 0
    for path in sorted(CORPUS.glob("**/*.y*ml")):
        if path.name in ("invalid.yaml", "invalid_yaml.yml", "invalid_dag_factory.yml"):
            continue
        document = read_text(path.read_text(encoding="utf-8"))
        for part in DAGS.documents(document) if DAGS.recognises(document) else ():
            if "example_dag4" in part and "tasks" not in part["example_dag4"]:
                continue
            workflow = DAGS.read(part).workflow
            exported = DAGS.write(workflow)

            assert exported.report.lost == [], path
            assert DAGS.read(read_text(exported.text)).workflow == workflow, path
            read_back += 1
            as_it_was += read_text(exported.text) == part

    # Tasks that `default` has are written into each DAG.
    assert (read_back, as_it_was) == (83, 77)
