"""What routes depend on: the services of a request's tenant, and what its path, query and headers say."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Annotated

from fastapi import Depends, Header, Path, Query, Request
from pydantic import BeforeValidator, StringConstraints

from workflow_agent.assistant.compaction.service import Compactor
from workflow_agent.assistant.providers import Models
from workflow_agent.assistant.turns.service import Chat
from workflow_agent.assistant.window.contents import Contents
from workflow_agent.conversations.agents import AgentProfile, Mode
from workflow_agent.conversations.document import CONVERSATION_ID_PATTERN, Conversation
from workflow_agent.conversations.history import Find, Past
from workflow_agent.conversations.idempotency import IdempotencyKeys
from workflow_agent.conversations.memory.service import PersonalMemory
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.errors import InvalidInput, PreconditionRequired, Problem, UserNotAllowed
from workflow_agent.telemetry.providers import Telemetry
from workflow_agent.telemetry.sums import OtherWorkers
from workflow_agent.values.stored import JsonObject, Revision, Versioned, revision_of
from workflow_agent.webhooks import Webhooks
from workflow_agent.workflows.approvals import Approvals
from workflow_agent.workflows.model.terms import WORKFLOW_ID_PATTERN
from workflow_agent.workflows.service import WorkflowService
from workflow_agent.workflows.store import WorkflowCatalog, WorkflowSearch


@dataclass(frozen=True, slots=True)
class ModeCard:
    """A mode as the catalogue shows it."""

    name: Mode
    tools: tuple[str, ...]
    prompt: str
    is_read_only: bool


@dataclass(frozen=True, slots=True)
class Services:
    """The collaborators of the routes, for one tenant."""

    tenant: str
    chat: Chat
    conversations: ConversationStore
    find: Find
    """Finds messages, by meaning too where that is configured."""
    personal: PersonalMemory
    compactor: Compactor
    workflows: WorkflowCatalog
    search: WorkflowSearch
    approvals: Approvals
    webhooks: Webhooks
    keys: IdempotencyKeys
    telemetry: Telemetry
    models: Models
    agents: Mapping[str, AgentProfile]
    max_handoffs: int
    modes: tuple[ModeCard, ...]
    caches: Callable[[], Mapping[str, JsonObject]]
    """Reads the statistics of each cache."""
    clock: Callable[[], datetime]
    new_id: Callable[[str], str]
    """Makes an id from its prefix."""
    of_tenant: "Callable[[str], Services]"
    """Returns the same for a tenant: what all share, with what is a tenant's own."""
    check_storage: Callable[[], Awaitable[None]]
    """Raises StorageFailed where nothing can be stored."""
    other_workers: OtherWorkers | None = None
    """The other workers of the server; None where this process serves alone."""

    @property
    def use_cases(self) -> WorkflowService:
        """What can be done with workflows."""
        return WorkflowService(self.workflows, self.tenant)

    async def conversation(self, conversation_id: str) -> Conversation:
        """Return a conversation with its turns that are not sealed."""
        return await self.conversations.load(self.tenant, conversation_id)

    def contents(self, conversation_id: str) -> Contents:
        """Return the contents of a conversation that are kept apart from it."""
        return Contents(self.conversations, self.tenant, conversation_id)

    async def past(self, conversation_id: str) -> Past:
        """Return everything that was said and done in a conversation."""
        return Past(self.conversations, await self.conversation(conversation_id))


CLEAN_PATTERN = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$"
"""Text without control characters, as the body and the query string are checked for it anyway."""
MAX_NUMBER = 999_999_999
KEY_PATTERN = r"^[\x21-\x7e]{1,255}$"
_WHOLE_NUMBER = re.compile(r"(?:0|[1-9][0-9]{0,8})\Z")
_ETAG = re.compile(r'"[\x21\x23-\x7e]{0,64}"')

clean_query = partial(Query, max_length=200, pattern=CLEAN_PATTERN)
"""Declares a parameter of the query that is text."""


def _spelled(pattern: re.Pattern[str], told: str) -> BeforeValidator:
    """Return a check of how a parameter is spelled: Pydantic would take more, for a time a number of seconds too."""

    def checked(text: str) -> str:
        if not pattern.match(text):
            raise ValueError(told)
        return text

    return BeforeValidator(checked)


IS_WHOLE = _spelled(_WHOLE_NUMBER, "must be a whole number of at most nine digits")
IS_TIME = _spelled(re.compile("[0-9]{4}-"), "must be a time such as 2026-01-31T09:00:00Z")


async def services_of(request: Request) -> Services:
    """Return what the application was made with, for the tenant of the request's key, or else the server's own."""
    services: Services = request.app.state.services
    of_key: str | None = getattr(request.state, "tenant", None)
    return services if of_key in (None, services.tenant) else services.of_tenant(of_key)


def etag(document: Versioned) -> dict[str, str]:
    """Return the header that says which state of a document this is."""
    return {"ETag": f'"{revision_of(document)}"'}


IfMatchHeader = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description="The ETag that was read, or `*` for any version.",
        examples=["*"],
        json_schema_extra={"pattern": r'^(\*|"[\x21\x23-\x7e]{0,64}")$'},
    ),
]


async def _expected(if_match: IfMatchHeader = None) -> Revision | None:
    """Return the revision that an If-Match header names; None for `*` or without a header.

    A version alone, as in `"3"`, fits every content of that version.

    Raises:
        InvalidInput: It is not one strong ETag.
    """
    if if_match is None or if_match.strip() == "*":
        return None
    tag = if_match.strip()
    if not _ETAG.fullmatch(tag):
        raise InvalidInput(
            f"If-Match is {tag[:80]!r}; send one ETag as it was read, in its quotes.",
            [Problem("header:If-Match", "is not one strong ETag")],
        )
    version, _, mark = tag[1:-1].partition("-")
    return Revision(int(version), mark or None) if _WHOLE_NUMBER.match(version) else Revision(-1)


async def _required(if_match: IfMatchHeader = None) -> Revision | None:
    if if_match is None:
        raise PreconditionRequired(
            "Send the ETag that was read as If-Match, so that nobody's later change is lost, or `*` for any version."
        )
    return await _expected(if_match)


def is_unchanged(known: str | None, tag: Mapping[str, str]) -> bool:
    """Say whether an If-None-Match header already names an ETag."""
    tags = {one.strip().removeprefix("W/") for one in (known or "").split(",")}
    return tag["ETag"] in tags


def page_start(cursor: str | None) -> int:
    """Return the position in one of our cursors; 0 without a cursor."""
    if cursor is None:
        return 0
    if not _WHOLE_NUMBER.match(cursor):
        raise InvalidInput(
            f"The cursor {cursor[:40]!r} was not made here. Send `next_cursor` of the page before, or none.",
            [Problem("query:cursor", "was not made here")],
        )
    return int(cursor)


IdempotencyHeader = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        pattern=KEY_PATTERN,
        description="Makes sending the same request again safe: it is done once, and answered alike.",
    ),
]


async def _idempotency_key(key: IdempotencyHeader = None) -> str | None:
    return key


UserName = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=CLEAN_PATTERN)]


def user_of(request: Request, named: str | None) -> str:
    """Return the requesting user: the key's, else the one that the request names, else `user`.

    Raises:
        UserNotAllowed: It names another than its key belongs to, or clients may not name any.
    """
    own: str | None = getattr(request.state, "user", None)
    if own is not None and named in (None, own):
        return own
    if named is None:
        return "user"
    if own is not None:
        raise UserNotAllowed("This key belongs to one user, and the request names another. Leave `user` out.")
    if not request.app.state.settings.clients_name_users:
        raise UserNotAllowed("Clients of this server do not say which user they are. Leave `user` out.")
    return named


async def _user(
    request: Request,
    user: Annotated[
        UserName | None, Query(description="Whose memory; by itself the user of the key, or `user`.")
    ] = None,
) -> str:
    return user_of(request, user)


def acting_user(request: Request, named: str | None) -> str:
    """Return who acts: the key's user, else the user that the request names, else `user`.

    Raises:
        UserNotAllowed: It names another than its key belongs to.
    """
    own: str | None = getattr(request.state, "user", None)
    if own is not None and named not in (None, own):
        raise UserNotAllowed(f"This key belongs to {own!r}, and the request names another. Leave `by` out.")
    return own or named or "user"


async def _actor(request: Request) -> str:
    return acting_user(request, None)


TheServices = Annotated[Services, Depends(services_of)]
ConversationId = Annotated[
    str, Path(json_schema_extra={"pattern": CONVERSATION_ID_PATTERN}, examples=["expenses-chat"])
]
"""Any text; one that cannot be an id is as unknown to the store as any other."""
WorkflowId = Annotated[str, Path(json_schema_extra={"pattern": WORKFLOW_ID_PATTERN}, examples=["wf_expense_approval"])]
RunId = Annotated[str, Path(examples=["run_expenses-chat_1_4f1c"])]
Expected = Annotated[Revision | None, Depends(_expected)]
Required = Annotated[Revision | None, Depends(_required)]
KnownEtag = Annotated[str | None, Header(alias="If-None-Match", description="Answer 304 where this is still the ETag.")]
User = Annotated[str, Depends(_user)]
Actor = Annotated[str, Depends(_actor)]
"""The user of the key, or `user`: who a version is said to be by."""
IdempotencyKey = Annotated[str | None, Depends(_idempotency_key)]
Limit = Annotated[int, Query(ge=1, le=200, description="How many at most."), IS_WHOLE]
Cursor = Annotated[
    str | None, Query(max_length=400, pattern="^[A-Za-z0-9_=.:-]+$", description="`next_cursor` of the page before.")
]
Number = Annotated[int, Path(ge=1, le=MAX_NUMBER, examples=[1]), IS_WHOLE]
Flag = Annotated[bool, Query(), _spelled(re.compile(r"(?:true|false)\Z"), "must be true or false")]
Search = Annotated[
    str, Query(max_length=500, pattern=CLEAN_PATTERN, description="Words to look for.", examples=["expense"])
]
