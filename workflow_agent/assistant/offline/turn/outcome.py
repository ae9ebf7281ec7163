"""Skills: the tool calls they ask for, their replies and offers, and running one against the results a turn holds."""

import json
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.patterns import number_of, phrase_score
from workflow_agent.assistant.offline.references import Candidate
from workflow_agent.assistant.offline.turn.reading import Exchange
from workflow_agent.assistant.offline.wording import shall_i_fix
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


def saying(text: str, offer: Offer | None = None) -> Skill:
    """Reply without a call."""
    yield from ()
    return Reply(text, offer)


_MOST_CHARS = 120
_FRAME = re.compile(
    r"^(?:no,? |yes,? |please |i mean(?:t)? |the |number |no\. |#|option |in |that's |it's |take |use |go with )+"
    r"| (?:one|please|step|workflow)$",
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
    number = number_of(word)
    if word in ("last", "latter"):
        number = len(choice.candidates)
    if word == "other" and len(choice.candidates) == 2:
        number = 2
    if number is not None:
        return choice.candidates[number - 1].id if 0 < number <= len(choice.candidates) else None
    return _by_name(plain, choice.candidates)


def _by_name(plain: str, candidates: tuple[Candidate, ...]) -> str | None:
    for item in candidates:
        if plain.lower() in (item.id, item.name.lower()):
            return item.id
    scored = sorted(((phrase_score(plain, [item.name]), item.id) for item in candidates), reverse=True)
    if not scored or scored[0][0] < _SURE or (len(scored) > 1 and scored[1][0] > scored[0][0] - 0.05):
        return None
    return scored[0][1]


def picked_numbers(text: str) -> str | None:
    """Return the numbers a message like "fix 1 and 3" names, or None."""
    match = _FIX.fullmatch(" ".join(text[:_MOST_CHARS].split()).rstrip(".! "))
    return match[1].strip() if match and len(text) <= _MOST_CHARS else None


def with_fixes(text: str, workflow: Mapping[str, Any], findings: Sequence[Mapping[str, Any]]) -> Reply:
    """Return a reply that offers the fixes of findings, numbered as the findings are, where one has a fix."""
    groups = tuple(tuple(item.get("fix") or ()) for item in findings)
    if not any(groups):
        return Reply(text)
    return Reply(f"{text}\n\n{shall_i_fix(findings)}", Proposal(Candidate(workflow["id"], workflow["name"]), groups))


_MODE_OF_TOOL = {
    **dict.fromkeys(("create_workflow", "copy_workflow", "import_workflow"), "creation"),
    **dict.fromkeys(
        ("edit_workflow", "undo_change", "fix_findings", "delete_workflow", "apply_preview"), "modification"
    ),
    **dict.fromkeys(("simulate_workflow", "compare_workflows", "validate_workflow"), "analysis"),
    **dict.fromkeys(("list_changes", "export_workflow", "search_history", "get_turn"), "analysis"),
}
"""The mode that offers each tool that not every mode has."""
_REASONS = {
    "creation": "The user asked for a new workflow",
    "modification": "The user asked for a change",
    "analysis": "The user asked to look closer",
}
_MOST_CALLS = 60
"""Past this many calls in one turn something goes in circles."""


@dataclass(frozen=True)
class _Recording:
    """The exchanges of a turn, consumed as the skill asks for them again; what was read last is read once."""

    exchanges: list[Exchange]
    read: dict[str, Exchange] = field(default_factory=dict[str, Exchange])

    def take(self, call: Call) -> Exchange | None:
        wanted = _key(call.tool, call.args)
        found = next((one for one in self.exchanges if _key(one.tool, one.args) == wanted), None)
        if found is None:
            return self.read.get(wanted)
        self.exchanges.remove(found)
        if call.tool == "get_workflow":
            self.read[wanted] = found
        else:
            # It may have changed what was read.
            self.read.clear()
        return found

    def last_switch(self) -> Exchange | None:
        """Return the last switch of mode, or None when none was tried."""
        return next((one for one in reversed(self.exchanges) if one.tool == "switch_mode"), None)


def _key(tool: str, args: Any) -> str:
    return tool + json.dumps(args, sort_keys=True, default=str)


def run_skill(skill: Skill, exchanges: Sequence[Exchange], tools: frozenset[str]) -> Call | Reply:
    """Return the next call a skill needs, or its reply when the messages hold every result it asked for.

    A skill that asks for a tool which the mode does not offer is given `switch_mode` first.
    """
    recording = _Recording(list(exchanges))
    try:
        call = next(skill)
        for _ in range(_MOST_CALLS):
            exchange = recording.take(call)
            if exchange is None:
                needed = _next_call(call, recording, tools)
                if isinstance(needed, Call):
                    return needed
                call = skill.throw(needed)
            elif exchange.failure is not None:
                call = skill.throw(ToolFailure(call.tool, exchange.failure))
            else:
                call = skill.send(exchange.result)
    except StopIteration as finished:
        return finished.value
    except Answered as answered:
        return answered.reply
    except ToolFailure as failure:
        return Reply(describe_failure(failure.tool, failure.message, offered=failure.offered))
    skill.close()
    return Reply("I went round in circles with that one and stopped. Could you ask for it in smaller pieces?")


def _next_call(call: Call, recording: _Recording, tools: frozenset[str]) -> Call | ToolFailure:
    """Return the call itself, the switch of mode it needs first, or why neither is possible."""
    if call.tool in tools:
        return call
    mode, switch = _MODE_OF_TOOL.get(call.tool), recording.last_switch()
    if mode is not None and switch is not None and (switch.failure is not None or switch.args["mode"] == mode):
        return ToolFailure(call.tool, switch.failure or "", offered=False)
    if mode is None or "switch_mode" not in tools:
        return ToolFailure(call.tool, "", offered=False)
    return Call("switch_mode", {"mode": mode, "reason": _REASONS[mode]})


_TRIED = {
    "list_workflows": "list the workflows",
    "search_workflows": "search the workflows",
    "create_workflow": "create the workflow",
    "validate_workflow": "validate the workflow",
    "export_workflow": "export the workflow",
    "copy_workflow": "copy the workflow",
    "compare_workflows": "compare the workflows",
    "delete_workflow": "delete the workflow",
    "get_workflow": "open that workflow",
    "edit_workflow": "make that change",
    "undo_change": "undo that",
    "analyze_workflow": "analyse the workflow",
    "draw_diagram": "draw the diagram",
    "compare_versions": "compare the versions",
    "import_workflow": "import that",
    "list_changes": "list the changes",
    "fix_findings": "fix the findings",
    "apply_preview": "do that",
    "search_history": "search the conversation",
    "get_turn": "look that turn up",
}
_WRITES = word_set("failures.writes")
_MOST_TOLD_CHARS = 600
_MODE_CHOSEN = re.compile(r"\bthe (request|conversation|agent) set the mode to '(\w+)'")
_WAYS_OUT = {
    "request": "the mode is set to {mode}, which changes nothing. Set it to auto and say it again.",
    "conversation": "this conversation is set to {mode}, which changes nothing. Set it to auto and say it again.",
    "agent": "I only do {mode}, which changes nothing. Ask another agent.",
}
REFUSED = re.compile(r"^Edit \d+ \(\w+\) was refused: ")


def describe_failure(tool: str, message: str, *, offered: bool) -> str:
    """Return what was tried, what the tool said, and that nothing changed where that matters."""
    tried = _TRIED.get(tool, f"use {tool}")
    said = REFUSED.sub("", " ".join(message.split()))[:_MOST_TOLD_CHARS]
    unchanged = " Nothing was changed." if tool in _WRITES and "Nothing was changed" not in said else ""
    if not offered and (plainly := _why_not_here(said)):
        return f"I can't {tried}: {plainly}{unchanged}"
    if not offered:
        why = f" Switching mode was refused: {said}" if said else " The tool for it is not available to me here."
        return f"I can't {tried} right now.{why}{unchanged}"
    why = said or "no reason was given."
    ended = "." if unchanged and not why.endswith((".", "!", "?")) else ""
    return f"I tried to {tried}, but it didn't work: {why}{ended}{unchanged}"


def _why_not_here(said: str) -> str:
    """Return what stands in the way of a change, and what to do; empty where a tool did not say that."""
    chosen = _MODE_CHOSEN.search(said)
    if chosen is not None:
        return _WAYS_OUT[chosen[1]].format(mode=chosen[2])
    if "the message asks a question" in said:
        return 'I took that for a question. If it was an order, say it as one, like "add a legal review".'
    return ""
