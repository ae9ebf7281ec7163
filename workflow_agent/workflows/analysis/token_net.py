"""The net a token game is played on: one gate a step, one place a transition.

A step takes one token from one of its entries and puts one on the exit it chooses, or one on each
where it does not choose; a join takes them from all of its entries (or, in mode `any` and `count`,
passes one on after so many and swallows the rest of the round; what comes back to it from behind itself
begins a round of its own). An error transition is always one
more choice. Reaching an end step ends the run. Each scope is a net of its own.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

Behaviour = Literal["merge", "all", "count"]


@dataclass(frozen=True, slots=True)
class Way:
    """One choice of a step: the places that get a token, and whether the run ends."""

    places: int = 0
    ends: bool = False
    targets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gate:
    """A step in the game; places are bits."""

    step: str
    behaviour: Behaviour
    entries: int
    needed: int
    """How many tokens a `count` join passes on after."""
    ways: tuple[Way, ...]
    again: int
    """The entries that come back to the step from behind itself."""
    merging: int
    """The entries on which a token arrives whatever is chosen right before."""


@dataclass(frozen=True)
class Net:
    """The game of one scope."""

    gates: tuple[Gate, ...]
    start: int
    places: Mapping[int, Transition]
    """The transition of each place, by its bit; starting places have none."""


def net_of(
    graph: FlowGraph, scope: str | None, behaviours: Mapping[str, Behaviour], heads: Sequence[str] | None = None
) -> Net:
    """Return the game of a scope, one gate a reachable step; it begins with `heads`, else with all it can."""
    members = {s.id: s for s in graph.children.get(scope or "", ()) if s.id in graph.reachable}
    leaving = [edge for step_id in members for edge in graph.out(step_id) if edge.type != "compensation"]
    inner = [edge for edge in leaving if edge.to in members]
    bits = {edge.id: 1 << at for at, edge in enumerate(inner)}
    begins = heads_of(graph, scope) if heads is None else heads
    starts = {step_id: 1 << (len(inner) + at) for at, step_id in enumerate(begins)}
    gates = tuple(
        _gate(graph, step, bits, starts.get(step.id, 0), behaviours.get(step.id)) for step in members.values()
    )
    return Net(gates, sum(starts.values()), {bits[edge.id]: edge for edge in inner})


def heads_of(graph: FlowGraph, scope: str | None) -> list[str]:
    """Return the steps of a scope that get a token when it begins."""
    if scope is None:
        return list(dict.fromkeys(map(graph.outermost, graph.roots)))
    drawn = [edge.to for edge in graph.out(scope) if graph.steps[edge.to].parent == scope]
    return list(dict.fromkeys(drawn)) or [step.id for step in graph.entries.get(scope, ())]


def _gate(graph: FlowGraph, step: Step, bits: Mapping[str, int], start: int, behaviour: Behaviour | None) -> Gate:
    entering = [edge for edge in graph.into(step.id) if edge.id in bits]
    merging = [e for e in entering if e.type != "error" and not graph.chooses(graph.steps[e.from_])]
    entries = start + sum(bits[edge.id] for edge in entering)
    usual, needed = _behaviour(step, entries.bit_count())
    kind = behaviour or usual
    return Gate(
        step=step.id,
        behaviour=kind,
        entries=entries,
        needed=needed,
        again=sum(bits[edge.id] for edge in entering if graph.dominates(step.id, edge.from_)),
        ways=tuple(_ways(graph, step, bits)),
        merging=sum(bits[edge.id] for edge in merging) if kind == "merge" else 0,
    )


def _behaviour(step: Step, entries: int) -> tuple[Behaviour, int]:
    if step.type != "join":
        return "merge", 1
    if step.join is None or step.join.mode == "all":
        return "all", entries
    return "count", 1 if step.join.mode == "any" else step.join.count or 1


def _ways(graph: FlowGraph, step: Step, bits: Mapping[str, int]) -> Iterator[Way]:
    if step.type == "end":
        yield Way(ends=True)
        return
    exits = graph.exits(step.id)
    together = [[edge] for edge in exits] if graph.chooses(step) else [exits]
    for edges in [group for group in together if group] or [[]]:
        yield _way(edges, bits, ends=not edges and step.id in graph.error_handlers)
    for edge in graph.out(step.id):
        if edge.type == "error":
            yield _way([edge], bits)


def _way(edges: Sequence[Transition], bits: Mapping[str, int], *, ends: bool = False) -> Way:
    leaves = any(edge.id not in bits for edge in edges)
    places = sum(bits.get(edge.id, 0) for edge in edges)
    return Way(places, ends or leaves, tuple(edge.to for edge in edges))


def contracted(net: Net) -> Net:
    """Return the same game without the steps that only hand one token from one place to the next.

    Tokens that follow one another through such a row become one a little sooner than step by step.
    """
    gives = {gate.entries: gate.ways[0].places for gate in net.gates if _only_hands_on(gate)}
    final = _followed(gives)

    def moved(places: int) -> int:
        return sum(final.get(bit, bit) for bit in bits_of(places))

    kept = [gate for gate in net.gates if gate.entries not in final]
    gates = tuple(replace(g, ways=tuple(replace(w, places=moved(w.places)) for w in g.ways)) for g in kept)
    return Net(gates, moved(net.start), net.places)


def _only_hands_on(gate: Gate) -> bool:
    one_way = len(gate.ways) == 1 and not gate.ways[0].ends and gate.ways[0].places.bit_count() == 1
    return one_way and gate.entries.bit_count() == 1 and gate.behaviour == "merge"


def _followed(gives: Mapping[int, int]) -> dict[int, int]:
    """Return where a token ends up that is handed on and on; circles nothing enters are left out."""
    final: dict[int, int] = {}
    for first in gives:
        path: dict[int, None] = {}
        place = first
        while place in gives and place not in final and place not in path:
            path[place] = None
            place = gives[place]
        if place not in path:
            final |= dict.fromkeys(path, final.get(place, place))
    return final


def bits_of(places: int) -> Iterator[int]:
    """Yield each place of a set of places."""
    while places:
        bit = places & -places
        yield bit
        places ^= bit


MAX_STEPS = 600
MAX_POSITIONS = 2_000
MOVES_PER_POSITION = 4
"""How many moves are looked at for each position that is allowed, so that the time is bounded too."""
Position = tuple[int, int, int]
"""Marked places, tokens that `count` joins have taken in this round, joins that have passed before."""


class Move(NamedTuple):
    """How a position was first reached."""

    before: Position
    gate: int
    way: Way


Came = dict[Position, Move | None]


def moves_to(here: Position, came: Came) -> list[Move]:
    """Return the moves by which a position was first reached, in order."""
    moves: list[Move] = []
    while (move := came[here]) is not None:
        moves.append(move)
        here = move.before
    return moves[::-1]


@dataclass
class Outcome:
    """What playing every way (or as many as allowed) has shown."""

    starving: dict[str, "Witness"] = field(default_factory=dict[str, "Witness"])
    """Joins that wait in vain in some run, by step."""
    colliding: dict[str, "Witness"] = field(default_factory=dict[str, "Witness"])
    """Steps that two parallel branches reach at once without a join, by step."""
    is_complete: bool = True
    positions: int = 0


@dataclass(frozen=True, slots=True)
class Witness:
    """The position that proves a finding and the choices that lead to it."""

    arrived: tuple[str, ...]
    """The transitions with a token waiting at the step."""
    missing: tuple[str, ...]
    """The other transitions into the step."""
    choices: tuple[tuple[str, tuple[str, ...]], ...]
    """At which step it went where, in order."""


def play(
    graph: FlowGraph,
    scope: str | None,
    behaviours: Mapping[str, Behaviour] | None = None,
    *,
    max_positions: int = MAX_POSITIONS,
) -> Outcome:
    """Return what all runs of one scope show, up to so many positions; what was seen until then is still true.

    Args:
        graph: The workflow.
        scope: The step whose inside is played; None for the outermost scope.
        behaviours: What steps do with their entries instead of what the workflow says: to try a fix.
        max_positions: Where to stop.
    """
    if len(graph.steps) > MAX_STEPS:
        return Outcome(is_complete=False)
    return explore(contracted(net_of(graph, scope, behaviours or {})), max_positions)


def explore(net: Net, max_positions: int = MAX_POSITIONS) -> Outcome:
    """Return what every run of a game shows, the shortest first, until a limit is met."""
    gate_at = gates_by_place(net)
    origin: Position = (net.start, 0, 0)
    came: Came = {origin: None}
    waiting: deque[Position] = deque([origin])
    outcome = Outcome()
    moves = 0
    while waiting and moves < MOVES_PER_POSITION * max_positions:
        here = waiting.popleft()
        before = moves
        for number, way, there in moves_from(net, gate_at, here):
            moves += 1
            if not way.ends and there not in came and len(came) < max_positions:
                came[there] = Move(here, number, way)
                waiting.append(there)
        _see_collisions(net, gate_at, here, came, outcome)
        if moves == before:
            _see_starving(net, here, came, outcome)
    outcome.positions = len(came)
    outcome.is_complete = not waiting and len(came) < max_positions
    return outcome


def gates_by_place(net: Net) -> Mapping[int, int]:
    """Return the number of the gate that each place leads into."""
    return {bit: number for number, gate in enumerate(net.gates) for bit in bits_of(gate.entries)}


def moves_from(net: Net, gate_at: Mapping[int, int], here: Position) -> Iterator[tuple[int, Way, Position]]:
    """Yield each thing that can happen next: the number of its gate, what it chooses, and the position after it."""
    marked, taken, passed = here
    for number in dict.fromkeys(gate_at[bit] for bit in bits_of(marked) if bit in gate_at):
        gate = net.gates[number]
        present = marked & gate.entries
        if gate.behaviour == "all":
            if present == gate.entries:
                for way in gate.ways:
                    yield number, way, ((marked ^ present) | way.places, taken, passed | 1 << number)
            continue
        for bit in bits_of(present):
            left = marked ^ bit
            if gate.behaviour == "merge":
                for way in gate.ways:
                    yield number, way, (left | way.places, taken, passed)
            else:
                yield from _arrivals(gate, number, bit, (left, taken, passed))


def _arrivals(gate: Gate, number: int, bit: int, here: Position) -> Iterator[tuple[int, Way, Position]]:
    """Yield what a `count` join does with a token: keep it, pass one on, or swallow it.

    A second token from the same entry begins a new round.
    """
    left, taken, passed = here
    entries = gate.again if bit & gate.again else gate.entries & ~gate.again
    round_so_far = taken & entries
    arrived = bit if round_so_far & bit else round_so_far | bit
    kept = taken & ~entries | arrived
    if arrived.bit_count() == gate.needed:
        for way in gate.ways:
            yield number, way, (left | way.places, kept, passed | 1 << number)
    else:
        yield number, Way(), (left, kept, passed)


def _see_collisions(net: Net, gate_at: Mapping[int, int], here: Position, came: Came, outcome: Outcome) -> None:
    marked = here[0]
    for number in {gate_at[bit] for bit in bits_of(marked) if bit in gate_at}:
        gate = net.gates[number]
        together = marked & gate.merging
        if together.bit_count() > 1 and gate.step not in outcome.colliding:
            outcome.colliding[gate.step] = _witness(net, gate, together, here, came)


def _see_starving(net: Net, here: Position, came: Came, outcome: Outcome) -> None:
    marked, taken, passed = here
    for number, gate in enumerate(net.gates):
        arrived = (marked if gate.behaviour == "all" else taken) & gate.entries
        waits = arrived and gate.behaviour != "merge" and not passed >> number & 1
        if waits and gate.step not in outcome.starving:
            outcome.starving[gate.step] = _witness(net, gate, arrived, here, came)


def _witness(net: Net, gate: Gate, arrived: int, here: Position, came: Came) -> Witness:
    made = ((net.gates[move.gate], move.way) for move in moves_to(here, came))
    return Witness(
        arrived=tuple(net.places[bit].id for bit in bits_of(arrived) if bit in net.places),
        missing=tuple(net.places[bit].id for bit in bits_of(gate.entries & ~arrived) if bit in net.places),
        choices=tuple((passed.step, way.targets) for passed, way in made if len(passed.ways) > 1),
    )
