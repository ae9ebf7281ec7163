"""An ETag stands for one content: not for another of the same version."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.scripted import scripted
from tests.support.server import application_for, client_of
from workflow_agent.main.application import Application
from workflow_agent.settings import load_settings

WORKFLOW = {"id": "wf_a", "name": "A", "steps": [{"id": "one", "name": "One"}]}
AT = {"workflows": "/api/v1/workflows/wf_a", "conversations": "/api/v1/conversations/talk"}


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Application]:
    made = application_for(load_settings(data_dir=tmp_path), scripted("Hello.")[0])
    yield made
    made.close()


async def create(client: httpx.AsyncClient, kind: str) -> str:
    body = WORKFLOW if kind == "workflows" else {"id": "talk"}
    made = await client.post(f"/api/v1/{kind}", json=body)
    assert made.status_code == 201, made.text
    return made.headers["etag"]


async def written(client: httpx.AsyncClient, kind: str, tag: str) -> list[int]:
    """Return how a write and a deletion with a stale ETag end."""
    if kind == "workflows":
        change = await client.put(AT[kind], json=WORKFLOW, headers={"If-Match": tag})
    else:
        change = await client.patch(AT[kind], json={"title": "T"}, headers={"If-Match": tag})
    return [change.status_code, (await client.delete(AT[kind], headers={"If-Match": tag})).status_code]


@pytest.mark.parametrize("kind", AT)
async def test_what_is_created_again_has_another_etag(client: httpx.AsyncClient, kind: str) -> None:
    first = await create(client, kind)
    await client.delete(AT[kind], headers={"If-Match": first})

    second = await create(client, kind)
    read = await client.get(AT[kind], headers={"If-None-Match": first})

    assert first != second
    assert (read.status_code, read.headers["etag"]) == (200, second)
    assert await written(client, kind, first) == [412, 412]


@pytest.mark.files
@pytest.mark.parametrize(("kind", "field"), [("workflows", "description"), ("conversations", "title")])
async def test_an_edit_by_hand_changes_the_etag(
    client: httpx.AsyncClient, tmp_path: Path, kind: str, field: str
) -> None:
    first = await create(client, kind)
    path = tmp_path / "default" / kind / ("wf_a.json" if kind == "workflows" else "talk.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {field: "By hand."}))

    read = await client.get(AT[kind], headers={"If-None-Match": first})

    assert (read.status_code, read.json()["version"], read.json()[field]) == (200, 1, "By hand.")
    assert read.headers["etag"] != first
    assert await written(client, kind, first) == [412, 412]


async def test_an_etag_is_the_same_read_from_the_file_by_another_process(
    client: httpx.AsyncClient, tmp_path: Path
) -> None:
    await create(client, "workflows")
    await create(client, "conversations")
    said = {"message": "hi", "conversation_id": "talk", "workflow_id": "wf_a"}
    assert (await client.post("/api/v1/chat", json=said)).status_code == 200
    tags = [(await client.get(path)).headers["etag"] for path in AT.values()]

    other = application_for(load_settings(data_dir=tmp_path))
    async with client_of(other) as reading:
        assert [(await reading.get(path)).headers["etag"] for path in AT.values()] == tags


@pytest.mark.parametrize("tag", ['"1"', "*"])
async def test_the_version_alone_fits_every_content_of_it(client: httpx.AsyncClient, tag: str) -> None:
    await create(client, "conversations")

    changed = await client.patch(AT["conversations"], json={"title": "T"}, headers={"If-Match": tag})

    assert (changed.status_code, changed.headers["etag"][:3]) == (200, '"2-')
