"""A turn as OpenAI's `response` object, and messages as its items."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from workflow_agent.api.dependencies import Services
from workflow_agent.api.event_stream import told
from workflow_agent.api.openai.texts import finish_named
from workflow_agent.api.openai.turn_requests import MODEL
from workflow_agent.api.openai_errors import ResponseNotFound
from workflow_agent.assistant.requests import TurnOutcome, outcome_of
from workflow_agent.conversations.document import AgentReply, UserMessage
from workflow_agent.conversations.history import Past
from workflow_agent.conversations.records import leading_in, newest_in
from workflow_agent.conversations.runs import Run
from workflow_agent.errors import NotFound, RunNotFound
from workflow_agent.values.tokens import Usage, usage_of_all

_RUN_PREFIX, _RESPONSE_PREFIX = "run_", "resp_"


@dataclass(frozen=True, slots=True)
class Recorded:
    """What answers one message: the runs of all its agents together are one response."""

    conversation_id: str
    message: UserMessage
    """What it answers."""
    first: Run
    newest: Run
    outcome: TurnOutcome | None
    """The replies there are; None for none yet."""
    previous: str | None
    """The id of the response before."""

    @property
    def replies(self) -> Sequence[AgentReply]:
        """Return the replies there are, in order."""
        return self.outcome.replies if self.outcome else ()


def response_id(run_id: str) -> str:
    """Return the id of the response that a run makes, or begins."""
    return _RESPONSE_PREFIX + run_id.removeprefix(_RUN_PREFIX)


async def recorded_response(services: Services, given: str, param: str | None = None) -> Recorded:
    """Return the response of this id; `param` is where the client wrote the id, if not in the path."""
    try:
        if not given.startswith(_RESPONSE_PREFIX):
            raise RunNotFound(f"{given[:100]!r} is not the id of a response.")
        run_id = _RUN_PREFIX + given.removeprefix(_RESPONSE_PREFIX)
        records, run = await services.chat.recorded_run(services.tenant, run_id)
        past = await services.past(records.id)
    except NotFound as error:
        raise _no_response(given, param) from error
    first = leading_in(records, run)
    message = next((event for event in records.events if event.id == first.user_event_id), None)
    if not isinstance(message, UserMessage):
        # What an application says the assistant said answers nothing.
        raise _no_response(given, param)
    outcome = outcome_of(records, first.run_id)
    before = await _before(past, run.turn)
    return Recorded(records.id, message, first, newest_in(records, first), outcome, before)


def _no_response(given: str, param: str | None) -> ResponseNotFound:
    details = {"param": param} if param else {}
    return ResponseNotFound(f"There is no response {given[:100]!r}.", **details)


async def _before(past: Past, turn: int) -> str | None:
    """Return the id of the newest response before a turn."""
    for number in range(turn - 1, 0, -1):
        try:
            answers = (await past.turn(number)).answers
        except NotFound:
            continue
        if any(answer.reply is not None for answer in answers):
            return response_id(answers[0].run_id)
    return None


_STATUS = {"running": "in_progress", "interrupted": "failed"}
"""OpenAI's words for what a run is, where they are others."""


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
    if text is None:
        return _message(item_id, "assistant", []) | {"status": "in_progress"}
    return _message(item_id, "assistant", [output_text(text)])


def input_item(event: UserMessage) -> dict[str, Any]:
    """Return a user's message as an input item."""
    return _message(message_id(event.index, event.id), "user", [{"type": "input_text", "text": event.content}])


def _message(item_id: str, role: str, content: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "message", "id": item_id, "status": "completed", "role": role, "content": content}


def response_of(recorded: Recorded) -> dict[str, Any]:
    """Return a response as it stands: an output item for each agent that answered."""
    replies = recorded.replies
    texts = told(recorded.first.asked, replies)
    output = [output_item(answer_id(reply.run_id), text) for reply, text in zip(replies, texts, strict=True)]
    usage = usage_of_all(reply.usage for reply in replies)
    newest = recorded.newest
    finish = finish_named([reply.finish_reason for reply in replies])
    status = _STATUS.get(newest.status, newest.status) if finish == "stop" else "incomplete"
    whole = response_object(recorded, status, output, usage if replies else None, newest.completed_at)
    if status == "incomplete":
        whole["incomplete_details"] = incomplete(finish)
    if status == "failed" and newest.error:
        whole["error"] = server_error(newest.error.message)
    return whole


def incomplete(finish: str) -> dict[str, str]:
    """Return why a response is not whole, from OpenAI's word for it in a completion."""
    return {"reason": "max_output_tokens" if finish == "length" else "content_filter"}


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
    } | ({"usage": usage_of(usage)} if usage and usage.is_complete else {})


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
