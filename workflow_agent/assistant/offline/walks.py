"""Ways through a workflow's graph: what leads back, what can be avoided, how long it takes, which hold."""

from collections.abc import Callable, Iterator, Sequence

from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.tokens import read_tokens
from workflow_agent.assistant.offline.wording import condition_of, in_walking_order
from workflow_agent.workflows.model.durations import seconds_of
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

WAYS_THROUGH = frozenset({"fork", "join", "end"})
"""Types of steps in which nothing is done."""


def ranks(workflow: Workflow) -> dict[str, int]:
    """Return at which place somebody walking from the start meets each step, by its id."""
    return {step.id: at for at, step in enumerate(in_walking_order(workflow))}


def branches(workflow: Workflow) -> list[list[Step]]:
    """Return the steps of each parallel branch."""
    return [row for rows in forks(workflow) for row in rows]


def forks(workflow: Workflow) -> list[list[list[Step]]]:
    """Return the parallel branches of each fork, with the steps of each."""
    return [
        [_branch(workflow, edge.to) for edge in workflow.outgoing(fork.id)]
        for fork in workflow.steps
        if fork.type == "fork"
    ]


def _branch(workflow: Workflow, first: str) -> list[Step]:
    found: list[Step] = []
    step = workflow.step(first)
    while step is not None and step not in found and step.type not in ("join", "end"):
        found.append(step)
        onward = workflow.outgoing(step.id)
        step = workflow.step(onward[0].to) if onward else None
    return found


def longest(workflow: Workflow, until: str | None = None) -> float:
    """Return how many seconds the way takes whose limits add up to most, to the end or to a step and with it."""
    rank = ranks(workflow)
    reaching = {s.id for s in workflow.steps if until is None or until in reach(workflow, s.id)}
    best: dict[str, float] = {}
    for step in reversed(in_walking_order(workflow)):
        onward = [
            best.get(e.to, 0.0) for e in workflow.outgoing(step.id) if rank[e.to] > rank[step.id] and e.to in reaching
        ]
        after = 0.0 if step.id == until else max(onward, default=0.0)
        best[step.id] = seconds_of(step.timeout or step.duration or "") + after
    return best.get(workflow.start, 0.0)


def back_edges(workflow: Workflow) -> list[Transition]:
    """Return the transitions that lead to a step from which they can be reached, in walking order."""
    rank = ranks(workflow)
    return [e for e in workflow.transitions if rank[e.to] <= rank[e.from_] and e.from_ in reach(workflow, e.to)]


def reach(workflow: Workflow, start: str, avoiding: frozenset[str] = frozenset()) -> set[str]:
    """Return the ids of the steps that can be reached from one without passing others."""
    closed = _closed(workflow, avoiding) if avoiding else avoiding
    return _reached(start, lambda here: [e.to for e in workflow.outgoing(here)], closed)


def _reached(start: str, onward: Callable[[str], Sequence[str]], closed: frozenset[str] = frozenset()) -> set[str]:
    """Return what can be reached from one id, itself too, by what leads on from each, without those that are closed."""
    seen, waiting = set[str](), [start]
    while waiting:
        here = waiting.pop()
        if here not in seen and here not in closed:
            seen.add(here)
            waiting += onward(here)
    return seen


def _closed(workflow: Workflow, avoiding: frozenset[str]) -> frozenset[str]:
    """Return the ids to avoid, with those of the forks that have a branch with no way to its end around them."""
    open_ended = {s.id for s in workflow.steps if s.type in ("join", "end")}
    forks = {s.id: [e.to for e in workflow.outgoing(s.id)] for s in workflow.steps if s.type == "fork"}
    closed, found = frozenset[str](), avoiding
    while found != closed:
        closed = found
        through = {s.id: [] if s.id in closed else [e.to for e in workflow.outgoing(s.id)] for s in workflow.steps}
        found = closed | {
            fork
            for fork, ways in forks.items()
            if any((open_ended - closed).isdisjoint(_reached(way, through.__getitem__, closed)) for way in ways)
        }
    return closed


def between(workflow: Workflow, edge: Transition) -> set[str]:
    """Return the ids of the steps on the loop that a transition back closes."""
    before = _reached(edge.from_, lambda here: [e.from_ for e in workflow.incoming(here)])
    return reach(workflow, edge.to) & before


def path(workflow: Workflow, goal: str | None = None, avoiding: frozenset[str] = frozenset()) -> list[Step] | None:
    """Return the steps of a shortest way from the start to a step, or to an end, around others; None without one."""
    closed = _closed(workflow, avoiding) if avoiding else avoiding
    came: dict[str, str | None] = {workflow.start: None}
    waiting = [workflow.start]
    while waiting:
        here = waiting.pop(0)
        step = None if here in closed else workflow.step(here)
        if step is None:
            continue
        ways = workflow.outgoing(here)
        if here == goal or (goal is None and (step.type == "end" or not ways)):
            found, at = list[Step](), here
            while at is not None:
                found += [one] if (one := workflow.step(at)) else []
                at = came[at]
            return found[::-1]
        for edge in ways:
            if edge.to not in came:
                came[edge.to] = here
                waiting.append(edge.to)
    return None


def skipping(workflow: Workflow, ids: frozenset[str]) -> list[Step] | None:
    """Return a way through a step that is skipped unless its condition holds."""
    kept = frozenset(one for one in ids if (s := workflow.step(one)) is not None and s.when is None)
    return path(workflow, avoiding=kept) if kept != ids else None


def conditions_before(workflow: Workflow, step_id: str) -> Iterator[tuple[Step, str]]:
    """Yield the cases that lead to a step, each nearest one with the step that parts the ways there."""
    seen, waiting = {step_id}, [step_id]
    back = back_edges(workflow)
    while waiting:
        for edge in (e for e in workflow.incoming(waiting.pop(0)) if e not in back):
            source, when = workflow.step(edge.from_), condition_of(edge)
            if when and source is not None:
                yield source, when
            elif edge.from_ not in seen:
                seen.add(edge.from_)
                waiting.append(edge.from_)


def holds(text: str, value: float) -> bool | None:
    """Say whether a condition on one amount holds for a value; None where it cannot be told."""
    plain = f" {text.lower()} "
    numbers = [token.value for token in read_tokens(text) if token.kind == "number" and token.value is not None]
    if len(numbers) == 2 and ("between" in plain or " to " in plain):
        return numbers[0] <= value <= numbers[1]
    if len(numbers) != 1:
        return None
    negated, limit = " not " in plain and "not more than" not in plain, numbers[0]
    if any(word in plain for word in word_set("walks.under")):
        least = any(word in plain for word in word_set("walks.up_to"))
        return (value <= limit if least else value < limit) != negated
    if any(word in plain for word in word_set("walks.over")):
        most = any(word in plain for word in word_set("walks.at_least"))
        return (value >= limit if most else value > limit) != negated
    return None
