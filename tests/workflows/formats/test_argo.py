import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings

from tests.support.workflows import workflows
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.formats.argo import ArgoWorkflows
from workflow_agent.workflows.formats.base import UnreadableDocument
from workflow_agent.workflows.formats.text import read_text
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "workflows" / "argo"
needs_corpus = pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not beside this checkout")

ECHO = {
    "name": "echo",
    "inputs": {"parameters": [{"name": "text"}]},
    "container": {"image": "busybox", "command": ["echo"]},
}
GATE = {"name": "gate", "suspend": {}}
RETRIED = {
    "name": "flaky",
    "timeout": "90s",
    "retryStrategy": {"limit": "4", "backoff": {"duration": "2", "factor": 3, "cap": "1m"}, "expression": "x"},
    "script": {"image": "python", "command": ["python"], "source": "print(1)"},
}


def document(*templates: dict[str, Any], kind: str = "Workflow", **spec: Any) -> dict[str, Any]:
    about = {"generateName": "order-", "annotations": {"workflows.argoproj.io/description": "Ships it."}}
    inner = {"entrypoint": "main", **spec, "templates": list(templates)}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": kind, "metadata": about, "spec": inner}


def dag(*tasks: dict[str, Any], name: str = "main", **more: Any) -> dict[str, Any]:
    return {"name": name, **more, "dag": {"tasks": [{"template": "echo", **task} for task in tasks]}}


def steps(*groups: list[str], name: str = "main") -> dict[str, Any]:
    return {"name": name, "steps": [[{"name": one, "template": "echo"} for one in group] for group in groups]}


def read(whole: Any) -> Workflow:
    return ArgoWorkflows().read(whole).workflow


def written(workflow: Workflow) -> dict[str, Any]:
    return read_text(ArgoWorkflows().write(workflow).text)


def edited(workflow: Workflow, *edits: dict[str, Any]) -> Workflow:
    return apply_edits(workflow, parse_edits(list(edits))).workflow


def flow(workflow: Workflow) -> list[tuple[str, str, str]]:
    return [(edge.from_, edge.type, edge.to) for edge in workflow.transitions]


def test_tasks_wait_for_what_they_depend_on() -> None:
    whole = document(
        dag(
            {"name": "a"},
            {"name": "b", "dependencies": ["a"]},
            {"name": "c", "depends": "a.Failed"},
            {"name": "d", "depends": "b && (c.Succeeded || c.Failed)"},
            {"name": "e", "depends": "b || c"},
        ),
        ECHO,
    )

    workflow = read(whole)

    assert flow(workflow) == [
        ("a", "sequence", "b"),
        ("a", "error", "c"),
        ("before_d", "sequence", "d"),
        ("b", "sequence", "before_d"),
        ("c", "sequence", "before_d"),
        ("before_e", "sequence", "e"),
        ("b", "sequence", "before_e"),
        ("c", "sequence", "before_e"),
    ]
    joins = [step.join.mode if step.join else "all" for step in workflow.steps if step.type == "join"]
    assert joins == ["all", "any"]
    assert written(workflow) == whole


def test_groups_of_steps_follow_one_another() -> None:
    whole = document(steps(["a", "b"], [], ["c", "d"], ["e"]), ECHO)

    workflow = read(whole)

    assert workflow.start == "start"
    assert {(source, target) for source, _, target in flow(workflow)} == {
        ("start", "a"),
        ("start", "b"),
        ("a", "before_c"),
        ("b", "before_c"),
        ("before_c", "c"),
        ("before_c", "d"),
        ("c", "before_e"),
        ("d", "before_e"),
        ("before_e", "e"),
    }
    assert written(workflow) == whole


@pytest.mark.parametrize(
    ("template", "fields"),
    [
        pytest.param(ECHO, {"uses": "busybox", "with": {"command": ["echo"]}}, id="container"),
        pytest.param(
            RETRIED,
            {
                "uses": "python",
                "with": {"command": ["python"], "source": "print(1)"},
                "retry": {
                    "max_attempts": 5,
                    "interval": "PT2S",
                    "max_interval": "PT1M",
                    "backoff": "exponential",
                    "factor": 3.0,
                },
                "timeout": "PT1M30S",
            },
            id="script",
        ),
        pytest.param(GATE, {"type": "human"}, id="suspend until resumed"),
        pytest.param({"name": "x", "suspend": {"duration": "1h"}}, {"type": "wait", "duration": "PT1H"}, id="suspend"),
        pytest.param({"name": "x", "suspend": None}, {"type": "human"}, id="suspend with nothing"),
        pytest.param({"name": "x", "http": {"url": "u"}}, {"uses": "http", "with": {"url": "u"}}, id="http"),
        pytest.param(
            {"name": "x", "resource": {"action": "create", "manifest": "m"}},
            {"uses": "kubernetes.create", "with": {"manifest": "m"}},
            id="resource",
        ),
        pytest.param({"name": "x", "plugin": {"a": {}}}, {"uses": "plugin"}, id="plugin"),
        pytest.param({"name": "x", "dag": {"tasks": []}}, {}, id="empty dag"),
        pytest.param(
            {"name": "x", "activeDeadlineSeconds": 60, "retryStrategy": {}, "containerSet": {"containers": []}},
            {"uses": "containerSet", "timeout": "PT1M", "retry": {"max_attempts": 1_000_000}},
            id="deadline and endless retry",
        ),
    ],
)
def test_a_template_says_what_a_step_does(template: dict[str, Any], fields: dict[str, Any]) -> None:
    whole = document({"name": "main", "steps": [[{"name": "a", "template": template["name"]}]]}, template)

    workflow = read(whole)

    said = workflow.steps[0].model_dump(mode="json", by_alias=True, exclude_defaults=True)
    assert {key: said[key] for key in said if key not in ("id", "name", "extensions")} == fields
    assert written(workflow) == whole


@pytest.mark.parametrize(
    ("task", "fields"),
    [
        pytest.param({"when": "{{x}} == 1"}, {"when": {"expression": "{{x}} == 1", "language": "argo"}}, id="when"),
        pytest.param({"withItems": [1, 2]}, {"type": "loop", "loop": {"over": [1, 2], "parallel": 0}}, id="items"),
        pytest.param({"withParam": "{{x}}"}, {"type": "loop", "loop": {"over": "{{x}}", "parallel": 0}}, id="param"),
        pytest.param(
            {"withSequence": {"count": 3}},
            {"type": "loop", "loop": {"over": {"sequence": {"count": 3}}, "parallel": 0}},
            id="sequence",
        ),
        pytest.param({"continueOn": {"error": True}}, {"on_error": "continue"}, id="goes on"),
        pytest.param(
            {"arguments": {"parameters": [{"name": "text", "value": "hi"}, {"name": "other"}]}},
            {"with": {"command": ["echo"], "parameters": {"text": "hi"}}},
            id="arguments",
        ),
    ],
)
def test_a_task_says_when_and_how_often(task: dict[str, Any], fields: dict[str, Any]) -> None:
    whole = document(dag({"name": "a", **task}), ECHO)

    workflow = read(whole)

    said = workflow.steps[0].model_dump(mode="json", by_alias=True, exclude_defaults=True)
    wanted = {"uses": "busybox", "with": {"command": ["echo"]}, **fields}
    assert {key: said[key] for key in said if key not in ("id", "name", "extensions")} == wanted
    assert written(workflow) == whole


def test_a_template_with_tasks_is_a_scope_where_it_is_called_first() -> None:
    call = {"name": "again", "template": "inner", "dependencies": ["first"]}
    whole = document(
        {"name": "main", "dag": {"failFast": False, "tasks": [{"name": "first", "template": "inner"}, call]}},
        dag({"name": "x"}, {"name": "loop", "template": "main"}, name="inner", parallelism=2),
        ECHO,
    )

    workflow = read(whole)

    assert [(step.id, step.parent, step.uses) for step in workflow.steps] == [
        ("first", None, None),
        ("x", "first", "busybox"),
        ("loop", "first", "main"),
        ("again", None, "inner"),
    ]
    assert written(workflow) == whole


def test_templates_elsewhere_and_inside_a_task_are_called_as_such() -> None:
    whole = document(
        {
            "name": "main",
            "steps": [
                [{"name": "a", "templateRef": {"name": "lib", "template": "t"}}],
                [{"name": "b", "inline": {"container": {"image": "alpine"}}}],
                [{"name": "c", "inline": {"dag": {"tasks": [{"name": "d", "template": "echo"}]}}}],
            ],
        },
        ECHO,
    )

    workflow = read(whole)

    assert [(step.id, step.parent, step.uses) for step in workflow.steps] == [
        ("a", None, "lib/t"),
        ("b", None, "alpine"),
        ("c", None, None),
        ("d", "c", "busybox"),
    ]
    assert written(workflow) == whole


def test_the_end_of_a_workflow_is_handled_by_an_automation() -> None:
    whole = document(dag({"name": "a"}), ECHO, onExit="echo")

    (automation,) = read(whole).automations

    assert (automation.on.event, automation.effect.with_) == ("completed", {"template": "echo"})
    assert written(read(whole)) == whole
    removed = edited(read(whole), {"op": "set_automation", "id": "on_exit", "automation": None})
    assert "onExit" not in written(removed)["spec"]


def test_a_cron_workflow_starts_by_the_clock() -> None:
    whole = document(dag({"name": "a"}), ECHO, kind="CronWorkflow")
    cron = {"schedules": ["0 5 * * *", "@daily"], "timezone": "Europe/Berlin", "concurrencyPolicy": "Forbid"}
    whole["spec"] = {**cron, "workflowSpec": whole["spec"]}

    workflow = read(whole)

    assert [one.model_dump(exclude_defaults=True) for one in workflow.triggers] == [
        {"type": "schedule", "cron": "0 5 * * *", "timezone": "Europe/Berlin"}
    ]
    assert written(workflow) == whole
    by_hand = written(edited(workflow, {"op": "remove_trigger", "index": 0}))
    assert (by_hand["kind"], by_hand["spec"]) == ("Workflow", whole["spec"]["workflowSpec"])


def test_an_event_binding_runs_the_workflow_it_names() -> None:
    whole = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "WorkflowEventBinding",
        "metadata": {"name": "on-push"},
        "spec": {"event": {"selector": "a ==\n 1"}, "submit": {"workflowTemplateRef": {"name": "build"}}},
    }

    workflow = read(whole)

    assert [(step.type, step.workflow) for step in workflow.steps] == [("subworkflow", "build")]
    assert [one.event for one in workflow.triggers if one.type == "event"] == ["a == 1"]
    assert written(workflow) == whole
    other = edited(workflow, {"op": "update_step", "step": "build", "set": {"workflow": "test"}})
    assert written(other)["spec"]["workflowTemplateRef"] == {"name": "test"}


@pytest.mark.parametrize("entry", [{}, {"entrypoint": "x"}])
def test_a_workflow_may_run_a_template_told_elsewhere(entry: dict[str, Any]) -> None:
    whole = document()
    whole["spec"] = {**entry, "workflowTemplateRef": {"name": "build", "clusterScope": True}, "arguments": {}}

    assert [step.workflow for step in read(whole).steps] == ["build"]
    assert written(read(whole)) == whole


@pytest.mark.parametrize(
    "templates",
    [[ECHO, dag({"name": "a"}), GATE], [ECHO], [ECHO, dag({"name": "a"})], [dag({"name": "a", "template": "main"})]],
)
def test_a_library_of_templates_is_a_choice_between_them(templates: list[dict[str, Any]]) -> None:
    whole = document(*templates, kind="WorkflowTemplate")
    del whole["spec"]["entrypoint"]

    assert written(read(whole)) == whole


def test_only_what_was_changed_is_written_anew() -> None:
    tasks = ({"name": "a"}, {"name": "b", "dependencies": ["a"]}, {"name": "c", "depends": "a && b"})
    whole = document(dag(*tasks), ECHO, RETRIED, arguments={"parameters": [{"name": "x", "value": "1"}]})
    changed = edited(
        read(whole),
        {"op": "set_timeout", "step": "b", "timeout": "PT5M"},
        {"op": "disconnect", "from": "a", "to": "before_c"},
        {"op": "set_description", "description": "New."},
    )

    after = written(changed)["spec"]

    assert after["arguments"] == whole["spec"]["arguments"]
    assert after["templates"][0]["dag"]["tasks"] == [
        {"name": "a", "template": "echo"},
        {"name": "b", "template": "b", "dependencies": ["a"]},
        {"name": "c", "template": "echo", "depends": "b"},
    ]
    assert after["templates"][1:3] == [ECHO, RETRIED]
    assert after["templates"][3] == {
        "name": "b",
        "timeout": "5m",
        "container": {"image": "busybox", "command": ["echo"]},
    }


def test_groups_that_no_longer_follow_one_another_become_a_dag() -> None:
    changed = edited(
        read(document(steps(["a"], ["b"], ["c"]), ECHO)),
        {"op": "connect", "from": "a", "to": "c"},
        {"op": "disconnect", "from": "b", "to": "c"},
    )

    assert written(changed)["spec"]["templates"][0] == dag(
        {"name": "a"}, {"name": "b", "depends": "a"}, {"name": "c", "depends": "a"}
    )


def test_steps_of_our_own_are_written_in_the_terms_of_argo() -> None:
    workflow = parse_workflow(
        {
            "id": "wf_x",
            "name": "Leave",
            "triggers": [{"type": "schedule", "cron": "0 9 * * 1"}],
            "steps": [
                {"id": "ask", "name": "Ask the boss", "type": "human"},
                {"id": "which", "name": "Which?", "type": "decision"},
                {
                    "id": "book",
                    "name": "book",
                    "uses": "hr/book:1",
                    "with": {"parameters": {"days": 3}},
                    "retry": {"max_attempts": 2, "interval": "PT1M"},
                },
                {
                    "id": "tell",
                    "name": "tell",
                    "uses": "http",
                    "with": {"url": "u", "method": "POST"},
                    "when": {"text": "asked for"},
                },
                {"id": "pause", "name": "pause", "type": "wait", "duration": "PT1H30M"},
                {
                    "id": "make",
                    "name": "make",
                    "uses": "kubernetes.apply",
                    "with": {"manifest": "m"},
                    "on_error": "continue",
                },
                {"id": "run", "name": "run", "uses": "python", "with": {"source": "x", "args": ["a"]}},
                {"id": "each", "name": "each", "type": "loop"},
                {"id": "inner", "name": "inner", "parent": "each"},
            ],
            "transitions": [
                {"from": "ask", "to": "which"},
                {"from": "which", "to": "book", "type": "condition", "when": {"text": "is fine"}},
                {"from": "which", "to": "tell", "type": "default"},
                {"from": "book", "to": "make", "type": "error"},
                {"from": "tell", "to": "pause"},
                {"from": "pause", "to": "run"},
                {"from": "book", "to": "run"},
                {"from": "run", "to": "each"},
            ],
        }
    )

    after = written(workflow)

    assert after["kind"] == "CronWorkflow"
    main, *templates = after["spec"]["workflowSpec"]["templates"]
    tasks = {task["name"]: task for task in main["dag"]["tasks"]}
    assert tasks["book"]["when"] == "({{workflow.parameters.is_fine}} == true)"
    assert tasks["book"]["depends"] == "ask-the-boss"
    assert tasks["tell"]["when"].startswith("(!(({{workflow.parameters.is_fine}}")
    assert tasks["make"]["depends"] == "book.Failed"
    assert tasks["run"]["depends"] == "pause || book"
    assert tasks["each"]["withParam"] == "{{workflow.parameters.items}}"
    by_name = {one["name"]: one for one in templates}
    assert by_name["book"]["retryStrategy"] == {"limit": "1", "backoff": {"duration": "1m"}}
    assert by_name["book"]["inputs"] == {"parameters": [{"name": "days"}]}
    assert by_name["tell"]["http"] == {"url": "u", "method": "POST"}
    assert by_name["pause"]["suspend"] == {"duration": "1h30m"}
    assert by_name["make"]["resource"] == {"action": "apply", "manifest": "m"}
    assert by_name["run"]["script"] == {"image": "python", "args": ["a"], "source": "x"}
    assert by_name["each"]["dag"]["tasks"] == [{"name": "inner", "template": "inner"}]


@pytest.mark.parametrize(
    ("whole", "pointer", "told"),
    [
        pytest.param({"apiVersion": "v1", "kind": "ConfigMap"}, "/kind", "is a ConfigMap", id="another kind"),
        pytest.param({"kind": "Workflow"}, "", "needs `spec`", id="nothing but the kind"),
        pytest.param(document(ECHO), "/spec/entrypoint", "no template 'main'", id="entrypoint"),
        pytest.param(
            document(dag({"name": "a", "template": "x"})),
            "/spec/templates/0/dag/tasks/0/template",
            "no template 'x'",
            id="template",
        ),
        pytest.param(
            document(dag({"name": "a", "depends": "b"}), ECHO),
            "/spec/templates/0/dag/tasks/0/depends",
            "no task 'b'",
            id="task",
        ),
        pytest.param(
            document(dag({"name": "a", "depends": "a"}), ECHO),
            "/spec/templates/0/dag/tasks/0",
            "waits for itself",
            id="cycle",
        ),
        pytest.param(
            document(dag({"name": "a"}, {"name": "b", "depends": "a, a"}), ECHO),
            "/spec/templates/0/dag/tasks/1/depends",
            "no part of a condition",
            id="depends",
        ),
        pytest.param(
            document(dag({"name": "a"}, {"name": "a"}), ECHO),
            "/spec/templates/0/dag/tasks",
            "used 2 times",
            id="task twice",
        ),
        pytest.param(document(dag({"name": "a"}), ECHO, ECHO), "/spec/templates", "used 2 times", id="template twice"),
        pytest.param(
            document(dag({"name": "a"}), {**ECHO, "foo": 1}), "/spec/templates/1/foo", "no field", id="unknown field"
        ),
        pytest.param(
            document(dag({"name": "a"}), {"name": "echo", "container": {"foo": 1}}),
            "/spec/templates/1/container/foo",
            "no field",
            id="unknown container field",
        ),
        pytest.param(document({"name": "main"}), "/spec/templates/0", "needs `container` or", id="idle template"),
        pytest.param(
            document({"name": "main", "steps": [[{"name": "a"}]]}),
            "/spec/templates/0/steps/0/0",
            "needs `template` or",
            id="idle step",
        ),
        pytest.param(
            document(dag({"name": "a", "inline": {"dag": {"tasks": [{"name": "b", "template": "x"}]}}})),
            "/spec/templates/0/dag/tasks/0",
            "only one of",
            id="two templates",
        ),
        pytest.param(
            document(dag({"name": "a", "withItems": [], "withParam": "x"}), ECHO),
            "/spec/templates/0/dag/tasks/0",
            "only one of",
            id="two loops",
        ),
        pytest.param({**document(), "spec": {}}, "/spec", "needs `entrypoint`", id="empty spec"),
        pytest.param(
            {**document(kind="WorkflowEventBinding"), "spec": {"event": {"selector": "a"}}},
            "/spec",
            "needs `submit`",
            id="binding of nothing",
        ),
        pytest.param(
            {**document(kind="CronWorkflow"), "spec": {"workflowSpec": {}}},
            "/spec",
            "needs `schedule` or",
            id="cron without time",
        ),
    ],
)
def test_what_argo_does_not_allow_is_refused_with_its_place(whole: Any, pointer: str, told: str) -> None:
    with pytest.raises(UnreadableDocument) as refused:
        read(whole)

    found = [(problem.pointer, problem.message) for problem in refused.value.problems]
    assert any(where == pointer and told in message for where, message in found), found


@pytest.fixture(scope="module")
def schema() -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(json.loads((CORPUS / "schema" / "schema.json").read_text()))


@needs_corpus
@settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(workflow=workflows())
def test_exports_of_any_workflow_are_valid_by_the_schema(schema: jsonschema_rs.Validator, workflow: Workflow) -> None:
    assert [error.message for error in schema.iter_errors(written(workflow))] == []
