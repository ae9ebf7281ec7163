"""A working copy of a workflow's graph: steps, transitions, start and automations; and new parts for it."""

import json
from collections.abc import Mapping, MutableSequence, Sequence
from typing import Any, TypeVar

from workflow_agent.values import grouped, reached
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.edits import StepDraft, operations, steps
from workflow_agent.workflows.edits.operations import Edit, Refusal
from workflow_agent.workflows.model.parser import slug, transition_id, unique_id
from workflow_agent.workflows.model.steps import Step, StepContent
from workflow_agent.workflows.model.transitions import Transition, TransitionType
from workflow_agent.workflows.model.workflow import MAX_STEPS, MAX_TRANSITIONS, Automation, Workflow, step_document

_Item = TypeVar("_Item")


def position_of(parts: Sequence[Step | Transition | Automation], part_id: str) -> int:
    """Return where the part with this id is listed; it has to be."""
    return next(at for at, part in enumerate(parts) if part.id == part_id)


def put(items: MutableSequence[_Item], item: _Item, position: int | None) -> int:
    """Return the position at which an item was put: the given one, or the end.

    Raises:
        Refusal: If the list is too short for the position.
    """
    if position is not None and position > len(items):
        raise Refusal(f"position {position} is beyond the end of the list, which has {len(items)} entries")
    at = len(items) if position is None else position
    items.insert(at, item)
    return at


def way_back(before: JsonObject, after: JsonObject) -> JsonObject:
    """Return the `set` and `unset` that make a part's document what it was; empty if it still is.

    Compared as text, because `1 == True` and the order of keys are equal to Python but not on disk.
    """
    restored = {
        key: value for key, value in before.items() if key not in after or json.dumps(value) != json.dumps(after[key])
    }
    added = [key for key in after if key not in before]
    return {"set": restored, "unset": added} if restored or added else {}


def with_changes(document: JsonObject, changed: Mapping[str, Any], unset: Sequence[str]) -> JsonObject:
    """Return a part's document with fields set and others left out."""
    return {key: value for key, value in {**document, **changed}.items() if key not in unset}


class GraphDraft:
    """The graph while edits are applied to it.

    `put_*`, `take_*`, `change_*`, `list_step` and `set_start` are the only changes there are. Each leaves
    a graph that is structurally valid and notes the edit that takes exactly it back.
    """

    def __init__(self, workflow: Workflow, undo: list[Edit]) -> None:
        self._undo = undo
        self.start = workflow.start
        self.steps = list(workflow.steps)
        self.transitions = list(workflow.transitions)
        self.automations = list(workflow.automations)
        self.transition_ids = {edge.id for edge in self.transitions}

    def fields(self) -> JsonObject:
        """Return the graph's fields of the workflow as they are now."""
        return {
            "start": self.start,
            "steps": tuple(self.steps),
            "transitions": tuple(self.transitions),
            "automations": tuple(self.automations),
        }

    def find_step(self, ref: str) -> Step:
        """Return the step with this id, or else the only one with this name.

        Raises:
            Refusal: With the valid ids, or those of the several steps that have this name.
        """
        if (found := self._step(ref)) is not None:
            return found
        named = [step for step in self.steps if step.name.casefold() == ref.strip().casefold()]
        if len(named) == 1:
            return named[0]
        why = f"{len(named)} steps are named {ref!r}; use an id" if named else f"there is no step {ref!r}"
        raise Refusal(why, (step.id for step in named or self.steps))

    def _step(self, step_id: str) -> Step | None:
        return next((step for step in self.steps if step.id == step_id), None)

    def find_transition(self, transition_id: str) -> Transition:
        """Return the transition with this id.

        Raises:
            Refusal: With the valid ids.
        """
        if transition_id not in self.transition_ids:
            raise Refusal(f"there is no transition {transition_id!r}", (edge.id for edge in self.transitions))
        return self.transitions[position_of(self.transitions, transition_id)]

    def incoming(self, step_id: str) -> list[Transition]:
        """Return the transitions that enter a step, in order."""
        return [edge for edge in self.transitions if edge.to == step_id]

    def outgoing(self, step_id: str) -> list[Transition]:
        """Return the transitions that leave a step, in order."""
        return [edge for edge in self.transitions if edge.from_ == step_id]

    def within(self, step_id: str) -> set[str]:
        """Return the ids of a step and of every step in its scope, at any depth."""
        children = grouped((step.parent, step.id) for step in self.steps)
        return set(reached([step_id], lambda scope: children.get(scope, ())))

    def new_step_id(self, name: str, *, besides: str | None = None) -> str:
        """Return an id made from a name that no other step has."""
        return unique_id(slug(name), (step.id for step in self.steps if step.id != besides))

    def new_transition_id(self, from_id: str, to_id: str) -> str:
        """Return an id made from two steps that no transition has."""
        return unique_id(transition_id(from_id, to_id), self.transition_ids)

    def put_step(self, step: Step, position: int | None = None) -> None:
        """Add a step that nothing leads to yet."""
        if len(self.steps) >= MAX_STEPS:
            raise Refusal(f"the workflow has {MAX_STEPS} steps, and it cannot have more")
        if self._step(step.id) is not None:
            raise Refusal(f"there is a step {step.id!r} already; give another id, or none")
        self._check_scope(step)
        put(self.steps, step, position)
        self._undo.append(steps.RemoveStep(op="remove_step", step=step.id, mode="cut"))

    def take_step(self, step_id: str) -> None:
        """Remove a step that nothing refers to any more."""
        at = position_of(self.steps, step_id)
        taken = step_document(self.steps.pop(at))
        self._undo.append(steps.AddStep.model_validate({"op": "add_step", "step": taken, "position": at}))

    def change_step(self, step: Step) -> None:
        """Replace the step with this id."""
        self._check_scope(step)
        at = position_of(self.steps, step.id)
        if back := way_back(step_document(self.steps[at]), step_document(step)):
            self.steps[at] = step
            self._undo.append(steps.UpdateStep.model_validate({"op": "update_step", "step": step.id, **back}))

    def list_step(self, step_id: str, position: int) -> None:
        """List a step elsewhere among the steps."""
        at = position_of(self.steps, step_id)
        if position >= len(self.steps):
            raise Refusal(f"position {position} is not in the list, which has {len(self.steps)} steps")
        if position != at:
            self.steps.insert(position, self.steps.pop(at))
            self._undo.append(steps.MoveStep(op="move_step", step=step_id, position=at))

    def _check_scope(self, step: Step) -> None:
        if step.parent is None:
            return
        if self._step(step.parent) is None:
            raise Refusal(f"there is no step {step.parent!r} to be inside of", (s.id for s in self.steps))
        if step.parent in self.within(step.id):
            raise Refusal(f"step {step.id!r} would be inside itself")

    def put_transition(self, edge: Transition, position: int | None = None) -> None:
        """Add a transition between steps that exist."""
        if len(self.transitions) >= MAX_TRANSITIONS:
            raise Refusal(f"the workflow would have more than {MAX_TRANSITIONS} transitions")
        if edge.id in self.transition_ids:
            raise Refusal(f"there is a transition {edge.id!r} already; give another id, or none")
        put(self.transitions, edge, position)
        self.transition_ids.add(edge.id)
        self._undo.append(operations.Disconnect(op="disconnect", transition=edge.id))

    def take_transition(self, transition_id: str) -> None:
        """Remove a transition."""
        at = position_of(self.transitions, transition_id)
        taken = self.transitions.pop(at)
        self.transition_ids.remove(transition_id)
        back = {"op": "connect", "type": taken.type, **taken.as_plain(), "position": at}
        self._undo.append(operations.Connect.model_validate(back))

    def change_transition(self, edge: Transition) -> None:
        """Replace the transition with this id; its ends exist."""
        at = position_of(self.transitions, edge.id)
        if back := way_back(self.transitions[at].as_plain(), edge.as_plain()):
            self.transitions[at] = edge
            back = {"op": "update_transition", "transition": edge.id, **back}
            self._undo.append(operations.UpdateTransition.model_validate(back))

    def put_automation(self, automation: Automation, position: int | None = None) -> None:
        """Add an automation with an id of its own, or replace the one with its id."""
        self._check_reaction(automation)
        if automation.id in (known.id for known in self.automations):
            at = position_of(self.automations, automation.id)
            self._undo.append(operations.SetAutomation(op="set_automation", automation=self.automations[at]))
            self.automations[at] = automation
        else:
            put(self.automations, automation, position)
            self._undo.append(operations.SetAutomation(op="set_automation", automation=None, id=automation.id))

    def take_automation(self, automation_id: str) -> None:
        """Remove an automation."""
        at = position_of(self.automations, automation_id)
        taken = self.automations.pop(at)
        self._undo.append(operations.SetAutomation(op="set_automation", automation=taken, position=at))

    def _check_reaction(self, automation: Automation) -> None:
        for step_id in (automation.on.from_, automation.on.to):
            if step_id is not None and self._step(step_id) is None:
                raise Refusal(f"there is no step {step_id!r} to react to", (s.id for s in self.steps))

    def set_start(self, step_id: str) -> None:
        """Say which step comes first; it exists."""
        if step_id != self.start:
            self._undo.append(operations.SetStart(op="set_start", step=self.start))
            self.start = step_id


def new_step(graph: GraphDraft, draft: StepDraft, scope: str | None = None, *, replaced: str | None = None) -> Step:
    """Return the step that a draft describes: with an id, and in this scope if it names none.

    The id of a step that is to be `replaced` counts as free.
    """
    content = {name: getattr(draft, name) for name in StepContent.model_fields}
    step_id = draft.id if draft.id is not None else graph.new_step_id(draft.name, besides=replaced)
    return Step.model_validate(content | {"id": step_id, "parent": draft.parent or scope})


def new_transition(graph: GraphDraft, from_id: str, to_id: str, kind: TransitionType = "sequence") -> Transition:
    """Return a transition between two steps, not yet in the graph, with an id that is free."""
    fresh_id = graph.new_transition_id(from_id, to_id)
    return Transition.model_validate({"id": fresh_id, "from": from_id, "to": to_id, "type": kind})
