"""What the instructions of a request say about the run: its mode, the open workflow, those met so far."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import get_args

from workflow_agent.conversations.document import Relation, WorkflowReference
from workflow_agent.conversations.memory.references import HEADING

HERE = "here"
"""Stands for the id of the conversation, which the instructions do not say."""

_MODE = re.compile(r"^Mode: (\w+)[ \t]*$", re.MULTILINE)
_OPEN = re.compile(r'^Open workflow: (wf_[a-z0-9_-]{1,61}) "(.{1,200}?)" \(version (\d{1,9})\)', re.MULTILINE)
_TODAY = re.compile(r"^Today: (\d{4}-\d\d-\d\d) ", re.MULTILINE)
_PENDING = re.compile(r'^Preview waiting for a yes: ([a-z]+) (wf_[a-z0-9_-]{1,61}) "(.{1,200}?)"[ \t]*$', re.MULTILINE)
_STRING = r'"(?:[^"\\\n]|\\.){0,300}"'
_MEMORY = re.compile(rf"^{re.escape(HEADING)}\n((?:- .{{1,2000}}(?:\n|$)){{1,100}})", re.MULTILINE)
_KNOWN = re.compile(rf"- (wf_[a-z0-9_-]{{1,61}}) ({_STRING})(?:, called ({_STRING}(?:, {_STRING})*))?: (.{{1,500}})")
_DEED = re.compile(rf"({'|'.join(get_args(Relation))})(?: turn (\d{{1,9}}))? (\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d)")
_AGENT = re.compile(r"^You are the agent ([a-z0-9][a-z0-9_-]{0,63}): (.{0,500})$", re.MULTILINE)
_CONFIRMED = re.compile(r"^Offer of [a-z0-9_-]{1,64} confirmed by the user: (.{1,300})$", re.MULTILINE)
_OTHERS = re.compile(r"^Other agents: ([a-z0-9_, -]{1,2000})$", re.MULTILINE)


@dataclass(frozen=True)
class WorkflowRef:
    """A workflow somebody can mean: its id and its name."""

    id: str
    name: str
    change: str = ""
    """What was done to it in this conversation: created, viewed, ..."""
    turn: int | None = None


@dataclass(frozen=True)
class Facts:
    """The facts of one run."""

    mode: str = "general"
    open: WorkflowRef | None = None
    known: tuple[WorkflowRef, ...] = ()
    """What was done in this conversation, the workflow dealt with last first."""
    references: tuple[WorkflowReference, ...] = ()
    """What is remembered, of other conversations too."""
    agent: str = "assistant"
    about: str = ""
    """What that agent does."""
    agents: tuple[str, ...] = ()
    """Everybody there is."""
    today: date | None = None
    pending: WorkflowRef | None = None
    """The workflow of a preview that waits for a yes, and as its change what would be done."""
    confirmed: str = ""
    """What another agent offered, and the message says yes to."""


def read_facts(instructions: str) -> Facts:
    """Return the facts that lines of the instructions state.

    Only a line that begins at the margin counts, and of several the first: what follows may quote documents.
    """
    mode = _MODE.search(instructions)
    opened = _OPEN.search(instructions)
    today = _TODAY.search(instructions)
    pending = _PENDING.search(instructions)
    memory = _MEMORY.search(instructions)
    references = tuple(_references(memory[1])) if memory else ()
    me = _AGENT.search(instructions)
    others = _OTHERS.search(instructions)
    confirmed = _CONFIRMED.search(instructions)
    name = me[1] if me else "assistant"
    return Facts(
        agent=name,
        about=me[2] if me else "",
        agents=(name, *(others[1].split(", ") if others else ())),
        mode=mode[1] if mode else "general",
        open=WorkflowRef(opened[1], opened[2]) if opened else None,
        known=tuple(
            WorkflowRef(one.workflow_id, one.name, one.relation, one.turn)
            for one in references
            if one.conversation_id == HERE
        ),
        references=references,
        today=date.fromisoformat(today[1]) if today else None,
        confirmed=confirmed[1] if confirmed else "",
        pending=WorkflowRef(pending[2], pending[3], pending[1]) if pending else None,
    )


def _references(lines: str) -> Iterator[WorkflowReference]:
    for match in filter(None, map(_KNOWN.fullmatch, lines.splitlines())):
        aliases = json.loads(f"[{match[3] or ''}]")
        for relation, turn, at in _DEED.findall(match[4]):
            yield WorkflowReference(
                workflow_id=match[1],
                name=json.loads(match[2]),
                aliases=tuple(aliases),
                relation=relation,
                turn=int(turn or 0),
                conversation_id=HERE if turn else "elsewhere",
                at=datetime.fromisoformat(at).replace(tzinfo=UTC),
            )
