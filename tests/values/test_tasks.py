"""Work beside the requests, one task a key."""

import asyncio
import logging
from functools import partial

import pytest

from workflow_agent.values.tasks import TasksByKey


async def test_a_second_task_of_a_key_is_not_started_while_one_is_under_way() -> None:
    tasks, gate, began = TasksByKey[str]("counting"), asyncio.Event(), list[str]()

    async def count(name: str) -> None:
        began.append(name)
        await gate.wait()

    for name in ("first", "second"):
        tasks.start("a", partial(count, name), name)
    tasks.start("b", partial(count, "other"), "other")
    gate.set()
    await tasks.settled()
    tasks.start("a", partial(count, "third"), "third")
    await tasks.settled()

    assert began == ["first", "other", "third"]
    assert "a" not in tasks


async def test_what_is_shut_down_is_stopped_and_no_failure() -> None:
    tasks = TasksByKey[str]("waiting")

    async def wait() -> None:
        await asyncio.Event().wait()

    tasks.start("a", wait, "for ever")

    await tasks.shut_down()

    assert "a" not in tasks


async def test_a_failure_is_logged_with_what_failed(caplog: pytest.LogCaptureFixture) -> None:
    tasks = TasksByKey[str]("counting")

    async def fail() -> None:
        raise ValueError("seven")

    with caplog.at_level(logging.ERROR):
        tasks.start("a", fail, "to seven")
        await tasks.settled()

    assert [one.getMessage() for one in caplog.records] == ["counting failed"]
