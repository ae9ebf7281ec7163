"""Who talks with the hosts while they are struck: each message goes to two of them."""

import asyncio
import itertools
import json
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field

import httpx

from benchmarks.kill_matrix.hosts import Host
from benchmarks.kill_matrix.matrix import Matrix
from benchmarks.kill_matrix.provider import HELD
from tests.support.provider import JsonObject

_PATIENCE_SECONDS = 300.0
_REQUEST_SECONDS = 5.0
_ROUND_SECONDS = 900.0
"""Faults that have struck nobody by then are left out."""
_PAUSE_SECONDS = 0.1
_CANCELLED_SHARE = 0.05
_FOLLOWED_SHARE = 0.25
_ORDERS_EACH = 100_000
"""Orders of a conversation are numbered from its own number times this."""


@dataclass
class Clients:
    """Conversations that go on until there were enough turns and every fault has struck."""

    matrix: Matrix
    turns: int
    pause_seconds: float
    """How long somebody thinks about a reply, on the average."""
    begun: int = 0
    replies: dict[int, set[str]] = field(default_factory=dict[int, set[str]])
    answers: Counter[str] = field(default_factory=Counter[str])
    followed: Counter[str] = field(default_factory=Counter[str])
    cancels: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    """How long each cancel took of a host that was not struck, and how much of it somebody had no processor."""
    cancelled: set[int] = field(default_factory=set[int])

    async def talk(self, conversations: int) -> None:
        """Have all conversations."""
        async with httpx.AsyncClient(timeout=30) as client:
            for number in range(conversations):
                url = self.matrix.hosts[0].url
                workflow = {
                    "id": f"wf_matrix-{number}",
                    "name": f"Matrix {number}",
                    "steps": [{"id": "one", "name": "One"}],
                }
                (await client.post(f"{url}/conversations", json={"id": f"matrix-{number}"})).raise_for_status()
                (await client.post(f"{url}/workflows", json=workflow)).raise_for_status()
        until = time.monotonic() + _ROUND_SECONDS
        await asyncio.gather(*(self._conversation(number, until) for number in range(conversations)))

    async def _conversation(self, conversation: int, until: float) -> None:
        chance = self.matrix.chance
        async with httpx.AsyncClient(timeout=_REQUEST_SECONDS) as client:
            for at in itertools.count():
                if self.begun >= self.turns and (not self.matrix.pending or time.monotonic() > until):
                    return
                self.begun += 1
                await self._turn(client, conversation, conversation * _ORDERS_EACH + at)
                await asyncio.sleep(chance.uniform(0, 2 * self.pause_seconds))

    async def _turn(self, client: httpx.AsyncClient, conversation: int, number: int) -> None:
        chance = self.matrix.chance
        name = f"matrix-{conversation}"
        body = {"message": f"order-{number}: describe wf_{name} anew.", "conversation_id": name, "mode": "modification"}
        if chance.random() < _CANCELLED_SHARE:
            await self._cancelled(client, number, {**body, "message": f"order-{number}: {HELD}."})
            return
        one, other = chance.sample(self.matrix.hosts, 2)
        second = self._followed if chance.random() < _FOLLOWED_SHARE else self._sent
        await asyncio.gather(self._sent(client, one, number, body), second(client, other, number, body))

    async def _sent(self, client: httpx.AsyncClient, host: Host, number: int, body: JsonObject) -> None:
        """Send a message until it is answered, to any host each time."""
        until, answered = time.monotonic() + _PATIENCE_SECONDS, None
        while time.monotonic() < until:
            try:
                answered = await client.post(f"{host.url}/chat", json=body, headers=_key(number))
            except httpx.HTTPError as error:
                self.answers[type(error).__name__] += 1
            else:
                self.answers[str(answered.status_code)] += 1
                if answered.status_code == 200:
                    self.replies.setdefault(number, set()).add(answered.json()["response"])
                    return
                if answered.status_code not in (409, 503):
                    raise RuntimeError(f"{number}: {answered.status_code} {answered.text[:500]}")
            await asyncio.sleep(_PAUSE_SECONDS)
            host = self.matrix.chance.choice(self.matrix.hosts)
        raise RuntimeError(f"{number} was not answered: {answered.text[:300] if answered else None}")

    async def _followed(self, client: httpx.AsyncClient, host: Host, number: int, body: JsonObject) -> None:
        """Follow a message's stream to its end, at any host where one breaks."""
        until, is_again = time.monotonic() + _PATIENCE_SECONDS, False
        while time.monotonic() < until:
            name = None
            with suppress(httpx.HTTPError):
                sending = client.stream("POST", f"{host.url}/chat/stream", json=body, headers=_key(number))
                async with sending as told:
                    async for line in told.aiter_lines():
                        name = line.removeprefix("event: ") if line.startswith("event: ") else name
                        if line.startswith("data: ") and name == "complete":
                            self.followed["again" if is_again else "at once"] += 1
                            said = json.loads(line.removeprefix("data: "))["response"]
                            self.replies.setdefault(number, set()).add(said)
                            return
            await asyncio.sleep(_PAUSE_SECONDS)
            host, is_again = self.matrix.chance.choice(self.matrix.hosts), True
        raise RuntimeError(f"{number} was followed to no end")

    async def _cancelled(self, client: httpx.AsyncClient, number: int, body: JsonObject) -> None:
        """Send a message whose answer does not come, and cancel it at any host."""
        asked = asyncio.create_task(self._until_told(client, number, body))
        await self.matrix.provider.held.setdefault(number, asyncio.Event()).wait()
        hosts, status = self.matrix.hosts, None
        while status != "cancelled":
            await asyncio.sleep(_PAUSE_SECONDS)
            host = self.matrix.chance.choice([one for one in hosts if not one.is_struck] or hosts)
            with suppress(httpx.HTTPError, LookupError):
                talk = await client.get(f"{host.url}/conversations/{body['conversation_id']}")
                run_id = talk.json()["runs"][-1]["run_id"]
                began, before, could = time.monotonic(), self.matrix.waited_seconds(), self._can_answer(host)
                told = await client.post(f"{host.url}/runs/{run_id}/cancel")
                status = told.json().get("status")
                if status == "cancelled" and could and self._can_answer(host):
                    starved = self.matrix.starved_since(before, *hosts)
                    self.cancels.append((time.monotonic() - began, starved))
        self.cancelled.add(number)
        await asked

    def _can_answer(self, host: Host) -> bool:
        return not (host.is_struck or self.matrix.is_away or self.matrix.is_recovering)

    async def _until_told(self, client: httpx.AsyncClient, number: int, body: JsonObject) -> None:
        """Send a message until a host says that it was cancelled."""
        while True:
            with suppress(httpx.HTTPError):
                host = self.matrix.chance.choice(self.matrix.hosts)
                told = await client.post(f"{host.url}/chat", json=body, headers=_key(number))
                if told.status_code == 409 and number in self.cancelled:
                    return
            await asyncio.sleep(_PAUSE_SECONDS)


def _key(number: int) -> dict[str, str]:
    return {"Idempotency-Key": f"key-{number}"}
