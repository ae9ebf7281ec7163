"""Soundness: joins that starve, branches that run into one another, loops nothing bounds.

On graphs small enough the token game proves it; on larger ones only what dominance shows is said.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from workflow_agent.workflows.analysis.findings import Observation, rule
from workflow_agent.workflows.analysis.graph import WAIT_FOR_ALL, FlowGraph
from workflow_agent.workflows.analysis.token_net import MAX_POSITIONS, Behaviour, Outcome, Witness, play
from workflow_agent.workflows.analysis.words import named, named_all, transition_text, vocabulary, words
from workflow_agent.workflows.model.findings import EditDocument
from workflow_agent.workflows.model.parser import unique_id
from workflow_agent.workflows.model.steps import Loop, Step, ends_badly

_rule = partial(rule, "soundness")


_COUNTS = vocabulary(
    """
    attempt attempts batch batches count counter cursor empty end finished iteration iterations item
    items last left limit max more next page pages queue remaining retries retry row rows times tries
    """
)
"""Words of a condition that show that a cycle counts, pages or empties something."""

_POSITIONS_FOR_FIXES = 400
_FIXES_TRIED = 5
"""Trying a fix is playing again: only where the games are short and the findings few."""

_PAUSES = frozenset(("wait", "human", "event", "loop", "state", "subworkflow"))


def _games(graph: FlowGraph) -> Iterator[tuple[str | None, Outcome]]:
    """Yield what playing each scope shows that splits or joins; together they stay within one budget."""
    if graph.is_lifecycle:
        return
    positions = 0
    for scope in dict.fromkeys(s.parent for s in graph.workflow.steps if s.type in ("join", "fork")):
        outcome = play(graph, scope) if positions < MAX_POSITIONS else Outcome(is_complete=False)
        positions += outcome.positions
        yield scope, outcome


@_rule("deadlock", "error", "The work then stands still without anybody noticing.", has_fix=True)
def deadlock(graph: FlowGraph) -> Iterator[Observation]:
    """Find a join that can wait for a branch that never comes."""
    # There a join goes on with the branches that came.
    if graph.came_from in WAIT_FOR_ALL | {"n8n"}:
        return
    for scope, outcome in _games(graph):
        for step_id, witness in outcome.starving.items():
            join = graph.steps[step_id]
            yield _starving(graph, join, witness, _pass_any(graph, scope, join, outcome))
        if not outcome.is_complete:
            joins = (s for s in graph.children.get(scope or "", ()) if s.type == "join")
            yield from (_behind_a_choice(graph, s) for s in joins if _splits_before(graph, s, outcome))


def _starving(graph: FlowGraph, join: Step, witness: Witness, fix: tuple[EditDocument, ...]) -> Observation:
    sources = {edge.id: edge.from_ for edge in graph.into(join.id)}
    missing = graph.steps_of(sources[edge_id] for edge_id in witness.missing)
    reason = "there are not enough branches"
    if missing:
        reason = f"nothing comes from {named_all(missing, 'or')}"
    if witness.choices:
        at, targets = witness.choices[-1]
        goes = f"goes to {named_all(graph.steps[t] for t in targets)}" if targets else "leads nowhere"
        reason = f"when {named(graph.steps[at])} {goes}, {reason}"
    return Observation(
        f"{named(join)} can wait for ever: {reason}.",
        steps=(join.id,),
        transitions=witness.missing,
        evidence=_evidence(witness),
        fix=fix,
    )


def _evidence(witness: Witness) -> dict[str, Any]:
    return {
        "arrived": list(witness.arrived),
        "missing": list(witness.missing),
        "choices": [{"at": at, "to": list(targets)} for at, targets in witness.choices],
    }


def _pass_any(graph: FlowGraph, scope: str | None, join: Step, before: Outcome) -> tuple[EditDocument, ...]:
    """Return an edit that lets the join pass each token, if its branches exclude one another."""
    if len(before.starving) > _FIXES_TRIED or not _stays_sound(graph, scope, {join.id: "merge"}, before):
        return ()
    return ({"op": "update_step", "step": join.id, "set": {"join": {"mode": "any"}}},)


def _stays_sound(graph: FlowGraph, scope: str | None, behaviours: Mapping[str, Behaviour], before: Outcome) -> bool:
    """Say whether a step that behaves differently brings no new problem, by playing every run."""
    after = play(graph, scope, behaviours, max_positions=_POSITIONS_FOR_FIXES)
    no_more = after.starving.keys() <= before.starving.keys() and after.colliding.keys() <= before.colliding.keys()
    return after.is_complete and no_more


def _splits_before(graph: FlowGraph, join: Step, outcome: Outcome) -> bool:
    """Say whether a choice is the last thing all ways to a join have in common."""
    above = graph.dominators.get(join.id)
    waits = join.join is None or join.join.mode == "all"
    entering = [edge for edge in graph.into(join.id) if edge.from_ in graph.reachable]
    if not waits or above is None or len(entering) < 2 or join.id in outcome.starving:
        return False
    return graph.steps[above].type == "decision"


def _behind_a_choice(graph: FlowGraph, join: Step) -> Observation:
    above = graph.steps[graph.dominators[join.id]]
    return Observation(
        f"{named(join)} waits for all of its branches, but {named(above)} takes only one way.",
        steps=(join.id, above.id),
        evidence={"choice": above.id},
    )


@_rule(
    "lost-synchronisation",
    "warning",
    "It does not wait for the others: it runs, or ends the workflow, as soon as one branch arrives.",
    has_fix=True,
)
def lost_synchronisation(graph: FlowGraph) -> Iterator[Observation]:
    """Find parallel branches that come together in a step that is not a join."""
    if graph.came_from in WAIT_FOR_ALL:
        return
    for scope, outcome in _games(graph):
        for step_id, witness in outcome.colliding.items():
            step, fork = graph.steps[step_id], _fork_above(graph, step_id)
            if fork is None or (step.type == "end" and ends_badly(step)):
                continue
            branches = [graph.steps[e.from_] for e in graph.into(step_id) if e.id in witness.arrived]
            yield Observation(
                f"{named_all(branches)} run at the same time after {named(fork)}, and {named(step)}, "
                "where they meet, is not a join.",
                steps=(step_id, *(branch.id for branch in branches), fork.id),
                transitions=witness.arrived,
                evidence=_evidence(witness),
                fix=_joined(graph, scope, step, outcome),
            )


def _fork_above(graph: FlowGraph, step_id: str) -> Step | None:
    """Return the fork whose branches meet here, if the nearest split above is one that is drawn."""
    splits = (s for s in graph.passed_before(step_id) if not graph.chooses(s) and len(graph.exits(s.id)) > 1)
    nearest = next(splits, None)
    return nearest if nearest is not None and nearest.type == "fork" else None


def _joined(graph: FlowGraph, scope: str | None, step: Step, before: Outcome) -> tuple[EditDocument, ...]:
    """Return an edit that puts a join before the step, if all that leads there comes at once."""
    sources = [edge.from_ for edge in graph.into(step.id)]
    is_plain = len({step.id, *sources}) == 1 + len(sources) and step.id in graph.finishing
    if len(before.colliding) > _FIXES_TRIED or before.colliding[step.id].missing or not is_plain:
        return ()
    if not _stays_sound(graph, scope, {step.id: "all"}, before):
        return ()
    made = {"id": unique_id(f"join_{step.id}"[:58], graph.steps), "name": "Join", "type": "join"}
    return ({"op": "insert_step", "step": made, "before": step.id},)


@_rule("busy-loop", "warning", "It runs as fast as the machine can until something else changes.")
def busy_loop(graph: FlowGraph) -> Iterator[Observation]:
    """Find a cycle of automatic steps without a pause, a count or anybody who decides."""
    for cycle in graph.cycles:
        steps = graph.steps_of(cycle)
        ends = cycle[0] in graph.reachable and cycle[0] in graph.finishing
        if not ends or len(cycle) == 1 or any(step.type in _PAUSES for step in steps):
            continue
        leaving = [edge for step in steps for edge in graph.out(step.id)]
        members = frozenset(cycle)
        if _COUNTS & {word for edge in leaving for word in words(transition_text(edge))}:
            continue
        yield Observation(
            f"{named_all(steps)} can go round and round without a pause or a limit.",
            steps=cycle,
            transitions=tuple(edge.id for edge in leaving if edge.to in members),
        )


@_rule("unbounded-loop", "warning", "Nothing makes it stop.")
def unbounded_loop(graph: FlowGraph) -> Iterator[Observation]:
    """Find a loop step that says neither what it repeats over nor until when."""
    for step in graph.workflow.steps:
        if step.type != "loop" or step.timeout or _is_bounded(step.loop):
            continue
        if not any(edge.when or edge.type == "default" for edge in graph.out(step.id)):
            yield Observation(f"{named(step)} never says when it is done.", steps=(step.id,))


def _is_bounded(loop: Loop | None) -> bool:
    return loop is not None and (loop.over, loop.while_, loop.until, loop.max_iterations) != (None,) * 4


RULES = (deadlock, lost_synchronisation, busy_loop, unbounded_loop)
