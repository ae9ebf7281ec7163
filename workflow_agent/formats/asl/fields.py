"""Which fields each type of state has, in either query language."""

from collections.abc import Mapping

TYPES = ("Task", "Pass", "Choice", "Wait", "Succeed", "Fail", "Parallel", "Map")
LANGUAGES = ("JSONPath", "JSONata")
STATE_NAME_CHARS = 80
FLOW = ("Next", "End")
INSIDE = ("Branches", "ItemProcessor", "Iterator")
_EVERY = ("Type", "Comment", "QueryLanguage")
_HANDLING = ("Retry", "Catch")
_MAP = (
    "ItemProcessor", "Iterator", "ItemSelector", "ItemReader", "ItemBatcher", "ResultWriter", "Label",
    "MaxConcurrency", "ToleratedFailureCount", "ToleratedFailurePercentage",
)  # fmt: skip
_ALLOWED: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "JSONPath": {
        "Task": (*FLOW, *_HANDLING, "Resource", "InputPath", "OutputPath", "ResultPath", "Parameters",
            "ResultSelector",
                 "TimeoutSeconds", "TimeoutSecondsPath", "HeartbeatSeconds", "HeartbeatSecondsPath",
                 "Credentials", "Assign"),
        "Pass": (*FLOW, "Result", "InputPath", "OutputPath", "ResultPath", "Parameters", "Assign"),
        "Choice": ("Choices", "Default", "InputPath", "OutputPath", "Assign"),
        "Wait": (*FLOW, "Seconds", "SecondsPath", "Timestamp", "TimestampPath", "InputPath", "OutputPath",
            "Assign"),
        "Succeed": ("InputPath", "OutputPath"),
        "Fail": ("Error", "Cause", "ErrorPath", "CausePath"),
        "Parallel": (*FLOW, *_HANDLING, "Branches", "InputPath", "OutputPath", "ResultPath", "Parameters",
                     "ResultSelector", "Assign"),
        "Map": (*FLOW, *_HANDLING, *_MAP, "ItemsPath", "MaxConcurrencyPath", "ToleratedFailureCountPath",
                "ToleratedFailurePercentagePath", "InputPath", "OutputPath", "ResultPath", "Parameters",
                "ResultSelector", "Assign"),
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
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "Task": ("Resource",),
    "Choice": ("Choices",),
    "Parallel": ("Branches",),
}
EXACTLY_ONE: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "Wait": (("Seconds", "Timestamp", "SecondsPath", "TimestampPath"),),
    "Map": (("ItemProcessor", "Iterator"),),
}
AT_MOST_ONE: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "Task": (("TimeoutSeconds", "TimeoutSecondsPath"), ("HeartbeatSeconds", "HeartbeatSecondsPath")),
    "Fail": (("Error", "ErrorPath"), ("Cause", "CausePath")),
    "Map": (
        ("Parameters", "ItemSelector"), ("ItemsPath", "Items"), ("MaxConcurrency", "MaxConcurrencyPath"),
        ("ToleratedFailureCount", "ToleratedFailureCountPath"),
        ("ToleratedFailurePercentage", "ToleratedFailurePercentagePath"),
    ),
}  # fmt: skip


def allowed_fields(kind: str, language: str) -> tuple[str, ...]:
    """Return the fields a state of this type may have."""
    return (*_EVERY, *_ALLOWED[language][kind])
