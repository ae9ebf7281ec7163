"""Reads the whole corpus with the importers, and says what holds, format by format.

    python -m benchmarks.eval_formats [folder of the corpus]

For each format: its documents in the corpus, how many are imported and how many refused; how many come back
equal when they are written in the same format and read again; how many of our own samples come back from
their export as they were, or differ only in what the report told; how many exports are valid by the
format's JSON Schema; and the processor's seconds for reading. Formats without documents in the corpus have
some in `benchmarks/data/formats`. Then each refusal with its reason.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema_rs

from benchmarks.corpus import CORPUS, Document, documents
from workflow_agent.workflows.analysis import analyze
from workflow_agent.workflows.formats import FORMATS
from workflow_agent.workflows.formats.base import Format, UnreadableDocument
from workflow_agent.workflows.formats.text import read_text, read_texts
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

SAMPLES = Path(__file__).resolve().parents[1] / "data" / "samples"
OWN_DOCUMENTS = Path(__file__).resolve().parent / "data" / "formats"
"""Documents of formats that the corpus has none of, in a folder each."""
NO_FORMAT = "(none)"
NEW_ON_IMPORT = ("id", "version", "source", "created_at", "updated_at")
Validator = Callable[[Any], list[str]]


def samples() -> list[Workflow]:
    """Return our own sample workflows."""
    return [parse_workflow(json.loads(path.read_text("utf-8"))) for path in sorted(SAMPLES.glob("*.json"))]


def written_and_read(format_: Format, workflow: Workflow) -> tuple[str, bool, Workflow]:
    """Return the export of a workflow, whether it lost nothing, and what is read from it."""
    exported = format_.write(workflow)
    return exported.text, exported.report.is_lossless, format_.read(read_text(exported.text)).workflow


def comes_back(format_: Format, workflow: Workflow) -> bool:
    """Say whether what was imported is written and read again without loss, and equal."""
    _, is_lossless, again = written_and_read(format_, workflow)
    return is_lossless and again == workflow


def holds_for_ours(format_: Format, workflow: Workflow) -> str:
    """Return `equal` or `told` for an export of ours: equal when read, or with the losses in the report.

    What is told to be lost must not hide more: the workflow that was read has to come back equal.
    """
    try:
        _, is_lossless, again = written_and_read(format_, workflow)
    except UnreadableDocument as broken:
        print(f"    {format_.name} cannot read its export of {workflow.id}: {broken}")
        return "BROKEN"
    if is_lossless:
        return "equal" if _comparable(again) == _comparable(workflow) else "BROKEN"
    return "told" if comes_back(format_, again) else "BROKEN"


def _comparable(workflow: Workflow) -> dict[str, Any]:
    return {key: value for key, value in workflow_document(workflow).items() if key not in NEW_ON_IMPORT}


def schemas(corpus: Path) -> Mapping[str, Validator]:
    """Return for the formats that publish a JSON Schema what says the faults of a document."""
    argo = json.loads((corpus / "argo/schema/schema.json").read_text("utf-8"))
    arazzo = read_text((corpus / "arazzo/schema/schema.json").read_text("utf-8"))
    serverless = read_text((corpus / "serverlessworkflow/schema/workflow.yaml").read_text("utf-8"))
    machines = [json.loads(one.read_text("utf-8")) for one in (corpus / "asl-validator/schemas").glob("*.json")]
    registry = jsonschema_rs.Registry([(one["$id"].rstrip("#"), one) for one in machines])
    root = next(one for one in machines if one["$id"].endswith("/state-machine.json#"))
    asl = jsonschema_rs.validator_for(root, registry=registry)
    return {
        "argo": _faults(jsonschema_rs.validator_for(argo)),
        "arazzo": _faults(jsonschema_rs.Draft202012Validator(arazzo)),
        "serverless-workflow": _faults(jsonschema_rs.validator_for(serverless)),
        "asl": lambda document: _faults(asl)(_with_query_language(document)),
    }


def _faults(validator: Any) -> Validator:
    return lambda document: [error.message[:120] for error in validator.iter_errors(document)]


def _with_query_language(document: dict[str, Any], language: str = "JSONPath") -> dict[str, Any]:
    """Return a machine that names the query language of each state, which its schema wants."""
    own = document.get("QueryLanguage", language)
    states: dict[str, Any] = {}
    for name, state in document["States"].items():
        inside = {key: _with_query_language(state[key], own) for key in ("ItemProcessor", "Iterator") if key in state}
        branches = [_with_query_language(one, own) for one in state.get("Branches", [])]
        states[name] = {"QueryLanguage": own, **state, **inside, **({"Branches": branches} if branches else {})}
    return {**document, "States": states}


def row(format_: Format, found: Sequence[Document], ours: Sequence[Workflow], faults: Validator | None) -> str:
    """Return one line of the table, with what does not hold spelled out below it."""
    read = [one for one in found if one.imported]
    broken = [one.file for one in read if one.imported and not comes_back(format_, one.imported.workflow)]
    held = Counter(holds_for_ours(format_, workflow) for workflow in ours)
    valid = _valid(format_, read, ours, faults)
    seconds = sum(one.seconds for one in found)
    cells = (
        f"{len(found):5} {len(read):9} {len(found) - len(read):8} {len(read) - len(broken):6}",
        f"{held['equal']:5} {held['told']:5} {held['BROKEN']:6}  {valid:>28} {seconds:8.2f}",
    )
    return "\n".join([f"{format_.name:20} " + " ".join(cells), *(f"    does not come back: {one}" for one in broken)])


def _valid(format_: Format, read: Sequence[Document], ours: Sequence[Workflow], faults: Validator | None) -> str:
    """Return how many exports are valid: of what was read in the format, and of our own samples.

    An export that says word for word what its file says, and is refused as that is, counts by itself.
    """
    if faults is None:
        return "-"
    exports = [(one, read_text(format_.write(one.imported.workflow).text)) for one in read if one.imported]
    refused = [(one, export) for one, export in exports if faults(export)]
    verbatim = sum(export in read_texts(one.path.read_text("utf-8")) for one, export in refused)
    own = [read_text(format_.write(workflow).text) for workflow in ours]
    as_given = f" ({verbatim} as given)" if verbatim else ""
    valid, own_valid = len(exports) - len(refused), sum(not faults(one) for one in own)
    return f"{valid}/{len(exports)}{as_given} + {own_valid}/{len(own)}"


def refusals(found: Iterable[Document]) -> Iterable[str]:
    """Yield a line for each document that was refused, and for each labelled invalid that was not."""
    for one in found:
        label = "labelled invalid" if one.is_labelled_invalid else "not labelled invalid"
        if one.imported is None:
            yield f"  {one.file} ({label}): {one.why_not.partition(': workflow_agent')[0][:160]}"
        elif one.is_labelled_invalid:
            told = {each.rule for each in analyze(one.imported.workflow) if each.severity == "error"}
            yield f"  {one.file} ({label}), imported, with findings: {', '.join(sorted(told)) or 'NONE'}"


def main(corpus: Path) -> None:
    """Print the table, then what was refused and why."""
    written = [*documents(OWN_DOCUMENTS, "kestra"), *documents(OWN_DOCUMENTS, "camunda")]
    found, ours, faults = [*documents(corpus), *written], samples(), schemas(corpus)
    formats_of = {one.folder: one.format.name for one in found if one.format}
    print(
        f"{len(found) - len(written)} documents of the corpus, {len(written)} beside it, {len(ours)} samples of our own"
    )
    print(" " * 22 + "documents of the corpus        our own, exported")
    columns = f"docs  imported  refused  equal equal  told broken  {'valid: corpus + ours':>28}  seconds"
    print(f"{'format':20} {columns}")
    for format_ in FORMATS.values():
        own = [one for one in found if (one.format.name if one.format else formats_of.get(one.folder)) == format_.name]
        print(row(format_, own, ours, faults.get(format_.name)))
    print("refused, and labelled invalid:")
    for line in refusals(found):
        print(line)


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS
    if not folder.is_dir():
        sys.exit(f"There is no corpus at {str(folder)!r}; give its folder as the argument.")
    main(folder)
