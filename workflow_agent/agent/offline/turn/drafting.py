"""What the conversation needs from whoever reads descriptions of work."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol


class Drafted(Protocol):
    """A workflow read from a description."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the description left open and how it was filled in, in readable sentences."""
        ...

    @property
    def left_out(self) -> tuple[str, ...]:
        """What of the description is not drawn because there is too much of it, in readable sentences."""
        ...

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `create_workflow`."""
        ...


class Drafting(Protocol):
    """Reads descriptions: whole workflows, single steps, triggers, lengths of time."""

    def draft_workflow(self, text: str) -> Drafted | None:
        """Return the workflow a text describes, or None when it describes none."""
        ...

    def tells_work(self, text: str) -> Literal["surely", "perhaps", ""]:
        """Return whether a text that asks for nothing tells how work is done."""
        ...

    def usual_process(self, text: str) -> str | None:
        """Return the name of the well-known process that a text speaks of, or None."""
        ...

    def parse_step(self, text: str) -> Mapping[str, Any] | None:
        """Return the step a phrase describes, as StepDraft fields, or None."""
        ...

    def parse_trigger(self, text: str) -> Mapping[str, Any] | None:
        """Return the trigger a phrase describes, or None."""
        ...

    def parse_duration(self, text: str) -> str | None:
        """Return the ISO 8601 duration a phrase names, or None."""
        ...
