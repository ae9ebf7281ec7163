"""What the model is told of the call history: that it is there, and how its latest calls ended."""

from collections.abc import Sequence

from workflow_agent.domain.call_history import CallRecord

_LATEST = 3
HOW_TO_READ = (
    'Programs for `run_python` read the call history in context["conversation_history"]: dicts, oldest '
    "first, with speaker (user, agent, tool), method_name, args, kwargs, timestamp, outcome_summary "
    "{status, ok}. Other fields are optional: code defensively, with .get. content(ref) gives what a "
    "content_ref stands for."
)
"""What every turn is told as soon as there is a history."""


def history_notice(records: Sequence[CallRecord], sealed: int = 0) -> str:
    """Return all that the model is told of the call history; empty when there is none."""
    return f"{HOW_TO_READ}\n\n{latest_calls(records, sealed)}" if records else ""


def latest_calls(records: Sequence[CallRecord], sealed: int = 0) -> str:
    """Return a few lines on the latest calls, however many there are; empty when there is none.

    They name calls and how they ended, nothing of what was said or found: that is read with a program.

    Args:
        records: Those a program finds, oldest first.
        sealed: How many older ones it does not find.
    """
    if not records:
        return ""
    latest = "\n".join(f"- {summary_of(record)}" for record in records[-_LATEST:])
    count = f"{len(records)} {'record' if len(records) == 1 else 'records'}"
    older = f" ({sealed} older ones are not in it)" if sealed else ""
    return f"Call history: {count}{older}. The latest:\n{latest}"


def summary_of(record: CallRecord) -> str:
    """Return one call in a line: who called what, and how it ended."""
    ended = record.outcome_summary
    why = f" ({ended.error_type})" if ended.error_type and ended.error_type != ended.status else ""
    found = f", {record.source.count} found" if record.source else ""
    return f"{record.speaker}: {record.method_name}: {ended.status}{why}{found}"
