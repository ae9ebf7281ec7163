"""Artifacts: tool results and documents that may go into the window, and how that is decided."""

from workflow_agent.domain.artifacts.artifact import (
    Artifact,
    ArtifactDecision,
    ArtifactPlan,
    ArtifactType,
    ArtifactUsageRecord,
    ProcessingStrategy,
    artifact_of,
)
from workflow_agent.domain.artifacts.extraction import (
    Context,
    ConversationMessage,
    build_llm_messages,
    document_artifact,
    extract_artifacts_from_messages,
    extract_artifacts_from_steps,
    replies_out_of_sight,
    with_newest_results,
)
from workflow_agent.domain.artifacts.planning import (
    PlannedBy,
    PlanningThresholds,
    corrected_plan,
    planning_need,
    should_use_llm_planning,
)
from workflow_agent.domain.artifacts.ruling import rule_plan

__all__ = [
    "Artifact", "ArtifactDecision", "ArtifactPlan", "ArtifactType", "ArtifactUsageRecord", "Context",
    "ConversationMessage", "PlannedBy", "PlanningThresholds", "ProcessingStrategy", "artifact_of",
    "build_llm_messages",
    "corrected_plan", "document_artifact", "extract_artifacts_from_messages", "extract_artifacts_from_steps",
    "planning_need", "replies_out_of_sight", "rule_plan", "should_use_llm_planning",
    "with_newest_results",
]  # fmt: skip
