"""The shapes in which other services keep conversations: which one a document has, and all histories in it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, cast

from pydantic import ValidationError

from workflow_agent.conversations.imports import Said
from workflow_agent.conversations.migration.history import History, Left, Open, Text, Time, says_no_zone
from workflow_agent.errors import InvalidInput, Problem
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.parser import problems_of

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


def _read_flat(document: Any) -> History:
    """Return the history in a document; a ValidationError says where it is none."""
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
    return History(
        "flat turns", document, named, flat.title or "", tuple(said), tuple(left), _notes_on_turns(flat, plain)
    )


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


def _notes_on_turns(flat: FlatHistory, plain: list[JsonObject]) -> tuple[str, ...]:
    unanswered = sum(not (turn.agent_response or "").strip() for turn in flat.turns)
    timeless = sum(turn.timestamp is None for turn in flat.turns)
    zoneless = sum(says_no_zone(turn.get("timestamp")) for turn in plain)
    counted = (
        (unanswered, "without an answer"),
        (timeless, "without a time: they have that of the one before, or of the import"),
        (zoneless, "with a time without a zone, read as UTC"),
    )
    return tuple(f"{count} of {len(plain)} turns {what}" for count, what in counted if count)


_TIMES = ("created_at", "timestamp", "create_time")
_TEXTS = ("text", "input_text", "output_text")
_WHY_SYSTEM = "instructions of the other service; here the prompt modules instruct"
_WHY_TOOL = "what a tool of the other service was called with or gave back"
_WHY_PART = "a part of a message that is not text"
_WHY_MEMBER = "a member of a message that has no place here"


class ListedCall(Open):
    """A tool call that a message asks for; only its name is read."""

    function: dict[str, Any] | None = None

    def name(self) -> str:
        """Return the tool's name."""
        return str((self.function or {}).get("name", "unknown"))


class ListedMessage(Open):
    """One message of a list."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Text | list[dict[str, Any]] | None = None
    refusal: Text | None = None
    tool_calls: list[ListedCall] | None = None
    created_at: Time = None
    timestamp: Time = None
    create_time: Time = None

    def text(self) -> str:
        """Return what it says; of parts, those that are text."""
        if isinstance(self.content, list):
            texts = [str(part.get("text", "")) for part in self.content if part.get("type") in _TEXTS]
            return "\n\n".join(text for text in texts if text)
        return self.content or self.refusal or ""


class MessageList(Open):
    """A list of messages with what is said about it."""

    id: Text | int | None = None
    conversation_id: Text | int | None = None
    title: Text | None = None
    messages: list[ListedMessage]
    created_at: Time = None
    created: Time = None
    create_time: Time = None


def _read_message_list(document: Any) -> History:
    """Return the history in a document; a ValidationError says where it is none."""
    is_bare = isinstance(document, list)
    listed = MessageList.model_validate({"messages": document} if is_bare else document)
    prefix = "" if is_bare else "/messages"
    plain = cast("list[JsonObject]", document if is_bare else document["messages"])
    begun = listed.created_at or listed.created or listed.create_time
    said: list[Said] = []
    left = listed.others("", "a member of the list that has no place here")
    tools: dict[str, None] = {}
    for number, message in enumerate(listed.messages):
        pointer = f"{prefix}/{number}"
        left += _left_of(message, pointer, plain[number])
        at = message.created_at or message.timestamp or message.create_time or begun
        tools |= dict.fromkeys(call.name() for call in message.tool_calls or [])
        text = message.text()
        if message.role == "user" and text.strip():
            said.append(Said("user", text, at))
        elif message.role == "assistant" and text.strip():
            said.append(Said("assistant", text, at, tuple(tools)))
            tools = {}
    if tools:
        left.append(Left(f"{prefix}/{len(plain) - 1}", list(tools), "tools of a turn without an answer"))
    named = listed.conversation_id if listed.conversation_id is not None else listed.id
    return History(
        "message list",
        document,
        None if named is None else str(named),
        listed.title or "",
        tuple(said),
        tuple(left),
        _notes_on_messages(plain, is_begun_known=begun is not None),
    )


def _left_of(message: ListedMessage, pointer: str, plain: JsonObject) -> list[Left]:
    """Return what of a message is no text of the user or the assistant."""
    if message.role in ("system", "developer"):
        return [Left(pointer, plain, _WHY_SYSTEM)]
    if message.role in ("tool", "function"):
        return [Left(pointer, plain, _WHY_TOOL)]
    left = message.others(pointer, _WHY_MEMBER)
    if message.tool_calls:
        left.append(Left(f"{pointer}/tool_calls", plain["tool_calls"], _WHY_TOOL))
    if isinstance(message.content, list):
        left += [
            Left(f"{pointer}/content/{number}", part, _WHY_PART)
            for number, part in enumerate(message.content)
            if part.get("type") not in _TEXTS
        ]
    return left


def _notes_on_messages(plain: list[JsonObject], *, is_begun_known: bool) -> tuple[str, ...]:
    talk = [one for one in plain if one["role"] in ("user", "assistant")]
    timeless = sum(all(one.get(name) is None for name in _TIMES) for one in talk)
    zoneless = sum(any(says_no_zone(one.get(name)) for name in _TIMES) for one in talk)
    instead = "the list's" if is_begun_known else "that of the one before, or of the import"
    counted = (
        (timeless, f"without a time: they have {instead}"),
        (zoneless, "with a time without a zone, read as UTC"),
    )
    return tuple(f"{count} of {len(talk)} messages {what}" for count, what in counted if count)


def histories_in(document: Any) -> Sequence[History]:
    """Return the histories in a document: it is one, or a list of some.

    Raises:
        InvalidInput: It is of no shape that is read here, or breaks its own; says where, with all problems.
    """
    if isinstance(document, list) and _reader_of(cast("Any", document)) is None:
        many = cast("list[Any]", document)
        return [_history(one, f"/{number}") for number, one in enumerate(many)] or [_history(document, "")]
    return [_history(document, "")]


def _reader_of(document: Any) -> Callable[[Any], History] | None:
    """Return what reads documents of this shape, or None where no shape here is like it."""
    if isinstance(document, dict):
        return next((read for member, read in _READERS.items() if member in document), None)
    is_list = isinstance(document, list) and bool(document)  # pyright: ignore[reportUnknownArgumentType] - JSON
    is_bare = is_list and all(isinstance(one, dict) and "role" in one for one in cast("list[Any]", document))
    return _read_message_list if is_bare else None


_READERS: Mapping[str, Callable[[Any], History]] = {"turns": _read_flat, "messages": _read_message_list}
"""By the member that tells the shape of an object."""


def _history(document: Any, pointer: str) -> History:
    read = _reader_of(document)
    if read is None:
        message = (
            "is no conversation of a shape that is read here: an object with `turns`, one with `messages`, or a list "
            "of messages with `role` and `content`"
        )
        raise _refused([Problem(pointer, message)])
    try:
        found = read(document)
    except ValidationError as error:
        problems = problems_of(error, None if isinstance(document, list) else document)
        raise _refused([Problem(pointer + one.pointer, one.message, one.valid) for one in problems]) from error
    if not found.said:
        raise _refused([Problem(pointer, "nobody says anything in it")])
    return found


def _refused(problems: Sequence[Problem]) -> InvalidInput:
    said = "; ".join(f"{one.pointer or '/'}: {one.message}" for one in problems[:5])
    more = f" (and {len(problems) - 5} more)" if len(problems) > 5 else ""
    return InvalidInput(said + more, problems)
