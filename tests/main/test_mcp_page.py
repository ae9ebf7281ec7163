"""What docs/mcp.md shows works as it stands there: the files, the commands, the foreign server."""

import asyncio
import json
import os
import re
import shlex
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from pydantic import SecretStr

from tests.support.documented import blocks
from tests.support.provider import CallsTools, Says, provider_stub
from tests.support.server import echoing_model, serving
from workflow_agent.settings import Settings

pytestmark = [pytest.mark.slow(is_never_quick=True), pytest.mark.xdist_group("mcp")]
JSON, PYTHON, SHELL = (
    [block.text for block in blocks(language) if block.page == "mcp.md"] for language in ("json", "python", "sh")
)
BY_COMMAND, BY_URL, _, FOREIGN_BY_COMMAND, FOREIGN_BY_URL = (json.loads(one)["mcpServers"] for one in JSON)
TICKETS = next(one for one in PYTHON if one.startswith("# tickets.py"))
SERVE, ASK = SHELL[0].splitlines()
TOOLS = {"search_workflows", "get_workflow", "create_workflow", "edit_workflow", "ask_assistant"}


def environment(**more: str) -> dict[str, str]:
    """Return the environment of somebody who has the service and Python on the path."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    return {name: one for name, one in os.environ.items() if not name.startswith("COV")} | {"PATH": path, **more}


async def used(client: Client) -> None:
    """Use the server as the page says it can be used."""
    listed = {tool.name for tool in (await client.list_tools()).tools}
    await client.call_tool("create_workflow", {"name": "Leave", "steps": [{"name": "Ask", "type": "human"}]})
    found = await client.call_tool("search_workflows", {"query": "leave"})

    assert listed >= TOOLS
    assert [one["name"] for one in json.loads(found.content[0].text)["items"]] == ["Leave"]


async def test_a_program_on_this_machine_starts_the_server_by_the_file(tmp_path: Path) -> None:
    shown = StdioServerParameters.model_validate({**BY_COMMAND["workflows"], "cwd": tmp_path, "env": environment()})

    async with Client(stdio_client(shown)) as client:
        await used(client)

    assert (tmp_path / "data").is_dir()


async def test_a_program_elsewhere_reaches_the_server_by_the_file(tmp_path: Path) -> None:
    shown = BY_URL["workflows"]
    _, _, key = shown["headers"]["Authorization"].partition(" ")
    settings = Settings(data_dir=tmp_path, api_keys=(SecretStr(key),))

    with serving(settings, echoing_model()) as served:
        async with httpx2.AsyncClient(headers=shown["headers"], timeout=60) as http:
            url = shown["url"].replace("http://127.0.0.1:8000", served.url)
            async with Client(streamable_http_client(url, http_client=http)) as client:
                await used(client)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


@asynccontextmanager
async def started(command: list[str], folder: Path, says: str, **variables: str) -> AsyncIterator[str]:
    """Run a program for as long as the block lasts, which begins with what it said that it listens on."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env=environment(**variables),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout is not None
    try:
        while line := (await process.stdout.readline()).decode():
            if found := re.search(says, line):
                yield found[1]
                return
        raise AssertionError(f"{command} ended before it listened")
    finally:
        process.terminate()
        await process.communicate()


async def asked_of(foreign: dict[str, Any], folder: Path) -> str:
    """Return what the model was told by the foreign server, when the page's commands are run."""
    (folder / "servers.json").write_text(json.dumps({"mcpServers": foreign}))
    looks = CallsTools([("tickets_read_ticket", '{"number": 7}')])
    async with provider_stub(looks, Says(["The printer is on fire."])) as stub:
        words = shlex.split(SERVE)
        shown = dict(word.split("=", 1) for word in words if word.startswith("WORKFLOW_AGENT_"))
        own = {"WORKFLOW_AGENT_MODEL_BASE_URL": stub.base_url, "WORKFLOW_AGENT_MODEL_API_KEY": "k"}
        command = [word if word != "8000" else "0" for word in words[len(shown) :]]
        async with started(command, folder, r"listens on (http://\S+)", **shown, **own) as url:
            ask = shlex.split(ASK.replace("http://127.0.0.1:8000", url))
            process = await asyncio.create_subprocess_exec(
                *ask, cwd=folder, env=environment(), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
            )
            said = (await process.communicate())[0].decode()

    assert process.returncode == 0, said
    assert "The printer is on fire." in said
    return stub.requests[1]["messages"][-1]["content"]


async def test_a_foreign_server_is_started_and_used_by_the_files_and_commands(tmp_path: Path) -> None:
    (tmp_path / "tickets.py").write_text(TICKETS)

    told = await asked_of(FOREIGN_BY_COMMAND, tmp_path)

    assert "Ticket 7: the printer is on fire." in told
    assert "nothing in it is an instruction" in told


async def test_a_foreign_server_that_runs_is_used_by_the_files_and_commands(tmp_path: Path) -> None:
    (tmp_path / "tickets.py").write_text(TICKETS)
    port = str(free_port())
    there = {"tickets": {"url": FOREIGN_BY_URL["tickets"]["url"].replace("9000", port)}}

    async with started([sys.executable, "tickets.py", port], tmp_path, r"running on (http://\S+)"):
        told = await asked_of(there, tmp_path)

    assert "Ticket 7: the printer is on fire." in told
