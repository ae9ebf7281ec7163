"""What the instructions of a request say about the run: its mode, the open workflow, those met so far."""

import re
from dataclasses import dataclass

_MODE = re.compile(r"^Mode: (\w+)[ \t]*$", re.MULTILINE)
_OPEN = re.compile(r'^Open workflow: (wf_[a-z0-9_-]{1,61}) "(.{1,200}?)" \(version (\d{1,9})\)', re.MULTILINE)
_KNOWN_LINE = re.compile(r"^Workflows in this conversation: (.{1,20000})$", re.MULTILINE)
_KNOWN = re.compile(r'(wf_[a-z0-9_-]{1,61}) "(.{1,200}?)" \(([a-z]{1,40})(?:, turn (\d{1,9}))?\)(?=; wf_|$)')


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


def read_facts(instructions: str) -> Facts:
    """Return the facts that lines of the instructions state.

    Only a line that begins at the margin counts, and of several the first: what follows may quote documents.
    """
    mode = _MODE.search(instructions)
    opened = _OPEN.search(instructions)
    line = _KNOWN_LINE.search(instructions)
    known = _KNOWN.finditer(line[1]) if line else ()
    return Facts(
        mode=mode[1] if mode else "general",
        open=WorkflowRef(opened[1], opened[2]) if opened else None,
        known=tuple(WorkflowRef(m[1], m[2], m[3], int(m[4]) if m[4] else None) for m in known),
    )
