"""A client of an application whose model follows a script, and what comes back over a stream."""

import json
from pathlib import Path
from typing import Any

import httpx

from tests.support.scripted import Step, scripted
from tests.support.server import application_for
from workflow_agent.main.application import Application
from workflow_agent.settings import load_settings


class Asking:
    """A client of an application whose model follows a script."""

    def __init__(self, root: Path, *steps: Step, **settings: Any) -> None:
        model, self.script = scripted(*steps)
        self.application: Application = application_for(load_settings(data_dir=root, **settings), model)
        transport = httpx.ASGITransport(self.application.app)
        self.client = httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=20)

    async def __aenter__(self) -> httpx.AsyncClient:
        await self.application.open()
        return self.client

    async def __aexit__(self, *_: object) -> None:
        await self.client.aclose()
        await self.application.stores.upkeep.close()
        self.application.close()


def events_of(text: str) -> list[tuple[int, str, dict[str, Any]]]:
    """Return the events of a stream: id, name and data."""
    frames = [frame for frame in text.split("\n\n") if frame and not frame.startswith(":")]
    fields = [dict(line.split(": ", 1) for line in frame.split("\n")) for frame in frames]
    return [(int(one["id"]), one["event"], json.loads(one["data"])) for one in fields]
