"""The proof of soundness against one that is written for clarity, and the runs it gives where there is none."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.findings import process
from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.analysis.proof import MAX_STATES, prove
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Source, Workflow, workflow_document

DECIDE: dict[str, Any] = {"type": "decision"}
END: dict[str, Any] = {"type": "end"}
FAILED: dict[str, Any] = {"type": "end", "outcome": "failed"}
FORK: dict[str, Any] = {"type": "fork"}
JOIN: dict[str, Any] = {"type": "join"}
ANY: dict[str, Any] = {"type": "join", "join": {"mode": "any"}}
PARALLEL = ("f>a", "f>b", "a>j", "b>j", "j>e")


@pytest.mark.parametrize(
    "workflow",
    [
        pytest.param(process("a>b", "b>e", e=END), id="a row"),
        pytest.param(process(*PARALLEL, f=FORK, j=JOIN, e=END), id="branches that are joined"),
        pytest.param(process(*PARALLEL, f=DECIDE, j=ANY, e=END), id="ways that come together"),
        pytest.param(process("a>b", "b>a", "b>e", b=DECIDE, e=END), id="a loop that is left"),
        pytest.param(process("a>j", "j>d", "d>j", "d>e", j=ANY, d=DECIDE, e=END), id="a loop back to a join"),
        pytest.param(process("f>a", "f>b", "a>x (error)", "b>x (error)", f=FORK, x=FAILED), id="either fails"),
        pytest.param(process("e1>x", e1={"type": "loop"}, i={"parent": "e1"}, x=END), id="a scope"),
    ],
)
def test_a_sound_workflow_is_proved_sound(workflow: Workflow) -> None:
    proof = prove(workflow)

    assert proof.verdict == "sound"
    assert set(proof.holds.values()) == {True}
    assert proof.assumptions
    assert proof.in_words.startswith("Proved sound over")


@pytest.mark.parametrize(
    ("workflow", "broken", "path", "left"),
    [
        pytest.param(
            process("s>d", "d>a", "d>b", "a>j", "b>j", "j>e", d=DECIDE, j=JOIN, e=END),
            "every_path_ends", "s d a", "j", id="a join behind a choice",
        ),
        pytest.param(
            process("f>a", "f>b", "a>e", "b>e", f=FORK, e=END), "proper_completion", "f a e", "b", id="an end too early"
        ),
        pytest.param(
            process("f>a", "f>b", "a>m", "b>m", "m>n", f=FORK), "proper_completion", "f a b", "m", id="no join"
        ),
        pytest.param(
            process("a>b", "b>c", "c>b", "a>e", a=DECIDE, e=END), "every_path_ends", "a", "b c", id="a circle"
        ),
        pytest.param(process("a>e", "x>y", "y>e", e=END), "no_dead_step", "", "x y", id="steps nothing leads to"),
    ],
)  # fmt: skip
def test_what_does_not_hold_comes_with_the_shortest_run_that_shows_it(
    workflow: Workflow, broken: str, path: str, left: str
) -> None:
    proof = prove(workflow)

    shown: dict[str, tuple[str, str]] = {
        name: (" ".join(one.path), " ".join(one.left)) for name, one in proof.counterexamples.items()
    }
    assert shown[broken] == (path, left)
    assert proof.verdict == "not sound"
    assert proof.in_words.startswith("Not sound.")


def branches(count: int, *others: str, **steps: dict[str, Any]) -> Workflow:
    """Return so many parallel branches, each of which chooses between two steps, and other transitions before them."""
    edges = [
        edge
        for n in range(count)
        for edge in (f"f>d{n}", f"d{n}>a{n}", f"d{n}>b{n}", f"a{n}>m{n}", f"b{n}>m{n}", f"m{n}>j")
    ]
    return process(*others, *edges, "j>e", **steps, f=FORK, j=JOIN, e=END, **{f"d{n}": DECIDE for n in range(count)})


def test_where_the_bound_is_met_it_says_not_proved_and_why() -> None:
    proof = prove(branches(12))

    assert proof.verdict == "not proved"
    assert proof.holds["every_path_ends"] is None
    assert f"more than {MAX_STATES:,} states" in proof.in_words
    assert prove(branches(3)).verdict == "sound"


def test_what_was_seen_before_the_bound_still_does_not_hold() -> None:
    proof = prove(branches(12, "s>d", "d>f", "d>z", "a0>z", d=DECIDE, z=JOIN))

    assert proof.holds["every_path_ends"] is False
    assert proof.verdict == "not sound"


def test_a_run_that_an_event_begins_is_proved_by_itself() -> None:
    proof = prove(process("a>e", "cancelled>undo", "undo>x", cancelled={"type": "event"}, e=END, x=FAILED))

    assert proof.verdict == "sound"
    assert any("event" in one for one in proof.assumptions)


def test_jobs_that_wait_for_all_before_them_end_where_they_form_no_circle() -> None:
    workflow = process("f>a", "f>b", "a>j", "b>j", f=DECIDE, j=JOIN)

    came = workflow.model_copy(update={"source": Source(format="github-actions")})

    assert prove(workflow).verdict == "not sound"
    assert prove(came).verdict == "sound"
    assert any("skipped counts as done" in one for one in prove(came).assumptions)


Marking = frozenset[tuple[str, int]]
"""How many tokens each transition has; `>start` is the one that begins."""


class Naive:
    """Every marking of a small net without scopes, one token at a time; it says whether the three things hold."""

    def __init__(self, workflow: Workflow) -> None:
        self.graph = FlowGraph(workflow)
        self.alive: set[str] = set()
        self.is_proper = True
        self.after: dict[Marking, set[Marking | None]] = {}
        waiting = [frozenset({(">start", 1)})]
        while waiting and self.is_proper:
            here = waiting.pop()
            if here not in self.after:
                self.after[here] = set(self.following(here))
                waiting += [one for one in self.after[here] if one is not None]

    def entries(self, step: Step) -> list[str]:
        begun = [">start"] if step.id == self.graph.workflow.start else []
        return begun + [edge.id for edge in self.graph.into(step.id) if edge.from_ in self.graph.reachable]

    def following(self, here: Marking) -> Iterator[Marking | None]:
        tokens = Counter(dict(here))
        for step in self.graph.workflow.steps:
            present = [one for one in self.entries(step) if tokens[one]]
            if sum(tokens[one] for one in present) > 1 and step.type not in ("join", "end"):
                self.is_proper = False
            takes = [[one] for one in present] if step.type != "join" else [self.entries(step)]
            for taken in takes:
                if taken and all(tokens[one] for one in taken):
                    yield from self.run(step, tokens - Counter(taken))

    def run(self, step: Step, left: Counter[str]) -> Iterator[Marking | None]:
        self.alive.add(step.id)
        if step.type == "end":
            self.is_proper = self.is_proper and not left
            yield None
            return
        exits = [edge.id for edge in self.graph.exits(step.id)]
        for way in ([[one] for one in exits] or [[]]) if self.graph.chooses(step) else [exits]:
            made = left + Counter(way)
            self.is_proper = self.is_proper and max(made.values(), default=0) < 2
            yield frozenset(made.items())

    def ends(self) -> bool:
        """Say whether an end can be reached from every marking."""
        good: set[Marking | None] = {None, frozenset()}
        while news := {one for one, after in self.after.items() if one not in good and after & good}:
            good |= news
        return set(self.after) <= good


@st.composite
def small_workflows(draw: st.DrawFn) -> Workflow:
    """Draw workflows of at most six steps with forks, joins and ends in every wrong and right combination."""
    count = draw(st.integers(2, 6))
    kinds = [draw(st.sampled_from(("action", "decision", "fork", "join", "end"))) for _ in range(count)]
    ends = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    pairs = [(a, b) for a, b in draw(st.lists(ends, min_size=1, max_size=8, unique=True)) if kinds[a] != "end"]
    steps = [{"id": f"s{at}", "name": f"S{at}", "type": kind} for at, kind in enumerate(kinds)]
    edges = [{"from": f"s{a}", "to": f"s{b}"} for a, b in pairs]
    return parse_workflow({"id": "wf_small", "name": "Small", "steps": steps, "transitions": edges})


def with_rows(workflow: Workflow) -> Workflow:
    """Return the workflow with three plain steps in each transition."""
    document = workflow_document(workflow)
    steps, edges = list(document["steps"]), []
    for at, edge in enumerate(document["transitions"]):
        row = [edge["from"], *(f"r{at}_{n}" for n in range(3)), edge["to"]]
        steps += [{"id": one, "name": one} for one in row[1:-1]]
        edges += [{"from": a, "to": b} for a, b in pairwise(row)]
    return parse_workflow({**document, "steps": steps, "transitions": edges})


@settings(max_examples=80, deadline=None)
@given(small_workflows())
def test_the_proof_says_what_every_marking_shows(workflow: Workflow) -> None:
    naive = Naive(workflow)

    proof = prove(workflow)

    assert proof.holds["proper_completion"] is naive.is_proper
    if naive.is_proper:
        assert proof.holds["every_path_ends"] is naive.ends()
        assert proof.holds["no_dead_step"] is (naive.alive == set(naive.graph.steps))


@settings(max_examples=30, deadline=None)
@given(small_workflows())
def test_rows_of_plain_steps_change_no_verdict(workflow: Workflow) -> None:
    short, long = prove(workflow), prove(with_rows(workflow))

    assert long.verdict in (short.verdict, "not proved")
    if short.holds["proper_completion"] and long.verdict != "not proved":
        assert long.holds == short.holds
