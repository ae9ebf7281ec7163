"""What a turn costs at the start of a conversation, and after ten thousand.

pytest benchmarks/test_turn_cost.py
"""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.support.compacted_talks import compacted_by_policy
from tests.support.long_talks import accepted, answered, talked
from tests.support.stored import a_conversation
from workflow_agent.conversations.archive import Position
from workflow_agent.conversations.seals import SealRule
from workflow_agent.storage.files.archives import ConversationArchive
from workflow_agent.storage.files.conversation_documents import ConversationText, parse_file
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import FileSystem

EARLY, LATE = 100, 10_000
MEASURED_TURNS = 120
"""More than one file's worth, so that the cost of sealing is in the mean at its true share."""
MOST = 1.3


class CountingDisk(FileSystem):
    """The real disk without waiting for it, and how much was written to it."""

    def __init__(self) -> None:
        self.written = 0
        self.opened: list[str] = []
        self.write = self._write
        self.open = self._open
        self.fsync = lambda _: None

    def _write(self, fd: int, data: memoryview) -> int:
        count = FileSystem.write(fd, data)
        self.written += count
        return count

    def _open(self, path: Path, flags: int, mode: int = 0o777) -> int:
        self.opened.append(path.name)
        return FileSystem.open(path, flags, mode)


@dataclass
class Talk:
    """One conversation on disk, taken turn by turn as a store does it."""

    document: Path
    disk: CountingDisk
    archive: ConversationArchive
    text: ConversationText

    @classmethod
    def begun(cls, root: Path) -> "Talk":
        disk = CountingDisk()
        files = DurableFiles(root, file_system=disk)
        document = root / "acme" / "conversations" / "invoice-1.json"
        return cls(document, disk, ConversationArchive(files, SealRule()), ConversationText(a_conversation()))

    def save(self, changed: object) -> None:
        directory = self.document.with_name("invoice-1.archive")
        data, self.text = self.archive.sealed(directory, changed, self.text)  # type: ignore[arg-type] - one type
        self.archive.files.save(self.document, data)

    def turn(self) -> None:
        """Accept a message, commit its reply; what is old enough is compacted along the way."""
        acceptance = accepted(self.text.conversation)
        self.save(acceptance.conversation)
        stored = acceptance.__class__(self.text.conversation, acceptance.run, is_new=True)
        self.save(compacted_by_policy(answered(stored)))

    def grown_to(self, turns: int) -> "Talk":
        while self.text.conversation.turn_count < turns:
            grown = compacted_by_policy(talked(40, self.text.conversation))
            self.save(grown)
        return self


def seconds_and_bytes(talk: Talk) -> tuple[float, float]:
    times: list[float] = []
    before = talk.disk.written
    for _ in range(MEASURED_TURNS):
        # Of the processor, so that the ratio holds beside other work too.
        started = time.process_time()
        talk.turn()
        times.append(time.process_time() - started)
    return median(times), (talk.disk.written - before) / MEASURED_TURNS


def seconds_to_open(talk: Talk) -> float:
    return median(_timed(lambda: parse_file(talk.document.read_bytes(), talk.document)) for _ in range(30))


def _timed(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Talk]:
    root = tmp_path_factory.mktemp("talks")
    made = {turns: Talk.begun(root / str(turns)).grown_to(turns) for turns in (EARLY, LATE)}
    yield made  # type: ignore[misc] - a fixture that clears up
    shutil.rmtree(root)


@pytest.mark.benchmark(group="turn cost")
def test_a_late_turn_costs_what_an_early_one_does(benchmark: BenchmarkFixture, talks: dict[int, Talk]) -> None:
    early, late = talks[EARLY], talks[LATE]

    measured = {turns: seconds_and_bytes(talk) for turns, talk in talks.items()}
    opened = {turns: seconds_to_open(talk) for turns, talk in talks.items()}
    late.disk.opened.clear()
    position, directory = Position("turn", 17), late.document.with_name("invoice-1.archive")
    part = benchmark.pedantic(lambda: late.archive.part(directory, late.text.conversation, position), rounds=1)

    ratios = {
        "time": measured[LATE][0] / measured[EARLY][0],
        "bytes": measured[LATE][1] / measured[EARLY][1],
        "open": opened[LATE] / opened[EARLY],
    }
    benchmark.extra_info |= {
        **ratios,
        "turn_ms": {turns: one[0] * 1_000 for turns, one in measured.items()},
        "turn_bytes": {turns: one[1] for turns, one in measured.items()},
        "open_ms": {turns: one * 1_000 for turns, one in opened.items()},
        "file_bytes": {turns: talk.document.stat().st_size for turns, talk in talks.items()},
        "archive_entries": len(late.text.conversation.archive),
    }
    assert part.first_turn <= 17 <= part.last_turn
    assert [name for name in late.disk.opened if name.startswith("turns-")] == [
        f"turns-{part.first_turn:06}-{part.last_turn:06}.json"
    ]
    assert early.text.conversation.turn_count < late.text.conversation.turn_count
    assert max(ratios.values()) <= MOST, benchmark.extra_info
