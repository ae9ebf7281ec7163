"""What a turn takes of the processor with one host and with several, which share one PostgreSQL.

    python -m benchmarks.several_hosts --hosts 3 --turns 400

Hosts are real processes, with a provider that answers over HTTP: a step of the model that reads a workflow, and one
that answers. They are asked in three ways, turn about in one run, so that whatever else the machine does is in all
figures: one host alone; several, each turn at any of them, because nothing keeps a conversation at one; and as many
to which each conversation stays. The last is what hosts take that share nothing but the processors of this machine,
whose caches three processes fill where one has them for itself; between it and the second is what sharing costs.
What hosts do while nobody asks (leases, looks for runs of dead hosts) is measured by itself and left out: a busy
host does it no more often than an idle one.
"""

import argparse
import asyncio
import json
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median

import httpx

from benchmarks.measured.starting import processor_ms
from tests.support.postgres import a_database_of_ones_own
from tests.support.provider import Answer, CallsTools, JsonObject, ProviderStub, Refuses, Says, served
from tests.support.server_process import server_process

_TALKS = 12
_IDLE_SECONDS = 10
_STRETCHES = 6
"""The first of them warms up."""
_WORKFLOW = {"id": "wf_a", "name": "Expenses", "steps": [{"id": "one", "name": "One"}]}


def _answer_to(request: JsonObject) -> Answer:
    messages = request["messages"]
    if not any(tool["function"]["name"] == "get_workflow" for tool in request["tools"]):
        # A summary: without one the oldest turns leave the window.
        return Refuses(500)
    if messages[-1]["role"] == "tool":
        return Says(["It has one step."])
    return CallsTools([("get_workflow", json.dumps({"workflow": "wf_a"}))])


class Cluster:
    """Hosts on one database, and conversations with them.

    Args:
        folder: Where the hosts keep their sockets.
        hosts: How many.
        provider_url: Where their model is.
        keeps: Whether a conversation stays at one host.
    """

    def __init__(self, folder: Path, hosts: int, provider_url: str, *, keeps: bool = False) -> None:
        environment = {
            "WORKFLOW_AGENT_DATABASE_URL": a_database_of_ones_own(),
            "WORKFLOW_AGENT_MODEL": "openai:stub-1",
            "WORKFLOW_AGENT_MODEL_BASE_URL": provider_url,
            "WORKFLOW_AGENT_MODEL_API_KEY": "k",
        }
        self._hosts = [server_process(folder / str(number), environment) for number in range(hosts)]
        self._chance = random.Random(1)
        self._keeps = keeps
        self.idle_ms = 0.0
        """What the hosts take of their processors in a second in which nobody asks."""

    async def begin(self) -> None:
        """Make the workflow that is talked about, and the conversations."""
        async with self._hosts[0].client() as client:
            for talk in range(_TALKS):
                (await client.post("/api/v1/conversations", json={"id": f"talk-{talk}"})).raise_for_status()
            (await client.post("/api/v1/workflows", json=_WORKFLOW)).raise_for_status()

    async def rest(self) -> None:
        """Measure what is done while nobody asks."""
        before = self._spent_ms()
        await asyncio.sleep(_IDLE_SECONDS)
        self.idle_ms = (self._spent_ms() - before) / _IDLE_SECONDS

    async def taken_ms(self, turns: int) -> float:
        """Return what a turn takes of the hosts' processors, in ms, by the mean of some."""
        before, began = self._spent_ms(), time.monotonic()
        numbers = iter(range(turns))
        async with AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(host.client()) for host in self._hosts]
            await asyncio.gather(*(self._talk(talk, numbers, clients) for talk in range(_TALKS)))
        idle_ms = self.idle_ms * (time.monotonic() - began)
        return (self._spent_ms() - before - idle_ms) / turns

    async def _talk(self, talk: int, numbers: Iterator[int], clients: list[httpx.AsyncClient]) -> None:
        for _ in numbers:
            body = {"message": "What does wf_a do?", "conversation_id": f"talk-{talk}"}
            client = clients[talk % len(clients)] if self._keeps else self._chance.choice(clients)
            (await client.post("/api/v1/chat", json=body)).raise_for_status()

    def _spent_ms(self) -> float:
        return sum(processor_ms(host.process.pid) for host in self._hosts)

    def end(self) -> None:
        """End the hosts."""
        for host in self._hosts:
            host.kill()


async def _measured(hosts: int, turns: int) -> list[tuple[list[float], float]]:
    """Return, for each way to ask, what a turn takes by stretches and what is taken while nobody asks."""
    provider = ProviderStub([], chooses=_answer_to)
    with tempfile.TemporaryDirectory() as folder:
        async with served(provider):
            started: list[Cluster] = []
            try:
                for number, (count, keeps) in enumerate(((1, False), (hosts, False), (hosts, True))):
                    own = Path(folder) / str(number)
                    started.append(await asyncio.to_thread(Cluster, own, count, provider.base_url, keeps=keeps))
                    await started[-1].begin()
                    await started[-1].taken_ms(_TALKS)
                    await started[-1].rest()
                taken: list[list[float]] = [[] for _ in started]
                for _ in range(_STRETCHES):
                    for cluster, own_ms in zip(started, taken, strict=True):
                        own_ms.append(await cluster.taken_ms(turns // _STRETCHES))
            finally:
                for cluster in started:
                    cluster.end()
    return [(own_ms[1:], cluster.idle_ms) for own_ms, cluster in zip(taken, started, strict=True)]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--hosts", type=int, default=3)
    options.add_argument("--turns", type=int, default=1_200, help="of each")
    given = options.parse_args()
    (one, one_idle), (shared, shared_idle), (apart, _) = asyncio.run(_measured(given.hosts, given.turns))
    told = {
        "one host, ms a turn": [round(each, 2) for each in one],
        f"{given.hosts} hosts, any of them, ms a turn": [round(each, 2) for each in shared],
        f"{given.hosts} hosts, each with its conversations, ms a turn": [round(each, 2) for each in apart],
        "idle, ms a second": [round(each, 1) for each in (one_idle, shared_idle)],
        "times as many turns as one host": round(given.hosts * median(one) / median(shared), 2),
        "times as many as one of hosts apart": round(given.hosts * median(apart) / median(shared), 2),
    }
    print(json.dumps(told, indent=2))


if __name__ == "__main__":
    main()
