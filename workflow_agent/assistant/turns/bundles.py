"""Whole conversations: copied as a fork, and taken elsewhere and back as one document."""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from pydantic import ValidationError

from workflow_agent.conversations.acceptance import interrupt_dead_runs
from workflow_agent.conversations.archive import Position
from workflow_agent.conversations.document import (
    SCHEMA_VERSION,
    Conversation,
    SystemEvent,
    WorkflowReference,
    conversation_document,
)
from workflow_agent.conversations.fork import NewFork, as_own, forked
from workflow_agent.conversations.records import kept_apart, upgraded
from workflow_agent.conversations.seals import SealedPart, whole_conversation
from workflow_agent.conversations.store import ConversationStore
from workflow_agent.conversations.verification import wrong_in
from workflow_agent.errors import ContentNotFound, InvalidInput, NotFound, Problem
from workflow_agent.values.stored import JsonObject, content_ref_of, iso_milliseconds
from workflow_agent.workflows.model.parser import problems_of


async def whole_of(store: ConversationStore, tenant: str, conversation_id: str) -> Conversation:
    """Return a conversation with all its sealed parts.

    Raises:
        ConversationNotFound: There is none.
        CorruptDocument: A part of it is missing or damaged.
    """
    conversation = await store.load(tenant, conversation_id)
    parts: list[SealedPart] = []
    turn = 1
    while turn <= conversation.sealed_turns:
        parts.append(await store.sealed(tenant, conversation_id, Position("turn", turn)))
        turn = parts[-1].last_turn + 1
    return whole_conversation(conversation, parts)


async def contents_of(store: ConversationStore, tenant: str, whole: Conversation) -> Mapping[str, Any]:
    """Return the contents that a conversation keeps apart, by reference; one that is lost is missing."""
    found: dict[str, Any] = {}
    for reference in sorted(kept_apart(whole)):
        try:
            found[reference] = await store.blob(tenant, whole.id, reference)
        except ContentNotFound:
            # Lost before: what refers to it says so to whoever asks.
            continue
    return found


async def created_with(
    store: ConversationStore, conversation: Conversation, contents: Mapping[str, Any]
) -> Conversation:
    """Return a new conversation as stored, its contents first: nothing refers to what is not there.

    Raises:
        AlreadyExists: The id is taken.
    """
    for reference in sorted(kept_apart(conversation)):
        if reference in contents:
            await store.put_blob(conversation.tenant, conversation.id, contents[reference])
    return await store.create(conversation)


async def fork(store: ConversationStore, tenant: str, whole: Conversation, new: NewFork) -> Conversation:
    """Return a new conversation, as stored, that holds another one up to an event.

    Raises:
        AlreadyExists: The id is taken.
    """
    contents = await contents_of(store, tenant, whole)
    return await created_with(store, forked(whole, new), contents)


def index_of_event(whole: Conversation, event_id: str) -> int:
    """Return the number of an event by its id.

    Raises:
        NotFound: There is none.
    """
    found = next((event.index for event in whole.events if event.id == event_id), None)
    if found is None:
        raise NotFound(f"Conversation {whole.id!r} has no event {event_id[:80]!r}.")
    return found


def index_of_number(whole: Conversation, number: int) -> int:
    """Return the number of an event that there is.

    Raises:
        NotFound: There is none.
    """
    if not 0 <= number < len(whole.events):
        raise NotFound(f"Conversation {whole.id!r} has no event number {number}.", events=len(whole.events))
    return number


def index_of_turn(whole: Conversation, turn: int) -> int:
    """Return the number of the last event of a turn.

    Raises:
        NotFound: There is no such turn.
    """
    of_turn = [event.index for event in whole.events if not isinstance(event, SystemEvent) and event.turn == turn]
    if not of_turn:
        raise NotFound(f"Conversation {whole.id!r} has no turn {turn}.", turns=whole.turn_count)
    return max(of_turn)


FORMAT = "workflow-agent/conversation"
_MOST_LEVELS = 128
_TOLERATED = frozenset({"wrong_totals"})
_PROBLEMS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Bundle:
    """A conversation with all its turns in it, and the contents it keeps apart, by reference."""

    conversation: Conversation
    contents: Mapping[str, Any]


def without_workflows(bundle: Bundle, missing: Collection[str]) -> Bundle:
    """Return a bundle whose conversation knows which of its workflows are not here; none of them is open."""
    old, was_open = bundle.conversation, bundle.conversation.bound_workflow_id
    refs = [one.model_copy(update={"is_elsewhere": one.workflow_id in missing}) for one in old.workflow_refs]
    if was_open is not None and was_open in missing and not any(one.workflow_id == was_open for one in refs):
        refs.append(_opened_elsewhere(old, was_open))
    bound = None if was_open in missing else was_open
    conversation = old.model_copy(update={"workflow_refs": tuple(refs), "bound_workflow_id": bound})
    return Bundle(conversation, bundle.contents)


async def exported(store: ConversationStore, tenant: str, conversation_id: str, at: datetime) -> JsonObject:
    """Return a conversation as a document, sealed turns and contents included.

    Raises:
        ConversationNotFound: There is none.
        CorruptDocument: A part of it is missing or damaged.
    """
    whole = await whole_of(store, tenant, conversation_id)
    contents = await contents_of(store, tenant, whole)
    return packed(Bundle(whole, contents)) | {"exported_at": iso_milliseconds(at)}


def packed(bundle: Bundle) -> JsonObject:
    """Return a bundle as the document that an import takes."""
    inside = bundle.conversation
    # As text within the document: so it comes back as it was, whatever characters tools and models wrote.
    payload = json.dumps({"conversation": conversation_document(inside), "contents": dict(bundle.contents)})
    digest = hashlib.sha256(payload.encode()).hexdigest()
    return {
        "format": FORMAT,
        "format_version": 1,
        "conversation_id": inside.id,
        "title": inside.title,
        "turns": inside.turn_count,
        "sha256": digest,
        "payload": payload,
    }


def opened(payload: str, sha256: str) -> Bundle:
    """Return what a bundle holds, after it was checked in every respect.

    Raises:
        InvalidInput: It was altered, is of a newer release, or does not hold a sound conversation.
    """
    if hashlib.sha256(payload.encode("utf-8", "surrogatepass")).hexdigest() != sha256:
        raise _refused("/sha256", "The payload is not the one that was exported: its digest differs.")
    plain = _parsed(payload)
    contents, document = plain.get("contents"), plain.get("conversation")
    if not isinstance(contents, dict) or not isinstance(document, dict):
        raise _refused("/payload", "The payload holds no conversation with its contents.")
    conversation = _conversation(cast("JsonObject", document))
    known = cast("JsonObject", contents)
    _check_contents(conversation, known)
    wrong = [one for one in wrong_in(conversation) if one.kind not in _TOLERATED]
    if wrong:
        said = " ".join(one.message for one in wrong[:_PROBLEMS_SHOWN])
        raise _refused("/payload", f"The conversation contradicts itself. {said}")
    return Bundle(conversation, known)


async def imported(
    store: ConversationStore, bundle: Bundle, *, tenant: str, conversation_id: str, at: datetime
) -> Conversation:
    """Return the conversation of a bundle as stored under an id.

    A run that was under way when it was exported is interrupted: nobody works on it here.

    Raises:
        AlreadyExists: The id is taken.
    """
    old = bundle.conversation
    mine = old.model_copy(
        update={
            "id": conversation_id,
            "tenant": tenant,
            "version": 0,
            "workflow_refs": tuple(as_own(one, old.id, conversation_id) for one in old.workflow_refs),
        }
    )
    settled = interrupt_dead_runs(mine, is_alive=lambda _: False, at=at)
    return await created_with(store, settled, bundle.contents)


def _opened_elsewhere(conversation: Conversation, workflow_id: str) -> WorkflowReference:
    return WorkflowReference(
        workflow_id=workflow_id,
        name=workflow_id,
        relation="viewed",
        turn=conversation.turn_count,
        conversation_id=conversation.id,
        at=conversation.updated_at,
        is_elsewhere=True,
    )


def _parsed(payload: str) -> JsonObject:
    try:
        plain: Any = json.loads(payload, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise _refused("/payload", f"The payload is not JSON: {error}.") from error
    if not isinstance(plain, dict):
        raise _refused("/payload", "The payload is no JSON object.")
    _check_levels(plain)
    return cast("JsonObject", plain)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _check_levels(value: Any) -> None:
    """Refuse what is nested so deep that whoever reads it could not."""
    level: list[Any] = [value]
    for _ in range(_MOST_LEVELS):
        level = [
            inner
            for here in level
            for inner in (cast("JsonObject", here).values() if isinstance(here, dict) else here)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise _refused("/payload", f"The payload is nested deeper than {_MOST_LEVELS} levels.")


def _conversation(document: JsonObject) -> Conversation:
    version: object = document.get("schema_version")
    if type(version) is not int or not 1 <= version <= SCHEMA_VERSION:
        raise _refused(
            "/payload", f"The conversation's schema version is {version!r}; 1 to {SCHEMA_VERSION} are read here."
        )
    try:
        found = Conversation.model_validate_json(json.dumps(upgraded(document, version)))
    except ValidationError as error:
        problems = problems_of(error)[:_PROBLEMS_SHOWN]
        raise InvalidInput(
            "The payload holds no conversation: "
            + "; ".join(f"{one.pointer or '/'}: {one.message}" for one in problems),
            [Problem(f"/payload{one.pointer}", one.message) for one in problems],
        ) from error
    if found.archive:
        raise _refused("/payload", "The conversation names sealed files, which a bundle does not have.")
    return found


def _check_contents(conversation: Conversation, contents: JsonObject) -> None:
    wanted = kept_apart(conversation)
    for reference, content in contents.items():
        if reference not in wanted:
            raise _refused("/payload", f"Nothing refers to the content {reference[:80]!r}.")
        if content_ref_of(content) != reference:
            raise _refused("/payload", f"The content {reference!r} is another one: its digest differs.")


def _refused(pointer: str, message: str) -> InvalidInput:
    return InvalidInput(message, [Problem(pointer, message)])
