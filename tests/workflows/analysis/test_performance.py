from typing import Any

import pytest

from tests.support.findings import change_by_fix, found, key, process, steps_found
from workflow_agent.workflows.model.workflow import Workflow

END: dict[str, Any] = {"type": "end"}
FORK: dict[str, Any] = {"type": "fork"}
DAY: dict[str, Any] = {"duration": "P1D"}
WEEK: dict[str, Any] = {"duration": "P1W"}
LIMITS: dict[str, Any] = {"timeout": "PT1M", "retry": {"max_attempts": 3}}


def fetch(name: str, **more: Any) -> dict[str, Any]:
    return {"uses": f"crm.get_{name}", "writes": [name], **LIMITS, **more}


def each(parallel: int | None) -> dict[str, Any]:
    return {"type": "loop", "loop": {"over": "items", "parallel": parallel}}


def by(role: str) -> dict[str, Any]:
    return {"type": "human", "assignee": role}


CALL: dict[str, Any] = {"uses": "crm.get", "parent": "l", **LIMITS}
SERIES = process("a>b", "b>c", "c>done", a=fetch("x"), b=fetch("y"), c=fetch("z"), done=END)
FLOOD = process("l>done", l=each(0), call=CALL, done=END)
BUSY = process(
    "a>b", "b>c", "c>d", "d>e", a=by("Finance"), b=by("finance"), c=by("finance"), d=by("finance"), e=by("sales")
)

FIRES = [
    pytest.param(
        "critical-path",
        process("f>a", "f>b", "a>c", "b>c", f=FORK, a=DAY, b=WEEK, c=DAY),
        [("b", "c")],
        id="the longer branch",
    ),
    pytest.param(
        "critical-path",
        process("a>b", "b>a [again]", "b>c", a=DAY, b=DAY, c=DAY),
        [("a", "b", "c")],
        id="a cycle counts once",
    ),
    pytest.param(
        "critical-path",
        process("l>b", l={"type": "loop"}, x={**WEEK, "parent": "l"}, b=DAY),
        [("l", "b")],
        id="what is inside a scope",
    ),
    pytest.param(
        "critical-path",
        process("l>b", l={"type": "loop", **DAY}, x={**WEEK, "parent": "l"}, b=DAY),
        [("l", "b")],
        id="a scope that says it itself",
    ),
    pytest.param("unbounded-fan-out", FLOOD, [("l", "call")], id="all items at once"),
    pytest.param("serial-independent", SERIES, [("a", "b", "c")], id="three that only fetch"),
    pytest.param("bottleneck-role", BUSY, [("a", "b", "c", "d")], id="four of five"),
]

SILENT = [
    pytest.param(
        "serial-independent",
        process("a>b", "b>c", a=fetch("x"), b=fetch("y", when={"text": "x is known"})),
        id="the second is not always run",
    ),
    pytest.param("critical-path", process("a>b", a=DAY), id="only one step takes time"),
    pytest.param(
        "critical-path",
        process("ask>a [x]", "ask>b (default)", ask={"type": "decision"}, a=DAY, b=DAY),
        id="never both",
    ),
    pytest.param(
        "critical-path", process("a>b", a={"type": "state", **DAY}, b={"type": "state", **DAY}), id="a lifecycle"
    ),
    pytest.param("unbounded-fan-out", process("l>done", l=each(5), call=CALL, done=END), id="five at once"),
    pytest.param("unbounded-fan-out", process("l>done", l=each(None), call=CALL, done=END), id="one after the other"),
    pytest.param(
        "unbounded-fan-out", process("l>done", l=each(0), x={"parent": "l"}, done=END), id="no service is called"
    ),
    pytest.param(
        "serial-independent",
        process("a>b", "b>c", a=fetch("x"), b=fetch("y", reads=["x"])),
        id="the second needs the first",
    ),
    pytest.param(
        "serial-independent",
        process("a>b", "b>c", a=fetch("x"), b={"uses": "crm.update_y", "writes": ["y"]}),
        id="one changes something",
    ),
    pytest.param(
        "serial-independent",
        process("a>b", "b>c", a={"uses": "crm.get"}, b={"uses": "crm.get"}),
        id="they do not say what they touch",
    ),
    pytest.param(
        "serial-independent",
        process("a>b [x]", "b>c", a=fetch("x"), b=fetch("y")),
        id="the second depends on a condition",
    ),
    pytest.param(
        "serial-independent", process("a>b", "x>b", "b>c", a=fetch("x"), b=fetch("y")), id="another way leads in"
    ),
    pytest.param(
        "bottleneck-role",
        process("a>b", "b>c", "c>d", a=by("x"), b=by("x"), c=by("x"), d=by("x")),
        id="only one role takes part",
    ),
    pytest.param(
        "bottleneck-role", process("a>b", "b>c", "c>d", a=by("x"), b=by("x"), c=by("y"), d=by("y")), id="evenly shared"
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
    [pytest.param("unbounded-fan-out", FLOOD, id="fan-out"), pytest.param("serial-independent", SERIES, id="series")],
)
def test_fix_removes_its_finding_and_adds_none(rule: str, workflow: Workflow) -> None:
    finding = found(rule, workflow)[0]

    removed, added = change_by_fix(workflow, finding)

    assert key(finding) in removed
    assert added == set()


def test_critical_path_says_how_long_in_words() -> None:
    finding = found("critical-path", process("a>b", a=DAY, b={"duration": "PT36H"}))[0]

    assert finding.message.startswith("The longest way takes 2 days 12 hours; 'B' (b) alone takes 1 day 12 hours.")
    assert finding.evidence["total_seconds"] == 216_000


def test_scope_that_says_how_long_it_takes_is_believed() -> None:
    inside: dict[str, Any] = {**WEEK, "parent": "l"}

    finding = found("critical-path", process("l>b", l={"type": "loop", **DAY}, x=inside, b=DAY))[0]

    assert finding.evidence["seconds"] == {"l": 86_400, "b": 86_400}


def test_long_series_is_parallelized_in_parts() -> None:
    steps = {f"s{at}": fetch(f"v{at}") for at in range(12)}
    workflow = process(*[f"s{at}>s{at + 1}" for at in range(11)], "s11>done", **steps, done=END)

    assert [len(steps) for steps in steps_found("serial-independent", workflow)] == [10, 2]
