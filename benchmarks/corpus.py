"""The documents of the corpus, each read by the real importers; the corpus itself is never copied."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

from workflow_agent.workflows.formats import import_workflows
from workflow_agent.workflows.formats.base import Format, Imported, UnreadableDocument

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus" / "workflows"
_TEXTS = (".json", ".yaml", ".yml", ".bpmn")
_NOT_DOCUMENTS = ("schema", "schemas", "pairs.json", "properties", "prompts")
"""Folders and files beside the documents: JSON Schemas, and descriptions in the words of people."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document of the corpus, and what became of it."""

    path: Path
    folder: str
    file: str
    """Relative to the corpus."""
    format: Format | None
    imported: Imported | None
    why_not: str
    is_labelled_invalid: bool
    seconds: float
    """Of the processor, for all documents of its file."""


def files(corpus: Path, folder: str = "*") -> Iterator[Path]:
    """Yield the files that hold documents, in order."""
    for path in sorted(corpus.glob(f"{folder}/**/*")):
        parts = path.relative_to(corpus).parts
        if path.suffix in _TEXTS and not set(parts) & set(_NOT_DOCUMENTS):
            yield path


def documents(corpus: Path, folder: str = "*") -> Iterator[Document]:
    """Yield every document of the corpus; several may be in one file."""
    for path in files(corpus, folder):
        yield from _documents_of(path, corpus)


def _documents_of(path: Path, corpus: Path) -> Iterator[Document]:
    relative = path.relative_to(corpus)
    is_invalid = path.name.startswith("invalid") or "invalid" in relative.parts
    text = document_text(path)
    started = process_time()
    try:
        parts: list[Any] = list(import_workflows(text))
        why = ""
    except UnreadableDocument as refused:
        parts, why = [None], "; ".join(f"{one.pointer or '/'}: {one.message}" for one in refused.problems[:3])
    seconds = process_time() - started
    for part in parts:
        told = "; ".join(f"{one.pointer or '/'}: {one.message}" for one in part.problems[:3]) if part else why
        found = (part.format, part.imported) if part else (None, None)
        yield Document(path, relative.parts[0], str(relative), *found, told, is_invalid, seconds / len(parts))


def document_text(path: Path) -> str:
    """Return the text of a file; of a conformance case, the definition in it."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json" and '"definition"' in text:
        case = json.loads(text)
        definition = case.get("definition") if isinstance(case, dict) else None
        return definition if isinstance(definition, str) else json.dumps(definition) if definition else text
    return text
