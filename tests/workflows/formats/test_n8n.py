from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from workflow_agent.workflows.formats import detect_format
from workflow_agent.workflows.formats.base import UnreadableDocument
from workflow_agent.workflows.formats.n8n import N8n
from workflow_agent.workflows.formats.text import read_text
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

N8N = N8n()
CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "workflows" / "n8n" / "workflows"
BASE = "n8n-nodes-base."


def node(name: str, kind: str, parameters: Mapping[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    return {"name": name, "type": BASE + kind, "parameters": dict(parameters or {}), "position": [0, 0], **fields}


def document(*nodes: dict[str, Any], **connections: Any) -> dict[str, Any]:
    return {"name": "Test", "nodes": list(nodes), "connections": connections}


def to(*names: str, kind: str = "main") -> list[dict[str, Any]]:
    return [{"node": name, "type": kind, "index": 0} for name in names]


def plain(value: Any) -> dict[str, Any]:
    return value.model_dump(mode="json", by_alias=True, exclude_defaults=True)


@pytest.mark.parametrize(
    ("one", "fields"),
    [
        pytest.param(
            node("A", "httpRequest", {"url": "u"}), {"uses": BASE + "httpRequest", "with": {"url": "u"}}, id="action"
        ),
        pytest.param(node("A", "if"), {"type": "decision"}, id="if"),
        pytest.param(node("A", "merge"), {"type": "join"}, id="merge"),
        pytest.param(node("A", "splitInBatches"), {"type": "loop"}, id="loop"),
        pytest.param(
            node("A", "wait", {"amount": 5, "unit": "minutes"}), {"type": "wait", "duration": "PT5M"}, id="wait"
        ),
        pytest.param(
            node("A", "wait", {"resume": "webhook"}), {"type": "event", "event": "webhook"}, id="wait for a call"
        ),
        pytest.param(node("A", "wait", {"amount": "={{ $json.n }}"}), {"type": "wait"}, id="wait by an expression"),
        pytest.param(
            node("A", "executeWorkflow", {"workflowId": {"value": "7", "cachedResultName": "Billing"}}),
            {"type": "subworkflow", "workflow": "Billing"},
            id="sub-workflow",
        ),
        pytest.param(node("A", "stopAndError"), {"type": "end", "outcome": "failed"}, id="error"),
        pytest.param(node("A", "slack", {"operation": "sendAndWait"}), {"type": "human"}, id="wait for an answer"),
        pytest.param(
            node("A", "code", retryOnFail=True, maxTries=5, waitBetweenTries=2000, onError="continueRegularOutput"),
            {"retry": {"max_attempts": 5, "interval": "PT2S"}, "on_error": "continue"},
            id="retry",
        ),
        pytest.param(node("A", "noOp", notes="Why"), {"description": "Why"}, id="notes"),
    ],
)
def test_a_node_becomes_the_step_it_is(one: dict[str, Any], fields: dict[str, Any]) -> None:
    step = plain(N8N.read(document(one)).workflow.steps[0])

    assert fields.items() <= step.items()


@pytest.mark.parametrize(
    ("one", "trigger"),
    [
        pytest.param(node("T", "manualTrigger"), {"type": "manual"}, id="manual"),
        pytest.param(
            node("T", "webhook", {"path": "in", "httpMethod": "POST"}),
            {"type": "webhook", "path": "in", "method": "POST"},
            id="webhook",
        ),
        pytest.param(
            node(
                "T", "scheduleTrigger", {"rule": {"interval": [{"field": "cronExpression", "expression": "0 9 * * 1"}]}}
            ),
            {"type": "schedule", "cron": "0 9 * * 1"},
            id="cron",
        ),
        pytest.param(
            node("T", "scheduleTrigger", {"rule": {"interval": [{"field": "hours", "hoursInterval": 6}]}}),
            {"type": "schedule", "every": "PT6H"},
            id="every six hours",
        ),
        pytest.param(
            node("T", "scheduleTrigger", {"rule": {"interval": [{"triggerAtHour": 7}]}}),
            {"type": "schedule", "cron": "0 7 * * *"},
            id="daily",
        ),
        pytest.param(node("T", "telegramTrigger"), {"type": "event", "event": "telegram"}, id="event"),
        pytest.param(node("T", "manualTrigger", disabled=True), None, id="disabled"),
        pytest.param(node("T", "scheduleTrigger"), None, id="without a rule"),
    ],
)
def test_a_trigger_node_is_a_trigger_and_the_start(one: dict[str, Any], trigger: Any) -> None:
    workflow = N8N.read(document(node("A", "set"), one, T={"main": [to("A")]})).workflow

    assert workflow.start == "t"
    assert [plain(found) for found in workflow.triggers] == ([trigger] if trigger else [])


SWITCH = node(
    "S",
    "switch",
    {"rules": {"values": [{"outputKey": "big", "conditions": {"conditions": [{"leftValue": "x"}]}}, {}]}},
    onError="continueErrorOutput",
)


@pytest.mark.parametrize(
    ("source", "outputs", "edges"),
    [
        pytest.param(
            node("S", "if"),
            {"main": [to("A"), to("B")]},
            [{"type": "condition", "when": {"text": "true"}}, {"type": "condition", "when": {"text": "false"}}],
            id="if",
        ),
        pytest.param(
            SWITCH,
            {"main": [to("A"), to("B"), to("A"), to("B")]},
            [
                {
                    "type": "condition",
                    "when": {"text": "big", "expression": {"conditions": [{"leftValue": "x"}]}, "language": "n8n"},
                },
                {"type": "condition", "when": {"text": "output 1"}},
                {"type": "default"},
                {"type": "error"},
            ],
            id="switch",
        ),
        pytest.param(
            node("S", "code", onError="continueErrorOutput"),
            {"main": [to("A"), to("B")]},
            [{}, {"type": "error"}],
            id="error output",
        ),
        pytest.param(
            node("S", "model"),
            {"ai_languageModel": [to("A", kind="ai_languageModel")]},
            [{"type": "data", "label": "ai_languageModel"}],
            id="side port",
        ),
        pytest.param(node("S", "set"), {"main": [to("A", "B")]}, [{}, {}], id="two at once"),
        pytest.param(node("S", "set"), {"main": [None, to("A")]}, [{}], id="second output"),
    ],
)
def test_a_connection_becomes_the_transition_it_is(
    source: dict[str, Any], outputs: dict[str, Any], edges: list[dict[str, Any]]
) -> None:
    read = document(source, node("A", "set"), node("B", "set"), S=outputs)
    workflow = N8N.read(read).workflow

    found = [plain(e) for e in workflow.transitions]

    names = ("id", "from", "to", "extensions")
    assert [{k: v for k, v in one.items() if k not in names} for one in found] == edges
    assert read_text(N8N.write(workflow).text)["connections"]["S"].keys() == outputs.keys()
    assert N8N.read(read_text(N8N.write(workflow).text)).workflow == workflow


def test_what_leads_nowhere_and_what_is_only_a_note_is_kept() -> None:
    note = {**node("Note", "stickyNote", {"content": "Mind the gap"}), "id": "n1"}
    workflow = N8N.read(document(node("A", "set"), note, A={"main": [to("Gone")]})).workflow

    exported = read_text(N8N.write(workflow).text)

    assert [step.name for step in workflow.steps] == ["A"]
    assert note in exported["nodes"]
    assert exported["connections"]["A"]["main"] == [to("Gone")]


@pytest.fixture
def review() -> Workflow:
    return parse_workflow(
        {
            "id": "wf_review",
            "name": "Review",
            "tags": ["hr"],
            "triggers": [
                {"type": "manual"},
                {"type": "schedule", "every": "P1D"},
                {"type": "event", "event": "cv.received"},
                {"type": "webhook", "path": "cv", "method": "POST"},
            ],
            "steps": [
                {"id": "start", "name": "Choose", "type": "decision"},
                {"id": "fetch", "name": "Fetch", "uses": BASE + "httpRequest", "with": {"url": "u"}},
                {"id": "rest", "name": "Wait", "type": "wait", "duration": "P2D"},
                {"id": "failed", "name": "Failed", "type": "end", "outcome": "failed"},
            ],
            "transitions": [
                {"id": "start-fetch", "from": "start", "to": "fetch", "type": "condition", "when": {"text": "yes"}},
                {"id": "start-rest", "from": "start", "to": "rest", "type": "default"},
                {"id": "fetch-failed", "from": "fetch", "to": "failed", "type": "error"},
            ],
        }
    )


def test_a_workflow_that_n8n_can_say_comes_back_whole(review: Workflow) -> None:
    exported = N8N.write(review)
    again = N8N.read(read_text(exported.text)).workflow

    assert exported.report.lost == []
    assert (again.steps, again.transitions, again.triggers, again.start) == (
        review.steps,
        review.transitions,
        review.triggers,
        review.start,
    )


def test_a_decision_is_a_switch_with_a_rule_for_each_condition(review: Workflow) -> None:
    nodes = {one["name"]: one for one in read_text(N8N.write(review).text)["nodes"]}

    rules = nodes["Choose"]["parameters"]["rules"]["values"]

    assert nodes["Choose"]["type"] == BASE + "switch"
    assert [rule["outputKey"] for rule in rules] == ["yes"]


@pytest.mark.parametrize("odd", [[], {}, None, 5])
def test_a_unit_or_a_rhythm_of_an_odd_kind_says_nothing(odd: Any) -> None:
    wait = node("W", "wait", {"amount": 2, "unit": odd})
    start = node("S", "scheduleTrigger", {"rule": {"interval": [{"field": odd}]}})

    read = N8n().read(document(start, wait, S={"main": [to("W")]})).workflow

    assert all(step.duration is None for step in read.steps)
    assert not any(trigger.type == "schedule" for trigger in read.triggers)


def test_no_two_nodes_are_at_the_same_place(review: Workflow) -> None:
    places = [tuple(one["position"]) for one in read_text(N8N.write(review).text)["nodes"]]

    assert len(set(places)) == len(places) == 8


def test_an_edit_changes_what_it_names_and_keeps_the_rest() -> None:
    one = node("A", "httpRequest", {"url": "u"}, credentials={"x": {"id": "1"}}, typeVersion=4.2)
    changed = workflow_document(N8N.read(document(one)).workflow)
    changed["steps"][0] |= {"name": "Call", "with": {"url": "v"}}

    written = read_text(N8N.write(parse_workflow(changed)).text)["nodes"][0]

    assert written == one | {"name": "Call", "parameters": {"url": "v"}}


def test_a_trigger_that_is_added_to_a_foreign_workflow_is_a_node_of_its_own() -> None:
    changed = workflow_document(N8N.read(document(node("A", "set"))).workflow)
    changed["triggers"] = [{"type": "schedule", "cron": "0 9 * * 1"}]

    exported = N8N.write(parse_workflow(changed))

    assert N8N.read(read_text(exported.text)).workflow.triggers == parse_workflow(changed).triggers


def test_a_condition_that_is_added_to_a_foreign_decision_makes_it_a_switch() -> None:
    read = document(node("S", "if"), node("A", "set"), S={"main": [to("A"), []]})
    changed = workflow_document(N8N.read(read).workflow)
    changed["transitions"] += [
        {"id": "n", "from": "s", "to": "a", "type": "condition", "when": {"expression": "={{ $json.x }}"}},
        {"id": "m", "from": "s", "to": "s", "type": "error"},
    ]

    exported = N8N.write(parse_workflow(changed))
    switch = read_text(exported.text)["nodes"][0]

    assert (switch["type"], switch["onError"]) == (BASE + "switch", "continueErrorOutput")
    assert [rule["outputKey"] for rule in switch["parameters"]["rules"]["values"]] == ["true", "n"]


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        pytest.param({"nodes": [], "connections": {}}, "/nodes: must have at least 1", id="no nodes"),
        pytest.param(document(node("A", "set"), node("A", "set")), "/nodes/1/name: 'A' is the name", id="name twice"),
        pytest.param(document(node("A", "stickyNote")), "/nodes: has no node that does", id="only a note"),
        pytest.param(
            document(node("A", "set"), A={"main": [[{}]]}), "/connections/A/main/0/0: needs `node`", id="entry"
        ),
        pytest.param(
            document(node("A", "set", typeVersion="1")), "/nodes/0/typeVersion: must be a number", id="version"
        ),
    ],
)
def test_what_n8n_has_not_is_refused_with_its_place(broken: Any, told: str) -> None:
    with pytest.raises(UnreadableDocument, match=told):
        N8N.read(broken)


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not beside this checkout")
def test_corpus_workflows_are_recognised_and_come_back_from_their_export() -> None:
    files = sorted(CORPUS.glob("*.json"))

    for file in files:
        read = read_text(file.read_text(encoding="utf-8"))
        workflow = N8N.read(read).workflow
        exported = N8N.write(workflow)

        assert detect_format(read) is not None
        assert detect_format(read).name == "n8n", file.name
        assert exported.report.lost == [], file.name
        assert N8N.read(read_text(exported.text)).workflow == workflow, file.name

    assert len(files) > 20
