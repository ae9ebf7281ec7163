"""Data: what steps say they read and write, and what their forms ask for."""

import re
from collections.abc import Iterator, Mapping
from functools import partial, reduce

import rustworkx as rx

from workflow_agent.values import grouped, shortened
from workflow_agent.workflows.analysis.findings import Observation, all_texts, rule
from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.analysis.words import listed, named, named_all, plural
from workflow_agent.workflows.model.steps import Step

_rule = partial(rule, "data")
_NAME = re.compile(r"[\w-]+")
_MAX_VISITS = 25_000
MAX_CHARS = 400_000
_MAX_DEPTH = 20
_READINGS_CHECKED = 10


def _written_by(step: Step) -> tuple[str, ...]:
    fields = step.form.fields if step.form else ()
    return (*step.writes, *(field.key for field in fields))


@_rule("read-before-written", "warning", "On the other ways the step finds nothing, or an old value.")
def read_before_written(graph: FlowGraph) -> Iterator[Observation]:
    """Find data that a step reads and that only some of the ways to it have written."""
    steps = [step for step in graph.workflow.steps if step.id in graph.reachable]
    writers = grouped((name, step.id) for step in steps for name in _written_by(step))
    read = [(step, name) for step in steps for name in step.reads]
    if graph.is_lifecycle or not any(name in writers for _, name in read):
        return
    names = {name: 1 << at for at, name in enumerate(writers)}
    known = _known_at(graph, names)
    open_reads = [(s, name) for s, name in read if name in names and not known[s.id] & names[name]]
    for step, name in open_reads[:_READINGS_CHECKED]:
        first = _before_first_run(graph, step)
        before = [writer for writer in writers[name] if writer in first]
        if before:
            yield Observation(
                f"{named(step)} reads '{shortened(name)}', which only some of the ways to it write "
                f"({named_all(graph.steps_of(before))}).",
                steps=(step.id, *before),
                evidence={"data": name, "written_by": before},
            )


def _known_at(graph: FlowGraph, names: Mapping[str, int]) -> dict[str, int]:
    """Return for each step the data written on every way to it, as bits; all where it takes too long."""
    everything = (1 << len(names)) - 1
    gives = _gives(graph, names)
    known = dict.fromkeys(graph.steps, everything)
    order = [step for step in _in_flow_order(graph) if step.id in graph.reachable]
    for _ in range(_MAX_VISITS // (len(order) + len(graph.flow) + 1)):
        before = dict(known)
        for step in order:
            known[step.id] = _known_on_entry(graph, step, known, gives)
        if known == before:
            return known
    return dict.fromkeys(graph.steps, everything)


def _in_flow_order(graph: FlowGraph) -> list[Step]:
    """Return the steps so that what comes before, comes before; inside a cycle in the document's order."""
    groups = reversed(rx.strongly_connected_components(graph.digraph))
    return [graph.workflow.steps[node] for group in groups for node in sorted(group)]


def _known_on_entry(graph: FlowGraph, step: Step, known: Mapping[str, int], gives: Mapping[str, int]) -> int:
    entering = [
        known[edge.from_] | (gives[edge.from_] if edge.type not in ("error", "compensation") else 0)
        for edge in graph.into(step.id)
        if edge.from_ in graph.reachable
    ]
    if step.parent and any(head.id == step.id for head in graph.entries.get(step.parent, ())[:50]):
        entering.append(known[step.parent])
    if step.id == graph.workflow.start:
        return 0
    if not entering:
        return known[step.id]
    waits_for_all = step.type == "join" and (step.join is None or step.join.mode == "all")
    # What all bring where it waits for all, and otherwise only what each brings.
    return reduce(int.__or__ if waits_for_all else int.__and__, entering)


def _gives(graph: FlowGraph, names: Mapping[str, int]) -> dict[str, int]:
    """Return what each step writes, with all that is written inside it."""
    gives = {s.id: sum(names.get(n, 0) for n in set(_written_by(s))) for s in graph.workflow.steps}
    for step in graph.workflow.steps:
        scope, depth = step.parent, 0
        while scope and gives[step.id] and depth < _MAX_DEPTH:
            gives[scope] |= gives[step.id]
            scope, depth = graph.steps[scope].parent, depth + 1
    return gives


def _before_first_run(graph: FlowGraph, step: Step) -> set[str]:
    """Return the steps that can come before a step has run for the first time."""
    node, start = graph.index[step.id], graph.index[graph.workflow.start]
    if node == start:
        return set()
    without = graph.digraph.copy()
    without.remove_node(node)
    ahead = rx.descendants(without, start) | {start}
    return {graph.workflow.steps[n].id for n in ahead & rx.ancestors(graph.digraph, node)}


def _mentioned(graph: FlowGraph) -> set[str] | None:
    """Return all names that conditions, parameters and reading steps mention; None if that is too much."""
    names = {name for step in graph.workflow.steps for name in step.reads}
    chars = 0
    for text in all_texts(graph):
        chars += len(text)
        if chars > MAX_CHARS:
            return None
        names.update(_NAME.findall(text))
    return names


def _quoted(names: list[str]) -> str:
    return listed([f"'{shortened(name)}'" for name in names])


@_rule("written-never-read", "info", "Either the step is not needed, or its reader has another name for it.")
def written_never_read(graph: FlowGraph) -> Iterator[Observation]:
    """Find data that steps write and nothing reads, in a workflow that says what its steps read."""
    if not any(step.reads for step in graph.workflow.steps):
        return
    mentioned = _mentioned(graph)
    if mentioned is None:
        return
    unread = grouped(
        (name, step.id)
        for step in graph.workflow.steps
        if step.id in graph.reachable and any(graph.steps[edge.to].type != "end" for edge in graph.exits(step.id))
        for name in step.writes
        if name not in mentioned and not mentioned.issuperset(_NAME.findall(name))
    )
    if unread:
        writers = graph.steps_of(step_id for ids in unread.values() for step_id in ids)
        data = _quoted(list(unread))
        yield Observation(
            f"{data} {plural(len(unread), 'is', 'are')} written by {named_all(writers)} and never read.",
            steps=tuple(step.id for step in writers),
            evidence={"data": list(unread)},
        )


@_rule("unused-form-field", "info", "People are made to fill in what the workflow does not need.")
def unused_form_field(graph: FlowGraph) -> Iterator[Observation]:
    """Find required form fields that nothing uses, beside others of the same form that are used."""
    asked = [step for step in graph.workflow.steps if step.form and len(step.form.fields) > 1]
    mentioned = _mentioned(graph) if asked else None
    if mentioned is None:
        return
    for step in asked:
        fields = step.form.fields if step.form else ()
        unused = [field.key for field in fields if field.required and field.key not in mentioned]
        if unused and any(field.key in mentioned for field in fields):
            yield Observation(
                f"{named(step)} requires {_quoted(unused)}, which nothing uses.",
                steps=(step.id,),
                evidence={"fields": unused},
            )


RULES = (read_before_written, written_never_read, unused_form_field)
