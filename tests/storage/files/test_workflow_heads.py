"""How heads are found out from files: what is looked at again, and when."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import FileState
from workflow_agent.storage.files.workflow_heads import WorkflowHeads, Written, mark_of, told_head
from workflow_agent.storage.files.workflows import JsonWorkflowCatalog
from workflow_agent.values.caches import TtlCache
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow, workflow_document
from workflow_agent.workflows.store import Author, Change, WorkflowHead


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


def test_a_lock_file_beside_the_documents_is_no_change_of_one(looks: Looks) -> None:
    looks.versions()
    looks.edit_in_place("wf_a", 3)

    with looks.heads.making_beside("acme", looks.directory):
        (looks.directory / "wf_a.lock").touch()

    # Nothing was looked at: what was edited in place does not show yet.
    assert looks.versions() == {"wf_a": 1}


def test_what_another_wrote_before_a_lock_file_was_made_is_looked_for(looks: Looks) -> None:
    looks.versions()
    looks.put("wf_b", 2)

    with looks.heads.making_beside("acme", looks.directory):
        (looks.directory / "wf_a.lock").touch()

    assert looks.versions() == {"wf_a": 1, "wf_b": 2}


def test_heads_after_many_writes_are_those_of_a_process_that_looks_anew(looks: Looks) -> None:
    looks.versions()
    files = DurableFiles(looks.directory.parents[1])
    for number in range(700):
        before = files.state(looks.directory)
        looks.put(f"wf_{number % 600}", 1 + number % 7)
        looks.heads.note("acme", own_write(looks, f"wf_{number % 600}", 1 + number % 7, before))
    told = looks.heads.of("acme", looks.directory, ".json")

    assert looks.read == ["acme/wf_a"]
    looks.heads = WorkflowHeads(files, lambda _, one: told[one], now_ns=lambda: looks.listed_ns)
    anew = looks.heads.of("acme", looks.directory, ".json")
    assert (dict(told), len(told), told.total) == (dict(anew), len(anew), anew.total)


async def test_the_first_change_of_a_workflow_makes_nobody_look_at_all_others(tmp_path: Path) -> None:
    directory = tmp_path / "acme" / "workflows"
    directory.mkdir(parents=True)
    step = {"id": "a", "name": "A"}
    for name in ("wf_a", "wf_b"):
        workflow = parse_workflow({"id": name, "name": name, "steps": [step]})
        (directory / f"{name}.json").write_text(json.dumps(workflow_document(workflow)), "utf-8")
    os.utime(directory, (1, 1))
    specs: TtlCache[Workflow] = TtlCache(max_entries=0, ttl_seconds=0)
    catalog = JsonWorkflowCatalog(DurableFiles(tmp_path), specs, now=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    before = dict(await catalog.heads("acme"))
    (directory / "wf_b.json").write_text("{}", "utf-8")

    await catalog.update("acme", "wf_a", lambda one: (one.model_copy(update={"name": "B"}), Change(Author(), "edited")))
    heads = await catalog.heads("acme")

    assert heads["wf_a"] != before["wf_a"]
    assert heads["wf_b"] == before["wf_b"]
