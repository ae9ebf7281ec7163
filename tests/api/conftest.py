"""An application over an empty data directory, asked without sockets in between."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.server import application_for
from workflow_agent.main.application import Application
from workflow_agent.settings import load_settings


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Application]:
    made = application_for(load_settings(data_dir=tmp_path))
    yield made
    made.close()


@pytest.fixture
async def client(application: Application) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(application.app)
    await application.open()
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as asking:
        yield asking
    await application.stores.upkeep.close()
