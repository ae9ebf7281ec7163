"""Camunda: what its engines say in their own words is read, changed and said in the same words again."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import pytest

from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.formats import FORMATS, detect_format
from workflow_agent.workflows.formats.bpmn import Camunda
from workflow_agent.workflows.formats.bpmn.xml import parse_xml
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

FOLDER = Path(__file__).parents[3] / "benchmarks" / "data" / "formats" / "camunda"
CAMUNDA = Camunda()
ZEEBE, SEVEN = "http://camunda.org/schema/zeebe/1.0", "http://camunda.org/schema/1.0/bpmn"


def text_of(name: str) -> str:
    return (FOLDER / f"{name}.bpmn").read_text("utf-8")


def changed(name: str, *edits: dict[str, Any]) -> Element:
    workflow = apply_edits(CAMUNDA.read(text_of(name)).workflow, parse_edits([*edits])).workflow
    return parse_xml(CAMUNDA.write(workflow).text)


def element(root: Element, element_id: str) -> Element:
    return next(one for one in root.iter() if one.get("id") == element_id)


def said(root: Element) -> Iterator[tuple[str, tuple[tuple[str, str], ...], str]]:
    for one in root.iter():
        if not one.tag.startswith("{http://www.omg.org/spec/BPMN/20100524/DI}") and "DD/20100524" not in one.tag:
            yield one.tag, tuple(sorted(one.items())), (one.text or "").strip()


@pytest.mark.parametrize("name", ["zeebe_order", "seven_claim"])
def test_a_process_comes_back_with_all_that_its_engine_reads(name: str) -> None:
    text = text_of(name)
    workflow = CAMUNDA.read(text).workflow

    exported = CAMUNDA.write(workflow)

    flows = ("}incoming", "}outgoing", "}BPMNDiagram")
    before, after = (
        sorted(one for one in said(parse_xml(each)) if not one[0].endswith(flows)) for each in (text, exported.text)
    )
    assert (before, exported.report.lost) == (after, [])
    assert CAMUNDA.read(exported.text).workflow == workflow


@pytest.mark.parametrize(
    ("name", "step", "fields"),
    [
        ("zeebe_order", "check", {"assignee": "=clerk", "type": "human"}),
        (
            "zeebe_order",
            "charge",
            {"uses": "payment-service", "with": {"amount": "=order.amount", "card": "=order.card"}},
        ),
        ("zeebe_order", "remind", {"uses": "mail"}),
        ("zeebe_order", "ship", {"workflow": "shipping", "type": "subworkflow"}),
        ("seven_claim", "review", {"assignee": "claims"}),
        ("seven_claim", "assess", {"uses": "com.example.Assess", "with": {"claim": "${claim}", "limit": "1000"}}),
        ("seven_claim", "pay", {"uses": "payments"}),
        ("seven_claim", "tell", {"uses": "${mailer.send(claim)}"}),
        ("seven_claim", "sign", {"assignee": "${who}"}),
    ],
)
def test_what_the_engine_says_is_part_of_the_step(name: str, step: str, fields: dict[str, Any]) -> None:
    found = CAMUNDA.read(text_of(name)).workflow.step(step)

    assert found is not None
    assert found.model_dump(mode="json", by_alias=True).items() >= fields.items()


def test_what_is_changed_is_said_in_the_words_that_were_there() -> None:
    zeebe = changed(
        "zeebe_order",
        {"op": "update_step", "step": "check", "set": {"assignee": "boss"}},
        {"op": "update_step", "step": "charge", "set": {"uses": "bank", "with": {"amount": "=sum"}}},
        {"op": "update_step", "step": "ship", "set": {"workflow": "express"}},
    )
    seven = changed("seven_claim", {"op": "update_step", "step": "review", "set": {"assignee": "experts"}})

    assignment = element(zeebe, "check").find(f".//{{{ZEEBE}}}assignmentDefinition")
    assert assignment is not None
    assert assignment.attrib == {"assignee": "boss", "candidateGroups": "sales, backoffice"}
    task = element(zeebe, "charge").find(f".//{{{ZEEBE}}}taskDefinition")
    assert task is not None
    assert task.attrib == {"type": "bank", "retries": "5"}
    mapping = element(zeebe, "charge").find(f".//{{{ZEEBE}}}ioMapping")
    assert mapping is not None
    assert [dict(one.items()) for one in mapping] == [
        {"source": "=sum", "target": "amount"},
        {"source": "=receipt", "target": "receipt"},
    ]
    called = element(zeebe, "ship").find(f".//{{{ZEEBE}}}calledElement")
    assert called is not None
    assert called.attrib == {"processId": "express", "propagateAllChildVariables": "false"}
    assert element(seven, "review").get(f"{{{SEVEN}}}candidateGroups") == "experts"


def test_what_is_new_is_said_in_the_words_of_the_engine() -> None:
    step = {"name": "Pack", "type": "human", "assignee": "stock"}

    zeebe = changed("zeebe_order", {"op": "insert_step", "step": step, "between": ["charge", "ship"]})
    seven = changed("seven_claim", {"op": "insert_step", "step": step, "between": ["assess", "pay"]})

    assignment = element(zeebe, "pack").find(f".//{{{ZEEBE}}}assignmentDefinition")
    assert assignment is not None
    assert assignment.attrib == {"assignee": "stock"}
    assert element(seven, "pack").get(f"{{{SEVEN}}}assignee") == "stock"


def test_a_workflow_of_ours_comes_back_from_camunda() -> None:
    workflow: Workflow = parse_workflow(
        {
            "id": "wf_bill",
            "name": "Bill",
            "steps": [
                {"id": "check", "name": "Check", "type": "human", "assignee": "clerk"},
                {"id": "pay", "name": "Pay", "uses": "bank.transfer", "with": {"amount": "=total"}},
                {"id": "sub", "name": "Book", "type": "subworkflow", "workflow": "booking"},
                {"id": "done", "name": "Done", "type": "end"},
            ],
            "transitions": [
                {"from": "check", "to": "pay"},
                {"from": "pay", "to": "sub"},
                {"from": "sub", "to": "done"},
            ],
        }
    )

    exported = CAMUNDA.write(workflow)

    assert [one.what for one in exported.report.lost] == []
    assert "zeebe:taskDefinition" in exported.text
    again = CAMUNDA.read(exported.text).workflow
    assert (again.steps, again.transitions) == (workflow.steps, workflow.transitions)


def test_bpmn_of_a_process_for_camunda_keeps_what_the_engine_reads() -> None:
    workflow = CAMUNDA.read(text_of("zeebe_order")).workflow

    exported = FORMATS["bpmn"].write(workflow)

    assert detect_format(exported.text).name == "camunda"
    assert exported.text == CAMUNDA.write(workflow).text
