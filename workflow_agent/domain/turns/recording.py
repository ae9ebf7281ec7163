"""The record of a message as a call: the one at depth 0, which the tool calls of its run hang on."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal

from workflow_agent.domain.call_history import CallRecord, CallStatus, OutcomeSummary
from workflow_agent.domain.conversation import UserMessage
from workflow_agent.domain.json_values import json_safe
from workflow_agent.domain.runs import Run, RunError

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
    """Return the record of a message whose run ended."""
    ok = status == "success"
    return CallRecord(
        call_id=call_id_of(message.id, run.attempt),
        timestamp=run.accepted_at,
        speaker="user",
        method_name="chat",
        args=(json_safe(message.content),),
        kwargs=json_safe(message.options),
        outcome_summary=OutcomeSummary(
            status=status, ok=ok, error_type=error.type if error else None,
            retriable=error is not None and error.retriable, value_class="str" if ok else None,
        ),
        depth=0,
        duration_ms=max((at - run.accepted_at) / timedelta(milliseconds=1), 0.0),
        error_type=error.type if error else None,
        error_message=error.message if error else None,
    )  # fmt: skip
