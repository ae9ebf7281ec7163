"""How the steps of a workflow follow one another: by what leads on, and by what waits for what."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workflow_agent.values import grouped, reached
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.fidelity import kept_in
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

_PASSED = ("fork", "join", "decision", "end")
_ONWARD = ("sequence", "condition", "default")
_MEETINGS_TRIED = 30


@dataclass(frozen=True, slots=True)
class Region:
    """The branches of a fork, each as the steps in it with its first one leading."""

    branches: tuple[tuple[str, ...], ...]
    meeting: str | None
    """Where they come together; None where each ends by itself."""

    @property
    def inside(self) -> set[str]:
        """The steps of all branches."""
        return {step_id for branch in self.branches for step_id in branch}


class Flow:
    """The transitions between the steps of one scope, by which work goes on and by which it fails."""

    def __init__(self, workflow: Workflow, format_name: str) -> None:
        self.workflow = workflow
        self._format_name = format_name
        self.steps: Mapping[str, Step] = {step.id: step for step in workflow.steps}
        self.children = grouped((step.parent, step) for step in workflow.steps)
        self._out = grouped((edge.from_, edge) for edge in workflow.transitions)
        self._into = grouped((edge.to, edge) for edge in workflow.transitions)

    def kept(self, part: Step | Transition) -> JsonObject:
        """Return what the format keeps with a step or a transition."""
        return kept_in(part.extensions, self._format_name)

    def beside(self, step_id: str) -> list[Transition]:
        """Return the transitions to steps in the same scope, in order."""
        scope = self.steps[step_id].parent
        return [edge for edge in self._out.get(step_id, ()) if self.steps[edge.to].parent == scope]

    def onward(self, step_id: str) -> list[Transition]:
        """Return the transitions in the same scope by which work that went well goes on."""
        return [edge for edge in self.beside(step_id) if edge.type in _ONWARD]

    def failing(self, step_id: str) -> list[Transition]:
        """Return the error transitions in the same scope."""
        return [edge for edge in self.beside(step_id) if edge.type == "error"]

    def into(self, step_id: str) -> list[Transition]:
        """Return the transitions from steps in the same scope, by which work comes here."""
        scope = self.steps[step_id].parent
        found = self._into.get(step_id, ())
        return [e for e in found if self.steps[e.from_].parent == scope and e.type in (*_ONWARD, "error")]

    def heads(self, scope: str | None, members: Sequence[Step]) -> list[str]:
        """Return where a scope begins: what its step leads to, else what nothing in it leads to."""
        inside = {step.id for step in members}
        drawn = [e.to for e in self._out.get(scope or "", ()) if e.to in inside and e.type in _ONWARD]
        if drawn:
            return list(dict.fromkeys(drawn))
        heads = [step.id for step in members if not any(e.from_ in inside for e in self.into(step.id))]
        return heads or [step.id for step in members[:1]]

    @property
    def start(self) -> str:
        """The step of the outermost scope that work begins with, or is inside of."""
        here = self.steps[self.workflow.start]
        while here.parent is not None:
            here = self.steps[here.parent]
        return here.id

    def reached(self, first: str, *, stop: str | None = None, when_failing: bool = True) -> list[str]:
        """Return the steps that work can come to from one, itself first, without passing `stop`."""
        kinds = (*_ONWARD, "error") if when_failing else _ONWARD

        def onward(here: str) -> list[str]:
            return [edge.to for edge in self.beside(here) if edge.type in kinds and edge.to != stop]

        return reached([first] if first != stop else [], onward)

    def region(self, fork: str) -> Region | None:
        """Return what lies between a fork and its end, or None where the branches are not apart.

        They are apart when none leads into another, none is entered from elsewhere, and all that leave
        themselves go to one and the same step.
        """
        heads = list(dict.fromkeys(edge.to for edge in self.onward(fork)))
        if len(heads) < 2 or fork in heads:
            return None
        common = set(self.reached(heads[0])).intersection(*map(self.reached, heads[1:]))
        candidates = [step_id for step_id in self.reached(heads[0]) if step_id in common][:_MEETINGS_TRIED]
        for meeting in (*candidates, *([] if candidates else [None])):
            branches = [self.reached(head, stop=meeting) for head in heads if head != meeting]
            if branches and self._are_apart(fork, branches):
                return Region(tuple(map(tuple, branches)), meeting)
        return None

    def regions(self, members: Sequence[Step], start: str) -> dict[str, Region]:
        """Return what lies between each fork and its end, without the forks inside other regions."""
        inside = {step.id for step in members}
        found: list[tuple[set[str], str, Region]] = []
        for step in members:
            if step.type == "fork" and step.id not in self.children:
                region = self.region(step.id)
                claims = region.inside if region else set[str]()
                if region and start not in claims and claims <= inside:
                    found.append((claims, step.id, region))
        outermost: dict[str, Region] = {}
        taken: set[str] = set()
        for claims, fork, region in sorted(found, key=lambda one: -len(one[0])):
            if fork not in taken and not claims & taken:
                outermost[fork] = region
                taken |= claims
        return outermost

    def _are_apart(self, fork: str, branches: Iterable[Sequence[str]]) -> bool:
        seen: set[str] = {fork}
        for branch in branches:
            inside = set(branch)
            entered = {e.from_ for step_id in branch for e in self.into(step_id)} - inside
            if inside & seen or entered - {fork}:
                return False
            seen |= inside
        return True

    def ways(self, step_id: str, region: Region | None) -> list[Transition]:
        """Return the transitions by which work goes on after a step, and after the region between it and its end."""
        if region is None:
            return self.onward(step_id)
        edge = {"id": "next", "from": step_id, "to": region.meeting}
        return [] if region.meeting is None else [Transition.model_validate(edge)]

    def branches(self, step_id: str, region: Region | None) -> list[tuple[list[Step], str]]:
        """Return the groups of steps that are done beside one another inside a step, each with its first one."""
        if region is not None:
            return [([self.steps[one] for one in branch], branch[0]) for branch in region.branches]
        groups = self.components(self.children.get(step_id, ()))
        return [(group, self.heads(step_id, group)[0]) for group in groups]

    def components(self, members: Sequence[Step], *, by_onward: bool = False) -> list[list[Step]]:
        """Return the groups of steps that transitions connect, or those alone that lead on; each in order."""
        near: dict[str, set[str]] = {step.id: set() for step in members}
        for step in members:
            for edge in self.onward(step.id) if by_onward else self.beside(step.id):
                if edge.to in near:
                    near[step.id].add(edge.to)
                    near[edge.to].add(step.id)
        group: dict[str, int] = {}
        for at, step in enumerate(members):
            if step.id not in group:
                group |= dict.fromkeys(reached([step.id], lambda one: near[one]), at)
        return list(grouped((group[step.id], step) for step in members).values())


@dataclass(frozen=True, slots=True)
class Dependency:
    """Work that has to be there first."""

    source: str
    on_failure: bool
    guards: tuple[Transition, ...]
    """The transitions with a condition on the way."""


def waiting_for_ever(needs: Mapping[str, Collection[str]]) -> list[str]:
    """Return what can never begin, because in the end it needs itself to be there first; in order."""
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
        return step.type not in _PASSED or bool(step.uses) or step.id in self._flow.children

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
