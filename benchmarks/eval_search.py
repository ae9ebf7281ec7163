"""Finds workflows by their human descriptions, beside plain FTS5 over the same texts in the same run.

    python -m benchmarks.eval_search [folder of the corpus]

Each description of `pairs.json` is a query, the file it describes the one right answer; all formats are in
one index. Descriptions themselves are not indexed. Two indexes are tried: one in which a workflow is called
as in its file, and one in which it has the title people gave it.
"""

import asyncio
import re
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.eval_readers import Pair, pairs, workflows
from workflow_agent.adapters.memory import InMemoryWorkflowCatalog
from workflow_agent.adapters.search.index import SqliteWorkflowSearch
from workflow_agent.adapters.search.tenant import head_of
from workflow_agent.domain.workflow import Workflow, workflow_document
from workflow_agent.ports import Author, Change

FOLDERS = ("argo", "github-starter-workflows", "n8n")
CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus" / "workflows"
TENANT = "eval"
SHOWN = 50


def texts(workflow: Workflow) -> tuple[str, str]:
    """Return a workflow's name and, in one text, all its other words, for the plain index."""
    found: list[str] = []

    def collect(data: object) -> None:
        if isinstance(data, str):
            found.append(data)
        elif isinstance(data, dict):
            for key, value in data.items():
                found.append(str(key))
                collect(value)
        elif isinstance(data, list):
            for value in data:
                collect(value)

    document = workflow_document(workflow)
    collect({key: document[key] for key in ("id", "steps")})
    collect(list(document.get("extensions", {}).values()))
    return workflow.name, "\n".join(found)


def plain_ranks(indexed: Mapping[str, Workflow], queries: Sequence[Pair]) -> list[int]:
    """Return the place of each right answer by FTS5 alone: porter stemming, the title weighted 3."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE texts USING fts5(file UNINDEXED, title, body, tokenize='porter')")
    rows = [(file, *texts(workflow)) for file, workflow in indexed.items()]
    database.executemany("INSERT INTO texts VALUES (?, ?, ?)", rows)
    ranks: list[int] = []
    for pair in queries:
        typed = dict.fromkeys(re.findall(r"\w+", pair.query.lower()))
        found = database.execute(
            "SELECT file FROM texts WHERE texts MATCH ? ORDER BY bm25(texts, 0, 3, 1) LIMIT ?",
            (" OR ".join(f'"{word}"' for word in typed), SHOWN),
        )
        ranks.append(place(pair.file, [file for (file,) in found]))
    database.close()
    return ranks


async def search_ranks(indexed: Mapping[str, Workflow], queries: Sequence[Pair]) -> list[int]:
    """Return the place of each right answer among the hits of the product's search."""
    catalog = InMemoryWorkflowCatalog()
    files = {workflow.id: file for file, workflow in indexed.items()}
    for workflow in indexed.values():
        await catalog.create(TENANT, workflow, Change(Author(), "imported"))
    # Nothing changes any more, so nobody has to read the catalogue again for every query.
    heads = {workflow.id: head_of(workflow) for workflow in await catalog.all(TENANT)}
    search = SqliteWorkflowSearch(catalog, heads=lambda _: asyncio.sleep(0, heads))
    ranks: list[int] = []
    for pair in queries:
        answer = await search.search(TENANT, pair.query, limit=SHOWN)
        ranks.append(place(pair.file, [files[hit.id] for hit in answer.hits]))
    search.close()
    return ranks


def place(wanted: str, found: Sequence[str]) -> int:
    """Return where the wanted one is, from 1; 0 when it is not among the found."""
    return found.index(wanted) + 1 if wanted in found else 0


def report(name: str, queries: Sequence[Pair], ranks: Sequence[int]) -> None:
    """Print the figures of one ranking, over all formats and for each."""
    for folder in ("", *FOLDERS):
        of_folder = [rank for pair, rank in zip(queries, ranks, strict=True) if pair.file.startswith(folder)]
        count = len(of_folder)
        first = sum(rank == 1 for rank in of_folder) / count
        among_five = sum(0 < rank <= 5 for rank in of_folder) / count
        reciprocal = sum(1 / rank for rank in of_folder if rank) / count
        label = f"{name}, {folder}" if folder else name
        print(f"  {label:42} R@1 {first:.3f}  R@5 {among_five:.3f}  MRR {reciprocal:.3f}  n={count}")


def leaks(indexed: Mapping[str, Workflow], queries: Sequence[Pair]) -> list[str]:
    """Return the files whose indexed text holds their description word for word."""
    found: list[str] = []
    for pair in queries:
        said = " ".join(re.findall(r"\w+", pair.query.lower()))
        held = " ".join(re.findall(r"\w+", " ".join(texts(indexed[pair.file])).lower()))
        if said.count(" ") >= 5 and said in held:
            found.append(pair.file)
    return found


async def evaluate(corpus: Path) -> None:
    """Print the figures for both indexes, each beside the plain index over the same texts."""
    described = [pair for folder in FOLDERS for pair in pairs(corpus, folder)]
    titles = {pair.file: pair.title for pair in described if pair.title}
    for label, names in (("named as in the file", {}), ("named by people", titles)):
        indexed = workflows(corpus, names)
        queries = [pair for pair in described if pair.file in indexed]
        unread = len(described) - len(queries)
        print(f"{label}: {len(indexed)} workflows, {len(queries)} descriptions, {unread} of unreadable files")
        print(f"  descriptions found word for word in the index: {leaks(indexed, queries) or 'none'}")
        report("plain FTS5", queries, plain_ranks(indexed, queries))
        report("search", queries, await search_ranks(indexed, queries))


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS
    if not folder.is_dir():
        sys.exit(f"There is no corpus at {str(folder)!r}; give its folder as the argument.")
    asyncio.run(evaluate(folder))
