"""Turning ordinary words into workflows, steps, triggers and lengths of time, by rules."""

import re
from typing import Any

from workflow_agent.agent.offline.drafting.actors import Memory
from workflow_agent.agent.offline.drafting.durations import duration_at
from workflow_agent.agent.offline.drafting.phrases import keywords
from workflow_agent.agent.offline.drafting.reading import read_clauses
from workflow_agent.agent.offline.drafting.repeated import draft_with_loops
from workflow_agent.agent.offline.drafting.results import Draft
from workflow_agent.agent.offline.drafting.schedules import schedule_at
from workflow_agent.agent.offline.drafting.statements import Task
from workflow_agent.agent.offline.drafting.telling import tells_work
from workflow_agent.agent.offline.drafting.tokens import Token, clean, lows, tokens_of
from workflow_agent.agent.offline.drafting.topics import topic_of
from workflow_agent.agent.offline.drafting.triggers import event_trigger
from workflow_agent.domain.values import JsonObject

__all__ = [
    "Draft", "draft_workflow", "parse_duration", "parse_schedule", "parse_step", "parse_trigger",
    "tells_work", "usual_process",
]  # fmt: skip

_MAX_PHRASE_CHARS = 2_000
_STEP_LEAD = re.compile(
    r"^\s*(?:(?:an?|the|another|one|new|extra|additional|further)\s+)*(?:step|task|stage)\s*"
    r"(?:where|in which|that|which|for|to|called|named|:)\s*(?:says\s+)?",
    re.IGNORECASE,
)
_MANUAL_WORDS = frozenset({"manual", "manually", "hand", "demand"})


def draft_workflow(text: str) -> Draft | None:
    """Return the workflow a text describes, or None when it does not describe a process."""
    return draft_with_loops(text, parse_step)


def usual_process(text: str) -> str | None:
    """Return the name of the well-known process that a text speaks of, or None."""
    topic = topic_of(keywords(lows(_tokens(text))))
    return None if topic is None else topic.name


def parse_duration(text: str) -> str | None:
    """Return the first length of time in a text as ISO 8601 ("two days" is `P2D`), or None."""
    words = _words(text)
    found = (duration_at(words[at : at + 16], 0) for at in range(len(words)))
    return next((length[0] for length in found if length is not None), None)


def parse_schedule(text: str) -> JsonObject | None:
    """Return the first recurring time in a text as a schedule trigger, or None.

    Without a time of day it is 9:00; without a time zone UTC.
    """
    words = _words(text)
    found = (schedule_at(words[at : at + 16], 0) for at in range(len(words)))
    return next((schedule[0] for schedule in found if schedule is not None), None)


def parse_trigger(text: str) -> JsonObject | None:
    """Return the trigger a phrase describes: a schedule, an event ("when an invoice arrives"), or None."""
    schedule = parse_schedule(text)
    if schedule is not None:
        return schedule
    tokens = _tokens(text)
    words = lows(tokens)
    if not _MANUAL_WORDS.isdisjoint(words):
        return {"type": "manual"}
    at = next(
        (
            at
            for at, word in enumerate(words)
            if word in ("when", "whenever", "once", "if", "after", "upon", "on")
        ),
        None,
    )
    said = tokens[at + 1 :] if at is not None else tokens
    trigger = event_trigger(said) if said else None
    if trigger is None or (at is None and trigger.get("event", "").endswith(".received")):
        return None
    return trigger


def parse_step(text: str) -> JsonObject | None:
    """Return the step a phrase describes, in the shape of a step document without its id, or None."""
    said = read_clauses(_tokens(_STEP_LEAD.sub("", text)), Memory(), is_item=True)
    task = next((statement for statement in said if isinstance(statement, Task)), None)
    if task is None:
        return None
    step: dict[str, Any] = {"name": task.name, "type": task.type}
    return step | ({"assignee": task.assignee} if task.assignee else {}) | task.fields


def _tokens(text: str) -> list[Token]:
    return tokens_of(clean(text[:_MAX_PHRASE_CHARS]))


def _words(text: str) -> list[str]:
    """Return the lower-case words of a phrase, times still in pieces."""
    return [
        word
        for token in _tokens(text)
        for word in (token.low.split() if token.kind != "word" else [token.low])
    ]
