"""What a diagram of a workflow shows: small enough to read, with scopes collapsed and the rest counted."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from workflow_agent.values import grouped, reached
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

COLLAPSE_ABOVE_STEPS = 60
MAX_STEPS = 200
MAX_EDGES = 400
MAX_DEPTH = 6
"""How deep scopes are drawn inside one another."""
Collapse = Literal["auto", "always", "never"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line between two steps that are shown."""

    source: str
    target: str
    transition: Transition | None
    """None for the line from a step into its scope."""


@dataclass(frozen=True, eq=False)
class DiagramView:
    """The part of a workflow that is drawn.

    Up to `COLLAPSE_ABOVE_STEPS` all steps are; above that, scopes are folded into their step unless
    told otherwise, and what then is still too much is left out from the far end, with its number told.
    """

    workflow: Workflow
    collapse: Collapse = "auto"
    fold: Collection[str] | None = None
    """The scopes to fold, whatever `collapse` says; None leaves it to that."""
    by_role: bool = False
    """Whether steps stand in lanes, one for each role."""

    @cached_property
    def _steps(self) -> Mapping[str, Step]:
        return {step.id: step for step in self.workflow.steps}

    @cached_property
    def _shown_as(self) -> Mapping[str, str]:
        """The step each step is drawn as: itself, or the one whose scope is folded."""
        is_large = len(self._steps) > COLLAPSE_ABOVE_STEPS
        is_collapsed = is_large if self.collapse == "auto" else self.collapse == "always"
        depth = 0 if is_collapsed and self.fold is None else MAX_DEPTH
        closed = set(self.fold or ())
        chains: dict[str, list[str]] = {}
        for step in self.workflow.steps:
            chain = [step.id]
            while (parent := self._steps[chain[-1]].parent) is not None and parent not in chains:
                chain.append(parent)
            above = chains.get(self._steps[chain[-1]].parent or "", [])
            for step_id in reversed(chain):
                is_hidden = len(above) > depth or (above and above[-1] in closed)
                above = above if is_hidden else [*above, step_id]
                chains[step_id] = above
        return {step_id: chain[-1] for step_id, chain in chains.items()}

    @cached_property
    def shown(self) -> Mapping[str, Step]:
        """The steps drawn, by id, in the order of the document; those near the start where not all fit."""
        drawn = [step for step in self.workflow.steps if self._shown_as[step.id] == step.id]
        if len(drawn) <= MAX_STEPS:
            return {step.id: step for step in drawn}
        near = self._nearest_to_start(MAX_STEPS)
        return {step.id: step for step in drawn if step.id in near}

    def _nearest_to_start(self, count: int) -> set[str]:
        edges = self.workflow.transitions
        leads_to = grouped((self._shown_as[edge.from_], self._shown_as[edge.to]) for edge in edges)
        near = reached([self._shown_as[self.workflow.start]], lambda shown: leads_to.get(shown, ()))
        return set(list(dict.fromkeys([*near, *self._shown_as.values()]))[:count])

    @property
    def start(self) -> str | None:
        """The step drawn first, which may be one the start is folded into; None where it is left out."""
        first = self._shown_as[self.workflow.start]
        return first if first in self.shown else None

    @cached_property
    def folded(self) -> Mapping[str, int]:
        """How many steps are hidden inside each step that is shown."""
        return Counter(shown for step_id, shown in self._shown_as.items() if shown != step_id)

    @cached_property
    def left_out(self) -> int:
        """How many steps are not shown at all."""
        return len(set(self._shown_as.values())) - len(self.shown)

    @cached_property
    def children(self) -> Mapping[str, list[Step]]:
        """The steps shown inside each scope; `""` is the outermost."""
        shown = self.shown
        return grouped((step.parent if step.parent in shown and step.parent else "", step) for step in shown.values())

    @cached_property
    def lanes(self) -> Mapping[str, str]:
        """The role whose lane each outermost step stands in; empty without lanes, or where they are all one.

        A step with others inside stands with those who do most of them. What nobody acts in, such as a decision,
        stands where the work comes from.
        """
        outermost = self.children.get("", ()) if self.by_role else ()
        inside: Mapping[str, str] = self._roles_inside if outermost else {}
        roles = {step.id: step.assignee or inside.get(step.id) for step in outermost}
        acting = {
            step.id: roles[step.id] or _BY_ITSELF for step in outermost if roles[step.id] or step.type == "action"
        }
        if len(set(acting.values())) < 2:
            return {}
        found = self._handed_on(acting)
        first = next(iter(acting.values()))
        return {step.id: found.get(step.id, first) for step in outermost}

    @property
    def _roles_inside(self) -> Mapping[str, str]:
        """The role that does most steps inside each outermost step, whether they are shown or not."""
        roles: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for step in self.workflow.steps:
            above = step
            while above.parent is not None:
                above = self._steps[above.parent]
            if step.assignee and above is not step:
                roles[above.id][step.assignee] += 1
        return {step_id: counted.most_common(1)[0][0] for step_id, counted in roles.items()}

    def _handed_on(self, roles: Mapping[str, str]) -> Mapping[str, str]:
        """Return the roles, each also for what its steps lead to and nobody else acts in."""
        leads_to = grouped((line.source, line.target) for line in self.lines)
        found = dict(roles)
        for here in (waiting := list(found)):
            news = [there for there in dict.fromkeys(leads_to.get(here, ())) if there not in found]
            found |= dict.fromkeys(news, found[here])
            waiting += news
        return found

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The lines drawn, each pair of folded ends once, up to `MAX_EDGES`."""
        drawn = [*self._transition_lines(), *self._scope_lines()]
        return tuple(drawn[:MAX_EDGES])

    def _transition_lines(self) -> Iterable[Line]:
        seen: set[tuple[str, str]] = set()
        for edge in self.workflow.transitions:
            source, target = self._shown_as[edge.from_], self._shown_as[edge.to]
            is_whole = (source, target) == (edge.from_, edge.to)
            hidden = not is_whole and (source == target or (source, target) in seen)
            if source in self.shown and target in self.shown and not hidden:
                seen.add((source, target))
                yield Line(source, target, edge)

    def _scope_lines(self) -> Iterable[Line]:
        for scope, inside in self.children.items():
            ids = {step.id for step in inside}
            entered = {e.to for e in self.workflow.transitions if e.to in ids} if scope else ids
            heads = [step_id for step_id in ids if step_id not in entered] or [s.id for s in inside][:1]
            if scope and not any(e.from_ == scope and e.to in ids for e in self.workflow.transitions):
                yield from (Line(scope, step.id, None) for step in inside if step.id in heads)


_BY_ITSELF = "Automatic"


def said(edge: Transition) -> str:
    """Return when a transition is taken, in few words; empty where nothing need be said."""
    when = edge.when
    condition = (when.text or _as_text(when.expression)) if when else None
    kind = {"error": "on error", "default": "otherwise", "compensation": "undo"}.get(edge.type)
    if kind == "on error" and edge.errors:
        kind = f"on {', '.join(edge.errors[:3])}"
    return edge.label or condition or edge.action or kind or ""


def _as_text(expression: object) -> str:
    return expression if isinstance(expression, str) else "condition"
