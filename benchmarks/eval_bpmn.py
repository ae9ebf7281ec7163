"""Reads made BPMN documents, writes them and reads them again, and says what does not come back.

    python -m benchmarks.eval_bpmn [how many] [folder of BPMN documents]

The documents are those of `benchmarks.bpmn_documents`, or the files of a folder. For each: whether the
workflow comes back equal, whether the document written says all that the one read says (elements, attributes
and diagram, by their ids, in whatever order), whether it is valid by BPMN's own schema where the one read is, and
the seconds of the processor for reading and writing.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from time import process_time
from typing import Any
from xml.etree.ElementTree import Element

from lxml import etree

from benchmarks.bpmn_documents import document
from workflow_agent.workflows.formats import detect_format
from workflow_agent.workflows.formats.base import UnreadableDocument
from workflow_agent.workflows.formats.bpmn.diagram import LAID_OUT
from workflow_agent.workflows.formats.bpmn.xml import local_name, parse_xml

DOCUMENTS = 500
_SCHEMA = "SpiffWorkflow/bpmn/parser/schema/BPMN20.xsd"
_OURS = "{urn:workflow-agent:bpmn}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one document."""

    name: str
    comes_back: bool
    missing: tuple[str, ...]
    """What the document written does not say; what it says too much has a plus sign."""
    seconds: float
    refused: str = ""
    is_made_invalid: bool = False
    """Whether the document read was valid by BPMN's schema, and the one written is not."""


@cache
def _schema() -> Any:
    return etree.XMLSchema(etree.parse(str(distribution("SpiffWorkflow").locate_file(_SCHEMA))))


def is_valid(text: str) -> bool:
    """Say whether a document is what the schema of BPMN 2.0 allows."""
    return bool(_schema().validate(etree.fromstring(text.encode())))


def outcome(name: str, text: str) -> Outcome:
    """Return what becomes of a document, in Camunda's words where it has some."""
    bpmn = detect_format(text)
    started = process_time()
    try:
        workflow = bpmn.read(text).workflow
    except UnreadableDocument as refused:
        return Outcome(name, comes_back=False, missing=(), seconds=0.0, refused=str(refused))
    exported = bpmn.write(workflow)
    seconds = process_time() - started
    again = bpmn.read(exported.text).workflow
    is_equal = again == workflow and exported.report.is_lossless
    before, after = (Counter(_said(parse_xml(one))) for one in (text, exported.text))
    missing = [*(before - after), *(f"+ {one}" for one in after - before)]
    is_made_invalid = is_valid(text) and not is_valid(exported.text)
    return Outcome(name, is_equal, tuple(missing), seconds, is_made_invalid=is_made_invalid)


def _said(root: Element) -> Iterator[str]:
    """Yield what each element says: its name, its attributes, its text, and what it is in.

    A diagram that is made for want of one is not counted, nor what flows say too: the elements they join.
    """
    inside = [("", root)]
    for parent, element in inside:
        if element.get("name") == LAID_OUT or local_name(element) in ("incoming", "outgoing"):
            continue
        tag = element.tag.rpartition("}")[2]
        attributes = {key: value for key, value in element.items() if not key.startswith(_OURS)}
        own = parent if tag in ("BPMNShape", "BPMNEdge") else element.get("id") or f"{parent}/{tag}"
        yield f"{parent} > {tag} {sorted(attributes.items())} {(element.text or '').strip()!r}"
        inside += [(own, child) for child in element]


def main() -> None:
    """Print how many come back, and what the others lack."""
    of_folder = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    count = int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS
    given = (
        ((str(path), path.read_text("utf-8")) for path in sorted(of_folder.rglob("*.bpmn"))[:count])
        if of_folder
        else ((f"seed {seed}", document(seed)) for seed in range(count))
    )
    outcomes = [outcome(name, text) for name, text in given]
    refused = [one for one in outcomes if one.refused]
    read = [one for one in outcomes if not one.refused]
    print(f"{len(outcomes)} documents, {len(refused)} refused")
    print(f"workflows that come back equal: {sum(one.comes_back for one in read) / len(read):.1%}")
    print(f"documents that say all that was read: {sum(not one.missing for one in read) / len(read):.1%}")
    print(f"documents that were valid and are not any more: {sum(one.is_made_invalid for one in read)}")
    print(f"slowest: {max(one.seconds for one in read):.2f} s")
    for one in [one for one in outcomes if one.refused or not one.comes_back or one.missing][:10]:
        print(f"  {one.name}: {one.refused or f'equal: {one.comes_back}'}")
        for missing in one.missing[:6]:
            print(f"      {missing[:200]}")


if __name__ == "__main__":
    main()
