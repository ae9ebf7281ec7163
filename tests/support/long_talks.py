"""Conversations of many turns, and compactions made by hand."""

from datetime import timedelta
from typing import Any

from tests.support.stored import AT, a_conversation
from workflow_agent.conversations.acceptance import Acceptance, NewMessage, accept_message
from workflow_agent.conversations.call_history import CallRecord, OutcomeSummary
from workflow_agent.conversations.compactions import Compaction, Summary
from workflow_agent.conversations.document import Conversation, ModeRecord
from workflow_agent.conversations.iterations import Iteration, Message, ToolCall, ToolResult
from workflow_agent.conversations.outcome import Reply, commit_reply
from workflow_agent.values.tokens import Cost, Usage

RESULT_CHARS = 1_500


def a_reply(number: int) -> Reply:
    """Return what the run of a turn brings: two iterations, one tool call."""
    at = AT + timedelta(minutes=number)
    call = f"call_{number}"
    asked = Message(role="assistant", tool_calls=(ToolCall(id=call, name="get_workflow", args={"workflow": "it"}),))
    got = Message(role="tool", results=(ToolResult(id=call, name="get_workflow", content={"is": "x" * RESULT_CHARS}),))
    said = Message(role="assistant", content=f"Answer {number}. " + "It goes on. " * 20)
    asking = f"evt_user_{number}"
    return Reply(
        content=said.content,
        model="offline",
        mode=ModeRecord(name="general", confidence=1, source="request"),
        tools_used=("get_workflow",),
        workflows_touched=(),
        references=(),
        usage=Usage(requests=2, input_tokens=100, output_tokens=10),
        cost=Cost(total_usd=0.01),
        context={"used_tokens": number},
        iterations=(
            Iteration(number=1, messages=(asked, got), started_at=at, completed_at=at),
            Iteration(number=2, messages=(said,), started_at=at, completed_at=at),
        ),
        calls=(a_call(asking, None, "chat"), a_call(call, asking, "get_workflow")),
        bound_workflow_id=None,
    )


def a_call(call_id: str, parent: str | None, method: str) -> CallRecord:
    """Return the record of a call that went well."""
    return CallRecord(
        call_id=call_id,
        timestamp=AT,
        speaker="agent" if parent else "user",
        method_name=method,
        parent_call_id=parent,
        outcome_summary=OutcomeSummary(status="success", ok=True),
    )


def accepted(conversation: Conversation, **message: Any) -> Acceptance:
    """Return a conversation one message longer, its run under way."""
    number = conversation.turn_count + 1
    wanted = {
        "content": f"Message {number}",
        "author": "user",
        "agent": "assistant",
        "fingerprint": "f",
        "key": f"key-{number}",
        **message,
    }
    return accept_message(
        conversation,
        NewMessage(**wanted),
        owner="me",
        is_alive=lambda _: True,
        at=AT + timedelta(minutes=number),
        new_id=lambda kind: _id(kind, "user", number),
    )


def _id(kind: str, part: str, number: int) -> str:
    return f"{kind}_{part}_{number}" if kind == "evt" else f"{kind}_{number}"


def answered(acceptance: Acceptance) -> Conversation:
    """Return the conversation with the reply to its newest message."""
    run = acceptance.run
    return commit_reply(
        acceptance.conversation,
        run.run_id,
        run.fence,
        a_reply(run.turn),
        at=AT + timedelta(minutes=run.turn, seconds=1),
        new_id=lambda kind: _id(kind, "reply", run.turn),
    )


def talked(count: int, conversation: Conversation | None = None) -> Conversation:
    """Return a conversation so many turns longer."""
    talk = conversation or a_conversation()
    for _ in range(count):
        talk = answered(accepted(talk))
    return talk


def a_compaction(from_turn: int, to_turn: int, **fields: Any) -> Compaction:
    """Return a compaction of some turns."""
    return Compaction(
        **{
            "id": f"cmp_{from_turn}_{to_turn}",
            "from_turn": from_turn,
            "to_turn": to_turn,
            "at": AT,
            "trigger": "turns",
            "tokens_before": 1_000,
            "tokens_after": 100,
            "summary": Summary(text=f"Turns {from_turn} to {to_turn}."),
            **fields,
        }
    )


def compacted(conversation: Conversation, *, keep: int = 15, step: int = 6) -> Conversation:
    """Return the conversation with its turns compacted as a policy would, all but some of the newest."""
    done = conversation.compactions[-1].to_turn if conversation.compactions else 0
    to_turn = conversation.turn_count - keep
    if to_turn - done < step:
        return conversation
    made = a_compaction(done + 1, to_turn)
    return conversation.model_copy(update={"compactions": (*conversation.compactions, made)})
