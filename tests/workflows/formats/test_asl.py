import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings

from tests.support.workflows import workflows
from workflow_agent.workflows.analysis import analyze
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.formats.asl import AmazonStatesLanguage
from workflow_agent.workflows.formats.base import UnreadableDocument
from workflow_agent.workflows.formats.text import read_text
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "workflows" / "asl-validator"
needs_corpus = pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not beside this checkout")

ORDER: dict[str, Any] = {
    "Comment": "Order\nFrom the cart to the door.",
    "StartAt": "Reserve",
    "TimeoutSeconds": 600,
    "States": {
        "Reserve": {
            "Type": "Task",
            "Resource": "arn:aws:lambda:eu-west-1:123456789012:function:Reserve",
            "Parameters": {"items.$": "$.items"},
            "ResultPath": "$.reservation",
            "TimeoutSeconds": 30,
            "Retry": [
                {
                    "ErrorEquals": ["Busy"],
                    "IntervalSeconds": 2,
                    "MaxAttempts": 4,
                    "BackoffRate": 1.5,
                    "MaxDelaySeconds": 60,
                }
            ],
            "Catch": [
                {"ErrorEquals": ["States.Timeout"], "ResultPath": "$.error", "Next": "Sold out"},
                {"ErrorEquals": ["States.ALL"], "Next": "Sold out"},
            ],
            "Next": "Large?",
        },
        "Large?": {
            "Type": "Choice",
            "Choices": [
                {"Variable": "$.total", "NumericGreaterThan": 1000, "Next": "Pack"},
                {"And": [{"Variable": "$.gift", "BooleanEquals": True}], "Comment": "a gift", "Next": "Pack"},
            ],
            "Default": "Each item",
        },
        "Pack": {
            "Type": "Parallel",
            "Branches": [
                {"StartAt": "Wrap", "States": {"Wrap": {"Type": "Pass", "Result": "ok", "End": True}}},
                {
                    "Comment": "paper",
                    "StartAt": "Print",
                    "States": {
                        "Print": {"Type": "Pass", "Next": "Rest"},
                        "Rest": {"Type": "Wait", "Seconds": 90, "Next": "Print again?"},
                        "Print again?": {
                            "Type": "Choice",
                            "Choices": [{"Variable": "$.again", "BooleanEquals": True, "Next": "Print"}],
                            "Default": "Printed",
                        },
                        "Printed": {"Type": "Succeed"},
                    },
                },
            ],
            "Next": "Each item",
        },
        "Each item": {
            "Type": "Map",
            "ItemsPath": "$.items",
            "MaxConcurrency": 5,
            "ItemProcessor": {
                "ProcessorConfig": {"Mode": "INLINE"},
                "StartAt": "Ship",
                "States": {
                    "Ship": {
                        "Type": "Task",
                        "Resource": "arn:aws:states:::states:startExecution.sync:2",
                        "Parameters": {"StateMachineArn": "arn:aws:states:x:y:stateMachine:Ship", "Input": {"a": 1}},
                        "End": True,
                    }
                },
            },
            "Next": "Delivered",
        },
        "Delivered": {"Type": "Succeed"},
        "Sold out": {"Type": "Fail", "Error": "OutOfStockFailure", "Cause": "none left"},
    },
}


def read(document: Any) -> Workflow:
    return AmazonStatesLanguage().read(document).workflow


def written(workflow: Workflow) -> dict[str, Any]:
    return read_text(AmazonStatesLanguage().write(workflow).text)


def edited(workflow: Workflow, *edits: dict[str, Any]) -> Workflow:
    return apply_edits(workflow, parse_edits(list(edits))).workflow


def machine(**state: Any) -> dict[str, Any]:
    return {"StartAt": "A", "States": {"A": state, "B": {"Type": "Succeed"}}}


def problems(document: Any) -> list[tuple[str, str]]:
    with pytest.raises(UnreadableDocument) as refused:
        read(document)
    return [(problem.pointer, problem.message) for problem in refused.value.problems]


def test_states_become_steps_of_their_kind_inside_their_scopes() -> None:
    workflow = read(ORDER)

    assert [(step.id, step.type, step.parent) for step in workflow.steps] == [
        ("reserve", "action", None),
        ("large", "decision", None),
        ("pack", "fork", None),
        ("wrap", "action", "pack"),
        ("print", "action", "pack"),
        ("rest", "wait", "pack"),
        ("print_again", "decision", "pack"),
        ("printed", "end", "pack"),
        ("each_item", "loop", None),
        ("ship", "subworkflow", "each_item"),
        ("delivered", "end", None),
        ("sold_out", "end", None),
    ]
    assert (workflow.name, workflow.description) == ("Order", "From the cart to the door.")


def test_a_task_says_what_it_calls_and_what_happens_when_it_fails() -> None:
    workflow = read(ORDER)
    reserve = workflow.steps[0]

    assert reserve.uses == "arn:aws:lambda:eu-west-1:123456789012:function:Reserve"
    assert reserve.with_ == {"items.$": "$.items"}
    assert reserve.timeout == "PT30S"
    assert reserve.retry is not None
    assert reserve.retry.model_dump(exclude_defaults=True) == {
        "max_attempts": 5,
        "interval": "PT2S",
        "max_interval": "PT1M",
        "backoff": "exponential",
        "factor": 1.5,
        "errors": ("Busy",),
    }
    errors = [(edge.to, edge.errors) for edge in workflow.transitions if edge.type == "error"]
    assert errors == [("sold_out", ("timeout",)), ("sold_out", ())]


def test_choices_become_conditions_with_their_rule() -> None:
    edges = read(ORDER).outgoing("large")

    assert [(edge.type, edge.to) for edge in edges] == [
        ("condition", "pack"),
        ("condition", "pack"),
        ("default", "each_item"),
    ]
    assert edges[0].when is not None
    assert edges[0].when.expression == {"Variable": "$.total", "NumericGreaterThan": 1000}


def test_a_map_is_a_loop_and_an_execution_a_subworkflow() -> None:
    workflow = read(ORDER)
    loop, ship = workflow.step("each_item"), workflow.step("ship")

    assert loop is not None
    assert loop.loop is not None
    assert (loop.loop.over, loop.loop.parallel) == ("$.items", 5)
    assert ship is not None
    assert (ship.workflow, ship.with_) == ("arn:aws:states:x:y:stateMachine:Ship", {"a": 1})


def test_an_end_that_failed_is_told_from_one_that_did_not() -> None:
    workflow = read(ORDER)

    assert [step.outcome for step in workflow.steps if step.type == "end"] == ["ok", "ok", "OutOfStockFailure"]


def test_a_branch_that_begins_with_a_cycle_is_entered_where_it_starts() -> None:
    assert ("pack", "print") in [(edge.from_, edge.to) for edge in read(ORDER).transitions]


def test_the_document_comes_back_as_it_was() -> None:
    exported = AmazonStatesLanguage().write(read(ORDER))

    assert read_text(exported.text) == ORDER
    assert exported.report.is_lossless


def test_only_what_was_changed_is_written_anew() -> None:
    workflow = edited(
        read(ORDER),
        {"op": "set_timeout", "step": "reserve", "timeout": "PT1M"},
        {"op": "set_retry", "step": "reserve", "retry": None},
        {"op": "rename_step", "step": "sold_out", "name": "Nothing left"},
    )

    states = written(workflow)["States"]

    reserve = {key: value for key, value in ORDER["States"]["Reserve"].items() if key not in ("Retry", "Catch")}
    caught = [{**one, "Next": "Nothing left"} for one in ORDER["States"]["Reserve"]["Catch"]]
    assert states["Reserve"] == {**reserve, "TimeoutSeconds": 60, "Catch": caught}
    assert states["Nothing left"] == ORDER["States"]["Sold out"]
    assert states["Pack"] == ORDER["States"]["Pack"]


def test_a_rule_keeps_what_it_has_beside_its_condition() -> None:
    workflow = edited(read(ORDER), {"op": "disconnect", "transition": "large-pack"})

    assert written(workflow)["States"]["Large?"]["Choices"] == [ORDER["States"]["Large?"]["Choices"][1]]


def test_several_retriers_come_back_although_the_model_has_room_for_one() -> None:
    retriers = [{"ErrorEquals": ["A"], "MaxAttempts": 1}, {"ErrorEquals": ["States.ALL"], "IntervalSeconds": 9}]
    document = machine(Type="Task", Resource="arn:aws:states:::sns:publish", Retry=retriers, Next="B")

    assert written(read(document)) == document
    retry = read(document).steps[0].retry
    assert retry is not None
    assert (retry.max_attempts, retry.errors) == (2, ("A",))


def test_approvals_become_activities_followed_by_a_choice() -> None:
    workflow = parse_workflow(
        {
            "id": "wf_x",
            "name": "Leave",
            "steps": [
                {"id": "ask", "name": "Ask the boss", "type": "human"},
                {"id": "yes", "name": "Granted", "type": "end", "outcome": "ok"},
                {"id": "no", "name": "Refused", "type": "end", "outcome": "rejected"},
            ],
            "transitions": [
                {"from": "ask", "to": "yes", "type": "condition", "when": {"text": "approved"}},
                {"from": "ask", "to": "no", "type": "default"},
            ],
        }
    )

    exported = AmazonStatesLanguage().write(workflow)

    states = read_text(exported.text)["States"]
    assert states["Ask the boss"]["Resource"].endswith(":activity:ask_the_boss")
    assert states["After Ask the boss"]["Choices"] == [
        {"Variable": "$.approved", "BooleanEquals": True, "Next": "Granted"}
    ]
    assert states["After Ask the boss"]["Default"] == "Refused"
    assert states["Refused"] == {"Type": "Fail", "Error": "rejected"}
    assert any("'Ask the boss'" in note.what for note in exported.report.lost)


def test_branches_between_a_fork_and_a_join_become_a_parallel_state() -> None:
    workflow = parse_workflow(
        {
            "id": "wf_x",
            "name": "Split",
            "steps": [
                {"id": "go", "name": "go", "type": "fork"},
                *({"id": one, "name": one} for one in ("a", "b", "c")),
                {"id": "meet", "name": "meet", "type": "join"},
                {"id": "after", "name": "after"},
                {"id": "lone", "name": "lone", "type": "fork"},
            ],
            "transitions": [
                {"from": one, "to": other}
                for one, other in (
                    ("go", "a"),
                    ("go", "b"),
                    ("b", "c"),
                    ("a", "meet"),
                    ("c", "meet"),
                    ("meet", "after"),
                    ("after", "lone"),
                )
            ],
        }
    )

    states = written(workflow)["States"]

    assert [list(branch["States"]) for branch in states["go"]["Branches"]] == [["a"], ["b", "c"]]
    assert states["go"]["Next"] == "meet"
    assert set(states) == {"go", "meet", "after", "lone"}


def test_a_list_to_repeat_over_is_written_in_jsonata() -> None:
    step = {"id": "a", "name": "A", "type": "loop", "loop": {"over": [1, 2], "parallel": 0}}
    workflow = parse_workflow({"id": "wf_x", "name": "W", "steps": [step]})

    state = written(workflow)["States"]["A"]

    assert (state["QueryLanguage"], state["Items"]) == ("JSONata", [1, 2])
    assert "ItemProcessor" in state


def test_jsonata_conditions_make_a_jsonata_choice() -> None:
    document = {
        "StartAt": "A",
        "QueryLanguage": "JSONata",
        "States": {
            "A": {
                "Type": "Choice",
                "Choices": [{"Condition": "{% $states.input.ok %}", "Next": "B", "Assign": {"x": "{% 1 %}"}}],
                "Default": "B",
            },
            "B": {"Type": "Wait", "Seconds": "{% $n %}", "End": True},
        },
    }
    changed = edited(
        read(document),
        {"op": "add_step", "step": {"name": "Pause", "type": "wait"}},
        {"op": "connect", "from": "a", "to": "pause", "type": "condition", "when": "it is late"},
    )

    states = written(changed)["States"]

    assert states["A"]["Choices"][0] == document["States"]["A"]["Choices"][0]
    assert states["A"]["Choices"][1]["Condition"] == "{% $states.input.it_is_late %}"
    assert states["Pause"]["Seconds"] == "{% $states.input.pause_seconds %}"


def test_state_names_stay_unique_and_short_enough() -> None:
    names = ["x" * 100, "x" * 100, "Same", "Same"]
    steps = [{"id": f"s{at}", "name": name} for at, name in enumerate(names)]
    workflow = parse_workflow({"id": "wf_x", "name": "W", "steps": steps})

    assert list(written(workflow)["States"]) == ["x" * 80, "x" * 76 + " (2)", "Same", "Same (2)"]


@pytest.mark.parametrize(
    ("document", "pointer", "told"),
    [
        pytest.param({"StartAt": "X", "States": {"A": {"Type": "Succeed"}}}, "/StartAt", "no state 'X'", id="start"),
        pytest.param(machine(Type="Pass", Next="Z"), "/States/A/Next", "no state 'Z'", id="target"),
        pytest.param(machine(Type="Nap", Next="B"), "/States/A/Type", "must be 'Task' or", id="type"),
        pytest.param(machine(Next="B"), "/States/A", "needs `Type`", id="no type"),
        pytest.param(machine(Type="Pass"), "/States/A", "needs `Next` or `End`", id="leads nowhere"),
        pytest.param(machine(Type="Pass", Next="B", End=True), "/States/A", "only one of", id="both ways"),
        pytest.param(
            machine(Type="Succeed", Next="B"), "/States/A/Next", "no field 'Next'", id="goes on after the end"
        ),
        pytest.param(machine(Type="Task", Next="B"), "/States/A", "needs `Resource`", id="task without work"),
        pytest.param(machine(Type="Task", Resource="", Next="B"), "/States/A/Resource", "URI", id="blank resource"),
        pytest.param(
            machine(Type="Task", Resource="arn:aws:x", Next="B"), "/States/A/Resource", "no valid ARN", id="arn"
        ),
        pytest.param(
            machine(Type="Task", Resource="x:y", Next="B", TimeoutSeconds=5, HeartbeatSeconds=5),
            "/States/A/HeartbeatSeconds",
            "less than",
            id="heartbeat",
        ),
        pytest.param(
            machine(Type="Task", Resource="x:y", Next="B", TimeoutSeconds="soon"),
            "/States/A/TimeoutSeconds",
            "must be a number",
            id="timeout in words",
        ),
        pytest.param(
            machine(
                Type="Task", Resource="x:y", Next="B", Retry=[{"ErrorEquals": ["States.ALL"]}, {"ErrorEquals": ["A"]}]
            ),
            "/States/A/Retry/0",
            "must be the last",
            id="catch-all first",
        ),
        pytest.param(
            machine(Type="Task", Resource="x:y", Next="B", Retry=[{"ErrorEquals": ["States.ALL", "A"]}]),
            "/States/A/Retry/0/ErrorEquals",
            "stand alone",
            id="catch-all beside others",
        ),
        pytest.param(machine(Type="Wait", Next="B"), "/States/A", "needs `Seconds`", id="wait for nothing"),
        pytest.param(
            machine(Type="Wait", Timestamp="noon", Next="B"), "/States/A/Timestamp", "a time like", id="time in words"
        ),
        pytest.param(machine(Type="Choice", Choices=[]), "/States/A/Choices", "at least 1", id="no choices"),
        pytest.param(
            machine(Type="Choice", Choices=[{"Variable": "$.a", "Next": "B"}]),
            "/States/A/Choices/0",
            "needs `StringMatches`",
            id="rule without a test",
        ),
        pytest.param(
            machine(Type="Choice", Choices=[{"Variable": "$..a", "IsNull": True, "Next": "B"}]),
            "/States/A/Choices/0/Variable",
            "selects several",
            id="variable selects several",
        ),
        pytest.param(
            machine(Type="Choice", Choices=[{"And": [{"Variable": "$.a", "IsNull": True, "Next": "B"}], "Next": "B"}]),
            "/States/A/Choices/0/And/0/Next",
            "no field",
            id="inner rule leads on",
        ),
        pytest.param(
            machine(Type="Pass", Parameters={"a.$": 3}, Next="B"),
            "/States/A/Parameters/a.$",
            "must be text",
            id="path of another kind",
        ),
        pytest.param(
            machine(Type="Pass", Parameters=[{"a.$": "b"}], Next="B"),
            "/States/A/Parameters/0/a.$",
            "starts with `$`",
            id="no path",
        ),
        pytest.param(
            machine(Type="Pass", QueryLanguage="JSONata", Output=[{"a": "{% 1 + %}"}], Next="B"),
            "/States/A/Output/0/a",
            "ends too early",
            id="jsonata",
        ),
        pytest.param(
            machine(Type="Map", Next="B"), "/States/A", "needs `ItemProcessor` or `Iterator`", id="map of nothing"
        ),
        pytest.param(
            machine(
                Type="Parallel",
                Next="B",
                Branches=[{"StartAt": "C", "States": {"C": {"Type": "Succeed"}, "D": {"Type": "Succeed"}}}],
            ),
            "/States/A/Branches/0/States/D",
            "nothing leads to",
            id="unreachable in a branch",
        ),
        pytest.param(
            machine(Type="Parallel", Next="B", Branches=[{"StartAt": "B", "States": {"B": {"Type": "Succeed"}}}]),
            "/States/B",
            "another state 'B'",
            id="name used twice",
        ),
        pytest.param(machine(Type="Pass", Next="B", Catch=[]), "/States/A/Catch", "no field", id="catch of a pass"),
        pytest.param(
            {"StartAt": "A", "States": {"A" * 81: {"Type": "Succeed"}}},
            "/States/" + "A" * 81,
            "1 to 80 characters",
            id="long name",
        ),
        pytest.param({"StartAt": "A", "States": {}}, "/States", "at least 1", id="no states"),
    ],
)
def test_what_the_language_does_not_allow_is_refused_with_its_place(
    document: dict[str, Any], pointer: str, told: str
) -> None:
    found = problems(document)

    assert any(where == pointer and told in message for where, message in found), found


def filled(document: dict[str, Any], language: str = "JSONPath") -> dict[str, Any]:
    """Return a machine that names the query language of each state, as the schema wants it."""
    own = document.get("QueryLanguage", language)
    states: dict[str, Any] = {}
    for name, state in document["States"].items():
        inside = {key: filled(state[key], own) for key in ("ItemProcessor", "Iterator") if key in state}
        branches = {"Branches": [filled(one, own) for one in state["Branches"]]} if "Branches" in state else {}
        states[name] = {"QueryLanguage": own, **state, **inside, **branches}
    return {**document, "States": states}


@pytest.mark.parametrize(
    ("over", "path"),
    [
        pytest.param("$.items", "$.items", id="a path"),
        pytest.param("${tables}", "$.tables", id="a variable"),
        pytest.param("${a b}", None, id="no path"),
    ],
)
def test_what_a_loop_goes_over_is_written_as_a_path_or_left_out(over: str, path: str | None) -> None:
    step = {"id": "each", "name": "Each", "type": "loop", "loop": {"over": over, "parallel": 0}}

    state = written(parse_workflow({"id": "wf_x", "name": "X", "steps": [step]}))["States"]["Each"]

    assert state.get("ItemsPath") == path


@pytest.fixture(scope="module")
def schema() -> jsonschema_rs.Validator:
    documents = [json.loads(path.read_text()) for path in (CORPUS / "schemas").glob("*.json")]
    registry = jsonschema_rs.Registry([(one["$id"].rstrip("#"), one) for one in documents])
    root = next(one for one in documents if one["$id"].endswith("/state-machine.json#"))
    return jsonschema_rs.validator_for(root, registry=registry)


@needs_corpus
@settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(workflow=workflows())
def test_exports_of_any_workflow_are_valid_by_the_schema(schema: jsonschema_rs.Validator, workflow: Workflow) -> None:
    assert [error.message for error in schema.iter_errors(filled(written(workflow)))] == []


@needs_corpus
def test_every_document_labelled_invalid_is_refused_or_found_fault_with() -> None:
    refused: list[str] = []
    found: dict[str, set[str]] = {}
    for path in sorted(CORPUS.glob("invalid-*")):
        document = read_text(path.read_text())
        try:
            workflow = read(document)
        except UnreadableDocument:
            refused.append(path.name)
        else:
            found[path.name] = {one.rule for one in analyze(workflow) if one.severity == "error"}

    assert found == {
        # AWS runs these; the set of the validator is older than that.
        "invalid-json-surround-syntax-extra-spaces.json": set(),
        "invalid-jsonata-surround-syntax-no-spaces.json": set(),
        "invalid-missing-terminal.json": {"no-way-to-end"},
        "invalid-unreachable-state.json": {"unreachable-step"},
    }
    assert len(refused) == 46


@pytest.mark.parametrize("language", ["JSONPath", "JSONata"])
def test_a_map_that_does_not_say_what_it_goes_through_goes_through_its_input(language: str) -> None:
    inside = {"StartAt": "In", "States": {"In": {"Type": "Pass", "End": True}}}
    document = {"QueryLanguage": language, **machine(Type="Map", ItemProcessor=inside, Next="B")}

    workflow = read(document)

    assert [step.loop.over for step in workflow.steps if step.loop] == ["$"]
    assert "unbounded-loop" not in {finding.rule for finding in analyze(workflow)}
    assert written(workflow) == document
