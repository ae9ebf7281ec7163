"""The turns of a conversation: who answered, in which steps, their contents, and the compactions of old ones."""

from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Depends, Path, Query
from starlette.responses import Response

from workflow_agent.api.creation import create_once
from workflow_agent.api.dependencies import (
    ConversationId,
    Cursor,
    IdempotencyKey,
    Limit,
    Number,
    Services,
    TheServices,
    clean_query,
    etag,
    page_start,
)
from workflow_agent.api.native import conversation_shapes as shapes
from workflow_agent.api.native.history import shown_event
from workflow_agent.api.native.request_shapes import NewFeedback
from workflow_agent.api.routes import BODY_PROBLEMS, answers, deletes, json_reply, link, routes_at
from workflow_agent.assistant.compaction.compaction import compaction_named
from workflow_agent.assistant.compaction.policy import turns_compacted
from workflow_agent.conversations.compactions import Compaction
from workflow_agent.conversations.document import AgentReply, Conversation
from workflow_agent.conversations.iterations import Iteration
from workflow_agent.conversations.records import Answer, RecordedTurn
from workflow_agent.conversations.runs import Feedback
from workflow_agent.errors import NotFound

router = routes_at("/api/v1/conversations/{conversation_id}", "history")
OfSeveral = tuple[str | None, str | None]
"""The agent and the run whose answer is meant, where several answered."""


async def _whose(
    agent: Annotated[
        str | None, clean_query(max_length=64, description="Of several that answered, only this agent's.")
    ] = None,
    run_id: Annotated[str | None, clean_query(description="Of several that answered, only this run's.")] = None,
) -> OfSeveral:
    return agent, run_id


Whose = Annotated[OfSeveral, Depends(_whose)]
_OF_TURN = {"conversation_id": "$request.path.conversation_id", "n": "$request.path.n"}


@router.get("/turns/{n}", **answers(shapes.Turn, 404, 422, links={"iterations": link("get_iterations", **_OF_TURN)}))
async def get_turn(conversation_id: ConversationId, n: Number, services: TheServices) -> Response:
    """Return one turn: the message, the reply and the run, and those of all agents that answered it."""
    past = await services.past(conversation_id)
    turn = await past.turn(n)
    replied = [shown_event(past.conversation, one.reply) for one in turn.answers if one.reply]
    shown = {
        "conversation_id": conversation_id,
        "turn": n,
        "message": turn.message.model_dump(mode="json"),
        "reply": shown_event(past.conversation, turn.reply) if turn.reply else None,
        "run": _run(turn.answers[0]) if turn.answers else None,
        "replies": replied,
        "runs": [_run(one) for one in turn.answers if one.run],
    }
    return json_reply(shown)


def _run(answer: Answer) -> Any:
    return answer.run.model_dump(mode="json", exclude={"iterations"}) if answer.run else None


@router.get("/turns/{n}/iterations", **answers(shapes.IterationList, 404, 422))
async def get_iterations(conversation_id: ConversationId, n: Number, services: TheServices, whose: Whose) -> Response:
    """List the iterations of a turn: each model request with its tool calls and their results."""
    turn, answer = await _answer(services, conversation_id, n, whose)
    iterations = await services.contents(conversation_id).resolved(answer.iterations, turn.message)
    runs = [
        shapes.RunOfTurn(run_id=one.run_id, agent=one.agent, iterations=len(one.iterations)) for one in turn.answers
    ]
    shown = shapes.IterationList(
        conversation_id=conversation_id,
        turn=n,
        run_id=answer.run_id or turn.message.run_id or "",
        agent=answer.agent or None,
        items=list(iterations),
        runs=runs,
    )
    return json_reply(shown)


@router.get("/turns/{n}/iterations/{k}", **answers(Iteration, 404, 422))
async def get_iteration(
    conversation_id: ConversationId, n: Number, k: Number, services: TheServices, whose: Whose
) -> Response:
    """Return one iteration of a turn, by its number."""
    turn, answer = await _answer(services, conversation_id, n, whose)
    found = [one for one in answer.iterations if one.number == k]
    if not found:
        raise NotFound(
            f"Turn {n} of conversation {conversation_id!r} has no iteration {k}.", count=len(answer.iterations)
        )
    [whole] = await services.contents(conversation_id).resolved(found[:1], turn.message)
    return json_reply(whole)


async def _answer(services: Services, conversation_id: str, n: int, whose: OfSeveral) -> tuple[RecordedTurn, Answer]:
    """Return a turn, and what the agent or the run that is asked for did in it."""
    turn = await (await services.past(conversation_id)).turn(n)
    agent, run_id = whose
    answer = turn.answer(agent=agent, run_id=run_id)
    if answer is None:
        raise NotFound(
            f"Turn {n} of conversation {conversation_id!r} was not answered by {run_id or agent!r}.",
            runs=[{"run_id": one.run_id, "agent": one.agent} for one in turn.answers],
        )
    return turn, answer


@router.put(
    "/turns/{n}/feedback",
    **answers(shapes.ReplyFeedback, *BODY_PROBLEMS, 404, links={"turn": link("get_turn", **_OF_TURN)}),
)
async def rate_reply(
    conversation_id: ConversationId, n: Number, body: NewFeedback, services: TheServices, whose: Whose
) -> Response:
    """Say what a reply was worth, in place of what was said before; the model is not told.

    Where several agents answered, `agent` or `run_id` says whose reply; without them it is the first.
    """
    reply = await _reply(services, conversation_id, n, whose)
    kept = await keep_rating(services, conversation_id, reply, body)
    return json_reply({"conversation_id": conversation_id, "event_id": reply.id, **kept.model_dump(mode="json")})


async def keep_rating(services: Services, conversation_id: str, reply: AgentReply, rating: NewFeedback) -> Feedback:
    """Keep what a reply was worth; return it, as it was where it says the same as before."""
    given = Feedback(turn=reply.turn, run_id=reply.run_id, rating=rating.rating, note=rating.note, at=services.clock())

    def rated(conversation: Conversation) -> Conversation:
        before = conversation.feedback.get(reply.id)
        if before is not None and before.says(given.rating, given.note):
            return conversation
        return conversation.model_copy(update={"feedback": {**conversation.feedback, reply.id: given}})

    stored = await services.conversations.update(services.tenant, conversation_id, rated)
    return stored.feedback[reply.id]


@router.delete("/turns/{n}/feedback", **deletes("Nothing is said of the reply.", 404, 422))
async def take_back_rating(conversation_id: ConversationId, n: Number, services: TheServices, whose: Whose) -> Response:
    """Take back what was said of a reply, if anything was."""
    reply = await _reply(services, conversation_id, n, whose)

    def unrated(conversation: Conversation) -> Conversation:
        if reply.id not in conversation.feedback:
            return conversation
        left = {key: one for key, one in conversation.feedback.items() if key != reply.id}
        return conversation.model_copy(update={"feedback": left})

    await services.conversations.update(services.tenant, conversation_id, unrated)
    return Response(status_code=204)


async def _reply(services: Services, conversation_id: str, n: int, whose: OfSeveral) -> AgentReply:
    """Return a reply of a turn: the first unless an agent's or a run's is asked for."""
    _, answer = await _answer(services, conversation_id, n, whose)
    if answer.reply is None:
        raise NotFound(f"Turn {n} of conversation {conversation_id!r} has no reply to say anything of.")
    return answer.reply


@router.get("/blobs/{digest}", **answers(shapes.Blob, 404, 422))
async def get_blob(
    conversation_id: ConversationId,
    digest: Annotated[
        str, Path(pattern="^(sha256:)?[0-9a-f]{64}$", description="A `content_ref`, or the digest in it.")
    ],
    services: TheServices,
) -> Response:
    """Return a content that is kept apart because it is large, such as a tool result."""
    await services.conversation(conversation_id)
    content_ref = f"sha256:{digest.removeprefix('sha256:')}"
    content = await services.conversations.blob(services.tenant, conversation_id, content_ref)
    return json_reply(shapes.Blob(content_ref=content_ref, content=content))


CompactionId = Annotated[str, Path(examples=["cmp_4f1c"])]
_ID = {"conversation_id": "$request.path.conversation_id"}


@router.get("/compactions", **answers(shapes.CompactionList, 404, 422))
async def list_compactions(
    conversation_id: ConversationId,
    services: TheServices,
    order: Annotated[Literal["oldest", "newest"], Query(description="Which come first.")] = "oldest",
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """List all compactions, oldest first unless told otherwise, with what each dropped and cost."""
    past = await services.past(conversation_id)
    start = page_start(cursor) if cursor is not None else None
    found = await past.compactions(start, limit, newest_first=order == "newest")
    following = None if found.following is None else str(found.following)
    return json_reply(shapes.CompactionList(items=list(found.items), next_cursor=following, total=found.total or 0))


@router.post(
    "/compactions",
    **answers(Compaction, *BODY_PROBLEMS, 404, 409, status=201, links={"compactions": link("list_compactions", **_ID)}),
)
async def compact(conversation_id: ConversationId, services: TheServices, key: IdempotencyKey) -> Response:
    """Sum up the oldest turns now; 409 where none may go."""

    async def find(compaction_id: str) -> Compaction:
        return compaction_named(await services.conversation(conversation_id), compaction_id)

    create = partial(services.compactor.on_request, services.tenant, conversation_id)
    request = [conversation_id, "compact"]
    made, replayed = await create_once(services.keys, key, request, services.new_id("cmp"), create=create, find=find)
    return json_reply(made, 201, replayed)


@router.post(
    "/compactions/{compaction_id}/restore",
    **answers(shapes.RestoredCompactions, *BODY_PROBLEMS, 404, 409, headers=("ETag",)),
)
async def restore_compaction(
    conversation_id: ConversationId, compaction_id: CompactionId, services: TheServices
) -> Response:
    """Bring the turns of a compaction back into the window, and those of all later ones with them.

    Where they do not fit, a 409 says by how many tokens.
    """
    restored, conversation = await services.compactor.restore(services.tenant, conversation_id, compaction_id)
    shown = shapes.RestoredCompactions(
        conversation_id=conversation.id,
        restored=[one.id for one in restored],
        turns_compacted=turns_compacted(conversation),
    )
    return json_reply(shown, headers=etag(conversation))
