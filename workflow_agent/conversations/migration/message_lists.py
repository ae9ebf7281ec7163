"""Message lists as OpenAI's chat completions take them: role and content, oldest first."""

from typing import Any, Literal, cast

from workflow_agent.conversations.imports import Said
from workflow_agent.conversations.migration.history import History, Left, Open, Text, Time, says_no_zone
from workflow_agent.values.stored import JsonObject

NAME = "message list"
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


def matches(document: Any) -> bool:
    """Say whether a document is meant to be a message list, with or without an object around it."""
    if isinstance(document, dict):
        return "messages" in document
    is_list = isinstance(document, list) and bool(document)  # pyright: ignore[reportUnknownArgumentType] - JSON
    return is_list and all(isinstance(one, dict) and "role" in one for one in cast("list[Any]", document))


def read(document: Any) -> History:
    """Return the history in a document.

    Raises:
        ValidationError: It is not one; says where.
    """
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
        NAME,
        document,
        None if named is None else str(named),
        listed.title or "",
        tuple(said),
        tuple(left),
        _notes(plain, is_begun_known=begun is not None),
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
        parts = enumerate(message.content)
        left += [
            Left(f"{pointer}/content/{number}", part, _WHY_PART)
            for number, part in parts
            if part.get("type") not in _TEXTS
        ]
    return left


def _notes(plain: list[JsonObject], *, is_begun_known: bool) -> tuple[str, ...]:
    talk = [one for one in plain if one["role"] in ("user", "assistant")]
    timeless = sum(all(one.get(name) is None for name in _TIMES) for one in talk)
    zoneless = sum(any(says_no_zone(one.get(name)) for name in _TIMES) for one in talk)
    instead = "the list's" if is_begun_known else "that of the one before, or of the import"
    counted = (
        (timeless, f"without a time: they have {instead}"),
        (zoneless, "with a time without a zone, read as UTC"),
    )
    return tuple(f"{count} of {len(talk)} messages {what}" for count, what in counted if count)
