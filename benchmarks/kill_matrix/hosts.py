"""The processes of the matrix: hosts, of this release or another, and a Redis of their own."""

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from redis import Redis as RedisClient
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from benchmarks.kill_storm import free_port
from benchmarks.postgres_wire import Wire
from tests.support.provider import JsonObject

LEASE_SECONDS = 2.0
_NURSERY = Path(__file__).with_name("nursery.py")


class Nursery:
    """A process that has imported a release, and of which hosts are copies.

    Args:
        tree: The checkout of the release.
    """

    def __init__(self, tree: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_NURSERY)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(tree.resolve())},
            text=True,
        )

    def begin(self, order: JsonObject) -> int:
        """Begin a host, and return its process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(order), file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline())

    def close(self) -> None:
        """Begin no more."""
        with self._process:
            self._process.kill()


@dataclass(eq=False)
class Host:
    """A host, and how it is struck."""

    name: str
    folder: Path
    wire: Wire
    nursery: Nursery
    port: int = field(default_factory=free_port)
    process: int | None = None
    clock_seconds: float = 0.0
    """How far its clock is ahead."""
    is_struck: bool = False
    """Whether it is away, or on its way back."""
    is_cut_off: bool = False
    """Whether it alone does not reach the database."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api/v1"

    @property
    def is_running(self) -> bool:
        """Say whether its process has not ended."""
        try:
            os.kill(self.process or 0, 0)
        except ProcessLookupError:
            return False
        return self.process is not None

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to its process; fine where it has ended."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.kill(self.process, number)

    def waited_seconds(self) -> float:
        """Return how long its event loop was ready to run and got no processor since it began; 0 where unknown."""
        return waited_seconds(self.process or 0)

    def begin(self, model_url: str, redis_url: str | None) -> None:
        """Begin its process."""
        environment = {
            "DATABASE_URL": self.wire.url,
            "HOST_LEASE_SECONDS": str(LEASE_SECONDS),
            "PORT": str(self.port),
            "DATA_DIR": str(self.folder / self.name),
            "MODEL": f"openai:{self.name}",
            "MODEL_BASE_URL": model_url,
            "MODEL_API_KEY": "k",
            "MODEL_ATTEMPTS": "1",
            "MAX_TURNS": "6",
            "SEAL_ABOVE_BYTES": "65536",
            "DATABASE_PATIENCE_SECONDS": "3",
            **({"REDIS_URL": redis_url} if redis_url else {}),
        }
        self.process = self.nursery.begin(
            {
                "environment": {f"WORKFLOW_AGENT_{name}": value for name, value in environment.items()},
                "log": str(self.folder / f"{self.name}.log"),
                "clock_seconds": self.clock_seconds,
            }
        )


def waited_seconds(process: int) -> float:
    """Return how long a process's first thread was ready to run and did not; 0 where unknown."""
    try:
        _, waited, _ = Path(f"/proc/{process}/schedstat").read_text().split()
    except OSError:
        return 0.0
    return int(waited) / 1e9


@dataclass
class Redis:
    """A Redis of the matrix's own, which keeps nothing."""

    port: int
    process: "subprocess.Popen[bytes] | None" = None

    @classmethod
    def started(cls) -> "Redis | None":
        """Return one that runs; None where there is no redis-server."""
        if shutil.which("redis-server") is None:
            return None
        made = cls(free_port())
        made.start()
        return made

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it."""
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)

    def kill(self) -> None:
        """End it at once."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def empty(self) -> None:
        """Remove everything in it; fine where it is away."""
        # Asked once: the lines to the database pass through this process, and would wait for the pauses between tries.
        once = Retry(NoBackoff(), 0)
        with suppress(RedisError), RedisClient("127.0.0.1", self.port, retry=once) as client:
            client.flushall()  # pyright: ignore[reportUnknownMemberType] - its options
