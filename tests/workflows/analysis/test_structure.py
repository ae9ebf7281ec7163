from typing import Any

import pytest

from tests.support.findings import change_by_fix, fixed, found, key, process, steps_found
from workflow_agent.workflows.analysis import analyze
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Source, Workflow

END: dict[str, Any] = {"type": "end"}
FAILED: dict[str, Any] = {"type": "end", "outcome": "failed"}
STATE: dict[str, Any] = {"type": "state"}
DECISION: dict[str, Any] = {"type": "decision"}


def imported(workflow: Workflow) -> Workflow:
    return workflow.model_copy(update={"source": Source(format="argo")})


LIFECYCLE = process("draft>open", "open>draft", "open>closed", draft=STATE, open=STATE, closed=STATE)
SCOPED = process("each>done", each={"type": "loop"}, inner={"parent": "each"}, done=END)

FIRES = [
    pytest.param(
        "unreachable-step",
        process(
            "each>one", "each>done", each={"type": "loop"}, one={"parent": "each"}, orphan={"parent": "each"}, done=END
        ),
        [("orphan",)],
        id="beside the drawn entry of a scope",
    ),
    pytest.param(
        "unreachable-step", process("a>done", "lost>more", done=END), [("lost", "more")], id="a group nothing leads to"
    ),
    pytest.param(
        "unreachable-step", process("a>done", "x>y", "y>x", "z>done", done=END), [("x", "y"), ("z",)], id="two groups"
    ),
    pytest.param("dead-end", process("a>done", "a>b", done=END), [("b",)], id="stops beside an end"),
    pytest.param(
        "dead-end", process("a>done", "a>ask", done=END, ask=DECISION), [("ask",)], id="a decision that decides nothing"
    ),
    pytest.param(
        "dead-end", process("a>fork", fork={"type": "fork"}), [("fork",)], id="a fork to nowhere, without ends"
    ),
    pytest.param(
        "dead-end",
        process("a>b", "a>done", "b>failed (error)", done=END, failed=FAILED),
        [("b",)],
        id="leads on only when it fails",
    ),
    pytest.param("no-way-to-end", process("a>b", "b>c", "c>b", "x>done", done=END), [("b", "c")], id="a trap"),
    pytest.param("no-way-to-end", process("a>a"), [("a",)], id="a step that leads only to itself"),
    pytest.param(
        "no-way-to-end",
        process("a>b", "b>a", "a>c", "c>d", a=STATE, b=STATE, c=STATE, d=STATE),
        [],
        id="a lifecycle with a final state",
    ),
    pytest.param(
        "no-way-to-end",
        process("a>b", "a>c", "b>b", a=STATE, b=STATE, c=STATE),
        [("b",)],
        id="a state nobody gets out of, beside a final one",
    ),
    pytest.param(
        "lifecycle-without-end", process("on>off", "off>on", on=STATE, off=STATE), [("on",)], id="on and off for ever"
    ),
    pytest.param("no-end-step", process("a>b", "a>c"), [("b", "c")], id="two last steps"),
    pytest.param("end-that-continues", process("a>done", "done>b", done=END), [("done",)], id="an end that leads on"),
    pytest.param("duplicate-transition", process("a>b", "a>b"), [("a", "b")], id="the same arrow twice"),
    pytest.param(
        "duplicate-name",
        process("a>b", a={"name": "Review"}, b={"name": " review "}),
        [("a", "b")],
        id="the same name twice",
    ),
    pytest.param("self-loop", process("a>a", "a>b"), [("a",)], id="straight back without a condition"),
    pytest.param("self-loop", process("a>a (error)", "a>b"), [("a",)], id="tried again for ever on errors"),
    pytest.param("one-way-branch", process("a>ask", "ask>b", ask=DECISION), [("ask",)], id="a decision with one way"),
    pytest.param(
        "one-way-branch", process("a>all", "all>b", all={"type": "join"}), [("all",)], id="a join with one entry"
    ),
]

SILENT = [
    pytest.param(
        "no-way-to-end", process("on>off", "off>on", on=STATE, off=STATE), id="a lifecycle that is never done"
    ),
    pytest.param("unreachable-step", SCOPED, id="a scope is entered from its step"),
    pytest.param(
        "unreachable-step",
        process("a>done", "mail>done", mail={"type": "event"}, done=END),
        id="an event begins by itself",
    ),
    pytest.param("unreachable-step", process("a>done", "tool>a (data)", done=END), id="a tool attached by a side port"),
    pytest.param("unreachable-step", process("a>b", "b>a", a=STATE, b=STATE), id="a lifecycle that goes round"),
    pytest.param("dead-end", process("a>b"), id="without end steps the last step is the end"),
    pytest.param("dead-end", process("a>b", "a>failed (error)", failed=FAILED), id="only failures have an end step"),
    pytest.param("dead-end", SCOPED, id="the last step of a scope returns"),
    pytest.param("dead-end", process("pay>done", "pay>refund (compensation)", done=END), id="a compensation just ends"),
    pytest.param("dead-end", process("a>done", "tool>a (data)", done=END), id="a tool leads nowhere"),
    pytest.param("dead-end", LIFECYCLE, id="a final state"),
    pytest.param(
        "no-way-to-end",
        process("draft>review", "review>draft [rejected]", "review>done [ok]", done=END),
        id="a rework loop",
    ),
    pytest.param("no-way-to-end", SCOPED, id="a loop around its body"),
    pytest.param("no-way-to-end", LIFECYCLE, id="a lifecycle with a final state and a way back"),
    pytest.param("lifecycle-without-end", LIFECYCLE, id="a final state"),
    pytest.param("lifecycle-without-end", process("a>b", "b>a"), id="not a lifecycle"),
    pytest.param("no-end-step", process("a>done", done=END), id="there is one"),
    pytest.param("no-end-step", imported(process("a>b")), id="a format without ends"),
    pytest.param("no-end-step", LIFECYCLE, id="a lifecycle"),
    pytest.param("end-that-continues", process("a>done", done=END), id="an end"),
    pytest.param("duplicate-transition", process("a>b [x]", "a>b [y]", "a>b (error)"), id="different reasons"),
    pytest.param(
        "duplicate-name",
        process("a>b", a={"name": "Review"}, b={"name": "Review", "type": "end"}),
        id="an end is told by its place",
    ),
    pytest.param(
        "duplicate-name",
        process("l>b", l={"type": "loop", "name": "Each"}, b={"name": "Do"}, c={"name": "Do", "parent": "l"}),
        id="in another scope",
    ),
    pytest.param("self-loop", process("a>a [not ready]", "a>b"), id="polling under a condition"),
    pytest.param("self-loop", process("s>s", "s>t", s=STATE, t=STATE), id="an action that keeps the state"),
    pytest.param(
        "one-way-branch",
        process("ask>a [x]", "ask>b (default)", "a>all", "b>all", ask=DECISION, all={"type": "join"}),
        id="two ways",
    ),
    pytest.param(
        "one-way-branch",
        process("p>b", p={"type": "fork"}, x={"parent": "p"}, y={"parent": "p"}),
        id="a fork with its branches inside",
    ),
]

FIXABLE = [
    pytest.param("dead-end", process("a>done", "a>b", done=END), id="dead-end"),
    pytest.param("dead-end", process("a>b", done=END, a={}), id="dead-end before an end nothing leads to"),
    pytest.param("no-end-step", process("a>b", "a>c", a=DECISION), id="no-end-step"),
    pytest.param("duplicate-transition", process("a>b", "a>b", "a>b"), id="duplicate-transition"),
    pytest.param(
        "duplicate-name",
        process("a>b", "b>c", a={"name": "X"}, b={"name": "x"}, c={"name": "X 2"}),
        id="duplicate-name",
    ),
    pytest.param("self-loop", process("a>a", "a>b"), id="self-loop"),
]


@pytest.mark.parametrize(("rule", "workflow", "steps"), FIRES)
def test_rule_names_the_steps_concerned(rule: str, workflow: Workflow, steps: list[tuple[str, ...]]) -> None:
    assert steps_found(rule, workflow) == steps


@pytest.mark.parametrize(("rule", "workflow"), SILENT)
def test_rule_is_silent_on_healthy_workflows(rule: str, workflow: Workflow) -> None:
    assert steps_found(rule, workflow) == []


@pytest.mark.parametrize(("rule", "workflow"), FIXABLE)
def test_fix_removes_its_finding_and_adds_none(rule: str, workflow: Workflow) -> None:
    finding = found(rule, workflow)[0]

    removed, added = change_by_fix(workflow, finding)

    assert key(finding) in removed
    assert added == set()


@pytest.mark.parametrize(
    ("rule", "workflow"),
    [
        pytest.param("dead-end", process("a>b", "a>x", "a>y", x=END, y=END), id="two ends to choose from"),
        pytest.param("dead-end", process("a>d", "a>x", d=DECISION, x=END), id="a decision needs two ways"),
        pytest.param("dead-end", process("a>b", "a>x (error)", x=END), id="an end that only failures reach"),
        pytest.param("dead-end", process("a>x", "a>b", "x>bad", x=END, bad=FAILED), id="an end that leads on"),
        pytest.param("dead-end", process("a>b", "z>x", x=END), id="an end in a part nothing leads to"),
        pytest.param("no-end-step", process("f>a", "f>b", f={"type": "fork"}), id="branches that need a join"),
        pytest.param("self-loop", process("a>a", "a>b", a={"type": "human"}), id="a person's other way on"),
    ],
)
def test_no_fix_is_offered_where_only_a_person_can_decide(rule: str, workflow: Workflow) -> None:
    findings = found(rule, workflow)

    assert [finding.fix for finding in findings] == [()]


def test_end_steps_get_the_dead_end_connected() -> None:
    workflow = process("a>done", "a>b", done=END)

    mended = fixed(workflow, found("dead-end", workflow)[0])

    assert [edge.to for edge in mended.outgoing("b")] == ["done"]


def test_state_set_by_an_automation_is_reachable() -> None:
    workflow = parse_workflow(
        {
            "id": "wf_x",
            "name": "X",
            "steps": [{"id": "open", "name": "Open", **STATE}, {"id": "expired", "name": "Expired", **STATE}],
            "automations": [
                {
                    "id": "expire",
                    "on": {"event": "timeout", "from": "open"},
                    "effect": {"type": "set_state", "with": {"state": "expired"}},
                }
            ],
        }
    )

    assert steps_found("unreachable-step", workflow) == []


def test_message_names_steps_by_name_and_id_and_says_why() -> None:
    finding = found("unreachable-step", process("a>done", "b>done", done=END, b={"name": "Big\nstep"}))[0]

    assert finding.message == (
        "'Big step' (b) can never run: no path from 'A' (a) leads there. What is drawn there never happens."
    )


def test_finding_is_json_safe_and_complete() -> None:
    finding = found("dead-end", process("a>done", "a>b", done=END))[0]

    assert finding.as_dict() == {
        "rule": "dead-end",
        "severity": "error",
        "message": "'B' (b) is a dead end: nothing comes after it. Work that arrives there stops without an outcome.",
        "steps": ["b"],
        "transitions": [],
        "evidence": {"type": "action", "exits": []},
        "fix": [{"op": "connect", "from": "b", "to": "done"}],
    }


def test_a_loop_after_which_nothing_is_drawn_ends_when_it_is_done() -> None:
    workflow = parse_workflow(
        {
            "id": "wf_x",
            "name": "X",
            "steps": [
                {"id": "each", "name": "Each row", "type": "loop", "loop": {"over": "rows"}},
                {"id": "store", "name": "Store", "uses": "database.insert"},
            ],
            "transitions": [{"from": "each", "to": "store"}, {"from": "store", "to": "each"}],
        }
    )

    assert "no-way-to-end" not in {finding.rule for finding in analyze(workflow)}
