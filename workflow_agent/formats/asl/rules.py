"""The shape of what a Choice state asks, in either query language."""

from collections.abc import Mapping
from typing import Any, cast

from workflow_agent.formats.asl.values import (
    REFERENCE,
    STATE_NAME,
    TEXT,
    TIMESTAMP,
    expression,
    payload,
    template,
)
from workflow_agent.formats.shapes import Place, Shape, flag, listed, number, one_kind, record

_COMPARISONS = ("Equals", "LessThan", "GreaterThan", "LessThanEquals", "GreaterThanEquals")


def _comparison_shapes() -> dict[str, Shape]:
    found: dict[str, Shape] = {"StringMatches": TEXT}
    values: Mapping[str, Shape] = {
        "String": TEXT,
        "Numeric": number(),
        "Timestamp": TIMESTAMP,
    }
    for kind, shape in values.items():
        for comparison in _COMPARISONS:
            found[kind + comparison] = shape
            found[f"{kind}{comparison}Path"] = REFERENCE
    found |= {"BooleanEquals": flag, "BooleanEqualsPath": REFERENCE}
    return found | {
        f"Is{kind}": flag for kind in ("Null", "Present", "Numeric", "String", "Boolean", "Timestamp")
    }


_TESTS = _comparison_shapes()
_TOP_OF_RULE: Mapping[str, Shape] = {"Next": STATE_NAME, "Assign": payload, "Comment": TEXT}


def rule_shape(value: Any, place: Place) -> None:
    """Check a choice rule of JSONPath, without the fields that only an outermost one has."""
    _rule(value, place, {"Comment": TEXT})


def _rule(value: Any, place: Place, beside: Mapping[str, Shape], required: tuple[str, ...] = ()) -> None:
    nested: Mapping[str, Shape] = {
        "And": listed(rule_shape, least=1),
        "Or": listed(rule_shape, least=1),
        "Not": rule_shape,
    }
    if isinstance(value, Mapping) and not nested.keys().isdisjoint(cast("Mapping[str, Any]", value)):
        record({**nested, **beside}, required=required, exactly_one=[list(nested)])(value, place)
        return
    data_test = {"Variable": REFERENCE, **_TESTS, **beside}
    record(data_test, required=["Variable", *required], exactly_one=[list(_TESTS)])(value, place)


def _outer_rule(value: Any, place: Place) -> None:
    _rule(value, place, _TOP_OF_RULE, ("Next",))


CHOICES = {
    "JSONPath": listed(_outer_rule, least=1),
    "JSONata": listed(
        record(
            {
                "Condition": one_kind(text=expression, flag=flag),
                "Next": STATE_NAME,
                "Assign": template,
                "Output": template,
                "Comment": TEXT,
            },
            required=["Condition", "Next"],
        ),
        least=1,
    ),
}
