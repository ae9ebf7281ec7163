"""The route class of the API: strict about bodies and query strings before FastAPI looks at them."""

from collections.abc import Callable, Coroutine, Iterator
from typing import Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.responses import Response

from workflow_agent.api.body import BodyLimits, forbidden_character, read_json_body
from workflow_agent.api.errors import OnlyPost
from workflow_agent.errors import InvalidInput, Problem

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class _CheckedRequest(Request):
    """A request whose JSON body was read and checked, so that it is parsed once and in one way."""

    def __init__(self, request: Request, raw: bytes, value: Any) -> None:
        super().__init__(request.scope, request.receive)
        self._body = raw
        self._json = value


class StrictRoute(APIRoute):
    """A route that refuses hostile bodies, and query parameters that it does not know or that come twice."""

    def get_route_handler(self) -> Handler:
        """Return FastAPI's handler with the checks in front."""
        handle = super().get_route_handler()
        known = tuple(_query_names(self.dependant))
        takes_body = self.body_field is not None

        async def checked(request: Request) -> Response:
            _check_query(request.scope["query_string"], known)
            if not takes_body:
                return await handle(request)
            limits: BodyLimits = request.app.state.body_limits
            raw, value = await read_json_body(request.headers, request.receive, limits)
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


def only_post(router: APIRouter, path: str) -> None:
    """Refuse all other methods at a path, which would be taken for the id of something there."""

    async def refuse() -> Response:
        raise OnlyPost

    others = ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
    # Not strict: the method is wrong whatever the query string says.
    router.add_api_route(path, refuse, methods=others, include_in_schema=False, route_class_override=APIRoute)
