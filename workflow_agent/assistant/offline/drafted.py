"""What reading a description gives."""

from dataclasses import dataclass

from workflow_agent.values.stored import JsonObject


@dataclass(frozen=True, slots=True)
class Drafted:
    """A workflow read from a description."""

    arguments: JsonObject
    """Of `create_workflow`, the name included; "New workflow" stands for none."""
    name: str | None
    """Read from the description; None when none is a good phrase: the reply asks for one."""
    unread: tuple[str, ...] = ()
    """Content words of the description that belong to no part of the draft, as written, in their order."""
    undrawn: tuple[str, ...] = ()
    """Readable: each branch, number, deadline, loop or exception of the text that is not in the draft."""
    assumptions: tuple[str, ...] = ()
    """Readable: what was left open and how it was filled in."""
    unsure: tuple[str, ...] = ()
    """Readable: what is drawn and is often meant otherwise, so that it is shown first."""
