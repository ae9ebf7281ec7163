"""What imports and exports tell about what did not fit."""

import pytest

from workflow_agent.workflows.formats import FORMATS
from workflow_agent.workflows.formats.argo.templates import as_short_duration, short_duration
from workflow_agent.workflows.formats.base import UnreadableDocument
from workflow_agent.workflows.formats.builder import Draft, first_line
from workflow_agent.workflows.model.durations import duration_of
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

IDS = "Amazon States Language has no ids like ours: 1 steps and 0 transitions get other ids when it is read again"


def made(*steps: dict[str, object], **more: object) -> Workflow:
    return parse_workflow({"id": "wf_x", "name": "X", "steps": list(steps), **more})


def losses(name: str, workflow: Workflow) -> list[tuple[str, str]]:
    return [(note.where, note.what) for note in FORMATS[name].write(workflow).report.lost]


def test_an_import_tells_what_is_kept_beside_the_model() -> None:
    document = {"StartAt": "A", "States": {"A": {"Type": "Pass", "ResultPath": "$.a", "End": True}}}

    report = FORMATS["asl"].read(document).report

    assert [note.where for note in report.kept] == ["/States/A"]
    assert "`ResultPath`" in report.kept[0].what
    assert report.is_lossless


def test_an_export_names_what_each_step_loses() -> None:
    lost = losses("asl", made({"id": "a", "name": "Ask", "type": "human", "assignee": "boss", "reads": ["x"]}))

    assert ("a", "step 'Ask': `assignee`, `reads` have no place in Amazon States Language") in lost
    assert ("a", "step 'Ask': `type` becomes 'action'") in lost


def test_an_export_names_the_steps_that_are_left_out_and_those_that_are_added() -> None:
    workflow = made(
        {"id": "a", "name": "A"},
        {"id": "b", "name": "B", "type": "end"},
        transitions=[{"from": "a", "to": "b", "type": "condition", "when": {"text": "fine"}}],
    )

    assert any(where == "b" and "left out" in what for where, what in losses("github-actions", workflow))
    assert any(where == "after_a" and "is added" in what for where, what in losses("asl", workflow))


def test_an_export_names_transitions_that_do_not_come_back() -> None:
    workflow = made(
        {"id": "a", "name": "A"},
        {"id": "b", "name": "B"},
        transitions=[{"id": "undo", "from": "a", "to": "b", "type": "compensation"}],
    )

    assert ("undo", "the compensation transition from 'a' to 'b' does not come back as it is") in losses(
        "asl", workflow
    )


def test_an_export_says_where_it_would_start_otherwise() -> None:
    workflow = made({"id": "a", "name": "A"}, {"id": "b", "name": "B", "parent": "a"}, start="b")

    assert ("/start", "it starts with 'a'") in losses("asl", workflow)


def test_an_export_that_the_format_does_not_allow_says_why() -> None:
    steps = [{"id": "a", "name": "A", "type": "loop", "loop": {"parallel": 0}}]
    steps += [{"id": one, "name": one, "parent": "a"} for one in ("b", "c")]

    assert any("does not allow this: nothing leads to state 'c'" in what for _, what in losses("asl", made(*steps)))


def test_an_export_that_only_changes_ids_says_so() -> None:
    workflow = made({"id": "first", "name": "A", "uses": "arn:aws:states:::sns:publish"})

    assert losses("asl", workflow) == [("", IDS)]


def test_an_export_that_only_changes_the_order_says_so() -> None:
    inner = {"id": "b", "name": "B", "parent": "a"}
    workflow = made(inner, {"id": "a", "name": "A", "type": "loop", "loop": {"over": "$", "parallel": 0}}, start="a")

    assert losses("asl", workflow) == [("", "the steps or transitions come back in another order")]


def test_what_another_format_kept_is_lost() -> None:
    step = {"id": "a", "name": "A", "uses": "arn:aws:states:::sns:publish", "extensions": {"n8n": {"x": 1}}}

    assert ("a", "step 'A': details that only n8n has are left out") in losses("asl", made(step))


def test_a_draft_without_steps_is_no_workflow() -> None:
    with pytest.raises(UnreadableDocument, match="has no steps"):
        Draft("x", "X").finished("Nothing")


def test_a_draft_that_makes_no_workflow_says_where() -> None:
    draft = Draft("x", "X")
    draft.add("A", "action", timeout="soon")

    with pytest.raises(UnreadableDocument) as refused:
        draft.finished("A")

    assert refused.value.problems[0].pointer == "/steps/0/timeout"


@pytest.mark.parametrize(
    ("text", "line"),
    [("\n one \ntwo", "one"), ("", None), ("  \n ", None), ("word " * 30, "word word"), ("x" * 30, "x" * 10)],
)
def test_the_first_line_is_cut_at_a_word(text: str, line: str | None) -> None:
    assert first_line(text, 10) == line


@pytest.mark.parametrize(
    ("seconds", "duration"),
    [(0, "PT0S"), (90, "PT1M30S"), (5400, "PT1H30M"), (172_800, "P2D"), (0.25, "PT0.25S"), (90_061.5, "PT25H1M1.5S")],
)
def test_seconds_are_written_in_even_units(seconds: float, duration: str) -> None:
    assert duration_of(seconds) == duration


@pytest.mark.parametrize(
    ("short", "duration"),
    [
        ("20", "PT20S"),
        ("1h30m", "PT1H30M"),
        ("500ms", "PT0.5S"),
        ("2d", "P2D"),
        ("", None),
        ("soon", None),
        ("{{x}}", None),
    ],
)
def test_short_durations_are_read(short: str, duration: str | None) -> None:
    assert short_duration(short) == duration


@pytest.mark.parametrize(
    ("duration", "short"),
    [("PT20S", "20s"), ("P1DT30M", "24h30m"), ("PT0.5S", "0.5s"), ("P1M", None), (None, None), ("PT0S", "0s")],
)
def test_durations_are_written_short(duration: str | None, short: str | None) -> None:
    assert as_short_duration(duration) == short
