"""The catalogue of who answers, and in which modes."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from workflow_agent.api.parameters import TheServices
from workflow_agent.api.routes import json_reply, problem_replies, replies, routes_at
from workflow_agent.conversations.agents import DEFAULT_AGENT, AgentProfile, Mode
from workflow_agent.workflows.formats import FORMATS

router = routes_at("/api/v1", "catalogue")
ABOUT: Mapping[Mode, str] = {
    "general": "Talks about what it can do and about the conversation itself.",
    "creation": "Turns a description into a workflow.",
    "search": "Finds workflows by what they are about; changes nothing.",
    "modification": "Changes an existing workflow, and nothing but what was asked.",
    "analysis": "Explains workflows and what can go wrong in them; changes nothing.",
}


class AgentList(BaseModel):
    """The roster."""

    items: list[AgentProfile]
    default: str


class FormatItem(BaseModel):
    """A format of workflow documents."""

    model_config = ConfigDict(from_attributes=True)

    name: str
    title: str
    media_type: str
    extension: str


class FormatList(BaseModel):
    """The formats that workflows are read from and written to."""

    items: list[FormatItem]


class ModeItem(BaseModel):
    """One of the five prompt modules."""

    name: Mode
    description: str
    read_only: bool
    tools: list[str]
    prompt_chars: int


class ModeList(BaseModel):
    """The modes."""

    items: list[ModeItem]


@router.get("/agents", response_model=AgentList, responses=replies(422))
async def list_agents(services: TheServices) -> Response:
    """List the agents that answer."""
    return json_reply(AgentList(items=list(services.agents.values()), default=DEFAULT_AGENT))


class ModelList(BaseModel):
    """The models that a message may name."""

    items: list[str]
    default: str
    """Answers where the message, and its agent, name none."""
    takes_keys: bool
    """Whether a message may name any model of openai or anthropic and bring its key as `X-Model-Key`."""


@router.get("/models", responses=problem_replies(422))
async def list_models(services: TheServices) -> ModelList:
    """List the models that a message may name."""
    models = services.models
    return ModelList(items=sorted(models.by_name), default=models.default, takes_keys=models.with_key is not None)


@router.get("/formats", response_model=FormatList, responses=replies(422))
async def list_formats() -> Response:
    """List the formats that workflows are read from and written to."""
    items = [FormatItem.model_validate(one) for one in FORMATS.values()]
    return json_reply(FormatList(items=items))


@router.get("/modes", response_model=ModeList, responses=replies(422))
async def list_modes(services: TheServices) -> Response:
    """List the five modes and the tools each offers."""
    items = [
        ModeItem(
            name=card.name,
            description=ABOUT[card.name],
            read_only=card.is_read_only,
            tools=list(card.tools),
            prompt_chars=len(card.prompt),
        )
        for card in services.modes
    ]
    return json_reply(ModeList(items=items))
