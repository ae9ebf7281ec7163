"""One turn: accept the message, run the agent, commit the reply."""

from workflow_agent.chat.requests import StartedTurn, TurnOutcome, TurnRequest, chat_response
from workflow_agent.chat.service import Chat
from workflow_agent.chat.streams import RunEvent, RunStream

__all__ = ["Chat", "RunEvent", "RunStream", "StartedTurn", "TurnOutcome", "TurnRequest", "chat_response"]
