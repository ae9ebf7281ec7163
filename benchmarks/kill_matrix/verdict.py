"""What is to hold after a round of faults, and what did not."""

import json
from collections import Counter
from collections.abc import Iterable

from benchmarks.kill_matrix.clients import Clients
from benchmarks.kill_matrix.hosts import LEASE_SECONDS
from benchmarks.kill_matrix.matrix import Matrix, Ownership
from benchmarks.kill_matrix.provider import Asked, order_in
from tests.support.provider import JsonObject
from workflow_agent.assistant.turns.takeover import MOST_ATTEMPTS
from workflow_agent.conversations.archive import Position
from workflow_agent.conversations.document import AgentReply, Event, UserMessage
from workflow_agent.storage.postgres.conversations import PostgresConversationStore
from workflow_agent.storage.postgres.database import of_all_tenants

SWEEP_SECONDS = 2.0
"""How long after a lease is over a run may wait for somebody to go on with it."""
CANCEL_SECONDS = 1.0
_WAKING_SECONDS = 0.1
_COUNTED = ("by point and kind", "answers", "followed")
_LONGEST = "longest"
"""How what is no sum begins."""


async def judged(matrix: Matrix, clients: Clients, conversations: int) -> JsonObject:
    """Return what came of a round, as it is stored and as it was seen on the way."""
    store = PostgresConversationStore(matrix.database)
    messages: Counter[int] = Counter()
    replies: Counter[int] = Counter()
    runs: dict[str, int] = {}
    for number in range(conversations):
        for event in await _events(store, f"matrix-{number}"):
            if isinstance(event, UserMessage) and event.run_id:
                runs[event.run_id] = order_in(event.content)
                messages[runs[event.run_id]] += 1
            elif isinstance(event, AgentReply):
                replies[runs[str(event.run_id)]] += 1
    made = Counter(
        int(json.loads(row["body"])["document"]["description"].removeprefix("state "))
        for row in await matrix.database.rows(of_all_tenants("SELECT body FROM workflow_version WHERE version > 1"))
    )
    due = set(clients.replies)
    return {
        "turns": clients.begun,
        "faults": sum(matrix.struck.values()),
        "by point and kind": {f"{point}, {kind}": n for (point, kind), n in sorted(matrix.struck.items())},
        "answers": dict(clients.answers),
        "followed": dict(clients.followed),
        "messages lost": len(due - set(messages)),
        "messages doubled": _beyond_one(messages),
        "replies lost": len(due - set(replies)),
        "replies doubled": _beyond_one(replies),
        "replies that differ": sum(len(said) > 1 for said in clients.replies.values()),
        "versions lost": len(due - set(made)),
        "versions doubled": _beyond_one(made),
        **_steps(matrix, runs),
        **await _takeovers(matrix),
        "cancelled": len(clients.cancels),
        "cancelled late": sum(seconds > CANCEL_SECONDS for seconds, _ in clients.cancels),
        "of the cancels for want of a processor": sum(
            seconds > CANCEL_SECONDS >= seconds - starved for seconds, starved in clients.cancels
        ),
        f"{_LONGEST} cancel, s": round(max((seconds for seconds, _ in clients.cancels), default=0.0), 2),
    }


def _steps(matrix: Matrix, runs: dict[str, int]) -> JsonObject:
    finished = {(runs[run_id], step): at for (run_id, step), at in matrix.kept.items() if run_id in runs}
    asked = matrix.provider.asked
    again = [one for one in asked if one.at > finished.get((one.order, one.step), one.at)]

    # Stopped between its look at the lease and the request: it cannot know.
    def was_waking(one: Asked) -> bool:
        return any(name == one.host and at <= one.at <= at + _WAKING_SECONDS for name, at in matrix.waking)

    waking = [one for one in again if was_waking(one)]
    return {
        "model steps asked": len(asked),
        "finished model steps repeated": len(again) - len(waking),
        "asked again by a host stopped as it asked": len(waking),
        "which steps were asked again": [
            f"order {one.order} step {one.step} by {one.host}, "
            f"{one.at - finished[one.order, one.step]:.2f} s after it was kept"
            for one in again
        ],
    }


async def _takeovers(matrix: Matrix) -> JsonObject:
    attempts = await matrix.attempts()
    waits: list[tuple[float, Ownership]] = []
    spent = 0
    for one in matrix.left:
        of_run = attempts.get(one.run_id, ())
        following = [at for fence, at in of_run if fence > one.fence]
        if one.struck_at is None or not following:
            continue
        if sum(fence <= one.fence for fence, _ in of_run) >= MOST_ATTEMPTS:
            # Nobody goes on with it by himself: its client sends it again.
            spent += 1
        else:
            waits.append((min(following) - one.struck_at, one))
    late = [(seconds, one) for seconds, one in waits if seconds > LEASE_SECONDS + SWEEP_SECONDS]
    starved = [one for seconds, one in late if seconds - one.starved_seconds <= LEASE_SECONDS + SWEEP_SECONDS]
    return {
        "taken over": len(waits),
        "given up after as many attempts as are made": spent,
        "taken over late": len(late),
        "of the takeovers for want of a processor": len(starved),
        f"{_LONGEST} until taken over, s": round(max((seconds for seconds, _ in waits), default=0.0), 2),
        "until taken over, s": sorted(round(seconds, 2) for seconds, _ in waits),
        "which were taken over late": [
            f"{one.run_id} of {one.host.name} by {one.taken_by} after {seconds:.2f} s, "
            f"{one.starved_seconds:.2f} s of them starved, struck at {one.struck_at:.2f} in {matrix.folder}"
            for seconds, one in late
        ],
    }


def _beyond_one(counted: Counter[int]) -> int:
    return sum(times - 1 for times in counted.values())


async def _events(store: PostgresConversationStore, conversation_id: str) -> list[Event]:
    talk = await store.load("default", conversation_id)
    events: list[Event] = []
    while len(events) < talk.sealed_events:
        part = await store.sealed("default", conversation_id, Position("event", len(events)))
        events += part.events
    return [*events, *talk.events]


def summed_up(rounds: Iterable[JsonObject]) -> JsonObject:
    """Return what came of several rounds together."""
    total: JsonObject = {"rounds": 0}
    for one in rounds:
        total["rounds"] += 1
        for name, value in one.items():
            known = total.get(name)
            if name == "seed":
                continue
            if known is None:
                total[name] = value
            elif name in _COUNTED:
                total[name] = {key: known.get(key, 0) + value.get(key, 0) for key in known | value}
            elif name.startswith(_LONGEST):
                total[name] = max(known, value)
            else:
                total[name] = known + value
    return total


def damage_in(told: JsonObject) -> JsonObject:
    """Return what was lost, doubled or made twice."""
    bad = ("lost", "doubled", "differ", "repeated")
    return {name: count for name, count in told.items() if name.endswith(bad) and count}


def lateness_in(told: JsonObject) -> JsonObject:
    """Return what came too late although whoever was ready had a processor."""
    late = {
        "taken over late": told["taken over late"] - told["of the takeovers for want of a processor"],
        "cancelled late": told["cancelled late"] - told["of the cancels for want of a processor"],
    }
    return {name: count for name, count in late.items() if count}
