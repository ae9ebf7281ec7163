"""Choice rules and catchers as the conditions and errors of transitions, and back."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.asl.jsonata import jsonata_problem
from workflow_agent.workflows.formats.asl.paths import reference_problem, result_path_problem, value_problem
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.fidelity import kept_in
from workflow_agent.workflows.formats.plain import entries_in, list_in, object_in, without
from workflow_agent.workflows.formats.shapes import (
    Place,
    Shape,
    anything,
    choice,
    fields_of,
    flag,
    kind_of,
    listed,
    number,
    one_kind,
    problems_in,
    record,
    text,
)
from workflow_agent.workflows.model.parser import slug
from workflow_agent.workflows.model.transitions import Transition

_COMPARISONS = ("Equals", "LessThan", "GreaterThan", "LessThanEquals", "GreaterThanEquals")
_LAMBDA = re.compile(
    r"arn:aws[\w-]*:lambda:[^:]*:[^:]*:function:[\w-]+(?::(?:\$LATEST|[\w-]+))?|arn:aws[\w-]*:lambda:[^:]*:[^:]*:layer:.*"
)
_TIMESTAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)"
_ALL = ["States.ALL"]
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
    for key, item in entries_in(value):
        if not isinstance(key, str) or not key.endswith(".$"):
            payload(item, place / key)
            continue
        VALUE(item, place / key)
        if key[:-2] in value:
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
    for key, item in entries_in(value):
        template(item, place / key)
    if _is_jsonata(value):
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
    if "States.ALL" in list_in(value) and len(value) > 1:
        place.refuse("`States.ALL` must stand alone")


def _handlers(fields: Mapping[str, Shape], *required: str) -> Shape:
    one = listed(record({"ErrorEquals": _errors, "Comment": TEXT, **fields}, required=["ErrorEquals", *required]))

    def check(value: Any, place: Place) -> None:
        one(value, place)
        for at, handler in enumerate(list_in(value)[:-1]):
            if object_in(handler).get("ErrorEquals") == _ALL:
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


def _comparison_shapes() -> dict[str, Shape]:
    found: dict[str, Shape] = {"StringMatches": TEXT}
    values: Mapping[str, Shape] = {"String": TEXT, "Numeric": number(), "Timestamp": TIMESTAMP}
    for kind, shape in values.items():
        for comparison in _COMPARISONS:
            found[kind + comparison] = shape
            found[f"{kind}{comparison}Path"] = REFERENCE
    found |= {"BooleanEquals": flag, "BooleanEqualsPath": REFERENCE}
    return found | {f"Is{kind}": flag for kind in ("Null", "Present", "Numeric", "String", "Boolean", "Timestamp")}


_TESTS = _comparison_shapes()
_TOP_OF_RULE: Mapping[str, Shape] = {"Next": STATE_NAME, "Assign": payload, "Comment": TEXT}


def _rule(value: Any, place: Place, *, is_outer: bool = False) -> None:
    """Check a choice rule of JSONPath; only an outermost one leads somewhere."""
    beside, required = (_TOP_OF_RULE, ("Next",)) if is_outer else ({"Comment": TEXT}, ())
    nested: Mapping[str, Shape] = {"And": listed(_rule, least=1), "Or": listed(_rule, least=1), "Not": _rule}
    if nested.keys() & object_in(value).keys():
        record({**nested, **beside}, required=required, exactly_one=[list(nested)])(value, place)
        return
    data_test = {"Variable": REFERENCE, **_TESTS, **beside}
    record(data_test, required=["Variable", *required], exactly_one=[list(_TESTS)])(value, place)


CHOICES = {
    "JSONPath": listed(partial(_rule, is_outer=True), least=1),
    "JSONata": listed(
        record(
            {
                "Condition": one_kind(text=expression, flag=flag),
                "Next": STATE_NAME,
                **fields_of(template, "Assign Output"),
                "Comment": TEXT,
            },
            required=["Condition", "Next"],
        ),
        least=1,
    ),
}
_TIMEOUT = "States.Timeout"


def split_rule(rule: JsonObject) -> tuple[JsonObject, JsonObject]:
    """Return the condition of a choice rule, and what else it has."""
    if "Condition" in rule:
        return {"expression": rule["Condition"], "language": "jsonata"}, without(rule, "Next", "Condition")
    test = without(rule, "Next", "Assign", "Comment")
    return {"expression": test, "language": "asl"}, without(rule, "Next", *test)


def split_catcher(catcher: JsonObject) -> tuple[list[str], JsonObject]:
    """Return which errors a catcher is for, and what else it has."""
    errors = errors_of(catcher)
    kept = without(catcher, "Next", "ErrorEquals")
    named = catcher["ErrorEquals"]
    return errors, kept if error_names(errors) == named else {**kept, "ErrorEquals": named}


def errors_of(handler: Mapping[str, Any]) -> list[str]:
    """Return which errors a retrier or catcher is for; none stands for all."""
    names = [fit(str(name)) for name in handler.get("ErrorEquals", ())]
    return ["timeout" if name == _TIMEOUT else name for name in names if name and name not in _ALL]


def error_names(errors: Sequence[str]) -> list[str]:
    """Return the names the language has for these errors; `errors_of` reads them back."""
    return [_TIMEOUT if name == "timeout" else name for name in errors] or _ALL


def condition_language(ways: Sequence[Transition], otherwise: str) -> str:
    """Return the query language in which the conditions of these transitions are written."""
    for edge in ways:
        expression = edge.when.expression if edge.when else None
        if isinstance(expression, str) and expression.startswith("{%"):
            return "JSONata"
        if isinstance(expression, dict):
            return "JSONPath"
    return otherwise


def choices_of(ways: Sequence[Transition], names: Mapping[str, str], format_name: str, language: str) -> JsonObject:
    """Return the rules for these transitions; nothing where none has a condition."""
    guarded = [edge for edge in ways if edge.type == "condition" or edge.when or edge.action]
    if not guarded:
        return {}
    rules = [_made_rule(edge, names[edge.to], format_name, language) for edge in guarded]
    others = [edge for edge in ways if edge not in guarded]
    return {"Choices": rules, **({"Default": names[others[0].to]} if others else {})}


def _made_rule(edge: Transition, target: str, format_name: str, language: str) -> JsonObject:
    expression = edge.when.expression if edge.when else None
    if language == "JSONata":
        tested: JsonObject = {"Condition": expression}
    else:
        tested = object_in(expression)
    rule = {**tested, **kept_in(edge.extensions, format_name), "Next": target}
    if not problems_in([rule], CHOICES[language]):
        return rule
    # What is not in the language is asked of the input as a flag of that name.
    asked = slug((edge.when and edge.when.text) or edge.action or edge.label or target, fallback="condition")
    if language == "JSONata":
        return {"Condition": f"{{% $states.input.{asked} %}}", "Next": target}
    return {"Variable": f"$.{asked}", "BooleanEquals": True, "Next": target}


def catchers_of(
    failing: Sequence[Transition], names: Mapping[str, str], format_name: str, language: str
) -> list[JsonObject]:
    """Return the catchers for these error transitions, the one for all errors last."""
    found: list[JsonObject] = []
    for edge in sorted(failing, key=lambda one: not one.errors):
        kept = kept_in(edge.extensions, format_name)
        if "ErrorEquals" in kept and errors_of(kept) != list(edge.errors):
            kept = without(kept, "ErrorEquals")
        plain = {"ErrorEquals": error_names(edge.errors), "Next": names[edge.to]}
        whole = {**plain, **kept, "Next": names[edge.to]}
        found.append(plain if problems_in([whole], CATCH[language]) else whole)
    catch_all = next((at for at, one in enumerate(found) if one["ErrorEquals"] == _ALL), len(found))
    return found[: catch_all + 1]
