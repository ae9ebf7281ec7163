import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings

from tests.support.workflows import workflows
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.formats.base import UnreadableDocument
from workflow_agent.workflows.formats.serverless_workflow import ServerlessWorkflow
from workflow_agent.workflows.formats.text import read_text
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "workflows" / "serverlessworkflow"
needs_corpus = pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not beside this checkout")

HTTP = {"call": "http", "with": {"method": "get", "endpoint": "https://a.example/pets"}}


def document(*tasks: dict[str, Any], **more: Any) -> dict[str, Any]:
    about = {"dsl": "1.0.0", "namespace": "shop", "name": "order", "version": "0.1.0"}
    return {"document": about, **more, "do": list(tasks)}


def read(given_document: Any) -> Workflow:
    return ServerlessWorkflow().read(given_document).workflow


def written(workflow: Workflow) -> dict[str, Any]:
    return read_text(ServerlessWorkflow().write(workflow).text)


def edited(workflow: Workflow, *edits: dict[str, Any]) -> Workflow:
    return apply_edits(workflow, parse_edits(list(edits))).workflow


def flow(workflow: Workflow) -> list[tuple[str, str, str]]:
    return [(edge.from_, edge.type, edge.to) for edge in workflow.transitions]


@pytest.mark.parametrize(
    ("task", "fields"),
    [
        pytest.param(HTTP, {"uses": "http", "with": HTTP["with"]}, id="http"),
        pytest.param({"call": "log:1.0@main"}, {"uses": "log:1.0@main"}, id="function"),
        pytest.param({"set": {"a": 1}}, {"uses": "set", "with": {"a": 1}}, id="set"),
        pytest.param({"set": "${ .a }"}, {"uses": "set"}, id="set by an expression"),
        pytest.param(
            {"emit": {"event": {"with": {"type": "done"}}}}, {"uses": "emit", "with": {"type": "done"}}, id="emit"
        ),
        pytest.param({"wait": {"minutes": 5, "seconds": 30}}, {"type": "wait", "duration": "PT5M30S"}, id="wait"),
        pytest.param({"wait": "${ .delay }"}, {"type": "wait"}, id="wait by an expression"),
        pytest.param(
            {"run": {"shell": {"command": "ls"}, "return": "code"}},
            {"uses": "shell", "with": {"command": "ls"}},
            id="shell",
        ),
        pytest.param(
            {"run": {"workflow": {"namespace": "n", "name": "sub", "version": "1.0.0", "input": {"a": 1}}}},
            {"type": "subworkflow", "workflow": "sub", "with": {"a": 1}},
            id="subworkflow",
        ),
        pytest.param(
            {"listen": {"to": {"any": [{"with": {"type": "paid"}}, {"with": {"type": "late"}}]}}},
            {"type": "event", "event": "paid"},
            id="listen",
        ),
        pytest.param({"listen": {"to": {"any": []}}}, {"type": "event"}, id="listen to anything"),
        pytest.param(
            {"raise": {"error": {"type": "https://e.example/x", "status": 400}}},
            {"type": "end", "outcome": "failed", "with": {"type": "https://e.example/x", "status": 400}},
            id="raise",
        ),
        pytest.param(
            {"if": ".a > 1", "raise": {"error": "known"}},
            {"uses": "raise", "when": {"expression": ".a > 1", "language": "jq"}},
            id="raise that may be skipped",
        ),
        pytest.param({"do": [], "then": "end"}, {"type": "end", "outcome": "ok"}, id="end"),
        pytest.param(
            {**HTTP, "timeout": {"after": {"days": 1}}, "metadata": {"description": "Ask.", "x": 1}},
            {"uses": "http", "with": HTTP["with"], "timeout": "P1D", "description": "Ask."},
            id="timeout and description",
        ),
        pytest.param({"fork": {"compete": True, "branches": []}}, {"type": "fork", "join": {"mode": "any"}}, id="race"),
        pytest.param(
            {"for": {"each": "x", "in": ".items"}, "while": ".ok", "do": []},
            {"type": "loop", "loop": {"over": ".items", "while": {"expression": ".ok", "language": "jq"}}},
            id="for",
        ),
    ],
)
def test_a_task_becomes_a_step_and_comes_back(task: dict[str, Any], fields: dict[str, Any]) -> None:
    whole = document({"Task": task})

    workflow = read(whole)

    said = workflow.steps[0].model_dump(mode="json", by_alias=True, exclude_defaults=True)
    assert {key: said[key] for key in said if key not in ("id", "name", "extensions")} == fields
    assert written(workflow) == whole


def test_tasks_follow_one_another_unless_they_say_otherwise() -> None:
    workflow = read(
        document(
            {"a": HTTP}, {"b": {**HTTP, "then": "d"}}, {"c": {**HTTP, "then": "exit"}}, {"d": {**HTTP, "then": "a"}}
        )
    )

    assert flow(workflow) == [("a", "sequence", "b"), ("b", "sequence", "d"), ("d", "sequence", "a")]


def test_a_switch_becomes_a_decision_that_can_end_the_workflow() -> None:
    whole = document(
        {"Which?": {"switch": [{"new": {"when": ".n", "then": "b"}}, {"old": {"when": ".o", "then": "end"}}]}},
        {"a": HTTP},
        {"b": HTTP},
    )

    workflow = read(whole)

    assert flow(workflow) == [
        ("which", "condition", "b"),
        ("which", "condition", "end"),
        ("which", "default", "a"),
        ("a", "sequence", "b"),
    ]
    assert [edge.label for edge in workflow.transitions[:2]] == ["new", "old"]
    assert written(workflow) == whole


@pytest.mark.parametrize("leaves", ["exit", "continue", "end"])
def test_a_case_can_leave_the_list_it_is_in(leaves: str) -> None:
    inner = [{"Which?": {"switch": [{"go": {"when": ".a", "then": leaves}}, {"default": {"then": leaves}}]}}]
    whole = document({"Group": {"do": inner}}, {"after": HTTP})

    workflow = read(whole)

    assert written(workflow) == whole
    stands_for = next(step for step in workflow.steps if step.name == leaves.capitalize())
    assert (stands_for.parent, stands_for.type) == ("group", "end" if leaves == "end" else "action")


def test_what_is_inside_a_task_is_in_its_scope() -> None:
    branches = [{"x": HTTP}, {"y": {"do": [{"z": HTTP}]}}]
    whole = document(
        {"Fork": {"fork": {"branches": branches}}}, {"Each": {"for": {"in": [{"a": 1}]}, "do": [{"w": HTTP}]}}
    )

    workflow = read(whole)

    assert [(step.id, step.parent) for step in workflow.steps] == [
        ("fork", None),
        ("x", "fork"),
        ("y", "fork"),
        ("z", "y"),
        ("each", None),
        ("w", "each"),
    ]
    assert flow(workflow) == [("fork", "sequence", "each")]
    assert written(workflow) == whole


def test_a_list_that_leads_back_to_its_first_task_is_entered_there() -> None:
    whole = document({"Group": {"do": [{"a": HTTP}, {"b": {**HTTP, "then": "a"}}]}})

    assert ("group", "sequence", "a") in flow(read(whole))
    assert written(read(whole)) == whole


CATCH = {
    "errors": {"with": {"type": "https://e.example/down"}},
    "as": "err",
    "retry": {"delay": {"seconds": 3}, "backoff": {"exponential": {}}, "limit": {"attempt": {"count": 5}}},
    "do": [{"tell": HTTP}],
    "then": "later",
}


def test_a_try_says_what_is_done_about_errors() -> None:
    whole = document({"Try": {"try": [{"a": HTTP}, {"b": HTTP}], "catch": CATCH}}, {"next": HTTP}, {"later": HTTP})

    workflow = read(whole)

    retry = workflow.steps[0].retry
    assert retry is not None
    assert (retry.max_attempts, retry.interval, retry.backoff) == (6, "PT3S", "exponential")
    assert flow(workflow)[-4:] == [
        ("try", "sequence", "next"),
        ("try", "error", "try_caught"),
        ("try_caught", "sequence", "later"),
        ("next", "sequence", "later"),
    ]
    assert workflow.outgoing("try")[-1].errors == ("https://e.example/down",)
    assert written(workflow) == whole


@pytest.mark.parametrize(
    "catch",
    [
        pytest.param({}, id="goes on"),
        pytest.param({"when": ".a", "errors": {"with": {"status": 503}}}, id="goes on, for some errors"),
        pytest.param({"errors": {"with": {"status": 503}}, "then": "later"}, id="elsewhere, by status"),
        pytest.param({"errors": {"with": {"title": "x"}}, "then": "continue"}, id="continue"),
        pytest.param({"then": "end"}, id="end"),
        pytest.param({"retry": "often"}, id="retry by name"),
        pytest.param({"retry": "unknown"}, id="retry by a name that is not there"),
        pytest.param({"retry": {"delay": "PT1S", "jitter": {"from": "PT1S", "to": "PT2S"}}}, id="retry"),
        pytest.param({"do": [{"tell": HTTP}], "then": "exit"}, id="do and exit"),
        pytest.param({"do": [{"tell": HTTP}], "then": "next"}, id="do and go on"),
        pytest.param({"do": [{"tell": HTTP}]}, id="do"),
    ],
)
@pytest.mark.parametrize("name", ["Try", "a"])
def test_every_kind_of_catch_comes_back(catch: dict[str, Any], name: str) -> None:
    use = {"retries": {"often": {"limit": {"attempt": {"count": 2}}, "backoff": {"constant": {}}}}}
    whole = document({name: {"try": [{"a": HTTP}], "catch": catch}}, {"next": HTTP}, {"later": HTTP}, use=use)

    assert written(read(whole)) == whole


def test_a_try_around_one_task_of_the_same_name_is_one_step() -> None:
    workflow = read(document({"a": {"try": [{"a": HTTP}], "catch": {"then": "end"}}}))

    assert [(step.id, step.uses) for step in workflow.steps] == [("a", "http"), ("end", None)]


@pytest.mark.parametrize(
    ("schedule", "triggers"),
    [
        pytest.param({"cron": "0 0 * * *"}, [{"type": "schedule", "cron": "0 0 * * *"}], id="cron"),
        pytest.param({"cron": "@daily"}, [], id="cron that is none"),
        pytest.param({"every": {"minutes": 5}}, [{"type": "schedule", "every": "PT5M"}], id="every"),
        pytest.param({"after": "PT1H"}, [], id="after"),
        pytest.param(
            {"on": {"any": [{"with": {"type": "a", "source": "s"}}, {"with": {"type": "b"}}]}},
            [{"type": "event", "event": "a", "with": {"source": "s"}}, {"type": "event", "event": "b"}],
            id="any event",
        ),
        pytest.param({"on": {"one": {"with": {"type": "a"}}}}, [{"type": "event", "event": "a"}], id="one event"),
        pytest.param({}, [], id="nothing"),
    ],
)
def test_the_schedule_becomes_triggers(schedule: dict[str, Any], triggers: list[Any]) -> None:
    whole = document({"a": HTTP}, schedule=schedule)

    workflow = read(whole)

    assert [one.model_dump(mode="json", by_alias=True, exclude_defaults=True) for one in workflow.triggers] == triggers
    assert written(workflow) == whole


def test_what_the_document_says_about_itself_is_read_and_written_back() -> None:
    whole = document({"a": HTTP})
    whole["document"] |= {"title": "Order", "summary": "From cart to door.", "tags": {"team": "shop", "new": ""}}

    workflow = read(whole)

    assert (workflow.name, workflow.description) == ("Order", "From cart to door.")
    assert workflow.tags == ("team:shop", "new")
    assert written(workflow) == whole


def test_only_what_was_changed_is_written_anew() -> None:
    whole = document(
        {"a": {**HTTP, "input": {"from": ".x"}, "timeout": {"after": {"seconds": 60}}}},
        {"b": {"wait": {"seconds": 5}}},
        schedule={"cron": "0 0 * * *"},
    )
    changed = edited(
        read(whole),
        {"op": "set_timeout", "step": "a", "timeout": "PT2M"},
        {"op": "remove_trigger", "index": 0},
        {"op": "rename_workflow", "name": "Another"},
    )

    after = written(changed)

    assert after["do"] == [{"a": {**whole["do"][0]["a"], "timeout": {"after": "PT2M"}}}, whole["do"][1]]
    assert "schedule" not in after
    assert (after["document"]["name"], after["document"]["title"]) == ("another", "Another")
    assert after["document"]["namespace"] == "shop"


def test_a_retry_that_was_changed_replaces_the_policy_of_that_name() -> None:
    use = {"retries": {"often": {"limit": {"attempt": {"count": 2}}}}}
    whole = document({"a": {"try": [{"a": HTTP}], "catch": {"retry": "often", "as": "e"}}}, use=use)

    changed = edited(read(whole), {"op": "set_retry", "step": "a", "retry": {"max_attempts": 9}})

    assert written(changed)["do"][0]["a"]["catch"] == {"retry": {"limit": {"attempt": {"count": 8}}}}


def test_steps_of_our_own_are_written_in_the_language_s_own_terms() -> None:
    workflow = parse_workflow(
        {
            "id": "wf_x",
            "name": "Leave",
            "triggers": [{"type": "event", "event": "leave.asked"}, {"type": "schedule", "every": "PT1H"}],
            "steps": [
                {"id": "ask", "name": "Ask", "type": "human", "assignee": "boss"},
                {"id": "book", "name": "Book", "uses": "hr.book", "retry": {"interval": "PT1S", "backoff": "linear"}},
                {"id": "mail", "name": "Mail", "uses": "http", "with": {"to": "x"}},
                {"id": "nothing", "name": "Set", "uses": "set"},
                {"id": "sub", "name": "Sub", "type": "subworkflow", "workflow": "Other flow"},
                {"id": "pause", "name": "Pause", "type": "wait"},
                {"id": "numbers", "name": "Numbers", "type": "loop", "loop": {"over": [1, 2]}},
                {"id": "no", "name": "exit", "type": "end", "outcome": "rejected"},
            ],
            "transitions": [
                {"from": "ask", "to": "book", "type": "condition", "when": {"text": "is fine"}},
                {"from": "ask", "to": "no", "type": "condition", "action": "refuse"},
                {"from": "book", "to": "mail", "type": "error", "errors": ["a", "b"]},
                {"from": "book", "to": "nothing"},
                {"from": "nothing", "to": "sub"},
                {"from": "sub", "to": "no"},
            ],
        }
    )

    after = written(workflow)

    assert after["schedule"] == {"every": "PT1H", "on": {"one": {"with": {"type": "leave.asked"}}}}
    assert after["do"] == [
        {"Ask": {"call": "human-task", "with": {"title": "Ask", "assignee": "boss"}}},
        {
            "After Ask": {
                "switch": [
                    {"case1": {"when": ".is_fine", "then": "Book"}},
                    {"refuse": {"when": ".refuse", "then": "exit 2"}},
                ]
            }
        },
        {
            "Book": {
                "try": [{"Book": {"call": "hr.book"}}],
                "catch": {
                    "when": '$error.type == "a" or $error.type == "b"',
                    "retry": {"delay": "PT1S", "backoff": {"linear": {}}, "limit": {"attempt": {"count": 2}}},
                    "then": "Mail",
                },
                "then": "Set",
            }
        },
        {"Mail": {"call": "http-call", "with": {"to": "x"}, "then": "end"}},
        {"Set": {"call": "set"}},
        {
            "Sub": {
                "run": {"workflow": {"namespace": "default", "name": "Other flow", "version": "latest"}},
                "then": "exit 2",
            }
        },
        {"Pause": {"wait": "${ .pause_duration }", "then": "end"}},
        {"Numbers": {"for": {"in": "${ [1, 2] }"}, "do": [], "then": "end"}},
        {"exit 2": {"raise": {"error": {"type": "urn:workflow:outcome:rejected", "status": 500}}}},
    ]


def test_branches_between_a_fork_and_a_join_become_a_fork_task() -> None:
    kinds = {"go": "fork", "meet": "join"}
    workflow = parse_workflow(
        {
            "id": "wf_x",
            "name": "Split",
            "steps": [
                {"id": one, "name": one, "type": kinds.get(one, "action"), "uses": "x"}
                for one in ("go", "a", "b", "c", "meet")
            ],
            "transitions": [
                {"from": one, "to": other}
                for one, other in (("go", "a"), ("go", "b"), ("b", "c"), ("a", "meet"), ("c", "meet"))
            ],
        }
    )

    fork = written(workflow)["do"][0]["go"]["fork"]

    assert [list(branch) for branch in fork["branches"]] == [["a"], ["branch 2"]]
    assert [list(item) for item in fork["branches"][1]["branch 2"]["do"]] == [["b"], ["c"]]


def test_an_end_of_our_own_comes_back_as_it_was() -> None:
    steps = [{"id": "a", "name": "A", "uses": "x.y"}, {"id": "done", "name": "Done", "type": "end", "outcome": "ok"}]
    workflow = parse_workflow({"id": "wf_x", "name": "x", "steps": steps, "transitions": [{"from": "a", "to": "done"}]})

    exported = ServerlessWorkflow().write(workflow)

    assert exported.report.lost == []
    assert read(read_text(exported.text)).steps == workflow.steps


@pytest.mark.parametrize(
    ("task", "pointer", "told"),
    [
        pytest.param({"call": "http"}, "/do/0/a", "needs `with`", id="http without arguments"),
        pytest.param({"call": "http", "with": {"method": "get"}}, "/do/0/a/with", "needs `endpoint`", id="no endpoint"),
        pytest.param({**HTTP, "foo": 1}, "/do/0/a/foo", "no field 'foo'", id="unknown field"),
        pytest.param({"if": "x"}, "/do/0/a", "must say what to do", id="nothing to do"),
        pytest.param("x", "/do/0/a", "must be an object", id="text"),
        pytest.param({**HTTP, "then": "b"}, "/do/0/a/then", "no task 'b'", id="unknown target"),
        pytest.param(
            {"switch": [{"c": {"then": "b"}}]}, "/do/0/a/switch/0/c/then", "no task 'b'", id="unknown case target"
        ),
        pytest.param(
            {"switch": [{"c": {"then": "end"}, "d": {"then": "end"}}]},
            "/do/0/a/switch/0",
            "one case",
            id="two cases in one",
        ),
        pytest.param(
            {"try": [], "catch": {"then": "b"}}, "/do/0/a/catch/then", "no task 'b'", id="unknown catch target"
        ),
        pytest.param(
            {"do": [{"b": {**HTTP, "then": "a"}}]},
            "/do/0/a/do/0/b/then",
            "no task 'a' in the same list",
            id="target outside",
        ),
        pytest.param({"fork": {}}, "/do/0/a/fork", "needs `branches`", id="no branches"),
        pytest.param({"wait": {"weeks": 1}}, "/do/0/a/wait/weeks", "no field", id="unknown unit"),
        pytest.param({"wait": "soon"}, "/do/0/a/wait", "a duration like", id="wait in words"),
        pytest.param(
            {"listen": {"to": {"any": [], "until": {"any": [], "until": "x"}}}},
            "/do/0/a/listen/to/until/until",
            "no field",
            id="until of an until",
        ),
        pytest.param(
            {"listen": {"to": {"one": {"with": {}}, "until": "x"}}},
            "/do/0/a/listen/to/until",
            "no field",
            id="until of one",
        ),
        pytest.param({"run": {}}, "/do/0/a/run", "needs `container` or", id="runs nothing"),
        pytest.param({"set": {}}, "/do/0/a/set", "at least 1 entries", id="sets nothing"),
        pytest.param(
            {"emit": {"event": {"with": {}}}}, "/do/0/a/emit/event/with", "needs `type`", id="event without type"
        ),
    ],
)
def test_what_the_dsl_does_not_allow_is_refused_with_its_place(task: Any, pointer: str, told: str) -> None:
    with pytest.raises(UnreadableDocument) as refused:
        read(document({"a": task}))

    found = [(problem.pointer, problem.message) for problem in refused.value.problems]
    assert any(where == pointer and told in message for where, message in found), found


def test_a_document_without_tasks_is_a_workflow_that_ends() -> None:
    whole = document()

    assert [(step.type, step.outcome) for step in read(whole).steps] == [("end", "ok")]
    assert written(read(whole)) == whole


def test_two_tasks_in_one_item_are_refused_by_their_names() -> None:
    with pytest.raises(UnreadableDocument, match="'a', 'b'"):
        read(document({"a": HTTP, "b": HTTP}))


@pytest.fixture(scope="module")
def schema() -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(read_text((CORPUS / "schema" / "workflow.yaml").read_text()))


@needs_corpus
@settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(workflow=workflows())
def test_exports_of_any_workflow_are_valid_by_the_schema(schema: jsonschema_rs.Validator, workflow: Workflow) -> None:
    assert [error.message for error in schema.iter_errors(written(workflow))] == []


@needs_corpus
def test_every_conformance_case_is_imported_and_comes_back() -> None:
    paths = sorted((CORPUS / "ctk").glob("*.json"))

    for path in paths:
        definition = json.loads(path.read_text())["definition"]
        assert written(read(definition)) == definition, path.name

    assert len(paths) == 21


@needs_corpus
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("extra-property-in-call", "no field 'foo'"),
        ("listen-any-until-any-until", "no field 'until'"),
        ("two-tasks-in-one-item", "must have one task"),
    ],
)
def test_documents_labelled_invalid_are_refused(name: str, told: str) -> None:
    text = (CORPUS / "invalid" / f"{name}.yaml").read_text()

    with pytest.raises(UnreadableDocument, match=told):
        read(read_text(text))
