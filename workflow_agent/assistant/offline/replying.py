"""What the offline model does next: everything that its rules are, behind one function."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic_ai.messages import ModelMessage, UserPromptPart
from pydantic_ai.models import ModelRequestParameters

from workflow_agent.assistant.offline.answering import next_of
from workflow_agent.assistant.offline.turn.outcome import Call
from workflow_agent.assistant.offline.turn.reading import parts_in, read_turn
from workflow_agent.values.stored import JsonObject

Reply = str | Sequence[tuple[str, JsonObject]]
"""A text, or tools and their arguments."""
Replying = Callable[[Sequence[ModelMessage], str, ModelRequestParameters], Reply]
"""Gives the reply to messages, under instructions, with what a request offers."""


def reply(messages: Sequence[ModelMessage], instructions: str, parameters: ModelRequestParameters) -> Reply:
    """Return the reply to messages, under instructions, with what a request offers."""
    for output in parameters.output_tools:
        if is_summary(output.parameters_json_schema):
            return [(output.name, summary_of(messages))]
    tools = frozenset(tool.name for tool in parameters.declared_function_tools)
    outcome = next_of(read_turn(messages, instructions, tools))
    if not isinstance(outcome, Call):
        return outcome.text
    return [(call.tool, dict(call.args)) for call in (outcome, *outcome.beside)]


_FRAME = re.compile(r"<(summary_so_far|turns)>\n(.*?)\n</\1>", re.DOTALL)
_SAID = re.compile(r"\[turn (\d{1,9})\] user: (.{1,400})")
_DID = re.compile(r"^\[did\] (.{1,500})$", re.MULTILINE)
_LIST = re.compile(r"^(Decided|Done|Open questions|Preferences and standing instructions|Names):$")
_FIELDS = {
    "Decided": "decisions",
    "Done": "done",
    "Open questions": "open_questions",
    "Preferences and standing instructions": "preferences",
    "Names": "names",
}
_TOPIC_CHARS = 60
_MOST_TOPICS = 6
_MOST_DEEDS = 12


def is_summary(schema: Mapping[str, Any]) -> bool:
    """Say whether what a request wants in return is a summary."""
    return {"decisions", "open_questions", "text"} <= set(schema.get("properties", ()))


def summary_of(messages: Sequence[ModelMessage]) -> dict[str, Any]:
    """Return the arguments of the summary that a request of the summariser asks for."""
    prompts = (part.content for part in parts_in(messages, UserPromptPart))
    text = next((one for one in prompts if isinstance(one, str)), "")
    frames = {match[1]: match[2] for match in _FRAME.finditer(text)}
    told: dict[str, Any] = _read(frames.get("summary_so_far", ""))
    turns = frames.get("turns", "")
    deeds = [deed for line in _DID.findall(turns) for deed in line.split("; ")]
    told["done"] = list(dict.fromkeys([*told.get("done", []), *deeds]))[-_MOST_DEEDS:]
    topics = [_shortened(said) for _, said in _SAID.findall(turns)]
    before = [one for one in str(told.get("text", "")).removeprefix("Talked about: ").rstrip(".").split(" | ") if one]
    told["text"] = f"Talked about: {' | '.join([*before, *topics][-_MOST_TOPICS:])}."
    return told


def _read(summary: str) -> dict[str, Any]:
    """Return an earlier summary as its fields again."""
    told: dict[str, Any] = {}
    field = ""
    for line in summary.splitlines():
        title = _LIST.match(line)
        if title:
            field = _FIELDS[title[1]]
            told[field] = []
        elif field and line.startswith("- "):
            told[field].append(line[2:])
        elif not field and line != "none":
            told["text"] = line
    return told


def _shortened(text: str) -> str:
    first = " ".join(text.replace("|", "/").split())
    return first if len(first) <= _TOPIC_CHARS else first[:_TOPIC_CHARS].rsplit(" ", 1)[0] + "…"
