"""Reliability: what happens when something outside is down, slow, or asked twice."""

from collections.abc import Iterator
from functools import partial

from workflow_agent.values import reached
from workflow_agent.workflows.analysis.findings import Observation, rule
from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.analysis.words import Call, named, named_all, plural, undoes
from workflow_agent.workflows.model.steps import ends_badly

_rule = partial(rule, "reliability")
_CALL_TIMEOUT = "PT5M"
_PAYMENTS_LOOKED_AT = 5


@_rule(
    "missing-error-path",
    "warning",
    "If it fails, the work stops half-done and whoever waits for it is not told.",
    has_fix=True,
)
def missing_error_path(graph: FlowGraph) -> Iterator[Observation]:
    """Find an external call that changes something for people or moves money, and whose failure goes nowhere.

    An automation that nobody waits in fails as a whole, visibly, and can be run again; so calls
    are asked for an error path where people are part of the work, or money moves.
    """
    has_people = any(step.type == "human" for step in graph.workflow.steps)
    for step_id, call in graph.calls.items():
        step = graph.steps[step_id]
        matters = call.moves_money or (call.changes and has_people)
        if matters and step_id not in graph.caught:
            yield Observation(
                f"{named(step)} calls {step.uses!r} and has no error path.",
                steps=(step.id,),
                evidence={"uses": step.uses, "retry": step.retry is not None, "timeout": step.timeout},
                fix=({"op": "add_error_path", "step": step.id},) if step_id in graph.finishing else (),
            )


@_rule("call-without-timeout", "info", "A service that never answers then holds the work up for ever.", has_fix=True)
def call_without_timeout(graph: FlowGraph) -> Iterator[Observation]:
    """Find external calls without a timeout."""
    calls = (graph.steps[step_id] for step_id in graph.calls)
    open_ended = [step for step in calls if step.timeout is None]
    if open_ended:
        yield Observation(
            f"{named_all(open_ended)} {plural(len(open_ended), 'has', 'have')} no timeout.",
            steps=tuple(step.id for step in open_ended),
            evidence={"suggested_timeout": _CALL_TIMEOUT},
            fix=tuple({"op": "set_timeout", "step": s.id, "timeout": _CALL_TIMEOUT} for s in open_ended),
        )


def _needs_retry(graph: FlowGraph, step_id: str, call: Call) -> bool:
    step = graph.steps[step_id]
    is_repeatable = call.reads_only if step.idempotent is None else step.idempotent
    return is_repeatable and step.retry is None and step_id not in graph.caught


@_rule("call-without-retry", "info", "A short outage would fail the whole run.", has_fix=True)
def call_without_retry(graph: FlowGraph) -> Iterator[Observation]:
    """Find external calls that are safe to repeat and are not retried."""
    fragile = [graph.steps[step_id] for step_id, call in graph.calls.items() if _needs_retry(graph, step_id, call)]
    if fragile:
        retry = {"max_attempts": 3, "interval": "PT10S", "backoff": "exponential"}
        yield Observation(
            f"{named_all(fragile)} {plural(len(fragile), 'is', 'are')} safe to repeat but never retried.",
            steps=tuple(step.id for step in fragile),
            fix=tuple({"op": "set_retry", "step": step.id, "retry": retry} for step in fragile),
        )


@_rule(
    "retry-not-idempotent", "warning", "When only the answer was lost, the retry does it a second time.", has_fix=True
)
def retry_not_idempotent(graph: FlowGraph) -> Iterator[Observation]:
    """Find a retried step that moves money or says it must not be repeated."""
    for step in graph.workflow.steps:
        if step.retry is None or step.retry.max_attempts < 2 or step.idempotent:
            continue
        declared = step.idempotent is False
        call = graph.calls.get(step.id)
        if declared or (call is not None and call.moves_money):
            reason = "is marked as not safe to repeat" if declared else "does not say that repeating it is safe"
            yield Observation(
                f"{named(step)} is tried up to {step.retry.max_attempts} times but {reason}.",
                steps=(step.id,),
                evidence={"max_attempts": step.retry.max_attempts, "idempotent": step.idempotent},
                fix=({"op": "set_retry", "step": step.id, "retry": None},) if declared else (),
            )


@_rule("failure-ends-well", "warning", "A failed run then looks like a good one.")
def failure_ends_well(graph: FlowGraph) -> Iterator[Observation]:
    """Find an error path that leads straight to an end for success."""
    for edge in graph.flow:
        end = graph.steps[edge.to]
        is_good = end.type == "end" and not ends_badly(end) and end.id not in graph.error_handlers
        if edge.type == "error" and is_good and not edge.errors:
            failing = named(graph.steps[edge.from_])
            yield Observation(
                f"When {failing} fails, the workflow ends at {named(end)} as if it had worked.",
                steps=(edge.from_, edge.to),
                transitions=(edge.id,),
            )


@_rule("swallowed-error", "info", "Nobody learns that it did not happen.")
def swallowed_error(graph: FlowGraph) -> Iterator[Observation]:
    """Find a call that changes something and whose failure is ignored."""
    for step_id, call in graph.calls.items():
        step = graph.steps[step_id]
        targets = {edge.to for edge in graph.exits(step.id)}
        errors = [edge for edge in graph.out(step.id) if edge.type == "error"]
        ignored = step.on_error == "continue" and not errors
        same_way = [edge.id for edge in errors if edge.to in targets and graph.steps[edge.to].type != "end"]
        if call.changes and (ignored or same_way):
            yield Observation(
                f"{named(step)} may fail and the work goes on as if it had not.",
                steps=(step.id,),
                transitions=tuple(same_way),
            )


@_rule("missing-compensation", "info", "The money has moved for work that was not done.")
def missing_compensation(graph: FlowGraph) -> Iterator[Observation]:
    """Find a payment that stays although what was paid for failed later on."""
    payments = [graph.steps[step_id] for step_id, call in graph.calls.items() if call.moves_money]
    payments = [step for step in payments if not undoes(step)][:_PAYMENTS_LOOKED_AT]
    failing = _deliveries_that_fail_for_good(graph) if payments else set[str]()

    def onward(step_id: str) -> list[str]:
        return [edge.to for edge in graph.exits(step_id)]

    for step in payments:
        is_undone = any(edge.type == "compensation" for edge in graph.out(step.id))
        later = [] if is_undone or not failing else reached([step.id], onward)
        found = graph.steps_of(failing.intersection(later) - {step.id})
        if found:
            yield Observation(
                f"{named(step)} is not taken back when {named(found[0])} fails later on.", steps=(step.id, found[0].id)
            )


def _deliveries_that_fail_for_good(graph: FlowGraph) -> set[str]:
    """Return the deliveries whose failure nothing catches, or ends badly without undoing anything."""
    undoing = {step.id for step in graph.workflow.steps if undoes(step)}
    bad_ends = [s.id for s in graph.workflow.steps if s.type == "end" and ends_badly(s)]

    def before(step_id: str) -> set[str]:
        return {e.from_ for e in graph.into(step_id) if e.type not in ("error", "compensation")} - undoing

    bad = set(reached(bad_ends, before))
    fails = {edge.from_ for edge in graph.flow if edge.type == "error" and edge.to in bad}
    return {i for i, call in graph.calls.items() if call.delivers and (i in fails or i not in graph.caught)}


RULES = (
    missing_error_path,
    retry_not_idempotent,
    failure_ends_well,
    missing_compensation,
    swallowed_error,
    call_without_timeout,
    call_without_retry,
)
