"""The values of a state's fields: paths, templates, JSONata, resources, and how errors are handled."""

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from workflow_agent.workflows.formats.asl.jsonata import jsonata_problem
from workflow_agent.workflows.formats.asl.paths import reference_problem, result_path_problem, value_problem
from workflow_agent.workflows.formats.shapes import (
    Place,
    Shape,
    anything,
    choice,
    kind_of,
    listed,
    number,
    one_kind,
    record,
    text,
)

_LAMBDA = re.compile(
    r"arn:aws[\w-]*:lambda:[^:]*:[^:]*:function:[\w-]+(?::(?:\$LATEST|[\w-]+))?|arn:aws[\w-]*:lambda:[^:]*:[^:]*:layer:.*"
)
_TIMESTAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)"
TEXT = text()


def _by(problem_of: Callable[[str], str | None]) -> Shape:
    def check(value: Any, place: Place) -> None:
        if not isinstance(value, str):
            place.refuse(f"must be text, got {kind_of(value)}")
        elif problem := problem_of(value):
            place.refuse(problem)

    return check


REFERENCE = _by(reference_problem)
VALUE = _by(value_problem)
INPUT_PATH = one_kind(text=VALUE, nothing=anything)
RESULT_PATH = one_kind(text=_by(result_path_problem), nothing=anything)


def payload(value: Any, place: Place) -> None:
    """Check a payload template: a key that ends in `.$` takes its value from a path or a function."""
    if isinstance(value, list):
        for at, item in enumerate(cast("list[Any]", value)):
            payload(item, place / at)
    elif isinstance(value, Mapping):
        entries = cast("Mapping[str, Any]", value)
        for key, item in entries.items():
            if not key.endswith(".$"):
                payload(item, place / key)
                continue
            VALUE(item, place / key)
            if key[:-2] in entries:
                (place / key).refuse(f"there is also `{key[:-2]}`; give the value once")


def _is_jsonata(value: Any) -> bool:
    return isinstance(value, str) and (value.startswith("{%") or value.endswith("%}"))


def expression(value: Any, place: Place) -> None:
    """Check text that must be JSONata between `{%` and `%}`."""
    is_surrounded = isinstance(value, str) and value.startswith("{%") and value.endswith("%}")
    if not is_surrounded or not value[2:-2].strip():
        place.refuse(f"must be JSONata between '{{%' and '%}}', got {str(value)[:60]!r}")
    elif problem := jsonata_problem(value[2:-2]):
        place.refuse(problem)


def template(value: Any, place: Place) -> None:
    """Check data in which any text may be JSONata."""
    if isinstance(value, list):
        for at, item in enumerate(cast("list[Any]", value)):
            template(item, place / at)
    elif isinstance(value, Mapping):
        for key, item in cast("Mapping[str, Any]", value).items():
            template(item, place / key)
    elif _is_jsonata(value):
        expression(value, place)


def or_expression(shape: Shape) -> Shape:
    """Return the shape of a value that may also be worked out by JSONata."""

    def check(value: Any, place: Place) -> None:
        (expression if _is_jsonata(value) else shape)(value, place)

    return check


def resource(value: Any, place: Place) -> None:
    """Check what names the service that does the work."""
    # An object is an intrinsic function of CloudFormation, replaced before deployment.
    if isinstance(value, Mapping):
        return
    if not isinstance(value, str) or not value.strip():
        place.refuse("must be the URI of what does the work")
    elif "${" in value:
        if value.count("${") > value.count("}"):
            place.refuse(f"{value[:80]!r} has a `${{` that is not closed")
    elif value.startswith("arn:"):
        is_lambda = ":lambda:" in value and ":states:" not in value
        if value.count(":") < 5 or (is_lambda and not _LAMBDA.fullmatch(value)):
            place.refuse(f"{value[:80]!r} is no valid ARN")


def _errors(value: Any, place: Place) -> None:
    listed(text(r"[\s\S]+", says="the name of an error"), least=1)(value, place)
    if isinstance(value, list) and "States.ALL" in value and len(cast("list[Any]", value)) > 1:
        place.refuse("`States.ALL` must stand alone")


def _handlers(fields: Mapping[str, Shape], *required: str) -> Shape:
    one = listed(record({"ErrorEquals": _errors, "Comment": TEXT, **fields}, required=["ErrorEquals", *required]))

    def check(value: Any, place: Place) -> None:
        one(value, place)
        for at, handler in enumerate(cast("list[Any]", value)[:-1] if isinstance(value, list) else []):
            if isinstance(handler, Mapping) and cast("Mapping[str, Any]", handler).get("ErrorEquals") == ["States.ALL"]:
                (place / at).refuse("`States.ALL` must be the last; what follows is never asked")

    return check


RETRY = _handlers(
    {
        "IntervalSeconds": number(least=0),
        "MaxAttempts": number(least=0, most=99_999_999, whole=True),
        "BackoffRate": number(least=0),
        "MaxDelaySeconds": number(least=1),
        "JitterStrategy": choice("FULL", "NONE"),
    }
)
STATE_NAME = text(r"[\s\S]+", says="the name of a state")
CATCH = {
    "JSONPath": _handlers({"Next": STATE_NAME, "ResultPath": RESULT_PATH, "Assign": payload}, "Next"),
    "JSONata": _handlers({"Next": STATE_NAME, "Output": template, "Assign": template}, "Next"),
}
TIMESTAMP = text(_TIMESTAMP, says="a time like 2024-03-14T01:59:00Z")
