"""The models that OpenAI clients may name: the assistant, and each agent by its name."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from workflow_agent.api.openai_errors import ModelNotFound
from workflow_agent.api.parameters import TheServices
from workflow_agent.api.routes import json_reply, routes_at
from workflow_agent.conversations.agents import AgentProfile

MODEL = "workflow-agent"
_PUBLISHED = 1_790_812_800
"""When these names were first published; clients sort by it."""
router = routes_at("/v1/models", "openai", is_shown=False)


def agent_of(model: str, agents: Mapping[str, AgentProfile]) -> str | None:
    """Return the agent that a model's name stands for; None leaves the choice to the conversation.

    Raises:
        ModelNotFound: There is no such model; lists those there are.
    """
    base, _, agent = model.partition("/")
    if base == MODEL and (model == MODEL or agent in agents):
        return agent or None
    valid = _names(agents)
    message = f"The model {model[:100]!r} does not exist here. There are: {', '.join(valid)}."
    raise ModelNotFound(message, param="model", valid=valid)


def _names(agents: Mapping[str, AgentProfile]) -> tuple[str, ...]:
    return (MODEL, *(f"{MODEL}/{name}" for name in agents))


def _card(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": _PUBLISHED, "owned_by": MODEL}


@router.get("")
async def list_models(services: TheServices) -> Response:
    """List the models."""
    return json_reply({"object": "list", "data": [_card(name) for name in _names(services.agents)]})


@router.get("/{model:path}")
async def get_model(model: str, services: TheServices) -> Response:
    """Show one model."""
    agent_of(model, services.agents)
    return json_reply(_card(model))
