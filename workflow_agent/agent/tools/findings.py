"""What the analysis finds, as tools report it."""

from collections.abc import Sequence

from workflow_agent.domain.analysis import Finding, analyze
from workflow_agent.domain.values import JsonObject
from workflow_agent.domain.workflow import Workflow

_SHOWN = 12


def listed_findings(findings: Sequence[Finding]) -> list[JsonObject]:
    """Return findings as plain data, without their fixes, the most severe first."""
    return [
        {"rule": one.rule, "severity": one.severity, "steps": list(one.steps), "message": one.message}
        for one in findings[:_SHOWN]
    ]


def new_findings(before: Workflow, after: Workflow) -> list[JsonObject]:
    """Return what an edit brought up: findings that the workflow did not have before."""
    known = {(one.rule, one.steps, one.transitions) for one in analyze(before)}
    found = analyze(after)
    return listed_findings([one for one in found if (one.rule, one.steps, one.transitions) not in known])
