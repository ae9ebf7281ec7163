"""The catalogue of who answers, and in which modes."""

from collections.abc import Mapping

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.responses import Response

from workflow_agent.api.native.workflow_shapes import AgentList, FormatList, ModeList
from workflow_agent.api.parameters import TheServices
from workflow_agent.api.routes import StrictRoute, json_reply, problem_replies, replies
from workflow_agent.conversations.agents import DEFAULT_AGENT, Mode
from workflow_agent.workflows.formats import FORMATS

router = APIRouter(prefix="/api/v1", tags=["catalogue"], route_class=StrictRoute)
ABOUT: Mapping[Mode, str] = {
    "general": "Talks about what it can do and about the conversation itself.",
    "creation": "Turns a description into a workflow.",
    "search": "Finds workflows by what they are about; changes nothing.",
    "modification": "Changes an existing workflow, and nothing but what was asked.",
    "analysis": "Explains workflows and what can go wrong in them; changes nothing.",
}


@router.get("/agents", operation_id="list_agents", response_model=AgentList, responses=replies(422))
async def list_agents(services: TheServices) -> Response:
    """List the agents that answer."""
    items = [profile.model_dump(mode="json") for profile in services.agents.values()]
    return json_reply({"items": items, "default": DEFAULT_AGENT})


class ModelList(BaseModel):
    """The models that a message may name."""

    items: list[str]
    default: str
    """Answers where the message, and its agent, name none."""
    takes_keys: bool
    """Whether a message may name any model of openai or anthropic and bring its key as `X-Model-Key`."""


@router.get("/models", operation_id="list_models", responses=problem_replies(422))
async def list_models(services: TheServices) -> ModelList:
    """List the models that a message may name."""
    models = services.models
    return ModelList(items=sorted(models.by_name), default=models.default, takes_keys=models.with_key is not None)


@router.get("/formats", operation_id="list_formats", response_model=FormatList, responses=replies(422))
async def list_formats() -> Response:
    """List the formats that workflows are read from and written to."""
    items = [
        {"name": one.name, "title": one.title, "media_type": one.media_type, "extension": one.extension}
        for one in FORMATS.values()
    ]
    return json_reply({"items": items})


@router.get("/modes", operation_id="list_modes", response_model=ModeList, responses=replies(422))
async def list_modes(services: TheServices) -> Response:
    """List the five modes and the tools each offers."""
    items = [
        {
            "name": card.name,
            "description": ABOUT[card.name],
            "read_only": card.is_read_only,
            "tools": list(card.tools),
            "prompt_chars": len(card.prompt),
        }
        for card in services.modes
    ]
    return json_reply({"items": items})
