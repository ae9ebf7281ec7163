"""A turn as OpenAI's `response` object, and messages as its items."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from workflow_agent.api.openai.models import MODEL
from workflow_agent.api.openai.recorded import Recorded, response_id
from workflow_agent.api.voices import told
from workflow_agent.domain.conversation import UserMessage
from workflow_agent.domain.usage import Usage

_STATUS = {
    "running": "in_progress",
    "completed": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
    "interrupted": "failed",
}


def output_text(text: str) -> dict[str, Any]:
    """Return text as a content part."""
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def message_id(index: int, event_id: str) -> str:
    """Return the id of the item that a message of the user is: where it stands, and which one it is."""
    return f"msg_{index}_{event_id}"


def answer_id(run_id: str) -> str:
    """Return the id of the item a run answers with, the same while it is written and afterwards."""
    return f"msg_{run_id}"


def output_item(item_id: str, text: str | None) -> dict[str, Any]:
    """Return an answer as an output item; without text it is still being written."""
    content = [] if text is None else [output_text(text)]
    status = "in_progress" if text is None else "completed"
    return {"type": "message", "id": item_id, "status": status, "role": "assistant", "content": content}


def input_item(event: UserMessage) -> dict[str, Any]:
    """Return a user's message as an input item."""
    content = [{"type": "input_text", "text": event.content}]
    return {
        "type": "message",
        "id": message_id(event.index, event.id),
        "status": "completed",
        "role": "user",
        "content": content,
    }


def response_of(recorded: Recorded) -> dict[str, Any]:
    """Return a response as it stands: an output item for each agent that answered."""
    replies = recorded.replies
    texts = told(recorded.first.asked, replies)
    output = [output_item(answer_id(reply.run_id), text) for reply, text in zip(replies, texts, strict=True)]
    usage = Usage()
    for reply in replies:
        usage = usage.plus(reply.usage)
    newest = recorded.newest
    status = _STATUS[newest.status]
    whole = response_object(recorded, status, output, usage if replies else None, newest.completed_at)
    if status == "failed" and newest.error:
        whole["error"] = server_error(newest.error.message)
    return whole


def server_error(message: str) -> dict[str, str]:
    """Return why a response failed."""
    return {"code": "server_error", "message": message}


def response_object(
    recorded: Recorded,
    status: str,
    output: Sequence[dict[str, Any]],
    usage: Usage | None,
    completed_at: datetime | None,
) -> dict[str, Any]:
    """Return the object with the members OpenAI describes; what has no meaning here is at its default."""
    message = recorded.message
    agent = message.options.get("agent")
    echoed = message.options.get("echoed", {})
    return {
        "id": response_id(recorded.first.run_id),
        "object": "response",
        "created_at": int(recorded.first.accepted_at.timestamp()),
        "completed_at": int(completed_at.timestamp()) if completed_at else None,
        "status": status,
        "background": echoed.get("background", False),
        "error": None,
        "incomplete_details": None,
        "instructions": message.options.get("instructions"),
        "max_output_tokens": None,
        "model": f"{MODEL}/{agent}" if agent else MODEL,
        "output": list(output),
        "parallel_tool_calls": True,
        "previous_response_id": recorded.previous,
        "conversation": {"id": recorded.conversation_id},
        "reasoning": {"effort": None, "summary": None},
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "auto",
        "user": message.author,
        "metadata": echoed.get("metadata", {}),
    } | ({"usage": usage_of(usage)} if usage else {})


def usage_of(usage: Usage) -> dict[str, Any]:
    """Return the tokens of a turn, all its model requests together."""
    return {
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {
            "cached_tokens": usage.cache_read_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
        },
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.input_tokens + usage.output_tokens,
    }
