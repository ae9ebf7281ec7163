"""A piece of information that may go into the window, and what is decided about it."""

import json
from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import Field

from workflow_agent.values.stored import JsonObject, Moment, Value, digest_of


class ArtifactType(StrEnum):
    """What an artifact is."""

    TOOL_RESULT = "tool_result"
    DOCUMENT = "document"


class ProcessingStrategy(StrEnum):
    """How an artifact goes into the window."""

    INCLUDE_FULL = "include_full"
    SUMMARIZE = "summarize"
    RAG_EXTRACT = "rag_extract"
    EXCLUDE = "exclude"


class Artifact(Value):
    """A tool result or a document, with where it is from."""

    artifact_id: str
    """Made of its source and its content."""
    artifact_type: ArtifactType
    content: Any
    size_chars: int
    source: str
    """`step_1:search_workflows`, `history:msg_3:get_workflow`, `attachment:Travel policy`."""
    timestamp: Moment
    metadata: JsonObject = Field(default_factory=dict)
    """Holds `"historical": true` where its text is no longer verbatim in the window, and `"out_of_date"`
    where the workflow it is about was changed since: what became of it."""

    @property
    def text(self) -> str:
        """Return the content as the model reads it."""
        return text_of(self.content)

    @property
    def is_historical(self) -> bool:
        """Return whether it is from an earlier turn and not verbatim in the window."""
        return bool(self.metadata.get("historical"))

    def about_workflow(self) -> tuple[str, int] | None:
        """Return the id and the version of the workflow that a tool result is about, or None."""
        match self.content:
            case {"workflow": {"id": str(workflow_id), "version": int(version)}}:
                return workflow_id, version
            case _:
                return None


class ArtifactDecision(Value):
    """What is done with one artifact, and why."""

    artifact_id: str
    strategy: ProcessingStrategy
    priority: int
    """1 comes first."""
    relevance_rationale: str
    summarization_focus: str | None = None
    """For `summarize`: what to keep."""
    extraction_query: str | None = None
    """For `rag_extract`: what to look for."""


class ArtifactPlan(Value):
    """What is done with every artifact, in the order of priority."""

    artifacts: tuple[ArtifactDecision, ...]
    reasoning: str


class ArtifactUsageRecord(Value):
    """How an artifact was used, without its content."""

    artifact_id: str
    source: str
    artifact_type: ArtifactType
    strategy: ProcessingStrategy
    """What was done in the end: one that was planned for and did not fit is excluded."""
    rationale: str
    priority: int | None = None
    """Its place in the plan, from 1; null in records before this was kept."""
    summarization_focus: str | None = None
    """What a summary was to keep; null where none was planned."""
    extraction_query: str | None = None
    """What passages were looked for by; null where none were planned."""
    original_size_chars: int
    processed_size_chars: int | None = None
    """Of what went into the window; null for what was excluded."""
    cache_hit: bool = False


def text_of(content: Any) -> str:
    """Return any content as text."""
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, default=str)


def artifact_of(
    artifact_type: ArtifactType, content: Any, source: str, timestamp: datetime, metadata: JsonObject | None = None
) -> Artifact:
    """Return the artifact of a content and where it is from."""
    text = text_of(content)
    return Artifact(
        artifact_id=f"art_{digest_of([artifact_type.value, source, text])[:24]}",
        artifact_type=artifact_type,
        content=content,
        size_chars=len(text),
        source=source,
        timestamp=timestamp,
        metadata=metadata or {},
    )
