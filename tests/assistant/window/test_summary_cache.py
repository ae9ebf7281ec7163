"""Summaries are made once, whoever asks and however it ends."""

import asyncio
from dataclasses import dataclass, field

import pytest

from workflow_agent.errors import ModelFailed
from workflow_agent.values.caches import SummaryCache, TtlCache


@dataclass
class Summariser:
    """Counts its calls, and answers when it is let."""

    error: Exception | None = None
    calls: int = 0
    let: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self) -> str:
        self.calls += 1
        await self.let.wait()
        if self.error:
            raise self.error
        return f"summary {self.calls}"


def cache() -> SummaryCache:
    return SummaryCache(TtlCache(max_entries=10, ttl_seconds=60))


async def test_ten_at_once_make_one_call() -> None:
    summaries, make = cache(), Summariser()
    asking = [asyncio.create_task(summaries.get_or_make("text", "costs", "m", make)) for _ in range(10)]
    await asyncio.sleep(0)
    make.let.set()

    answers = await asyncio.gather(*asking)

    assert make.calls == 1
    assert {answer.text for answer in answers} == {"summary 1"}
    assert [answer.is_hit for answer in answers].count(False) == 1
    assert (summaries.statistics()["misses"], summaries.statistics()["joined"]) == (1, 9)


@pytest.mark.parametrize(
    ("content", "focus", "model"),
    [("other", "costs", "m"), ("text", "dates", "m"), ("text", "costs", "n"), ("textc", "osts", "m")],
)
async def test_another_content_focus_or_model_is_another_summary(content: str, focus: str, model: str) -> None:
    summaries, make = cache(), Summariser()
    make.let.set()
    await summaries.get_or_make("text", "costs", "m", make)

    await summaries.get_or_make(content, focus, model, make)
    again = await summaries.get_or_make("text", "costs", "m", make)

    assert make.calls == 2
    assert again == ("summary 1", True)


async def test_a_failure_reaches_everyone_and_is_not_kept() -> None:
    summaries, make = cache(), Summariser(error=ModelFailed("No."))
    asking = [asyncio.create_task(summaries.get_or_make("text", "", "m", make)) for _ in range(3)]
    await asyncio.sleep(0)
    make.let.set()
    answers = await asyncio.gather(*asking, return_exceptions=True)
    make.error = None

    assert [type(answer) for answer in answers] == [ModelFailed] * 3
    assert (await summaries.get_or_make("text", "", "m", make)).text == "summary 2"


async def test_who_stops_waiting_stops_nobody_else() -> None:
    summaries, make = cache(), Summariser()
    first, second = (asyncio.create_task(summaries.get_or_make("text", "", "m", make)) for _ in range(2))
    await asyncio.sleep(0)

    first.cancel()
    make.let.set()

    assert (await second).text == "summary 1"
