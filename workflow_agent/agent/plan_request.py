"""What the planner is asked: the question, and a preview of each artifact."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from workflow_agent.domain.artifacts.artifact import Artifact, text_of
from workflow_agent.domain.values import JsonObject, iso_milliseconds

PLAN_TOOL = "plan_context"
PREVIEW_CHARS = 500
PREVIEW_ITEMS = 5
_METADATA_CHARS = 300


def plan_request(
    artifacts: Sequence[Artifact], question: str, goal: str, available_tokens: int
) -> JsonObject:
    """Return the document the planner reads; all of it is data."""
    return {
        "question": question[: 4 * PREVIEW_CHARS],
        "goal": goal,
        "available_tokens": available_tokens,
        "artifacts": [_described(one) for one in artifacts],
    }


def _described(artifact: Artifact) -> JsonObject:
    return {
        "artifact_id": artifact.artifact_id,
        "type": artifact.artifact_type.value,
        "source": artifact.source[:_METADATA_CHARS],
        "size_chars": artifact.size_chars,
        "timestamp": iso_milliseconds(artifact.timestamp),
        "metadata": {name: _short(value) for name, value in artifact.metadata.items()},
        "preview": preview_of(artifact.content),
    }


def _short(value: Any) -> Any:
    text = text_of(value)
    return value if len(text) <= _METADATA_CHARS else text[:_METADATA_CHARS]


def preview_of(content: Any) -> str:
    """Return the beginning of a content: five items of each list in it, 500 characters in all."""
    return text_of(_first_items(content))[:PREVIEW_CHARS]


def _first_items(content: Any) -> Any:
    if isinstance(content, list):
        items = cast("list[Any]", content)
        more = [f"... {len(items) - PREVIEW_ITEMS} more"] if len(items) > PREVIEW_ITEMS else []
        return [*(_first_items(one) for one in items[:PREVIEW_ITEMS]), *more]
    if isinstance(content, Mapping):
        return {name: _first_items(value) for name, value in cast("Mapping[str, Any]", content).items()}
    return content
