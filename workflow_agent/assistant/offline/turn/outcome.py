"""What a skill asks for and what it gives back: tool calls, replies, and the offers a reply may end with."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any

from workflow_agent.assistant.offline.references import Candidate
from workflow_agent.values.stored import JsonObject


@dataclass(frozen=True)
class Call:
    """A tool call a skill waits for."""

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    beside: tuple["Call", ...] = ()
    """Calls that the skill will wait for next, whatever this one gives; they are made with it."""


@dataclass(frozen=True)
class Choice:
    """The reply asked which of several things was meant; the answer settles `phrase` in `request`."""

    request: str
    phrase: str
    candidates: tuple[Candidate, ...]
    chosen: Mapping[str, str] = field(default_factory=dict[str, str])
    """What earlier questions about the same request settled."""


@dataclass(frozen=True)
class Completion:
    """The reply asked for what the request left out; the answer goes between these."""

    before: str
    after: str = ""


@dataclass(frozen=True)
class Proposal:
    """The reply proposed edits; yes applies them, a number or name picks among them."""

    workflow: Candidate
    groups: tuple[tuple[JsonObject, ...], ...]
    """Edits that belong together, in the order the reply numbered them."""


@dataclass(frozen=True)
class Suggestion:
    """The reply suggested a next request; yes stands for it."""

    request: str


Offer = Choice | Completion | Proposal | Suggestion


@dataclass(frozen=True)
class Reply:
    """What the person reads, and what a yes, a number or a name would answer."""

    text: str
    offer: Offer | None = None


class ToolFailure(Exception):
    """A tool could not be called or refused the call; the message is what it said."""

    def __init__(self, tool: str, message: str, *, offered: bool = True) -> None:
        super().__init__(message)
        self.tool = tool
        self.message = message
        self.offered = offered
        """False when the request did not offer the tool at all."""


class Answered(Exception):
    """Ends a skill early with its reply, from however deep."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.text)
        self.reply = reply


Skill = Generator[Call, Any, Reply]
"""Yields calls, is sent their results (or has ToolFailure thrown into it), returns the reply."""
