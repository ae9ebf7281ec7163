from typing import Any

import pytest

from tests.support.findings import found, process, steps_found
from workflow_agent.workflows.analysis import data
from workflow_agent.workflows.model.workflow import Workflow

ASK: dict[str, Any] = {"type": "decision"}
END: dict[str, Any] = {"type": "end"}
WRITES: dict[str, Any] = {"writes": ["score"]}
READS: dict[str, Any] = {"reads": ["score"]}
ALL: dict[str, Any] = {"type": "join"}


def form(*fields: tuple[str, bool]) -> dict[str, Any]:
    asked = [{"key": key, "required": required} for key, required in fields]
    return {"type": "human", "form": {"fields": asked}}


SOME_WAYS = process("ask>w [x]", "ask>r (default)", "w>r", ask=ASK, w=WRITES, r=READS)

FIRES = [
    pytest.param("read-before-written", SOME_WAYS, [("r", "w")], id="one way goes past the writer"),
    pytest.param(
        "read-before-written", process("w>r", "w>r (error)", w=WRITES, r=READS), [("r", "w")], id="the writer failed"
    ),
    pytest.param(
        "read-before-written",
        process("f>r", "ask>f [x]", "ask>r (default)", ask=ASK, f=form(("score", True)), r=READS).model_copy(
            update={"start": "ask"}
        ),
        [("r", "f")],
        id="a form writes",
    ),
    pytest.param(
        "read-before-written",
        process("ask>l [x]", "ask>r [y]", "l>r", ask=ASK, l={"type": "loop"}, w={**WRITES, "parent": "l"}, r=READS),
        [("r", "w")],
        id="written inside a scope",
    ),
    pytest.param(
        "written-never-read",
        process("w>r", "r>b", "b>done", w={"writes": ["note", "score"]}, r=READS, done=END),
        [("w",)],
        id="only one of two is used",
    ),
    pytest.param(
        "unused-form-field",
        process("f>a [amount > 5]", "f>b (default)", f=form(("amount", True), ("colour", True), ("note", False))),
        [("f",)],
        id="a required field nobody uses",
    ),
]

SILENT = [
    pytest.param("read-before-written", process("w>r", w=WRITES, r=READS), id="written before"),
    pytest.param("read-before-written", process("a>r", r=READS), id="an input"),
    pytest.param(
        "read-before-written",
        process("r>w", "w>r [again]", "w>done", w=WRITES, r=READS, done=END),
        id="written only after the first reading",
    ),
    pytest.param(
        "read-before-written",
        process("ask>v [x]", "ask>w [y]", "v>r", "w>r", ask=ASK, v=WRITES, w=WRITES, r=READS),
        id="every way writes",
    ),
    pytest.param(
        "read-before-written",
        process("f>w", "f>b", "w>all", "b>all", "all>r", f={"type": "fork"}, w=WRITES, all=ALL, r=READS),
        id="a branch of parallel work writes",
    ),
    pytest.param(
        "read-before-written",
        process("l>r", l={"type": "loop"}, w={**WRITES, "parent": "l"}, r=READS),
        id="written inside the scope before",
    ),
    pytest.param(
        "read-before-written",
        process("x>w", "r>w", x={"type": "state"}, w={**WRITES, "type": "state"}, r={**READS, "type": "state"}),
        id="a lifecycle",
    ),
    pytest.param("read-before-written", process("r>w", w={**WRITES, "type": "event"}, r=READS), id="the start reads"),
    pytest.param("written-never-read", process("w>r", "r>b", w=WRITES, r=READS), id="it is read"),
    pytest.param(
        "written-never-read", process("w>b", "b>c", "c>d", w=WRITES), id="a workflow that does not say what is read"
    ),
    pytest.param(
        "written-never-read",
        process("r>w", "w>done", r={"reads": ["order"]}, w=WRITES, done=END),
        id="the result of the last step",
    ),
    pytest.param(
        "written-never-read",
        process("w>ask", "ask>a [score > 5]", "ask>r (default)", w=WRITES, ask=ASK, r={"reads": ["order"]}),
        id="a condition mentions it",
    ),
    pytest.param(
        "written-never-read",
        process("w>b", "b>r", w=WRITES, b={"with": {"text": ["Score: {{ score }}"]}}, r={"reads": ["order"]}),
        id="a parameter mentions it",
    ),
    pytest.param(
        "unused-form-field", process("f>a", f=form(("amount", True), ("colour", True))), id="people read forms too"
    ),
    pytest.param(
        "unused-form-field",
        process("f>a [amount > 5]", f=form(("amount", True), ("note", False))),
        id="an optional field",
    ),
    pytest.param("unused-form-field", process("a>b", a={}), id="no form"),
]


@pytest.mark.parametrize(("rule", "workflow", "steps"), FIRES)
def test_rule_names_the_steps_concerned(rule: str, workflow: Workflow, steps: list[tuple[str, ...]]) -> None:
    assert steps_found(rule, workflow) == steps


@pytest.mark.parametrize(("rule", "workflow"), SILENT)
def test_rule_is_silent_on_healthy_workflows(rule: str, workflow: Workflow) -> None:
    assert steps_found(rule, workflow) == []


def test_evidence_names_the_data_and_its_writers() -> None:
    finding = found("read-before-written", SOME_WAYS)[0]

    assert finding.evidence == {"data": "score", "written_by": ["w"]}


@pytest.mark.parametrize("rule", ["written-never-read", "unused-form-field"])
def test_too_much_text_to_search_is_no_reason_for_a_finding(rule: str) -> None:
    long: dict[str, Any] = {"with": {str(at): "x" * 20_000 for at in range(data.MAX_CHARS // 20_000 + 1)}}
    asked = form(("amount", True), ("colour", True))
    workflow = process("w>r", "r>b", "b>c [amount]", w={"writes": ["note"], **asked}, r=READS, b=long)

    assert steps_found(rule, workflow) == []


def test_graph_too_large_for_the_data_flow_is_left_alone() -> None:
    dense = [f"n{at}>n{at + jump} [case {jump}]" for at in range(2_200) for jump in range(1, 7)]
    workflow = process("n0>w [z]", *dense, "w>r", "n0>r (default)", w=WRITES, r=READS)

    assert steps_found("read-before-written", workflow) == []
