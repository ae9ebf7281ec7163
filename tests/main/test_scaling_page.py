"""What docs/scaling.md tells a stranger to do, done: two hosts behind nginx, and one killed in mid-answer."""

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from benchmarks.kill_storm import free_port
from tests.cli.commands import run
from tests.support.postgres import a_database_of_ones_own
from tests.support.provider import Holds, Says, provider_stub

pytestmark = [pytest.mark.slow(is_never_quick=True), pytest.mark.untraced]
PAGE = Path(__file__).parents[2] / "docs" / "scaling.md"
SECONDS = 180.0


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """Return a directory with a filled data directory; what its pid files name is ended afterwards."""
    if shutil.which("nginx") is None or shutil.which("curl") is None:
        pytest.skip("there is no nginx or no curl")
    asked = run("ask", "Create an expense approval: submit, review, pay.", DATA_DIR=str(tmp_path / "data"))
    assert asked.code == 0, asked.err
    yield tmp_path
    for name in ("one.pid", "two.pid", "nginx.pid"):
        with suppress(FileNotFoundError, ProcessLookupError):
            os.kill(int((tmp_path / name).read_text()), signal.SIGTERM)


def told(url: str) -> tuple[str, str, str]:
    """Return the configuration, the commands and the question of the page, on free ports and this database."""
    text = PAGE.read_text("utf-8")
    section = text[text.index("## Two hosts behind nginx") : text.index("## Several tenants")]
    ports = {str(port): str(free_port()) for port in (8000, 8001, 8002)}
    for shown, taken in ports.items():
        section = section.replace(shown, taken)
    section = section.replace("postgresql://user:password@db/workflows", f"'{url}'")
    (conf,) = re.findall(r"```nginx\n(.*?)```", section, re.DOTALL)
    commands, question = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    return conf, commands, question


async def test_a_stranger_moves_starts_two_hosts_kills_one_and_sees_the_reply(place: Path) -> None:
    conf, commands, question = told(await asyncio.to_thread(a_database_of_ones_own))
    (place / "nginx.conf").write_text(conf)
    lost, held = Holds(Says(["Never."])), Holds(Says(["The manager may be away."]))
    async with provider_stub(lost, held) as provider, asyncio.timeout(SECONDS):
        environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "WORKFLOW_AGENT_MODEL": "openai:stub-1",
            "WORKFLOW_AGENT_MODEL_BASE_URL": provider.base_url,
            "WORKFLOW_AGENT_MODEL_API_KEY": "k",
            "WORKFLOW_AGENT_MODEL_ATTEMPTS": "1",
        }
        begun = await asyncio.to_thread(_ran, commands, place, environment)
        assert begun.returncode == 0, begun.stderr[-2_000:]
        first = asyncio.create_task(asyncio.to_thread(_ran, question, place, environment))
        await lost.begun.wait()
        (nginx,) = re.findall(r"listen (\S+);", conf)
        async with httpx.AsyncClient(base_url=f"http://{nginx}/api/v1", timeout=SECONDS) as client:
            talks = (await client.get("/conversations")).json()["items"]
            found = [(await client.get(f"/conversations/{one['id']}")).json() for one in talks]
            (running,) = [one["runs"][-1] for one in found if one["runs"][-1]["status"] == "running"]
            os.kill(int(running["owner"].split("-")[0]), signal.SIGKILL)
            broken = await first
            await held.begun.wait()
            held.let.set()
            again = await asyncio.to_thread(_ran, question, place, environment)
            workflows = (await client.get("/workflows")).json()["items"]

    assert "502" in broken.stdout
    assert '"response":"The manager may be away."' in again.stdout
    # What was moved is there, read through nginx.
    assert len(workflows) == 1
    assert len(talks) == 2


def _ran(commands: str, folder: Path, environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    with (folder / "log").open("a") as log:
        # In a file, because the hosts keep writing when the commands have ended.
        done = subprocess.run(
            ["bash", "-ec", commands],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE if "curl -s http" in commands else log,
            stderr=log,
            text=True,
            check=False,
        )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout or "", (folder / "log").read_text())
