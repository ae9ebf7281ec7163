"""What labelled orders come to where they are read as they are labelled."""

from collections import Counter
from itertools import islice

import pytest

from benchmarks.eval_builders import OUTCOMES, main, outcome, single_orders, whole
from benchmarks.orders_tagged import Noted

TAKEN = Noted(
    "Refund",
    [
        "Receive form (office, 2 days)",
        "Wait for receipt (1 week)",
        "Complete?",
        "Book it (ERP)",
        "Pay out (accounting)",
    ],
    ["Complete? > Pay out: all there", "Complete? > Receive form: something is missing"],
    [],
)


def test_a_noted_workflow_has_its_steps_in_a_row_and_the_ways_told() -> None:
    workflow = whole(TAKEN)

    first, wait, decision, tool, last, end = workflow.steps
    assert (first.assignee, first.timeout) == ("office", "P2D")
    assert (wait.type, wait.duration) == ("wait", "P1W")
    assert (decision.type, tool.uses, last.assignee, end.type) == ("decision", "erp", "accounting", "end")
    assert {(edge.from_, edge.to) for edge in workflow.transitions if edge.when} == {
        (decision.id, last.id),
        (decision.id, first.id),
    }
    assert (last.id, end.id) in {(edge.from_, edge.to) for edge in workflow.transitions}


@pytest.mark.parametrize(
    ("intent", "order", "came"),
    [
        ("assign", "[Book it|step] is done by [the clerk|who]", "done"),
        ("remove", "please herewith drop [Book it|step]", "shown"),
        ("assign", "[watering the plants|step] is done by [the clerk|who]", "asked"),
        ("connect", "draw a line", "not understood"),
    ],
)
def test_each_outcome(intent: str, order: str, came: str) -> None:
    assert outcome(whole(TAKEN), intent, order)[0] == came


@pytest.mark.untraced
def test_three_of_four_orders_are_done_and_hardly_any_is_refused() -> None:
    came = Counter(outcome(*one)[0] for one in islice(single_orders(), 0, None, 101))

    assert set(came) <= set(OUTCOMES)
    assert came["done"] > 0.74 * came.total()
    assert came["not understood"] < 0.03 * came.total()


def test_the_table_lists_the_intents_and_some_orders(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")

    main(["--writers", "voice_01.txt", "--show", "insert", "--count", "2"])

    printed = capsys.readouterr().out
    assert "insert" in printed
    assert "insert, " in printed
