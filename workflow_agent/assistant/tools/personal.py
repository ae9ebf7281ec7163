"""The tool for what a person wants remembered, listed, corrected or forgotten."""

from typing import Literal

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext

from workflow_agent.assistant.context import WorkflowContext
from workflow_agent.assistant.tools.parameters import Parameters
from workflow_agent.conversations.memory.person import Fact, FactKind, FactSource, fact_meant
from workflow_agent.errors import InvalidInput
from workflow_agent.values.stored import JsonObject

_EVERYTHING = frozenset({"everything", "all", "it all", "all of it", "everything about me", "me"})


class PersonalMemoryRequest(Parameters):
    """What to do with what is remembered of this user."""

    action: Literal["remember", "list", "correct", "forget"] = Field(description="what to do")
    text: str = Field(
        default="",
        max_length=500,
        description="the user's words; to forget also 'everything', or nothing for the last told",
    )
    kind: FactKind | None = Field(default=None, description="of what")
    id: str = Field(default="", max_length=40, description="mem_…, or by text")


async def personal_memory(ctx: RunContext[WorkflowContext], request: PersonalMemoryRequest) -> JsonObject:
    """Remember for all conversations what the user asks to; do not repeat what was forgotten."""
    try:
        if request.action == "remember":
            return {"remembered": _told(await _remember(ctx.deps, request))}
        if request.action == "list":
            person = await ctx.deps.personal.facts(ctx.deps.tenant, ctx.deps.user)
            return {"remembered": [_told(one) for one in person.facts]}
        return await _change(ctx.deps, request)
    except InvalidInput as error:
        raise ModelRetry(error.message) from error


async def _remember(deps: WorkflowContext, request: PersonalMemoryRequest) -> Fact:
    source = FactSource(conversation_id=deps.conversation.id, turn=deps.conversation.turn_count)
    return await deps.personal.remember(deps.tenant, deps.user, request.text, request.kind, source)


async def _change(deps: WorkflowContext, request: PersonalMemoryRequest) -> JsonObject:
    """Correct or forget what is meant, if it is plain what that is."""
    if request.action == "forget" and request.text.strip(" .!").casefold() in _EVERYTHING:
        await deps.personal.forget_all(deps.tenant, deps.user)
        return {"forgotten": "everything"}
    person = await deps.personal.facts(deps.tenant, deps.user)
    said = request.id if request.action == "correct" else request.id or request.text
    meant = fact_meant(person, said, deps.conversation.id)
    if len(meant) != 1:
        return {"forgotten": None, "candidates": [_told(one) for one in meant or person.facts]}
    (one,) = meant
    if request.action == "correct":
        new = await deps.personal.correct(deps.tenant, deps.user, one.id, text=request.text, kind=None)
        return {"corrected": _told(new)}
    await deps.personal.forget(deps.tenant, deps.user, one.id)
    return {"forgotten": one.id, "left": len(person.facts) - 1}


def _told(one: Fact) -> JsonObject:
    return one.model_dump(mode="json", include={"id", "kind", "text", "source"})


TOOLS = (personal_memory,)
