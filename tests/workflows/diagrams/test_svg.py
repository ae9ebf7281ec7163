import re
from xml.etree.ElementTree import Element

import pytest
from defusedxml.ElementTree import fromstring
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.diagrams import END, HOSTILE, finding, inside_a_loop, named
from tests.support.findings import process
from tests.support.workflows import workflows
from workflow_agent.workflows.analysis import analyze
from workflow_agent.workflows.diagrams import COLLAPSE_ABOVE_STEPS, DiagramView
from workflow_agent.workflows.diagrams.graph import diagram_of
from workflow_agent.workflows.diagrams.svg.style import changes_of
from workflow_agent.workflows.diff import diff_workflows
from workflow_agent.workflows.model.steps import STEP_TYPES
from workflow_agent.workflows.model.workflow import Workflow

NS = "{http://www.w3.org/2000/svg}"
KNOWN = {"svg", "title", "desc", "style", "rect", "g", "path", "circle", "text"}


def drawn(workflow: Workflow, **options: object) -> Element:
    return fromstring(diagram_of(workflow, "svg", **options))


def classes(picture: Element) -> list[set[str]]:
    return [set(one.get("class", "").split()) for one in picture.iter()]


def texts(picture: Element) -> list[str]:
    return [one.text or "" for one in picture.iter(f"{NS}text")]


def assert_harmless(picture: Element) -> None:
    for one in picture.iter():
        assert one.tag.removeprefix(NS) in KNOWN
        assert not any(name.startswith("on") or "href" in name for name in one.attrib)


def test_every_type_of_step_has_its_class_and_says_what_it_is() -> None:
    picture = drawn(process("action>human", **{kind: {"type": kind} for kind in STEP_TYPES}))

    assert all({"step", kind} in classes(picture) for kind in STEP_TYPES)
    assert {"ACTION", "HUMAN", "SUB-WORKFLOW"} <= set(texts(picture))


def test_lanes_are_by_role_and_what_nobody_acts_in_stands_where_the_work_comes_from() -> None:
    workflow = process(
        "ask>which",
        "which>pay [yes]",
        "which>no (default)",
        "pay>done",
        ask={"type": "human", "assignee": "manager"},
        which={"type": "decision"},
        pay={"type": "action", "uses": "bank.pay"},
        no=END,
        done=END,
    )

    lanes = [one for one in drawn(workflow, by_role=True).iter(f"{NS}g") if "lane" in one.get("class", "")]

    assert [one.findtext(f"{NS}title") for one in lanes] == ["manager", "Automatic"]
    assert DiagramView(workflow, by_role=True).lanes == {
        "ask": "manager",
        "which": "manager",
        "no": "manager",
        "pay": "Automatic",
        "done": "Automatic",
    }


@pytest.mark.parametrize("fold", [(), ("each",)], ids=["open", "folded"])
def test_a_scope_stands_in_the_lane_of_who_does_most_inside(fold: tuple[str, ...]) -> None:
    workflow = process(
        "ask>each",
        "each>done",
        ask={"type": "human", "assignee": "manager"},
        each={"type": "loop"},
        one={"type": "human", "assignee": "manager", "parent": "each"},
        two={"type": "human", "assignee": "clerk", "parent": "each"},
        three={"type": "human", "assignee": "clerk", "parent": "each"},
        done=END,
    )

    lanes = DiagramView(workflow, by_role=True, fold=fold).lanes

    assert lanes == {"ask": "manager", "each": "clerk", "done": "clerk"}


def test_a_workflow_of_one_role_has_no_lanes() -> None:
    workflow = process("ask>done", ask={"type": "human", "assignee": "manager"}, done=END)

    assert diagram_of(workflow, "svg", by_role=True) == diagram_of(workflow, "svg")


def test_colours_are_for_light_and_dark_surroundings() -> None:
    style = drawn(process("a>b")).findtext(f"{NS}style") or ""

    assert "prefers-color-scheme:dark" in style
    light, dark = (set(re.findall(r"--wf-[a-z-]+(?=:)", part)) for part in style.split("@media")[:2])
    assert light == dark
    assert set(re.findall(r"var\((--wf-[a-z-]+)\)", style)) <= light


def test_picture_says_what_it_shows_to_who_cannot_see_it() -> None:
    picture = drawn(process("ask>a [yes]", "ask>b (default)", ask={"type": "decision"}))

    assert picture.get("role") == "img"
    assert picture.get("aria-labelledby") == "wf-title wf-desc"
    assert picture.findtext(f"{NS}title") == "Flow"
    described = picture.findtext(f"{NS}desc") or ""
    assert "3 steps, starting at Ask." in described
    assert "Ask leads to A (yes)." in described


def test_transitions_say_when() -> None:
    picture = drawn(process("ask>a [amount > 5]", "ask>b (default)", "a>b (error)"))

    assert {"amount > 5", "otherwise", "on error"} <= set(texts(picture))
    assert {"line", "dashed"} in classes(picture)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_stays_text(name: str) -> None:
    workflow = named(name)

    assert_harmless(drawn(workflow, findings=analyze(workflow)))


@settings(max_examples=50, deadline=None)
@given(st.text(min_size=1, max_size=200).filter(str.strip))
def test_any_text_stays_text(name: str) -> None:
    assert_harmless(drawn(named(name)))


@settings(max_examples=50, deadline=None)
@given(workflows())
def test_any_workflow_can_be_drawn(workflow: Workflow) -> None:
    picture = drawn(workflow, findings=analyze(workflow))

    assert_harmless(picture)
    assert sum(1 for one in classes(picture) if one & {"step", "scope"}) == len(workflow.steps)


def test_long_names_are_broken_into_lines_and_cut() -> None:
    picture = drawn(process("a>b", a={"name": "approve " * 20}, b={"name": "x" * 200}))

    assert max(len(text) for text in texts(picture)) < 40
    assert any(text.endswith("…") for text in texts(picture))


def test_findings_are_marked_on_steps_with_a_tooltip() -> None:
    marks = [finding("error", "b", transitions=("b-c",)), finding("info", "a"), finding("warning", "b")]

    picture = drawn(process("a>b", "b>c"), findings=marks)

    assert {"badge", "error"} in classes(picture)
    assert {"badge", "info"} in classes(picture)
    assert {"badge", "warning"} not in classes(picture)
    assert {"line", "error"} in classes(picture)
    titles = [one.text for one in picture.iter(f"{NS}title")]
    assert "B\nerror: Something.\nwarning: Something." in titles


def test_what_a_change_added_and_altered_has_a_halo() -> None:
    before = process("a>b", b={"name": "Before"})
    after = process("a>b", "b>c", b={"name": "After"})

    picture = drawn(after, changes=changes_of(diff_workflows(before, after)))

    assert {"halo", "added"} in classes(picture)
    assert {"halo", "changed"} in classes(picture)
    assert {"line", "added"} in classes(picture)


def test_scope_is_a_box_with_a_title() -> None:
    picture = drawn(process("each>done", each={"type": "loop"}, one={"parent": "each"}, done=END))

    assert {"scope", "loop"} in classes(picture)
    assert "Loop: Each" in texts(picture)


def test_large_workflow_is_drawn_with_its_scopes_folded_unless_told_otherwise() -> None:
    workflow = inside_a_loop(COLLAPSE_ABOVE_STEPS)

    assert f"+ {COLLAPSE_ABOVE_STEPS} steps inside" in texts(drawn(workflow))
    assert "N5" in texts(drawn(workflow, collapse="never"))


def test_workflow_too_large_to_read_says_how_much_is_left_out() -> None:
    workflow = process(*[f"n{at}>n{at + 1}" for at in range(1_000)])

    assert "… and 801 more steps" in texts(drawn(workflow))


def test_same_workflow_gives_the_same_picture() -> None:
    assert diagram_of(named("Same"), "svg") == diagram_of(named("Same"), "svg")


def test_every_shape_says_which_step_it_is() -> None:
    workflow = inside_a_loop(3)

    picture = drawn(workflow, collapse="never")

    shown = [one.get("data-step") for one in picture.iter() if one.get("data-step")]
    assert sorted(shown) == sorted(step.id for step in workflow.steps)


def test_only_the_scopes_that_are_folded_hide_their_inside() -> None:
    workflow = inside_a_loop(7)

    folded = drawn(workflow, fold=["each"])
    opened = drawn(workflow, fold=[])

    steps = {one.get("data-step"): one.get("data-folded") for one in folded.iter() if one.get("data-step")}
    assert steps == {"first": None, "each": "7", "done": None}
    assert len([one for one in opened.iter() if one.get("data-step")]) == 10
    lines = {(one.get("data-from"), one.get("data-to")) for one in folded.iter() if one.get("data-transition")}
    assert lines == {("first", "each"), ("each", "done")}
