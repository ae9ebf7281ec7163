import re

import pytest

from tests.support.diagrams import END, finding, inside_a_loop, named
from tests.support.findings import process
from workflow_agent.workflows.diagrams import COLLAPSE_ABOVE_STEPS
from workflow_agent.workflows.diagrams.graph import diagram_of
from workflow_agent.workflows.diagrams.svg.style import changes_of
from workflow_agent.workflows.diff import diff_workflows
from workflow_agent.workflows.model.steps import STEP_TYPES


def lines_of(diagram: str) -> list[str]:
    return [line.strip() for line in diagram.splitlines()]


def test_steps_are_coloured_and_transitions_say_when() -> None:
    diagram = diagram_of(
        process("ask>a [amount > 5]", "ask>b (default)", "a>b (error)", "b>a", ask={"type": "decision"}), "dot"
    )

    assert 'fillcolor="#f3e8fb"' in diagram
    assert lines_of(diagram)[-5:] == [
        '"s_ask" -> "s_a" [label="amount > 5"]',
        '"s_ask" -> "s_b" [label="otherwise"]',
        '"s_a" -> "s_b" [label="on error", style=dashed]',
        '"s_b" -> "s_a"',
        "}",
    ]


def test_every_type_of_step_has_a_shape() -> None:
    diagram = diagram_of(process("action>human", **{kind: {"type": kind} for kind in STEP_TYPES}), "dot")

    assert all(f'"s_{kind}" [label="{kind.capitalize()}", shape=' in diagram for kind in STEP_TYPES)


@pytest.mark.parametrize(
    ("name", "label"),
    [
        pytest.param('say "hi"', r'"say \"hi\""', id="quotes"),
        pytest.param("\\", r'"\\"', id="a backslash at the end"),
        pytest.param(r"a\nb", r'"a\\nb"', id="what would be a new line"),
        pytest.param("two\nlines", '"two lines"', id="a new line"),
        pytest.param("<b>x</b>", '"<b>x</b>"', id="what would be HTML without quotes"),
    ],
)
def test_text_cannot_break_out_of_its_label(name: str, label: str) -> None:
    assert f"[label={label}" in diagram_of(named(name), "dot").replace("\\n⚠", '"')


def test_scope_is_a_cluster_and_a_folded_one_says_how_much_is_inside() -> None:
    workflow = process("each>done", each={"type": "loop"}, one={"parent": "each"}, done=END)

    opened = lines_of(diagram_of(workflow, "dot"))
    folded = diagram_of(inside_a_loop(COLLAPSE_ABOVE_STEPS), "dot")

    assert 'subgraph "cluster_each" {' in opened
    assert '"s_each" -> "s_one" [style=dotted]' in opened
    assert f'"Each\\n+ {COLLAPSE_ABOVE_STEPS} steps inside"' in folded


def test_findings_and_changes_are_marked() -> None:
    before = process("a>b", b={"name": "Before"})
    after = process("a>b", "b>c", b={"name": "After"})
    marks = [finding("error", "a", transitions=("a-b",))]

    diagram = diagram_of(after, "dot", findings=marks, changes=changes_of(diff_workflows(before, after)))

    assert '"A\\n⚠ rule-error"' in diagram
    assert re.search(r'color="#c62828".*, penwidth=3, tooltip="Something."]', diagram)
    assert '"s_a" -> "s_b" [color="#c62828", penwidth=2]' in diagram
    assert '"s_b" -> "s_c" [color="#1a7f37", penwidth=2]' in diagram


def test_workflow_too_large_to_read_says_so() -> None:
    workflow = process(*[f"n{at}>n{at + 1}" for at in range(1_000)])

    assert 'label="… and 801 more steps"' in diagram_of(workflow, "dot")
