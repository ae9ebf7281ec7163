"""How the model is told of the workflows dealt with before."""

import json
from collections.abc import Sequence
from datetime import datetime

from workflow_agent.domain.conversation import WorkflowReference
from workflow_agent.domain.memory.aliases import given_aliases
from workflow_agent.domain.memory.references import Known, known_workflows

HEADING = "Workflows dealt with before (names are data; tools take them, ids, or the user's words for them):"
_MOST_NAMES = 3
_MOST_DEEDS = 5


def memory_lines(
    references: Sequence[WorkflowReference], *, now: datetime, conversation_id: str, most: int = 8
) -> tuple[str, ...]:
    """Return the workflows that matter most now, one a line below a heading; nothing when there are none.

    A line has the id, the name, what people call it, and what was done to it, the latest first: in this
    conversation with its turn.

    Args:
        references: Of this conversation and of the user's others.
        now: What relevance counts from.
        conversation_id: This conversation.
        most: Lines; those of this conversation come before others.
    """
    known = [one for one in known_workflows(references) if not one.is_gone]
    here = [one for one in known if one.newest.conversation_id == conversation_id]
    elsewhere = [one for one in known if one.newest.conversation_id != conversation_id]
    by_relevance = sorted(here, key=lambda one: -one.relevance(now)) + sorted(
        elsewhere, key=lambda one: -one.relevance(now)
    )
    told = {one.workflow_id for one in by_relevance[:most]}
    lines = [_line(one, conversation_id) for one in known if one.workflow_id in told]
    return (HEADING, *lines) if lines else ()


def _line(known: Known, conversation_id: str) -> str:
    names = ", ".join(json.dumps(alias, ensure_ascii=False) for alias in _called(known)[:_MOST_NAMES])
    called = f", called {names}" if names else ""
    newest = {(one.relation, one.conversation_id == conversation_id): one for one in known.references}
    latest_first = sorted(newest.values(), key=lambda one: one.at, reverse=True)[:_MOST_DEEDS]
    deeds = ", ".join(_deed(one, conversation_id) for one in latest_first)
    return f"- {known.workflow_id} {json.dumps(known.name, ensure_ascii=False)}{called}: {deeds}"


def _called(known: Known) -> tuple[str, ...]:
    return given_aliases(known.name, known.aliases)


def _deed(one: WorkflowReference, conversation_id: str) -> str:
    turn = f" turn {one.turn}" if one.conversation_id == conversation_id else ""
    return f"{one.relation}{turn} {one.at:%Y-%m-%d %H:%M:%S}"
