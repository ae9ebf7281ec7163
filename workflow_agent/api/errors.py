"""Every error as `application/problem+json`: the one place that knows which error is which status."""

import re
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, cast

import orjson
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Scope

from workflow_agent import errors
from workflow_agent.api.openai_errors import (
    OPENAI_ADDRESSES,
    ModelNotFound,
    ResponseNotFound,
    is_openai_path,
    openai_error,
    openai_status,
    refusal_of,
    retry_headers,
)
from workflow_agent.errors import InvalidInput, NotFound, Problem, WorkflowAgentError
from workflow_agent.values.stored import json_safe
from workflow_agent.workflows.formats.base import UnreadableDocument
from workflow_agent.workflows.model.parser import json_pointer, validation_message

MAX_DETAIL_CHARS = 2_000
MAX_PROBLEMS = 50
_RETRY_AFTER_SECONDS = 5
_OWN_MEMBERS = frozenset({"type", "title", "status", "detail", "code", "instance", "request_id", "problems"})


class UnsupportedMediaType(WorkflowAgentError, code="unsupported_media_type"):
    """The body is of a type, charset or encoding that is not read here; the caller sends JSON."""


class RequestTimedOut(WorkflowAgentError, code="request_timed_out"):
    """The request did not arrive within its deadline; the caller sends it again, faster."""


class MisdirectedRequest(WorkflowAgentError, code="misdirected_request"):
    """The Host header names a server that this is not; the caller uses an allowed name."""


class MalformedHost(WorkflowAgentError, code="malformed_host"):
    """The request has no single, well-formed Host header; the caller sends `Host: name` or `name:port`."""


class ForeignOrigin(WorkflowAgentError, code="foreign_origin"):
    """A page of another site tried to change something; only this server's own pages may."""


class OnlyPost(HTTPException):
    """The address takes no other method, though a resource whose id was its last part would."""

    def __init__(self) -> None:
        super().__init__(HTTPStatus.METHOD_NOT_ALLOWED)


STATUS_OF: Mapping[type[WorkflowAgentError], HTTPStatus] = {
    errors.InvalidInput: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.InvalidWorkflow: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.EditRefused: HTTPStatus.UNPROCESSABLE_ENTITY,
    UnreadableDocument: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.IdempotencyMismatch: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.ContextOverflow: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.UnreadableAttachment: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.UnsupportedDocument: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    errors.BodyTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.NotFound: HTTPStatus.NOT_FOUND,
    errors.ConversationNotFound: HTTPStatus.NOT_FOUND,
    errors.WorkflowNotFound: HTTPStatus.NOT_FOUND,
    errors.RunNotFound: HTTPStatus.NOT_FOUND,
    errors.ContentNotFound: HTTPStatus.NOT_FOUND,
    errors.CompactionNotFound: HTTPStatus.NOT_FOUND,
    errors.CannotRestore: HTTPStatus.CONFLICT,
    errors.NothingToCompact: HTTPStatus.CONFLICT,
    ModelNotFound: HTTPStatus.NOT_FOUND,
    ResponseNotFound: HTTPStatus.NOT_FOUND,
    errors.AlreadyExists: HTTPStatus.CONFLICT,
    errors.ConversationBusy: HTTPStatus.CONFLICT,
    errors.StaleRun: HTTPStatus.CONFLICT,
    errors.PhaseNotAllowed: HTTPStatus.CONFLICT,
    errors.HandoffNotAllowed: HTTPStatus.CONFLICT,
    errors.PreviewNotFound: HTTPStatus.NOT_FOUND,
    errors.PreviewClosed: HTTPStatus.CONFLICT,
    errors.VersionConflict: HTTPStatus.PRECONDITION_FAILED,
    errors.ConversationConflict: HTTPStatus.PRECONDITION_FAILED,
    errors.WorkflowConflict: HTTPStatus.PRECONDITION_FAILED,
    errors.PreconditionRequired: HTTPStatus.PRECONDITION_REQUIRED,
    errors.Unauthorized: HTTPStatus.UNAUTHORIZED,
    errors.UserNotAllowed: HTTPStatus.FORBIDDEN,
    errors.ModelFailed: HTTPStatus.BAD_GATEWAY,
    errors.LimitReached: HTTPStatus.TOO_MANY_REQUESTS,
    errors.ModelBusy: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.StorageFailed: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.CorruptDocument: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.ShuttingDown: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.CannotListen: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.Misconfigured: HTTPStatus.INTERNAL_SERVER_ERROR,
    UnsupportedMediaType: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    RequestTimedOut: HTTPStatus.REQUEST_TIMEOUT,
    MalformedHost: HTTPStatus.BAD_REQUEST,
    MisdirectedRequest: HTTPStatus.MISDIRECTED_REQUEST,
    ForeignOrigin: HTTPStatus.FORBIDDEN,
}


def problem_document(
    status: HTTPStatus, code: str, detail: str, *, scope: Scope | None = None, extra: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the problem details of an error (RFC 9457), bounded however long its parts are."""
    cut = detail if len(detail) <= MAX_DETAIL_CHARS else detail[: MAX_DETAIL_CHARS - 1] + "…"
    document: dict[str, Any] = {
        "type": f"urn:workflow-agent:problem:{code.replace('_', '-')}",
        "title": status.phrase,
        "status": status.value,
        "detail": cut,
        "code": code,
    }
    if scope is not None:
        document["instance"] = (scope.get("raw_path") or b"").decode("ascii", "replace")[:256] or "/"
        document["request_id"] = scope.get("state", {}).get("request_id", "")
    safe = {name: json_safe(value) for name, value in (extra or {}).items() if name not in _OWN_MEMBERS}
    return document | safe


def document_of(error: WorkflowAgentError, scope: Scope | None = None) -> dict[str, Any]:
    """Return the problem details of one of our errors, with the facts it carries."""
    status = STATUS_OF.get(type(error), HTTPStatus.INTERNAL_SERVER_ERROR)
    extra = dict(error.details)
    if status is HTTPStatus.SERVICE_UNAVAILABLE:
        extra.setdefault("retry_after", _RETRY_AFTER_SECONDS)
    document = problem_document(status, error.code, error.message, scope=scope, extra=extra)
    if isinstance(error, InvalidInput) and error.problems:
        document["problems"] = [one.as_dict() for one in error.problems[:MAX_PROBLEMS]]
    return document


def problem_response(document: Mapping[str, Any], scope: Scope, headers: Mapping[str, str] | None = None) -> Response:
    """Return a problem as the response it is, in the shape and with the headers its address asks for."""
    asked: dict[str, str] = {"Cache-Control": "no-store"}
    if document["status"] == HTTPStatus.UNAUTHORIZED:
        asked["WWW-Authenticate"] = 'Bearer realm="workflow-agent"'
    if document["status"] in (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.REQUEST_ENTITY_TOO_LARGE):
        # Part of the body may still be on its way.
        asked["Connection"] = "close"
    if isinstance(wait := document.get("retry_after"), int | float):
        asked["Retry-After"] = str(max(round(wait), 1))
    asked |= headers or {}
    if is_openai_path(scope["path"]):
        asked |= retry_headers(document)
        return Response(
            orjson.dumps(openai_error(document)), openai_status(document["status"]), asked, "application/json"
        )
    return Response(orjson.dumps(document), document["status"], asked, "application/problem+json")


def refusal(error: WorkflowAgentError, scope: Scope) -> Response:
    """Return one of our errors as a response."""
    return problem_response(document_of(error, scope), scope)


async def _on_known_error(request: Request, error: WorkflowAgentError) -> Response:
    return refusal(error, request.scope)


async def _on_validation_error(request: Request, error: RequestValidationError) -> Response:
    found = cast("Sequence[Mapping[str, Any]]", error.errors())
    if any(item["loc"][0] == "path" for item in found):
        return refusal(NotFound("There is nothing at this address."), request.scope)
    problems = [_problem(item) for item in found]
    if is_openai_path(request.url.path) and (told := refusal_of(found[0])) is not None:
        message, code = told
        return refusal(InvalidInput(message, problems, openai_code=code), request.scope)
    listed = "; ".join(f"{one.pointer}: {one.message}" for one in problems[:3])
    more = f" (and {len(problems) - 3} more)" if len(problems) > 3 else ""
    return refusal(InvalidInput(f"The request is not valid: {listed}{more}", problems), request.scope)


def _problem(item: Mapping[str, Any]) -> Problem:
    where, *path = item["loc"]
    pointer = json_pointer(path)[:200] if where == "body" else f"{where}:{'/'.join(map(str, path))[:100]}"
    is_empty_body = where == "body" and not path and item["type"] == "missing"
    message = "the body is empty; send a JSON object" if is_empty_body else validation_message(item)
    context = cast("Mapping[str, Any]", item.get("ctx") or {})
    return Problem(pointer or "/", message, tuple(re.findall(r"'([^']{1,60})'", str(context.get("expected", "")))))


async def _on_http_exception(request: Request, error: HTTPException) -> Response:
    status = HTTPStatus(error.status_code)
    headers = dict(error.headers or {})
    if status is HTTPStatus.NOT_FOUND:
        listed = OPENAI_ADDRESSES if is_openai_path(request.url.path) else "/openapi.json lists what there is."
        detail = f"There is nothing at this address. {listed}"
    elif status is HTTPStatus.METHOD_NOT_ALLOWED:
        is_told = isinstance(error, OnlyPost)
        headers["Allow"] = "POST" if is_told else _allowed_methods(request.app.routes, request.url.path)
        detail = f"{request.method[:20]} is not possible here; allowed: {headers['Allow']}."
    else:
        detail = str(error.detail)
    document = problem_document(status, status.name.lower(), detail, scope=request.scope)
    return problem_response(document, request.scope, headers)


def _allowed_methods(routes: Iterable[BaseRoute], path: str) -> str:
    """List the methods an address takes, in alphabetical order; a 405 has to say so."""
    known = [route for route in routes if isinstance(route, Route)]
    template = next((route.path for route in known if route.path_regex.match(path)), None)
    methods = {method for route in known if route.path == template for method in route.methods or ()}
    return ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))


ERROR_HANDLERS: dict[int | type[Exception], Callable[[Request, Any], Coroutine[Any, Any, Response]]] = {
    WorkflowAgentError: _on_known_error,
    RequestValidationError: _on_validation_error,
    HTTPException: _on_http_exception,
}
"""Every error is answered with a problem."""
