"""Routes: strict about bodies and query strings, with replies as JSON, described in the OpenAPI document."""

from collections.abc import Callable, Coroutine, Iterator, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

import orjson
from fastapi import APIRouter, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.responses import Response

from workflow_agent.api.body import forbidden_character, read_json_body
from workflow_agent.api.errors import OnlyPost
from workflow_agent.errors import InvalidInput, Problem


class _CheckedRequest(Request):
    """A request whose JSON body was read and checked, so that it is parsed once and in one way."""

    def __init__(self, request: Request, raw: bytes, value: Any) -> None:
        super().__init__(request.scope, request.receive)
        self._body = raw
        self._json = value


class StrictRoute(APIRoute):
    """A route that refuses hostile bodies, and query parameters that it does not know or that come twice."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return FastAPI's handler with the checks in front."""
        handle = super().get_route_handler()
        known = tuple(_query_names(self.dependant))
        takes_body = self.body_field is not None

        async def checked(request: Request) -> Response:
            _check_query(request.scope["query_string"], known)
            if not takes_body:
                return await handle(request)
            raw, value = await read_json_body(request.headers, request.receive, request.app.state.settings)
            return await handle(_CheckedRequest(request, raw, value))

        return checked


def _query_names(dependant: Dependant) -> Iterator[str]:
    yield from (parameter.alias for parameter in dependant.query_params)
    for one in dependant.dependencies:
        yield from _query_names(one)


def _check_query(query: bytes, known: tuple[str, ...]) -> None:
    problems: list[Problem] = []
    seen: set[str] = set()
    for name, value in _pairs(query):
        shown = f"query:{name[:60]!r}" if forbidden_character(name) else f"query:{name[:60]}"
        if name not in known:
            problems.append(Problem(shown, "is not a known parameter", known))
        elif name in seen:
            problems.append(Problem(shown, "is given more than once"))
        elif problem := forbidden_character(value):
            problems.append(Problem(shown, f"holds {problem}"))
        seen.add(name)
    if problems:
        listed = "; ".join(f"{one.pointer} {one.message}" for one in problems[:3])
        raise InvalidInput(f"The query string is not valid: {listed}.", problems[:20])


def _pairs(query: bytes) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query.decode("ascii"), keep_blank_values=True, errors="strict")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            "The query string is not percent-encoded UTF-8.", [Problem("query:", "is not percent-encoded UTF-8")]
        ) from error


def routes_at(prefix: str, tag: str, *, is_shown: bool = True) -> APIRouter:
    """Return a router of strict routes, each known to clients by the name of its function."""
    return APIRouter(
        prefix=prefix,
        tags=[tag],
        route_class=StrictRoute,
        include_in_schema=is_shown,
        generate_unique_id_function=lambda route: route.name,
    )


def only_post(router: APIRouter, path: str) -> None:
    """Refuse all other methods at a path, which would be taken for the id of something there."""

    async def refuse() -> Response:
        raise OnlyPost

    others = ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
    # Not strict: the method is wrong whatever the query string says.
    router.add_api_route(path, refuse, methods=others, include_in_schema=False, route_class_override=APIRoute)


Documented = dict[int | str, dict[str, Any]]
_PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}}
_EVENTS = ("start", "mode", "tool_call", "tool_result", "delta", "context", "complete", "error", "shutdown")
_EVERYWHERE = (401, 403, 421, 500, 503)
UNCHANGED: Documented = {304: {"description": "Unchanged"}}
BODY_PROBLEMS = (408, 413, 415, 422)
"""Statuses of the errors of every route that reads a body."""


def json_reply(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return data, or a model, as a JSON response."""
    content = data.model_dump_json() if isinstance(data, BaseModel) else orjson.dumps(data)
    return Response(content, status, {"Cache-Control": "no-store", **(headers or {})}, "application/json")


def answers(
    model: Any,
    *problems: int,
    status: int = 200,
    headers: tuple[str, ...] = (),
    links: Mapping[str, Any] | None = None,
    other: Documented | None = None,
) -> dict[str, Any]:
    """Return the arguments of a route that answers with a model, as the OpenAPI document describes it.

    It has the headers always, and `problems` beside those of every route; `other` are replies of other statuses, or
    in place of this one, and `links` what can be asked for next.
    """
    described = {
        "description": HTTPStatus(status).phrase,
        "headers": {name: {"required": True, "schema": {"type": "string"}} for name in headers},
        "links": dict(links or {}),
    }
    reply: dict[str, Any] = {member: value for member, value in described.items() if value}
    responses = {status: reply} | problem_replies(*problems) | (other or {})
    return {"status_code": status, "response_model": model, "responses": responses}


def creates(
    model: Any, *problems: int, links: Mapping[str, Any] | None = None, other: Documented | None = None
) -> dict[str, Any]:
    """Return the arguments of a route that creates what a body asks for, and tells its address."""
    return answers(model, *BODY_PROBLEMS, *problems, status=201, headers=("ETag", "Location"), links=links, other=other)


def deletes(what: str, *problems: int) -> dict[str, Any]:
    """Return the arguments of a route that answers with nothing; `what` says what that means."""
    return {"status_code": 204, "responses": {204: {"description": what}} | problem_replies(*problems)}


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
