"""What a command opens: the data as it is, and nothing beside it."""

import asyncio
from pathlib import Path

from tests.support.stored import a_workflow
from workflow_agent.main.data import open_workflows
from workflow_agent.main.holdings import open_data
from workflow_agent.main.process import now
from workflow_agent.settings import load_settings
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.workflows import JsonWorkflowCatalog
from workflow_agent.values.caches import TtlCache
from workflow_agent.workflows.store import Author, Change


async def test_opening_a_directory_for_a_command_leaves_it_as_it_is(tmp_path: Path) -> None:
    async with open_data(load_settings(data_dir=tmp_path)) as conversations:
        page = await conversations.page("acme")

    left = list(tmp_path.iterdir())  # noqa: ASYNC240 - nothing else runs here
    assert (page.items, left) == ((), [])


def test_looking_at_its_workflows_makes_nothing_but_the_search_index(tmp_path: Path) -> None:
    with open_workflows(load_settings(data_dir=tmp_path, tenant="acme")) as find:
        listed = find("", 50)

    made = {path.parent.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert (listed, made) == ([], {"acme/.index"})


def test_only_the_workflows_of_the_tenant_are_found(tmp_path: Path) -> None:
    catalog = JsonWorkflowCatalog(DurableFiles(tmp_path), TtlCache(max_entries=0, ttl_seconds=0), now=now)
    for tenant in ("acme", "other"):
        asyncio.run(catalog.create(tenant, a_workflow(f"wf_{tenant}"), Change(Author(), "created")))

    with open_workflows(load_settings(data_dir=tmp_path, tenant="acme")) as find:
        listed = find("", 50)

    assert [one["id"] for one in listed] == ["wf_acme"]
