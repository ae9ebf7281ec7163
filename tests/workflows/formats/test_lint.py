"""What linters of other tools find in documents of the right shape: each rule by a document that breaks it."""

import json
from typing import Any

import pytest

from workflow_agent.workflows.analysis import TOOL_RULES, format_findings
from workflow_agent.workflows.formats import FORMATS, import_workflow
from workflow_agent.workflows.formats.argo import lint as argo_lint
from workflow_agent.workflows.model.workflow import Workflow

PASS: dict[str, Any] = {"Type": "Pass", "End": True}


def machine(state: dict[str, Any], **rest: Any) -> str:
    ends = {} if {"End", "Choices"} & state.keys() else {"Next": "B"}
    return json.dumps({"StartAt": "A", "States": {"A": {**state, **ends}, "B": PASS}, **rest})


def task(**fields: Any) -> dict[str, Any]:
    return {"Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage", **fields}


def retried(**fields: Any) -> str:
    return machine(task(Retry=[{"ErrorEquals": ["States.ALL"], **fields}]))


def choice(*rules: dict[str, Any], **rest: Any) -> str:
    return machine({"Type": "Choice", "Choices": [{**one, "Next": "B"} for one in rules], **rest})


BIG, SET = {"Variable": "$.n", "NumericGreaterThan": 9}, {"Variable": "$.n", "IsPresent": True}
EACH = {"StartAt": "I", "States": {"I": PASS}}
ASL = [
    (retried(BackoffRate=0.5), "asl-retry", "/States/A/Retry/0/BackoffRate", "A"),
    (retried(IntervalSeconds=0), "asl-retry", "/States/A/Retry/0/IntervalSeconds", "A"),
    (retried(IntervalSeconds=9, MaxDelaySeconds=9), "asl-retry", "/States/A/Retry/0/MaxDelaySeconds", "A"),
    (
        machine(task(Catch=[{"ErrorEquals": ["States.Timedout"], "Next": "B"}])),
        "asl-error-name",
        "/States/A/Catch/0/ErrorEquals/0",
        "A",
    ),
    (
        machine({"Type": "Pass", "QueryLanguage": "JSONPath"}, QueryLanguage="JSONata"),
        "asl-query-language",
        "/States/A/QueryLanguage",
        "A",
    ),
    (machine({"Type": "Pass"}, Version="2.0"), "asl-version", "/Version", None),
    (
        machine(task(Retry=[{"ErrorEquals": ["X"]}, {"ErrorEquals": ["X"]}])),
        "asl-handler",
        "/States/A/Retry/1/ErrorEquals/0",
        "A",
    ),
    (retried().replace("States.ALL", "States.Runtime"), "asl-handler", "/States/A/Retry/0/ErrorEquals/0", "A"),
    (choice(BIG), "asl-choice", "/States/A", "A"),
    (choice(BIG, BIG, Default="B"), "asl-choice", "/States/A/Choices/1", "A"),
    (machine({"Type": "Pass", "InputPath": "$order.id"}), "asl-variable", "/States/A/InputPath", "A"),
    (
        machine({"Type": "Pass", "Output": "{% $order.id %}"}, QueryLanguage="JSONata"),
        "asl-variable",
        "/States/A/Output",
        "A",
    ),
    (
        machine(task(Resource="arn:aws:states:::sqs:sendMessage.waitForTaskToken", Parameters={"a": 1})),
        "asl-task-token",
        "/States/A/Resource",
        "A",
    ),
    (machine({"Type": "Map", "ItemProcessor": EACH, "Label": "x"}), "asl-map-mode", "/States/A/Label", "A"),
    (machine({"Type": "Pass", "Output": " {% 1 %} "}, QueryLanguage="JSONata"), "asl-literal", "/States/A/Output", "A"),
    (machine({"Type": "Map", "Iterator": EACH}), "asl-deprecated", "/States/A/Iterator", "A"),
    (
        machine({"Type": "Map", "ItemProcessor": {**EACH, "States": {"I": {**PASS, "InputPath": "$none.x"}}}}),
        "asl-variable",
        "/States/A/ItemProcessor/States/I/InputPath",
        "I",
    ),
]
SOUND_ASL = [
    choice(SET, {**SET, "IsPresent": False}),
    choice(BIG, {"Not": BIG}),
    choice(BIG, Default="B"),
    machine({"Type": "Pass", "Assign": {"order": 1}, "Output": "{% $order + $sum([1]) %}"}, QueryLanguage="JSONata"),
    machine({"Type": "Pass", "Output": "{% ($x := 1; $x) & '$none' %}"}, QueryLanguage="JSONata"),
    machine({"Type": "Pass", "Assign": {"order.$": "$.o"}, "Parameters": {"a.$": "$order.id", "b": "$none"}}),
]


def argo(templates: list[dict[str, Any]], kind: str = "Workflow", **spec: Any) -> str:
    body: dict[str, Any] = {"entrypoint": "main", **spec, "templates": templates}
    starts = {"schedule": spec.pop("schedule"), "workflowSpec": body} if "schedule" in spec else None
    body.pop("schedule", None)
    head = {"apiVersion": "argoproj.io/v1alpha1", "metadata": {"name": "x"}}
    return json.dumps({**head, "kind": "CronWorkflow" if starts else kind, "spec": starts or body})


def dag(*tasks: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"name": "main", "dag": {"tasks": [{"template": "say", **one} for one in tasks]}, **fields}


SAY = {"name": "say", "container": {"image": "alpine"}}
TEXT = {"name": "text"}
TELL = {
    "name": "say",
    "inputs": {"parameters": [TEXT]},
    "container": {"image": "alpine", "args": ["{{inputs.parameters.text}}"]},
}
GIVES = {**SAY, "outputs": {"parameters": [{"name": "out", "valueFrom": {"path": "/out"}}]}}
TAKES = {"inputs": {"parameters": [{**TEXT, "default": ""}]}}
A, B = {"name": "a"}, {"name": "b", "depends": "a"}


def args(value: str) -> dict[str, Any]:
    return {"arguments": {"parameters": [{"name": "text", "value": value}]}}


TASK = "/spec/templates/0/dag/tasks/"
VALUE = "/arguments/parameters/0/value"
ARGO = [
    (
        argo([dag(A), {**SAY, "container": {"image": "{{inputs.parameters.i}}"}}]),
        "argo-reference",
        "/spec/templates/1/container/image",
        "a",
    ),
    (argo([dag({**A, **args("{{workflow.parameters.x}}")}), TELL]), "argo-reference", f"{TASK}0{VALUE}", "a"),
    (argo([dag({**A, **args("{{item}}")}), TELL]), "argo-reference", f"{TASK}0{VALUE}", "a"),
    (
        argo(
            [
                dag(A, {"name": "b", **args("{{tasks.a.outputs.result}}")}, A | {"name": "c", **args("x")}),
                {**TELL, **TAKES},
            ]
        ),
        "argo-result",
        f"{TASK}1{VALUE}",
        "b",
    ),
    (
        argo([dag({**A}, {**B, **args("{{tasks.a.outputs.parameters.none}}")}), {**GIVES, **TAKES}]),
        "argo-result",
        f"{TASK}1{VALUE}",
        "b",
    ),
    (argo([dag(A), TELL]), "argo-argument", f"{TASK}0", "a"),
    (argo([dag(A, inputs={"parameters": [TEXT]}), SAY]), "argo-argument", "/spec/entrypoint", None),
    (
        argo([dag(A, outputs={"parameters": [{"name": "o"}]}), SAY]),
        "argo-output",
        "/spec/templates/0/outputs/parameters/0",
        None,
    ),
    (
        argo([dag(A), {**SAY, "outputs": {"artifacts": [{"name": "o"}]}}]),
        "argo-output",
        "/spec/templates/1/outputs/artifacts/0",
        "a",
    ),
    (argo([dag({"name": "a b"}), SAY]), "argo-name", f"{TASK}0/name", "a_b"),
    (argo([dag(A, {**B, "continueOn": {"failed": True}}), SAY]), "argo-depends", f"{TASK}1/continueOn", "b"),
    (argo([dag(A, timeout="10s"), SAY]), "argo-limit", "/spec/templates/0/timeout", None),
    (argo([dag(A), {**SAY, "parallelism": 2}]), "argo-limit", "/spec/templates/1/parallelism", "a"),
    (argo([dag(A), {"name": "say", "container": {"args": ["x"]}}]), "argo-image", "/spec/templates/1/container", "a"),
    (
        argo([dag(A), {**SAY, "container": {"image": "a", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}}]),
        "argo-volume",
        "/spec/templates/1/container/volumeMounts/0",
        "a",
    ),
    (argo([dag(A), SAY], schedule="61 * * * *"), "argo-schedule", "/spec/schedule", None),
    (argo([dag(A), SAY], arguments={"parameters": [TEXT]}), "argo-value", "/spec/arguments/parameters/0", None),
    (argo([dag(A), SAY, {**SAY, "name": "left"}]), "argo-unused", "/spec/templates/2", None),
]
ITEMS = {"withItems": ["x"], **args("{{item}}")}
SOUND_ARGO = [
    argo([dag({**A, **ITEMS}), TELL]),
    argo([dag(A, {**B, **args("{{tasks.a.outputs.parameters.out}}")}), {**GIVES, **TAKES}]),
    argo(
        [dag({**A, **args("{{workflow.parameters.x}} {{workflow.name}} {{=1 + 1}}")}), TELL],
        arguments={"parameters": [{"name": "x", "value": "1"}]},
    ),
    argo([dag({**A, **args("{{workflow.parameters.x}}")}), TELL], "WorkflowTemplate"),
    argo(
        [dag(A), {**SAY, "container": {"image": "a", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}}],
        volumes=[{"name": "v", "emptyDir": {}}],
    ),
]


def bpmn(*parts: str, executable: bool = False) -> str:
    return (
        '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="x">'
        f'<process id="p" isExecutable="{str(executable).lower()}">{"".join(map(element, parts))}</process>'
        "</definitions>"
    )


def element(told: str) -> str:
    """Return the element for `a>b`, `a>b?` with a condition, `startEvent:s` or XML."""
    if told.startswith("<"):
        return told
    if ">" in told:
        source, _, target = told.partition(">")
        inner = "<conditionExpression>x</conditionExpression>" if target.endswith("?") else ""
        target = target.rstrip("?")
        return (
            f'<sequenceFlow id="f-{source}-{target}" sourceRef="{source}" targetRef="{target}">{inner}</sequenceFlow>'
        )
    kind, _, name = told.partition(":")
    return f'<{kind} id="{name}" name="{name.upper()}"/>'


def link(kind: str, name: str) -> str:
    return f'<{kind} id="{name}" name="l"><linkEventDefinition name="go"/></{kind}>'


ROW = ("startEvent:s", "task:t", "endEvent:e", "s>t", "t>e")
HANDLER = (
    '<subProcess id="h" name="H" triggeredByEvent="true"><startEvent id="hs" name="HS"/><task id="ht" name="HT"/>'
    '<endEvent id="he" name="HE"/><sequenceFlow id="h1" sourceRef="hs" targetRef="ht"/>'
    '<sequenceFlow id="h2" sourceRef="ht" targetRef="he"/></subProcess>'
)
TIMER = '<intermediateCatchEvent id="w" name="W"><timerEventDefinition/></intermediateCatchEvent>'
TWO = (
    '<intermediateThrowEvent id="w" name="W"><signalEventDefinition/><messageEventDefinition/></intermediateThrowEvent>'
)
BPMN = [
    (
        bpmn(
            "startEvent:s", "eventBasedGateway:g", "task:t", "task:u", "endEvent:e", "s>g", "g>t", "g>u", "t>e", "u>e"
        ),
        "bpmn-event-gateway",
        "/t",
        "t",
    ),
    (bpmn(*ROW, HANDLER), "bpmn-event-sub-process", "/hs", None),
    (bpmn("startEvent:s", link("intermediateThrowEvent", "l"), "s>l"), "bpmn-link", "/l", "l"),
    (bpmn("startEvent:s", "task:t", "s>t", "t>s"), "bpmn-start-entered", "/s", "s"),
    (bpmn("startEvent:s", TIMER, "endEvent:e", "s>w", "w>e", executable=True), "bpmn-timer", "/w", "w"),
    (bpmn("task:t", "endEvent:e", "t>e"), "bpmn-start", "/p", None),
    (
        bpmn(
            "startEvent:s", "exclusiveGateway:g", "task:t", "task:u", "endEvent:e", "s>g", "g>t?", "g>u", "t>e", "u>e"
        ),
        "bpmn-condition",
        "/f-g-u",
        "g",
    ),
    (
        bpmn("startEvent:s", "exclusiveGateway:g", "task:t", "task:u", "endEvent:e", "s>g", "g>t", "g>u", "t>u", "u>e"),
        "bpmn-fake-join",
        "/u",
        "u",
    ),
    (
        bpmn("startEvent:s", "task:t", "endEvent:e", "endEvent:e2", "s>t", "t>e", "t>e2"),
        "bpmn-implicit-split",
        "/t",
        "t",
    ),
    (
        bpmn("startEvent:s", "exclusiveGateway:g", "task:t", "endEvent:e", "s>g", "g>t", "t>g", "g>e"),
        "bpmn-join-fork",
        "/g",
        "g",
    ),
    (bpmn("startEvent:s", "task:t", "s>t"), "bpmn-end", "/p", None),
    (bpmn("startEvent:s", "task:t", "s>t"), "bpmn-implicit-end", "/t", "t"),
    (bpmn("startEvent:s", "inclusiveGateway:g", "endEvent:e", "s>g", "g>e"), "bpmn-gateway", "/g", "g"),
    (bpmn("startEvent:s", '<userTask id="t"/>', "endEvent:e", "s>t", "t>e"), "bpmn-label", "/t", "t"),
    (bpmn("startEvent:s", TWO, "endEvent:e", "s>w", "w>e"), "bpmn-event-definition", "/w", "w"),
]
SOUND_BPMN = [
    bpmn(*ROW),
    bpmn(*ROW, HANDLER.replace('name="HS"/>', 'name="HS"><errorEventDefinition/></startEvent>')),
    bpmn(*ROW[1:], '<startEvent id="s" name="S"><messageEventDefinition/></startEvent>'),
    bpmn(
        "startEvent:s",
        link("intermediateThrowEvent", "l"),
        link("intermediateCatchEvent", "c"),
        "endEvent:e",
        "s>l",
        "c>e",
    ),
    bpmn(
        "startEvent:s",
        TIMER.replace("Definition/>", "Definition><timeDuration>PT1H</timeDuration></timerEventDefinition>"),
        "endEvent:e",
        "s>w",
        "w>e",
        executable=True,
    ),
]
BREAKING = [(name, *one) for name, listed in (("asl", ASL), ("argo", ARGO), ("bpmn", BPMN)) for one in listed]
SOUND = [
    (name, one) for name, listed in (("asl", SOUND_ASL), ("argo", SOUND_ARGO), ("bpmn", SOUND_BPMN)) for one in listed
]


def read(text: str, format_name: str) -> Workflow:
    return import_workflow(text, format_name)[1].workflow


@pytest.mark.parametrize(("format_name", "text", "rule", "pointer", "step"), BREAKING)
def test_a_rule_finds_its_mistake_where_it_is(
    format_name: str, text: str, rule: str, pointer: str, step: str | None
) -> None:
    workflow = read(text, format_name)
    names = {one.id: one.name for one in workflow.steps}

    found = [one for one in format_findings(workflow) if one.rule == rule]

    assert pointer in [one.evidence["pointer"] for one in found]
    (at,) = [one for one in found if one.evidence["pointer"] == pointer][:1]
    told = at.steps[0] if at.steps else None
    assert step in (told, names.get(told or "", ""))


@pytest.mark.parametrize(("format_name", "text"), SOUND)
def test_nothing_is_found_where_nothing_is_wrong(format_name: str, text: str) -> None:
    assert [(one.rule, one.message) for one in format_findings(read(text, format_name))] == []


def test_every_rule_of_a_format_is_tried() -> None:
    tried = {rule for _, _, rule, _, _ in BREAKING}

    assert tried == {one.id for one in TOOL_RULES if not one.id.startswith(("github-", "arazzo-"))}


def test_a_result_of_a_task_that_is_needed_and_not_there_is_told() -> None:
    later = {"name": "c", "depends": "b", **args("{{tasks.gone.outputs.result}}")}
    document = json.loads(argo([dag(B | {"depends": "gone"}, later), {**TELL, **TAKES}]))

    found = [one for rule in argo_lint.RULES if rule.id == "argo-result" for one in rule.problems(document)]

    assert [one.pointer for one in found] == [f"{TASK}1{VALUE}"]


@pytest.mark.parametrize("kind", [[], {}, None, 5])
def test_a_kind_that_is_no_text_is_no_kind(kind: Any) -> None:
    known = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow"}

    assert 0 < FORMATS["argo"].recognises({**known, "kind": kind}) < FORMATS["argo"].recognises(known)


def test_a_type_of_an_event_that_is_no_text_is_told() -> None:
    jobs = {"a": {"runs-on": "ubuntu-latest", "steps": [{"run": "make"}]}}
    text = json.dumps({"on": {"issues": {"types": ["opened", {"a": 1}]}}, "jobs": jobs})

    found = format_findings(read(text, "github-actions"))

    assert [one.rule for one in found] == ["github-event-type"]
