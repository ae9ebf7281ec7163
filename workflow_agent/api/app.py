"""The application: routers, guards and error handlers around the services it is given, and its OpenAPI document."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, cast

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode, JsonSchemaValue
from starlette.middleware import Middleware

from workflow_agent.api import frontends, page
from workflow_agent.api.dependencies import Services
from workflow_agent.api.errors import ERROR_HANDLERS
from workflow_agent.api.guards import OPEN_PATHS, HostGuard, KeyGuard, RequestFrame
from workflow_agent.api.mcp import route as mcp
from workflow_agent.api.native import (
    changes,
    chat,
    conversations,
    events,
    formats,
    history,
    memory,
    service,
    turns,
    views,
    webhooks,
    workflows,
)
from workflow_agent.api.native.workflow_shapes import ProblemDetails
from workflow_agent.api.openai import completions, responses, turn_requests
from workflow_agent.api.openai import conversations as openai_conversations
from workflow_agent.settings import Settings
from workflow_agent.workflows.edits.operations import Edit
from workflow_agent.workflows.model.workflow import Workflow

_ROUTERS: Sequence[APIRouter] = (
    service.probes,
    chat.router,
    chat.runs,
    page.router,
    conversations.transfers,
    conversations.router,
    events.router,
    history.router,
    turns.router,
    history.searches,
    memory.router,
    formats.router,
    views.router,
    workflows.router,
    changes.approvals,
    webhooks.router,
    changes.router,
    service.catalogue,
    service.telemetry_of_turns,
    turn_requests.models,
    completions.router,
    responses.router,
    openai_conversations.router,
    openai_conversations.messages,
    frontends.router,
    mcp.router,
)
"""In this order an address is looked for."""
_DESCRIPTION = "Talk about workflows: create, find, change and analyse them, in conversations that lose nothing."


def create_app(services: Services, settings: Settings) -> FastAPI:
    """Return the API as one ASGI application."""
    app = FastAPI(
        title="workflow_agent",
        version=_version(),
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        middleware=[
            Middleware(RequestFrame),
            Middleware(HostGuard, allowed=allowed_hosts(settings)),
            Middleware(KeyGuard, keys=settings.callers),
        ],
        exception_handlers=ERROR_HANDLERS,
        # The routes of the routers as they are: one that is included makes each of them anew.
        routes=[route for router in _ROUTERS for route in router.routes],
    )
    # Made when somebody asks for it: that takes longer than everything else here.
    app.openapi = cache(lambda: openapi_document(app, needs_key=settings.needs_key))
    app.state.services = services
    app.state.mcp_endpoints = {}
    app.state.settings = settings
    return app


def allowed_hosts(settings: Settings) -> tuple[str, ...]:
    """Return the names the server answers to."""
    if settings.allowed_hosts:
        return settings.allowed_hosts
    return ("localhost", "127.0.0.1", "::1", settings.host) if settings.is_loopback else ("*",)


def _version() -> str:
    try:
        return version("workflow-agent")
    except PackageNotFoundError:
        return "0+unknown"


_REF = "#/components/schemas/{model}"
_WORKFLOW_EXAMPLE: Mapping[str, Any] = {
    "name": "Expense approval",
    "tags": ["finance"],
    "steps": [
        {"id": "submit", "name": "Submit expense", "type": "human", "assignee": "employee"},
        {"id": "review", "name": "Manager review", "type": "human", "assignee": "manager", "timeout": "P2D"},
        {"id": "paid", "name": "Paid", "type": "end", "outcome": "ok"},
        {"id": "rejected", "name": "Rejected", "type": "end", "outcome": "rejected"},
    ],
    "transitions": [
        {"from": "submit", "to": "review"},
        {"from": "review", "to": "paid", "type": "condition", "when": {"text": "approved"}},
        {"from": "review", "to": "rejected", "type": "default"},
    ],
}
_CURRENT_MS: Mapping[str, Any] = {
    "type": "number",
    "title": "Current Ms",
    "description": "How long the run under way has taken; not stored.",
}


def openapi_document(app: FastAPI, *, needs_key: bool) -> dict[str, Any]:
    """Return the whole document of an application."""
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    components = document.setdefault("components", {}).setdefault("schemas", {})
    components.update(_shared_schemas())
    components["ExecutionTime"]["properties"]["current_ms"] = _CURRENT_MS
    components["EditList"]["properties"]["edits"]["items"] = {"$ref": _REF.format(model="Edit")}
    components.pop("HTTPValidationError", None)
    components.pop("ValidationError", None)
    for operation in _operations(document):
        if operation["operationId"] in ("create_workflow", "replace_workflow"):
            content = {"schema": {"$ref": _REF.format(model="NewWorkflow")}, "example": _WORKFLOW_EXAMPLE}
            operation["requestBody"]["content"]["application/json"] = content
        _describe_parameters(operation)
    _leave_defaults_out(document)
    if needs_key:
        document["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"key": []}]
        for path in OPEN_PATHS:
            document["paths"][path]["get"]["security"] = []
    return document


def _operations(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [operation for methods in document["paths"].values() for operation in methods.values()]


def _leave_defaults_out(document: Mapping[str, Any]) -> None:
    """Say in words what a body's fields are by default.

    Generators of typed clients demand a field that has a default, as of a reply, which always has it.
    """
    bodies = [operation["requestBody"] for operation in _operations(document) if "requestBody" in operation]
    components, met = document["components"]["schemas"], set[str]()
    while bodies:
        body = bodies.pop()
        for part in _parts_of(body):
            if "default" in part and not isinstance(part["default"], dict):
                _tell_default(part)
            name = str(part.get("$ref", "")).rpartition("/")[2]
            if name and name not in met:
                met.add(name)
                bodies.append(components[name])


def _parts_of(schema: object) -> Iterator[dict[str, Any]]:
    """Yield each object inside a schema, itself included."""
    inside: Iterable[object] = cast("list[object]", schema) if isinstance(schema, list) else ()
    if isinstance(schema, dict):
        part = cast("dict[str, Any]", schema)
        yield part
        inside = part.values()
    for one in inside:
        yield from _parts_of(one)


def _tell_default(part: dict[str, Any]) -> None:
    default = part.pop("default")
    if default not in (None, "", [], False):
        part["description"] = " ".join(filter(None, [part.get("description", ""), f"Default: `{default}`."]))


def _describe_parameters(operation: dict[str, Any]) -> None:
    """Say of parameters what FastAPI cannot know: none can be null, and who needs If-Match."""
    for parameter in operation.get("parameters", ()):
        for choice in parameter["schema"].pop("anyOf", ()):
            if choice != {"type": "null"}:
                parameter["schema"] |= choice
        if parameter["name"] == "If-Match":
            parameter["required"] = "428" in operation["responses"]


def _shared_schemas() -> dict[str, JsonSchemaValue]:
    """Return the schemas of errors, workflows and edits; what is at its default may be left out of the latter two."""
    mode: JsonSchemaMode = "validation"
    inputs: list[tuple[str, JsonSchemaMode, TypeAdapter[Any]]] = [
        ("ProblemDetails", "serialization", TypeAdapter(ProblemDetails)),
        ("Workflow", mode, TypeAdapter(Workflow)),
        ("Edit", mode, TypeAdapter(Edit)),
    ]
    made, shared = TypeAdapter.json_schemas(inputs, ref_template=_REF)
    found: dict[str, JsonSchemaValue] = shared["$defs"]
    found["Edit"] = made["Edit", mode]
    edge = found["Transition"]
    # Generators of clients name their classes by titles.
    found["NewTransition"] = {
        **edge,
        "title": "NewTransition",
        "required": [name for name in edge["required"] if name != "id"],
    }
    document = found["Workflow"]
    edges = {**document["properties"]["transitions"], "items": {"$ref": _REF.format(model="NewTransition")}}
    found["NewWorkflow"] = {
        **document,
        "title": "NewWorkflow",
        "description": "A workflow to be: without an id, a start or ids of transitions they are made.",
        "properties": {**document["properties"], "transitions": edges},
        "required": [name for name in document["required"] if name not in ("id", "start")],
    }
    return found
