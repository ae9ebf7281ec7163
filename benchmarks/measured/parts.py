"""The parts of the work by themselves: modes, search, edits, analysis, import, saving and loading."""

import asyncio
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import process_time

from benchmarks.figures import RATIO, Figure, Section, mean_ms
from benchmarks.test_search_speed import QUERIES, FixedCatalog, many_workflows
from tests.support.long_talks import compacted, talked
from workflow_agent.assistant.modes.inference import infer_mode
from workflow_agent.conversations.seals import SealRule
from workflow_agent.storage.files.conversations import JsonConversationStore
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.search.index import SqliteWorkflowSearch
from workflow_agent.workflows.analysis import analyze
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.formats import FORMATS, import_workflows
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow, outline, workflow_document

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
WORKFLOWS = (100, 1_000, 10_000)
TURNS = (10, 100, 1_000)
SAVES = 15


def sample(name: str = "expense_approval") -> Workflow:
    """Return one of the sample workflows."""
    return parse_workflow(json.loads((SAMPLES / f"{name}.json").read_text("utf-8")))


def measure() -> Section:
    """Return the figures of the parts."""
    return Section(
        "parts",
        "The parts by themselves",
        "Medians or means of many rounds in one process, without a model.",
        [*_rules(), *_searching(), *asyncio.run(_keeping())],
    )


def _rules() -> Iterator[Figure]:
    workflow = sample()
    document = json.dumps(workflow_document(workflow))
    edits = [{"op": "rename_step", "step": workflow.steps[0].id, "name": "Hand in"}]
    asl = FORMATS["asl"].write(workflow).text
    message = "could you put a legal check in before it's signed?"
    yield Figure("infer a mode", mean_ms(lambda: infer_mode(message, workflow_loaded=True), 300), "ms")
    yield Figure("outline of a workflow", mean_ms(lambda: outline(workflow), 300), "ms")
    yield Figure("edit: parse, apply, diff", mean_ms(lambda: apply_edits(workflow, parse_edits(edits)), 100), "ms")
    yield Figure("analyse", mean_ms(lambda: analyze(workflow), 100), "ms")
    yield Figure("import its own JSON", mean_ms(lambda: list(import_workflows(document)), 50), "ms")
    yield Figure("import as ASL", mean_ms(lambda: list(import_workflows(asl)), 50), "ms")


@contextmanager
def _index(count: int) -> Iterator[SqliteWorkflowSearch]:
    directory = Path(tempfile.mkdtemp())
    search = SqliteWorkflowSearch(FixedCatalog(many_workflows(count)), root=directory)
    try:
        yield search
    finally:
        search.close()
        shutil.rmtree(directory)


def _searching() -> Iterator[Figure]:
    medians: list[float] = []
    for count in WORKFLOWS:
        with _index(count) as search, asyncio.Runner() as runner:
            runner.run(search.search("many", "warm"))
            taken: list[float] = []
            for query in QUERIES * 3:
                started = process_time()
                runner.run(search.search("many", query))
                taken.append((process_time() - started) * 1_000)
        medians.append(median(taken))
        yield Figure(f"search over {count:,} workflows", medians[-1], "ms")
    yield Figure(f"search over {WORKFLOWS[-1]:,} / over {WORKFLOWS[0]:,}", medians[-1] / medians[0], RATIO)


async def _keeping() -> list[Figure]:
    found: list[Figure] = []
    with tempfile.TemporaryDirectory() as directory:
        for turns in TURNS:
            files = DurableFiles(Path(directory) / str(turns))
            store = JsonConversationStore(files, seal=SealRule())
            talk = compacted(talked(min(turns, 40)))
            await store.create(talk)
            while talk.turn_count < turns:
                talk = await store.update(talk.tenant, talk.id, lambda now: compacted(talked(40, now)))
            saved = [await _saved(store, talk.tenant, talk.id) for _ in range(SAVES)]
            found.append(Figure(f"save one turn more, file and directory synced, turn {turns:,}", median(saved), "ms"))
            fresh = JsonConversationStore(files, seal=SealRule())
            started = process_time()
            await fresh.load(talk.tenant, talk.id)
            found.append(Figure(f"load, turn {turns:,}", (process_time() - started) * 1_000, "ms"))
    return found


async def _saved(store: JsonConversationStore, tenant: str, conversation_id: str) -> float:
    started = process_time()
    await store.update(tenant, conversation_id, lambda now: compacted(talked(1, now)))
    return (process_time() - started) * 1_000
