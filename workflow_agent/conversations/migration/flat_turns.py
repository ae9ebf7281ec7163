"""Flat histories: a conversation as a list of turns, each a message, its answer, a time and tool names."""

from typing import Any, cast

from workflow_agent.conversations.imports import Said
from workflow_agent.conversations.migration.history import History, Left, Open, Text, Time, says_no_zone
from workflow_agent.values.stored import JsonObject

NAME = "flat turns"
_OF_TURN = "a member of a turn that has no place here"
_OF_CALL = "what a tool was called with or gave back, in a service whose tools are not here"
_TOOL_NAMES = ("name", "tool_name", "tool")


class FlatTurn(Open):
    """One turn of a flat history."""

    user_message: Text | None = None
    agent_response: Text | None = None
    timestamp: Time = None
    mcp_tools_used: list[Any] | None = None


class FlatHistory(Open):
    """A flat history."""

    conversation_id: Text | int | None = None
    title: Text | None = None
    turns: list[FlatTurn]


def matches(document: Any) -> bool:
    """Say whether a document is meant to be a flat history."""
    return isinstance(document, dict) and "turns" in document


def read(document: Any) -> History:
    """Return the history in a document.

    Raises:
        ValidationError: It is not one; says where.
    """
    flat = FlatHistory.model_validate(document)
    plain = cast("list[JsonObject]", document["turns"])
    said: list[Said] = []
    left = flat.others("", "a member of the history that has no place here")
    for number, turn in enumerate(flat.turns):
        pointer = f"/turns/{number}"
        left += turn.others(pointer, _OF_TURN)
        tools, unknown = _tools(turn.mcp_tools_used or [], f"{pointer}/mcp_tools_used")
        left += unknown
        if turn.user_message and turn.user_message.strip():
            said.append(Said("user", turn.user_message, turn.timestamp))
        if turn.agent_response and turn.agent_response.strip():
            said.append(Said("assistant", turn.agent_response, turn.timestamp, tools))
        elif tools:
            left.append(Left(f"{pointer}/mcp_tools_used", list(tools), "tools of a turn without an answer"))
    named = None if flat.conversation_id is None else str(flat.conversation_id)
    return History(NAME, document, named, flat.title or "", tuple(said), tuple(left), _notes(flat, plain))


def _tools(used: list[Any], pointer: str) -> tuple[tuple[str, ...], list[Left]]:
    """Return the names of the tools, each once, and what else is said about their calls."""
    names: dict[str, None] = {}
    left: list[Left] = []
    for number, one in enumerate(used):
        name = one if isinstance(one, str) else _name_in(one)
        if name is None:
            left.append(Left(f"{pointer}/{number}", one, "a tool without a name"))
            continue
        names[name] = None
        if not isinstance(one, str) and len(one) > 1:
            left.append(Left(f"{pointer}/{number}", one, _OF_CALL))
    return tuple(names), left


def _name_in(call: Any) -> str | None:
    if not isinstance(call, dict):
        return None
    members = cast("JsonObject", call)
    found = (members[name] for name in _TOOL_NAMES if isinstance(members.get(name), str))
    return next(found, None)


def _notes(flat: FlatHistory, plain: list[JsonObject]) -> tuple[str, ...]:
    unanswered = sum(not (turn.agent_response or "").strip() for turn in flat.turns)
    timeless = sum(turn.timestamp is None for turn in flat.turns)
    zoneless = sum(says_no_zone(turn.get("timestamp")) for turn in plain)
    counted = (
        (unanswered, "without an answer"),
        (timeless, "without a time: they have that of the one before, or of the import"),
        (zoneless, "with a time without a zone, read as UTC"),
    )
    return tuple(f"{count} of {len(plain)} turns {what}" for count, what in counted if count)
