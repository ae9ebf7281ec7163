"""What is different between two workflows, as data and in words."""

from workflow_agent.domain.diff.comparing import (
    FieldChange,
    ListDiff,
    PartChange,
    PartsDiff,
    WorkflowDiff,
    diff_workflows,
)
from workflow_agent.domain.diff.wording import describe_diff

__all__ = [
    "FieldChange",
    "ListDiff",
    "PartChange",
    "PartsDiff",
    "WorkflowDiff",
    "describe_diff",
    "diff_workflows",
]
