"""What a request in OpenAI's words asks for, and in which conversation."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from starlette.datastructures import Headers

from workflow_agent.api.openai.texts import Script
from workflow_agent.assistant.attachments import NewAttachment
from workflow_agent.assistant.requests import StartedTurn
from workflow_agent.conversations.document import CONVERSATION_ID_PATTERN
from workflow_agent.errors import InvalidInput, Problem
from workflow_agent.values.json_values import digest_of
from workflow_agent.values.stored import JsonObject

_ID = re.compile(CONVERSATION_ID_PATTERN)
_CONVERSATION_HEADERS = ("x-conversation-id", "x-openwebui-chat-id")


@dataclass(frozen=True, slots=True)
class Ask:
    """One request for a reply, whichever API it came by."""

    script: Script
    agent: str | None
    conversation_id: str | None
    author: str
    is_repeated: bool
    """Whether the client says that it sends this again."""
    key: str | None = None
    """The idempotency key, where the client has one after all."""
    attachments: tuple[NewAttachment, ...] = ()
    echoed: JsonObject = field(default_factory=dict)
    """What the reply is to repeat of the request."""
    is_streamed: bool = True

    def digest(self) -> str:
        """Return what tells a re-sent request from another one."""
        said = [[one.role, one.text] for one in self.script.earlier]
        sent = [self.conversation_id, self.author, self.agent, self.script.instructions, said, self.script.message]
        echoed = [self.echoed] if self.echoed else []
        return digest_of([*sent, *(asdict(one) for one in self.attachments), *echoed])


def is_repeated(headers: Headers) -> bool:
    """Say whether an official client marks the request as sent again."""
    return headers.get("x-stainless-retry-count", "0") not in ("0", "")


def conversation_named(headers: Headers, given: str | None, pointer: str) -> str | None:
    """Return the id of the conversation that a request names; None where it carries its own history.

    Args:
        headers: Of the request; a chat id of Open WebUI counts as a name.
        given: The id in the body.
        pointer: Where the body names it.

    Raises:
        InvalidInput: The name cannot be an id.
    """
    if given is not None:
        return _checked(given, pointer)
    if header := headers.get(_CONVERSATION_HEADERS[0]):
        return _checked(header, "header:x-conversation-id")
    if chat := headers.get(_CONVERSATION_HEADERS[1]):
        return conversation_of_chat(chat)
    return None


def conversation_of_chat(chat_id: str) -> str:
    """Return the conversation that a front end's chat is, whatever its id looks like."""
    return chat_id if _ID.fullmatch(chat_id) else f"cv_{digest_of(['chat', chat_id])[:24]}"


def _checked(given: str, pointer: str) -> str:
    if not _ID.fullmatch(given):
        message = "is not a conversation id: lower-case letters, digits, '-' and '_', at most 64 characters"
        raise InvalidInput(f"{given[:80]!r} {message}.", [Problem(pointer, message)])
    return given


_SHOWN = 40
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def headers_of(started: StartedTurn, ignored: Sequence[str]) -> dict[str, str]:
    """Return the headers of a reply."""
    return {
        "x-conversation-id": started.conversation_id,
        "x-run-id": started.run_id,
        "x-turn": str(started.turn),
    } | warning_of(ignored)


def warning_of(ignored: Sequence[str]) -> dict[str, str]:
    """Return the header that names the parameters that had no effect; none where all had."""
    names = [name for name in ignored if _NAME.fullmatch(name)][:_SHOWN]
    if not names:
        return {}
    # RFC 9111 keeps 299 for warnings of any kind that persist.
    return {"Warning": f'299 workflow-agent "ignored parameters: {", ".join(names)}"'}
