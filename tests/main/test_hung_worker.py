"""A worker whose event loop is stuck: noticed, killed and replaced, while the others serve on."""

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support import hanging_work
from tests.support.server_process import ServerProcess, server_process
from tests.support.workers import client_of_each, pid_of
from workflow_agent.main.workers import Ended, Work, WorkerProcess, WorkerSlot
from workflow_agent.settings import load_settings
from workflow_agent.storage.files.owners import running_owners

HUNG = "a worker hung and was killed; this one takes its place"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    """Return a server with two workers, either of which may be silent for two seconds."""
    environment = {"WORKFLOW_AGENT_WORKER_SILENCE_SECONDS": "2", "WORKFLOW_AGENT_KEEP_ALIVE_SECONDS": "600"}
    with (tmp_path / "log").open("wb") as log:
        started = server_process(tmp_path / "data", environment, "--workers", "2", log=log)
    yield started
    started.kill()


@pytest.mark.parametrize(
    ("work", "ended"),
    [
        pytest.param(hanging_work.hang, Ended(-signal.SIGKILL, was_hung=True), id="hangs"),
        pytest.param(hanging_work.end, Ended(3, was_hung=False), id="ends by itself"),
    ],
)
def test_a_worker_that_hangs_is_told_from_one_that_ends(tmp_path: Path, work: Work, ended: Ended) -> None:
    settings = load_settings(data_dir=tmp_path, worker_silence_seconds=0.5)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        worker = WorkerProcess(settings, WorkerSlot("group", 1), work, listener, None)
        failure = worker.failure_to_start()

        found = worker.ended()

    assert failure is None
    assert found == ended


@pytest.mark.slow
async def test_a_worker_that_hangs_is_replaced_and_the_other_serves_on(server: ServerProcess, tmp_path: Path) -> None:
    async with client_of_each(server) as (hanging, other):
        before = running_owners(tmp_path / "data")
        os.kill(pid_of(tmp_path / "data", 1), signal.SIGSTOP)
        with pytest.raises(httpx.TransportError):
            await hanging.get("/health")
        served = await other.get("/health")

    async with client_of_each(server) as (replacing, _):
        await replacing.get("/health")
    after = running_owners(tmp_path / "data")
    log = (tmp_path / "log").read_text()

    assert served.json()["worker"] == 2
    assert len(set(before) & set(after)) == 1
    assert log.count(HUNG) == 1
