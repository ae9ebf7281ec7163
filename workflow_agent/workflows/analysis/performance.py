"""Performance: how long it takes, what runs in series without need, and who everything waits for."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial

import rustworkx as rx

from workflow_agent.values import shortened
from workflow_agent.workflows.analysis.findings import Observation, rule
from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.analysis.words import named, named_all
from workflow_agent.workflows.model.durations import in_words, seconds_of
from workflow_agent.workflows.model.steps import Step

_rule = partial(rule, "performance")
_PARALLEL_LIMIT = 10
_BOTTLENECK_STEPS = 4
_RUN_STEPS = 10


@_rule("critical-path", "info", "Only a change on this way makes the whole faster.")
def critical_path(graph: FlowGraph) -> Iterator[Observation]:
    """Find the way that takes longest, by the durations the steps declare."""
    if graph.is_lifecycle or sum(step.duration is not None for step in graph.workflow.steps) < 2:
        return
    took = _durations(graph)
    path = _longest(graph, took)
    timed = [graph.steps[step_id] for step_id in path if took.get(step_id)]
    if len(timed) > 1:
        total = sum(took[step.id] for step in timed)
        slowest = max(timed, key=lambda step: took[step.id])
        alone = f"{named(slowest)} alone takes {in_words(took[slowest.id])}"
        yield Observation(
            f"The longest way takes {in_words(total)}; {alone}.",
            steps=tuple(step.id for step in timed),
            evidence={"total_seconds": total, "seconds": {step.id: took[step.id] for step in timed}},
        )


def _durations(graph: FlowGraph) -> Mapping[str, float]:
    """Return how long each outermost step takes, with what is inside it where it does not say."""
    own = {s.id: seconds_of(s.duration) for s in graph.workflow.steps if s.duration}
    total: Counter[str] = Counter()
    for step_id, seconds in own.items():
        top, depth = graph.steps[step_id], 0
        while top.parent and depth < 50:
            top, depth = graph.steps[top.parent], depth + 1
        if top.id == step_id or top.id not in own:
            total[top.id] += round(seconds)
    return total


def _longest(graph: FlowGraph, took: Mapping[str, float]) -> list[str]:
    outer = [step.id for step in graph.children.get("", ()) if step.id in graph.reachable]
    drawn = graph.digraph.subgraph([graph.index[step_id] for step_id in outer])
    groups = [[drawn[node] for node in sorted(group)] for group in rx.strongly_connected_components(drawn)]
    at = {step_id: number for number, group in enumerate(groups) for step_id in group}
    weight = [sum(took.get(step_id, 0) for step_id in group) for group in groups]
    dag: rx.PyDiGraph[int, float] = rx.PyDiGraph()
    dag.add_nodes_from(list(range(len(groups))))
    edges = {(at[drawn[a]], at[drawn[b]]) for a, b in drawn.edge_list() if at[drawn[a]] != at[drawn[b]]}
    ends = dag.add_node(-1)
    dag.add_edges_from([(a, b, weight[a]) for a, b in sorted(edges)])
    dag.add_edges_from([(number, ends, weight[number]) for number in range(len(groups))])
    path = rx.dag_longest_path(dag, weight_fn=lambda _source, _target, seconds: int(seconds))
    return [step_id for number in path if number != ends for step_id in groups[number]]


@_rule("unbounded-fan-out", "info", "A long list then floods the service it calls.", has_fix=True)
def unbounded_fan_out(graph: FlowGraph) -> Iterator[Observation]:
    """Find a loop that calls a service for any number of items at once."""
    for step in graph.workflow.steps:
        if step.loop is None or step.loop.parallel != 0:
            continue
        calls = [s for s in (step, *graph.children.get(step.id, ())) if s.id in graph.calls]
        if not calls:
            continue
        loop = step.loop.as_plain()
        yield Observation(
            f"{named(step)} runs {named_all(calls)} for all items at once, however many there are.",
            steps=(step.id, *(call.id for call in calls if call is not step)),
            evidence={"suggested_parallel": _PARALLEL_LIMIT},
            fix=({"op": "update_step", "step": step.id, "set": {"loop": {**loop, "parallel": _PARALLEL_LIMIT}}},),
        )


@_rule("serial-independent", "info", "At the same time they would take only as long as the slowest.", has_fix=True)
def serial_independent(graph: FlowGraph) -> Iterator[Observation]:
    """Find steps that only fetch data, one after the other, and do not need one another's results."""
    seen: set[str] = set()
    for step in graph.workflow.steps:
        run = [step]
        while step.id not in seen and (following := _independent_next(graph, run)) is not None:
            run.append(following)
        seen.update(s.id for s in run)
        if len(run) > 1:
            yield Observation(
                f"{named_all(run)} only fetch data and need none of one another's, yet run in series.",
                steps=tuple(s.id for s in run),
                fix=({"op": "parallelize", "steps": [s.id for s in run]},),
            )


def _independent_next(graph: FlowGraph, run: list[Step]) -> Step | None:
    """Return the step that follows a run and could run beside all of it."""
    last = run[-1]
    leaving = graph.out(last.id)
    if (
        len(run) == _RUN_STEPS
        or len(leaving) != 1
        or leaving[0].type != "sequence"
        or leaving[0].when
        or not _only_fetches(graph, last)
    ):
        return None
    following = graph.steps[leaving[0].to]
    written = {name for step in run for name in step.writes}
    joined = len(graph.into(following.id)) != 1 or following.parent != last.parent or following in run
    if joined or not _only_fetches(graph, following) or len(graph.out(following.id)) != 1:
        return None
    return following if not written & {*following.reads, *following.writes} else None


def _only_fetches(graph: FlowGraph, step: Step) -> bool:
    call = graph.calls.get(step.id)
    return call is not None and call.reads_only and bool(step.writes) and step.when is None


@_rule("bottleneck-role", "info", "When that role is busy or away, everything waits.")
def bottleneck_role(graph: FlowGraph) -> Iterator[Observation]:
    """Find one role that most of the manual steps wait for, although several take part."""
    manual = [s for s in graph.workflow.steps if s.type == "human" and s.assignee and s.id in graph.reachable]
    roles = Counter((step.assignee or "").casefold() for step in manual)
    if len(roles) < 2 or graph.is_lifecycle:
        return
    role, share = roles.most_common(1)[0]
    if share >= _BOTTLENECK_STEPS and 2 * share > len(manual):
        steps = [step for step in manual if (step.assignee or "").casefold() == role]
        yield Observation(
            f"'{shortened(role)}' does {share} of the {len(manual)} manual steps: {named_all(steps)}.",
            steps=tuple(step.id for step in steps),
            evidence={"assignee": steps[0].assignee, "steps": share, "of": len(manual)},
        )


RULES = (serial_independent, unbounded_fan_out, bottleneck_role, critical_path)
