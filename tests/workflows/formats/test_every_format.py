"""What every format promises, whatever it is; a new one is added to FORMATS and passes this as it is."""

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.workflows import workflows
from workflow_agent.errors import InvalidInput, Problem
from workflow_agent.workflows.analysis import format_findings
from workflow_agent.workflows.formats import FORMATS, detect_format, format_named, import_workflow
from workflow_agent.workflows.formats.base import Format, UnreadableDocument
from workflow_agent.workflows.formats.text import read_text
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow, workflow_document

pytestmark = pytest.mark.slow

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "workflows"
SAMPLE = Path(__file__).parents[3] / "data" / "samples" / "order_fulfilment.json"
FILES: Mapping[str, tuple[str, ...]] = {
    "asl": ("asl-validator/valid-*",),
    "serverless-workflow": ("serverlessworkflow/examples/*", "serverlessworkflow/docs/*"),
    "github-actions": ("github-starter-workflows/*/*.y*ml",),
    "argo": ("argo/examples/**/*.yaml",),
}
"""The valid documents of each format in the corpus."""
NATIVE = ("json", "yaml")
NEW_ON_IMPORT = ("id", "version", "source", "created_at", "updated_at")

every_format = pytest.mark.parametrize("fmt", [pytest.param(one, id=one.name) for one in FORMATS.values()])
few_examples = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def comparable(workflow: Workflow) -> dict[str, Any]:
    """Return a workflow's document without what an import gives it anew."""
    return {key: value for key, value in workflow_document(workflow).items() if key not in NEW_ON_IMPORT}


def again(fmt: Format, workflow: Workflow) -> Workflow:
    """Return the workflow that comes back from its export."""
    return fmt.read(read_text(fmt.write(workflow).text)).workflow


def test_each_format_is_listed_under_its_own_name() -> None:
    assert list(FORMATS) == [one.name for one in FORMATS.values()]


@every_format
@few_examples
@given(workflow=workflows())
def test_any_workflow_is_written_and_a_lossless_export_reads_back_equal(fmt: Format, workflow: Workflow) -> None:
    exported = fmt.write(workflow)

    if exported.report.is_lossless:
        assert comparable(fmt.read(read_text(exported.text)).workflow) == comparable(workflow)


@every_format
@few_examples
@given(workflow=workflows())
def test_what_was_read_once_is_written_and_read_again_without_loss(fmt: Format, workflow: Workflow) -> None:
    try:
        first = again(fmt, workflow)
    except UnreadableDocument:
        return

    exported = fmt.write(first)

    assert exported.report.lost == []
    assert fmt.read(read_text(exported.text)).workflow == first


@every_format
@few_examples
@given(workflow=workflows(), data=st.data())
def test_a_damaged_document_is_read_or_refused_with_places(
    fmt: Format, workflow: Workflow, data: st.DataObject
) -> None:
    document = read_text(fmt.write(workflow).text)
    if isinstance(document, str):
        damaged: Any = document.replace("id=", "di=", data.draw(st.integers(0, 3)))
    else:
        damaged = _damaged(document, data)

    read, problems = _read_or_refused(fmt, damaged)

    # Who asks what a document is asks every format, and what was read is looked at by the rules of its tool.
    assert all(0 <= one.recognises(damaged) <= 1 for one in FORMATS.values())
    assert read is None or isinstance(format_findings(read), list)
    assert all(problem.pointer == "" or problem.pointer.startswith("/") for problem in problems)
    assert problems if read is None else again(fmt, read) == read


@every_format
def test_any_value_may_be_of_another_kind(fmt: Format) -> None:
    document = read_text(fmt.write(parse_workflow(json.loads(SAMPLE.read_text("utf-8")))).text)

    for damaged in _each_value_replaced(document):
        read, problems = _read_or_refused(fmt, damaged)

        assert read is not None or problems
        assert 0 <= fmt.recognises(damaged) <= 1
        if read is not None:
            format_findings(read)


def _each_value_replaced(document: Any, at: tuple[Any, ...] = ()) -> Iterator[Any]:
    """Yield copies of a document with one value in it replaced by one of another kind."""
    here = document
    for key in at:
        here = here[key]
    for key in here if isinstance(here, dict) else range(len(here)) if isinstance(here, list) else ():
        for wrong in (None, [], {"a": []}):
            copy = deepcopy(document)
            inner = copy
            for one in at:
                inner = inner[one]
            inner[key] = wrong
            yield copy
        yield from _each_value_replaced(document, (*at, key))


def _read_or_refused(fmt: Format, document: Any) -> tuple[Workflow | None, tuple[Problem, ...]]:
    try:
        return fmt.read(document).workflow, ()
    except UnreadableDocument as refused:
        return None, refused.problems


def _damaged(document: Any, data: st.DataObject) -> Any:
    """Return a copy of a document with up to three values anywhere in it replaced by others."""
    copy = json.loads(json.dumps(document))
    for _ in range(data.draw(st.integers(1, 3))):
        here, depth = copy, data.draw(st.integers(0, 7))
        while depth and isinstance(here, dict | list) and here:
            key = data.draw(st.sampled_from(sorted(here) if isinstance(here, dict) else range(len(here))))
            inner = here[key]
            if depth == 1 or not isinstance(inner, dict | list) or not inner:
                here[key] = deepcopy(data.draw(st.sampled_from(_WRONG)))
                break
            here, depth = inner, depth - 1
    return copy


_WRONG: tuple[Any, ...] = (
    None,
    True,
    0,
    -1.5,
    10**40,
    "",
    " ",
    "x" * 300,
    "$.a",
    "${{ x }}",
    [],
    {},
    [None],
    [[1]],
    [{}],
    {"a": None},
    {"a": {"b": []}},
    ["a", 1],
    {"name": 1},
    "*/5 * * * *",
)


@every_format
@pytest.mark.parametrize(
    "document",
    [
        pytest.param(one, id=str(one)[:30] or "empty text")
        for one in (None, True, 0, 1.5, "", "hello", [], [1], {}, {"a": 1}, {"steps": 1, "name": []}, [{}])
    ],
)
def test_what_is_no_workflow_at_all_is_refused(fmt: Format, document: Any) -> None:
    with pytest.raises(UnreadableDocument):
        fmt.read(document)


@every_format
@few_examples
@given(workflow=workflows(), kept=st.sampled_from((1, "x", [], {"a": 1}, {"name": {"b": [None]}})))
def test_extensions_that_somebody_else_wrote_are_no_obstacle(fmt: Format, workflow: Workflow, kept: Any) -> None:
    document = workflow_document(workflow)
    for part in (document, *document["steps"], *document["transitions"]):
        part["extensions"] = {fmt.name: kept}

    exported = fmt.write(parse_workflow(document))

    assert exported.text


@every_format
def test_an_export_is_recognised_as_what_it_is(fmt: Format, expense_approval: Workflow) -> None:
    document = read_text(fmt.write(expense_approval).text)

    found = detect_format(document)

    assert found is fmt or {found.name, fmt.name} <= set(NATIVE)


@every_format
def test_an_export_is_imported_by_its_content_alone(fmt: Format, expense_approval: Workflow) -> None:
    text = fmt.write(expense_approval).text

    chosen, imported = import_workflow(text)

    assert imported.workflow.steps
    assert imported == chosen.read(read_text(text))


@every_format
def test_a_format_says_what_it_is(fmt: Format) -> None:
    assert format_named(fmt.name) is fmt
    assert fmt.title
    assert "/" in fmt.media_type
    assert not fmt.extension.startswith(".")


def test_an_unknown_format_is_refused_with_those_there_are() -> None:
    with pytest.raises(InvalidInput, match="asl"):
        format_named("word")


def test_an_unknown_document_is_refused_with_the_formats_there_are() -> None:
    with pytest.raises(UnreadableDocument, match="Amazon States Language"):
        detect_format({"hello": "world"})


NOT_YAML = ("nowsecure.yml", "nowsecure-mobile-sbom.yml")
"""Templates whose placeholder `{{ groupId }}` is a mapping as the key of a mapping, which nothing reads."""
SEVERAL_IN_ONE = "\n---\n"


def corpus_texts(name: str) -> Iterator[tuple[str, str]]:
    """Yield the documents of a format in the corpus, with their file; several may be in one file."""
    for pattern in FILES[name]:
        for path in sorted(CORPUS.glob(pattern)):
            text = path.read_text(encoding="utf-8")
            parts = text.split(SEVERAL_IN_ONE) if path.suffix in (".yaml", ".yml") else [text]
            if path.name not in NOT_YAML:
                yield from ((str(path.relative_to(CORPUS)), part) for part in parts if part.strip())


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not beside this checkout")
@pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in FILES])
def test_corpus_documents_are_recognised_and_come_back_as_they_were(name: str) -> None:
    fmt = FORMATS[name]
    imported = 0

    for file, text in corpus_texts(name):
        document = read_text(text)
        if any(one in file for one in NO_WORKFLOWS):
            continue
        workflow = fmt.read(document).workflow
        exported = fmt.write(workflow)
        imported += 1

        assert detect_format(document) is fmt, file
        assert exported.report.lost == [], file
        assert read_text(exported.text) == document, file
        assert again(fmt, workflow) == workflow, file

    assert imported == DOCUMENTS[name]


NO_WORKFLOWS = ("simple-parameters-configmap", "testvolume", "workflow-count-resourcequota")
"""Kubernetes objects that the workflows of the corpus need beside them."""
DOCUMENTS = {"asl": 62, "serverless-workflow": 112, "github-actions": 170, "argo": 225}


@pytest.fixture
def expense_approval() -> Workflow:
    return parse_workflow(
        {
            "id": "wf_expense_approval",
            "name": "Expense approval",
            "triggers": [{"type": "manual"}, {"type": "schedule", "cron": "0 9 * * 1"}],
            "steps": [
                {"id": "submit", "name": "Submit expense", "type": "human", "assignee": "employee"},
                {"id": "review", "name": "Manager review", "type": "human", "assignee": "manager"},
                {"id": "pay", "name": "Pay out", "uses": "payments.transfer", "timeout": "PT1M"},
                {"id": "paid", "name": "Paid", "type": "end", "outcome": "ok"},
                {"id": "rejected", "name": "Rejected", "type": "end", "outcome": "rejected"},
            ],
            "transitions": [
                {"from": "submit", "to": "review"},
                {"from": "review", "to": "pay", "type": "condition", "when": {"text": "approved"}},
                {"from": "review", "to": "rejected", "type": "condition", "when": {"text": "rejected"}},
                {"from": "pay", "to": "paid"},
                {"from": "pay", "to": "rejected", "type": "error"},
            ],
        }
    )
