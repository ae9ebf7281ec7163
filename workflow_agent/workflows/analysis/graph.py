"""A workflow as the rules see it: who leads where, what is reached, what can finish."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import rustworkx as rx

from workflow_agent.values import grouped, reached
from workflow_agent.workflows.analysis.words import Call, read_call, words
from workflow_agent.workflows.model.steps import Step, ends_badly
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

_AUTOMATION_TARGETS = ("state", "status", "step", "target", "to")
WAIT_FOR_ALL = frozenset(("github", "argo", "airflow", "dag"))
"""Systems in which every step waits for all before it, and one that is skipped counts as done."""


@dataclass(frozen=True, eq=False)
class FlowGraph:
    """One workflow and the others around it; what several rules need is worked out once.

    A scope is entered from its step and returns to it: where nothing is drawn between a loop and
    its body, the graph has those edges nevertheless. `data` transitions are side ports, not flow.
    """

    workflow: Workflow
    portfolio: Sequence[Workflow] = ()

    @cached_property
    def came_from(self) -> str:
        """The system it was imported from: the first word of its format; empty where it was made here."""
        source = self.workflow.source
        return (words(source.format) or [""])[0] if source is not None else ""

    @cached_property
    def documents(self) -> dict[str, Any]:
        """The workflow in formats of other tools, by their names, as far as rules asked for it."""
        return {}

    @cached_property
    def steps(self) -> Mapping[str, Step]:
        """The steps by id, in the order of the document."""
        return {step.id: step for step in self.workflow.steps}

    @cached_property
    def flow(self) -> tuple[Transition, ...]:
        """The transitions that carry control, in order."""
        return tuple(edge for edge in self.workflow.transitions if edge.type != "data")

    @cached_property
    def _side_lines(self) -> tuple[Transition, ...]:
        return tuple(edge for edge in self.workflow.transitions if edge.type == "data")

    @cached_property
    def _out(self) -> Mapping[str, list[Transition]]:
        return grouped((edge.from_, edge) for edge in self.flow)

    @cached_property
    def _into(self) -> Mapping[str, list[Transition]]:
        return grouped((edge.to, edge) for edge in self.flow)

    def out(self, step_id: str) -> Sequence[Transition]:
        """Return the flow transitions that leave a step, in order."""
        return self._out.get(step_id, ())

    def into(self, step_id: str) -> Sequence[Transition]:
        """Return the flow transitions that enter a step, in order."""
        return self._into.get(step_id, ())

    @cached_property
    def _exits(self) -> Mapping[str, list[Transition]]:
        onward = (edge for edge in self.flow if edge.type not in ("error", "compensation"))
        return grouped((edge.from_, edge) for edge in onward if self.steps[edge.to].parent != edge.from_)

    def exits(self, step_id: str) -> Sequence[Transition]:
        """Return the transitions by which work that went well goes on; those into the own scope do not."""
        return self._exits.get(step_id, ())

    @cached_property
    def calls(self) -> Mapping[str, Call]:
        """What each reachable step does to the world outside, for those that call out, in order."""
        steps = (step for step in self.workflow.steps if step.id in self.reachable)
        return {step.id: call for step in steps if (call := read_call(step)) is not None}

    @cached_property
    def children(self) -> Mapping[str, list[Step]]:
        """The steps of each scope, by the id of the step they are inside; `""` is the outermost scope."""
        return grouped((step.parent or "", step) for step in self.workflow.steps)

    def outermost(self, step_id: str) -> str:
        """Return the step around a step that is in no other; itself where none is."""
        while (parent := self.steps[step_id].parent) is not None:
            step_id = parent
        return step_id

    @cached_property
    def side_steps(self) -> frozenset[str]:
        """The steps attached to others by `data` transitions alone: tools, memories, notes."""
        attached = {end for edge in self._side_lines for end in (edge.from_, edge.to)}
        return frozenset(attached - {end for edge in self.flow for end in (edge.from_, edge.to)})

    @cached_property
    def is_lifecycle(self) -> bool:
        """Whether this is a state machine rather than a process."""
        kinds = [step.type for step in self.workflow.steps if step.type != "end"]
        return bool(kinds) and 2 * kinds.count("state") > len(kinds)

    @cached_property
    def declares_ends(self) -> bool:
        """Whether the author marks where the work is done, so that stopping elsewhere is a slip.

        End steps for failures alone do not count: success may then be wherever nothing follows. Those
        inside a scope end the scope, and say nothing of what is around it.
        """
        return any(step.type == "end" and not ends_badly(step) for step in self.children.get("", ()))

    @cached_property
    def entries(self) -> Mapping[str, list[Step]]:
        """The steps a scope begins with where no transition leads from its step into it, by scope."""
        found: dict[str, list[Step]] = {}
        for scope, inside in self.children.items():
            if not scope or any(self.steps[edge.to].parent == scope for edge in self.out(scope)):
                continue
            siblings = {step.id for step in inside}
            heads = [s for s in inside if not any(edge.from_ in siblings for edge in self.into(s.id))]
            found[scope] = heads or inside[:1]
        return found

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The position of each step, which is its node in `digraph`."""
        return {step.id: at for at, step in enumerate(self.workflow.steps)}

    @cached_property
    def digraph(self) -> "rx.PyDiGraph[str, str]":
        """Every way control can go; an edge carries its transition's type, or `enter` or `return`."""
        return self._digraph(self.flow)

    def _digraph(self, flow: Iterable[Transition]) -> "rx.PyDiGraph[str, str]":
        graph: rx.PyDiGraph[str, str] = rx.PyDiGraph()
        graph.add_nodes_from(list(self.steps))
        at = self.index
        edges = [(at[edge.from_], at[edge.to], str(edge.type)) for edge in flow]
        edges += [(at[scope], at[s.id], "enter") for scope, heads in self.entries.items() for s in heads]
        last = (s for s in self.workflow.steps if s.type != "end" and not self.exits(s.id))
        edges += [(at[s.id], at[s.parent], "return") for s in last if s.parent]
        graph.add_edges_from(edges)
        return graph

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """Where control appears: the start, events and named scopes nothing leads to, states set."""
        free = (s for s in self.workflow.steps if not s.parent and not self.into(s.id))
        begun = (s.id for s in free if s.type == "event" or (s.workflow and s.id in self.children))
        return tuple(dict.fromkeys([self.workflow.start, *begun, *self._set_by_automations()]))

    def _set_by_automations(self) -> Iterable[str]:
        for automation in self.workflow.automations:
            for key in _AUTOMATION_TARGETS:
                target = automation.effect.with_.get(key)
                if isinstance(target, str) and target in self.steps and self.steps[target].type == "state":
                    yield target

    @cached_property
    def reachable(self) -> frozenset[str]:
        """The steps that can run, and those attached to them by side ports."""
        return self._reached_from_roots(self.digraph)

    @cached_property
    def error_handlers(self) -> frozenset[str]:
        """The steps that run only after something failed; where they stop, the run has failed."""
        return self.reachable - self._reachable_without("error")

    @cached_property
    def reachable_without_compensation(self) -> frozenset[str]:
        """The steps that can run while nothing is being undone."""
        return self._reachable_without("compensation")

    @cached_property
    def caught(self) -> frozenset[str]:
        """The steps whose failure goes somewhere: by their own error path, or that of a scope around them."""
        automated = [a.on for a in self.workflow.automations if a.on.event == "failed"]
        if any(on.from_ is None and on.to is None for on in automated):
            return frozenset(self.steps)
        found = {s.id for s in self.workflow.steps if s.on_error == "continue"}
        found |= {edge.from_ for edge in self.flow if edge.type == "error"}
        found |= {step_id for on in automated for step_id in (on.from_, on.to) if step_id}
        return frozenset(reached(found, lambda scope: [step.id for step in self.children.get(scope, ())]))

    def _reachable_without(self, kind: str) -> frozenset[str]:
        return self._reached_from_roots(self._digraph(edge for edge in self.flow if edge.type != kind))

    def _reached_from_roots(self, drawn: "rx.PyDiGraph[str, str]") -> frozenset[str]:
        nodes = reached([self.index[root] for root in self.roots], drawn.successor_indices)
        ends = ((edge.from_, edge.to) for edge in self._side_lines)
        beside = grouped(pair for one, other in ends for pair in ((one, other), (other, one)))
        found = (self.workflow.steps[node].id for node in nodes)
        return frozenset(reached(found, lambda step_id: self.side_steps.intersection(beside.get(step_id, ()))))

    @cached_property
    def natural_ends(self) -> frozenset[str]:
        """The steps where work stops without an end step, outside every scope."""
        last = (s.id for s in self.children.get("", ()) if s.type != "end" and not self.exits(s.id))
        return frozenset(last) - self.side_steps

    @cached_property
    def has_ends(self) -> bool:
        """Whether there is any step, declared or natural, at which work is done."""
        return bool(self.natural_ends) or any(step.type == "end" for step in self.workflow.steps)

    @cached_property
    def finishing(self) -> frozenset[str]:
        """The steps from which some end is reached, be it declared or natural."""
        declared = {step.id for step in self.workflow.steps if step.type == "end"}
        # A loop that has gone over everything is done; where nothing follows, work ends with it.
        loops = {step.id for step in self.workflow.steps if step.type == "loop" and not declared}
        ends = declared | self.natural_ends | loops
        nodes = reached([self.index[end] for end in ends], self.digraph.predecessor_indices)
        return frozenset(self.workflow.steps[node].id for node in nodes)

    @cached_property
    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """The groups of steps that lead back to one another, without those of scopes alone."""
        drawn = self.digraph.copy()
        drawn.remove_edges_from([(a, b) for a, b, kind in self.digraph.weighted_edge_list() if kind == "return"])
        groups = [sorted(group) for group in rx.strongly_connected_components(drawn)]
        cyclic = [g for g in groups if len(g) > 1 or drawn.has_edge(g[0], g[0])]
        return tuple(tuple(self.workflow.steps[node].id for node in group) for group in sorted(cyclic))

    @cached_property
    def dominators(self) -> Mapping[str, str]:
        """For each step the run passes, the last step it has passed before on every way from the start."""
        ids = list(self.steps)
        found = rx.immediate_dominators(self.digraph, self.index[self.workflow.start])
        return {ids[node]: ids[above] for node, above in found.items() if node != above}

    def passed_before(self, step_id: str) -> Iterator[Step]:
        """Yield the steps that every way from the start to a step passes, the last one first."""
        while (above := self.dominators.get(step_id)) is not None:
            step_id = above
            yield self.steps[step_id]

    def dominates(self, above: str, step_id: str) -> bool:
        """Say whether every way from the start to a step passes another one, or is it."""
        return above == step_id or any(step.id == above for step in self.passed_before(step_id))

    def steps_of(self, ids: Iterable[str]) -> list[Step]:
        """Return the steps with these ids, each once, in the order of the document."""
        return [self.steps[step_id] for step_id in sorted(set(ids), key=self.index.__getitem__)]

    def chooses(self, step: Step) -> bool:
        """Say whether a step takes one of its exits rather than all of them."""
        if step.type in ("decision", "human", "state", "event", "loop"):
            return True
        return step.type != "fork" and any(
            edge.type != "sequence" or edge.when or edge.action for edge in self.exits(step.id)
        )
