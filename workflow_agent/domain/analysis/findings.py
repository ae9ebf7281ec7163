"""What a rule says about a workflow, and what documents a rule."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from workflow_agent.domain.analysis.graph import FlowGraph

Severity = Literal["error", "warning", "info"]
Family = Literal["structure", "soundness", "reliability", "data", "performance", "security", "portfolio"]

SEVERITY_RANK: dict[Severity, int] = {"error": 0, "warning": 1, "info": 2}

EditDocument = dict[str, Any]
"""One edit in its JSON shape, as `parse_edits` reads it."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What a check saw, before its rule's id, severity and reason are added."""

    message: str
    """What is the case, one sentence, steps by name and id."""
    steps: tuple[str, ...] = ()
    transitions: tuple[str, ...] = ()
    evidence: dict[str, Any] = field(default_factory=dict[str, Any])
    fix: tuple[EditDocument, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing worth knowing about a workflow, with its evidence."""

    rule: str
    severity: Severity
    message: str
    """What is the case and why it matters, readable by itself."""
    steps: tuple[str, ...] = ()
    transitions: tuple[str, ...] = ()
    evidence: dict[str, Any] = field(default_factory=dict[str, Any])
    fix: tuple[EditDocument, ...] = ()
    """Edits that remove the finding, applicable as they are; empty where only a person can decide."""

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as plain JSON data."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "message": self.message,
            "steps": list(self.steps),
            "transitions": list(self.transitions),
            "evidence": self.evidence,
            "fix": list(self.fix),
        }


Check = Callable[[FlowGraph], Iterable[Observation]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One question asked of every workflow."""

    id: str
    family: Family
    severity: Severity
    finds: str
    """What it reports, in words for the table of rules."""
    why: str
    """Why it matters: one short sentence, the last of every message."""
    has_fix: bool
    """Whether some of its findings carry a fix."""
    check: Check

    def findings(self, graph: FlowGraph) -> Iterator[Finding]:
        """Yield what the rule finds, in the order of the document."""
        for seen in self.check(graph):
            yield Finding(
                rule=self.id,
                severity=self.severity,
                message=f"{seen.message} {self.why}",
                steps=seen.steps,
                transitions=seen.transitions,
                evidence=seen.evidence,
                fix=seen.fix,
            )


def rule(
    rule_id: str, family: Family, severity: Severity, *, finds: str, why: str, has_fix: bool = False
) -> Callable[[Check], Rule]:
    """Return a decorator that makes a rule of the check below it."""

    def documented(check: Check) -> Rule:
        return Rule(rule_id, family, severity, finds, why, has_fix, check)

    return documented
