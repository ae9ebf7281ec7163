"""How a workflow compares with the gold graph of its description.

Gold steps are `key:role:word`: the role must be the step's, the word in its name; `-` stands for no
particular role. Gold edges say which step leads to which, past decisions, forks, joins, loops, and past
waits that the gold does not name. What else must hold is listed as `also`: `each k` (the step lies in a
loop over things), `timeout k P2D`, `escalate k role`, `trigger type`, `title words`. A row without steps
describes no work: nothing may be made of it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow

_PASSED_THROUGH = frozenset({"decision", "fork", "join", "end", "loop"})
_MAY_BE_THERE = frozenset({"wait", "event"})


@dataclass(frozen=True, slots=True)
class Draft:
    """A description, and how the workflow made of it compares with the gold graph."""

    text: str
    steps: float
    """The share of gold steps that are there, each in its role."""
    extra: int
    """Steps that are not in the gold graph."""
    edges: float
    """F1 of the edges between steps."""
    branches: bool
    """Whether it branches and returns where the gold graph does."""
    also: bool = True
    """Whether everything else holds that the gold says."""

    @property
    def is_exact(self) -> bool:
        """Say whether the graph is the gold one."""
        return (self.steps, self.extra, self.edges, self.branches, self.also) == (1.0, 0, 1.0, True, True)


def judged(row: Mapping[str, Any], made: Workflow | None) -> Draft:
    """Return how a workflow compares with the gold graph of its description."""
    gold = [one.split(":") for one in row["steps"].split()]
    if made is None or not gold:
        right = made is None and not gold
        return Draft(row["text"], float(right), 0, float(right), branches=right)
    own = [step for step in made.steps if step.type not in _PASSED_THROUGH]
    found: dict[str, str] = {}
    for key, role, word in gold:
        fitting = (one for one in own if one.id not in found.values() and _is(one, role, word))
        if (step := next(fitting, None)) is not None:
            found[key] = step.id
    own = [one for one in own if one.id in found.values() or one.type not in _MAY_BE_THERE]
    wanted = {(found.get(a), found.get(b)) for a, b in (edge.split(">") for edge in row["edges"].split())}
    given = edges_between(made, {one.id for one in own})
    right = len(wanted & given)
    return Draft(
        row["text"],
        len(found) / len(gold),
        len(own) - len(found),
        2 * right / (len(wanted) + len(given)) if wanted or given else 1.0,
        branches=_shape([tuple(edge.split(">")) for edge in row["edges"].split()]) == _shape(sorted(given)),
        also=all(_also(made, found, claim) for claim in row.get("also", ())),
    )


def _is(step: Step, role: str, word: str) -> bool:
    words = f"{step.name} {step.uses or ''} {step.type}".casefold()
    return word in words and (role == "-" or slug(step.assignee or "") == role)


def _also(made: Workflow, found: Mapping[str, str], claim: str) -> bool:
    kind, _, rest = claim.partition(" ")
    if kind == "trigger":
        return any(one.type == rest for one in made.triggers)
    if kind == "title":
        return made.name.casefold() == rest.casefold()
    key, _, wanted = rest.partition(" ")
    by_id = {one.id: one for one in made.steps}
    step = by_id.get(found.get(key, ""))
    if step is None:
        return False
    if kind == "each":
        return step.parent is not None and by_id[step.parent].type == "loop"
    value = {"timeout": step.timeout, "escalate": step.escalate_to}[kind]
    return slug(value or "-") == slug(wanted)


def edges_between(made: Workflow, ids: Collection[str]) -> set[tuple[str, str]]:
    """Return which of these steps lead to which, through decisions, forks, joins and into loops and out."""
    after = _next_steps(made)

    def reached(start: str, seen: frozenset[str]) -> set[str]:
        found: set[str] = set()
        for to in after.get(start, set()) - seen:
            found |= {to} if to in ids else reached(to, seen | {to})
        return found

    return {(one, to) for one in ids for to in reached(one, frozenset())}


def _next_steps(made: Workflow) -> dict[str, set[str]]:
    """Return what follows each step; a loop is entered at its body's start and left at the body's end."""
    after: dict[str, set[str]] = {}
    for edge in made.transitions:
        after.setdefault(edge.from_, set()).add(edge.to)
    for loop in (one.id for one in made.steps if one.type == "loop"):
        body = {one.id for one in made.steps if one.parent == loop}
        inner = {to for one in body for to in after.get(one, set())}
        left = after.get(loop, set()) - body
        for last in body:
            if not after.get(last, set()) - {loop}:
                after[last] = left
        if body:
            after[loop] = (body - inner) or body
    return after


def _shape(edges: Sequence[tuple[str, ...]]) -> tuple[list[int], bool]:
    """Return how often it branches and how wide, and whether it returns."""
    after: dict[str, list[str]] = {}
    for a, b in edges:
        after.setdefault(a, []).append(b)

    def returns(at: str, path: tuple[str, ...]) -> bool:
        return at in path or any(returns(to, (*path, at)) for to in after.get(at, ()))

    return sorted(len(ways) for ways in after.values() if len(ways) > 1), any(returns(one, ()) for one in after)
