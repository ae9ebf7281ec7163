"""How heads are found out from files: what is looked at again, and when."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import FileState
from workflow_agent.storage.files.workflow_heads import WorkflowHeads, Written, mark_of, told_head
from workflow_agent.workflows.store import WorkflowHead


class Looks:
    """Files of which the version is their size, and how often each was read."""

    def __init__(self, data: Path) -> None:
        self.directory = data / "acme" / "workflows"
        self.directory.mkdir(parents=True)
        self.read: list[str] = []
        self.seconds = 0.0
        self.look_seconds = 0.0
        self.heads = WorkflowHeads(DurableFiles(data), self._head, now_ns=lambda: self.listed_ns, clock=self._clock)
        self.listed_ns = 0
        self.put("wf_a", 1)
        self.settle()

    def _clock(self) -> float:
        self.seconds += self.look_seconds
        return self.seconds

    def _head(self, tenant: str, workflow_id: str) -> WorkflowHead | None:
        self.read.append(f"{tenant}/{workflow_id}")
        size = self._path(workflow_id).stat().st_size
        return WorkflowHead(size, None) if size else None

    def _path(self, workflow_id: str) -> Path:
        return self.directory / f"{workflow_id}.json"

    def put(self, workflow_id: str, version: int) -> None:
        """Save as the catalogue does: by renaming."""
        temporary = self.directory / "x.tmp"
        temporary.write_text("x" * version)
        temporary.rename(self._path(workflow_id))

    def edit_in_place(self, workflow_id: str, version: int) -> None:
        self._path(workflow_id).write_text("x" * version)

    def settle(self) -> None:
        """Let the last change be long ago when the directory is read next."""
        self.listed_ns = self.directory.stat().st_mtime_ns + 1_000_000_000

    def versions(self) -> dict[str, int]:
        return {one: head.version for one, head in self.heads.of("acme", self.directory, ".json").items()}


@pytest.fixture
def looks(tmp_path: Path) -> Looks:
    return Looks(tmp_path)


def test_only_what_changed_is_read_again(looks: Looks) -> None:
    looks.put("wf_b", 1)
    looks.settle()
    looks.versions()
    looks.read.clear()

    looks.put("wf_b", 2)
    looks.settle()

    assert looks.versions() == {"wf_a": 1, "wf_b": 2}
    assert looks.read == ["acme/wf_b"]


def test_a_directory_that_just_changed_is_not_trusted(looks: Looks) -> None:
    looks.listed_ns = looks.directory.stat().st_mtime_ns + 1_000
    before = looks.versions()
    unchanged = looks.directory.stat()

    looks.put("wf_a", 7)
    os.utime(looks.directory, ns=(unchanged.st_atime_ns, unchanged.st_mtime_ns))

    assert (before, looks.versions()) == ({"wf_a": 1}, {"wf_a": 7})


def test_an_edit_in_place_shows_after_a_while(looks: Looks) -> None:
    looks.versions()
    looks.edit_in_place("wf_a", 3)

    at_once = looks.versions()
    looks.seconds += 6

    assert (at_once, looks.versions()) == ({"wf_a": 1}, {"wf_a": 3})


def test_where_a_look_takes_long_it_is_taken_less_often(looks: Looks) -> None:
    looks.look_seconds = 1.0
    looks.versions()
    looks.look_seconds = 0.0
    looks.edit_in_place("wf_a", 3)

    looks.seconds += 40
    earlier = looks.versions()
    looks.seconds += 20

    assert (earlier, looks.versions()) == ({"wf_a": 1}, {"wf_a": 3})


@pytest.mark.parametrize(
    ("data", "told"),
    [
        pytest.param(b'{"id": "wf_a", "version": 3, "updated_at": null}', None, id="no time"),
        pytest.param(b'{"id": "wf_b", "version": 3, "updated_at": "2026-01-02T03:04:05.006Z"}', None, id="another's"),
        pytest.param(
            b'{"id": "wf_a", "version": true, "updated_at": "2026-01-02T03:04:05.006Z"}', None, id="no version"
        ),
        pytest.param(b'{"id": "wf_a", "ver', None, id="cut off"),
        pytest.param(
            b'{"id": "wf_a", "version": 3, "updated_at": "2026-01-02T03:04:05.006Z", "steps": 1}',
            WorkflowHead(3, datetime(2026, 1, 2, 3, 4, 5, 6_000, UTC)),
            id="beside what is wrong",
        ),
    ],
)
def test_a_document_tells_its_head(data: bytes, told: WorkflowHead | None) -> None:
    assert told_head(data, "wf_a") == (told and told._replace(mark=mark_of(data)))


def test_what_cannot_be_read_is_left_out(looks: Looks) -> None:
    looks.put("wf_bad", 0)
    looks.settle()

    assert looks.versions() == {"wf_a": 1}


def test_a_look_that_finds_nothing_new_gives_the_same_mapping(looks: Looks) -> None:
    first = looks.heads.of("acme", looks.directory, ".json")
    looks.seconds += 6

    assert looks.heads.of("acme", looks.directory, ".json") is first


def own_write(looks: Looks, workflow_id: str, version: int, before: FileState | None) -> Written:
    files = DurableFiles(looks.directory.parents[1])
    document = files.state(looks.directory / f"{workflow_id}.json")
    assert document
    head = WorkflowHead(version, None)
    return Written(workflow_id, head, document, before, files.state(looks.directory))


def test_what_this_process_wrote_needs_no_look(looks: Looks) -> None:
    looks.versions()
    before = DurableFiles(looks.directory.parents[1]).state(looks.directory)
    looks.put("wf_a", 7)

    looks.heads.note("acme", own_write(looks, "wf_a", 7, before))

    assert looks.versions() == {"wf_a": 7}
    assert looks.read == ["acme/wf_a"]


def test_what_another_wrote_meanwhile_is_looked_for(looks: Looks) -> None:
    looks.versions()
    looks.put("wf_b", 2)
    before = DurableFiles(looks.directory.parents[1]).state(looks.directory)
    looks.put("wf_a", 7)

    looks.heads.note("acme", own_write(looks, "wf_a", 7, before))

    assert looks.versions() == {"wf_a": 7, "wf_b": 2}
