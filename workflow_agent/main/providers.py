"""Checks whether the model's provider can be reached, without a request that costs money."""

import asyncio
from collections.abc import Mapping
from typing import Any

from anthropic import AnthropicError
from openai import OpenAIError
from pydantic_ai.models import Model
from pydantic_ai.models.fallback import FallbackModel

from workflow_agent.assistant.providers import OFFLINE
from workflow_agent.errors import Misconfigured
from workflow_agent.main.extensions import models_of, roster_of
from workflow_agent.settings import Settings

_PATIENCE_SECONDS = 10


def try_provider(settings: Settings) -> str:
    """Return the state of the models' providers in words; Misconfigured says why one does not answer."""
    chosen = models_of(settings, roster_of(settings))
    return asyncio.run(_all_tried(chosen.by_name)) or "the offline model answers; it needs no provider"


async def _all_tried(models: Mapping[str, Model]) -> str:
    return "; ".join([await _tried(name, model) for name, model in models.items() if name != OFFLINE])


async def _tried(name: str, model: Model) -> str:
    first = model.models[0] if isinstance(model, FallbackModel) else model
    client: Any = getattr(first, "client", None)
    if getattr(getattr(client, "models", None), "list", None) is None:
        return f"{name}: is set up; whether its provider answers only a message would show"
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            # It is free, and needs the key. Without the client's own retries: the operator waits for the answer.
            await client.with_options(max_retries=0).models.list()
    except TimeoutError as error:
        raise Misconfigured(f"The provider of {name!r} did not answer in {_PATIENCE_SECONDS} s.") from error
    except (OpenAIError, AnthropicError) as error:
        raise Misconfigured(f"The provider of {name!r} refuses: {str(error)[:300]}") from error
    return f"{name}: its provider answers"
