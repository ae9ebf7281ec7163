"""Search over very many workflows beside search over few: the index, a query, and one after a change."""

import asyncio
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import process_time

from benchmarks.figures import RATIO, Figure, Section
from benchmarks.test_search_speed import QUERIES, TENANT, FixedCatalog, many_workflows
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.search.index import SqliteWorkflowSearch
from workflow_agent.storage.files.workflows import JsonWorkflowCatalog
from workflow_agent.values.caches import TtlCache
from workflow_agent.workflows.model.workflow import Workflow, workflow_document
from workflow_agent.workflows.store import Author, Change, WorkflowCatalog

FEW, MANY = 100, 100_000
ROUNDS = 3
FRESH = (10, 26, 42)
"""Workflows of those that are changed: every sixteenth is of one sample."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What search over so many workflows takes of the processor, in milliseconds."""

    index: float
    start: float
    """The first query of a process that finds the index made."""
    query: float
    slowest: float
    update: float
    """To store one changed workflow, and the first query after that."""
    first_update: float
    """The same of a workflow that was never changed before."""
    disk_bytes: int


def measure() -> Section:
    """Return the figures of search over many workflows."""
    few, many = _measured(FEW), _measured(MANY)
    return Section(
        "search",
        "Search over many workflows",
        f"{MANY:,} files made from the samples, written without waiting for the disk, beside {FEW}: "
        f"{len(QUERIES)} different queries, medians of {ROUNDS} rounds. The index is made of workflows that "
        "were read before; then a new process's catalogue and search begin with it, over the files.",
        [
            Figure(f"index {MANY:,} workflows", many.index / 1_000, "s"),
            Figure(f"one of {MANY:,} / one of {FEW}", many.index / MANY / (few.index / FEW), RATIO),
            Figure(f"index of {MANY:,} workflows on the disk", many.disk_bytes / 2**20, "MB"),
            Figure(f"first query of a process, {MANY:,} workflows", many.start, "ms", most=1_000),
            Figure(f"query over {FEW} workflows", few.query, "ms"),
            Figure(f"query over {MANY:,} workflows", many.query, "ms"),
            Figure(f"query over {MANY:,} / over {FEW}", many.query / few.query, RATIO),
            Figure(f"slowest query over {MANY:,} workflows", many.slowest, "ms"),
            Figure(f"change of one and the next query, {FEW} workflows", few.update, "ms"),
            Figure(f"change of one and the next query, {MANY:,} workflows", many.update, "ms", most=15),
            Figure(f"change of one / over {FEW}", many.update / few.update, RATIO),
            Figure(f"first change of one and the next query, {MANY:,} workflows", many.first_update, "ms", most=15),
        ],
    )


def _measured(count: int) -> Measured:
    root = Path(tempfile.mkdtemp())
    workflows = many_workflows(count)
    _write(workflows, root)
    try:
        read = FixedCatalog(workflows)
        with asyncio.Runner() as runner:
            read.known = runner.run(_catalog(root).heads(TENANT))
        with _searching(read, root) as made:
            index = made.ms("warm")
        del workflows, read
        stored = _catalog(root)
        with _searching(stored, root) as opened:
            start = opened.ms("warm")
            each = [median(opened.ms(query) for _ in range(ROUNDS)) for query in QUERIES]
            fresh = [f"wf_leave_request_{number:05}" for number in FRESH]
            first_update = median(opened.update_ms(stored, f"Renamed {one[-2:]}", one) for one in fresh)
            update = median(opened.update_ms(stored, f"Renamed {number}", fresh[0]) for number in range(ROUNDS))
        disk = sum(file.stat().st_size for file in (root / TENANT / ".index").iterdir())
    finally:
        shutil.rmtree(root)
    return Measured(index, start, median(each), max(each), update, first_update, disk)


def _catalog(root: Path) -> JsonWorkflowCatalog:
    """Return the catalogue of a process that has not read anything yet."""
    specs: TtlCache[Workflow] = TtlCache(max_entries=0, ttl_seconds=0)
    return JsonWorkflowCatalog(DurableFiles(root), specs, now=lambda: datetime.now(UTC))


def _write(workflows: list[Workflow], root: Path) -> None:
    directory = root / TENANT / "workflows"
    directory.mkdir(parents=True)
    for workflow in workflows:
        (directory / f"{workflow.id}.json").write_text(json.dumps(workflow_document(workflow)), "utf-8")


@dataclass(frozen=True, slots=True)
class _Searching:
    """A search and the loop it runs in."""

    search: SqliteWorkflowSearch
    runner: asyncio.Runner

    def ms(self, query: str) -> float:
        """Return what a query takes."""
        started = process_time()
        self.runner.run(self.search.search(TENANT, query))
        return (process_time() - started) * 1_000

    def update_ms(self, catalog: JsonWorkflowCatalog, name: str, changed: str) -> float:
        """Return what it takes to rename a workflow and find it by its new name."""
        change = Change(Author(), "edited")

        async def change_and_search() -> float:
            started = process_time()
            await catalog.update(TENANT, changed, lambda one: (one.model_copy(update={"name": name}), change))
            found = await self.search.search(TENANT, name)
            spent = (process_time() - started) * 1_000
            assert found.hits[0].id == changed
            return spent

        return self.runner.run(change_and_search())


@contextmanager
def _searching(catalog: WorkflowCatalog, root: Path) -> Iterator[_Searching]:
    search = SqliteWorkflowSearch(catalog, root=root)
    with asyncio.Runner() as runner:
        try:
            yield _Searching(search, runner)
        finally:
            search.close()
