"""How long it takes to import the package and to be ready, beside importing the framework alone."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.charts import bars
from benchmarks.figures import RATIO, Figure, Section

ROUNDS = 3
FRAMEWORK, COMMAND_LINE, SERVICE = (
    "import pydantic_ai",
    "import workflow_agent.main",
    "import workflow_agent.main.composition",
)
MOST, ADDED_MS = 1.5, 500.0


def _children_ms() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1_000


def _import_ms(code: str) -> float:
    before = _children_ms()
    subprocess.run([sys.executable, "-c", code], check=True, env=_environment())
    return _children_ms() - before


def _ready_ms(directory: Path) -> tuple[float, float]:
    """Return the processor's milliseconds and the clock's until a server says that it listens."""
    command = [sys.executable, "-c", "from workflow_agent.main import run; run()", "serve", "--port", "0"]
    started = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--data-dir", str(directory)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment()
    )
    assert process.stdout is not None
    process.stdout.readline()
    clock = (time.perf_counter() - started) * 1_000
    used = processor_ms(process.pid)
    process.terminate()
    process.communicate(timeout=30)
    return used, clock


def processor_ms(pid: int, *, with_ended: bool = False) -> float:
    """Return what a process has used of the processor so far, its threads together.

    Args:
        pid: Its number.
        with_ended: Whether what it started and has waited for counts too.
    """
    after_name = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return sum(map(int, after_name[11 : 15 if with_ended else 13])) * 1_000 / os.sysconf("SC_CLK_TCK")


def _environment() -> dict[str, str]:
    """Return an environment in which compiled modules are kept, as they are where a package is installed."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def measure() -> Section:
    """Return the figures of starting."""
    codes = (FRAMEWORK, COMMAND_LINE, SERVICE)
    for code in codes:
        _import_ms(code)
    taken: dict[str, list[float]] = {code: [] for code in codes}
    ready: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as directory:
        for _ in range(ROUNDS):
            for code in codes:
                taken[code].append(_import_ms(code))
            ready.append(_ready_ms(Path(directory)))
    framework, command_line, imported = (median(taken[code]) for code in codes)
    until_ready = median(used for used, _ in ready)
    allowed = MOST + ADDED_MS / framework
    parts = {FRAMEWORK: framework, COMMAND_LINE: command_line, SERVICE: imported, "server ready": until_ready}
    return Section(
        "starting",
        "Start",
        f"New processes, modules compiled, {ROUNDS} rounds turn about. `main` is what every command imports, "
        "`main.building` what a server begins with; it reads the rest once it listens.",
        [
            Figure(f"{COMMAND_LINE} / {FRAMEWORK}", command_line / framework, RATIO, most=MOST),
            Figure(f"{SERVICE} / {FRAMEWORK}", imported / framework, RATIO, most=MOST),
            Figure(f"server ready / {FRAMEWORK}", until_ready / framework, RATIO, most=round(allowed, 2)),
            Figure(FRAMEWORK, framework, "ms"),
            Figure(SERVICE, imported, "ms"),
            Figure("server ready", until_ready, "ms"),
            Figure("server ready (clock)", median(clock for _, clock in ready), "ms"),
        ],
        {"start.svg": bars("Until it is ready", parts, "ms")},
    )
