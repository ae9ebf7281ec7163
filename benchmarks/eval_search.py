"""Finds workflows by their human descriptions, beside plain FTS5 over the same texts in the same run.

    python -m benchmarks.eval_search [folder of the corpus]

Each description of `pairs.json` is a query, the file it describes the one right answer; all formats are in
one index, read by the real importers. Descriptions themselves are the queries and are taken out of the
documents before they are read. Two indexes are tried: one in which a workflow is called
as in its file, and one in which it has the title people gave it.
"""

import asyncio
import json
import re
import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.corpus import CORPUS, files
from benchmarks.test_search_speed import FixedCatalog
from workflow_agent.storage.files.search.index import SqliteWorkflowSearch
from workflow_agent.workflows.edits.drafts import workflow_id_for
from workflow_agent.workflows.formats import import_workflows
from workflow_agent.workflows.formats.base import UnreadableDocument
from workflow_agent.workflows.formats.text import read_texts
from workflow_agent.workflows.model.parser import unique_id
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

FOLDERS = ("argo", "github-starter-workflows", "n8n")
TENANT = "eval"
SHOWN = 50
_TOLD = frozenset({"annotations", "description"})
"""Keys whose values are human descriptions: they are the queries, so they are not indexed."""


class Pair(NamedTuple):
    """A human description and the file it describes."""

    query: str
    file: str
    title: str


def pairs(corpus: Path, folder: str) -> list[Pair]:
    """Return the description of each described file of a folder; those that hold no word are left out."""
    listed = json.loads((corpus / folder / "pairs.json").read_text("utf-8"))
    return [
        Pair(one["description"], f"{folder}/{one['file']}", one.get("title") or "")
        for one in listed
        if re.search(r"\w", one["description"])
    ]


def workflows(corpus: Path, titles: Mapping[str, str]) -> dict[str, Workflow]:
    """Return the workflow of every file of the described formats that is one; of several, all as one find.

    Args:
        corpus: The folder of the formats.
        titles: Names to take in place of those in the files, by file.
    """
    found: dict[str, Workflow] = {}
    taken: set[str] = set()
    for folder in FOLDERS:
        for path in files(corpus, folder):
            file = str(path.relative_to(corpus))
            for number, workflow in enumerate(_read(path)):
                name = titles.get(file) or workflow.name
                own_id = unique_id(workflow_id_for(name), taken)
                taken.add(own_id)
                key = file if number == 0 else f"{file}#{number}"
                found[key] = workflow.model_copy(update={"id": own_id, "name": name[:200]})
    return found


def _read(path: Path) -> Iterator[Workflow]:
    """Yield the workflows of a file, without what people say about them."""
    try:
        documents = read_texts(path.read_text("utf-8"))
        told = [_without_descriptions(document) for document in documents]
        parts = import_workflows("\n---\n".join(json.dumps(document) for document in told))
    except UnreadableDocument:
        return
    yield from (part.imported.workflow for part in parts if part.imported)


def _without_descriptions(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_descriptions(value) for key, value in data.items() if key not in _TOLD}
    return [_without_descriptions(one) for one in data] if isinstance(data, list) else data


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
        ranks.append(place(pair.file, [_file(file) for (file,) in found]))
    database.close()
    return ranks


async def search_ranks(indexed: Mapping[str, Workflow], queries: Sequence[Pair]) -> list[int]:
    """Return the place of each right answer among the hits of the product's search."""
    names = {workflow.id: file for file, workflow in indexed.items()}
    search = SqliteWorkflowSearch(FixedCatalog(list(indexed.values())))
    ranks: list[int] = []
    for pair in queries:
        answer = await search.search(TENANT, pair.query, limit=SHOWN)
        ranks.append(place(pair.file, [_file(names[hit.id]) for hit in answer.hits]))
    search.close()
    return ranks


def _file(key: str) -> str:
    """Return the file of one of the workflows in it."""
    return key.partition("#")[0]


def place(wanted: str, found: Sequence[str]) -> int:
    """Return where the wanted one is, from 1; 0 when it is not among the found."""
    return found.index(wanted) + 1 if wanted in found else 0


class Quality(NamedTuple):
    """How often the right answer is the first, and among the first five, and the mean of one over its place."""

    first: float
    among_five: float
    reciprocal: float
    count: int

    @classmethod
    def of(cls, ranks: Sequence[int]) -> "Quality":
        """Return the quality of a ranking by the places of the right answers; 0 is not found."""
        count = len(ranks)
        first, among_five = sum(rank == 1 for rank in ranks), sum(0 < rank <= 5 for rank in ranks)
        return cls(first / count, among_five / count, sum(1 / rank for rank in ranks if rank) / count, count)

    def __str__(self) -> str:
        return f"R@1 {self.first:.3f}, R@5 {self.among_five:.3f}, MRR {self.reciprocal:.3f}"


def by_set(queries: Sequence[Pair], ranks: Sequence[int]) -> dict[str, Quality]:
    """Return the quality of a ranking over the queries of each format."""
    of_folder = {
        folder: [rank for pair, rank in zip(queries, ranks, strict=True) if pair.file.startswith(folder)]
        for folder in FOLDERS
    }
    return {folder: Quality.of(listed) for folder, listed in of_folder.items()}


def report(name: str, queries: Sequence[Pair], ranks: Sequence[int]) -> None:
    """Print the figures of one ranking, over all formats and for each."""
    for folder, quality in {"": Quality.of(ranks), **by_set(queries, ranks)}.items():
        print(f"  {f'{name}, {folder}' if folder else name:42} {quality}  n={quality.count}")


def as_question(pair: Pair) -> Pair:
    """Return the first sentence of a description as people ask for a workflow: "How to ..."."""
    first = re.split(r"[.!?](?:\s|$)", pair.query, maxsplit=1)[0]
    return pair._replace(query=f"How to {first[:1].lower()}{first[1:]}?")


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
        asked = [as_question(pair) for pair in queries]
        report("plain FTS5, asked", asked, plain_ranks(indexed, asked))
        report("search, asked", asked, await search_ranks(indexed, asked))


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS
    if not folder.is_dir():
        sys.exit(f"There is no corpus at {str(folder)!r}; give its folder as the argument.")
    asyncio.run(evaluate(folder))
