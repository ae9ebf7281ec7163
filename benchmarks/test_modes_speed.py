"""Mode inference takes time in proportion to the message: 100 kB against 10 kB in the same run."""

import time
from typing import Any

import pytest

from workflow_agent.assistant.modes.inference import infer_mode

HOSTILE = {
    "one word": "a",
    "one frame": "could you please ",
    "brackets": "(",
    "connectives": "if then else -> and or ",
    "numbers": "1 2,5 ; ",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hundred_kilobytes(benchmark: Any, kind: str) -> None:
    text = (HOSTILE[kind] * 100_000)[:100_000]
    started = time.perf_counter()
    infer_mode(text[:10_000])
    ten_kilobytes = time.perf_counter() - started

    benchmark(infer_mode, text)

    benchmark.extra_info["ratio to 10 kB"] = round(benchmark.stats["median"] / ten_kilobytes, 1)


def test_an_ordinary_message(benchmark: Any) -> None:
    benchmark(infer_mode, "could you put a legal check in before it's signed?", workflow_loaded=True)
