"""Workflows on disk: the document, its versions, and what a crash or a person leaves there."""
# ruff: noqa: ASYNC240 - a test has the event loop to itself

import errno
import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.support.failing_files import FailingFileSystem, never
from tests.support.stored import AT, Clock, a_workflow
from workflow_agent.errors import AlreadyExists, CorruptDocument, InvalidWorkflow, StorageFailed, WorkflowNotFound
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.workflows import JsonWorkflowCatalog
from workflow_agent.values.caches import TtlCache
from workflow_agent.workflows.model.workflow import Workflow, workflow_document
from workflow_agent.workflows.store import Author, Change

CREATED = Change(Author(), "created")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def directory(data: Path) -> Path:
    return data / "acme" / "workflows"


@pytest.fixture
def failing() -> FailingFileSystem:
    return FailingFileSystem(never, errno.ENOSPC)


@pytest.fixture
def specs() -> TtlCache[Workflow]:
    return TtlCache(max_entries=100, ttl_seconds=300)


@pytest.fixture
def catalog(data: Path, failing: FailingFileSystem, specs: TtlCache[Workflow]) -> JsonWorkflowCatalog:
    return JsonWorkflowCatalog(DurableFiles(data, file_system=failing), specs, now=Clock())


def rename(one: Workflow) -> tuple[Workflow, Change]:
    return one.model_copy(update={"name": "Costs"}), Change(Author(), "edited")


async def test_the_files_are_the_document_and_a_record_for_each_version(
    catalog: JsonWorkflowCatalog, directory: Path
) -> None:
    first = await catalog.create("acme", a_workflow(), CREATED)
    second = await catalog.update("acme", "wf_expenses", rename)

    document = directory / "wf_expenses.json"
    versions = directory / "wf_expenses.versions"
    assert document.read_bytes() == orjson.dumps(workflow_document(second), option=orjson.OPT_INDENT_2)
    assert sorted(path.name for path in versions.iterdir()) == ["000001.json", "000002.json"]
    record = json.loads((versions / "000001.json").read_text())
    assert record["document"] == workflow_document(first)
    assert (record["version"], record["action"], record["author"]["user"]) == (1, "created", "user")


async def test_whole_numbers_of_any_size_survive(catalog: JsonWorkflowCatalog) -> None:
    await catalog.create("acme", a_workflow(extensions={"asl": {"big": 2**90}}), CREATED)

    assert (await catalog.get("acme", "wf_expenses")).extensions == {"asl": {"big": 2**90}}


async def test_a_parsed_document_is_used_again_until_the_file_changes(
    catalog: JsonWorkflowCatalog, specs: TtlCache[Workflow], directory: Path
) -> None:
    await catalog.create("acme", a_workflow(), CREATED)
    first = await catalog.get("acme", "wf_expenses")
    assert await catalog.get("acme", "wf_expenses") is first

    document = directory / "wf_expenses.json"
    document.write_text(document.read_text().replace("Expenses", "By hand"))

    assert (await catalog.get("acme", "wf_expenses")).name == "By hand"
    assert (specs.statistics().hits, specs.statistics().misses) == (1, 2)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("{", id="cut off"),
        pytest.param("[]", id="a list"),
        pytest.param('{"id": "wf_expenses", "name": "x", "start": "gone", "steps": []}', id="not valid"),
        pytest.param('{"id": "wf_expenses", "name": NaN}', id="not a number"),
        pytest.param(
            '{"id": "wf_other", "name": "x", "start": "a", "steps": [{"id": "a", "name": "A"}]}', id="another workflow"
        ),
    ],
)
@pytest.mark.parametrize("operation", ["get", "update", "delete"])
async def test_a_damaged_document_is_set_aside_and_reported(
    catalog: JsonWorkflowCatalog, directory: Path, content: str, operation: str
) -> None:
    await catalog.create("acme", a_workflow(), CREATED)
    (directory / "wf_expenses.json").write_text(content)

    requests: dict[str, Any] = {
        "get": lambda: catalog.get("acme", "wf_expenses"),
        "update": lambda: catalog.update("acme", "wf_expenses", rename),
        "delete": lambda: catalog.delete("acme", "wf_expenses"),
    }
    with pytest.raises(CorruptDocument, match=r"'acme/workflows/wf_expenses\.json' does not parse"):
        await requests[operation]()

    [aside] = directory.glob("wf_expenses.json.corrupt-*")
    assert aside.read_text() == content
    for again in requests.values():
        with pytest.raises(WorkflowNotFound, match=rf"set aside as 'acme/workflows/{aside.name}'"):
            await again()
    with pytest.raises(AlreadyExists, match=r"waits as .* to be mended"):
        await catalog.create("acme", a_workflow(), CREATED)


async def test_a_damaged_document_does_not_hide_the_others(catalog: JsonWorkflowCatalog, directory: Path) -> None:
    for workflow_id in ("wf_a", "wf_b"):
        await catalog.create("acme", a_workflow(workflow_id), CREATED)
    (directory / "wf_a.json").write_text("{")

    assert [one.id for one in await catalog.all("acme")] == ["wf_b"]


async def test_a_damaged_record_is_set_aside_and_reported(catalog: JsonWorkflowCatalog, directory: Path) -> None:
    await catalog.create("acme", a_workflow(), CREATED)
    await catalog.update("acme", "wf_expenses", rename)
    (directory / "wf_expenses.versions" / "000001.json").write_text("{")

    with pytest.raises(CorruptDocument, match=r"wf_expenses.versions/000001.json"):
        await catalog.version("acme", "wf_expenses", 1)

    assert [one.version for one in await catalog.versions("acme", "wf_expenses")] == [2]
    with pytest.raises(WorkflowNotFound, match="no version 1"):
        await catalog.version("acme", "wf_expenses", 1)


async def test_a_record_that_vanishes_during_a_listing_is_left_out(
    catalog: JsonWorkflowCatalog, directory: Path, failing: FailingFileSystem
) -> None:
    await catalog.create("acme", a_workflow(), CREATED)
    await catalog.update("acme", "wf_expenses", rename)

    def remove_before_opening(_number: int, name: str, argument: Any) -> bool:
        if name == "open" and Path(argument).name == "000001.json":
            (directory / "wf_expenses.versions" / "000001.json").unlink()
        return False

    failing._fails = remove_before_opening

    assert [one.version for one in await catalog.versions("acme", "wf_expenses")] == [2]


async def test_a_change_whose_document_could_not_be_saved_did_not_happen(
    catalog: JsonWorkflowCatalog, directory: Path, failing: FailingFileSystem
) -> None:
    created = await catalog.create("acme", a_workflow(), CREATED)
    failing._fails = lambda _number, name, argument: name == "replace" and "wf_expenses.json" in str(argument)

    with pytest.raises(StorageFailed, match="disk is full"):
        await catalog.update("acme", "wf_expenses", rename)

    failing._fails = never
    assert (directory / "wf_expenses.versions" / "000002.json").exists()
    assert await catalog.get("acme", "wf_expenses") == created
    assert [one.version for one in await catalog.versions("acme", "wf_expenses")] == [1]
    with pytest.raises(WorkflowNotFound, match="no version 2"):
        await catalog.version("acme", "wf_expenses", 2)


async def test_the_next_change_overwrites_what_such_a_one_left(catalog: JsonWorkflowCatalog, directory: Path) -> None:
    await catalog.create("acme", a_workflow(), CREATED)
    (directory / "wf_expenses.versions" / "000002.json").write_text('{"left": "by a crash"}')

    await catalog.update("acme", "wf_expenses", rename)

    assert (await catalog.version("acme", "wf_expenses", 2)).document["name"] == "Costs"


async def test_what_a_cut_short_creation_left_does_not_count(
    catalog: JsonWorkflowCatalog, directory: Path, failing: FailingFileSystem
) -> None:
    failing._fails = lambda _number, name, argument: name == "replace" and "wf_expenses.json" in str(argument)
    with pytest.raises(StorageFailed):
        await catalog.create("acme", a_workflow(name="Lost"), CREATED)
    failing._fails = never

    assert list(await catalog.all("acme")) == []
    await catalog.create("acme", a_workflow(name="Kept"), CREATED)

    assert [one.document["name"] for one in await catalog.versions("acme", "wf_expenses")] == ["Kept"]


async def test_a_document_put_there_by_hand_gets_a_record_before_it_is_changed(
    catalog: JsonWorkflowCatalog, directory: Path
) -> None:
    directory.mkdir(parents=True)
    by_hand = a_workflow(updated_at=AT)
    (directory / "wf_expenses.json").write_bytes(orjson.dumps(workflow_document(by_hand)))

    [only] = await catalog.versions("acme", "wf_expenses")
    await catalog.update("acme", "wf_expenses", rename)

    assert (only.version, only.action, only.document, only.at) == (1, "imported", workflow_document(by_hand), AT)
    assert await catalog.version("acme", "wf_expenses", 1) == only
    assert [one.version for one in await catalog.versions("acme", "wf_expenses")] == [1, 2]


async def test_a_deleted_workflow_is_kept_aside_with_its_versions(
    catalog: JsonWorkflowCatalog, directory: Path
) -> None:
    for _ in range(2):
        await catalog.create("acme", a_workflow(), CREATED)
        await catalog.delete("acme", "wf_expenses")

    kept = sorted(path.name.split(".deleted-")[0] for path in (directory / ".deleted").iterdir())
    assert kept == ["wf_expenses.json", "wf_expenses.json", "wf_expenses.versions", "wf_expenses.versions"]
    assert [path.name for path in directory.iterdir()] == [".deleted"]


async def test_the_versions_of_a_cut_short_deletion_are_kept_aside_too(
    catalog: JsonWorkflowCatalog, directory: Path, failing: FailingFileSystem
) -> None:
    await catalog.create("acme", a_workflow(), CREATED)
    await catalog.update("acme", "wf_expenses", rename)
    failing._fails = lambda _number, name, argument: name == "replace" and str(argument).endswith(".versions")
    with pytest.raises(StorageFailed):
        await catalog.delete("acme", "wf_expenses")
    failing._fails = never

    await catalog.create("acme", a_workflow(), CREATED)

    [kept] = (directory / ".deleted").glob("wf_expenses.versions.*")
    assert sorted(path.name for path in kept.iterdir()) == ["000001.json", "000002.json"]


async def test_a_document_put_there_by_hand_can_be_deleted(catalog: JsonWorkflowCatalog, directory: Path) -> None:
    directory.mkdir(parents=True)
    (directory / "wf_expenses.json").write_bytes(orjson.dumps(workflow_document(a_workflow())))

    await catalog.delete("acme", "wf_expenses")

    assert list(await catalog.all("acme")) == []


async def test_an_unknown_id_leaves_no_file_behind(catalog: JsonWorkflowCatalog, directory: Path) -> None:
    await catalog.create("acme", a_workflow(), CREATED)

    for request in (catalog.update("acme", "wf_b", rename), catalog.delete("acme", "wf_b")):
        with pytest.raises(WorkflowNotFound):
            await request

    assert sorted(path.name for path in directory.iterdir()) == [
        "wf_expenses.json",
        "wf_expenses.lock",
        "wf_expenses.versions",
    ]


async def test_a_workflow_deleted_between_two_looks_is_not_found(
    catalog: JsonWorkflowCatalog, directory: Path, failing: FailingFileSystem
) -> None:
    await catalog.create("acme", a_workflow(), CREATED)

    def delete_before_it_is_opened(_number: int, name: str, argument: Any) -> bool:
        if name == "open" and Path(argument).name == "wf_expenses.json":
            (directory / "wf_expenses.json").unlink()
        return False

    failing._fails = delete_before_it_is_opened

    with pytest.raises(WorkflowNotFound):
        await catalog.get("acme", "wf_expenses")


async def test_a_tenant_without_workflows_is_given_samples_once(catalog: JsonWorkflowCatalog, data: Path) -> None:
    samples = [workflow_document(a_workflow(name)) for name in ("wf_a", "wf_b")]

    assert await catalog.seed("acme", samples) == 2
    await catalog.delete("acme", "wf_a")
    assert await catalog.seed("acme", samples) == 0

    [kept] = await catalog.all("acme")
    assert (kept.id, kept.version, kept.created_at is not None) == ("wf_b", 1, True)
    [record] = await catalog.versions("acme", "wf_b")
    assert (record.author.user, record.action) == ("system", "created")
    assert (await catalog.update("acme", "wf_b", rename)).version == 2
    assert sorted(path.name for path in (data / "acme").iterdir()) == ["workflows", "workflows.lock"]


async def test_samples_come_all_or_none(
    catalog: JsonWorkflowCatalog, directory: Path, failing: FailingFileSystem
) -> None:
    samples = [workflow_document(a_workflow(name)) for name in ("wf_a", "wf_b")]
    with pytest.raises(InvalidWorkflow):
        await catalog.seed("acme", [*samples, {"id": "wf_c"}])
    assert not directory.exists()

    failing._fails = lambda _number, name, argument: name == "replace" and "wf_b.json" in str(argument)
    with pytest.raises(StorageFailed, match="disk is full"):
        await catalog.seed("acme", samples)
    failing._fails = never

    assert list(await catalog.all("acme")) == []
    assert await catalog.seed("acme", samples[1:]) == 1
    assert [one.id for one in await catalog.all("acme")] == ["wf_b"]
