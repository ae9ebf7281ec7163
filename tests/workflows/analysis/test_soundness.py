from typing import Any

import pytest

from tests.support.findings import change_by_fix, found, key, process, steps_found
from workflow_agent.workflows.analysis import token_net as token_game
from workflow_agent.workflows.model.workflow import Workflow

END: dict[str, Any] = {"type": "end"}
FORK: dict[str, Any] = {"type": "fork"}
JOIN: dict[str, Any] = {"type": "join"}
ANY: dict[str, Any] = {"type": "join", "join": {"mode": "any"}}
TWO: dict[str, Any] = {"type": "join", "join": {"mode": "count", "count": 2}}
ASK: dict[str, Any] = {"type": "decision"}
HUMAN: dict[str, Any] = {"type": "human"}
STATE: dict[str, Any] = {"type": "state"}


CHOICE_THEN_JOIN = process("ask>a [x]", "ask>b (default)", "a>all", "b>all", "all>done", ask=ASK, all=JOIN, done=END)
ONE_BRANCH_LEAVES = process(
    "f>a", "f>ask", "ask>b [x]", "ask>note (default)", "a>all", "b>all", "all>c", f=FORK, ask=ASK, all=JOIN
)
NO_JOIN = process("f>a", "f>b", "a>c", "b>c", "c>done", f=FORK, done=END)
SOUND = process("f>a", "f>b", "a>all", "b>all", "all>done", f=FORK, all=JOIN, done=END)
REWORK_BESIDE = process(
    "f>a", "f>check", "check>f [again]", "check>all [ok]", "a>all", "all>done", f=FORK, check=HUMAN, all=JOIN, done=END
)
IN_A_SCOPE = process(
    "each>done",
    "ask>a [x]",
    "ask>b (default)",
    "a>all",
    "b>all",
    each={"type": "loop", "loop": {"over": "items"}},
    ask={**ASK, "parent": "each"},
    a={"parent": "each"},
    b={"parent": "each"},
    all={**JOIN, "parent": "each"},
    done=END,
)
MANY = {f"n{i}": {} for i in range(token_game.MAX_STEPS)}
LARGE = process("ask>a [x]", "ask>b (default)", "a>all", "b>all", "all>n0", ask=ASK, all=JOIN, a={}, b={}, **MANY)
LARGE_SOUND = process("f>a", "f>b", "a>all", "b>all", "all>n0", f=FORK, all=JOIN, a={}, b={}, **MANY)

FIRES = [
    pytest.param("deadlock", CHOICE_THEN_JOIN, [("all",)], id="a join behind a choice"),
    pytest.param("deadlock", ONE_BRANCH_LEAVES, [("all",)], id="a branch that may leave"),
    pytest.param(
        "deadlock",
        process("f>a", "f>b", "a>two", "b>ask", "ask>two [x]", "ask>n (default)", "two>c", f=FORK, ask=ASK, two=TWO),
        [("two",)],
        id="too few for the count",
    ),
    pytest.param(
        "deadlock", process("a>two", "two>done", two=TWO, done=END), [("two",)], id="a count of more than there are"
    ),
    pytest.param("deadlock", IN_A_SCOPE, [("all",)], id="inside a scope"),
    pytest.param("deadlock", LARGE, [("all", "ask")], id="too large to play, but plain to see"),
    pytest.param("lost-synchronisation", NO_JOIN, [("c", "a", "b", "f")], id="branches meet in a plain step"),
    pytest.param(
        "lost-synchronisation",
        process("f>a", "f>b", "a>done", "b>done", f=FORK, done=END),
        [("done", "a", "b", "f")],
        id="the first branch ends it all",
    ),
    pytest.param(
        "busy-loop",
        process("start>poll", "poll>ask", "ask>poll [not ready]", "ask>done [ready]", ask=ASK, done=END),
        [("ask", "poll")],
        id="polling without a pause",
    ),
    pytest.param(
        "unbounded-loop",
        process("l>done", l={"type": "loop"}, done=END),
        [("l",)],
        id="no collection, condition or limit",
    ),
    pytest.param(
        "unbounded-loop",
        process("l>done", l={"type": "loop", "loop": {"parallel": 2}}, done=END),
        [("l",)],
        id="only how many at once",
    ),
]

SILENT = [
    pytest.param("busy-loop", process("a>a [not ready]", "a>done [ready]", done=END), id="a step that waits by itself"),
    pytest.param("deadlock", SOUND, id="a fork and its join"),
    pytest.param(
        "deadlock",
        process("ask>a [x]", "ask>b (default)", "a>all", "b>all", ask=ASK, all=ANY),
        id="a join that any branch passes",
    ),
    pytest.param(
        "deadlock",
        process("f>a", "f>b", "f>c", "a>two", "b>two", "c>two", "two>done", f=FORK, two=TWO, done=END),
        id="two of three",
    ),
    pytest.param(
        "deadlock",
        process(
            "f>a",
            "f>ok",
            "ok>all [yes]",
            "ok>no [no]",
            "a>all",
            "all>done",
            f=FORK,
            ok=HUMAN,
            all=JOIN,
            done=END,
            no=END,
        ),
        id="a refusal ends the run",
    ),
    pytest.param("deadlock", REWORK_BESIDE, id="rework beside a branch"),
    pytest.param(
        "deadlock",
        process("f>a", "f>b", "a>all", "b>all", "a>stop (error)", f=FORK, all=JOIN),
        id="a failure ends the run",
    ),
    pytest.param(
        "deadlock", process("s>j", "t>j", "s>t", s=STATE, t=STATE, u=STATE, j=JOIN), id="a lifecycle is not played"
    ),
    pytest.param("deadlock", LARGE_SOUND, id="large and sound"),
    pytest.param("lost-synchronisation", SOUND, id="a fork and its join"),
    pytest.param(
        "lost-synchronisation",
        process("ask>a [x]", "ask>b (default)", "a>c", "b>c", ask=ASK),
        id="alternatives may meet",
    ),
    pytest.param("lost-synchronisation", process("s>a", "s>b", "a>c", "b>c"), id="parallel work drawn without a fork"),
    pytest.param(
        "lost-synchronisation",
        process("f>a", "f>b", "a>bad", "b>bad", f=FORK, bad={"type": "end", "outcome": "rejected"}),
        id="the first refusal ends it",
    ),
    pytest.param(
        "lost-synchronisation",
        process("f>a", "f>b", "a>h (error)", "b>h (error)", "a>j", "b>j", f=FORK, j=JOIN),
        id="a shared error handler",
    ),
    pytest.param(
        "busy-loop",
        process(
            "poll>rest",
            "rest>poll [not ready]",
            "rest>done [ready]",
            rest={"type": "wait", "duration": "PT1M"},
            done=END,
        ),
        id="polling with a pause",
    ),
    pytest.param(
        "busy-loop",
        process("a>ask", "ask>a [attempts < 3]", "ask>done (default)", ask=ASK, done=END),
        id="counted attempts",
    ),
    pytest.param(
        "busy-loop",
        process("draft>review", "review>draft [rejected]", "review>done [ok]", review=HUMAN, done=END),
        id="a person decides",
    ),
    pytest.param(
        "unbounded-loop",
        process("l>done", l={"type": "loop", "loop": {"over": "items"}}, done=END),
        id="over a collection",
    ),
    pytest.param(
        "unbounded-loop",
        process("l>done", l={"type": "loop", "loop": {"until": {"text": "paid"}}}, done=END),
        id="until something holds",
    ),
    pytest.param(
        "unbounded-loop",
        process("l>a [more]", "a>l", "l>done (default)", l={"type": "loop"}, done=END),
        id="drawn with its way out",
    ),
]


@pytest.mark.parametrize(("rule", "workflow", "steps"), FIRES)
def test_rule_names_the_steps_concerned(rule: str, workflow: Workflow, steps: list[tuple[str, ...]]) -> None:
    assert steps_found(rule, workflow) == steps


@pytest.mark.parametrize(("rule", "workflow"), SILENT)
def test_rule_is_silent_on_healthy_workflows(rule: str, workflow: Workflow) -> None:
    assert steps_found(rule, workflow) == []


@pytest.mark.parametrize(
    ("rule", "workflow"),
    [
        pytest.param("deadlock", CHOICE_THEN_JOIN, id="deadlock"),
        pytest.param("lost-synchronisation", NO_JOIN, id="lost-synchronisation"),
        pytest.param(
            "lost-synchronisation",
            process("f>a", "f>b", "a>done", "b>done", f=FORK, done=END),
            id="lost-synchronisation at an end",
        ),
    ],
)
def test_fix_removes_its_finding_and_adds_none(rule: str, workflow: Workflow) -> None:
    finding = found(rule, workflow)[0]

    removed, added = change_by_fix(workflow, finding)

    assert key(finding) in removed
    assert added == set()


@pytest.mark.parametrize(
    ("rule", "workflow"),
    [
        pytest.param(
            "deadlock",
            process("ask>f [x]", "ask>z [y]", "f>a", "f>b", "a>all", "b>all", "z>all", ask=ASK, f=FORK, all=JOIN),
            id="some of its branches run together",
        ),
        pytest.param(
            "lost-synchronisation",
            process("f>a", "f>b", "f>ask", "ask>c [x]", "ask>d [y]", "a>c", "b>c", f=FORK, ask=ASK),
            id="a join would wait for a branch that may not come",
        ),
        pytest.param(
            "lost-synchronisation",
            process("s>f", "f>a", "f>b", "a>c", "b>c", "c>f", f=FORK),
            id="work that never ends anyway",
        ),
    ],
)
def test_no_fix_is_offered_that_would_break_something_else(rule: str, workflow: Workflow) -> None:
    findings = found(rule, workflow)

    assert [finding.fix for finding in findings] == [()]


def test_formats_in_which_every_step_waits_lose_no_branch() -> None:
    workflow = process("f>a", "f>b", "a>c", "b>c", f=FORK)
    document = workflow.model_dump(mode="json", by_alias=True, exclude_none=True)

    from_argo = Workflow.model_validate({**document, "source": {"format": "argo"}})

    assert steps_found("lost-synchronisation", workflow) != []
    assert steps_found("lost-synchronisation", from_argo) == []


def test_evidence_of_a_deadlock_is_the_way_into_it() -> None:
    finding = found("deadlock", ONE_BRANCH_LEAVES)[0]

    assert finding.evidence == {"arrived": ["a-all"], "missing": ["b-all"], "choices": [{"at": "ask", "to": ["note"]}]}
    assert finding.message == (
        "'All' (all) can wait for ever: when 'Ask' (ask) goes to 'Note' (note), nothing comes from 'B' (b). "
        "The work then stands still without anybody noticing."
    )
