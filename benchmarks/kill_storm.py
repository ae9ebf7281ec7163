"""Kill the server over and over while clients talk to it, then count what was lost or doubled.

    python -m benchmarks.kill_storm --turns 2000 --clients 8 --conversations 16 --doubled 0.2
    python -m benchmarks.kill_storm --turns 600 --workers 2

Every message carries an idempotency key and is sent until it is answered; some are sent twice at
once. The server gets SIGKILL about once a second; of several workers, one every few seconds. Then each
message has to be there once, with one reply, every edit applied once, and every file has to parse; no
answer may be a 5xx but 503.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import orjson

from tests.support.workers import pid_of

PATIENCE_SECONDS = 300.0
EDIT_EVERY = 10


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Storm:
    """A server that keeps dying, and the clients that do not mind."""

    data_dir: Path
    port: int
    turns: int
    doubled: float
    seed: int
    workers: int = 1
    conversations: list[str] = field(default_factory=list)
    acknowledged: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Conversation and message of each answered key."""
    kills: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    done: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api/v1"

    def start_server(self) -> subprocess.Popen[bytes]:
        command = [str(Path(sys.executable).with_name("workflow-agent")), "serve", "--port", str(self.port)]
        command += ["--workers", str(self.workers)]
        log = (self.data_dir.parent / "server.log").open("ab")
        return subprocess.Popen([*command, "--data-dir", str(self.data_dir)], stdout=log, stderr=log)

    async def keep_killing(self) -> None:
        """Run the server, kill it about a second after it is ready, and again, until all is answered."""
        random_ = random.Random(self.seed)
        if self.workers > 1:
            await self.keep_killing_workers(random_)
            return
        while not self.done.is_set():
            server = self.start_server()
            await self.until_ready(server)
            try:
                await asyncio.wait_for(self.done.wait(), random_.uniform(0.6, 1.6))
            except TimeoutError:
                self.kills += 1
            server.send_signal(signal.SIGKILL)
            await asyncio.to_thread(server.wait)

    async def keep_killing_workers(self, random_: random.Random) -> None:
        """Run one server, and kill one of its workers now and then; its supervisor starts another."""
        server = self.start_server()
        await self.until_ready(server)
        while not self.done.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self.done.wait(), random_.uniform(4.0, 8.0))
            await self.until_answered(self.seen["200"] + 1)
            # One that is being started has no lock to be found by.
            with suppress(AssertionError, ValueError, ProcessLookupError):
                pid = await asyncio.to_thread(pid_of, self.data_dir, random_.randint(1, self.workers))
                os.kill(pid, signal.SIGKILL)
                self.kills += 1
        server.terminate()
        await asyncio.to_thread(server.wait)

    async def until_answered(self, count: int) -> None:
        """Wait for an answer; none would come where a start takes longer than the time between kills."""
        while self.seen["200"] < count and not self.done.is_set():  # noqa: ASYNC110 - clients count
            await asyncio.sleep(0.05)

    async def until_ready(self, server: subprocess.Popen[bytes]) -> None:
        async with httpx.AsyncClient() as client:
            for _ in range(600):
                if server.poll() is not None:
                    log = (self.data_dir.parent / "server.log").read_text()[-4_000:]
                    raise RuntimeError(f"the server ended by itself with {server.returncode}:\n{log}")
                try:
                    if (await client.get(f"http://127.0.0.1:{self.port}/ready")).status_code == 200:
                        return
                except httpx.TransportError:
                    pass
                await asyncio.sleep(0.05)
        raise RuntimeError("the server did not get ready")

    async def send(self, client: httpx.AsyncClient, key: str, conversation: str, message: str) -> None:
        """Send a message until it is answered."""
        body = {"message": message, "conversation_id": conversation, "workflow_id": f"wf_{conversation}"}
        until, last = time.monotonic() + PATIENCE_SECONDS, ""
        while time.monotonic() < until:
            try:
                answer = await client.post(f"{self.url}/chat", json=body, headers={"Idempotency-Key": key})
            except httpx.TransportError as error:
                self.seen[type(error).__name__] += 1
                last = repr(error)
                await asyncio.sleep(0.1)
                continue
            self.seen[str(answer.status_code)] += 1
            last = f"{answer.status_code}: {answer.text[:400]}"
            if answer.status_code == 200:
                self.acknowledged[key] = (conversation, message)
                return
            if answer.status_code not in (409, 500, 502, 503, 504):
                raise RuntimeError(last)
            await asyncio.sleep(0.05)
        raise RuntimeError(f"{key} was not answered within {PATIENCE_SECONDS} s: {last}; {self.seen}")

    async def talk(self, number: int, numbers: "asyncio.Queue[int]") -> None:
        """Be one client: take the next turn, send it, sometimes twice at once."""
        random_ = random.Random(f"{self.seed}-{number}")
        async with httpx.AsyncClient(timeout=30.0) as client:
            while not numbers.empty():
                turn = numbers.get_nowait()
                conversation = random_.choice(self.conversations)
                message = f"hello, this is message {turn}"
                if turn % EDIT_EVERY == 0:
                    message = f'add a step called "Check {turn}" after One'
                sends = 2 if random_.random() < self.doubled else 1
                await asyncio.gather(*(self.send(client, f"key-{turn}", conversation, message) for _ in range(sends)))

    async def prepare(self, count: int) -> None:
        """Make the conversations, and a workflow for each."""
        server = self.start_server()
        await self.until_ready(server)
        async with httpx.AsyncClient() as client:
            for number in range(count):
                name = f"storm-{number:02}"
                (await client.post(f"{self.url}/conversations", json={"id": name})).raise_for_status()
                workflow = {"id": f"wf_{name}", "name": name.replace("-", " "), "steps": [{"id": "one", "name": "One"}]}
                (await client.post(f"{self.url}/workflows", json=workflow)).raise_for_status()
                self.conversations.append(name)
        server.terminate()
        await asyncio.to_thread(server.wait)

    async def run(self, clients: int, conversations: int) -> float:
        """Have the storm; return how many seconds it took."""
        await self.prepare(conversations)
        numbers: asyncio.Queue[int] = asyncio.Queue()
        for turn in range(self.turns):
            numbers.put_nowait(turn)
        started = time.monotonic()
        killing = asyncio.create_task(self.keep_killing())
        talking = asyncio.gather(*(self.talk(number, numbers) for number in range(clients)))
        finished, _ = await asyncio.wait({killing, talking}, return_when=asyncio.FIRST_COMPLETED)
        self.done.set()
        for task in finished:
            task.result()
        await talking
        await killing
        return time.monotonic() - started


def count_damage(storm: Storm) -> dict[str, Any]:
    """Return what the files show: lost, doubled, unanswered, unparsable."""
    tenant = storm.data_dir / "default"
    files = sorted(tenant.rglob("*.json"))
    unparsable = [path.name for path in files if not _parses(path)]
    messages: Counter[tuple[str, str]] = Counter()
    replies: Counter[tuple[str, str]] = Counter()
    for path in (tenant / "conversations").glob("*.json"):
        document = json.loads(path.read_text())
        events = [*_sealed_events(path.with_suffix(".archive"), document["archive"]), *document["events"]]
        by_run = {event["run_id"]: event["content"] for event in events if event["type"] == "user_message"}
        for event in events:
            if event["type"] == "user_message":
                messages[path.stem, event["content"]] += 1
            if event["type"] == "agent_reply":
                replies[path.stem, by_run[event["run_id"]]] += 1
    sent = set(storm.acknowledged.values())
    added: Counter[tuple[str, str]] = Counter()
    for path in (tenant / "workflows").glob("wf_storm-*.json"):
        document = json.loads(path.read_text())
        added.update((path.stem, step["name"]) for step in document["steps"][1:])
        history = sorted((tenant / "workflows" / f"{path.stem}.versions").glob("*.json"))
        if len(history) != document["version"]:
            unparsable.append(f"{path.stem}: {len(history)} records for version {document['version']}")
    edits = {(f"wf_{c}", m.split('"')[1]) for c, m in sent if "Check" in m}
    return {
        "files": len(files),
        "unparsable": unparsable,
        "acknowledged": len(storm.acknowledged),
        "messages_lost": len(sent - set(messages)),
        "messages_doubled": sum(times - 1 for times in messages.values()),
        "replies_lost": len(sent - set(replies)),
        "replies_doubled": sum(times - 1 for times in replies.values()),
        "edits_lost": len(edits - set(added)),
        "edits_doubled": sum(times - 1 for times in added.values()),
    }


def _sealed_events(archive: Path, entries: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the events of the sealed files that a conversation names, and no others'."""
    for entry in entries:
        held = json.loads((archive / entry["file"]).read_text())
        if entry["kind"] == "turns":
            yield from held["events"]
        else:
            yield from _sealed_events(archive, held["entries"])


def _parses(path: Path) -> bool:
    raw = path.read_bytes()
    try:
        return bool(json.loads(raw) == orjson.loads(raw))
    except ValueError:
        return False


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--turns", type=int, default=2000)
    options.add_argument("--clients", type=int, default=8)
    options.add_argument("--conversations", type=int, default=16)
    options.add_argument("--doubled", type=float, default=0.2)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--workers", type=int, default=1)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="kill-storm-") as folder:
        data = Path(folder) / "data"
        storm = Storm(data, free_port(), given.turns, given.doubled, given.seed, given.workers)
        seconds = asyncio.run(storm.run(given.clients, given.conversations))
        damage = count_damage(storm)
    print(json.dumps({"seconds": round(seconds, 1), "kills": storm.kills, "answers": storm.seen, **damage}, indent=2))
    bad = damage["unparsable"] or any(value for name, value in damage.items() if name.endswith(("lost", "doubled")))
    # While a process starts or ends it may say so; anything else would be a fault of its own.
    failed = any(answer.startswith("5") and answer != "503" for answer in storm.seen)
    return 1 if bad or failed or damage["acknowledged"] != given.turns else 0


if __name__ == "__main__":
    raise SystemExit(main())
