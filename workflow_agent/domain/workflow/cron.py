"""Times that come round again, as five-field cron expressions."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

_CRON_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_CRON_NAMES = {
    3: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
    4: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
}
_CRON_PART = re.compile(r"(?:\*|([0-9a-z]{1,3})(?:-([0-9a-z]{1,3}))?)(?:/(\d{1,3}))?")


def _cron_value(text: str, field: int) -> int | None:
    names = _CRON_NAMES.get(field, [])
    if text in names:
        return names.index(text) + (1 if field == 3 else 0)
    return int(text) if text.isdigit() else None


def _cron_part_is_valid(part: str, field: int) -> bool:
    match = _CRON_PART.fullmatch(part)
    if match is None or match[3] == "0":
        return False
    low, high = _CRON_RANGES[field]
    bounds = [_cron_value(text, field) for text in (match[1], match[2]) if text is not None]
    return all(value is not None and low <= value <= high for value in bounds)


def cron_problem(cron: str) -> str | None:
    """Return what is wrong with a five-field cron expression, or None."""
    fields = cron.lower().split()
    if len(fields) != 5:
        return f"{cron!r} has {len(fields)} fields; cron takes five: minute hour day month weekday"
    for position, text in enumerate(fields):
        if not all(_cron_part_is_valid(part, position) for part in text.split(",")):
            low, high = _CRON_RANGES[position]
            return f"{text!r} is not valid in field {position + 1} of {cron!r} ({low} to {high})"
    return None


def _checked_cron(cron: str) -> str:
    if problem := cron_problem(cron):
        raise ValueError(problem)
    return cron


Cron = Annotated[
    str,
    AfterValidator(_checked_cron),
    StringConstraints(max_length=200),
    Field(json_schema_extra={"pattern": r"^\s*[0-9A-Za-z*,/-]+(\s+[0-9A-Za-z*,/-]+){4}\s*$"}),
]
