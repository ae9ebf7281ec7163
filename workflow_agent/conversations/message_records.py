"""The record of a message as a call: the one at depth 0, which the tool calls of its run hang on."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, cast

from workflow_agent.conversations.call_history import CallRecord, CallStatus, OutcomeSummary
from workflow_agent.conversations.document import UserMessage, WorkflowTouch
from workflow_agent.conversations.runs import Run, RunError
from workflow_agent.errors import RunNotFound
from workflow_agent.values.stored import JsonObject, json_safe

EndStatus = Literal["failed", "cancelled", "interrupted"]
"""How a run ends that leaves no reply."""
STATUS_OF_END: Mapping[EndStatus, CallStatus] = {
    "failed": "error",
    "cancelled": "cancelled",
    "interrupted": "interrupted",
}


def call_id_of(message_id: str, attempt: int) -> str:
    """Return the id of the call that an attempt at answering a message is."""
    return message_id if attempt == 1 else f"{message_id}.{attempt}"


def message_call(
    message: UserMessage, run: Run, status: CallStatus, at: datetime, error: RunError | None = None
) -> CallRecord:
    """Return the record of a message whose run ended; what was said stands with the message, and only there."""
    ok = status == "success"
    return CallRecord(
        call_id=call_id_of(message.id, run.attempt),
        timestamp=run.accepted_at,
        speaker="user",
        method_name="chat",
        kwargs=json_safe(message.options),
        outcome_summary=OutcomeSummary(
            status=status,
            ok=ok,
            error_type=error.type if error else None,
            retriable=error is not None and error.retriable,
            value_class="str" if ok else None,
        ),
        depth=0,
        duration_ms=run.worked_ms(at),
        error_type=error.type if error else None,
        error_message=error.message if error else None,
    )


_RUN_ID = re.compile(r"run_([a-z0-9][a-z0-9_-]{0,63})_([0-9]{1,9})_[a-z0-9]{1,32}")
MAX_TITLE_CHARS = 80
_SHORT_TITLE_WORDS = 3
_NAME_CHARS = 48
_DONE = {"created": "created", "deleted": "deleted", "analysed": "checked"}
_EDITED = {
    "remove_step": "step removed", "rename_step": "step renamed", "move_step": "step moved",
    "set_assignee": "owner changed", "set_timeout": "deadline set", "set_retry": "retry set",
    "connect": "steps connected", "disconnect": "steps disconnected", "rename_workflow": "renamed",
    "wrap_in_approval": "approval added", "add_error_path": "error path added",
    "parallelize": "made parallel",
}  # fmt: skip
_ASKED = {"search": "Search", "analysis": "Question"}
_NARROWS = ("tag", "trigger")
"""What a list of workflows is narrowed by."""


def title_from(message: str) -> str:
    """Return a title made of the beginning of a message: its first line, cut at a word."""
    line = next((text.strip() for text in message.splitlines() if text.strip()), "")
    line = " ".join(line[:400].split())
    if len(line) <= MAX_TITLE_CHARS:
        return line
    cut = line[: MAX_TITLE_CHARS - 1]
    whole_words = cut.rsplit(" ", 1)[0] if cut.count(" ") >= _SHORT_TITLE_WORDS else cut
    return whole_words.rstrip(" ,;:.") + "…"


def title_of_work(touches: Sequence[WorkflowTouch], calls: Sequence[CallRecord], mode: str, message: str) -> str | None:
    """Return a title made of what a turn did: which workflow, and what became of it.

    None comes back where the message is all there is to tell.
    """
    for change in ("created", "modified", "deleted", "analysed"):
        touched = next((one for one in reversed(touches) if one.change == change), None)
        if touched is not None:
            done = _edit_in_words(calls) if change == "modified" else _DONE[change]
            return f"{touched.name[:_NAME_CHARS]}: {done}"[:MAX_TITLE_CHARS]
    if mode not in _ASKED:
        return None
    about = _sought(calls) if mode == "search" else ""
    return f"{_ASKED[mode]}: {about or title_from(message)}"[:MAX_TITLE_CHARS]


def _sought(calls: Sequence[CallRecord]) -> str:
    """Return what the first search of a turn was for, or that all were listed; empty where neither was done."""
    for call in calls:
        query = call.kwargs.get("query")
        if call.method_name == "search_workflows" and isinstance(query, str) and query.strip():
            return title_from(query)
        if call.method_name == "list_workflows" and not any(call.kwargs.get(name) for name in _NARROWS):
            return "all workflows"
    return ""


def _edit_in_words(calls: Sequence[CallRecord]) -> str:
    edits = [edit for call in calls if call.outcome_summary.ok for edit in _edits_of(call)]
    for edit in edits:
        if edit.get("op") in ("insert_step", "add_step"):
            name = cast("JsonObject", edit.get("step") or {}).get("name")
            return f"{str(name or 'a step')[:_NAME_CHARS].lower()} added"
    said = {_EDITED[edit["op"]] for edit in edits if edit.get("op") in _EDITED}
    return said.pop() if len(said) == 1 else "changed"


def _edits_of(call: CallRecord) -> list[JsonObject]:
    listed = call.kwargs.get("edits")
    if not isinstance(listed, list):
        return []
    return [cast("JsonObject", one) for one in cast("list[object]", listed) if isinstance(one, dict)]


def conversation_of_run(run_id: str) -> str:
    """Return the id of the conversation a run belongs to, which its own id carries.

    Raises:
        RunNotFound: This is not the id of a run.
    """
    return _parts(run_id)[1]


def turn_of_run(run_id: str) -> int:
    """Return the number of the turn a run belongs to, which its own id carries too.

    Raises:
        RunNotFound: This is not the id of a run.
    """
    return int(_parts(run_id)[2])


def _parts(run_id: str) -> re.Match[str]:
    match = _RUN_ID.fullmatch(run_id)
    if match is None:
        raise RunNotFound(f"There is no run {run_id[:100]!r}.", run_id=run_id[:100])
    return match
