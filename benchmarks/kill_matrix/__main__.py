"""Strike hosts on PostgreSQL at every point of a turn, and count what was lost or doubled.

    python -m benchmarks.kill_matrix --groups 2 --append rounds.jsonl
    python -m benchmarks.kill_matrix --turns 320 --faults 63
    python -m benchmarks.kill_matrix --groups 2 --old-release ../workflow-agent-before --append rounds.jsonl

Each turn is a message with an idempotency key, sent to two hosts at once, that takes a step of the model, a
tool that changes a workflow, and another step of the model; some are followed as streams, some cancelled. A
fault strikes the host that comes first to a point: after the accept, in the model, after the tool's write,
before and after the commit, in a compaction, in a takeover. It is killed, and started again, with the right
clock or one that is an hour off; stopped for three leases; loses its connections; cannot reach the database for
three leases. Or PostgreSQL dies and recovers, is out of reach of all hosts for ten seconds, or Redis is killed
or emptied.

A round has every kind at every point once, on a database of its own. Its result is a line of the file that
--append names; rounds that are there already are not done again, so what was interrupted is gone on with by the
same command. With --groups, so many groups of hosts, each with a PostgreSQL and a Redis of its own, share the rounds.
With --old-release one host of each second round is of the release in that directory.

WORKFLOW_AGENT_TEST_DATABASE_URL names the server; without it one is started, and only that one is made to die.
"""

import argparse
import asyncio
import json
import logging
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import asyncpg

from benchmarks.kill_matrix.clients import Clients
from benchmarks.kill_matrix.hosts import Nursery, Redis
from benchmarks.kill_matrix.matrix import KINDS, POINTS, a_matrix, faults_of_a_round
from benchmarks.kill_matrix.provider import Provider
from benchmarks.kill_matrix.verdict import damage_in, judged, lateness_in, summed_up
from tests.support.postgres import a_database_of_ones_own, server_url
from tests.support.provider import JsonObject, served

HERE = Path.cwd()


class Rounds:
    """Rounds of faults on the same PostgreSQL and Redis.

    Args:
        hosts: How many at a time.
        old_release: A checkout of another release.
    """

    def __init__(self, hosts: int, old_release: Path | None = None) -> None:
        self._nurseries = [Nursery(HERE)] * hosts
        self._mixed = [*self._nurseries[1:], Nursery(old_release)] if old_release else self._nurseries
        self._redis = Redis.started()
        # A server that others use is left alone.
        away = {"PostgreSQL died"} if "WORKFLOW_AGENT_TEST_DATABASE_URL" in os.environ else set[str]()
        away |= set() if self._redis else {"Redis killed", "Redis emptied"}
        self._kinds = [kind for kind in KINDS if kind not in away]
        if not away:
            asyncio.run(_recovers_soon())

    def done(
        self, seed: int, turns: int, faults: int, conversations: int, pause_seconds: float, *, is_mixed: bool = False
    ) -> JsonObject:
        """Return what came of a round."""
        url, chance = a_database_of_ones_own(), random.Random(seed)
        nurseries = self._mixed if is_mixed else self._nurseries
        # Left where it is: the logs tell why, should anything not hold.
        folder = Path(tempfile.mkdtemp(prefix=f"kill-matrix-{seed}-"))

        async def go() -> JsonObject:
            provider = Provider([])
            struck = faults_of_a_round(chance, self._kinds, faults)
            async with served(provider), a_matrix(chance, provider, folder, url, self._redis, struck, nurseries) as at:
                clients = Clients(at, turns, pause_seconds)
                began = time.monotonic()
                await clients.talk(conversations)
                took = {"seconds": round(time.monotonic() - began)}
                return took | await judged(at, clients, conversations)

        return asyncio.run(go())

    def close(self) -> None:
        """End what was started."""
        for nursery in {*self._nurseries, *self._mixed}:
            nursery.close()
        if self._redis is not None:
            self._redis.kill()


async def _recovers_soon() -> None:
    """Have a server that is the matrix's own not wait for the disk: its processes die, and the machine does not."""
    connection = await asyncpg.connect(server_url())
    try:
        await connection.execute("ALTER SYSTEM SET fsync = off")
        await connection.execute("SELECT pg_reload_conf()")
    finally:
        await connection.close()


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--turns", type=int, default=10_000)
    options.add_argument("--faults", type=int, default=2_000)
    options.add_argument("--hosts", type=int, default=3)
    options.add_argument("--conversations", type=int, default=12)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--pause", type=float, default=2.0, help="seconds between a reply and the next message")
    options.add_argument("--old-release", type=Path, help="a checkout of another release, for the last host")
    options.add_argument("--append", type=Path, help="a file for the result of each round")
    options.add_argument("--groups", type=int, default=1, help="how many rounds at a time")
    options.add_argument("--group", type=int, help=argparse.SUPPRESS)
    given = options.parse_args()
    # A line that breaks is what is wanted here.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    kept: Path = given.append or Path(tempfile.mkdtemp(prefix="kill-matrix-")) / "rounds.jsonl"
    if given.groups > 1 and given.group is None:
        _in_groups(given.groups, kept)
    else:
        _in_turn(given, kept)
    if given.group is not None:
        return 0
    told = summed_up(_rounds_in(kept))
    print(json.dumps(told, indent=2))
    return 1 if damage_in(told) or lateness_in(told) else 0


def _in_groups(count: int, kept: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.kill_matrix", *sys.argv[1:], "--append", str(kept)]
    groups = [subprocess.Popen([*command, "--group", str(number)]) for number in range(count)]
    with suppress(KeyboardInterrupt):
        for group in groups:
            group.wait()


def _in_turn(given: argparse.Namespace, kept: Path) -> None:
    """Do the rounds that are this group's and were not done."""
    count = math.ceil(given.faults / (len(POINTS) * len(KINDS)))
    done = {one["seed"] for one in _rounds_in(kept)}
    rounds = Rounds(given.hosts, given.old_release)
    try:
        for number in range(given.group or 0, count, given.groups):
            seed = given.seed * 1_000 + number
            if seed in done:
                continue
            turns, faults = (math.ceil(most / count) for most in (given.turns, given.faults))
            told = rounds.done(
                seed, turns, faults, given.conversations, given.pause, is_mixed=number // given.groups % 2 == 1
            )
            with kept.open("a") as lines:
                lines.write(json.dumps({"seed": seed, **told}) + "\n")
            print(
                f"round {number + 1} of {count}: {damage_in(told) | lateness_in(told) or 'all held'}", file=sys.stderr
            )
    except KeyboardInterrupt:
        return
    finally:
        rounds.close()


def _rounds_in(kept: Path) -> list[JsonObject]:
    return [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []


if __name__ == "__main__":
    raise SystemExit(main())
