"""Directed graphs of Graphviz, as people paste them."""

from typing import Any

import pytest

from workflow_agent.workflows.formats import FORMATS, import_workflow, pasted_document
from workflow_agent.workflows.formats.base import UnreadableDocument
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

DOT = FORMATS["dot"]
GRAPH = r"""// made by hand
strict digraph "Order handling" {
  rankdir=LR; fontname="Helvetica";
  node [shape=box, color="#333333"] /* for all below */
  receive [label="Receive\norder", assignee="clerk"];
  check [label="In stock?", shape=diamond];
  subgraph cluster_shop { label="Shop"; pack; "send it":n }
  done [shape=doublecircle]
  receive -> check
  check -> pack [label="yes", weight=2];
  check -> refuse [label="otherwise"]
  pack -> "send it" -> done
  refuse -> {done}
  pack -> refuse [style=dashed, label="error"];
}
"""


@pytest.fixture
def order() -> Workflow:
    return import_workflow(GRAPH)[1].workflow


def test_nodes_are_steps_by_their_shapes_and_labels(order: Workflow) -> None:
    told = [(step.id, step.name, step.type, step.assignee) for step in order.steps]

    assert told == [
        ("receive", "Receive order", "action", "clerk"),
        ("check", "In stock?", "decision", None),
        ("pack", "pack", "action", None),
        ("send_it", "send it", "action", None),
        ("done", "done", "end", None),
        ("refuse", "refuse", "action", None),
    ]
    assert (order.name, order.start) == ("Order handling", "receive")


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [
        pytest.param("receive", "check", {}, id="plain"),
        pytest.param("check", "pack", {"type": "condition", "when": {"text": "yes"}}, id="condition"),
        pytest.param("check", "refuse", {"type": "default"}, id="otherwise"),
        pytest.param("send_it", "done", {}, id="chain"),
        pytest.param("refuse", "done", {}, id="group"),
        pytest.param("pack", "refuse", {"type": "error"}, id="dashed error"),
    ],
)
def test_edges_are_transitions(order: Workflow, source: str, target: str, said: dict[str, Any]) -> None:
    edge = next(one for one in order.transitions if (one.from_, one.to) == (source, target))

    plain = edge.model_dump(mode="json", by_alias=True, exclude_defaults=True)

    assert {key: plain[key] for key in ("type", "when", "label") if key in plain} == said


def test_attributes_come_back_and_clusters_are_named_as_lost(order: Workflow) -> None:
    report = DOT.read(GRAPH).report

    exported = DOT.write(order)

    assert [note.what for note in report.lost] == ["1 subgraphs are read as the nodes in them"]
    assert exported.report.lost == []
    assert DOT.read(exported.text).workflow == order
    for kept in ("rankdir=LR", 'weight="2"', 'color="#333333"', '"send it"', r'label="Receive\norder"'):
        assert kept in exported.text


def test_an_edit_changes_what_it_names_and_nothing_else(order: Workflow) -> None:
    document = workflow_document(order)
    document["steps"][2]["name"] = 'Pack "all" \\ of it'
    before = DOT.write(order).text.splitlines()

    after = DOT.write(parse_workflow(document)).text.splitlines()

    assert [line for line in after if line not in before] == [
        r'  pack [shape=box, color="#333333", label="Pack \"all\" \\ of it"];'
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("digraph { a -- b }", "only directed edges", id="undirected edge"),
        pytest.param("digraph { a -> ", "ends before", id="cut short"),
        pytest.param("digraph { a } b", "more text after its end", id="text behind"),
        pytest.param("digraph { }", "no nodes", id="empty"),
        pytest.param("digraph { a [label=<b>x</b>] }", "which is not read", id="HTML"),
        pytest.param("digraph { " + "{" * 80 + "a" + "}" * 81, "nested deeper", id="too deep"),
        pytest.param("digraph { a -> ] }", "needs a name", id="sign for a name"),
    ],
)
def test_what_is_no_plain_graph_is_refused_with_a_reason(text: str, told: str) -> None:
    with pytest.raises(UnreadableDocument, match=told):
        import_workflow(text)


@pytest.mark.parametrize("fence", ["{}", "```dot\n{}\n```"])
def test_a_graph_is_found_in_a_message(fence: str) -> None:
    text = pasted_document("Please import this:\n" + fence.format(GRAPH.partition("\n")[2]))

    assert text is not None
    assert import_workflow(text)[0].name == "dot"
