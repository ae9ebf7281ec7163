"""How much of each request a provider has seen in the one before, in bytes on the wire."""

import asyncio
import json
from collections.abc import Sequence
from itertools import pairwise, takewhile
from statistics import mean, median
from typing import Any

from pydantic_ai import models

from benchmarks.figures import Figure, Section
from tests.support.chats import chat_with
from tests.support.provider import CallsTools, Says, provider_stub
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.assistant.providers import Provider, build_model
from workflow_agent.assistant.window.layout import PromptLayout
from workflow_agent.conversations.agents import Mode

TURNS = 20
LEAST_TURN_TO_TURN, LEAST_AT_A_SWITCH = 90, 60
_STAYS: Sequence[Mode] = ("modification",) * TURNS
_CHANGES: Sequence[Mode] = ("search", "modification", "analysis", "creation") * (TURNS // 4)
_SAID = "It has four steps, from the request to the payment, and each of them has somebody who does it. "
_READS = CallsTools([("get_workflow", '{"workflow": "wf_expense_approval"}')])
_ASKED = "Please tell me once more who has to look at it after the manager, number {}"


def as_read(request: dict[str, Any]) -> bytes:
    """Return a request in the order in which a provider reads it: tools, then messages."""
    parts = [*request["tools"], *request["messages"]]
    return b"\n".join(json.dumps(part, separators=(",", ":")).encode() for part in parts)


def shared_percent(before: bytes, after: bytes) -> float:
    """Return how much of a request begins as the one before did."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
    return 100 * same / len(after)


async def requests_of(layout: PromptLayout, modes: Sequence[Mode]) -> list[list[bytes]]:
    """Return the requests of a conversation by turn: each reads a workflow and says something about it."""
    found: list[list[bytes]] = []
    async with provider_stub() as stub:
        model = build_model("openai:stub-1", Provider(stub.base_url, "k", max_retries=0), OfflineModel)
        chat, conversation_id = chat_with(model, layout=layout), None
        await chat.add()
        for number, mode in enumerate(modes):
            stub.answers[:] = [_READS, Says([_SAID * 3])]
            del stub.requests[:]
            outcome = await chat.say(_ASKED.format(number), mode=mode, conversation_id=conversation_id)
            conversation_id = outcome.conversation_id
            # A person reads the reply before writing on; what is compacted beside that is compacted by then.
            await chat.compactor.settled()
            found.append([as_read(one) for one in stub.requests])
    return found


async def shares(layout: PromptLayout, modes: Sequence[Mode]) -> tuple[float, float, float]:
    """Return the percent shared with the request before.

    First the mean of all requests, then mean and median of those that begin a turn.
    """
    turns = await requests_of(layout, modes)
    flat = [one for turn in turns for one in turn]
    every = mean(shared_percent(*pair) for pair in pairwise(flat))
    firsts = [shared_percent(before[-1], after[0]) for before, after in pairwise(turns)]
    return every, mean(firsts), median(firsts)


def measure() -> Section:
    """Measure both layouts, with the mode as it is and changing at each turn."""
    with models.override_allow_model_requests(True):
        return asyncio.run(_measured())


async def _measured() -> Section:
    figures: list[Figure] = []
    for layout in ("stable_prefix", "plain"):
        every, firsts, typical = await shares(layout, _STAYS)
        _, switched, _ = await shares(layout, _CHANGES)
        figures += [
            Figure(f"{layout}: all requests, one mode", every, "%", least=LEAST_TURN_TO_TURN),
            Figure(f"{layout}: first request of a turn, one mode", firsts, "%"),
            Figure(f"{layout}: the same, median: without compaction or masking", typical, "%"),
            Figure(
                f"{layout}: first request of a turn, another mode each turn", switched, "%", least=LEAST_AT_A_SWITCH
            ),
        ]
    about = (
        f"Conversations of {TURNS} turns with a tool call each, over HTTP to a stand-in of a provider. "
        "Tools are read first, then messages; counted are the bytes with which each begins as the one before."
    )
    return Section("prefixes", "What requests share with the one before", about, figures)
