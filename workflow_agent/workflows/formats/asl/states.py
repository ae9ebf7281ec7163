"""What a state machine may look like: the fields of each type of state, in either query language."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from workflow_agent.workflows.formats.asl.choices import (
    CATCH,
    CHOICES,
    INPUT_PATH,
    REFERENCE,
    RESULT_PATH,
    RETRY,
    STATE_NAME,
    TEXT,
    TIMESTAMP,
    VALUE,
    expression,
    or_expression,
    payload,
    resource,
    template,
)
from workflow_agent.workflows.formats.plain import object_in, without
from workflow_agent.workflows.formats.shapes import (
    Place,
    Shape,
    anything,
    choice,
    fields_of,
    listed,
    mapped,
    number,
    one_kind,
    record,
)

TYPES = ("Task", "Pass", "Choice", "Wait", "Succeed", "Fail", "Parallel", "Map")
LANGUAGES = ("JSONPath", "JSONata")
_LANGUAGE = choice(*LANGUAGES)
STATE_NAME_CHARS = 80
FLOW = ("Next", "End")
INSIDE = ("Branches", "ItemProcessor", "Iterator")
_EVERY = ("Type", "Comment", "QueryLanguage")
_HANDLING = ("Retry", "Catch")
_PATHS = ("InputPath", "OutputPath")
_RESULT = ("ResultPath", "Parameters", "ResultSelector")
_MAP = (
    "ItemProcessor", "Iterator", "ItemSelector", "ItemReader", "ItemBatcher", "ResultWriter", "Label",
    "MaxConcurrency", "ToleratedFailureCount", "ToleratedFailurePercentage",
)  # fmt: skip
_ALLOWED: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "JSONPath": {
        "Task": (*FLOW, *_HANDLING, "Resource", *_PATHS, *_RESULT, "TimeoutSeconds", "TimeoutSecondsPath",
                 "HeartbeatSeconds", "HeartbeatSecondsPath", "Credentials", "Assign"),
        "Pass": (*FLOW, "Result", *_PATHS, "ResultPath", "Parameters", "Assign"),
        "Choice": ("Choices", "Default", *_PATHS, "Assign"),
        "Wait": (*FLOW, "Seconds", "SecondsPath", "Timestamp", "TimestampPath", *_PATHS, "Assign"),
        "Succeed": _PATHS,
        "Fail": ("Error", "Cause", "ErrorPath", "CausePath"),
        "Parallel": (*FLOW, *_HANDLING, "Branches", *_PATHS, *_RESULT, "Assign"),
        "Map": (*FLOW, *_HANDLING, *_MAP, "ItemsPath", "MaxConcurrencyPath", "ToleratedFailureCountPath",
                "ToleratedFailurePercentagePath", *_PATHS, *_RESULT, "Assign"),
    },
    "JSONata": {
        "Task": (*FLOW, *_HANDLING, "Resource", "Arguments", "Output", "TimeoutSeconds", "HeartbeatSeconds",
                 "Credentials", "Assign"),
        "Pass": (*FLOW, "Result", "Output", "Assign"),
        "Choice": ("Choices", "Default", "Output", "Assign"),
        "Wait": (*FLOW, "Seconds", "Timestamp", "Output", "Assign"),
        "Succeed": ("Output",),
        "Fail": ("Error", "Cause"),
        "Parallel": (*FLOW, *_HANDLING, "Branches", "Arguments", "Output", "Assign"),
        "Map": (*FLOW, *_HANDLING, *_MAP, "Items", "Output", "Assign"),
    },
}  # fmt: skip
_REQUIRED: Mapping[str, tuple[str, ...]] = {"Task": ("Resource",), "Choice": ("Choices",), "Parallel": ("Branches",)}
_EXACTLY_ONE: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "Wait": (("Seconds", "Timestamp", "SecondsPath", "TimestampPath"),),
    "Map": (("ItemProcessor", "Iterator"),),
}
_AT_MOST_ONE: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "Task": (("TimeoutSeconds", "TimeoutSecondsPath"), ("HeartbeatSeconds", "HeartbeatSecondsPath")),
    "Fail": (("Error", "ErrorPath"), ("Cause", "CausePath")),
    "Map": (
        ("Parameters", "ItemSelector"),
        ("ItemsPath", "Items"),
        ("MaxConcurrency", "MaxConcurrencyPath"),
        ("ToleratedFailureCount", "ToleratedFailureCountPath"),
        ("ToleratedFailurePercentage", "ToleratedFailurePercentagePath"),
    ),
}


def _machine_in(language: str, beside: Mapping[str, Shape]) -> Shape:
    def check(value: Any, place: Place) -> None:
        own: Any = object_in(value).get("QueryLanguage", language)
        states = mapped(
            state_shape(own if own in LANGUAGES else language),
            key=rf"[\s\S]{{1,{STATE_NAME_CHARS}}}",
            says=f"1 to {STATE_NAME_CHARS} characters long",
            least=1,
        )
        fields: Mapping[str, Shape] = {
            "Comment": TEXT,
            "StartAt": STATE_NAME,
            "States": states,
            "QueryLanguage": _LANGUAGE,
            **beside,
        }
        record(fields, required=["StartAt", "States"])(value, place)

    return check


_ROOT: Mapping[str, Shape] = {"Version": TEXT, "TimeoutSeconds": number(least=0, whole=True)}
root_rest_shape = record({**_ROOT, "QueryLanguage": _LANGUAGE})
"""What a machine has beside its comment and its states."""
branch_rest_shape = record({**_ROOT, "QueryLanguage": _LANGUAGE, "Comment": TEXT})
machine_shape = _machine_in("JSONPath", _ROOT)
"""Checks a whole state machine."""
_MODES = record({"Mode": choice("INLINE", "DISTRIBUTED"), "ExecutionType": choice("STANDARD", "EXPRESS")}, is_open=True)
processor_rest_shape = record({"QueryLanguage": _LANGUAGE, "Comment": TEXT, "ProcessorConfig": _MODES})


def _as_is(shape: Shape) -> Shape:
    return shape


_SECONDS = number(least=1, most=99_999_999, whole=True)
_COUNT = number(least=0, whole=True)
_PERCENTAGE = number(least=0, most=100)
_BYTES = number(least=0, most=262_144, whole=True)


def _item_fields(language: str) -> Mapping[str, Shape]:
    """Return what reads, batches and writes the items of a distributed Map."""
    is_path = language == "JSONPath"
    wrap = _as_is if is_path else or_expression
    given: Mapping[str, Shape] = {"Parameters": payload} if is_path else {"Arguments": template}
    batch: dict[str, Shape] = {
        "MaxItemsPerBatch": wrap(_COUNT),
        "MaxInputBytesPerBatch": wrap(_BYTES),
        "BatchInput": payload if is_path else template,
    }
    reading: dict[str, Shape] = {"MaxItems": wrap(number(least=1, whole=True)), **given}
    pairs = [("MaxItemsPerBatch", "MaxItemsPerBatchPath"), ("MaxInputBytesPerBatch", "MaxInputBytesPerBatchPath")]
    if is_path:
        batch |= {path: REFERENCE for _, path in pairs}
        reading["MaxItemsPath"] = REFERENCE
    config = record(reading, at_most_one=[("MaxItems", "MaxItemsPath")], is_open=True)
    return {
        "ItemReader": record({"Resource": resource, "ReaderConfig": config, **given}, required=["Resource"]),
        "ResultWriter": record({"Resource": resource, "WriterConfig": mapped(), **given}),
        "ItemBatcher": record(batch, at_most_one=pairs),
    }


@cache
def _fields(language: str) -> Mapping[str, Shape]:
    """Return the shape of every field that a state in this query language may have."""
    if language == "JSONata":
        wrap, data = or_expression, template
        own: dict[str, Shape] = {
            **fields_of(template, "Output Arguments Error Cause Credentials"),
            "Items": one_kind(list=template, text=expression, object=template),
            "Timestamp": or_expression(TIMESTAMP),
        }
    else:
        wrap, data = _as_is, payload
        own = {
            **fields_of(INPUT_PATH, "InputPath OutputPath"),
            "ResultPath": RESULT_PATH,
            **fields_of(payload, "Parameters ResultSelector"),
            **fields_of(TEXT, "Error Cause"),
            **fields_of(VALUE, "ItemsPath ErrorPath CausePath"),
            "Credentials": one_kind(object=payload),
            "Timestamp": TIMESTAMP,
            **fields_of(REFERENCE, "SecondsPath TimestampPath TimeoutSecondsPath HeartbeatSecondsPath"),
            **fields_of(REFERENCE, "MaxConcurrencyPath ToleratedFailureCountPath ToleratedFailurePercentagePath"),
        }
    return {
        "Type": choice(*TYPES),
        **fields_of(TEXT, "Comment Label"),
        "QueryLanguage": _LANGUAGE,
        **fields_of(STATE_NAME, "Next Default"),
        "End": choice(True),
        "Resource": resource,
        "Result": anything,
        "Retry": RETRY,
        "Catch": CATCH[language],
        **fields_of(wrap(_SECONDS), "TimeoutSeconds HeartbeatSeconds"),
        "Seconds": wrap(number(least=0)),
        "Choices": CHOICES[language],
        "Assign": one_kind(object=data),
        "ItemSelector": data,
        **fields_of(wrap(_COUNT), "MaxConcurrency ToleratedFailureCount"),
        "ToleratedFailurePercentage": wrap(_PERCENTAGE),
        "Branches": listed(_machine_in(language, _ROOT)),
        **fields_of(_machine_in(language, {"ProcessorConfig": _MODES}), "ItemProcessor Iterator"),
        **_item_fields(language),
        **own,
    }


def state_shape(language: str) -> Shape:
    """Return the shape of a state whose machine has this query language."""

    def check(value: Any, place: Place) -> None:
        state = object_in(value)
        kind, own = state.get("Type"), state.get("QueryLanguage", language)
        if kind in TYPES and own in LANGUAGES:
            _record_of(kind, own)(value, place)
            heartbeat, timeout = state.get("HeartbeatSeconds"), state.get("TimeoutSeconds")
            if isinstance(heartbeat, int) and isinstance(timeout, int) and heartbeat >= timeout:
                (place / "HeartbeatSeconds").refuse(f"must be less than TimeoutSeconds ({timeout}), got {heartbeat}")
        else:
            _TYPED(value, place)

    return check


_TYPED = record({"Type": choice(*TYPES), "QueryLanguage": _LANGUAGE}, required=["Type"], is_open=True)


def _fields_of_state(kind: str, language: str) -> Mapping[str, Shape]:
    shapes = _fields(language)
    return {name: shapes[name] for name in (*_EVERY, *_ALLOWED[language][kind])}


@cache
def content_shape(kind: str, language: str) -> Shape:
    """Return the shape of a state of this type without what follows it and what is inside it."""
    fields = without(_fields_of_state(kind, language), *FLOW, "Choices", "Default", "Catch", *INSIDE)
    return record(fields, at_most_one=_AT_MOST_ONE.get(kind, ()))


@cache
def _record_of(kind: str, language: str) -> Shape:
    fields = _fields_of_state(kind, language)
    return record(
        fields,
        required=_REQUIRED.get(kind, ()),
        exactly_one=(*_EXACTLY_ONE.get(kind, ()), *([FLOW] if "Next" in fields else [])),
        at_most_one=_AT_MOST_ONE.get(kind, ()),
    )
