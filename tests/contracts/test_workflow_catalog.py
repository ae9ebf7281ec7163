"""What every workflow catalogue promises."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.in_memory import InMemoryWorkflowCatalog
from tests.support.postgres import an_empty_database
from tests.support.stored import Clock, a_workflow
from workflow_agent.errors import AlreadyExists, InvalidInput, WorkflowConflict, WorkflowNotFound
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.workflows import JsonWorkflowCatalog
from workflow_agent.storage.postgres.conversations import PostgresConversationStore
from workflow_agent.storage.postgres.workflows import PostgresWorkflowCatalog
from workflow_agent.values.caches import TtlCache
from workflow_agent.values.stored import Revision
from workflow_agent.workflows.model.workflow import Workflow, workflow_document
from workflow_agent.workflows.store import Author, Change, ReadOnceCatalog, WorkflowCatalog

CREATED = Change(Author(), "created", ("Created",))


@pytest.fixture(params=["memory", "read once", "json", "json without a cache", "postgres"])
async def catalog(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[WorkflowCatalog]:
    entries = 0 if request.param.endswith("without a cache") else 100
    specs: TtlCache[Workflow] = TtlCache(max_entries=entries, ttl_seconds=300)
    if request.param == "memory":
        yield InMemoryWorkflowCatalog(now=Clock())
    elif request.param == "read once":
        yield ReadOnceCatalog(InMemoryWorkflowCatalog(now=Clock()), lambda: None)
    elif request.param.startswith("json"):
        yield JsonWorkflowCatalog(DurableFiles(tmp_path / "data"), specs, now=Clock())
    else:
        async with an_empty_database() as database:
            conversations = PostgresConversationStore(database)
            yield PostgresWorkflowCatalog(database, specs, now=Clock(), conversations=conversations)


def rename(name: str, **change: Any) -> Callable[[Workflow], tuple[Workflow, Change]]:
    fields: dict[str, Any] = {"author": Author(), "action": "edited", "summary": (f"Renamed to {name!r}",), **change}
    return lambda one: (one.model_copy(update={"name": name}), Change(**fields))


def by_run(attempt: int | None, run_id: str = "run_a_1_x", digest: str | None = "d1") -> dict[str, Any]:
    return {"author": Author(run_id=run_id, attempt=attempt), "digest": digest}


async def test_a_new_workflow_is_version_1_with_its_times_set(catalog: WorkflowCatalog) -> None:
    created = await catalog.create("acme", a_workflow().model_copy(update={"version": 9}), CREATED)

    assert created.version == 1
    assert created.created_at == created.updated_at is not None
    assert await catalog.get("acme", "wf_expenses") == created


async def test_a_taken_id_is_refused_and_what_has_it_stays(catalog: WorkflowCatalog) -> None:
    first = await catalog.create("acme", a_workflow(), CREATED)

    with pytest.raises(AlreadyExists, match="'wf_expenses'"):
        await catalog.create("acme", a_workflow(name="Other"), CREATED)

    assert await catalog.get("acme", "wf_expenses") == first


async def test_an_unknown_workflow_is_not_found(catalog: WorkflowCatalog) -> None:
    await catalog.create("acme", a_workflow(), CREATED)

    for workflow_id in ("wf_other", "../wf_expenses", "wf_expenses\n", "expenses", "wf_" + "x" * 62):
        for request in (
            catalog.get("acme", workflow_id),
            catalog.update("acme", workflow_id, rename("New")),
            catalog.delete("acme", workflow_id),
            catalog.versions("acme", workflow_id),
            catalog.version("acme", workflow_id, 1),
        ):
            with pytest.raises(WorkflowNotFound, match="There is no workflow"):
                await request


async def test_an_impossible_id_is_not_created(catalog: WorkflowCatalog) -> None:
    with pytest.raises(InvalidInput, match="not a workflow id"):
        await catalog.create("acme", a_workflow().model_copy(update={"id": "wf_../x"}), CREATED)


async def test_an_impossible_tenant_is_refused(catalog: WorkflowCatalog) -> None:
    for request in (
        catalog.create("../acme", a_workflow(), CREATED),
        catalog.get("../acme", "wf_expenses"),
        catalog.all("../acme"),
        catalog.versions("../acme", "wf_expenses"),
    ):
        with pytest.raises(InvalidInput, match="not a tenant name"):
            await request


async def test_a_change_becomes_the_next_version(catalog: WorkflowCatalog) -> None:
    created = await catalog.create("acme", a_workflow(), CREATED)

    updated = await catalog.update("acme", "wf_expenses", rename("Costs"))

    assert (updated.version, updated.name, updated.created_at) == (2, "Costs", created.created_at)
    assert str(updated.updated_at) > str(created.updated_at)
    assert await catalog.get("acme", "wf_expenses") == updated


async def test_a_change_keeps_the_id(catalog: WorkflowCatalog) -> None:
    await catalog.create("acme", a_workflow(), CREATED)

    changed = await catalog.update(
        "acme", "wf_expenses", lambda one: (one.model_copy(update={"id": "wf_other"}), CREATED)
    )

    assert changed.id == "wf_expenses"
    assert [one.id for one in await catalog.all("acme")] == ["wf_expenses"]


async def test_a_change_for_another_version_is_refused_and_names_both(catalog: WorkflowCatalog) -> None:
    await catalog.create("acme", a_workflow(), CREATED)
    await catalog.update("acme", "wf_expenses", rename("Costs"), expected=Revision(1))

    with pytest.raises(WorkflowConflict, match=r"at version 2.*for version 1"):
        await catalog.update("acme", "wf_expenses", rename("Late"), expected=Revision(1))
    with pytest.raises(WorkflowConflict, match=r"at version 2.*for version 3"):
        await catalog.delete("acme", "wf_expenses", expected=Revision(3))

    assert (await catalog.get("acme", "wf_expenses")).name == "Costs"


async def test_changes_at_the_same_time_are_all_kept(catalog: WorkflowCatalog) -> None:
    await catalog.create("acme", a_workflow(), CREATED)

    def tag(number: int) -> Callable[[Workflow], tuple[Workflow, Change]]:
        return lambda one: (one.model_copy(update={"tags": (*one.tags, f"t{number}")}), CREATED)

    await asyncio.gather(*(catalog.update("acme", "wf_expenses", tag(n)) for n in range(10)))

    stored = await catalog.get("acme", "wf_expenses")
    assert (stored.version, sorted(stored.tags)) == (11, [f"t{n}" for n in range(10)])


async def test_a_change_that_returns_its_argument_stores_nothing(catalog: WorkflowCatalog) -> None:
    await catalog.create("acme", a_workflow(), CREATED)

    unchanged = await catalog.update("acme", "wf_expenses", lambda one: (one, CREATED))

    assert unchanged.version == 1
    assert len(await catalog.versions("acme", "wf_expenses")) == 1


async def test_what_a_change_raises_reaches_the_caller(catalog: WorkflowCatalog) -> None:
    await catalog.create("acme", a_workflow(), CREATED)

    def refuse(_: Workflow) -> tuple[Workflow, Change]:
        raise LookupError("no such step")

    with pytest.raises(LookupError, match="no such step"):
        await catalog.update("acme", "wf_expenses", refuse)

    assert (await catalog.get("acme", "wf_expenses")).version == 1


async def test_every_version_stays_readable_with_who_made_it(catalog: WorkflowCatalog) -> None:
    created = await catalog.create("acme", a_workflow(), CREATED)
    author = Author(user="kim", agent="editor", mode="modification", conversation_id="c1")
    edits = ({"op": "rename_workflow", "name": "Costs"},)
    updated = await catalog.update("acme", "wf_expenses", rename("Costs", author=author, edits=edits, digest="d"))

    first, second = await catalog.versions("acme", "wf_expenses")

    assert [first.document, second.document] == [workflow_document(created), workflow_document(updated)]
    assert (second.author, second.edits, second.digest) == (author, edits, "d")
    assert (second.action, second.summary, second.at) == ("edited", ("Renamed to 'Costs'",), updated.updated_at)
    assert [one.version for one in (first, second)] == [1, 2]
    assert await catalog.version("acme", "wf_expenses", 1) == first
    assert await catalog.version("acme", "wf_expenses", 2) == second


@pytest.mark.parametrize("number", [-1, 0, 2])
async def test_an_unknown_version_is_not_found_and_the_known_ones_are_named(
    catalog: WorkflowCatalog, number: int
) -> None:
    await catalog.create("acme", a_workflow(), CREATED)

    with pytest.raises(WorkflowNotFound, match=f"no version {number}; it has 1 to 1"):
        await catalog.version("acme", "wf_expenses", number)


async def test_all_lists_the_newest_versions_by_id(catalog: WorkflowCatalog) -> None:
    for workflow_id in ("wf_b", "wf_c", "wf_a"):
        await catalog.create("acme", a_workflow(workflow_id), CREATED)
    await catalog.create("other", a_workflow("wf_theirs"), CREATED)
    await catalog.update("acme", "wf_b", rename("Changed"))

    listed = await catalog.all("acme")

    assert [(one.id, one.name) for one in listed] == [("wf_a", "Expenses"), ("wf_b", "Changed"), ("wf_c", "Expenses")]
    assert list(await catalog.all("nobody")) == []


async def test_a_deleted_workflow_is_gone_and_its_id_begins_anew(catalog: WorkflowCatalog) -> None:
    await catalog.create("acme", a_workflow(), CREATED)
    await catalog.update("acme", "wf_expenses", rename("Costs"))

    await catalog.delete("acme", "wf_expenses", expected=Revision(2))

    with pytest.raises(WorkflowNotFound):
        await catalog.get("acme", "wf_expenses")
    assert list(await catalog.all("acme")) == []
    await catalog.create("acme", a_workflow(name="Again"), CREATED)
    assert [one.document["name"] for one in await catalog.versions("acme", "wf_expenses")] == ["Again"]


async def rename_by(catalog: WorkflowCatalog, **change: Any) -> Workflow:
    """Rename in a run; an attempt that was made before is recognised by what is known beforehand."""
    fields: dict[str, Any] = {"author": Author(), "action": "edited", **change}
    return await catalog.update("acme", "wf_expenses", rename("Costs", **change), beforehand=Change(**fields))


async def test_a_repeated_run_does_not_apply_its_edit_twice(catalog: WorkflowCatalog) -> None:
    await catalog.create("acme", a_workflow(), CREATED)
    made = await rename_by(catalog, **by_run(1))
    await catalog.update("acme", "wf_expenses", rename("Somebody else's"))

    again = await rename_by(catalog, **by_run(2))

    assert again == made
    assert (await catalog.get("acme", "wf_expenses")).name == "Somebody else's"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(by_run(2, digest="d2"), id="another edit"),
        pytest.param(by_run(2, run_id="run_b_1_x"), id="another run"),
        pytest.param(by_run(2, digest=None), id="no digest"),
        pytest.param({"author": Author(attempt=2), "digest": "d1"}, id="no run"),
    ],
)
async def test_a_write_that_only_looks_alike_is_made(catalog: WorkflowCatalog, change: dict[str, Any]) -> None:
    await catalog.create("acme", a_workflow(), CREATED)
    await rename_by(catalog, **by_run(1))

    again = await rename_by(catalog, **change)

    assert again.version == 3


async def test_a_repeated_edit_that_no_longer_applies_is_recognised_all_the_same(catalog: WorkflowCatalog) -> None:
    def impossible(_: Workflow) -> tuple[Workflow, Change]:
        raise AssertionError("must not be applied again")

    await catalog.create("acme", a_workflow(), CREATED)
    made = await rename_by(catalog, **by_run(1))

    again = await catalog.update("acme", "wf_expenses", impossible, beforehand=Change(action="edited", **by_run(2)))

    assert again == made


@pytest.mark.parametrize(("first", "late"), [(1, 1), (2, 1), (None, None)])
async def test_any_attempt_with_the_same_change_is_the_same_write(
    catalog: WorkflowCatalog, first: int | None, late: int | None
) -> None:
    await catalog.create("acme", a_workflow(), CREATED)
    made = await rename_by(catalog, **by_run(first))

    again = await rename_by(catalog, **by_run(late))

    assert again == made
    assert len(await catalog.versions("acme", "wf_expenses")) == 2


async def test_a_repeated_run_does_not_create_twice_under_another_id(catalog: WorkflowCatalog) -> None:
    await catalog.create("acme", a_workflow("wf_a"), CREATED)
    made = await catalog.create("acme", a_workflow("wf_costs"), Change(action="created", **by_run(1)))

    again = await catalog.create("acme", a_workflow("wf_costs_2"), Change(action="created", **by_run(2)))
    other = await catalog.create("acme", a_workflow("wf_costs_3"), Change(action="created", **by_run(2, digest="d2")))

    assert again == made
    assert [one.id for one in await catalog.all("acme")] == ["wf_a", "wf_costs", other.id]


async def test_heads_tell_the_newest_content_of_every_workflow(catalog: WorkflowCatalog) -> None:
    await catalog.create("acme", a_workflow("wf_b"), CREATED)
    await catalog.create("acme", a_workflow("wf_a"), CREATED)
    await catalog.update("acme", "wf_b", rename("New"))

    heads = await catalog.heads("acme")

    told = {one: head[:2] for one, head in heads.items()}
    assert told == {one.id: (one.version, one.updated_at) for one in await catalog.all("acme")}
    assert heads["wf_b"].version == 2
    assert await catalog.heads("other") == {}


async def test_heads_follow_every_change_at_once(catalog: WorkflowCatalog) -> None:
    seen: list[list[tuple[str, int]]] = []

    async def look() -> None:
        seen.append(sorted((one, head.version) for one, head in (await catalog.heads("acme")).items()))

    await look()
    await catalog.create("acme", a_workflow(), CREATED)
    await look()
    await catalog.update("acme", "wf_expenses", rename("New"))
    await look()
    await catalog.delete("acme", "wf_expenses")
    await look()

    assert seen == [[], [("wf_expenses", 1)], [("wf_expenses", 2)], []]


async def test_heads_are_the_very_same_as_long_as_nothing_changes(catalog: WorkflowCatalog) -> None:
    await catalog.create("acme", a_workflow(), CREATED)

    assert await catalog.heads("acme") is await catalog.heads("acme")


async def test_heads_of_an_impossible_tenant_are_refused(catalog: WorkflowCatalog) -> None:
    with pytest.raises(InvalidInput, match="not a tenant name"):
        await catalog.heads("../acme")
