"""Which workflow a conversation is about, which others it met, and which step was spoken of last."""

import re
from collections.abc import Iterator
from typing import Any, cast

from workflow_agent.agent.offline.turn.facts import WorkflowRef
from workflow_agent.agent.offline.turn.outcome import Candidate
from workflow_agent.agent.offline.turn.reading import Exchange, PastTurn, Turn

_ABOUT_ONE = frozenset({
    "get_workflow", "create_workflow", "edit_workflow", "undo_change", "validate_workflow",
    "analyze_workflow", "draw_diagram", "compare_versions", "import_workflow", "copy_workflow",
    "export_workflow", "fix_findings", "delete_workflow", "apply_preview",
})  # fmt: skip
_LISTED = re.compile(r"^\s*(\d{1,3})\. (?:\*\*)?(.{1,200}?)(?:\*\*)? \(`([a-z0-9_-]{1,64})`", re.MULTILINE)
_TOLD_STEP = re.compile(r"\(`([a-z0-9][a-z0-9_-]{0,63})`\)")
_STEP_KEYS = ("step", "from", "before", "after")


def focus(turn: Turn) -> WorkflowRef | None:
    """Return the workflow that "it" means, or None when nothing says.

    What the last turns dealt with comes before the open workflow, unless another one was opened since.
    """
    gone = _deleted(turn)
    for past in reversed(turn.past):
        touched = last_touched(past)
        if touched is None or touched.id in gone:
            continue
        reopened = (
            past.facts is not None and past.facts.open != turn.facts.open and turn.facts.open is not None
        )
        return turn.facts.open if reopened else touched
    if turn.facts.open is not None:
        return turn.facts.open
    dated = sorted(turn.facts.known, key=lambda ref: ref.turn or 0)
    return dated[-1] if dated else None


def _deleted(turn: Turn) -> set[str]:
    """Return the ids of the workflows that were deleted in the turns before."""
    results = [exchange.result for past in turn.past for exchange in past.exchanges]
    deleted = [cast("dict[str, Any]", one).get("deleted") for one in results if isinstance(one, dict)]
    return {ref.id for one in deleted if (ref := _ref(one))}


def last_touched(past: PastTurn) -> WorkflowRef | None:
    """Return the one workflow a turn dealt with last."""
    for exchange in reversed(past.exchanges):
        if exchange.tool in _ABOUT_ONE and (ref := ref_of(exchange.result)):
            return ref
    found = _hits(past.exchanges[-1]) if past.exchanges else []
    return found[0] if len(found) == 1 else None


def ref_of(result: Any) -> WorkflowRef | None:
    """Return the workflow that a tool's result is about."""
    described = cast("dict[str, Any]", result).get("workflow") if isinstance(result, dict) else None
    return _ref(described)


def _ref(described: Any) -> WorkflowRef | None:
    if not isinstance(described, dict):
        return None
    plain = cast("dict[str, Any]", described)
    if isinstance(plain.get("id"), str) and isinstance(plain.get("name"), str):
        return WorkflowRef(plain["id"], plain["name"])
    return None


def _hits(exchange: Exchange) -> list[WorkflowRef]:
    if not isinstance(exchange.result, dict):
        return []
    result = cast("dict[str, Any]", exchange.result)
    listed: Any = result.get("hits") or result.get("workflows") or []
    return (
        [ref for item in cast("list[Any]", listed) if (ref := _ref(item))] if isinstance(listed, list) else []
    )


def known_workflows(turn: Turn) -> list[WorkflowRef]:
    """Return every workflow the conversation met, newest first, each once."""
    refs = [*_from_turns(turn), *([turn.facts.open] if turn.facts.open else []), *turn.facts.known]
    gone = _deleted(turn)
    return list({ref.id: ref for ref in reversed(refs) if ref.id not in gone}.values())[::-1]


def _from_turns(turn: Turn) -> Iterator[WorkflowRef]:
    for past in reversed(turn.past):
        for exchange in reversed(past.exchanges):
            if ref := ref_of(exchange.result):
                yield ref
            yield from _hits(exchange)


def listed_in_reply(turn: Turn) -> list[Candidate]:
    """Return what the last reply numbered, so that "the second one" means what the person saw."""
    if not turn.past:
        return []
    return [Candidate(m[3], m[2]) for m in _LISTED.finditer(turn.past[-1].reply)]


def last_step(turn: Turn) -> str | None:
    """Return the id of the step that the turn before edited or asked about, or None."""
    if not turn.past:
        return None
    edits: list[Any] = []
    for exchange in turn.past[-1].exchanges:
        if exchange.tool == "edit_workflow" and exchange.failure is None:
            edits = list(exchange.args.get("edits") or [])
    if edits:
        return _step_of(edits[-1])
    steps = _steps_told(turn.past[-1].reply)
    return steps[0] if len(steps) == 1 else None


def last_told(turn: Turn) -> str | None:
    """Return the id of the step that a question like "and after that?" goes on from, or None.

    Of a reply in one line that is the step it ends with; one with branches leaves it open.
    """
    reply = turn.past[-1].reply if turn.past else ""
    steps = [] if "\n" in reply else _steps_told(reply)
    return last_step(turn) or (steps[-1] if steps else None)


def _steps_told(reply: str) -> list[str]:
    return [step for step in dict.fromkeys(_TOLD_STEP.findall(reply)) if not step.startswith("wf_")]


def _step_of(edit: Any) -> str | None:
    if not isinstance(edit, dict):
        return None
    plain = cast("dict[str, Any]", edit)
    for key in _STEP_KEYS:
        value = plain.get(key)
        if isinstance(value, dict):
            value = cast("dict[str, Any]", value).get("id")
        if isinstance(value, str):
            return value
    return None
