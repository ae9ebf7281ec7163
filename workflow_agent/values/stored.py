"""What every stored value shares: frozen, closed, and times as UTC milliseconds."""

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer, WithJsonSchema

JsonObject = dict[str, Any]


class Value(BaseModel):
    """A frozen value that refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True)

    def as_plain(self) -> JsonObject:
        """Return it as JSON data, by its aliases and without what is at its default."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def iso_milliseconds(moment: datetime) -> str:
    """Return a moment as ISO 8601 in UTC, with milliseconds and `Z`."""
    at = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return f"{at.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def _in_milliseconds(moment: datetime) -> datetime:
    """Cut to what is written, so that a value equals itself after a save and a load."""
    if moment.tzinfo is UTC and moment.microsecond % 1000 == 0:
        return moment
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).replace(microsecond=aware.microsecond // 1000 * 1000)


_Written = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
Moment = Annotated[
    datetime,
    AfterValidator(_in_milliseconds),
    PlainSerializer(iso_milliseconds, return_type=_Written, when_used="json"),
]
"""A point in time, kept and written in UTC with millisecond precision."""
