"""Marking what Anthropic is to keep of a request, where the next one begins alike."""

from typing import Any, cast

from pydantic_ai import RunContext
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.settings import ModelSettings, merge_model_settings

_ANTHROPIC = "anthropic"


def is_anthropic(model: object) -> bool:
    """Say whether requests may go to Anthropic, which caches only what is marked."""
    if isinstance(model, FallbackModel):
        return any(map(is_anthropic, model.models))
    return isinstance(model, Model) and model.system == _ANTHROPIC


def marked(ctx: RunContext[Any], request_context: ModelRequestContext) -> ModelRequestContext:
    """Mark the tools, and the whole request where the run is likely to go on after it.

    What is kept costs a quarter more when it is written and a tenth when it is read (ADR-0017). A run that
    only talks makes one request, and the next turn's instructions differ: there the tools alone come again.
    """
    if not is_anthropic(ctx.model):
        return request_context
    goes_on = ctx.deps.progress.mode.name != "general" or ctx.run_step > 1
    marks = {"anthropic_cache_tool_definitions": True} | ({"anthropic_cache": True} if goes_on else {})
    request_context.model_settings = merge_model_settings(
        request_context.model_settings, cast("ModelSettings", marks)
    )
    return request_context
