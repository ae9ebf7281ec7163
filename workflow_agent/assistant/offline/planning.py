"""The offline model as planner: the same request a language model gets, answered by rule."""

import json
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart

from workflow_agent.assistant.window.plan import rule_plan
from workflow_agent.conversations.artifacts import Artifact
from workflow_agent.values.stored import JsonObject

_NOTHING: JsonObject = {"artifacts": [], "reasoning": "There was nothing to plan."}


def planned(messages: Sequence[ModelMessage]) -> JsonObject:
    """Return the plan for the document in the newest message, as the arguments of the tool that takes it."""
    document = _document(messages)
    artifacts = [one for one in map(_artifact, document.get("artifacts", ())) if one is not None]
    if not artifacts:
        return _NOTHING
    plan = rule_plan(artifacts, str(document.get("question", "")), int(document.get("available_tokens", 0)))
    return plan.model_dump(mode="json")


def _document(messages: Sequence[ModelMessage]) -> JsonObject:
    prompts = [
        part.content
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart)
    ]
    try:
        read: Any = json.loads(str(prompts[-1])) if prompts else {}
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}  # pyright: ignore[reportUnknownVariableType] - JSON


def _artifact(described: JsonObject) -> Artifact | None:
    """Return an artifact whose content is its preview."""
    try:
        return Artifact.model_validate(
            {
                "artifact_id": described["artifact_id"],
                "artifact_type": described["type"],
                "content": described["preview"],
                "size_chars": described["size_chars"],
                "source": described["source"],
                "timestamp": described["timestamp"],
                "metadata": described["metadata"],
            }
        )
    except (KeyError, TypeError, ValidationError):
        return None
