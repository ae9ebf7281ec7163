"""The turn protocol as pure functions: accept a message, commit its reply, or end its run otherwise.

Each takes a conversation and returns a new one; what is stored, and under which lock, is up to the caller.
"""

from workflow_agent.domain.turns.abandoning import LeftBehind, cancel_run, interrupt_dead_runs
from workflow_agent.domain.turns.accepting import Acceptance, NewMessage, accept_message
from workflow_agent.domain.turns.ending import Reply, commit_reply, end_run
from workflow_agent.domain.turns.importing import IMPORTED, Said, with_history, with_said
from workflow_agent.domain.turns.naming import conversation_of_run, title_from, turn_of_run
from workflow_agent.domain.turns.posting import post_message
from workflow_agent.domain.turns.recording import STATUS_OF_END, EndStatus, call_id_of, message_call

__all__ = [
    "IMPORTED",
    "STATUS_OF_END",
    "Acceptance",
    "EndStatus",
    "LeftBehind",
    "NewMessage",
    "Reply",
    "Said",
    "accept_message",
    "call_id_of",
    "cancel_run",
    "commit_reply",
    "conversation_of_run",
    "end_run",
    "interrupt_dead_runs",
    "message_call",
    "post_message",
    "title_from",
    "turn_of_run",
    "with_history",
    "with_said",
]
