"""Errors in OpenAI's shape, which its clients turn into typed exceptions."""

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, cast

from workflow_agent.errors import NotFound

PREFIX = "/v1/"
OPENAI_ADDRESSES = "Under /v1 there are models, chat/completions, responses and conversations."
_INVALID = "invalid_request_error"
_CODES = {"unauthorized": "invalid_api_key"}
_TYPES = {
    HTTPStatus.UNAUTHORIZED: _INVALID,
    HTTPStatus.FORBIDDEN: "permission_error",
    HTTPStatus.CONFLICT: "conflict_error",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
}
_MOST_WAITED_SECONDS = 60
"""Official clients wait no longer, and try at once where they are told to."""
_UNREAD = "We could not parse the JSON body of your request."
_LENGTHS: Mapping[str, tuple[str, str, str, str]] = {
    "too_short": ("short", "minimum", "empty_array", "min_length"),
    "too_long": ("long", "maximum", "array_above_max_length", "max_length"),
}
"""By the validator's kind of error: how long a list is, of which bound, OpenAI's code, and where the bound stands."""


class ModelNotFound(NotFound, code="model_not_found"):
    """No model has this name; the caller picks one of the list."""


class ResponseNotFound(NotFound, code="response_not_found"):
    """No response has this id; the caller looks for the right one."""


def is_openai_path(path: str) -> bool:
    """Say whether a path is answered in OpenAI's shape."""
    return path.startswith(PREFIX)


def openai_status(status: int) -> int:
    """Return the status OpenAI would answer with: its clients know 400 for every invalid request."""
    return HTTPStatus.BAD_REQUEST if status == HTTPStatus.UNPROCESSABLE_ENTITY else status


def openai_error(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Return a problem document as an `error` object with all four members."""
    status = openai_status(problem["status"])
    fallback = "server_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else _INVALID
    code = problem.get("openai_code", problem["code"])
    is_unread = problem["code"] == "invalid_input" and "offset" in problem
    return {
        "error": {
            "message": f"{_UNREAD} {problem['detail']}" if is_unread else problem["detail"],
            "type": _TYPES.get(HTTPStatus(status), fallback),
            "param": _parameter(problem),
            "code": None if is_unread else _CODES.get(code, code),
        }
    }


def retry_headers(problem: Mapping[str, Any]) -> dict[str, str]:
    """Return whether official clients should send the request again, where their own rule would be wrong.

    They retry on 408, 409, 429 and 5xx. A conversation that is busy stays busy for as long as its run
    takes, a day's limit is not free again within seconds, and a provider's refusal for good is not mended by
    asking again.
    """
    status = problem["status"]
    if status == HTTPStatus.TOO_MANY_REQUESTS and problem.get("retry_after", 0) > _MOST_WAITED_SECONDS:
        return {"x-should-retry": "false"}
    if status == HTTPStatus.CONFLICT or (status == HTTPStatus.BAD_GATEWAY and not problem.get("retriable")):
        return {"x-should-retry": "false"}
    return {}


_KINDS: Mapping[str, str] = {
    "str": "a string",
    "string": "a string",
    "bool": "a boolean",
    "list": "an array",
    "dict": "an object",
    "model_attributes": "an object",
    "model": "an object",
    "int": "an integer",
    "NoneType": "null",
}
"""By the name of a type in Python, or in a kind of error of the validator."""


def kind_of(value: object) -> str:
    """Return what a JSON value is, as OpenAI names it."""
    return _KINDS.get(type(value).__name__, "a decimal")


def refusal_of(error: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return an error of validation and its code as OpenAI has both; None where it has no words for it."""
    where, *path = error["loc"]
    if where != "body" or not path:
        return None
    name = _written([str(part) for part in path])
    kind, given = str(error["type"]), error.get("input")
    if kind == "missing":
        return f"Missing required parameter: '{name}'.", "missing_required_parameter"
    if (wanted := _KINDS.get(kind.removesuffix("_type"))) and kind.endswith("_type"):
        return f"Invalid type for '{name}': expected {wanted}, but got {kind_of(given)} instead.", "invalid_type"
    if kind == "literal_error" and isinstance(given, str):
        valid = str(error["ctx"]["expected"]).replace(" or ", ", and ")
        return f"Invalid value: '{given[:60]}'. Supported values are: {valid}.", "invalid_value"
    if kind in _LENGTHS and isinstance(given, list):
        length, wanted, code, limit = _LENGTHS[kind]
        listed = cast("list[object]", given)
        told = "an empty array" if not listed else f"an array with length {len(listed)}"
        bound = f"Expected an array with {wanted} length {error['ctx'][limit]}, but got {told} instead."
        return f"Invalid '{name}': {f'array too {length}' if listed else 'empty array'}. {bound}", code
    return None


def _parameter(problem: Mapping[str, Any]) -> str | None:
    """Return which parameter the first problem is about, as OpenAI writes it: `messages[0].content`."""
    if isinstance(named := problem.get("param"), str):
        return named
    problems: Sequence[Mapping[str, Any]] = problem.get("problems") or ({},)
    pointer = str(problems[0].get("pointer", ""))
    if pointer.startswith("header:"):
        return pointer.removeprefix("header:")
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:] if part]
    return _written(parts) or None


def _written(parts: Sequence[str]) -> str:
    written = "".join(f"[{part}]" if re.fullmatch(r"[0-9]+", part) else f".{part}" for part in parts)
    return written.removeprefix(".")
