from itertools import combinations
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from defusedxml.ElementTree import fromstring

from benchmarks.bpmn_documents import document
from benchmarks.eval_bpmn import is_valid, outcome
from benchmarks.eval_sizes import bpmn
from workflow_agent.workflows.formats import detect_format, import_workflow
from workflow_agent.workflows.formats.base import UnreadableDocument
from workflow_agent.workflows.formats.bpmn import Bpmn
from workflow_agent.workflows.formats.text import read_text
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

BPMN = Bpmn()
NS = {
    "b": "http://www.omg.org/spec/BPMN/20100524/MODEL",
    "di": "http://www.omg.org/spec/BPMN/20100524/DI",
    "dc": "http://www.omg.org/spec/DD/20100524/DC",
}
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<bpmn2:definitions xmlns:bpmn2="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI" xmlns:dc="http://www.omg.org/spec/DD/20100524/DC"
  id="Defs" targetNamespace="http://example.com" exporter="Modeler">"""
ORDER = (
    HEAD
    + """
  <bpmn2:message id="Msg_order" name="order placed"/>
  <bpmn2:message id="Msg_paid" name="payment received"/>
  <bpmn2:error id="Err_stock" name="out of stock" errorCode="E1"/>
  <bpmn2:process id="Order" name="Order handling" isExecutable="true">
    <bpmn2:documentation>From order to parcel</bpmn2:documentation>
    <bpmn2:laneSet id="Lanes">
      <bpmn2:lane id="Lane_1" name="Sales"><bpmn2:flowNodeRef>Task_check</bpmn2:flowNodeRef>
        <bpmn2:flowNodeRef>Task_pack</bpmn2:flowNodeRef><bpmn2:flowNodeRef>Gate</bpmn2:flowNodeRef>
      </bpmn2:lane>
      <bpmn2:lane id="Lane_2" name="Legal"><bpmn2:flowNodeRef>Task_sign</bpmn2:flowNodeRef></bpmn2:lane>
    </bpmn2:laneSet>
    <bpmn2:dataObjectReference id="Data_1" name="Order form" dataObjectRef="Data"/>
    <bpmn2:dataObject id="Data"/>
    <bpmn2:startEvent id="Start_msg" name="Order"><bpmn2:outgoing>F1</bpmn2:outgoing>
      <bpmn2:messageEventDefinition messageRef="Msg_order"/></bpmn2:startEvent>
    <bpmn2:startEvent id="Start_clock">
      <bpmn2:timerEventDefinition><bpmn2:timeCycle xsi:type="bpmn2:tFormalExpression">R/PT1H</bpmn2:timeCycle>
      </bpmn2:timerEventDefinition></bpmn2:startEvent>
    <bpmn2:userTask id="Task_check" name="Check order" camunda:formKey="check.html"/>
    <bpmn2:exclusiveGateway id="Gate" default="F_no"/>
    <bpmn2:serviceTask id="Task_pack" name="Pack" implementation="warehouse.pack" camunda:asyncBefore="true">
      <bpmn2:extensionElements><camunda:properties><camunda:property name="a" value="b"/></camunda:properties>
      </bpmn2:extensionElements></bpmn2:serviceTask>
    <bpmn2:boundaryEvent id="B_err" attachedToRef="Task_pack">
      <bpmn2:errorEventDefinition errorRef="Err_stock"/>
    </bpmn2:boundaryEvent>
    <bpmn2:boundaryEvent id="B_time" attachedToRef="Task_pack"><bpmn2:timerEventDefinition>
      <bpmn2:timeDuration>PT2H</bpmn2:timeDuration></bpmn2:timerEventDefinition></bpmn2:boundaryEvent>
    <bpmn2:manualTask id="Task_sign" name="Sign"/>
    <bpmn2:parallelGateway id="Split"/><bpmn2:parallelGateway id="Meet"/>
    <bpmn2:scriptTask id="Task_script" name="Count" scriptFormat="python"><bpmn2:script>1 + 1</bpmn2:script>
    </bpmn2:scriptTask>
    <bpmn2:callActivity id="Task_call" name="Invoice" calledElement="invoice"/>
    <bpmn2:subProcess id="Sub" name="Each item">
      <bpmn2:multiInstanceLoopCharacteristics><bpmn2:loopDataInputRef>items</bpmn2:loopDataInputRef>
      </bpmn2:multiInstanceLoopCharacteristics>
      <bpmn2:startEvent id="Sub_start"/><bpmn2:task id="Sub_task" name="Label item"/>
      <bpmn2:endEvent id="Sub_end"/>
      <bpmn2:sequenceFlow id="SF1" sourceRef="Sub_start" targetRef="Sub_task"/>
      <bpmn2:sequenceFlow id="SF2" sourceRef="Sub_task" targetRef="Sub_end"/>
    </bpmn2:subProcess>
    <bpmn2:eventBasedGateway id="Wait_gate" name="Paid or late"/>
    <bpmn2:intermediateCatchEvent id="Paid" name="Paid"><bpmn2:messageEventDefinition messageRef="Msg_paid"/>
    </bpmn2:intermediateCatchEvent>
    <bpmn2:intermediateCatchEvent id="Late" name="Late"><bpmn2:timerEventDefinition>
      <bpmn2:timeDuration>P14D</bpmn2:timeDuration></bpmn2:timerEventDefinition>
      </bpmn2:intermediateCatchEvent>
    <bpmn2:inclusiveGateway id="Any" name="Extras"/>
    <bpmn2:endEvent id="Done" name="Done"/>
    <bpmn2:endEvent id="Failed" name="Failed"><bpmn2:errorEventDefinition/></bpmn2:endEvent>
    <bpmn2:sequenceFlow id="F1" sourceRef="Start_msg" targetRef="Task_check"/>
    <bpmn2:sequenceFlow id="F2" sourceRef="Start_clock" targetRef="Task_check"/>
    <bpmn2:sequenceFlow id="F3" sourceRef="Task_check" targetRef="Gate"/>
    <bpmn2:sequenceFlow id="F_yes" name="fine" sourceRef="Gate" targetRef="Split">
      <bpmn2:conditionExpression xsi:type="bpmn2:tFormalExpression"
        language="juel">${ok}</bpmn2:conditionExpression>
    </bpmn2:sequenceFlow>
    <bpmn2:sequenceFlow id="F_no" sourceRef="Gate" targetRef="Failed"/>
    <bpmn2:sequenceFlow id="F4" sourceRef="Split" targetRef="Task_pack"/>
    <bpmn2:sequenceFlow id="F5" sourceRef="Split" targetRef="Task_sign"/>
    <bpmn2:sequenceFlow id="F6" sourceRef="Task_pack" targetRef="Meet"/>
    <bpmn2:sequenceFlow id="F7" sourceRef="Task_sign" targetRef="Meet"/>
    <bpmn2:sequenceFlow id="F8" sourceRef="B_err" targetRef="Failed"/>
    <bpmn2:sequenceFlow id="F9" sourceRef="B_time" targetRef="Task_check"/>
    <bpmn2:sequenceFlow id="F10" sourceRef="Meet" targetRef="Sub"/>
    <bpmn2:sequenceFlow id="F11" sourceRef="Sub" targetRef="Wait_gate"/>
    <bpmn2:sequenceFlow id="F12" sourceRef="Wait_gate" targetRef="Paid"/>
    <bpmn2:sequenceFlow id="F13" sourceRef="Wait_gate" targetRef="Late"/>
    <bpmn2:sequenceFlow id="F14" sourceRef="Paid" targetRef="Any"/>
    <bpmn2:sequenceFlow id="F15" sourceRef="Late" targetRef="Failed"/>
    <bpmn2:sequenceFlow id="F16" sourceRef="Any" targetRef="Task_script"/>
    <bpmn2:sequenceFlow id="F17" sourceRef="Any" targetRef="Task_call"/>
    <bpmn2:sequenceFlow id="F18" sourceRef="Task_script" targetRef="Done"/>
    <bpmn2:sequenceFlow id="F19" sourceRef="Task_call" targetRef="Done"/>
    <bpmn2:textAnnotation id="Note"><bpmn2:text>Careful</bpmn2:text></bpmn2:textAnnotation>
    <bpmn2:association id="Assoc" sourceRef="Task_pack" targetRef="Note"/>
  </bpmn2:process>
</bpmn2:definitions>"""
)


@pytest.fixture
def order() -> Workflow:
    return import_workflow(ORDER, "bpmn")[1].workflow


def named(workflow: Workflow, name: str) -> Step:
    return next(step for step in workflow.steps if step.name == name)


def edge(workflow: Workflow, source: str, target: str) -> dict[str, Any]:
    ids = {step.id: step.name for step in workflow.steps}
    found = next(e for e in workflow.transitions if (ids[e.from_], ids[e.to]) == (source, target))
    plain = found.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return {key: value for key, value in plain.items() if key not in ("id", "from", "to", "extensions")}


def edited(workflow: Workflow, which: str, **fields: Any) -> Workflow:
    document = workflow_document(workflow)
    next(step for step in document["steps"] if step["name"] == which).update(fields)
    return parse_workflow(document)


def element(workflow: Workflow, path: str) -> Element:
    found = fromstring(BPMN.write(workflow).text).find(path, NS)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        pytest.param("Check order", {"type": "human", "assignee": "Sales"}, id="user task in a lane"),
        pytest.param("Sign", {"type": "human", "assignee": "Legal"}, id="manual task in another lane"),
        pytest.param("Pack", {"uses": "warehouse.pack", "timeout": "PT2H"}, id="service task with a deadline"),
        pytest.param("Exclusive gateway", {"type": "decision", "assignee": None}, id="exclusive gateway"),
        pytest.param("Paid or late", {"type": "decision"}, id="event-based gateway"),
        pytest.param("Extras", {"type": "fork"}, id="inclusive gateway"),
        pytest.param("Paid", {"type": "event", "event": "payment received"}, id="message event"),
        pytest.param("Late", {"type": "wait", "duration": "P14D"}, id="timer event"),
        pytest.param("Count", {"type": "action", "uses": "python"}, id="script task"),
        pytest.param("Invoice", {"type": "subworkflow", "workflow": "invoice"}, id="call activity"),
        pytest.param("Each item", {"type": "loop"}, id="multi-instance sub-process"),
        pytest.param("Label item", {"parent": "each_item"}, id="task in a sub-process"),
        pytest.param("Failed", {"type": "end", "outcome": "failed"}, id="error end"),
    ],
)
def test_an_element_becomes_the_step_it_is(order: Workflow, name: str, fields: dict[str, Any]) -> None:
    step = named(order, name)

    assert {key: getattr(step, key) for key in fields} == fields


def test_parallel_gateways_are_forks_and_joins_by_their_flows(order: Workflow) -> None:
    gateways = [step.type for step in order.steps if step.name == "Parallel gateway"]

    assert gateways == ["fork", "join"]


def test_start_events_are_triggers_and_lead_to_the_start(order: Workflow) -> None:
    triggers = [trigger.model_dump(exclude_defaults=True) for trigger in order.triggers]

    assert order.start == "check_order"
    assert triggers == [{"type": "event", "event": "order placed"}, {"type": "schedule", "every": "PT1H"}]


@pytest.mark.parametrize(
    ("source", "target", "fields"),
    [
        pytest.param(
            "Exclusive gateway",
            "Parallel gateway",
            {"type": "condition", "label": "fine", "when": {"expression": "${ok}", "language": "juel"}},
            id="condition",
        ),
        pytest.param("Exclusive gateway", "Failed", {"type": "default"}, id="default"),
        pytest.param("Pack", "Failed", {"type": "error", "errors": ["out of stock"]}, id="boundary error"),
        pytest.param("Pack", "Check order", {"type": "error", "errors": ["timeout"]}, id="boundary timer"),
    ],
)
def test_a_flow_becomes_the_transition_it_is(order: Workflow, source: str, target: str, fields: dict[str, Any]) -> None:
    assert edge(order, source, target) == fields


def test_what_was_read_comes_back_from_its_export(order: Workflow) -> None:
    exported = BPMN.write(order)

    assert exported.report.lost == []
    assert BPMN.read(read_text(exported.text)).workflow == order


@pytest.mark.parametrize(
    "kept",
    [
        pytest.param('camunda:formKey="check.html"', id="attribute of an engine"),
        pytest.param('<camunda:property name="a" value="b"', id="extension element"),
        pytest.param("<bpmn:script>1 + 1</bpmn:script>", id="script"),
        pytest.param('dataObjectRef="Data"', id="data object"),
        pytest.param("<bpmn:text>Careful</bpmn:text>", id="annotation"),
        pytest.param('<bpmn:lane id="Lane_2" name="Legal"', id="lane"),
        pytest.param('id="Task_pack"', id="id"),
        pytest.param("<bpmn:inclusiveGateway", id="kind of gateway"),
        pytest.param('exporter="Modeler"', id="attribute of the document"),
    ],
)
def test_what_the_model_has_no_place_for_is_in_the_export(order: Workflow, kept: str) -> None:
    assert kept in BPMN.write(order).text


def test_an_edit_changes_what_it_names_and_keeps_the_rest(order: Workflow) -> None:
    renamed = edited(order, "Pack", name="Pack parcel", description="With care")

    pack = element(renamed, ".//b:serviceTask")

    assert pack.get("name") == "Pack parcel"
    assert pack.get("{http://camunda.org/schema/1.0/bpmn}asyncBefore") == "true"
    assert pack.find("b:extensionElements", NS) is not None


def test_another_type_of_step_is_another_element(order: Workflow) -> None:
    changed = edited(order, "Check order", type="action", assignee=None)

    task = element(changed, ".//b:task[@name='Check order']")

    assert task.get("{http://camunda.org/schema/1.0/bpmn}formKey") == "check.html"
    assert named(BPMN.read(BPMN.write(changed).text).workflow, "Check order").assignee is None


def test_a_removed_step_leaves_its_lane(order: Workflow) -> None:
    document = workflow_document(order)
    document["steps"] = [step for step in document["steps"] if step["name"] != "Sign"]
    document["transitions"] = [e for e in document["transitions"] if "sign" not in (e["from"], e["to"])]

    text = BPMN.write(parse_workflow(document)).text

    assert "Task_sign" not in text


def test_every_element_is_drawn(order: Workflow) -> None:
    root = fromstring(BPMN.write(order).text)
    drawn = {shape.get("bpmnElement") for shape in root.iter() if shape.get("bpmnElement")}
    elements = {e.get("id") for e in root.findall(".//b:sequenceFlow", NS)}
    elements |= {e.get("id") for e in root.findall(".//b:userTask", NS) + root.findall(".//b:boundaryEvent", NS)}

    assert elements <= drawn


def test_steps_of_an_export_do_not_overlap(order: Workflow) -> None:
    root = fromstring(BPMN.write(order).text)
    top = {child.get("id") for child in root.find("b:process", NS) or [] if not child.tag.endswith("boundaryEvent")}
    boxes = [
        [float(bounds.get(key, "")) for key in ("x", "y", "width", "height")]
        for shape in root.findall(".//di:BPMNShape", NS)
        if shape.get("bpmnElement") in top
        for bounds in shape.findall("dc:Bounds", NS)
    ]

    overlaps = [
        (a, b)
        for at, a in enumerate(boxes)
        for b in boxes[:at]
        if a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]
    ]

    assert len(boxes) > 10
    assert overlaps == []


SMALL = (
    HEAD
    + """<bpmn2:process id="P"><bpmn2:task id="A" name="Do"/>{0}</bpmn2:process>
    <bpmndi:BPMNDiagram id="D"><bpmndi:BPMNPlane id="Pl" bpmnElement="P">
    <bpmndi:BPMNShape id="S" bpmnElement="A"><dc:Bounds x="{1}" y="20.5" width="100" height="80"/>
      </bpmndi:BPMNShape>
    </bpmndi:BPMNPlane></bpmndi:BPMNDiagram></bpmn2:definitions>"""
)


def test_people_find_their_diagram_as_they_drew_it() -> None:
    workflow = BPMN.read(SMALL.format("", "1234.125")).workflow

    bounds = element(workflow, ".//dc:Bounds")

    assert bounds.attrib == {"x": "1234.125", "y": "20.5", "width": "100", "height": "80"}


@pytest.mark.parametrize("x", ["wide", "nan", "1e300"])
def test_a_diagram_that_makes_no_sense_is_drawn_anew(x: str) -> None:
    workflow = BPMN.read(SMALL.format("", x)).workflow

    assert element(workflow, ".//dc:Bounds").get("x") == "40"


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        pytest.param(
            '<bpmn2:task id="B" name="Again"><bpmn2:standardLoopCharacteristics loopMaximum="5">'
            "<bpmn2:loopCondition>"
            "${more}</bpmn2:loopCondition></bpmn2:standardLoopCharacteristics></bpmn2:task>",
            {"loop": {"while": {"expression": "${more}"}, "max_iterations": 5}},
            id="standard loop",
        ),
        pytest.param(
            '<bpmn2:userTask id="B" name="Again"><bpmn2:potentialOwner><bpmn2:resourceAssignmentExpression>'
            "<bpmn2:formalExpression>clerk</bpmn2:formalExpression></bpmn2:resourceAssignmentExpression>"
            "</bpmn2:potentialOwner></bpmn2:userTask>",
            {"assignee": "clerk"},
            id="potential owner",
        ),
        pytest.param(
            '<bpmn2:receiveTask id="B" name="Again" messageRef="x:Hello"/>',
            {"type": "event", "event": "Hello"},
            id="receive task",
        ),
        pytest.param('<bpmn2:subProcess id="B" name="Again"/>', {"type": "subworkflow"}, id="empty sub-process"),
    ],
)
def test_smaller_things_are_read_and_written(inside: str, expected: dict[str, Any]) -> None:
    workflow = BPMN.read(SMALL.format(inside, "1")).workflow

    step = named(workflow, "Again").model_dump(mode="json", by_alias=True, exclude_defaults=True)

    assert expected.items() <= step.items()
    assert BPMN.read(BPMN.write(workflow).text).workflow == workflow


@pytest.mark.parametrize(
    "inside",
    [
        pytest.param(
            '<bpmn2:boundaryEvent id="B" attachedToRef="A"><bpmn2:compensateEventDefinition/>'
            "</bpmn2:boundaryEvent>"
            '<bpmn2:task id="U" name="Undo" isForCompensation="true"/>'
            '<bpmn2:association id="L" sourceRef="B" targetRef="U"/>',
            id="compensation",
        ),
        pytest.param(
            '<bpmn2:boundaryEvent id="B" attachedToRef="A" name="Cancelled"><bpmn2:messageEventDefinition/>'
            '</bpmn2:boundaryEvent><bpmn2:task id="U" name="Undo"/>'
            '<bpmn2:sequenceFlow id="L" sourceRef="B" targetRef="U"/>',
            id="boundary message",
        ),
        pytest.param(
            '<bpmn2:boundaryEvent id="B" attachedToRef="A"><bpmn2:signalEventDefinition/></bpmn2:boundaryEvent>',
            id="boundary event that leads nowhere",
        ),
        pytest.param(
            '<bpmn2:startEvent id="S"/><bpmn2:startEvent id="T"/><bpmn2:task id="U" name="Other"/>'
            '<bpmn2:sequenceFlow id="L" sourceRef="S" targetRef="A"/>'
            '<bpmn2:sequenceFlow id="M" sourceRef="T" targetRef="U"/>',
            id="starts that lead to different steps",
        ),
        pytest.param(
            '<bpmn2:subProcess id="U" name="Sub"><bpmn2:startEvent id="S"/><bpmn2:task id="V" name="Again"/>'
            '<bpmn2:sequenceFlow id="L" sourceRef="S" targetRef="V"/>'
            '<bpmn2:sequenceFlow id="M" sourceRef="V" targetRef="V"/></bpmn2:subProcess>',
            id="a sub-process that begins in a cycle",
        ),
        pytest.param("<bpmn2:task/><bpmn2:task/>", id="no ids"),
    ],
)
def test_unusual_processes_come_back_from_their_export(inside: str) -> None:
    workflow = BPMN.read(SMALL.format(inside, "1")).workflow

    exported = BPMN.write(workflow)

    assert exported.report.lost == []
    assert BPMN.read(exported.text).workflow == workflow


def test_what_bpmn_cannot_say_is_in_its_extension_elements() -> None:
    workflow = parse_workflow(
        {
            "id": "wf_pay",
            "name": "Pay",
            "tags": ["finance"],
            "triggers": [{"type": "manual"}, {"type": "schedule", "cron": "0 9 * * 1"}],
            "steps": [
                {
                    "id": "pay",
                    "name": "Pay out",
                    "uses": "bank.pay",
                    "with": {"a": [1]},
                    "timeout": "PT1M",
                    "retry": {"max_attempts": 5},
                },
                {"id": "undo", "name": "Undo"},
                {"id": "each", "name": "Each", "type": "loop", "loop": {"over": "$.items"}},
                {"id": "one", "name": "One", "parent": "each"},
            ],
            "transitions": [
                {"from": "pay", "to": "undo", "type": "error", "errors": ["timeout"]},
                {"from": "pay", "to": "each", "when": {"text": "all is well"}},
            ],
        }
    )

    exported = BPMN.write(workflow)
    again = BPMN.read(exported.text).workflow

    assert exported.report.lost == []
    assert (again.steps, again.transitions, again.triggers, again.tags) == (
        workflow.steps,
        workflow.transitions,
        workflow.triggers,
        workflow.tags,
    )


def test_a_condition_that_is_data_is_written_as_json() -> None:
    rule = {"Variable": "$.paid", "BooleanEquals": True}
    workflow = parse_workflow(
        {
            "id": "wf_order",
            "name": "Order",
            "steps": [{"id": "paid", "name": "Paid?", "type": "decision"}, {"id": "ship", "name": "Ship"}],
            "transitions": [
                {"from": "paid", "to": "ship", "type": "condition", "when": {"expression": rule, "language": "asl"}}
            ],
        }
    )

    exported = BPMN.write(workflow)

    condition = fromstring(exported.text).find(".//b:conditionExpression", NS)
    assert condition is not None
    assert condition.text == '{"Variable": "$.paid", "BooleanEquals": true}'
    assert BPMN.read(exported.text).workflow.transitions == workflow.transitions


LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>' + SMALL.format("", "1").partition("?>")[2]
EXTERNAL = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + SMALL.format("", "1").partition("?>")[2]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param(LAUGHS, "document type or entities", id="entities that expand"),
        pytest.param(EXTERNAL, "document type or entities", id="external entity"),
        pytest.param(SMALL[:200], "is not XML", id="broken"),
        pytest.param("<a>" * 500 + "</a>" * 500, "nested deeper", id="too deep"),
        pytest.param("<a>" + "<b/>" * 500_001 + "</a>", "more than 200000", id="too large"),
        pytest.param("<a>\ud800</a>", "does not allow", id="half a character"),
        pytest.param("<html/>", "no `process`", id="other XML"),
        pytest.param(HEAD + "<bpmn2:process id='P'/></bpmn2:definitions>", "no `process`", id="empty process"),
        pytest.param(SMALL.format('<bpmn2:task id="A"/>', "1"), "/A: the id is used 2 times", id="id used twice"),
    ],
)
def test_what_is_no_bpmn_is_refused_with_its_place(text: str, told: str) -> None:
    with pytest.raises(UnreadableDocument, match=told):
        BPMN.read(text)


@pytest.mark.parametrize(
    ("text", "where", "told"),
    [
        pytest.param(
            SMALL.format('<bpmn2:sequenceFlow id="L" sourceRef="A" targetRef="Z"/>', "1"),
            "/sequenceFlow/L/targetRef",
            "targetRef 'Z' is no step",
            id="flow to nowhere",
        ),
        pytest.param(
            SMALL.format('<bpmn2:boundaryEvent id="B" attachedToRef="Z"/>', "1"),
            "/boundaryEvent/B/attachedToRef",
            "there is no step 'Z'",
            id="boundary event of nothing",
        ),
        pytest.param(
            SMALL.format(
                '<bpmn2:boundaryEvent id="B" attachedToRef="A"/>'
                '<bpmn2:sequenceFlow id="L" sourceRef="A" targetRef="B"/>',
                "1",
            ),
            "/sequenceFlow/L/targetRef",
            "cannot lead to a boundary event",
            id="flow to a boundary event",
        ),
    ],
)
def test_what_refers_to_nothing_is_left_out_and_told(text: str, where: str, told: str) -> None:
    imported = BPMN.read(text)

    (note,) = imported.report.lost
    assert note.where == where
    assert told in note.what
    assert [step.id for step in imported.workflow.steps] == [
        step.id for step in BPMN.read(SMALL.format("", "1")).workflow.steps
    ]


@pytest.mark.parametrize(
    "residue", ["not json", "[1]", '{"type": "nonsense"}', '{"name": null}', '{"a": ' * 500, '{"id": "x"}']
)
def test_residue_that_somebody_spoiled_is_not_believed(residue: str) -> None:
    inside = (
        '<bpmn2:task id="B" name="Other"><bpmn2:extensionElements>'
        '<wa:step xmlns:wa="urn:workflow-agent:bpmn">' + residue + "</wa:step></bpmn2:extensionElements></bpmn2:task>"
    )

    workflow = BPMN.read(SMALL.replace("{0}", inside).replace("{1}", "1")).workflow

    assert (named(workflow, "Other").type, len(workflow.steps)) == ("action", 2)
    assert BPMN.read(BPMN.write(workflow).text).workflow == workflow


def test_xml_that_is_no_bpmn_is_in_no_known_format() -> None:
    with pytest.raises(UnreadableDocument, match="no format that is known"):
        detect_format("<html/>")


DEFINITIONS = {
    "terminate": "<terminateEventDefinition/>",
    "link": '<linkEventDefinition name="on page 2"/>',
    "message": '<messageEventDefinition id="d" messageRef="M"/>',
    "signal": '<signalEventDefinition signalRef="S"/>',
    "escalation": '<escalationEventDefinition escalationRef="X"/>',
    "error": '<errorEventDefinition errorRef="E"/>',
    "timer": "<timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition>",
    "date": "<timerEventDefinition><timeDate>2030-01-01T00:00:00Z</timeDate></timerEventDefinition>",
    "compensation": '<compensateEventDefinition activityRef="A"/>',
    "condition": "<conditionalEventDefinition><condition>x</condition></conditionalEventDefinition>",
    "nothing": "",
}
_BESIDE = (
    '<flow id="F0" sourceRef="S0" targetRef="A"/><flow id="F1" sourceRef="A" targetRef="N"/>'
    '<startEvent id="S0"/><task id="A" name="A"/>'
).replace("flow ", "sequenceFlow ")
POSITIONS = {
    "end": _BESIDE + '<endEvent id="N" name="Over">@</endEvent>',
    "two": _BESIDE + '<endEvent id="N" name="Over">@<messageEventDefinition/></endEvent>',
    "catch": _BESIDE + '<intermediateCatchEvent id="N" name="C">@</intermediateCatchEvent>',
    "throw": _BESIDE + '<intermediateThrowEvent id="N" name="C">@</intermediateThrowEvent>',
    "start": _BESIDE.replace('"S0"/><task', '"S0">@</startEvent><task') + '<endEvent id="N"/>',
    "boundary": _BESIDE + '<endEvent id="N"/><task id="H" name="H"/><sequenceFlow id="F2" sourceRef="B" '
    'targetRef="H"/><boundaryEvent id="B" attachedToRef="A">@</boundaryEvent>',
    "boundary beside": _BESIDE + '<endEvent id="N"/><task id="H" name="H"/><sequenceFlow id="F2" '
    'sourceRef="B" targetRef="H"/><boundaryEvent id="B" attachedToRef="A" cancelActivity="false">@'
    "</boundaryEvent>",
    "boundary to nothing": _BESIDE + '<endEvent id="N"/><boundaryEvent id="B" attachedToRef="A">@</boundaryEvent>',
    "event sub-process": _BESIDE + '<endEvent id="N"/><subProcess id="U" name="U" triggeredByEvent="true">'
    '<startEvent id="US" isInterrupting="false">@</startEvent><task id="UT" name="T"/>'
    '<sequenceFlow id="UF" sourceRef="US" targetRef="UT"/></subProcess>',
}
_ROOTS = (
    '<message id="M" name="order"/><signal id="S" name="alarm"/><error id="E" name="bad" errorCode="E1"/>'
    '<escalation id="X" name="boss" escalationCode="X1"/>'
)


@pytest.mark.parametrize("definition", DEFINITIONS.values(), ids=DEFINITIONS)
@pytest.mark.parametrize("position", POSITIONS.values(), ids=POSITIONS)
def test_every_event_definition_comes_back_wherever_it_stands(position: str, definition: str) -> None:
    space = 'xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="x"'
    process = f'<process id="p" name="P">{position.replace("@", definition)}</process>'
    workflow = BPMN.read(f"<definitions {space}>{_ROOTS}{process}</definitions>").workflow

    exported = BPMN.write(workflow)
    again = BPMN.read(exported.text)

    assert workflow_document(again.workflow) == workflow_document(workflow)
    assert (exported.report.lost, again.report.lost) == ([], [])
    renamed = workflow.model_copy(
        update={"steps": tuple(one.model_copy(update={"name": f"{one.name} anew"}) for one in workflow.steps)}
    )
    told = BPMN.write(renamed).text
    for wanted in {one.tag for one in fromstring(f"<a {space}>{definition}</a>").iter()} - {f"{{{NS['b']}}}a"}:
        assert fromstring(told).find(f".//{wanted}") is not None


@pytest.mark.parametrize("order", [1, -1])
def test_the_pool_that_was_read_is_the_one_that_comes_back(order: int) -> None:
    pools = [
        f'<process id="{one}" name="{one}"><task id="{one}1" name="A"/><task id="{one}2" name="B"/></process>'
        for one in ("x", "y")
    ]
    head = f'<definitions xmlns="{NS["b"]}" targetNamespace="x"><collaboration id="C">'
    parts = '<participant id="P1" processRef="x"/><participant id="P2" processRef="y"/></collaboration>'
    workflow = BPMN.read(head + parts + "".join(pools[::order]) + "</definitions>").workflow
    smaller = workflow.model_copy(update={"steps": workflow.steps[:1]})

    exported = BPMN.write(smaller)

    assert exported.report.lost == []
    assert BPMN.read(exported.text).workflow.steps == smaller.steps


SPACES = (
    f'xmlns="{NS["b"]}" xmlns:bpmndi="{NS["di"]}" xmlns:dc="{NS["dc"]}" targetNamespace="x" '
    'xmlns:di="http://www.omg.org/spec/DD/20100524/DI" xmlns:tns="http://example.com/orders" '
    'xmlns:modeler="http://camunda.org/schema/modeler/1.0" modeler:executionPlatform="Camunda Cloud"'
)
DRAWN = f"""<definitions {SPACES}><message id="Hello" itemRef="tns:Item"/>
<process id="P" name="P"><startEvent id="S"/><task id="A" name="Ask"/><task id="B" name="Book"/>
<endEvent id="E"/><sequenceFlow id="F1" sourceRef="S" targetRef="A"/>
<sequenceFlow id="F2" sourceRef="A" targetRef="B"/><sequenceFlow id="F3" sourceRef="B" targetRef="E"/>
</process>
<bpmndi:BPMNDiagram id="D"><bpmndi:BPMNPlane id="Pl" bpmnElement="P">
<shape id="a" bpmnElement="S"><dc:Bounds x="100" y="122" width="36" height="36"/></shape>
<shape id="b" bpmnElement="A"><dc:Bounds x="200" y="100" width="100" height="80"/></shape>
<shape id="c" bpmnElement="B"><dc:Bounds x="400.5" y="300" width="100" height="80"/>
<bpmndi:BPMNLabel><dc:Bounds x="1" y="2" width="3" height="4"/></bpmndi:BPMNLabel></shape>
<shape id="d" bpmnElement="E"><dc:Bounds x="600" y="122" width="36" height="36"/></shape>
<edge id="f" bpmnElement="F2"><di:waypoint x="7" y="8"/><di:waypoint x="9" y="10"/></edge>
</bpmndi:BPMNPlane></bpmndi:BPMNDiagram></definitions>"""
for _short, _long in (("shape", "bpmndi:BPMNShape"), ("edge", "bpmndi:BPMNEdge")):
    DRAWN = DRAWN.replace(f"<{_short} ", f"<{_long} ").replace(f"</{_short}>", f"</{_long}>")


def drawing(workflow: Workflow) -> dict[str, list[dict[str, str]]]:
    """Return where each element is drawn, with its corners and labels, by the id of the element."""
    root = fromstring(BPMN.write(workflow).text)
    shapes = [one for one in root.iter() if one.tag.endswith(("BPMNShape", "BPMNEdge"))]
    return {one.get("bpmnElement", ""): [dict(part.attrib) for part in one.iter()][1:] for one in shapes}


def test_a_diagram_stays_as_it_was_drawn() -> None:
    workflow = BPMN.read(DRAWN).workflow

    drawn = drawing(workflow)

    assert drawn["F2"] == [{"x": "7", "y": "8"}, {"x": "9", "y": "10"}]
    assert drawn["B"][2] == {"x": "1", "y": "2", "width": "3", "height": "4"}
    assert BPMN.read(BPMN.write(workflow).text).workflow == workflow


def test_an_edit_draws_what_is_new_and_moves_nothing_else() -> None:
    workflow = BPMN.read(DRAWN).workflow
    document = workflow_document(workflow)
    before = drawing(workflow)
    document["steps"].append({"id": "check", "name": "Check", "type": "human"})
    document["transitions"][0]["to"] = "check"
    document["transitions"].append({"from": "check", "to": "book", "type": "sequence"})
    changed = parse_workflow(document)

    lost = BPMN.write(changed).report.lost
    after = drawing(changed)

    assert [note.what for note in lost if "ids" not in note.what] == []
    assert after["check"][0] == {"x": "350", "y": "100", "width": "100", "height": "80"}
    assert after["F2"][-1] == {"x": "350", "y": "140"}
    assert {one: after[one] for one in ("S", "A", "B", "E", "F1", "F3")} == {
        one: before[one] for one in ("S", "A", "B", "E", "F1", "F3")
    }


def test_a_removed_step_is_drawn_no_more() -> None:
    workflow = BPMN.read(DRAWN).workflow
    document = workflow_document(workflow)
    document["steps"] = [one for one in document["steps"] if one["id"] != "book"]
    document["transitions"] = []

    drawn = drawing(parse_workflow(document))

    assert {"B", "F2", "F3"}.isdisjoint(drawn)
    assert {"A", "E"} <= drawn.keys()


def test_a_diagram_of_ours_that_somebody_moved_is_kept() -> None:
    text = BPMN.write(BPMN.read(SMALL.format("", "nan")).workflow).text

    moved = BPMN.read(text.replace('x="40"', 'x="4000"')).workflow

    assert drawing(moved)["A"][0]["x"] == "4000"


@pytest.mark.parametrize(
    "said",
    [
        pytest.param('itemRef="tns:Item"', id="value with a prefix"),
        pytest.param('xmlns:tns="http://example.com/orders"', id="what the prefix stands for"),
        pytest.param('modeler:executionPlatform="Camunda Cloud"', id="attribute of a vendor"),
        pytest.param("<bpmn:incoming>F2</bpmn:incoming>", id="what leads to an element"),
        pytest.param("<bpmn:outgoing>F3</bpmn:outgoing>", id="what leads from it"),
    ],
)
def test_an_export_says_all_that_engines_read(said: str) -> None:
    assert said in BPMN.write(BPMN.read(DRAWN).workflow).text


POOLS = f"""<definitions {SPACES}><collaboration id="C"><participant id="P1" processRef="P" name="Shop"/>
<participant id="P2" processRef="Q"/><messageFlow id="M1" sourceRef="A" targetRef="X"/>
<messageFlow id="M2" sourceRef="B" targetRef="X"/></collaboration>
<process id="P" name="Shop"><!-- why --><task id="A" name="A"/><task id="B" name="B"/></process>
<process id="Q" name="Bank"><task id="X" name="X"/></process></definitions>"""


def test_other_pools_and_comments_are_named() -> None:
    report = BPMN.read(POOLS).report

    assert [note.where for note in report.kept if "'Bank'" in note.what] == ["/process/Q"]
    assert [note.what for note in report.lost] == ["1 XML comments are not read; it is left out"]


def test_a_message_to_a_removed_step_goes_with_it_and_is_named() -> None:
    workflow = BPMN.read(POOLS).workflow
    smaller = workflow.model_copy(update={"steps": workflow.steps[:1]})

    exported = BPMN.write(smaller)

    assert ('id="M1"' in exported.text, 'id="M2"' in exported.text) == (True, False)
    assert [note.where for note in exported.report.lost if "'B'" in note.what] == ["/messageFlow/M2"]


def test_link_events_of_a_name_are_joined_without_a_flow() -> None:
    inside = (
        '<bpmn2:intermediateThrowEvent id="T" name="T"><bpmn2:linkEventDefinition name="2"/>'
        '</bpmn2:intermediateThrowEvent><bpmn2:intermediateCatchEvent id="C" name="C">'
        '<bpmn2:linkEventDefinition name="2"/></bpmn2:intermediateCatchEvent>'
        '<bpmn2:sequenceFlow id="L" sourceRef="A" targetRef="T"/>'
    )
    workflow = BPMN.read(SMALL.format(inside, "1")).workflow

    text = BPMN.write(workflow).text

    assert [(e.from_, e.to) for e in workflow.transitions] == [("do", "t"), ("t", "c")]
    assert text.count("<bpmn:sequenceFlow ") == 1
    assert BPMN.read(text).workflow == workflow


@pytest.mark.parametrize("seed", range(0, 100, 4))
def test_whatever_bpmn_has_comes_back(seed: int) -> None:
    found = outcome(f"seed {seed}", document(seed))

    assert (found.refused, found.comes_back, found.missing) == ("", True, ())
    assert not found.is_made_invalid


@pytest.mark.parametrize("is_row", [True, False])
def test_what_a_diagram_does_not_show_is_drawn_where_nothing_is(*, is_row: bool) -> None:
    format_, imported = import_workflow(bpmn(60, drawn=20, is_row=is_row))

    root = fromstring(format_.write(imported.workflow).text)
    bounds = list(root.iter("{http://www.omg.org/spec/DD/20100524/DC}Bounds"))
    boxes = [tuple(float(one.get(name, "")) for name in ("x", "y", "width", "height")) for one in bounds]

    assert len(boxes) == 61
    assert not [(one, other) for one, other in combinations(boxes, 2) if overlap(one, other)]


def overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return all(one[at] < other[at] + other[at + 2] and other[at] < one[at] + one[at + 2] for at in (0, 1))


def test_a_made_diagram_is_valid_by_the_schema_of_bpmn() -> None:
    format_, imported = import_workflow(bpmn(3, drawn=0))

    written = format_.write(imported.workflow).text

    assert "BPMNShape" in written
    assert is_valid(written)
