"""Where the tasks of a list lead, written as directives and cases."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Step, Transition
from workflow_agent.formats.regions import Region
from workflow_agent.formats.serverless_workflow.content import expression_of
from workflow_agent.formats.serverless_workflow.targets import DIRECTIVES


@dataclass(frozen=True, slots=True)
class TaskList:
    """The tasks of one list, in order, and where they can lead."""

    order: tuple[str, ...]
    names: Mapping[str, str]
    """The name that each step has in the list."""
    leaving: Mapping[str, str]
    """The directive that a step stands for, for those that are no task."""
    regions: Mapping[str, Region]
    kept: Callable[[Step | Transition], JsonObject]
    is_inside: bool

    def has(self, step_id: str) -> bool:
        """Say whether a task of the list can lead to this step."""
        return step_id in self.names or step_id in self.leaving

    def after(self, step_id: str) -> str | None:
        """Return the step that comes next by itself."""
        at = self.order.index(step_id)
        return self.order[at + 1] if at + 1 < len(self.order) else None

    def then(self, step: Step, ways: Sequence[Transition]) -> JsonObject:
        """Return the directive that leads a task on, where going on to the next one is not it."""
        following, kept = self.after(step.id), self.kept(step).get("then")
        target = ways[0].to if ways else None
        if kept in DIRECTIVES and self._target(str(kept), following) == target:
            return {"then": kept}
        if ways and self.kept(ways[0]).get("then") == self.names.get(ways[0].to):
            return {"then": self.names[ways[0].to]}
        return {} if target == following else {"then": self._directive(target)}

    def _target(self, directive: str, following: str | None) -> str | None:
        """Return the step that a directive leads to from a task; None where it leaves the list."""
        return following if directive == "continue" else None

    def _directive(self, target: str | None) -> str:
        if target is None:
            return "exit" if self.is_inside else "end"
        return self.leaving.get(target) or self.names[target]

    def switch(self, step: Step, ways: Sequence[Transition]) -> JsonObject:
        """Return the cases for the ways on from a step."""
        cases: list[JsonObject] = []
        kept = self.kept(step).get("then")
        then: JsonObject = {"then": kept} if kept in DIRECTIVES else {}
        for edge in ways:
            if edge is ways[-1] and edge.type == "default" and self.kept(edge).get("implicit") is True:
                then = self.then(step, [edge])
            else:
                cases.append(self._case(edge, step, len(cases) + 1))
        return {"switch": cases, **then}

    def _case(self, edge: Transition, step: Step, number: int) -> JsonObject:
        asked: JsonObject = {}
        if edge.when is not None:
            asked = {"when": expression_of(edge.when)}
        elif edge.type == "condition" or edge.action:
            asked = {"when": f".{edge.action or edge.label or 'chosen'}"}
        unnamed = f"case{number}" if asked else "default"
        name = edge.label if edge.label is not None else edge.action or unnamed
        return {name: {**asked, "then": self.led_to(edge, step.id)}}

    def led_to(self, edge: Transition, source: str) -> str:
        """Return the directive for a transition that has to name where it leads."""
        if self.kept(edge).get("then") == "continue" and edge.to == self.after(source):
            return "continue"
        return self._directive(edge.to)

    def after_handling(
        self, step: Step, ways: Sequence[Transition], own: Sequence[Transition], source: str
    ) -> JsonObject:
        """Return the directive that leads on from what handles errors, where it is not the task's own.

        Args:
            step: Stands for what is done about the errors.
            ways: How it goes on.
            own: How the task goes on whose errors these are.
            source: That task.
        """
        target = ways[0].to if ways else None
        kept, following = self.kept(step).get("then"), self.after(source)
        if isinstance(kept, str):
            known = {name: step_id for step_id, name in reversed(list(self.names.items()))}
            said = self._target(kept, following) if kept in DIRECTIVES else known.get(kept)
            if said == target and (kept in DIRECTIVES or kept in known):
                return {"then": kept}
        return {} if target == (own[0].to if own else None) else {"then": self._directive(target)}
