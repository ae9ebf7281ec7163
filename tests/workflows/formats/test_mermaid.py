"""Mermaid: what people paste is read, what is drawn here comes back, and only changed lines change."""

import contextlib
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from tests.support.growth import assert_grows_linearly
from workflow_agent.errors import InvalidInput
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.formats import pasted_document
from workflow_agent.workflows.formats.base import UnreadableDocument
from workflow_agent.workflows.formats.mermaid import Mermaid
from workflow_agent.workflows.model.workflow import Workflow

MERMAID = Mermaid()
FLOWCHART = """flowchart TD
    A([Start]) --> B{"Amount over 1000?"}
    %% the boss decides
    B -->|yes| C[Manager approves]
    B -- no --> D["Pay, at once"]:::green
    subgraph fin [Finance]
        C & D ==> E[(Ledger)]
    end
    E -.-> F((End)); E --- G
    classDef green fill:#0f0
    class C,D green
    linkStyle 1 stroke:red
    style E fill:#fff
"""
STATES = """stateDiagram-v2
    direction LR
    [*] --> Draft
    Draft --> Review : submit
    state "In review" as Review {
        [*] --> First
        First --> Second
    }
    Review --> Draft : reject
    Review --> [*] : approve
    note right of Draft : see [*] --> nowhere
"""


def read(text: str) -> Workflow:
    return MERMAID.read(text).workflow


def links(workflow: Workflow) -> list[tuple[str, str, str]]:
    names = {step.id: step.name for step in workflow.steps}
    return [
        (names[e.from_], names[e.to], (e.when.text if e.when else None) or e.label or e.type)
        for e in workflow.transitions
    ]


def edited(text: str, *edits: dict[str, Any]) -> str:
    return MERMAID.write(apply_edits(read(text), parse_edits(list(edits))).workflow).text


def test_a_flowchart_is_read_with_its_shapes_labels_and_links() -> None:
    workflow = read(FLOWCHART)

    assert {step.name: step.type for step in workflow.steps} == {
        "Start": "event",
        "Amount over 1000?": "decision",
        "Manager approves": "action",
        "Pay, at once": "action",
        "Ledger": "action",
        "End": "end",
        "G": "action",
    }
    assert links(workflow) == [
        ("Start", "Amount over 1000?", "sequence"),
        ("Amount over 1000?", "Manager approves", "yes"),
        ("Amount over 1000?", "Pay, at once", "no"),
        ("Manager approves", "Ledger", "sequence"),
        ("Pay, at once", "Ledger", "sequence"),
        ("Ledger", "End", "sequence"),
        ("Ledger", "G", "sequence"),
    ]
    assert workflow.start == "start"


def test_a_state_diagram_is_read_with_what_is_inside_its_states() -> None:
    workflow = read(STATES)

    assert [(step.name, step.type, step.parent) for step in workflow.steps] == [
        ("Draft", "state", None),
        ("In review", "state", None),
        ("End", "end", None),
        ("First", "state", "in_review"),
        ("Second", "state", "in_review"),
    ]
    assert ("Draft", "In review", "submit") in links(workflow)
    assert ("In review", "End", "approve") in links(workflow)
    assert workflow.start == "draft"


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("a --> b --> c", [("a", "b", "sequence"), ("b", "c", "sequence")]),
        (
            "a & b --> c & d",
            [("a", "c", "sequence"), ("a", "d", "sequence"), ("b", "c", "sequence"), ("b", "d", "sequence")],
        ),
        ("a-->|go on|b", [("a", "b", "go on")]),
        ("a--go on-->b", [("a", "b", "go on")]),
        ("a ==very thick==> b", [("a", "b", "very thick")]),
        ("a -. dotted .-> b", [("a", "b", "dotted")]),
        ("a <--> b", [("a", "b", "sequence"), ("b", "a", "sequence")]),
        ("a --x b; b --o c", [("a", "b", "sequence"), ("b", "c", "sequence")]),
        ("a ~~~ b", []),
        ("a e1@--> b", [("a", "b", "sequence")]),
        ("a-b.c --> d_e", [("a-b.c", "d_e", "sequence")]),
        ('a@{ shape: diamond, label: "Ready?" } -->|yes| b', [("Ready?", "b", "yes")]),
        (
            'a["`**two** <br/>lines`"] --> b["say #quot;hi#quot; #35;1; now"]',
            [("**two** lines", 'say "hi" #1; now', "sequence")],
        ),
        ("a{x} -->|else| b", [("x", "b", "else")]),
        (
            "a:::red --> b[/in/] --> c[\\out\\] --> d>flag] --> e{{six}} --> f(((two)))",
            [
                ("a", "in", "sequence"),
                ("in", "out", "sequence"),
                ("out", "flag", "sequence"),
                ("flag", "six", "sequence"),
                ("six", "two", "sequence"),
            ],
        ),
        (
            "a --> one\nsubgraph one\nb --> c\nend\none --> d",
            [("a", "b", "sequence"), ("b", "c", "sequence"), ("c", "d", "sequence")],
        ),
    ],
)
def test_each_way_to_write_a_link_is_read(statement: str, expected: list[tuple[str, str, str]]) -> None:
    assert links(read(f"graph LR\n{statement}")) == expected


@pytest.mark.parametrize("text", [FLOWCHART, STATES], ids=["flowchart", "states"])
def test_what_was_read_is_written_letter_by_letter(text: str) -> None:
    exported = MERMAID.write(read(text))

    assert (exported.text, exported.report.lost) == (text, [])


def test_a_change_changes_its_lines_and_moves_nothing_else() -> None:
    step = {"name": "Legal review", "type": "human"}

    text = edited(
        FLOWCHART,
        {"op": "insert_step", "step": step, "between": ["amount_over_1000", "manager_approves"]},
        {"op": "update_step", "step": "pay_at_once", "set": {"name": "Pay now"}},
    )

    assert text == FLOWCHART.replace(
        "B -->|yes| C", 'B -->|yes| s_legal_review[/"Legal review"/]:::humanStep --> C'
    ).replace('D["Pay, at once"]', 'D["Pay now"]')


def test_a_new_step_of_a_person_needs_no_class_that_the_chart_does_not_define() -> None:
    step = {"name": "Legal review", "type": "human", "assignee": "lawyer"}
    insert = {"op": "insert_step", "step": step, "between": ["amount_over_1000", "manager_approves"]}

    text = edited(FLOWCHART, insert)

    node = 's_legal_review[/"Legal review<br/><i>lawyer</i>"/]'
    assert text == FLOWCHART.replace("B -->|yes| C", f"B -->|yes| {node} --> C")
    again = MERMAID.read(text).workflow.step("legal_review")
    assert again is not None
    assert (again.type, again.assignee) == ("human", "lawyer")


def test_what_parts_and_ends_statements_of_a_line_stays() -> None:
    text = "graph LR;\n  a[Ask]-->b[Answer];b-->c{Right?} ;\n  c--yes-->d[Done];   c--no-->a;\n"

    renamed = edited(text, {"op": "update_step", "step": "answer", "set": {"name": "Reply"}})

    assert renamed == text.replace("Answer", "Reply")


def test_a_removed_step_leaves_styles_and_frames() -> None:
    text = edited(FLOWCHART, {"op": "remove_step", "step": "manager_approves"})

    assert "\n        D ==> E[(Ledger)]\n" in text
    assert "class D green" in text
    assert "Manager" not in text
    assert links(read(text))[1:3] == [
        ("Amount over 1000?", "Ledger", "yes"),
        ("Amount over 1000?", "Pay, at once", "no"),
    ]


GROUPS = """graph LR; a[One]-->b{Two}; b--yes-->c & d
  c & d --> e[[Five]] -.-> f((Six))
  e --> a
"""


@pytest.mark.parametrize("text", [FLOWCHART, STATES, GROUPS], ids=["flowchart", "states", "groups"])
@pytest.mark.parametrize("seed", range(25))
def test_whatever_is_changed_the_diagram_says_what_the_workflow_says(text: str, seed: int) -> None:
    random = Random(seed)
    workflow = read(text)
    for number in range(random.randint(1, 4)):
        with contextlib.suppress(InvalidInput):
            workflow = apply_edits(workflow, parse_edits([_any_edit(workflow, number, random)])).workflow

    again = read(MERMAID.write(workflow).text)

    assert _drawn(again) == _drawn(workflow)


def _any_edit(workflow: Workflow, number: int, random: Random) -> dict[str, Any]:
    step, other = (random.choice([one.id for one in workflow.steps if one.type != "end"]) for _ in range(2))
    edge = random.choice(workflow.transitions)
    new = {"name": f"New {number}", "type": random.choice(["action", "human"])}
    return random.choice(
        [
            {"op": "insert_step", "step": new, "between": [edge.from_, edge.to]},
            {"op": "remove_step", "step": step},
            {"op": "update_step", "step": step, "set": {"name": f"Step [{number}]"}},
            {"op": "update_step", "step": step, "set": {"assignee": "bob"}},
            {"op": "connect", "from": step, "to": other},
            {"op": "disconnect", "transition": edge.id},
            {"op": "update_transition", "transition": edge.id, "set": {"label": "so"}},
        ]
    )


def _drawn(workflow: Workflow) -> tuple[list[Any], list[Any]]:
    """Return the names, owners and links of a workflow, which a diagram says whatever types it is read with."""
    names = {step.id: step.name for step in workflow.steps}
    edges = [(names[e.from_], names[e.to], e.label or (e.when.text if e.when else "")) for e in workflow.transitions]
    # A state diagram draws an end where something leads to it.
    reached = {edge.to for edge in workflow.transitions}
    steps = [(one.name, one.assignee) for one in workflow.steps if one.name != "End" or one.id in reached]
    return sorted(steps, key=str), sorted(edges, key=str)


def test_a_state_that_is_renamed_keeps_its_transitions() -> None:
    text = edited(STATES, {"op": "update_step", "step": "draft", "set": {"name": "Drafting"}})

    assert text == STATES.replace("    [*] --> Draft\n", '    state "Drafting" as Draft\n    [*] --> Draft\n')


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("flowchart TD\nA --> ", "line 2 cannot be read: a node is missing"),
        ("flowchart TD\nA[open --> B", "line 2 cannot be read: a label has no ]"),
        ("flowchart TD\nA B", "line 2 cannot be read: there is no link"),
        ("flowchart TD\nend", "line 2 cannot be read: nothing is open"),
        ("flowchart TD\nsubgraph x\nA", "'x' is not closed"),
        ("flowchart TD", "has no steps"),
        ("stateDiagram-v2\na => b", "line 2 cannot be read: it is neither"),
        ("pie title Pets", "begins with none"),
        ("flowchart TD\n" + "subgraph x\n" * 70, "nested too deep"),
    ],
)
def test_what_is_no_diagram_is_refused_with_its_line(text: str, told: str) -> None:
    with pytest.raises(UnreadableDocument, match=told.replace("[", "\\[")):
        MERMAID.read(text)


@pytest.mark.parametrize(
    "message",
    [
        "import this:\n```\n" + FLOWCHART + "```",
        "import this:\n```mermaid\n" + FLOWCHART + "```\nthanks",
        "here it is\n" + FLOWCHART,
        "```mermaid\n---\ntitle: Mine\n---\n%% mine\n" + STATES + "```",
    ],
    ids=["fence", "fence with a word", "no fence", "title"],
)
def test_a_pasted_diagram_is_found(message: str) -> None:
    found = pasted_document(message)

    assert found is not None
    assert read(found).steps


GROWING: Sequence[tuple[str, Callable[[int], str], int]] = (
    ("a chain", lambda n: "".join(f"n{at} --> n{at + 1}\n" for at in range(n)), 1_500),
    ("one line", lambda n: "a" + " --> a" * n, 2_500),
    ("a fan", lambda n: "a --> b & " + " & ".join(f"c{at}" for at in range(n)), 1_500),
    ("a label without an end", lambda n: 'a["' + "#35;" * n, 8_000),
    ("brackets", lambda n: "a" + "[(" * n, 15_000),
    ("dashes", lambda n: "a " + "-" * n, 30_000),
    ("semicolons", lambda n: "a;" * n, 8_000),
    ("links without an end", lambda n: "a -- " * n, 6_000),
)


@pytest.mark.parametrize(("make", "size"), [pytest.param(make, size, id=name) for name, make, size in GROWING])
def test_any_text_is_read_or_refused_in_linear_time(make: Callable[[int], str], size: int) -> None:
    assert_grows_linearly(lambda n: "flowchart TD\n" + make(n), read_and_write, size)


def read_and_write(text: str) -> None:
    with contextlib.suppress(UnreadableDocument):
        MERMAID.write(read(text))
