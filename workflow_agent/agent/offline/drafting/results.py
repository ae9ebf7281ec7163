"""What reading a description gives."""

from dataclasses import dataclass, field
from typing import Any

from workflow_agent.domain.values import JsonObject


@dataclass(frozen=True, slots=True)
class Draft:
    """A workflow read from a description, as the `create_workflow` tool takes it."""

    name: str
    description: str
    steps: tuple[JsonObject, ...]
    transitions: tuple[JsonObject, ...]
    start: str
    triggers: tuple[JsonObject, ...] = ()
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    understood: tuple[str, ...] = ()
    """What was read from the text, one readable sentence each."""
    assumptions: tuple[str, ...] = ()
    """What the text left open and how it was filled in, one readable sentence each."""
    left_out: tuple[str, ...] = ()
    """What of the text is not drawn because there is too much of it, one readable sentence each."""

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `create_workflow`."""
        return {
            "name": self.name,
            "description": self.description,
            "steps": [dict(step) for step in self.steps],
            "transitions": [dict(edge) for edge in self.transitions],
            "triggers": [dict(trigger) for trigger in self.triggers],
            "tags": list(self.tags),
            "aliases": list(self.aliases),
            "start": self.start,
        }


@dataclass(frozen=True, slots=True)
class Drawing:
    """A graph before it has a name."""

    steps: list[JsonObject]
    transitions: list[JsonObject]
    triggers: list[JsonObject]
    assumptions: list[str]
    thing: str = ""
    """What the work is about."""
    is_evident: bool = False
    """Its form alone (a list, arrows, branches, an event) says that a process is meant."""
    left_out: list[str] = field(default_factory=list[str])
    """What of the text is not drawn, as in `Draft`."""
