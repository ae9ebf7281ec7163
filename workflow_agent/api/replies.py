"""Replies as JSON, and how they are described in the OpenAPI document."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import orjson
from starlette.responses import Response

Documented = dict[int | str, dict[str, Any]]
_PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}}
_EVENTS = ("start", "mode", "tool_call", "tool_result", "delta", "context", "complete", "error", "shutdown")
_EVERYWHERE = (401, 403, 421, 500, 503)


def json_reply(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return data as a JSON response."""
    return Response(orjson.dumps(data), status, {"Cache-Control": "no-store", **(headers or {})}, "application/json")


def replies(
    schema: str,
    *problems: int,
    status: int = 200,
    headers: tuple[str, ...] = (),
    links: Mapping[str, Any] | None = None,
) -> Documented:
    """Return what a route answers, for the OpenAPI document.

    Args:
        schema: Name of the reply's component.
        problems: Statuses of the errors it may answer with, beside those every route has.
        status: Of the reply.
        headers: Names of the headers the reply always has.
        links: Where one can go from the reply.
    """
    reply: dict[str, Any] = {
        "description": HTTPStatus(status).phrase,
        "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}},
    }
    if headers:
        reply["headers"] = {name: {"required": True, "schema": {"type": "string"}} for name in headers}
    if links:
        reply["links"] = dict(links)
    return {status: reply} | problem_replies(*problems)


def problem_replies(*statuses: int) -> Documented:
    """Return the errors of a route for the OpenAPI document, with those every route has."""
    return {
        status: {"description": HTTPStatus(status).phrase, "content": _PROBLEM}
        for status in sorted({*statuses, *_EVERYWHERE})
    }


def event_stream(*problems: int) -> Documented:
    """Return what a route answers that streams a run's events, for the OpenAPI document."""
    event = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "pattern": "^[1-9][0-9]*$"},
            "event": {"type": "string", "enum": list(_EVENTS)},
            "data": {"type": "string", "contentMediaType": "application/json"},
        },
        "required": ["id", "event", "data"],
    }
    reply = {
        "description": "Server-sent events, each with an id for `Last-Event-ID`; the last is complete, error "
        "or shutdown.",
        "content": {"text/event-stream": {"schema": event}},
    }
    return {200: reply} | problem_replies(*problems)


def link(operation: str, description: str = "", **parameters: str) -> dict[str, Any]:
    """Return a link to an operation, its parameters taken from the reply or the request."""
    return {"operationId": operation, "description": description, "parameters": parameters}
