from typing import Any

import pytest

from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.formats.base import UnreadableDocument
from workflow_agent.workflows.formats.github_actions import GitHubActions
from workflow_agent.workflows.formats.text import read_text
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

RELEASE: dict[str, Any] = {
    "name": "Release",
    "on": {
        "push": {"branches": ["main"], "tags": ["v*"]},
        "workflow_dispatch": {"inputs": {"version": {"required": True}}},
        "schedule": [{"cron": "0 5 * * 1"}, {"cron": "$cron-daily"}],
        "workflow_run": {"workflows": ["CI", "Lint"], "types": ["completed"]},
        "workflow_call": None,
        "repository_dispatch": {"types": ["ship.it"]},
    },
    "permissions": {"contents": "read"},
    "env": {"CI": True, "N": 3},
    "jobs": {
        "build-it": {
            "name": "Build ${{ matrix.os }}",
            "runs-on": "${{ matrix.os }}",
            "strategy": {"fail-fast": False, "max-parallel": 2, "matrix": {"os": ["ubuntu", "mac"]}},
            "timeout-minutes": 30,
            "steps": [
                {"uses": "actions/checkout@v4", "with": {"fetch-depth": 0}},
                {"name": "Test", "id": "test", "run": "make test\nmake lint", "env": {"A": 1}, "shell": "bash"},
                {"if": "failure()", "continue-on-error": True, "timeout-minutes": 0.5, "run": "./report.sh"},
            ],
        },
        "docs": {"runs-on": ["self-hosted", "linux"], "if": "github.ref == 'refs/heads/main'", "steps": []},
        "deploy": {
            "needs": ["build-it", "docs"],
            "environment": {"name": "production"},
            "uses": "org/repo/.github/workflows/deploy.yml@v1",
            "with": {"where": "eu"},
            "secrets": "inherit",
        },
        "tell": {
            "needs": ["deploy"],
            "runs-on": "ubuntu-latest",
            "steps": [{"name": "tell", "uses": "./.github/actions/tell"}],
        },
    },
}


def read(document: Any) -> Workflow:
    return GitHubActions().read(document).workflow


def written(workflow: Workflow) -> dict[str, Any]:
    return read_text(GitHubActions().write(workflow).text)


def edited(workflow: Workflow, *edits: dict[str, Any]) -> Workflow:
    return apply_edits(workflow, parse_edits(list(edits))).workflow


def with_job(**job: Any) -> dict[str, Any]:
    return {"on": "push", "jobs": {"a": {"runs-on": "x", "steps": [{"run": "ls"}], **job}}}


def test_jobs_become_steps_that_wait_for_those_they_need() -> None:
    workflow = read(RELEASE)

    assert [(edge.from_, edge.to) for edge in workflow.transitions if workflow.step(edge.to).parent is None] == [  # pyright: ignore[reportOptionalMemberAccess]
        ("all_before_deploy", "deploy"),
        ("build_it", "all_before_deploy"),
        ("docs", "all_before_deploy"),
        ("deploy", "tell"),
        ("start", "build_it"),
        ("start", "docs"),
    ]
    kinds = {step.id: step.type for step in workflow.steps if step.parent is None}
    assert kinds == {
        "start": "fork",
        "build_it": "loop",
        "docs": "action",
        "deploy": "subworkflow",
        "tell": "action",
        "all_before_deploy": "join",
    }


def test_the_steps_of_a_job_are_in_its_scope_one_after_the_other() -> None:
    steps = [step for step in read(RELEASE).steps if step.parent == "build_it"]

    assert [(step.id, step.name, step.uses) for step in steps] == [
        ("actions_checkout_v4", "actions/checkout@v4", "actions/checkout@v4"),
        ("test", "Test", "run"),
        ("report_sh", "./report.sh", "run"),
    ]
    assert steps[1].with_ == {"run": "make test\nmake lint", "shell": "bash"}
    assert (steps[2].on_error, steps[2].timeout) == ("continue", "PT30S")
    assert steps[2].when is not None


def test_a_matrix_is_a_loop() -> None:
    build = read(RELEASE).step("build_it")

    assert build is not None
    assert build.loop is not None
    assert (build.loop.over, build.loop.parallel) == ({"os": ["ubuntu", "mac"]}, 2)
    assert build.timeout == "PT30M"


def test_events_become_triggers() -> None:
    triggers = read(RELEASE).triggers

    assert [one.model_dump(by_alias=True, exclude_defaults=True) for one in triggers] == [
        {"type": "event", "event": "push", "with": {"branches": ["main"], "tags": ["v*"]}},
        {"type": "manual", "with": {"inputs": {"version": {"required": True}}}},
        {"type": "schedule", "cron": "0 5 * * 1"},
        {"type": "event", "event": "schedule", "with": {"cron": "$cron-daily"}},
        {"type": "workflow", "workflow": "CI", "with": {"types": ["completed"]}},
        {"type": "workflow", "workflow": "Lint", "with": {"types": ["completed"]}},
        {"type": "workflow", "workflow": "*"},
        {"type": "event", "event": "ship.it"},
    ]


def test_a_job_for_a_single_step_of_its_name_is_one_step() -> None:
    tell = read(RELEASE).step("tell")

    assert tell is not None
    assert (tell.uses, tell.type) == ("tell", "action")


def test_the_document_comes_back_as_it_was() -> None:
    exported = GitHubActions().write(read(RELEASE))

    assert read_text(exported.text) == RELEASE
    assert exported.report.is_lossless


@pytest.mark.parametrize("on", ["push", ["push", "pull_request"], {"push": None}, {"issues": {"types": ["opened"]}}])
def test_every_way_to_name_events_comes_back(on: Any) -> None:
    document = {"on": on, "jobs": {"a": {"runs-on": "x", "needs": [], "steps": [{"run": 7}, {"run": ""}]}}}

    assert written(read(document)) == document


def test_only_what_was_changed_is_written_anew() -> None:
    changed = edited(
        read(RELEASE),
        {"op": "set_timeout", "step": "build_it", "timeout": "PT1H"},
        {"op": "update_step", "step": "test", "set": {"with": {"run": "make check"}}},
        {"op": "disconnect", "from": "docs", "to": "all_before_deploy"},
        {"op": "rename_workflow", "name": "Ship"},
        {"op": "remove_trigger", "index": 0},
    )

    document = written(changed)

    build = RELEASE["jobs"]["build-it"]
    steps = [build["steps"][0], {"name": "Test", "id": "test", "run": "make check", "env": {"A": 1}}, build["steps"][2]]
    assert document["jobs"]["build-it"] == {**build, "timeout-minutes": 60, "steps": steps}
    assert document["jobs"]["deploy"] == {**RELEASE["jobs"]["deploy"], "needs": "build-it"}
    assert document["jobs"]["docs"] == RELEASE["jobs"]["docs"]
    assert document["name"] == "Ship"
    assert "push" not in document["on"]


def test_a_workflow_without_a_name_stays_without_one() -> None:
    document = with_job()

    assert written(read(document)) == document
    assert written(edited(read(document), {"op": "rename_workflow", "name": "X"}))["name"] == "X"


def test_steps_of_our_own_are_written_in_the_terms_of_github() -> None:
    workflow = parse_workflow(
        {
            "id": "wf_x",
            "name": "Leave",
            "triggers": [
                {"type": "schedule", "every": "PT15M"},
                {"type": "schedule", "every": "PT6H"},
                {"type": "schedule", "every": "P1D"},
                {"type": "schedule", "every": "PT7M"},
                {"type": "schedule", "every": "PT10S"},
                {"type": "event", "event": "leave.asked"},
                {"type": "webhook", "path": "/leave"},
                {"type": "workflow", "workflow": "Onboarding"},
            ],
            "steps": [
                {"id": "ask", "name": "Ask", "type": "human", "assignee": "boss"},
                {"id": "which", "name": "Which?", "type": "decision"},
                {
                    "id": "book",
                    "name": "Book",
                    "uses": "hr.book",
                    "with": {"days": [1], "n": 2},
                    "when": {"text": "it is paid"},
                },
                {"id": "wait", "name": "Wait", "type": "wait", "duration": "PT1M"},
                {"id": "sub", "name": "Sub", "type": "subworkflow", "workflow": "Other flow", "with": {"a": 1}},
                {"id": "each", "name": "Each", "type": "loop", "loop": {"over": "every day"}},
                {"id": "undo", "name": "Undo", "uses": "run", "with": {"run": "undo"}},
                {"id": "1st", "name": "First", "parent": "each"},
            ],
            "transitions": [
                {"from": "ask", "to": "which"},
                {"from": "which", "to": "book", "type": "condition", "when": {"text": "approved"}},
                {"from": "which", "to": "wait", "type": "default"},
                {"from": "book", "to": "undo", "type": "error"},
                {"from": "book", "to": "sub"},
                {"from": "wait", "to": "sub"},
                {"from": "sub", "to": "each"},
                {"from": "each", "to": "ask"},
            ],
        }
    )

    document = written(workflow)

    assert document["on"] == {
        "schedule": [{"cron": "*/15 * * * *"}, {"cron": "0 */6 * * *"}, {"cron": "0 0 * * *"}],
        "repository_dispatch": {"types": ["leave.asked", "leave"]},
        "workflow_run": {"workflows": ["Onboarding"]},
    }
    jobs = document["jobs"]
    assert jobs["ask"]["environment"] == "boss"
    assert "needs" not in jobs["ask"]
    assert jobs["book"] == {
        "needs": "ask",
        "name": "Book",
        "if": "(vars.APPROVED == 'true') && (vars.IT_IS_PAID == 'true')",
        "runs-on": "ubuntu-latest",
        "steps": [{"name": "Book", "uses": "./.github/actions/hr.book", "with": {"days": "[1]", "n": 2}}],
    }
    assert jobs["wait"]["if"] == "(!(vars.APPROVED == 'true'))"
    assert jobs["wait"]["steps"] == [{"name": "Wait", "run": "sleep 60"}]
    assert jobs["undo"]["if"] == "always() && needs.book.result == 'failure'"
    assert jobs["sub"]["uses"] == "./.github/workflows/other_flow.yml"
    assert jobs["sub"]["if"].startswith("!cancelled() && (needs.book.result == 'success' || needs.wait")
    assert jobs["each"]["strategy"]["matrix"] == {"item": "${{ fromJSON(vars.EACH_ITEMS) }}"}
    assert jobs["each"]["steps"] == [{"name": "First", "run": 'echo "First"'}]


def test_where_nothing_works_there_still_is_a_job() -> None:
    workflow = parse_workflow({"id": "wf_x", "name": "X", "steps": [{"id": "a", "name": "A", "type": "fork"}]})

    assert list(written(workflow)["jobs"]) == ["nothing"]


@pytest.mark.parametrize(
    ("document", "pointer", "told"),
    [
        pytest.param({"jobs": {}}, "", "needs `on`", id="no events"),
        pytest.param({"on": "push", "jobs": {}}, "/jobs", "at least 1", id="no jobs"),
        pytest.param({**with_job(), "foo": 1}, "/foo", "no field", id="unknown field"),
        pytest.param({**with_job(), "on": {}}, "/on", "at least 1", id="empty events"),
        pytest.param(
            {**with_job(), "on": {"schedule": [{}]}}, "/on/schedule/0", "needs `cron`", id="schedule without cron"
        ),
        pytest.param(
            {**with_job(), "on": {"push": "main"}},
            "/on/push",
            "must be an object or nothing",
            id="filter of another kind",
        ),
        pytest.param(
            {"on": "push", "jobs": {"1a": {"runs-on": "x", "steps": []}}},
            "/jobs/1a",
            "begin with a letter",
            id="job id",
        ),
        pytest.param({"on": "push", "jobs": {"a": {"steps": []}}}, "/jobs/a", "needs `runs-on`", id="no runner"),
        pytest.param(
            {"on": "push", "jobs": {"a": {"runs-on": "x"}}}, "/jobs/a", "needs `steps` or `uses`", id="nothing to do"
        ),
        pytest.param(with_job(needs="b"), "/jobs/a/needs", "no job 'b'", id="unknown job"),
        pytest.param(with_job(needs=["a"]), "/jobs/a/needs", "waits for itself", id="cycle"),
        pytest.param(with_job(steps=[{"name": "x"}]), "/jobs/a/steps/0", "needs `uses` or `run`", id="idle step"),
        pytest.param(with_job(steps=[{"uses": "a@b", "run": "x"}]), "/jobs/a/steps/0", "only one of", id="both"),
        pytest.param(
            with_job(steps=[{"run": "x", "needs": "y"}]), "/jobs/a/steps/0/needs", "no field", id="unknown step field"
        ),
        pytest.param(
            with_job(strategy={"matrix": 3}),
            "/jobs/a/strategy/matrix",
            "must be an object or text or nothing",
            id="matrix",
        ),
    ],
)
def test_what_github_does_not_allow_is_refused_with_its_place(document: Any, pointer: str, told: str) -> None:
    with pytest.raises(UnreadableDocument) as refused:
        read(document)

    found = [(problem.pointer, problem.message) for problem in refused.value.problems]
    assert any(where == pointer and told in message for where, message in found), found
