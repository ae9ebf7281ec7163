"""Building the window of a turn: workflows remembered, old results to choose from, no model asked."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from statistics import median
from typing import Any

from benchmarks.figures import RATIO, Figure, Section
from benchmarks.reading_model import MESSAGE
from benchmarks.service import TENANT, Service, as_served, service
from tests.support.compacted_talks import compacted_by_policy
from tests.support.long_talks import accepted, answered, talked
from workflow_agent.assistant.requests import TurnRequest
from workflow_agent.assistant.turns.run import Runner
from workflow_agent.assistant.window.material import Gathering
from workflow_agent.conversations.document import AgentReply, Conversation, WorkflowReference
from workflow_agent.conversations.iterations import Message, ToolCall, ToolResult

LENGTHS = (100, 10_000)
WORKFLOWS, ARTIFACTS = 50, 200
TURNS_WITH_RESULTS = range(4, 9)
"""Back from the newest: they are in the conversation's file, and no longer whole in the window."""
RESULTS_A_TURN = ARTIFACTS // len(TURNS_WITH_RESULTS)
APPROVALS = 10
ROUNDS = 30
MOST_MS, MOST_LATE = 10.0, 1.3
_GROWN_AT_ONCE = 40


@dataclass(frozen=True)
class Repeated(Gathering):
    """Gathers as the service does, and then again and again, timed; the plan is known from the first time."""

    times: list[float] = field(default_factory=list[float])
    artifacts: list[int] = field(default_factory=list[int])

    async def around(self, *asked: Any, **how: Any) -> Any:
        """Return the window with the artifacts."""
        built = await super().around(*asked, **how)
        for _ in range(ROUNDS):
            started = time.process_time()
            built = await super().around(*asked, **how)
            self.times.append((time.process_time() - started) * 1_000)
        self.artifacts.append(len(built.planning["artifacts_processed"]))
        planned = built.planning["planning"]["planned_by"]
        assert planned != "model", "a model was asked"
        return built


def _ended(conversation: Conversation) -> Conversation:
    for left in reversed(range(_GROWN_AT_ONCE)):
        conversation = answered(accepted(conversation))
        if left in TURNS_WITH_RESULTS:
            conversation = _with_results(conversation)
    return compacted_by_policy(conversation)


def _with_results(conversation: Conversation) -> Conversation:
    """Return the conversation with several results of its own in its newest reply."""
    *events, reply = conversation.events
    assert isinstance(reply, AgentReply)
    first, *steps = reply.iterations
    ids = [f"call_{reply.turn}_{number}" for number in range(RESULTS_A_TURN)]
    calls = tuple(ToolCall(id=one, name="search_workflows", args={"query": one}) for one in ids)
    results = tuple(
        ToolResult(id=one, name="search_workflows", content=f"Found for {one}: " + "an approval, " * APPROVALS)
        for one in ids
    )
    asked = Message(role="assistant", tool_calls=calls)
    told = first.model_copy(update={"messages": (asked, Message(role="tool", results=results))})
    changed = reply.model_copy(update={"iterations": (told, *steps)})
    return conversation.model_copy(update={"events": (*events, changed)})


def _remembering(conversation: Conversation) -> Conversation:
    references = tuple(
        WorkflowReference(
            workflow_id=f"wf_number_{number}",
            name=f"Number {number}",
            relation="viewed",
            turn=number + 1,
            conversation_id=conversation.id,
            at=conversation.updated_at - timedelta(minutes=number),
        )
        for number in range(WORKFLOWS)
    )
    return conversation.model_copy(update={"workflow_refs": references})


async def _conversation_of(one: Service, turns: int) -> str:
    store, own_id = one.application.stores.conversations, f"cv_{turns:012}"
    at = one.application.services.clock()
    await store.create(Conversation(id=own_id, tenant=TENANT, created_at=at, updated_at=at))
    for _ in range(turns // _GROWN_AT_ONCE - 1):
        await store.update(TENANT, own_id, lambda now: compacted_by_policy(talked(_GROWN_AT_ONCE, now)))
    await store.update(TENANT, own_id, _ended)
    await store.update(TENANT, own_id, _remembering)
    return own_id


async def _built(one: Service, turns: int) -> Repeated:
    chat = one.chat
    runner: Runner = chat.worker.runner
    known: dict[str, Any] = {one.name: getattr(runner.gathering, one.name) for one in fields(runner.gathering)}
    repeated = Repeated(**known)
    timed = replace(chat, worker=replace(chat.worker, runner=replace(runner, gathering=repeated)))
    request = TurnRequest(message=MESSAGE, conversation_id=await _conversation_of(one, turns))
    wait: Callable[[], Awaitable[object]] = (await timed.start(TENANT, request)).outcome
    await wait()
    await runner.compactor.settled()
    return repeated


async def _measured(lengths: tuple[int, int]) -> Section:
    async with service(plans=True) as one:
        built = {turns: await _built(one, turns) for turns in lengths}
    taken = {turns: median(repeated.times) for turns, repeated in built.items()}
    first, last = lengths
    return Section(
        "contexts",
        "Building the context",
        f"From the conversation to the list of messages, {WORKFLOWS} workflows remembered and {ARTIFACTS} "
        f"results of earlier turns or more to choose from; the plan is known, so that no model is asked. "
        f"Medians of {ROUNDS} rounds.",
        [
            *(Figure(f"context of turn {turns:,}", taken[turns], "ms", most=MOST_MS) for turns in lengths),
            Figure(f"context of turn {last:,} / turn {first:,}", taken[last] / taken[first], RATIO, most=MOST_LATE),
            *(
                Figure(f"artifacts at turn {turns:,}", one.artifacts[0], "", least=ARTIFACTS)
                for turns, one in built.items()
            ),
        ],
    )


def measure(lengths: tuple[int, int] = LENGTHS) -> Section:
    """Return the figures of building the context in conversations of two lengths."""
    return as_served(_measured(lengths))
