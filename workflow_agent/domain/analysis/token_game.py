"""Playing a workflow with tokens: which joins can starve, and where parallel branches run into one another.

The rules of the game are those of `token_net`. Two tokens on one transition count as one, so that
the game is finite; a run that reaches an end step is over, whatever else still waits.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from workflow_agent.domain.analysis.graph import FlowGraph
from workflow_agent.domain.analysis.token_net import Behaviour, Gate, Net, Way, bits_of, contracted, net_of

MAX_STEPS = 600
MAX_POSITIONS = 2_000
MOVES_PER_POSITION = 4
"""How many moves are looked at for each position that is allowed, so that the time is bounded too."""

Position = tuple[int, int, int]
"""Marked places, tokens that `count` joins have taken in this round, joins that have passed before."""


Came = dict[Position, "tuple[Position, int, Way] | None"]
"""How each position was first reached: from where, by which gate, choosing what."""


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
    """Return what all runs of one scope show, up to so many positions.

    Args:
        graph: The workflow.
        scope: The step whose inside is played; None for the outermost scope.
        behaviours: What steps do with their entries instead of what the workflow says: to try a fix.
        max_positions: Where to stop; what was seen until then is still true.
    """
    if len(graph.steps) > MAX_STEPS:
        return Outcome(is_complete=False)
    return explore(contracted(net_of(graph, scope, behaviours or {})), max_positions)


def explore(net: Net, max_positions: int = MAX_POSITIONS) -> Outcome:
    """Return what every run of a game shows, the shortest first, until a limit is met."""
    gate_at = {bit: number for number, gate in enumerate(net.gates) for bit in bits_of(gate.entries)}
    origin: Position = (net.start, 0, 0)
    came: Came = {origin: None}
    waiting: deque[Position] = deque([origin])
    outcome = Outcome()
    moves = 0
    while waiting and moves < MOVES_PER_POSITION * max_positions:
        here = waiting.popleft()
        before = moves
        for number, way, there in _moves(net, gate_at, here):
            moves += 1
            if not way.ends and there not in came and len(came) < max_positions:
                came[there] = (here, number, way)
                waiting.append(there)
        _see_collisions(net, gate_at, here, came, outcome)
        if moves == before:
            _see_starving(net, here, came, outcome)
    outcome.positions = len(came)
    outcome.is_complete = not waiting and len(came) < max_positions
    return outcome


def _moves(net: Net, gate_at: Mapping[int, int], here: Position) -> Iterator[tuple[int, Way, Position]]:
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
    round_so_far = taken & gate.entries
    arrived = bit if round_so_far & bit else round_so_far | bit
    kept = taken & ~gate.entries | arrived
    if arrived.bit_count() == gate.needed:
        for way in gate.ways:
            yield number, way, (left | way.places, kept, passed | 1 << number)
    else:
        yield number, Way(), (left, kept, passed)


def _see_collisions(
    net: Net, gate_at: Mapping[int, int], here: Position, came: Came, outcome: Outcome
) -> None:
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
    choices: list[tuple[str, tuple[str, ...]]] = []
    move = came[here]
    while move is not None:
        before, number, way = move
        if len(net.gates[number].ways) > 1:
            choices.append((net.gates[number].step, way.targets))
        move = came[before]
    return Witness(
        arrived=tuple(net.places[bit].id for bit in bits_of(arrived) if bit in net.places),
        missing=tuple(net.places[bit].id for bit in bits_of(gate.entries & ~arrived) if bit in net.places),
        choices=tuple(reversed(choices)),
    )
