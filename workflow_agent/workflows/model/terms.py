"""What the fields of a workflow hold: ids, names, texts, lengths of time."""

from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, Field, StringConstraints, model_validator

from workflow_agent.values.stored import JsonObject

ID_PATTERN = r"^[a-z0-9][a-z0-9_-]{0,63}$"
WORKFLOW_ID_PATTERN = r"^wf_[a-z0-9_-]{1,61}$"
_NUMBERS_TEXT = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
NUMBERS = tuple(_NUMBERS_TEXT.split())
"""The whole numbers as they are spelled, from zero on."""
DURATION_PATTERN = r"^P(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?$"
"""ISO 8601 durations, each unit at most once; fractions only in seconds."""


def _checked_duration(duration: str) -> str:
    if duration.endswith(("P", "T")):
        raise ValueError(f"{duration!r} names no amount; an ISO 8601 duration is like P2D or PT15M")
    return duration


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank; give it at least one visible character")
    return text


Id = Annotated[str, StringConstraints(pattern=ID_PATTERN)]
WorkflowId = Annotated[str, StringConstraints(pattern=WORKFLOW_ID_PATTERN)]
Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200),
    AfterValidator(_not_blank),
    Field(json_schema_extra={"pattern": r"\S"}),
]
Label = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Text = Annotated[str, StringConstraints(max_length=20_000)]
Duration = Annotated[
    str,
    StringConstraints(pattern=DURATION_PATTERN, max_length=64),
    AfterValidator(_checked_duration),
    Field(json_schema_extra={"not": {"pattern": "[PT]$"}}),
]


_Fields = TypeVar("_Fields", bound=BaseModel)


def exactly_one_of(one: str, other: str) -> Any:
    """Return a validator for values in which one of two fields is given, and not both."""

    def checked(value: _Fields) -> _Fields:
        if (getattr(value, one) is None) == (getattr(value, other) is None):
            raise ValueError(f"needs exactly one of `{one}` and `{other}`")
        return value

    return model_validator(mode="after")(checked)


def says(name: str) -> JsonObject:
    """Return the schema of objects in which a field says something."""
    return {"required": [name], "properties": {name: {"not": {"type": "null"}}}}


_MONTHS = "january february march april may june july august september october november december"
MONTHS = tuple(_MONTHS.split())
"""From January on, as people write them in small letters."""
WEEKDAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
"""From Sunday on, as cron counts them."""
