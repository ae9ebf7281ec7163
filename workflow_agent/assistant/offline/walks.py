"""Ways through a workflow's graph: what leads back, what can be avoided, how long it takes, which hold."""

from workflow_agent.assistant.offline.settings import NUMBER, amount_of
from workflow_agent.assistant.offline.wording.workflow import in_walking_order
from workflow_agent.workflows.model.durations import in_words, seconds_of
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

_OVER = ("over", "above", "more than", "greater than", "exceed", "at least", ">", "higher than", "from")
_UNDER = ("under", "below", "less than", "smaller than", "up to", "at most", "<", "lower than", "not more than")


def branches(workflow: Workflow) -> list[list[Step]]:
    """Return the steps of each parallel branch."""
    found: list[list[Step]] = []
    kinds = {s.id: s.type for s in workflow.steps}
    for fork in workflow.steps:
        if fork.type != "fork":
            continue
        for edge in workflow.outgoing(fork.id):
            branch, here, seen = list[Step](), edge.to, set[str]()
            while here not in seen and kinds.get(here) != "join":
                seen.add(here)
                step = workflow.step(here)
                if step is None or step.type == "end":
                    break
                branch.append(step)
                onward = workflow.outgoing(here)
                if not onward:
                    break
                here = onward[0].to
            found.append(branch)
    return found


def longest(workflow: Workflow) -> str:
    """Return how long the way takes whose limits add up to most, in words."""
    cost = {s.id: seconds_of(s.timeout or s.duration or "") for s in workflow.steps}
    best: dict[str, float] = {}
    order = [s.id for s in in_walking_order(workflow)]
    rank = {one: at for at, one in enumerate(order)}
    for one in reversed(order):
        onward = [best.get(e.to, 0.0) for e in workflow.outgoing(one) if rank[e.to] > rank[one]]
        best[one] = cost[one] + max(onward, default=0.0)
    return in_words(best.get(workflow.start, 0.0))


def back_edges(workflow: Workflow) -> list[Transition]:
    """Return the transitions that lead to a step from which they can be reached, in walking order."""
    order = {s.id: at for at, s in enumerate(in_walking_order(workflow))}
    return [e for e in workflow.transitions if order[e.to] <= order[e.from_] and e.from_ in reach(workflow, e.to)]


def reach(workflow: Workflow, start: str, avoiding: frozenset[str] = frozenset()) -> set[str]:
    """Return the ids of the steps that can be reached from one without passing others."""
    seen, waiting = set[str](), [start]
    while waiting:
        here = waiting.pop()
        if here in seen or here in avoiding:
            continue
        seen.add(here)
        waiting += [e.to for e in workflow.outgoing(here)]
    return seen


def between(workflow: Workflow, edge: Transition) -> set[str]:
    """Return the ids of the steps on the loop that a transition back closes."""
    return reach(workflow, edge.to) & {s.id for s in workflow.steps if edge.from_ in reach(workflow, s.id)}


def path_to_end(workflow: Workflow, avoiding: frozenset[str]) -> list[Step] | None:
    """Return the steps of a shortest way from the start to an end that meets none of these, or None."""
    came: dict[str, str | None] = {workflow.start: None}
    waiting = [workflow.start]
    while waiting:
        here = waiting.pop(0)
        if here in avoiding:
            continue
        step = workflow.step(here)
        ways = workflow.outgoing(here)
        if step is not None and (step.type == "end" or not ways):
            path: list[Step] = []
            at: str | None = here
            while at is not None:
                found = workflow.step(at)
                path += [found] if found else []
                at = came[at]
            return path[::-1]
        for edge in ways:
            if edge.to not in came:
                came[edge.to] = here
                waiting.append(edge.to)
    return None


def skipping(workflow: Workflow, ids: frozenset[str]) -> list[Step] | None:
    """Return a way through a step that is skipped unless its condition holds."""
    kept = frozenset(one for one in ids if (s := workflow.step(one)) is not None and s.when is None)
    return path_to_end(workflow, kept) if kept != ids else None


def holds(text: str, value: float) -> bool | None:
    """Say whether a condition on one amount holds for a value; None where it cannot be told."""
    plain = f" {text.lower()} "
    numbers = [amount_of(found) for found in NUMBER.findall(text)]
    if (len(numbers) == 2 and "between" in plain) or (len(numbers) == 2 and " to " in plain):
        return numbers[0] <= value <= numbers[1]
    if len(numbers) != 1:
        return None
    negated = " not " in plain
    least = "at least" in plain or ">=" in plain or "or more" in plain
    most = "up to" in plain or "at most" in plain or "<=" in plain or "or less" in plain or "not more than" in plain
    if any(word in plain for word in _UNDER):
        told = value <= numbers[0] if most else value < numbers[0]
        return told if not negated or "not more than" in plain else not told
    if any(word in plain for word in _OVER):
        told = value >= numbers[0] if least else value > numbers[0]
        return told if not negated else not told
    return None
