"""What is worth knowing about a workflow: the shape of a finding, and how severe it is."""

from dataclasses import dataclass, field
from typing import Any, Literal

Severity = Literal["error", "warning", "info"]
Family = Literal["structure", "soundness", "reliability", "data", "performance", "security", "portfolio", "format"]
SEVERITY_RANK: dict[Severity, int] = {"error": 0, "warning": 1, "info": 2}
EditDocument = dict[str, Any]
"""One edit in its JSON shape, as `parse_edits` reads it."""


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

    @property
    def key(self) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
        """What tells it from other findings about the same workflow."""
        return self.rule, self.steps, self.transitions

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
