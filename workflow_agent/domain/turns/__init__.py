"""The turn protocol as pure functions: accept a message, commit its reply, or end its run otherwise.

Each takes a conversation and returns a new one; what is stored, and under which lock, is up to the caller.
"""

from workflow_agent.domain.turns.accepting import Acceptance, NewMessage, accept_message
from workflow_agent.domain.turns.ending import (
    EndStatus,
    Reply,
    cancel_run,
    commit_reply,
    end_run,
    interrupt_dead_runs,
)
from workflow_agent.domain.turns.naming import conversation_of_run, title_from

__all__ = [
    "Acceptance",
    "EndStatus",
    "NewMessage",
    "Reply",
    "accept_message",
    "cancel_run",
    "commit_reply",
    "conversation_of_run",
    "end_run",
    "interrupt_dead_runs",
    "title_from",
]
