import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.diagrams import END, HOSTILE, finding, inside_a_loop, named
from tests.support.findings import process
from tests.support.workflows import workflows
from workflow_agent.workflows.analysis import analyze
from workflow_agent.workflows.diagrams import COLLAPSE_ABOVE_STEPS, MAX_STEPS, DiagramView
from workflow_agent.workflows.diagrams.graph import diagram_of
from workflow_agent.workflows.diagrams.svg.style import changes_of
from workflow_agent.workflows.diff import diff_workflows
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.steps import STEP_TYPES
from workflow_agent.workflows.model.workflow import Workflow

TEXT = r'"(?:[^"\n#]|#\d{1,6};|#quot;)+"'
NODE = re.compile(rf"\s+(?:s_[a-z0-9_D]+|begin|rest)(?:[\[({{>/]{{1,2}})({TEXT})(?:[\])}}/]{{1,2}})(?::::\w+)?")
LINK = re.compile(rf"\s+(?:s_[a-z0-9_D]+|begin) (?:-->|-\.->|-\.-)(?:\|({TEXT})\|)? s_[a-z0-9_D]+")
OTHER = re.compile(
    rf"flowchart TD|\s+end|\s+subgraph g_[a-z0-9_D]+\[({TEXT})\]|\s+classDef \w+ [\w#:, -]+"
    r"|\s+class [\w,]+ \w+|\s+linkStyle \d+ [\w#:,-]+"
)
"""The lines a diagram may have; a real parser accepts each of these forms."""


def lines_of(diagram: str) -> list[str]:
    return diagram.rstrip("\n").split("\n")


def assert_well_formed(diagram: str) -> None:
    for line in lines_of(diagram):
        assert any(form.fullmatch(line) for form in (NODE, LINK, OTHER)), line


def test_steps_have_the_shape_and_class_of_their_type() -> None:
    steps = {kind: {"type": kind} for kind in STEP_TYPES}
    diagram = diagram_of(process("action>human", **steps))

    for kind in STEP_TYPES:
        assert re.search(rf's_{kind}\W+"{kind.capitalize()}"\W+:::{kind}Step\n', diagram)
        assert f"classDef {kind}Step " in diagram


def test_start_is_marked_and_transitions_say_when() -> None:
    workflow = process(
        "ask>a [amount > 5]",
        "ask>b (default)",
        "a>b (error)",
        "b>a (compensation)",
        "a>c (data)",
        ask={"type": "decision"},
    )

    assert lines_of(diagram_of(workflow))[6:12] == [
        "    begin --> s_ask",
        '    s_ask -->|"amount #62; 5"| s_a',
        '    s_ask -->|"otherwise"| s_b',
        '    s_a -.->|"on error"| s_b',
        '    s_b -.->|"undo"| s_a',
        "    s_a -.- s_c",
    ]


def test_transition_without_words_says_that_it_has_a_condition() -> None:
    workflow = parse_workflow(
        {
            "id": "wf_x",
            "name": "X",
            "steps": [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}],
            "transitions": [{"from": "a", "to": "b", "when": {"expression": {"Variable": "$.x"}}}],
        }
    )

    assert '    s_a -->|"condition"| s_b' in diagram_of(workflow)


def test_assignee_is_shown_under_the_name() -> None:
    diagram = diagram_of(process("a>b", a={"type": "human", "assignee": "finance"}))

    assert 's_a[/"A<br/><i>finance</i>"/]:::humanStep' in diagram


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_cannot_break_out_of_its_label(name: str) -> None:
    workflow = named(name)

    assert_well_formed(diagram_of(workflow, findings=analyze(workflow)))


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=200).filter(str.strip))
def test_any_text_stays_within_its_label(name: str) -> None:
    assert_well_formed(diagram_of(named(name)))


@settings(max_examples=60, deadline=None)
@given(workflows())
def test_any_workflow_can_be_drawn(workflow: Workflow) -> None:
    diagram = diagram_of(workflow, findings=analyze(workflow))

    assert_well_formed(diagram)
    assert all(f"s_{step.id}" in diagram for step in workflow.steps)


def test_text_is_readable_where_it_is_harmless() -> None:
    diagram = diagram_of(process("a>b", a={"name": "Prüfen (2. Stufe) / 5 %, don't stop"}))

    assert '"Prüfen (2. Stufe) / 5 #37;, don\'t stop"' in diagram


@pytest.mark.parametrize(
    ("name", "label"),
    [
        pytest.param("1. First", "1#46; First", id="a numbered item"),
        pytest.param("12) Twelfth", "12#41; Twelfth", id="a numbered item with a bracket"),
        pytest.param("- Item", "#45; Item", id="an item"),
        pytest.param("Step 1. Go", "Step 1. Go", id="a number further on"),
    ],
)
def test_label_is_not_taken_for_a_list(name: str, label: str) -> None:
    assert f'["{label}"]' in diagram_of(process("a>b", a={"name": name}))


def test_long_names_are_cut() -> None:
    diagram = diagram_of(process("a>b", a={"name": "x" * 200}))

    assert f'"{"x" * 79}…"' in diagram


def test_ids_that_differ_stay_different() -> None:
    diagram = diagram_of(process("a>b", **{"x-y": {}, "x_y": {}, "end": {}}))

    assert {"s_xDy[", "s_x_y[", "s_end["} <= set(re.findall(r"s_\w+\[", diagram))


def test_scope_is_drawn_around_its_steps_and_entered() -> None:
    diagram = diagram_of(
        process("each>done", "one>two", each={"type": "loop"}, one={"parent": "each"}, two={"parent": "each"}, done=END)
    )

    assert re.search(r'subgraph g_each\["Each"\]\n +s_one\[.*\n +s_two\[.*\n +end\n', diagram)
    assert "s_each -.-> s_one" in diagram
    assert "s_each -.-> s_two" not in diagram


def test_scope_with_a_drawn_entry_gets_no_other() -> None:
    diagram = diagram_of(process("each>one", "each>done", each={"type": "loop"}, one={"parent": "each"}, done=END))

    assert "s_each --> s_one" in diagram
    assert "s_each -.-> s_one" not in diagram


def test_scope_that_is_a_circle_is_entered_at_its_first_step() -> None:
    diagram = diagram_of(
        process("one>two", "two>one", each={"type": "loop"}, one={"parent": "each"}, two={"parent": "each"})
    )

    assert "s_each -.-> s_one" in diagram


def test_findings_are_marked_on_steps_and_transitions() -> None:
    marks = [
        finding("info", "a", "b"),
        finding("error", "b", transitions=("b-c",)),
        finding("warning", "c", "b", transitions=("b-c", "a-b")),
    ]

    diagram = diagram_of(process("a>b", "b>c"), findings=marks)

    assert "class s_a infoMark" in diagram
    assert "class s_b errorMark" in diagram
    assert "class s_c warningMark" in diagram
    assert '"B<br/>⚠ rule-error"' in diagram
    assert '"A"' in diagram
    assert "linkStyle 1 stroke:#ef6c00" in diagram
    assert "linkStyle 2 stroke:#c62828" in diagram


def test_finding_on_what_is_not_drawn_is_left_out() -> None:
    diagram = diagram_of(process("a>b"), findings=[finding("error", "gone", transitions=("gone",))])

    assert "Mark" not in diagram
    assert "linkStyle" not in diagram


def test_same_workflow_gives_the_same_text() -> None:
    workflow = named("Same")

    assert diagram_of(workflow) == diagram_of(parse_workflow(workflow.model_dump(mode="json", by_alias=True)))


def test_large_workflow_is_drawn_with_its_scopes_folded() -> None:
    diagram = diagram_of(inside_a_loop(COLLAPSE_ABOVE_STEPS))

    assert f'"Each<br/>+ {COLLAPSE_ABOVE_STEPS} steps inside"' in diagram
    assert "s_n5" not in diagram
    assert diagram.count("s_each --> s_done") == 2  # one drawn, one for all that leaves the scope
    assert "s_each --> s_each" not in diagram
    assert_well_formed(diagram)


def test_start_inside_a_folded_scope_is_its_scope() -> None:
    workflow = inside_a_loop(COLLAPSE_ABOVE_STEPS).model_copy(update={"start": "n0"})

    assert "begin --> s_each" in diagram_of(workflow)


def test_workflow_too_large_to_read_is_cut_at_the_far_end_and_says_so() -> None:
    workflow = process(*[f"n{at}>n{at + 1}" for at in range(1_000)], "n0>n900")

    diagram = diagram_of(workflow)

    assert f'rest["… and {1_001 - MAX_STEPS} more steps"]' in diagram
    assert "s_n900[" in diagram
    assert "s_n899[" not in diagram
    assert_well_formed(diagram)


def test_scopes_inside_scopes_are_folded_below_a_depth() -> None:
    deep = {f"n{at}": {"type": "loop", **({"parent": f"n{at - 1}"} if at else {})} for at in range(20)}
    workflow = process("n0>done", **deep, done=END)

    assert list(DiagramView(workflow).shown) == [f"n{at}" for at in range(7)] + ["done"]
    assert '"N6<br/>+ 13 steps inside"' in diagram_of(workflow)


def test_folding_is_up_to_the_caller() -> None:
    workflow = inside_a_loop(3)

    assert "s_n0[" in diagram_of(workflow)
    assert "s_n0[" not in diagram_of(workflow, collapse="always")
    assert "s_n5[" in diagram_of(inside_a_loop(COLLAPSE_ABOVE_STEPS), collapse="never")


def test_what_a_change_added_and_altered_is_highlighted() -> None:
    before = process("a>b", b={"name": "Before"})
    after = process("a>b", "b>c", b={"name": "After"})

    diagram = diagram_of(after, changes=changes_of(diff_workflows(before, after)))

    assert "class s_c addedStep" in diagram
    assert "class s_b changedStep" in diagram
    assert "linkStyle 2 stroke:#1a7f37" in diagram
    assert "class s_a " not in diagram
