"""The token game against a second one that is written for clarity and explores everything, step by step."""

from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.findings import process
from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.analysis.token_net import explore, net_of, play
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

STEP_TYPES = ("action", "decision", "human", "fork", "fork", "join", "join", "end")

Tokens = frozenset[str]
State = tuple[Tokens, frozenset[tuple[str, str]], Tokens]
"""Transitions with a token (`>start` at first), tokens a counting join holds, joins that have passed."""


@st.composite
def small_workflows(draw: st.DrawFn) -> Workflow:
    """Draw workflows of at most six steps with forks and joins in every wrong and right combination."""
    count = draw(st.integers(2, 6))
    steps: list[dict[str, Any]] = []
    for at in range(count):
        kind = draw(st.sampled_from(STEP_TYPES))
        step: dict[str, Any] = {"id": f"s{at}", "name": f"S{at}", "type": kind}
        if kind == "join":
            step |= draw(st.sampled_from(({}, {"join": {"mode": "any"}}, {"join": {"mode": "count", "count": 2}})))
        steps.append(step)
    ends = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    drawn = draw(st.lists(ends, min_size=1, max_size=8, unique=True))
    edges = [
        {"from": f"s{a}", "to": f"s{b}", "type": draw(st.sampled_from(("sequence",) * 5 + ("error",)))}
        for a, b in drawn
    ]
    return parse_workflow({"id": "wf_small", "name": "Small", "steps": steps, "transitions": edges})


class Exhaustive:
    """Every state of a workflow's token game, found one token at a time."""

    def __init__(self, workflow: Workflow) -> None:
        self.graph = FlowGraph(workflow)
        self.starving: set[str] = set()
        self.colliding: set[str] = set()
        self.is_safe = True
        """Whether no token ever comes to a transition where another still waits."""
        self.explore()

    def explore(self) -> None:
        first: State = (frozenset([">start"]), frozenset(), frozenset())
        seen = {first}
        waiting = [first]
        while waiting:
            here = waiting.pop()
            self.look_for_collisions(here)
            following = list(self.following(here))
            if not following:
                self.look_for_starving(here)
            news = {state for state in following if state is not None} - seen
            seen |= news
            waiting += news

    def entries(self, step: Step) -> set[str]:
        entering = {e.id for e in self.graph.into(step.id) if e.from_ in self.graph.reachable and self.counts(e)}
        return entering | ({">start"} if step.id == self.graph.workflow.start else set())

    def counts(self, edge: Transition) -> bool:
        return edge.type != "compensation"

    def ways(self, step: Step) -> list[set[str] | None]:
        """Return what a step may do: put tokens on these transitions, or end the run (None)."""
        if step.type == "end":
            return [None]
        exits = [edge.id for edge in self.graph.exits(step.id)]
        errors: list[set[str] | None] = [{e.id} for e in self.graph.out(step.id) if e.type == "error"]
        if not exits:
            return [None if step.id in self.graph.error_handlers else set(), *errors]
        return [*([{one} for one in exits] if self.graph.chooses(step) else [set(exits)]), *errors]

    def following(self, here: State) -> Iterator[State | None]:
        tokens, held, passed = here
        for step in self.graph.workflow.steps:
            present = tokens & self.entries(step)
            mode = (step.join.mode if step.join else "all") if step.type == "join" else None
            if mode == "all" and present and present == self.entries(step):
                yield from self.put(step, (tokens - present, held, passed | {step.id}))
            elif mode is None:
                for one in present:
                    yield from self.put(step, (tokens - {one}, held, passed))
            elif mode != "all":
                for one in present:
                    yield from self.arrive(step, one, (tokens - {one}, held, passed))

    def put(self, step: Step, here: State) -> Iterator[State | None]:
        tokens, held, passed = here
        for way in self.ways(step):
            self.is_safe = self.is_safe and not (way and way & tokens)
            yield None if way is None else (tokens | way, held, passed)

    def comes_back(self, join: str, edge_id: str) -> bool:
        """Say whether a transition into a join can be reached only by way of the join."""
        if edge_id == ">start" or join == self.graph.workflow.start:
            return edge_id != ">start"
        (edge,) = (one for one in self.graph.into(join) if one.id == edge_id)
        seen, waiting = {self.graph.workflow.start}, [self.graph.workflow.start]
        while waiting:
            news = {one.to for one in self.graph.out(waiting.pop())} - seen - {join}
            seen |= news
            waiting += news
        return edge.from_ not in seen

    def arrive(self, step: Step, one: str, here: State) -> Iterator[State | None]:
        tokens, held, passed = here
        needed = step.join.count or 1 if step.join else 1
        back = self.comes_back(step.id, one)
        so_far = {edge for join, edge in held if join == step.id and self.comes_back(join, edge) is back}
        arrived = {one} if one in so_far else so_far | {one}
        others = held - {(step.id, edge) for edge in so_far}
        kept = others | {(step.id, edge) for edge in arrived}
        if len(arrived) == needed:
            yield from self.put(step, (tokens, kept, passed | {step.id}))
        else:
            yield tokens, kept, passed

    def look_for_collisions(self, here: State) -> None:
        for step in self.graph.workflow.steps:
            together = [
                edge
                for edge in self.graph.into(step.id)
                if edge.id in here[0] and edge.type != "error" and not self.graph.chooses(self.graph.steps[edge.from_])
            ]
            if step.type != "join" and len(together) > 1:
                self.colliding.add(step.id)

    def look_for_starving(self, here: State) -> None:
        tokens, held, passed = here
        for step in self.graph.workflow.steps:
            if step.type == "join" and step.id not in passed:
                waits = any(join == step.id for join, _ in held) or tokens & self.entries(step)
                self.starving |= {step.id} if waits else set()


@settings(max_examples=150, deadline=None)
@given(small_workflows())
def test_game_finds_what_exhaustive_exploration_finds(workflow: Workflow) -> None:
    expected = Exhaustive(workflow)

    outcome = play(FlowGraph(workflow), None, max_positions=1_000_000)

    assert outcome.is_complete
    assert set(outcome.starving) <= expected.starving
    assert set(outcome.colliding) <= expected.colliding
    # Tokens that catch up with one another in a row of steps are one sooner than step by step.
    if expected.is_safe:
        assert set(outcome.starving) == expected.starving
        assert set(outcome.colliding) == expected.colliding


@settings(max_examples=60, deadline=None)
@given(small_workflows(), st.integers(1, 20))
def test_what_is_seen_before_the_limit_is_true(workflow: Workflow, max_positions: int) -> None:
    everything = play(FlowGraph(workflow), None)

    outcome = play(FlowGraph(workflow), None, max_positions=max_positions)

    assert set(outcome.starving) <= set(everything.starving)
    assert set(outcome.colliding) <= set(everything.colliding)


def test_steps_in_a_row_cost_one_position() -> None:
    branch = [f"{side}{at}>{side}{at + 1}" for side in "ab" for at in range(20)]
    workflow = process("f>a0", "f>b0", *branch, "a20>all", "b20>all", f={"type": "fork"}, all={"type": "join"})

    played = play(FlowGraph(workflow), None)
    step_by_step = explore(net_of(FlowGraph(workflow), None, {}))

    assert played.positions < 10 < 400 < step_by_step.positions


def test_game_that_is_too_long_says_so() -> None:
    sides = range(16)
    choices = [e for i in sides for e in (f"f>d{i}", f"d{i}>x{i} [x]", f"d{i}>y{i} [y]", f"x{i}>all", f"y{i}>all")]
    decisions: dict[str, dict[str, Any]] = {f"d{i}": {"type": "decision"} for i in sides}
    workflow = process(*choices, f={"type": "fork"}, all={"type": "join"}, **decisions)

    outcome = play(FlowGraph(workflow), None)

    assert not outcome.is_complete
