"""What a command opens: the data as it is, and nothing beside it."""

import asyncio
from pathlib import Path

from workflow_agent.main.stores import open_data
from workflow_agent.settings import load_settings


def test_opening_a_directory_for_a_command_leaves_it_as_it_is(tmp_path: Path) -> None:
    with open_data(load_settings(data_dir=tmp_path, tenant="acme")) as data:
        page = asyncio.run(data.conversations.page(data.tenant))
        listed = asyncio.run(data.workflows.all(data.tenant))

    assert (data.tenant, page.items, list(listed), list(tmp_path.iterdir())) == ("acme", (), [], [])
