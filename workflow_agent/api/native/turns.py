"""The turns of a conversation: who answered, in which steps, and the contents these refer to."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query
from starlette.responses import Response

from workflow_agent.api.native.conversation_shapes import Blob, IterationList, ReplyFeedback, RunOfTurn, Turn
from workflow_agent.api.native.history import shown_event
from workflow_agent.api.native.request_shapes import NewFeedback
from workflow_agent.api.parameters import CLEAN_PATTERN, ConversationId, Number, Tenant, TheServices
from workflow_agent.api.routes import StrictRoute, json_reply, link, problem_replies, replies
from workflow_agent.api.services import Services, past_of
from workflow_agent.assistant.window.contents import Contents
from workflow_agent.conversations.document import AgentReply, Conversation
from workflow_agent.conversations.iterations import Iteration
from workflow_agent.conversations.records import Answer, RecordedTurn
from workflow_agent.conversations.runs import Feedback
from workflow_agent.errors import NotFound

router = APIRouter(prefix="/api/v1/conversations/{conversation_id}", tags=["history"], route_class=StrictRoute)
OfAgent = Annotated[
    str | None, Query(max_length=64, pattern=CLEAN_PATTERN, description="Of several that answered, only this agent's.")
]
OfRun = Annotated[
    str | None, Query(max_length=200, pattern=CLEAN_PATTERN, description="Of several that answered, only this run's.")
]

_OF_TURN = {"conversation_id": "$request.path.conversation_id", "n": "$request.path.n"}


@router.get(
    "/turns/{n}",
    operation_id="get_turn",
    response_model=Turn,
    responses=replies(404, 422, links={"iterations": link("get_iterations", **_OF_TURN)}),
)
async def get_turn(conversation_id: ConversationId, n: Number, services: TheServices, tenant: Tenant) -> Response:
    """Return one turn: the message, the reply and the run, and those of all agents that answered it."""
    past = await past_of(services, tenant, conversation_id)
    turn = await past.turn(n)
    replied = [shown_event(past.conversation, one.reply) for one in turn.answers if one.reply]
    return json_reply(
        {
            "conversation_id": conversation_id,
            "turn": n,
            "message": turn.message.model_dump(mode="json"),
            "reply": shown_event(past.conversation, turn.reply) if turn.reply else None,
            "run": _run(turn.answers[0]) if turn.answers else None,
            "replies": replied,
            "runs": [_run(one) for one in turn.answers if one.run],
        }
    )


def _run(answer: Answer) -> Any:
    return answer.run.model_dump(mode="json", exclude={"iterations"}) if answer.run else None


@router.get(
    "/turns/{n}/iterations", operation_id="get_iterations", response_model=IterationList, responses=replies(404, 422)
)
async def get_iterations(
    conversation_id: ConversationId,
    n: Number,
    services: TheServices,
    tenant: Tenant,
    agent: OfAgent = None,
    run_id: OfRun = None,
) -> Response:
    """List the iterations of a turn: each model request with its tool calls and their results."""
    turn, answer = await _answer(services, tenant, conversation_id, n, agent, run_id)
    iterations = await _contents(services, tenant, conversation_id).resolved(answer.iterations, turn.message)
    runs = [RunOfTurn(run_id=one.run_id, agent=one.agent, iterations=len(one.iterations)) for one in turn.answers]
    return json_reply(
        IterationList(
            conversation_id=conversation_id,
            turn=n,
            run_id=answer.run_id or turn.message.run_id or "",
            agent=answer.agent or None,
            items=list(iterations),
            runs=runs,
        )
    )


@router.get(
    "/turns/{n}/iterations/{k}", operation_id="get_iteration", response_model=Iteration, responses=replies(404, 422)
)
async def get_iteration(
    conversation_id: ConversationId,
    n: Number,
    k: Number,
    services: TheServices,
    tenant: Tenant,
    agent: OfAgent = None,
    run_id: OfRun = None,
) -> Response:
    """Return one iteration of a turn, by its number."""
    turn, answer = await _answer(services, tenant, conversation_id, n, agent, run_id)
    found = [one for one in answer.iterations if one.number == k]
    if not found:
        raise NotFound(
            f"Turn {n} of conversation {conversation_id!r} has no iteration {k}.", count=len(answer.iterations)
        )
    [whole] = await _contents(services, tenant, conversation_id).resolved(found[:1], turn.message)
    return json_reply(whole)


async def _answer(
    services: Services, tenant: str, conversation_id: str, n: int, agent: str | None, run_id: str | None
) -> tuple[RecordedTurn, Answer]:
    """Return a turn, and what the agent or the run that is asked for did in it."""
    turn = await (await past_of(services, tenant, conversation_id)).turn(n)
    answer = turn.answer(agent=agent, run_id=run_id)
    if answer is None:
        raise NotFound(
            f"Turn {n} of conversation {conversation_id!r} was not answered by {run_id or agent!r}.",
            runs=[{"run_id": one.run_id, "agent": one.agent} for one in turn.answers],
        )
    return turn, answer


@router.put(
    "/turns/{n}/feedback",
    operation_id="rate_reply",
    response_model=ReplyFeedback,
    responses=replies(404, 408, 413, 415, 422, links={"turn": link("get_turn", **_OF_TURN)}),
)
async def rate_reply(
    conversation_id: ConversationId,
    n: Number,
    body: Annotated[NewFeedback, Body()],
    services: TheServices,
    tenant: Tenant,
    agent: OfAgent = None,
    run_id: OfRun = None,
) -> Response:
    """Say what a reply was worth, in place of what was said before; the model is not told.

    Where several agents answered, `agent` or `run_id` says whose reply; without them it is the first.
    """
    reply = await _reply(services, tenant, conversation_id, n, agent, run_id)
    kept = await keep_rating(services, tenant, conversation_id, reply, body)
    told = kept.model_dump(mode="json")
    return json_reply({"conversation_id": conversation_id, "event_id": reply.id, **told})


async def keep_rating(
    services: Services, tenant: str, conversation_id: str, reply: AgentReply, rating: NewFeedback
) -> Feedback:
    """Keep what a reply was worth; return it, as it was where it says the same as before."""
    given = Feedback(turn=reply.turn, run_id=reply.run_id, rating=rating.rating, note=rating.note, at=services.clock())

    def rated(conversation: Conversation) -> Conversation:
        before = conversation.feedback.get(reply.id)
        if before is not None and before.says(given.rating, given.note):
            return conversation
        return conversation.model_copy(update={"feedback": {**conversation.feedback, reply.id: given}})

    stored = await services.conversations.update(tenant, conversation_id, rated)
    return stored.feedback[reply.id]


@router.delete(
    "/turns/{n}/feedback",
    operation_id="take_back_rating",
    status_code=204,
    responses={204: {"description": "Nothing is said of the reply."}} | problem_replies(404, 422),
)
async def take_back_rating(
    conversation_id: ConversationId,
    n: Number,
    services: TheServices,
    tenant: Tenant,
    agent: OfAgent = None,
    run_id: OfRun = None,
) -> Response:
    """Take back what was said of a reply, if anything was."""
    reply = await _reply(services, tenant, conversation_id, n, agent, run_id)

    def unrated(conversation: Conversation) -> Conversation:
        if reply.id not in conversation.feedback:
            return conversation
        left = {key: one for key, one in conversation.feedback.items() if key != reply.id}
        return conversation.model_copy(update={"feedback": left})

    await services.conversations.update(tenant, conversation_id, unrated)
    return Response(status_code=204)


async def _reply(
    services: Services, tenant: str, conversation_id: str, n: int, agent: str | None, run_id: str | None
) -> AgentReply:
    """Return a reply of a turn: the first unless an agent's or a run's is asked for."""
    _, answer = await _answer(services, tenant, conversation_id, n, agent, run_id)
    if answer.reply is None:
        raise NotFound(f"Turn {n} of conversation {conversation_id!r} has no reply to say anything of.")
    return answer.reply


@router.get("/blobs/{digest}", operation_id="get_blob", response_model=Blob, responses=replies(404, 422))
async def get_blob(
    conversation_id: ConversationId,
    digest: Annotated[
        str, Path(pattern="^(sha256:)?[0-9a-f]{64}$", description="A `content_ref`, or the digest in it.")
    ],
    services: TheServices,
    tenant: Tenant,
) -> Response:
    """Return a content that is kept apart because it is large, such as a tool result."""
    await services.conversations.load(tenant, conversation_id)
    content_ref = f"sha256:{digest.removeprefix('sha256:')}"
    content = await services.conversations.blob(tenant, conversation_id, content_ref)
    return json_reply(Blob(content_ref=content_ref, content=content))


def _contents(services: Services, tenant: str, conversation_id: str) -> Contents:
    return Contents(services.conversations, tenant, conversation_id)
