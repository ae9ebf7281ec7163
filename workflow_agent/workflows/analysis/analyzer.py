"""Findings about a workflow: one rule, one id, one severity, with evidence and, where possible, a fix."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.analysis import (
    approvals,
    data,
    performance,
    portfolio,
    reliability,
    security,
    soundness,
    structure,
    tidiness,
)
from workflow_agent.workflows.analysis import branches as branching
from workflow_agent.workflows.analysis.findings import Rule
from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.analysis.proof import Proof, prove
from workflow_agent.workflows.model.findings import SEVERITY_RANK, Family, Finding, Severity
from workflow_agent.workflows.model.workflow import Workflow

__all__ = ["RULES", "Analysis", "Family", "Finding", "Rule", "Severity", "analysis_of", "analyze"]

_FAMILIES = (structure, soundness, branching, reliability, approvals, data, security, performance, portfolio, tidiness)

RULES: Mapping[str, Rule] = MappingProxyType({rule.id: rule for family in _FAMILIES for rule in family.RULES})
"""Every rule by its id, but those of the tools that workflows come from (`imported.RULES`)."""


def analyze(workflow: Workflow, *, portfolio: Sequence[Workflow] = ()) -> tuple[Finding, ...]:
    """Return what is worth knowing about a workflow, most severe first.

    Args:
        workflow: What is looked at.
        portfolio: The workflows it lives among, for what concerns several; it may be one of them.
    """
    graph = FlowGraph(workflow, portfolio)
    found = [finding for rule in (*RULES.values(), *_of_tools(workflow)) for finding in rule.findings(graph)]
    return tuple(sorted(found, key=lambda finding: SEVERITY_RANK[finding.severity]))


def _of_tools(workflow: Workflow) -> Sequence[Rule]:
    """Return the rules of other tools, where the workflow came from one."""
    if workflow.source is None and not workflow.extensions:
        return ()
    # Brings the writers of four formats, which few workflows need and no server should wait for.
    from workflow_agent.workflows.analysis import imported  # noqa: PLC0415 - see above

    return imported.RULES


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is worth knowing about a workflow, and what was proved of it."""

    findings: Sequence[Finding]
    proof: Proof

    def as_dict(self) -> JsonObject:
        """Return the analysis as plain JSON data."""
        return {
            "findings": [one.as_dict() for one in self.findings],
            "counts": dict(Counter(one.severity for one in self.findings)),
            "proof": self.proof.as_dict(),
        }


def analysis_of(workflow: Workflow, portfolio: Sequence[Workflow]) -> Analysis:
    """Return the findings about a workflow among others, and the proof that it is sound or is not."""
    return Analysis(analyze(workflow, portfolio=portfolio), prove(workflow))
