"""A run as OpenAI's `response` object, and messages as its items."""

from typing import Any

from workflow_agent.api.openai.models import MODEL
from workflow_agent.domain.conversation import AgentReply, Conversation, Usage, UserMessage
from workflow_agent.domain.errors import RunNotFound
from workflow_agent.domain.runs import Run

_RUN_PREFIX, _RESPONSE_PREFIX = "run_", "resp_"
_STATUS = {
    "running": "in_progress",
    "completed": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
    "interrupted": "incomplete",
}


def response_id(run_id: str) -> str:
    """Return the id of the response that a run makes."""
    return _RESPONSE_PREFIX + run_id.removeprefix(_RUN_PREFIX)


def run_id_of(given: str) -> str:
    """Return the run that makes a response.

    Raises:
        RunNotFound: This is not the id of a response.
    """
    if not given.startswith(_RESPONSE_PREFIX):
        raise RunNotFound(f"There is no response {given[:100]!r}.")
    return _RUN_PREFIX + given.removeprefix(_RESPONSE_PREFIX)


def output_text(text: str) -> dict[str, Any]:
    """Return text as a content part."""
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def message_id(event_id: str) -> str:
    """Return the id of the item that an event is."""
    return f"msg_{event_id}"


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
        "id": message_id(event.id),
        "status": "completed",
        "role": "user",
        "content": content,
    }


def response_of(conversation: Conversation, run: Run) -> dict[str, Any]:
    """Return a run as it stands."""
    reply = conversation.reply_of(run.run_id)
    item_id = answer_id(run)
    output = [output_item(item_id, reply.content)] if reply else []
    return response_object(conversation, run, _STATUS[run.status], output, reply.usage if reply else None)


def answer_id(run: Run) -> str:
    """Return the id of the item a run answers with, the same while it is written and afterwards."""
    return f"msg_{run.run_id.removeprefix(_RUN_PREFIX)}"


def response_object(
    conversation: Conversation, run: Run, status: str, output: list[dict[str, Any]], usage: Usage | None
) -> dict[str, Any]:
    """Return the object with all members OpenAI's have; what has no meaning here is at its default."""
    message = next((e for e in conversation.events_of_turn(run.turn) if isinstance(e, UserMessage)), None)
    options = message.options if message else {}
    agent = options.get("agent")
    return {
        "id": response_id(run.run_id),
        "object": "response",
        "created_at": int(run.accepted_at.timestamp()),
        "completed_at": int(run.completed_at.timestamp()) if run.completed_at else None,
        "status": status,
        "background": False,
        "error": {"code": "server_error", "message": run.error.message}
        if status == "failed" and run.error
        else None,
        "incomplete_details": None,
        "instructions": options.get("instructions"),
        "max_output_tokens": None,
        "model": f"{MODEL}/{agent}" if agent else MODEL,
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": _previous(conversation, run),
        "conversation": {"id": conversation.id},
        "reasoning": {"effort": None, "summary": None},
        "store": True,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": usage_of(usage) if usage else None,
        "user": message.author if message else None,
        "metadata": {},
    }


def _previous(conversation: Conversation, run: Run) -> str | None:
    earlier = (
        event
        for event in reversed(conversation.events)
        if isinstance(event, AgentReply) and event.turn < run.turn
    )
    before = next(earlier, None)
    return response_id(before.run_id) if before else None


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
