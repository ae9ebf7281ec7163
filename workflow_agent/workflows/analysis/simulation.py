"""Playing cases through a workflow: which way each takes, who acts, how long it takes and where it waits.

A case is a token; parallel branches are several. A step keeps its token for as long as it lasts, and first
waits for somebody of its role who is free, where their number is given. What a condition says is looked up in
the case; one that cannot be worked out is asked for, or drawn by the chances that were given, never guessed.
"""

import heapq
import math
import random
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any, cast

from workflow_agent.values import grouped
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.analysis.conditions import holds
from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.analysis.token_net import heads_of
from workflow_agent.workflows.model.durations import exact_seconds, in_words
from workflow_agent.workflows.model.steps import Step, ends_badly
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

MAX_RUNS = 1_000
MAX_STEPS_OF_A_CASE = 1_000
MAX_MOVES = 50_000
"""Of all cases together, so that the time is bounded."""
_DAY = 86_400.0
_PATHS_SHOWN = 5
_SHOWN_STEPS = 200


_Later = Callable[[float], None]
"""What happens at a time, which it is told."""


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What is known of the cases, and of who works on them."""

    case: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Facts by name; under the id of a step, which of its ways is taken, a list of them where the case comes there
    more than once, whether it is done, or how often a loop goes round."""
    chances: Mapping[str, float] = field(default_factory=dict[str, float])
    """How likely a transition is taken, by its id or as `from>to`."""
    times: Mapping[str, float] = field(default_factory=dict[str, float])
    """How long a step lasts in seconds, by its id; else as the workflow says."""
    staff: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many there are of a role; of those that are not named there are always enough."""
    hourly_costs: Mapping[str, float] = field(default_factory=dict[str, float])
    """What an hour of a role costs."""
    per_day: float | None = None
    """How many cases begin a day, at random; without it they have nothing to do with one another."""
    runs: int = 1
    seed: int = 0


@dataclass(slots=True)
class Visit:
    """A step as a case passed it."""

    step: str
    at: float
    by: str | None = None
    """The transition by which the case came."""
    waited: float = 0.0
    took: float = 0.0
    ended: str = ""
    """Why it did not end well: `timed out` or `skipped`."""


@dataclass(slots=True)
class _Case:
    began: float
    visits: list[Visit] = field(default_factory=list[Visit])
    ends: list[str] = field(default_factory=list[str])
    outcome: str = ""
    finished: float = 0.0
    cost: float = 0.0
    question: JsonObject | None = None
    starving: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class _Scope:
    """What is done inside a step, until all of it is done or the step fails."""

    around: "_Scope | None" = None
    is_closed: bool = False

    @property
    def is_over(self) -> bool:
        return self.is_closed or (self.around is not None and self.around.is_over)


@dataclass(slots=True)
class _Frame:
    """One time through a scope: its tokens, and what goes on when they are gone or one of them fails."""

    case: _Case
    then: _Later
    fails: _Later
    scope: _Scope
    tokens: int = 0
    arrived: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The transitions by which tokens wait at each join for all."""
    rounds: dict[tuple[str, bool], set[str]] = field(default_factory=dict[tuple[str, bool], set[str]])
    """The transitions by which tokens came in this round to each join for some; those that come back by themselves."""
    passed: set[str] = field(default_factory=set[str])


def simulate(workflow: Workflow, assumed: Assumptions) -> JsonObject:
    """Return what happens to a case, or to many, as plain data.

    The same assumptions and seed always come to the same.
    """
    return _Simulation(FlowGraph(workflow), assumed).report()


class _Simulation:
    def __init__(self, graph: FlowGraph, assumed: Assumptions) -> None:
        self._graph = graph
        self._assumed = assumed
        self._random = random.Random(assumed.seed)  # noqa: S311 - chances, not secrets
        self._events: list[tuple[float, int, _Later]] = []
        self._order = count()
        self._moves = 0
        self._free = dict(assumed.staff)
        self._queues = defaultdict[str, deque[_Later]](deque)
        self._busy: dict[str, float] = {}
        self._unknown_times: set[str] = set()
        self.cases: list[_Case] = []

    def _at(self, when: float, what: _Later) -> None:
        heapq.heappush(self._events, (when, next(self._order), what))

    def run(self) -> None:
        """Play every case to its end, or until the limit is met."""
        at = 0.0
        for _ in range(min(self._assumed.runs, MAX_RUNS)):
            case = _Case(at)
            self.cases.append(case)
            self._at(at, partial(self._start, case))
            if self._assumed.per_day:
                at += self._random.expovariate(self._assumed.per_day / _DAY)
        while self._events and self._moves < MAX_MOVES:
            when, _, what = heapq.heappop(self._events)
            self._moves += 1
            what(when)

    def _start(self, case: _Case, now: float) -> None:
        def done(end: float) -> None:
            case.finished = end
            bad = [one for one in case.ends if ends_badly(self._graph.steps[one])]
            case.outcome = case.outcome or ("failed" if bad else "waits" if case.starving else "completed")

        frame = _Frame(case, done, partial(self._stop, case, "timed out"), _Scope(), tokens=1)
        self._enter(frame, self._graph.workflow.start, None, now)

    def _enter(self, frame: _Frame, step_id: str, edge: Transition | None, now: float) -> None:
        """Let a token come to a step; at a join it may have to wait for others."""
        step, case = self._graph.steps[step_id], frame.case
        if case.outcome or frame.scope.is_over:
            return
        if len(case.visits) >= MAX_STEPS_OF_A_CASE:
            self._stop(case, "too many steps", now)
            return
        if step.type == "join" and edge is not None and not self._joins(frame, step, edge):
            self._gone(frame, now)
            return
        visit = Visit(step_id, now, edge.id if edge else None)
        case.visits.append(visit)
        wanted = step.when is None or self._is_wanted(step)
        if wanted is None:
            self._ask(case, step, ["yes", "no"], now, "whether it is done")
        elif not wanted:
            visit.ended = "skipped"
            self._leave(frame, step, now)
        else:
            self._begin(frame, step, visit, now)

    def _is_wanted(self, step: Step) -> bool | None:
        """Say whether a step with a condition is done; None where nothing says so."""
        told = holds(step.when, self._assumed.case) if step.when else True
        answer = self._assumed.case.get(step.id)
        return {"yes": True, "no": False}.get(str(answer).casefold()) if told is None else told

    def _joins(self, frame: _Frame, step: Step, edge: Transition) -> bool:
        """Say whether a token that comes by a transition lets a join go on; it then takes those that wait."""
        if step.join is None or step.join.mode == "all":
            waiting = frame.arrived.setdefault(step.id, [])
            waiting.append(edge.id)
            entering = {one.id for one in self._graph.into(step.id)}
            if not entering <= set(waiting):
                return False
            for one in entering:
                waiting.remove(one)
            return True
        needed = 1 if step.join.mode == "any" else step.join.count or 1
        came = frame.rounds.setdefault((step.id, self._graph.dominates(step.id, edge.from_)), set())
        if edge.id in came:
            came.clear()
        came.add(edge.id)
        if len(came) != needed:
            return False
        frame.passed.add(step.id)
        return True

    def _begin(self, frame: _Frame, step: Step, visit: Visit, now: float) -> None:
        role = step.assignee or ""
        if self._free.get(role, 1) <= 0:
            self._queues[role].append(lambda at: self._work(frame, step, visit, at))
            return
        if role in self._free:
            self._free[role] -= 1
        self._work(frame, step, visit, now)

    def _work(self, frame: _Frame, step: Step, visit: Visit, now: float) -> None:
        visit.waited = now - visit.at
        limit = exact_seconds(step.timeout)
        lasts = self._lasts(step)
        left = math.inf if limit is None else max(limit - visit.waited, 0.0)
        is_late = lasts > left
        visit.took = min(lasts, left)
        role = step.assignee or ""
        if role:
            self._busy[role] = self._busy.get(role, 0.0) + visit.took
            frame.case.cost += visit.took / 3600 * self._assumed.hourly_costs.get(role, 0.0)

        def done(at: float) -> None:
            if role in self._free:
                self._release(role, at)
            if frame.case.outcome or frame.scope.is_over:
                return
            if is_late:
                visit.ended = "timed out"
                self._fail(frame, step, at)
            else:
                self._inside(frame, step, visit, at)

        self._at(now + visit.took, done)

    def _release(self, role: str, now: float) -> None:
        if self._queues[role]:
            self._queues[role].popleft()(now)
        else:
            self._free[role] += 1

    def _lasts(self, step: Step) -> float:
        given = self._assumed.times.get(step.id)
        if given is None:
            given = exact_seconds(step.duration)
        if given is None and step.type in ("action", "human", "wait", "event", "subworkflow", "state"):
            self._unknown_times.add(step.id)
        return max(given or 0.0, 0.0)

    def _fail(self, frame: _Frame, step: Step, now: float) -> None:
        """Take the way for a step that ran out of time; without one what is around it fails, and at last the case."""
        ways = [edge for edge in self._graph.out(step.id) if edge.type == "error"]
        late = [edge for edge in ways if not edge.errors or any("time" in one.lower() for one in edge.errors)]
        if late:
            self._enter(frame, late[0].to, late[0], now)
        elif step.on_error == "continue":
            self._leave(frame, step, now)
        else:
            frame.fails(now)

    def _inside(self, frame: _Frame, step: Step, visit: Visit, now: float) -> None:
        """Play what is inside a step, as often as it goes round; then the step is done."""
        heads = heads_of(self._graph, step.id)
        rounds = self._rounds(frame.case, step, now) if heads and step.type == "loop" else len(heads[:1])
        if rounds is None:
            return
        if rounds == 0:
            self._leave(frame, step, now)
            return
        scope = _Scope(frame.scope)

        def fail(at: float) -> None:
            if not scope.is_over and not frame.case.outcome:
                scope.is_closed = True
                visit.ended = "timed out"
                self._fail(frame, step, at)

        def leave(at: float) -> None:
            scope.is_closed = True
            self._leave(frame, step, at)

        limit = exact_seconds(step.timeout)
        if limit is not None:
            self._at(visit.at + limit, fail)
        at_once = step.loop.parallel if step.loop else None
        most = rounds if at_once == 0 else at_once or 1
        self._go_round(
            lambda then: _Frame(frame.case, then, fail, scope, len(heads)), heads, (rounds, most), leave, now
        )

    def _go_round(
        self,
        framed: Callable[[_Later], _Frame],
        heads: Sequence[str],
        times: tuple[int, int],
        leave: _Later,
        now: float,
    ) -> None:
        """Play what is inside a step so many times, at most so many at once."""
        left, most = times
        running = 0

        def begin(at: float) -> None:
            nonlocal left, running
            while left and running < most:
                left, running = left - 1, running + 1
                # Later at the same time: what does nothing would otherwise end within its own beginning.
                frame = framed(lambda end: self._at(end, ended))
                for head in heads:
                    self._enter(frame, head, None, at)

        def ended(at: float) -> None:
            nonlocal running
            running -= 1
            if left:
                begin(at)
            elif not running:
                leave(at)

        begin(now)

    def _rounds(self, case: _Case, step: Step, now: float) -> int | None:
        """Return how often a loop goes round; None where that was asked for."""
        over: Any = step.loop.over if step.loop else None
        facts = self._assumed.case
        given: Any = facts.get(step.id)
        if given is None and isinstance(over, str):
            given = facts.get(over.strip().strip("${}. "))
        if given is None:
            most = step.loop.max_iterations if step.loop else None
            given = cast("list[Any]", over) if isinstance(over, list) else most
        rounds: Any = len(cast("list[Any]", given)) if isinstance(given, list) else given
        if isinstance(rounds, int) and not isinstance(rounds, bool) and rounds >= 0:
            return rounds
        self._ask(case, step, [], now, "how often it goes round")
        return None

    def _leave(self, frame: _Frame, step: Step, now: float) -> None:
        if step.type == "end":
            frame.case.ends.append(step.id)
            self._gone(frame, now)
            return
        for edge in self._graph.out(step.id):
            chance = self._chance(edge) if edge.type == "error" else None
            if chance is not None and self._random.random() < chance:
                self._enter(frame, edge.to, edge, now)
                return
        exits = self._graph.exits(step.id)
        if not exits:
            self._gone(frame, now)
            return
        taken = self._chosen(frame.case, step, exits, now) if self._graph.chooses(step) else exits
        frame.tokens += len(taken) - 1
        for edge in taken:
            self._enter(frame, edge.to, edge, now)

    def _chosen(self, case: _Case, step: Step, exits: Sequence[Transition], now: float) -> Sequence[Transition]:
        if len(exits) == 1 and exits[0].when is None:
            return exits
        answer = self._answer(case, step)
        if answer is not None:
            named = [edge for edge in exits if _is_named(edge, self._graph, answer)]
            if named:
                return named[:1]
        if any(self._chance(edge) is not None for edge in exits):
            return self._drawn(exits)
        told = [(edge, _truth(edge, step, self._assumed.case)) for edge in exits]
        true = [edge for edge, value in told if value]
        otherwise = [e for e, value in told if e.type == "default" or (value is None and not _asks(e))]
        unknown = [e for e, value in told if value is None and e not in otherwise]
        if true and (not unknown or told[0][0] is true[0]):
            return true[:1]
        if not unknown and len(otherwise) == 1:
            return otherwise
        self._ask(case, step, [_way(edge, self._graph) for edge in exits], now, "which way it goes")
        return ()

    def _answer(self, case: _Case, step: Step) -> object:
        """Return what was said of the way from a step; of a list, what belongs to this time that the case is there."""
        given: Any = self._assumed.case.get(step.id)
        if not isinstance(given, list):
            return given
        answers = cast("list[Any]", given)
        times = sum(visit.step == step.id for visit in case.visits)
        return answers[times - 1] if times <= len(answers) else None

    def _chance(self, edge: Transition) -> float | None:
        given = self._assumed.chances.get(edge.id, self._assumed.chances.get(f"{edge.from_}>{edge.to}"))
        return None if given is None else min(max(given, 0.0), 1.0)

    def _drawn(self, exits: Sequence[Transition]) -> Sequence[Transition]:
        given = [self._chance(edge) for edge in exits]
        rest = max(0.0, 1.0 - sum(one for one in given if one is not None))
        share = rest / max(1, given.count(None))
        weights = [share if one is None else one for one in given]
        return self._random.choices(exits, weights if sum(weights) > 0 else None)

    def _gone(self, frame: _Frame, now: float) -> None:
        """Let a token end; with the last one its scope is done."""
        frame.tokens -= 1
        if frame.tokens > 0 or frame.case.outcome:
            return
        frame.case.starving += [join for join, came in frame.arrived.items() if came and join not in frame.passed]
        frame.then(now)

    def _stop(self, case: _Case, outcome: str, now: float) -> None:
        case.outcome, case.finished = outcome, now

    def _ask(self, case: _Case, step: Step, ways: Sequence[str], now: float, what: str) -> None:
        case.question = {"step": step.id, "name": step.name, "what": what, "ways": list(ways)}
        self._stop(case, "asks", now)

    def report(self) -> JsonObject:
        """Play the cases, and return what happened."""
        self.run()
        played = [case for case in self.cases if case.outcome]
        report: JsonObject = {
            "runs": len(self.cases),
            "is_complete": len(played) == len(self.cases),
            "outcomes": dict(Counter(case.outcome for case in played)),
            "questions": list({one["step"]: one for c in played if (one := c.question)}.values()),
            "no_time_known": sorted(self._unknown_times, key=self._graph.index.__getitem__),
            "seed": self._assumed.seed,
        }
        if played:
            report |= self._times(played) | self._ways(played) | self._people(played)
        if len(self.cases) == 1 and played:
            report |= self._path(played[0])
        return report

    def _path(self, case: _Case) -> JsonObject:
        steps = self._graph.steps
        path = [
            {
                "step": one.step,
                "by": one.by,
                "name": steps[one.step].name,
                "who": steps[one.step].assignee,
                "at_seconds": one.at,
                "waited_seconds": one.waited,
                "took_seconds": one.took,
                "ended": one.ended or "done",
            }
            for one in case.visits[:_SHOWN_STEPS]
        ]
        return {"outcome": case.outcome, "ends": case.ends, "waits_at": case.starving, "path": path}

    def _times(self, played: Sequence[_Case]) -> JsonObject:
        lengths = sorted(case.finished - case.began for case in played if case.outcome in ("completed", "failed"))
        if not lengths:
            return {}
        median, high = percentile(lengths, 50), percentile(lengths, 90)
        return {
            "median_seconds": median,
            "p90_seconds": high,
            "mean_seconds": sum(lengths) / len(lengths),
            "in_words": f"half within {in_words(median)}, nine of ten within {in_words(high)}",
            "mean_cost": sum(case.cost for case in played) / len(played),
        }

    def _ways(self, played: Sequence[_Case]) -> JsonObject:
        paths = Counter(tuple(one.step for one in case.visits[:_SHOWN_STEPS]) for case in played)
        return {
            "ends": dict(Counter(end for case in played for end in case.ends)),
            "paths": [{"steps": list(path), "runs": runs} for path, runs in paths.most_common(_PATHS_SHOWN)],
        }

    def _people(self, played: Sequence[_Case]) -> JsonObject:
        span = max(case.finished for case in played) or 1.0
        waited = grouped((visit.step, visit.waited) for case in played for visit in case.visits)
        slow = sorted(waited, key=lambda one: -sum(waited[one]))[:1]
        found: JsonObject = {
            "roles": {
                role: {"busy_seconds": float(busy)}
                | ({"busy_share": busy / span / people} if (people := self._assumed.staff.get(role)) else {})
                for role, busy in self._busy.items()
            }
        }
        if slow and sum(waited[slow[0]]) > 0:
            step = self._graph.steps[slow[0]]
            mean = sum(waited[step.id]) / len(waited[step.id])
            found["bottleneck"] = {
                "step": step.id,
                "name": step.name,
                "who": step.assignee,
                "mean_waited_seconds": mean,
                "in_words": f"a case waits {in_words(mean)} for it on average",
            }
        return found


def percentile(ordered: Sequence[float], percent: float) -> float:
    """Return the smallest of ordered numbers that so many percent of them do not exceed."""
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def _asks(edge: Transition) -> bool:
    return edge.when is not None or bool(edge.label or edge.action)


def _truth(edge: Transition, step: Step, case: Mapping[str, Any]) -> bool | None:
    """Return whether a transition is taken by what the case says; None where it does not say so."""
    if edge.type == "default":
        return None
    if edge.when is not None and (told := holds(edge.when, case)) is not None:
        return told
    words = (edge.label or (edge.when.text if edge.when else "") or "").strip().casefold()
    if words in ("yes", "no", "true", "false"):
        asked = holds(step.name.rstrip("? "), case)
        return None if asked is None else asked is (words in ("yes", "true"))
    return holds(words, case) if words else None


def _way(edge: Transition, graph: FlowGraph) -> str:
    when = edge.when.text or edge.when.formula if edge.when else None
    return edge.label or when or edge.action or graph.steps[edge.to].name


def _is_named(edge: Transition, graph: FlowGraph, answer: object) -> bool:
    target = graph.steps[edge.to]
    said = {_way(edge, graph), edge.id, edge.label, edge.action, target.id, target.name}
    wanted = ("yes" if answer else "no") if isinstance(answer, bool) else str(answer).casefold()
    return any(one is not None and one.casefold() == wanted for one in said)
