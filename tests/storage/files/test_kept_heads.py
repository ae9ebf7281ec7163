"""Heads of many workflows that one process keeps for the next."""

import json
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typing_extensions import override

from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.search.index import TenantIndex
from workflow_agent.storage.files.workflow_heads import Heads, WorkflowHeads
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.store import WorkflowHead

COUNT = 1_000
HEAD = WorkflowHead(1, datetime(2026, 1, 1, 12, tzinfo=UTC), "47f6ae5b97aeb57c")


class Process:
    """What one process knows of a directory, and which documents it opened."""

    def __init__(self, data: Path) -> None:
        self.opened: list[str] = []
        self._directory = data / "acme" / "workflows"
        self._heads = WorkflowHeads(DurableFiles(data), self._read)

    def _read(self, _: str, workflow_id: str) -> WorkflowHead:
        self.opened.append(workflow_id)
        told = json.loads((self._directory / f"{workflow_id}.json").read_text("utf-8"))
        return HEAD._replace(version=told)

    def heads(self) -> Heads:
        return self._heads.of("acme", self._directory, ".json")

    def versions(self) -> dict[str, int]:
        found = self.heads()
        assert all(head[1:] == HEAD[1:] for head in found.values())
        return {one: head.version for one, head in found.items()}


class CountedHeads(Heads):
    """The same heads, and how many of them were looked at."""

    def __init__(self, heads: Heads) -> None:
        super().__init__(heads.files, heads.total, heads.log)
        self.looked_at = 0

    @override
    def __getitem__(self, workflow_id: str) -> WorkflowHead:
        self.looked_at += 1
        return super().__getitem__(workflow_id)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    directory = tmp_path / "acme" / "workflows"
    directory.mkdir(parents=True)
    for number in range(COUNT):
        (directory / f"wf_{number}.json").write_text("1", "utf-8")
    return tmp_path


def kept(data: Path) -> Path:
    return data / "acme" / ".index" / "heads.json"


def test_a_later_process_opens_only_what_changed(data: Path) -> None:
    Process(data).versions()
    directory = data / "acme" / "workflows"
    (directory / "wf_7.json").write_text("22", "utf-8")
    (directory / "wf_new.json").write_text("3", "utf-8")
    (directory / "wf_9.json").unlink()
    later = Process(data)

    versions = later.versions()

    assert sorted(later.opened) == ["wf_7", "wf_new"]
    assert len(versions) == COUNT
    assert (versions["wf_7"], versions["wf_new"], versions.get("wf_9")) == (22, 3, None)


def garbage(file: Path) -> None:
    file.write_bytes(b"[[1, 2]")


def other_rows(file: Path) -> None:
    file.write_text('{"total": "0", "id": ["wf_7"], "inode": [null]}', "utf-8")


def other_kinds(file: Path) -> None:
    columns = {one: ["x"] for one in ("id", "inode", "mtime_ns", "size", "version", "changed", "mark")}
    file.write_text(json.dumps({"total": "0", **columns}), "utf-8")


@pytest.mark.parametrize("damage", [garbage, other_rows, other_kinds])
def test_what_is_damaged_is_made_anew(
    data: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    Process(data).versions()
    damage(kept(data))
    second, third = Process(data), Process(data)

    with caplog.at_level(logging.WARNING):
        versions = second.versions()

    assert len(versions) == len(second.opened) == COUNT
    assert "made anew" in caplog.text
    assert len(third.versions()) == COUNT
    assert third.opened == []


def test_where_nothing_can_be_kept_the_heads_are_found(data: Path, caplog: pytest.LogCaptureFixture) -> None:
    kept(data).mkdir(parents=True)

    with caplog.at_level(logging.WARNING):
        versions = Process(data).versions()

    assert len(versions) == COUNT
    assert "cannot be kept" in caplog.text
    assert "cannot be read" in caplog.text


def test_few_are_not_kept(data: Path) -> None:
    (data / "acme" / "workflows" / "wf_3.json").unlink()

    Process(data).versions()

    assert not kept(data).exists()


def test_heads_tell_what_changed_since_others(data: Path) -> None:
    process = Process(data)
    directory = data / "acme" / "workflows"
    before = process.heads()
    (directory / "wf_7.json").write_text("22", "utf-8")
    (directory / "wf_9.json").unlink()

    after = process.heads()

    assert after.changed_since(before) == {"wf_7", "wf_9"}
    assert after.changed_since({}) is None
    assert after.total not in (before.total, 0)


def test_the_same_heads_have_the_same_total_in_every_process(data: Path) -> None:
    first = Process(data)
    first.heads()
    (data / "acme" / "workflows" / "wf_7.json").write_text("22", "utf-8")

    totals = {first.heads().total, Process(data).heads().total}
    kept(data).unlink()

    assert {*totals, Process(data).heads().total} == totals
    assert len(totals) == 1


@pytest.mark.parametrize("changed", ["put", "deleted"])
def test_an_index_in_step_reads_no_heads(data: Path, changed: str) -> None:
    process, made = Process(data), TenantIndex(data / "index.sqlite")
    documents = [
        parse_workflow({"id": one, "name": one, "steps": [{"id": "a", "name": "A"}]}) for one in process.heads()
    ]
    made.outdated(process.heads())
    made.put(documents, process.heads())
    path = data / "acme" / "workflows" / "wf_7.json"
    path.unlink()
    if changed == "put":
        path.write_text("22", "utf-8")
    assert made.outdated(process.heads()) == ({"wf_7"} if changed == "put" else set())
    made.put([one for one in documents if one.id == "wf_7" and changed == "put"], process.heads())
    made.close()
    opened, heads = TenantIndex(data / "index.sqlite"), CountedHeads(process.heads())

    missing = opened.outdated(heads)

    assert (missing, heads.looked_at) == (set(), 0)
    opened.close()
