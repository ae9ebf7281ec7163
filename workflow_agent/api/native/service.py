"""The service itself: whether it runs, who answers and in which modes and formats, what turns cost."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse, Response

from workflow_agent.api.dependencies import Limit, Services, TheServices
from workflow_agent.api.native.conversation_shapes import ContextList
from workflow_agent.api.routes import answers, json_reply, problem_replies, routes_at
from workflow_agent.conversations.agents import DEFAULT_AGENT, AgentProfile, Mode
from workflow_agent.conversations.document import CONVERSATION_ID_PATTERN, AgentReply
from workflow_agent.errors import ShuttingDown
from workflow_agent.telemetry.sums import caches_of_workers, exposition_of_workers, families_of
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats import FORMATS

probes = routes_at("", "health")


class Health(BaseModel):
    """That the server runs, and what."""

    status: Literal["ok", "ready"]
    version: str
    model: str
    worker: int = 1
    """Which worker answered, where the server has several."""
    unreadable: list[str] | None = None
    """Of `/ready`: files that should be conversations and cannot be read, where there are any."""


def _about(request: Request, status: str) -> dict[str, Any]:
    other_workers = request.app.state.services.other_workers
    about = {"status": status, "version": request.app.version, "model": request.app.state.settings.model}
    return about if other_workers is None else about | {"worker": other_workers.number}


@probes.get("/health", **answers(Health, 422))
async def health(request: Request) -> Response:
    """Say that the server runs."""
    return json_reply(_about(request, "ok"))


@probes.get("/ready", **answers(Health, 422))
async def ready(request: Request, services: TheServices) -> Response:
    """Say that the server takes work: it can read and write its data and is not stopping.

    Conversations that cannot be read are named; the server takes work without them.
    """
    if services.chat.worker.live.is_closing:
        raise ShuttingDown("The server is stopping.")
    await services.check_storage()
    page = await services.conversations.page(services.tenant, limit=1)
    unreadable = {"unreadable": list(page.unreadable)} if page.unreadable else {}
    return json_reply(_about(request, "ready") | unreadable)


_TEXT = {"schema": {"type": "string"}}
_EXPOSITION = {
    "description": "All metrics, in the text format that the client accepts.",
    "content": {"text/plain": _TEXT, "application/openmetrics-text": _TEXT},
}


@probes.get("/metrics", response_class=PlainTextResponse, responses={200: _EXPOSITION} | problem_replies(422))
async def get_metrics(request: Request, services: TheServices) -> Response:
    """Give counters, histograms and gauges of the server, of several workers each with its number as a label;
    they carry neither content nor ids."""
    accept = request.headers.get("accept", "")
    telemetry, other_workers = services.telemetry, services.other_workers
    if other_workers is None:
        body, media_type = await run_in_threadpool(telemetry.exposition, accept)
    else:
        own = await run_in_threadpool(families_of, telemetry.registry)
        told = {**await other_workers.told({"ask": "metrics"}), other_workers.number: own}
        body, media_type = await run_in_threadpool(exposition_of_workers, told, accept)
    return Response(body, headers={"Cache-Control": "no-store", "Content-Type": media_type})


catalogue = routes_at("/api/v1", "catalogue")
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


class FormatItem(BaseModel, from_attributes=True):
    """A format of workflow documents."""

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


@catalogue.get("/agents", **answers(AgentList, 422))
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


@catalogue.get("/models", responses=problem_replies(422))
async def list_models(services: TheServices) -> ModelList:
    """List the models that a message may name."""
    models = services.models
    return ModelList(items=sorted(models.by_name), default=models.default, takes_keys=models.with_key is not None)


@catalogue.get("/formats", **answers(FormatList, 422))
async def list_formats() -> Response:
    """List the formats that workflows are read from and written to."""
    return json_reply(FormatList(items=[FormatItem.model_validate(one) for one in FORMATS.values()]))


@catalogue.get("/modes", **answers(ModeList, 422))
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


telemetry_of_turns = routes_at("/api/v1/telemetry", "telemetry")


@telemetry_of_turns.get("/tokens", **answers(ContextList, 404, 422))
async def get_tokens(
    services: TheServices,
    conversation_id: Annotated[
        str | None,
        Query(json_schema_extra={"pattern": CONVERSATION_ID_PATTERN}, description="Only of this conversation."),
    ] = None,
    limit: Limit = 50,
) -> Response:
    """List the latest context records, newest first: of the tenant since the server's start, or of one conversation's
    whole life."""
    if conversation_id is None:
        return json_reply({"items": await _latest(services, limit)})
    past = await services.past(conversation_id)
    found = await past.events(None, limit, lambda event: isinstance(event, AgentReply), newest_first=True)
    records = [reply.context_in(conversation_id) for reply in found.items if isinstance(reply, AgentReply)]
    return json_reply({"items": records})


class CacheReport(BaseModel):
    """Statistics of every cache."""

    caches: dict[str, dict[str, Any]]


@telemetry_of_turns.get("/caches", **answers(CacheReport, 422))
async def get_caches(services: TheServices) -> Response:
    """Report hits, misses, evictions and size of every cache."""
    counted = [services.caches()]
    if services.other_workers is not None:
        told = await services.other_workers.told({"ask": "caches"})
        counted += [one["caches"] for one in told.values()]
    return json_reply(CacheReport(caches=caches_of_workers(counted)))


async def _latest(services: Services, limit: int) -> list[JsonObject]:
    records = list(services.telemetry.recent.latest(services.tenant, limit))
    if services.other_workers is not None:
        told = await services.other_workers.told({"ask": "contexts", "tenant": services.tenant, "limit": limit})
        records += [record for one in told.values() for record in one["contexts"]]
        records.sort(key=lambda record: str(record["at"]), reverse=True)
    return records[:limit]
