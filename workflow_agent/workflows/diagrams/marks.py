"""What a diagram points out: findings by severity, and what the last change added or altered."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from workflow_agent.workflows.diff.comparison import PartsDiff, WorkflowDiff
from workflow_agent.workflows.model.findings import SEVERITY_RANK, Finding, Severity

ChangeKind = Literal["added", "changed"]
_Subjects = Callable[[Finding], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Changes:
    """The steps and transitions that are new or altered, by id."""

    steps: Mapping[str, ChangeKind] = field(default_factory=dict[str, ChangeKind])
    transitions: Mapping[str, ChangeKind] = field(default_factory=dict[str, ChangeKind])


def changes_of(diff: WorkflowDiff) -> Changes:
    """Return what to highlight in a diagram of the newer workflow of a comparison."""
    return Changes(_changed(diff.steps), _changed(diff.transitions))


def _changed(parts: PartsDiff) -> dict[str, ChangeKind]:
    found: dict[str, ChangeKind] = {str(part["id"]): "added" for part in parts.added}
    found.update((str(part.after["id"]), "changed") for part in parts.changed)
    return found


@dataclass(frozen=True, eq=False)
class Marks:
    """Findings and changes by what they are about."""

    findings: Sequence[Finding] = ()
    changes: Changes = field(default_factory=Changes)

    @cached_property
    def by_step(self) -> Mapping[str, Sequence[Finding]]:
        """The findings about each step, the severest first."""
        return self._about(lambda finding: finding.steps)

    @cached_property
    def by_transition(self) -> Mapping[str, Sequence[Finding]]:
        """The findings about each transition, the severest first."""
        return self._about(lambda finding: finding.transitions)

    def _about(self, subjects: _Subjects) -> Mapping[str, Sequence[Finding]]:
        found: dict[str, list[Finding]] = {}
        for finding in sorted(self.findings, key=lambda one: SEVERITY_RANK[one.severity]):
            for subject in dict.fromkeys(subjects(finding)):
                found.setdefault(subject, []).append(finding)
        return found

    @cached_property
    def rules(self) -> Mapping[str, Sequence[str]]:
        """The rules to name on each step: those of errors and warnings, at the first step each names."""
        named: dict[str, list[str]] = {}
        for finding in self.findings:
            if finding.severity != "info":
                for step_id in finding.steps[:1]:
                    named.setdefault(step_id, []).append(finding.rule)
        return {step_id: list(dict.fromkeys(rules)) for step_id, rules in named.items()}

    def severity_of_step(self, step_id: str) -> Severity | None:
        """Return the severity of the severest finding about a step."""
        return _worst(self.by_step.get(step_id, ()))

    def severity_of_transition(self, transition_id: str) -> Severity | None:
        """Return the severity of the severest finding about a transition."""
        return _worst(self.by_transition.get(transition_id, ()))


def _worst(findings: Sequence[Finding]) -> Severity | None:
    return findings[0].severity if findings else None
