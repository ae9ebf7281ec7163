"""What a skill asks for and gives back: tool calls, replies, the offers they end with and how those are taken up."""

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workflow_agent.assistant.offline.references import Candidate
from workflow_agent.assistant.offline.request import ordinal_of, phrase_score
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


_MOST_CHARS = 120
_FRAME = re.compile(
    r"^(?:no,? |yes,? |please |i mean(?:t)? |the |number |no\. |#|option |in |that's |it's |take |use "
    r"|go with )+| (?:one|"
    r"please|step|workflow)$",
    re.IGNORECASE,
)
_FIX = re.compile(
    r"(?:(?:fix|apply|do|only|just|yes,?|the|number|no\.?|#)\s+)*((?:(?:\d{1,2}|first|second|third|"
    r"fourth|fifth)(?:\s*(?:,|and|&)\s*|\s+(?:one)?\s*)?)+)(?:\s*(?:one|only|please|first))?",
    re.IGNORECASE,
)
_SURE = 0.6


def picked(text: str, choice: Choice) -> str | None:
    """Return the id of the candidate a message picks, or None when it picks none."""
    plain = " ".join(text[: _MOST_CHARS * 2].split()).rstrip(" .!?,")
    if len(plain) > _MOST_CHARS:
        return None
    while (shorter := _FRAME.sub("", plain).strip()) and shorter != plain:
        plain = shorter
    word = plain.lower()
    number = ordinal_of(word)
    if word in ("last", "latter"):
        number = len(choice.candidates)
    if word == "other" and len(choice.candidates) == 2:
        number = 2
    if number is not None:
        return choice.candidates[number - 1].id if 0 < number <= len(choice.candidates) else None
    return _by_name(plain, choice.candidates)


def _by_name(plain: str, candidates: tuple[Candidate, ...]) -> str | None:
    exact = [item.id for item in candidates if plain.lower() in (item.id, item.name.lower())]
    if exact:
        return exact[0]
    scored = sorted(((phrase_score(plain, [item.name]), item.id) for item in candidates), reverse=True)
    if not scored or scored[0][0] < _SURE or (len(scored) > 1 and scored[1][0] > scored[0][0] - 0.05):
        return None
    return scored[0][1]


def picked_numbers(text: str) -> str | None:
    """Return the numbers a message like "fix 1 and 3" names, or None."""
    match = _FIX.fullmatch(" ".join(text[:_MOST_CHARS].split()).rstrip(".! "))
    return match[1].strip() if match and len(text) <= _MOST_CHARS else None


def fixes_offered(workflow: Candidate, findings: Sequence[Mapping[str, Any]]) -> Proposal | None:
    """Return the fixes of findings as an offer, numbered as the findings are; None when none has a fix."""
    groups = tuple(tuple(item.get("fix") or ()) for item in findings)
    return Proposal(workflow, groups) if any(groups) else None
