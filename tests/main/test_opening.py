"""What a command opens: the data as it is, and nothing beside it."""

import asyncio
from pathlib import Path

from workflow_agent.main.data import open_workflows
from workflow_agent.main.holdings import open_data
from workflow_agent.settings import load_settings


async def test_opening_a_directory_for_a_command_leaves_it_as_it_is(tmp_path: Path) -> None:
    async with open_data(load_settings(data_dir=tmp_path)) as conversations:
        page = await conversations.page("acme")

    left = list(tmp_path.iterdir())  # noqa: ASYNC240 - nothing else runs here
    assert (page.items, left) == ((), [])


def test_looking_at_its_workflows_makes_nothing_but_the_search_index(tmp_path: Path) -> None:
    with open_workflows(load_settings(data_dir=tmp_path, tenant="acme")) as opened:
        listed = asyncio.run(opened.catalog.all(opened.tenant))

    assert (opened.tenant, list(listed)) == ("acme", [])
    assert {path.name for path in tmp_path.iterdir()} <= {".index"}
