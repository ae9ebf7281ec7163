"""The steps of a scope as work that waits for other work, as engines without a flow of control want it.

Forks, joins, decisions and ends do no work of their own: what stands before them is passed on to what stands
behind, with the conditions on the way. A cycle is cut where it leads back.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workflow_agent.workflows.formats.builder import Flow
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

_PASSED = ("fork", "join", "decision", "end")


@dataclass(frozen=True, slots=True)
class Dependency:
    """Work that has to be there first."""

    source: str
    on_failure: bool
    guards: tuple[Transition, ...]
    """The transitions with a condition on the way."""


def waiting_for_ever(needs: Mapping[str, Collection[str]]) -> list[str]:
    """Return what can never begin, because in the end it waits for itself; in order.

    Args:
        needs: For each piece of work, those others that have to be there first.
    """
    missing = {name: len(set(needed)) for name, needed in needs.items()}
    wanted_by: dict[str, list[str]] = {name: [] for name in needs}
    for name, needed in needs.items():
        for one in set(needed):
            wanted_by[one].append(name)
    for done in (ready := [name for name, count in missing.items() if count == 0]):
        for name in wanted_by[done]:
            missing[name] -= 1
            if missing[name] == 0:
                ready.append(name)
    return [name for name, count in missing.items() if count]


class Dependencies:
    """What each step of a scope waits for."""

    def __init__(self, flow: Flow, members: Sequence[Step]) -> None:
        self._flow = flow
        self.work = [step for step in members if self._works(step)]
        self._any: set[str] = set()
        self._of = {step.id: self._found(step.id) for step in self.work}
        self._cut_cycles()

    def _works(self, step: Step) -> bool:
        is_passed = step.type in _PASSED and not step.uses and step.id not in self._flow.children
        return not is_passed

    def of(self, step_id: str) -> list[Dependency]:
        """Return what a step waits for, each piece of work once."""
        return self._of[step_id]

    def guards(self, step_id: str) -> list[Transition]:
        """Return the conditions under which a step without work before it runs."""
        return [edge for one in self._paths(step_id, (), {step_id}) if one.source == "" for edge in one.guards]

    def needs_any(self, step_id: str) -> bool:
        """Say whether one of the things a step waits for is enough."""
        return step_id in self._any and len(self._of[step_id]) > 1

    def _found(self, step_id: str) -> list[Dependency]:
        found: dict[str, Dependency] = {}
        for one in self._paths(step_id, (), {step_id}):
            if one.source:
                found.setdefault(one.source, one)
        if len(found) > 1 and not self._is_joined(step_id):
            self._any.add(step_id)
        return list(found.values())

    def _is_joined(self, step_id: str) -> bool:
        """Say whether all that leads to a step comes through one join that waits for all of it."""
        edges = self._flow.into(step_id)
        before = self._flow.steps[edges[0].from_] if len(edges) == 1 else None
        if before is None or self._works(before):
            return False
        if before.type == "join":
            return before.join is None or before.join.mode == "all"
        return self._is_joined(before.id)

    def _paths(self, step_id: str, guards: tuple[Transition, ...], passed: set[str]) -> Iterator[Dependency]:
        entering = self._flow.into(step_id)
        if not entering:
            yield Dependency("", False, guards)
        for edge in entering:
            on_the_way = (*guards, edge) if edge.type in ("condition", "default") or edge.when else guards
            if self._works(self._flow.steps[edge.from_]):
                yield Dependency(edge.from_, edge.type == "error", on_the_way)
            elif edge.from_ not in passed:
                passed.add(edge.from_)
                yield from self._paths(edge.from_, on_the_way, passed)

    def _cut_cycles(self) -> None:
        """Leave out what leads back to a step it has come from, begun with the first step."""
        after: dict[str, list[str]] = {step.id: [] for step in self.work}
        for step in self.work:
            for one in self._of[step.id]:
                after[one.source].append(step.id)
        first = [step.id for step in self.work if not self._of[step.id]]
        state: dict[str, int] = {}
        for root in [*first, *after]:
            self._walk(root, after, state)

    def _walk(self, root: str, after: dict[str, list[str]], state: dict[str, int]) -> None:
        if root in state:
            return
        stack = [(root, iter(after[root]))]
        state[root] = 1
        while stack:
            here, following = stack[-1]
            there = next(following, None)
            if there is None:
                state[here] = 2
                stack.pop()
            elif state.get(there) == 1:
                self._of[there] = [one for one in self._of[there] if one.source != here]
            elif there not in state:
                state[there] = 1
                stack.append((there, iter(after[there])))

    def in_order(self) -> list[Step]:
        """Return the work so that each piece comes after what it waits for, in order otherwise."""
        placed: dict[str, Step] = {}
        waiting = list(self.work)
        while waiting:
            ready = next(s for s in waiting if all(one.source in placed for one in self._of[s.id]))
            waiting.remove(ready)
            placed[ready.id] = ready
        return list(placed.values())
