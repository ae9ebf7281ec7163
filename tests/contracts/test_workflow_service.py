"""What is promised of the use cases that write workflows, whichever catalogue keeps them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.in_memory import InMemoryWorkflowCatalog
from tests.support.stored import Clock
from workflow_agent.errors import AlreadyExists, InvalidInput, WorkflowConflict, WorkflowNotFound
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.workflows import JsonWorkflowCatalog
from workflow_agent.values.caches import TtlCache
from workflow_agent.values.stored import Revision
from workflow_agent.workflows.edits.operations import Edit, parse_edits
from workflow_agent.workflows.formats import UnreadableDocument, only_workflow
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow, workflow_document
from workflow_agent.workflows.previews import preview_of
from workflow_agent.workflows.service import WorkflowService, Writer
from workflow_agent.workflows.store import Author


def trip(workflow_id: str = "wf_trip", name: str = "Trip") -> Workflow:
    return parse_workflow(
        {
            "id": workflow_id,
            "name": name,
            "steps": [
                {"id": "ask", "name": "Ask", "type": "human", "assignee": "employee"},
                {"id": "gone", "name": "Gone", "type": "end", "outcome": "ok"},
            ],
            "transitions": [{"from": "ask", "to": "gone"}],
        }
    )


def rename(name: str) -> tuple[Edit, ...]:
    return parse_edits([{"op": "rename_workflow", "name": name}])


def of_run(attempt: int = 1, digest: str = "d1.1", run_id: str = "run_1") -> Writer:
    return Writer(Author(run_id=run_id, attempt=attempt), digest)


@pytest.fixture(params=["memory", "json"])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> WorkflowService:
    if request.param == "memory":
        return WorkflowService(InMemoryWorkflowCatalog(now=Clock()), "default")
    specs: TtlCache[Workflow] = TtlCache(max_entries=10, ttl_seconds=300)
    return WorkflowService(JsonWorkflowCatalog(DurableFiles(tmp_path / "data"), specs, now=Clock()), "default")


async def test_an_id_that_nobody_chose_gives_way_and_a_chosen_one_is_refused(service: WorkflowService) -> None:
    first = await service.create(trip(), Writer())

    second = await service.create(trip(), Writer())
    third = await service.free_id("Trip")

    assert first.workflow.id == "wf_trip"
    assert second.workflow.id.startswith("wf_trip_")
    assert third == "wf_trip_2"
    with pytest.raises(AlreadyExists):
        await service.create(trip(), Writer(), is_id_chosen=True)


@pytest.mark.parametrize("writer", [Writer(digest="sent"), of_run(2)], ids=["a request", "a run"])
@pytest.mark.parametrize("is_taken", [False, True], ids=["free", "taken by another"])
async def test_what_was_made_is_found_when_it_is_sent_again(
    service: WorkflowService, writer: Writer, is_taken: bool
) -> None:
    if is_taken:
        await service.create(trip(), Writer())

    made = await service.create(trip(), writer)
    again = await service.create(trip(), writer)

    assert (again.workflow.id, made.is_new) == (made.workflow.id, True)
    assert len(await service.catalog.all("default")) == 1 + is_taken


async def test_edits_report_the_versions_before_and_after_and_what_they_brought_up(service: WorkflowService) -> None:
    await service.create(trip(), Writer())
    edits = parse_edits(
        [{"op": "add_step", "step": {"id": "lost", "name": "Lost"}}, {"op": "rename_workflow", "name": "Journey"}]
    )

    shown = await service.preview("wf_trip", edits, expected=Revision(1))
    done = await service.edit("wf_trip", edits, Writer(Author(user="ann")))

    assert (shown.is_stored, shown.after.version, shown.changes) == (False, 1, done.changes)
    assert (done.before.name, done.after.name, done.after.version) == ("Trip", "Journey", 2)
    assert any(finding.steps == ("lost",) for finding in done.findings)
    record = await service.catalog.version("default", "wf_trip", 2)
    assert (record.author.user, record.action, record.summary) == ("ann", "edited", done.changes)


async def test_edits_that_change_nothing_make_no_version(service: WorkflowService) -> None:
    await service.create(trip(), Writer())

    done = await service.edit("wf_trip", rename("Trip"), Writer())

    assert (done.before.version, done.after.version, done.changes) == (1, 1, ())
    assert len(await service.catalog.versions("default", "wf_trip")) == 1


async def test_the_same_edit_sent_again_is_made_once_and_told_as_it_was(service: WorkflowService) -> None:
    await service.create(trip(), Writer())
    writer = Writer(digest="sent")

    first = await service.edit("wf_trip", rename("Journey"), writer)
    again = await service.edit("wf_trip", rename("Journey"), writer)

    assert (again.before.version, again.after.version) == (first.before.version, first.after.version) == (1, 2)


async def test_an_edit_for_another_version_is_refused_before_and_after_it_is_shown(service: WorkflowService) -> None:
    await service.create(trip(), Writer())
    await service.edit("wf_trip", rename("Journey"), Writer())

    with pytest.raises(WorkflowConflict, match="at version 2"):
        await service.preview("wf_trip", rename("Tour"), expected=Revision(1))
    with pytest.raises(WorkflowConflict, match="at version 2"):
        await service.edit("wf_trip", rename("Tour"), Writer(), expected=Revision(1))
    assert (await service.at("wf_trip")).name == "Journey"


async def test_undo_goes_further_back_each_time_until_there_is_nothing_left(service: WorkflowService) -> None:
    await service.create(trip(), Writer())
    await service.edit("wf_trip", rename("Journey"), Writer())
    await service.edit("wf_trip", rename("Tour"), Writer())

    names: list[str] = []
    for _ in range(2):
        version = await service.version_to_undo_to(await service.at("wf_trip"))
        names.append((await service.restore("wf_trip", version, Writer())).after.name)

    assert names == ["Journey", "Trip"]
    with pytest.raises(InvalidInput, match="no change to undo"):
        await service.version_to_undo_to(await service.at("wf_trip"))


async def test_a_preview_is_applied_to_the_version_it_was_made_for(service: WorkflowService) -> None:
    await service.create(trip(), Writer())
    before = await service.at("wf_trip")
    shown = await service.preview("wf_trip", rename("Journey"))
    preview = preview_of("edit", before, shown.after, "why", told_in="run_1", edits=rename("Journey"))

    done = await service.apply(preview, Writer())
    back = preview_of("restore", done.after, before, "why", told_in="run_2", to_version=1)

    with pytest.raises(WorkflowConflict):
        await service.apply(preview, Writer())
    assert (await service.apply(back, Writer())).after.name == "Trip"


async def test_a_deletion_that_an_earlier_attempt_made_is_not_an_error(service: WorkflowService) -> None:
    await service.create(trip(), Writer())

    gone = await service.delete("wf_trip", of_run(1), expected=Revision(1))

    assert gone is not None
    assert await service.delete("wf_trip", of_run(2), expected=Revision(1)) is None
    with pytest.raises(WorkflowNotFound):
        await service.delete("wf_trip", of_run(1), expected=Revision(1))


async def test_a_later_attempt_sees_a_workflow_as_it_was_before_its_run(service: WorkflowService) -> None:
    await service.create(trip(), of_run(1, "d0", run_id="run_0"))
    await service.edit("wf_trip", rename("Journey"), of_run(1))
    current = await service.at("wf_trip")

    before = await service.before_attempt(current, of_run(2).author)

    assert (before.name, await service.before_attempt(current, of_run(1).author)) == ("Trip", current)


async def test_a_copy_and_an_import_get_ids_of_their_own(service: WorkflowService) -> None:
    await service.create(trip(), Writer())
    (document, other) = (workflow_document(trip(one)) for one in ("wf_one", "wf_other"))
    parts = await service.read_documents(json.dumps(document))
    part, imported = only_workflow(parts)

    copied = await service.copy(await service.at("wf_trip"), "Second trip", Writer())
    taken = imported.workflow.model_copy(update={"id": await service.free_id("Trip")})
    stored = await service.store_imported(taken, part, Writer())

    assert (copied.workflow.id, stored.workflow.id) == ("wf_second_trip", "wf_trip_2")
    actions: dict[str, Any] = {
        one.workflow.id: (await service.catalog.version("default", one.workflow.id, 1)).action
        for one in (copied, stored)
    }
    assert actions == {"wf_second_trip": "copied", "wf_trip_2": "imported"}
    with pytest.raises(UnreadableDocument):
        only_workflow(await service.read_documents(json.dumps([document, other])))
