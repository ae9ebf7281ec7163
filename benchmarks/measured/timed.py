"""The timed tests of `benchmarks/test_*.py`, run by pytest-benchmark."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.figures import RATIO, Figure, Section

HERE = Path(__file__).parents[1]
MOST_LATE = 1.3
LATE = {"time": "time", "bytes": "bytes written", "open": "time to open"}


def measure() -> Section:
    """Return the median of each timed test, and how many did not hold."""
    with tempfile.TemporaryDirectory() as directory:
        saved = Path(directory) / "timed.json"
        options = ["--benchmark-only", "-q", "-p", "no:cacheprovider", f"--benchmark-json={saved}"]
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", str(HERE), *options],
            cwd=HERE.parent,
            env={**os.environ, "PYTHONPATH": str(HERE.parent)},
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        found = json.loads(saved.read_text("utf-8"))["benchmarks"] if saved.stat().st_size else []
    failed = ran.stdout.count("\nFAILED ")
    return Section(
        "timed",
        "Timed tests",
        "Medians of pytest-benchmark, as `python -m pytest benchmarks --benchmark-only` gives them. Their "
        "limits are in the tests; one that does not hold on this machine counts as failed.",
        [*(figure for one in found for figure in _figures(one)), Figure("failed", failed, "tests", most=0)],
    )


def _figures(one: Mapping[str, Any]) -> Iterator[Figure]:
    told: Mapping[str, Any] = one["extra_info"]
    if "turn_ms" not in told:
        name = str(one["name"]).removeprefix("test_").replace("_", " ")
        yield Figure(name, one["stats"]["median"] * 1_000, "ms")
        return
    for key, what in LATE.items():
        yield Figure(f"turn 10,000 / turn 100: {what}", told[key], RATIO, most=MOST_LATE)
