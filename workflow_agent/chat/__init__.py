"""One turn: accept the message, run the agent, commit the reply."""

from workflow_agent.chat.attaching import NewAttachment
from workflow_agent.chat.requests import StartedTurn, TurnOutcome, TurnRequest, chat_response, outcome_of
from workflow_agent.chat.service import Chat
from workflow_agent.chat.streams import RunEvent, RunEvents, RunStream

__all__ = [
    "Chat",
    "NewAttachment",
    "RunEvent",
    "RunEvents",
    "RunStream",
    "StartedTurn",
    "TurnOutcome",
    "TurnRequest",
    "chat_response",
    "outcome_of",
]
