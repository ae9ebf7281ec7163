"""Small conversations and workflows to put into a store."""

from datetime import UTC, datetime, timedelta
from typing import Any

from workflow_agent.conversations.document import Conversation, UserMessage
from workflow_agent.conversations.runs import Run
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

AT = datetime(2026, 11, 21, 12, 0, 0, 250_000, tzinfo=UTC)


def a_conversation(conversation_id: str = "invoice-1", *, tenant: str = "acme", **fields: Any) -> Conversation:
    """Return a conversation that was not stored yet."""
    return Conversation(**{"id": conversation_id, "tenant": tenant, "created_at": AT, "updated_at": AT, **fields})


def saying(conversation: Conversation, content: str, *, minutes: int = 0) -> Conversation:
    """Return the conversation one user message longer, changed that many minutes after its creation."""
    at = AT + timedelta(minutes=minutes)
    turn = conversation.turn_count + 1
    event = UserMessage(
        id=f"evt_{turn}",
        index=conversation.next_index,
        turn=turn,
        at=at,
        author="user",
        content=content,
        options={"mode": None, "note": 'ünïcode \n "quoted"'},
    )
    run = Run(
        run_id=f"run_{conversation.id}_{turn}_abc",
        fingerprint="f",
        status="running",
        fence=turn,
        agent="assistant",
        turn=turn,
        user_event_id=event.id,
        owner="owner-1",
        accepted_at=at,
    )
    return conversation.model_copy(
        update={"events": (*conversation.events, event), "runs": (*conversation.runs, run), "updated_at": at}
    )


def a_workflow(workflow_id: str = "wf_expenses", name: str = "Expenses", **fields: Any) -> Workflow:
    """Return a workflow of two steps."""
    steps = [{"id": "submit", "name": "Submit", "type": "human"}, {"id": "done", "name": "Done", "type": "end"}]
    transitions = [{"from": "submit", "to": "done"}]
    return parse_workflow({"id": workflow_id, "name": name, "steps": steps, "transitions": transitions, **fields})


class Clock:
    """A clock that goes on by a second at each look."""

    def __init__(self) -> None:
        self.at = AT

    def __call__(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at
