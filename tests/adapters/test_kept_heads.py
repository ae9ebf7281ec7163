"""Heads of many workflows that one process keeps for the next."""

import json
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.workflow_heads import WorkflowHeads
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

    def versions(self) -> dict[str, int]:
        found = self._heads.of("acme", self._directory, ".json")
        assert all(head[1:] == HEAD[1:] for head in found.values())
        return {one: head.version for one, head in found.items()}


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
    file.write_text('[["wf_7", 1], 5, {"a": null}]', "utf-8")


def other_kinds(file: Path) -> None:
    file.write_text('[["wf_7", "a", "b", "c", 1, "never"]]', "utf-8")


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
