"""Proof that a workflow is sound, or the shortest run that shows it is not.

The method is the state space of the workflow net: W.M.P. van der Aalst, "The Application of Petri Nets to
Workflow Management", Journal of Circuits, Systems and Computers 8(1), 1998. A net is sound when from every
state that can be reached the end can be reached (every path ends), nothing is left when it is (proper
completion), and every step can run (no dead step). A workflow may have several ends, and one without an end
step ends when nothing is left to do. Each scope is a net of its own: a step refined by a sound net leaves the
net around it as it is. A step that runs twice for one branching breaks proper completion.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from workflow_agent.values import reached
from workflow_agent.workflows.analysis.graph import WAIT_FOR_ALL, FlowGraph
from workflow_agent.workflows.analysis.token_net import (
    Came,
    Move,
    Net,
    Position,
    bits_of,
    contracted,
    gates_by_place,
    heads_of,
    moves_from,
    moves_to,
    net_of,
)
from workflow_agent.workflows.analysis.words import named, named_all
from workflow_agent.workflows.model.steps import ends_badly
from workflow_agent.workflows.model.workflow import Workflow

Property = Literal["every_path_ends", "proper_completion", "no_dead_step"]
Verdict = Literal["sound", "not sound", "not proved"]
PROPERTIES: tuple[Property, ...] = ("every_path_ends", "proper_completion", "no_dead_step")
MAX_STATES = 10_000
"""Of each scope. The time is bounded with it: a state has at most a few moves."""
_MAX_MOVES = 60_000
_MAX_STEPS = 2_000
_SHOWN_STEPS = 60

_FREELY = (
    "a decision may take any of its ways: what conditions say is not looked at, so that fewer runs may be possible"
)
_STEPS_END = (
    "a step that has begun ends, or goes on by its error path; people and services answer; "
    "where an error path was taken, it only matters that the run ends"
)
_FAIR = "a choice that comes again and again takes each of its ways at some time, so that loops are left"
_SCOPES = "what is inside a step is a workflow of its own, and so is the workflow that a sub-workflow step runs"
_EVENTS = "what an event or an automation begins is a run of its own"
_DEAD_PATHS = "a step waits for all before it, and one that was skipped counts as done, as in the tool it came from"


@dataclass(frozen=True, slots=True)
class Counterexample:
    """The run that shows that something does not hold; no shorter one does."""

    path: tuple[str, ...]
    """The steps in the order in which they run."""
    left: tuple[str, ...]
    """The steps that still wait, or still have to run, at its end."""
    why: str


@dataclass(frozen=True, slots=True)
class Proof:
    """What was proved of a workflow."""

    holds: Mapping[Property, bool | None]
    """None where it was not proved either way."""
    counterexamples: Mapping[Property, Counterexample]
    assumptions: tuple[str, ...]
    states: int
    not_proved: str = ""
    """Why something was not proved; empty where everything was."""

    @property
    def verdict(self) -> Verdict:
        """All in one word."""
        if False in self.holds.values():
            return "not sound"
        return "not proved" if None in self.holds.values() else "sound"

    @property
    def in_words(self) -> str:
        """The verdict as a sentence or two."""
        if self.verdict == "sound":
            return f"Proved sound over {self.states:,} states: every path ends, nothing is left over, no step is dead."
        found = " ".join(one.why for one in self.counterexamples.values())
        unknown = [name.replace("_", " ") for name in PROPERTIES if self.holds[name] is None]
        rest = f"Not proved: {', '.join(unknown)}, because {self.not_proved}." if unknown else ""
        return " ".join(part for part in ("Not sound." if found else "", found, rest) if part)

    def as_dict(self) -> dict[str, Any]:
        """Return the proof as plain JSON data."""
        return {
            "verdict": self.verdict,
            "in_words": self.in_words,
            "properties": dict(self.holds),
            "counterexamples": [
                {"property": name, "path": list(one.path[:_SHOWN_STEPS]), "left": list(one.left), "why": one.why}
                for name, one in self.counterexamples.items()
            ],
            "assumptions": list(self.assumptions),
            "states": self.states,
        }


@dataclass
class _Played:
    """What the state space of one net shows."""

    alive: set[str] = field(default_factory=set[str])
    found: dict[Property, Counterexample] = field(default_factory=dict[Property, Counterexample])
    is_complete: bool = True
    states: int = 0


def prove(workflow: Workflow) -> Proof:
    """Return what can be proved of a workflow by looking at a bounded number of states of each scope."""
    graph = FlowGraph(workflow)
    if len(graph.steps) > _MAX_STEPS:
        return _nothing(f"it has {len(graph.steps):,} steps, and no more than {_MAX_STEPS:,} are looked at")
    if graph.came_from in WAIT_FOR_ALL and not graph.cycles:
        return _without_cycles(graph)
    if graph.came_from == "n8n":
        return _nothing("n8n decides by the data of each item how often a node runs")
    played = [_played(graph, scope, heads) for scope, heads in _nets(graph)]
    return _joined(graph, played)


def _nothing(why: str) -> Proof:
    return Proof(dict.fromkeys(PROPERTIES), {}, (), 0, why)


def _without_cycles(graph: FlowGraph) -> Proof:
    """Return the proof for steps that wait for all before them: without a cycle each is done or skipped once."""
    dead = _dead(graph, set(graph.reachable))
    holds: dict[Property, bool | None] = dict.fromkeys(PROPERTIES, True)
    holds["no_dead_step"] = dead is None
    found: dict[Property, Counterexample] = {} if dead is None else {"no_dead_step": dead}
    return Proof(holds, found, (_DEAD_PATHS, _STEPS_END, _SCOPES), len(graph.steps))


def _nets(graph: FlowGraph) -> Iterator[tuple[str | None, list[str]]]:
    """Yield each scope that runs, with the steps that begin it; of the outermost, each that begins alone."""
    for root in heads_of(graph, None):
        yield None, [root]
    for scope in graph.children:
        if scope in graph.reachable:
            yield scope, heads_of(graph, scope)


def _joined(graph: FlowGraph, played: Sequence[_Played]) -> Proof:
    """Return one proof of what the nets of all scopes show."""
    is_complete = all(one.is_complete for one in played)
    found: dict[Property, Counterexample] = {}
    for one in played:
        for name, example in one.found.items():
            found.setdefault(name, example)
    not_proved = f"there are more than {MAX_STATES:,} states, and no more are looked at" if not is_complete else ""
    is_alone = len(heads_of(graph, None)) == 1
    if not is_alone and "every_path_ends" in found:
        # What waits may be let go on by what another beginning leads to.
        del found["every_path_ends"]
        not_proved = "several events and automations begin something, and one may have to wait for another"
    dead = _dead(graph, {step for one in played for step in one.alive})
    if dead is not None and is_complete and (is_alone or not not_proved):
        found["no_dead_step"] = dead
    holds: dict[Property, bool | None] = dict.fromkeys(PROPERTIES, None if not_proved else True)
    if dead is None:
        holds["no_dead_step"] = True
    holds |= dict.fromkeys(found, False)
    said = {
        _FREELY: any(graph.chooses(step) for step in graph.steps.values()),
        _STEPS_END: True,
        _FAIR: bool(graph.cycles),
        _SCOPES: len(graph.children) > 1 or any(step.workflow for step in graph.steps.values()),
        _EVENTS: not is_alone,
    }
    assumptions = tuple(one for one, is_made in said.items() if is_made)
    return Proof(
        holds,
        {name: found[name] for name in PROPERTIES if name in found},
        assumptions,
        sum(one.states for one in played),
        not_proved,
    )


def _dead(graph: FlowGraph, alive: set[str]) -> Counterexample | None:
    """Return the steps that no run comes to; what undoes others, and what is beside the flow, is none."""
    undoing = graph.reachable - graph.reachable_without_compensation
    never = [s for s in graph.workflow.steps if s.id not in alive and s.id not in graph.side_steps | undoing]
    if not never:
        return None
    told = f"No run ever comes to {named_all(never[:5], 'or')}{' or others' * (len(never) > 5)}."
    return Counterexample((), tuple(step.id for step in never), told)


def _played(graph: FlowGraph, scope: str | None, heads: Sequence[str]) -> _Played:
    """Return what one net shows: step by step where that is possible, else with plain rows taken as one step."""
    whole = net_of(graph, scope, {}, heads)
    played = _StateSpace(graph, whole).played()
    return played if played.is_complete else _StateSpace(graph, whole, contracted(whole)).played(played)


class _StateSpace:
    """All states of one net, breadth first: the first run that is found to a state is a shortest one.

    `short` takes the place of the whole net: it has no steps that only hand a token on.
    """

    def __init__(self, graph: FlowGraph, whole: Net, short: Net | None = None) -> None:
        self._graph = graph
        self._net = short or whole
        self._gate_at = gates_by_place(self._net)
        self._next_of = {gate.entries: gate for gate in whole.gates} if short else {}
        self._ways = {(gate.step, at): way for gate in whole.gates for at, way in enumerate(gate.ways)}
        self._begun = whole.start
        self._played = _Played()
        self._came: Came = {}
        self._before: dict[Position, list[Position]] = {}
        self._final: list[Position] = []
        self._fired: set[tuple[str, int]] = set()

    def played(self, earlier: _Played | None = None) -> _Played:
        """Return what the states show; beside it what was shown before."""
        if not self._net.gates:
            return self._played
        self._explore()
        if self._played.is_complete:
            self._look_for_no_way_out()
        self._played.alive |= {step for step, _ in self._fired} | set(self._handed_on(self._begun))
        self._played.alive |= {step for key in self._fired for step in self._handed_on(self._ways[key].places)}
        self._played.states = len(self._came)
        if earlier is not None:
            self._played.found = {**self._played.found, **earlier.found}
        return self._played

    def _explore(self) -> None:
        origin: Position = (self._net.start, 0, 0)
        self._came[origin] = None
        waiting: deque[Position] = deque([origin])
        moves = 0
        while waiting:
            here = waiting.popleft()
            before = moves
            for number, way, there in moves_from(self._net, self._gate_at, here):
                moves += 1
                self._follow(Move(here, number, way), there, waiting)
            if moves == before:
                self._stopped(here)
            if len(self._came) > MAX_STATES or moves > _MAX_MOVES:
                self._played.is_complete = False
                return

    def _follow(self, move: Move, there: Position, waiting: deque[Position]) -> None:
        gate = self._net.gates[move.gate]
        if move.way in gate.ways:
            self._fired.add((gate.step, gate.ways.index(move.way)))
        self._see_twice(move, there)
        if move.way.ends:
            self._final.append(move.before)
            self._see_left_over(move, there)
            return
        self._before.setdefault(there, []).append(move.before)
        if there not in self._came:
            self._came[there] = move
            waiting.append(there)

    def _see_twice(self, move: Move, there: Position) -> None:
        """Note a branch that comes to a step, or to a place, where another one is already."""
        gate, marked = self._net.gates[move.gate], move.before[0]
        present = marked & gate.entries
        kept = there[0] & ~move.way.places | (marked & ~gate.entries & move.way.places)
        meets = gate.behaviour == "merge" and present.bit_count() > 1
        doubled = kept & move.way.places
        if not (meets or doubled) or "proper_completion" in self._played.found:
            return
        step = self._graph.steps[gate.step if meets else self._step_after(doubled & -doubled)]
        # An end is looked at when it is reached, and what failed only has to come to one.
        if step.type != "end" and step.id not in self._graph.error_handlers:
            why = f"{named(step)} runs once for each of several branches that meet there without a join."
            self._note("proper_completion", move.before, None if meets else move, [step.id], why)

    def _see_left_over(self, move: Move, there: Position) -> None:
        """Note an end for success that is reached while something is still to be done."""
        step = self._graph.steps[self._net.gates[move.gate].step]
        left = self._steps_at(there[0] & ~move.way.places)
        is_expected = ends_badly(step) or step.id in self._graph.error_handlers
        if left and not is_expected and "proper_completion" not in self._played.found:
            why = f"{named(step)} is reached while {named_all(self._graph.steps_of(left))} still has to run."
            self._note("proper_completion", move.before, move, left, why)

    def _stopped(self, here: Position) -> None:
        """Note a state in which nothing can happen: the end, or a join that waits for ever."""
        marked, taken, passed = here
        waiting = [
            gate.step
            for number, gate in enumerate(self._net.gates)
            if (marked if gate.behaviour == "all" else taken) & gate.entries
            and gate.behaviour != "merge"
            and not (gate.behaviour == "count" and passed >> number & 1)
        ]
        if not waiting:
            self._final.append(here)
        elif "every_path_ends" not in self._played.found:
            steps = self._graph.steps_of(waiting)
            self._note("every_path_ends", here, None, waiting, f"{named_all(steps)} can wait for ever.")

    def _look_for_no_way_out(self) -> None:
        """Note the first state from which no end can be reached any more."""
        ending = set(reached(self._final, lambda state: self._before.get(state, ())))
        trapped = next((one for one in self._came if one not in ending), None)
        if trapped is not None and "every_path_ends" not in self._played.found:
            left = [step for one in self._came if one not in ending for step in self._steps_at(one[0])]
            steps = self._graph.steps_of(left)
            told = f"{named_all(steps[:5])}{' and others' * (len(steps) > 5)}"
            self._note("every_path_ends", trapped, None, left, f"From {told} no end can be reached any more.")

    def _note(self, name: Property, here: Position, last: Move | None, left: Iterable[str], why: str) -> None:
        self._played.found[name] = Counterexample(tuple(self._path(here, last)), tuple(dict.fromkeys(left)), why)

    def _path(self, here: Position, last: Move | None) -> list[str]:
        path = list(self._handed_on(self._begun))
        for one in [*moves_to(here, self._came), *([last] if last else [])]:
            gate = self._net.gates[one.gate]
            path.append(gate.step)
            if one.way in gate.ways:
                path += self._handed_on(self._ways[gate.step, gate.ways.index(one.way)].places)
        return path

    def _handed_on(self, places: int) -> Iterator[str]:
        """Yield the steps that only hand on what comes to these places, where those are taken as one."""
        for place in bits_of(places):
            at = place
            seen: set[int] = set()
            while at in self._next_of and at not in seen and at not in self._gate_at:
                seen.add(at)
                gate = self._next_of[at]
                yield gate.step
                at = gate.ways[0].places

    def _step_after(self, place: int) -> str:
        return self._net.gates[self._gate_at[place]].step

    def _steps_at(self, places: int) -> list[str]:
        return list(dict.fromkeys(self._step_after(place) for place in bits_of(places)))
