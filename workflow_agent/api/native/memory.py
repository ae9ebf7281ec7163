"""What is known of a person: seen, corrected, forgotten."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path
from pydantic import BaseModel, StringConstraints
from starlette.responses import Response

from workflow_agent.api.body import Body
from workflow_agent.api.dependencies import CLEAN_PATTERN, TheServices, User
from workflow_agent.api.routes import BODY_PROBLEMS, answers, deletes, json_reply, routes_at
from workflow_agent.conversations.document import Relation
from workflow_agent.conversations.memory.aliases import given_aliases
from workflow_agent.conversations.memory.person import MAX_FACT_CHARS, Fact, FactKind, FactSource
from workflow_agent.conversations.memory.references import Known
from workflow_agent.conversations.memory.service import WhatIsKnown, alias_id
from workflow_agent.errors import InvalidInput, NotFound
from workflow_agent.values.stored import iso_milliseconds

router = routes_at("/api/v1/memory", "memory")
_FactText = Annotated[str, StringConstraints(min_length=1, max_length=MAX_FACT_CHARS, pattern=CLEAN_PATTERN)]
KnownId = Annotated[str, Path(max_length=80, examples=["mem_0f3a9c21b7"])]


class MemoryItem(BaseModel):
    """One thing that is known."""

    id: str
    kind: str
    """preference, instruction, favourite or note; alias for a name given to a workflow."""
    text: str
    workflow_id: str | None
    source: FactSource | None
    """The turn it was told in; null for what was corrected by hand."""
    at: datetime


class DealtWith(BaseModel):
    """A workflow that the person dealt with."""

    id: str
    name: str
    relation: Relation
    """What was done to it last."""
    source: FactSource
    at: datetime


class Memory(BaseModel):
    """All that is known of a person."""

    user: str
    items: list[MemoryItem]
    """The latest last."""
    workflows: list[DealtWith]
    """The one dealt with last first."""


class MemoryChange(Body):
    """What to correct; fields left out stay as they are."""

    text: _FactText | None = None
    kind: FactKind | None = None


@router.get("", **answers(Memory, 422))
async def get_memory(services: TheServices, user: User) -> Response:
    """Return all that is known of a person across conversations, each thing with the turn it comes from."""
    known = await services.personal.known(services.tenant, user)
    dealt_with = [_dealt_with(one) for one in known.workflows]
    return json_reply({"user": user, "items": _items(known), "workflows": dealt_with})


@router.get("/{known_id}", **answers(MemoryItem, 404, 422))
async def get_memory_item(known_id: KnownId, services: TheServices, user: User) -> Response:
    """Return one thing that is known of a person."""
    items = _items(await services.personal.known(services.tenant, user))
    found = next((one for one in items if one["id"] == known_id), None)
    if found is None:
        raise NotFound(f"Nothing is remembered as {known_id!r}. GET /api/v1/memory lists what is.")
    return json_reply(found)


@router.patch("/{known_id}", **answers(MemoryItem, *BODY_PROBLEMS, 404))
async def change_memory_item(known_id: KnownId, body: MemoryChange, services: TheServices, user: User) -> Response:
    """Correct what is remembered; the text before is taken out of the person's conversations too.

    With another text it has another id, which the answer says.
    """
    if body.text is None and body.kind is None:
        raise InvalidInput("Nothing is to be changed; give `text`, `kind` or both.")
    fact = await services.personal.correct(services.tenant, user, known_id, text=body.text, kind=body.kind)
    return json_reply(_fact(fact))


@router.delete("/{known_id}", **deletes("It is forgotten.", 404, 422))
async def forget_memory_item(known_id: KnownId, services: TheServices, user: User) -> Response:
    """Forget one thing: also in the person's conversations each sentence that tells it becomes `[forgotten]`.

    By the id of a workflow it is forgotten that the person dealt with it.
    """
    await services.personal.forget(services.tenant, user, known_id)
    return Response(status_code=204)


@router.delete("", **deletes("Nothing is known of the person any more.", 422))
async def forget_memory(services: TheServices, user: User) -> Response:
    """Forget all that is known of a person across conversations; the conversations themselves stay."""
    await services.personal.forget_all(services.tenant, user)
    return Response(status_code=204)


def _items(known: WhatIsKnown) -> list[dict[str, Any]]:
    aliases = [
        {
            "id": alias_id(one.workflow_id, alias),
            "kind": "alias",
            "text": alias,
            "workflow_id": one.workflow_id,
            "source": _source(one),
            "at": iso_milliseconds(one.newest.at),
        }
        for one in known.workflows
        for alias in given_aliases(one.name, one.aliases)
    ]
    return [*map(_fact, known.facts), *aliases]


def _fact(fact: Fact) -> dict[str, Any]:
    return {**fact.model_dump(mode="json"), "workflow_id": None}


def _dealt_with(one: Known) -> dict[str, Any]:
    return {
        "id": one.workflow_id,
        "name": one.name,
        "relation": one.newest.relation,
        "source": _source(one),
        "at": iso_milliseconds(one.newest.at),
    }


def _source(one: Known) -> dict[str, Any]:
    return {"conversation_id": one.newest.conversation_id, "turn": one.newest.turn}
