"""What every stored value shares: frozen, closed, and times as UTC milliseconds."""

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer

JsonObject = dict[str, Any]


class Value(BaseModel):
    """A frozen value that refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True)


def iso_milliseconds(moment: datetime) -> str:
    """Return a moment as ISO 8601 in UTC, with milliseconds and `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _in_milliseconds(moment: datetime) -> datetime:
    """Cut to what is written, so that a value equals itself after a save and a load."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).replace(microsecond=aware.microsecond // 1000 * 1000)


Moment = Annotated[
    datetime, AfterValidator(_in_milliseconds), PlainSerializer(iso_milliseconds, return_type=str, when_used="json")
]
"""A point in time, kept and written in UTC with millisecond precision."""
