"""Findings of one rule, and what applying a fix leaves of all findings."""

from collections.abc import Sequence
from typing import Any

from tests.support.flows import flow
from workflow_agent.workflows.analysis import RULES, analyze
from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.model.findings import Finding
from workflow_agent.workflows.model.workflow import Workflow


def process(*edges: str, **steps: dict[str, Any]) -> Workflow:
    """Return a workflow with these transitions that starts where the first of them does."""
    return flow(*edges, start=edges[0].partition(">")[0], **steps)


Key = tuple[str, tuple[str, ...]]


def found(rule: str, workflow: Workflow, portfolio: Sequence[Workflow] = ()) -> list[Finding]:
    """Return what one rule finds."""
    return list(RULES[rule].findings(FlowGraph(workflow, portfolio)))


def steps_found(rule: str, workflow: Workflow, portfolio: Sequence[Workflow] = ()) -> list[tuple[str, ...]]:
    """Return the steps of each finding of one rule."""
    return [finding.steps for finding in found(rule, workflow, portfolio)]


def fixed(workflow: Workflow, finding: Finding) -> Workflow:
    """Return the workflow with a finding's fix applied as it is."""
    assert finding.fix, f"{finding.rule} offers no fix here"
    return apply_edits(workflow, parse_edits(list(finding.fix))).workflow


def key(finding: Finding) -> Key:
    return finding.rule, finding.steps


def change_by_fix(workflow: Workflow, finding: Finding) -> tuple[set[Key], set[Key]]:
    """Return which findings a fix removes and which it adds."""
    before = {key(one) for one in analyze(workflow)}
    after = {key(one) for one in analyze(fixed(workflow, finding))}
    return before - after, after - before
