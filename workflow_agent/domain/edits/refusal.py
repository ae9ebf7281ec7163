"""Why one operation cannot be applied, before it is known which of a list it is."""

from collections.abc import Iterable

_IDS_SHOWN = 50


class Refusal(Exception):
    """An operation does not fit the workflow.

    Args:
        message: What does not fit, with the offending value.
        valid: What would, usually ids.
    """

    def __init__(self, message: str, valid: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.valid = tuple(valid)[:_IDS_SHOWN]
