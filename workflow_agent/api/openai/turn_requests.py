"""What a request in OpenAI's words asks for, of which model, and in which conversation."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import Response

from workflow_agent.api.dependencies import TheServices
from workflow_agent.api.openai.texts import Script
from workflow_agent.api.openai_errors import ModelNotFound
from workflow_agent.api.routes import json_reply, routes_at
from workflow_agent.assistant.attachments import NewAttachment
from workflow_agent.assistant.requests import StartedTurn
from workflow_agent.conversations.agents import AgentProfile
from workflow_agent.conversations.document import CONVERSATION_ID_PATTERN
from workflow_agent.errors import InvalidInput, Problem
from workflow_agent.values.stored import JsonObject, digest_of

_ID = re.compile(CONVERSATION_ID_PATTERN)


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

    In its headers a chat id of Open WebUI counts as a name; `pointer` is where the body names it.
    """
    if given is not None:
        return _checked(given, pointer)
    if header := headers.get("x-conversation-id"):
        return _checked(header, "header:x-conversation-id")
    if chat := headers.get("x-openwebui-chat-id"):
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


_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def headers_of(started: StartedTurn, ignored: Sequence[str]) -> dict[str, str]:
    """Return the headers of a reply: which turn it is, and the parameters that had no effect."""
    named = {"x-conversation-id": started.conversation_id, "x-run-id": started.run_id, "x-turn": str(started.turn)}
    names = [name for name in ignored if _NAME.fullmatch(name)][:40]
    # RFC 9111 keeps 299 for warnings of any kind that persist.
    warning = {"Warning": f'299 workflow-agent "ignored parameters: {", ".join(names)}"'} if names else {}
    return named | warning


MODEL = "workflow-agent"
_PUBLISHED = 1_790_812_800
"""When these names were first published; clients sort by it."""
models = routes_at("/v1/models", "openai", is_shown=False)


def agent_of(model: str, agents: Mapping[str, AgentProfile]) -> str | None:
    """Return the agent that a model's name stands for; None leaves the choice to the conversation."""
    base, _, agent = model.partition("/")
    if base == MODEL and (model == MODEL or agent in agents):
        return agent or None
    valid = _names(agents)
    message = f"The model {model[:100]!r} does not exist here. There are: {', '.join(valid)}."
    raise ModelNotFound(message, param="model", valid=valid)


def _names(agents: Mapping[str, AgentProfile]) -> tuple[str, ...]:
    return (MODEL, *(f"{MODEL}/{name}" for name in agents))


def _card(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": _PUBLISHED, "owned_by": MODEL}


@models.get("")
async def list_models(services: TheServices) -> Response:
    """List the models."""
    return json_reply({"object": "list", "data": [_card(name) for name in _names(services.agents)]})


@models.get("/{model:path}")
async def get_model(model: str, services: TheServices) -> Response:
    """Show one model."""
    agent_of(model, services.agents)
    return json_reply(_card(model))
