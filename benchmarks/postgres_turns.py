"""What a turn takes of the processor on PostgreSQL, beside one on files, and whether it grows.

    python -m benchmarks.postgres_turns --turns 250

A turn reads a workflow and answers, with a model that costs nothing. Both services run in this process, turn
about, so that whatever else the machine does is in both figures.
"""

import argparse
import asyncio
import json
import tempfile
from pathlib import Path
from statistics import mean, median
from time import process_time

import uvloop
from pydantic import SecretStr

from benchmarks.reading_model import MESSAGE, ReadingModel
from tests.support.postgres import a_database_of_ones_own
from workflow_agent.assistant.providers import Models
from workflow_agent.assistant.requests import TurnRequest
from workflow_agent.main.application import Application
from workflow_agent.main.composition import build
from workflow_agent.settings import Settings

_STRETCH = 25


async def _turn(application: Application, conversation_id: str | None) -> tuple[str, float]:
    """Take a turn and whatever it leaves to do; return its conversation and the processor time in ms."""
    began, chat = process_time(), application.services.chat
    started = await chat.start("default", TurnRequest(message=MESSAGE, conversation_id=conversation_id))
    await started.outcome()
    await chat.worker.runner.compactor.settled()
    return started.conversation_id, 1_000 * (process_time() - began)


async def _measured(turns: int, url: str) -> dict[str, dict[str, list[float]]]:
    with tempfile.TemporaryDirectory() as folder:
        applications: dict[str, Application] = {}
        for name, address in (("files", None), ("PostgreSQL", SecretStr(url))):
            settings = Settings(data_dir=Path(folder) / name, samples=True, database_url=address)
            models = Models("reading", {"reading": ReadingModel().model()}, window_tokens=128_000)
            applications[name] = build(settings, models)
            await applications[name].prepare()
        talks: dict[str, str | None] = dict.fromkeys(applications)
        spent: dict[str, list[float]] = {name: [] for name in applications}
        for _ in range(turns):
            for name, application in applications.items():
                talks[name], one = await _turn(application, talks[name])
                spent[name].append(one)
        for application in applications.values():
            await application.finish()
            await asyncio.to_thread(application.close)
    return {
        name: {f"{at + 1} to {at + _STRETCH}": one[at : at + _STRETCH] for at in range(0, turns, _STRETCH)}
        for name, one in spent.items()
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--turns", type=int, default=250)
    turns = options.parse_args().turns
    url = a_database_of_ones_own()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        measured = runner.run(_measured(turns, url))
    files, database = measured["files"], measured["PostgreSQL"]
    rows = [
        {
            "turns": stretch,
            "files, ms": round(median(files[stretch]), 2),
            "PostgreSQL, ms": round(median(database[stretch]), 2),
            "ratio of means": round(mean(database[stretch]) / mean(files[stretch]), 2),
        }
        for stretch in files
    ]
    print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
