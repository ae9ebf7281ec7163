"""What holds for every test: no provider is reached, and the order and the tracing keep the suite short."""

import gc
import os
import shutil
import sys
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings
from pydantic_ai import models

import workflow_agent
from tests.support.tracing import Tracing, import_all_of

models.ALLOW_MODEL_REQUESTS = False
# A machine that is busy with something else must not fail a property, and the same sources must pass or fail
# alike; to look further, run with another profile: pytest --hypothesis-profile=default.
settings.register_profile("suite", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("suite")

# Many tests start the program: it is compiled once, and not by each of them.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A save waits for the disk, and for nothing in memory. That it waits is shown by what looks at system calls,
# and by power cuts.
_MEMORY = Path("/dev/shm")  # noqa: S108 - below it, pytest makes a directory that is the user's alone
if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > 2 * 2**30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))

_tracing = Tracing()
_FIRST_WORKER = "gw0"
_TESTS = Path(__file__).parent
_EACH = 10
"""Of the slow tests of a room, the quick part has the first and every tenth after it."""


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Trace what the package does as it is imported, in one worker, and not the search for tests.

    What is found stays: to look for garbage among it takes a quarter of the time of the search.
    """
    gc.disable()
    worker = getattr(session.config, "workerinput", {}).get("workerid", _FIRST_WORKER)
    if _tracing.is_wanted and session.config.getoption("dist", "no") == "no" and worker == _FIRST_WORKER:
        import_all_of(workflow_agent)
    try:
        with _tracing.off():
            return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtestloop() -> Generator[None, object, object]:
    """Trace what tests run and not what runs the tests, which would take twice as long."""
    try:
        with _tracing.off():
            return (yield)
    finally:
        # The report of the coverage makes much and drops nothing: to look for garbage takes a third of its time.
        gc.disable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Leave some tests untraced, with what is made for them and the processes they start.

    Tracing costs as much time again, and these repeat what others cover.
    """
    if not any(item.iter_markers("slow")) and not any(item.iter_markers("untraced")):
        return (yield)
    with _tracing.none_of(os.environ):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup() -> Generator[None, object, object]:
    with _tracing.on():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call() -> Generator[None, object, object]:
    with _tracing.on():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None, object, object]:
    with _tracing.on():
        return (yield)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--part",
        choices=["quick", "slow", "all"],
        default="all",
        help="quick: all but what is slow, and each tenth case of that; slow: what is slow",
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose the part that is wanted, and begin with what takes long: others would wait for it at the end."""
    part, on_files = config.getoption("--part"), os.environ.get("WORKFLOW_AGENT_TEST_STORES") != "postgres"
    seen = Counter[str]()
    chosen: list[pytest.Item] = []
    for item in items:
        slow = item.get_closest_marker("slow")
        if slow is None or (slow.kwargs.get("is_quick") and part == "quick"):
            is_chosen = part != "slow"
        elif slow.kwargs.get("is_never_quick"):
            is_chosen = part != "quick"
        else:
            room = item.path.relative_to(_TESTS).parts[0]
            is_chosen = part != "quick" or seen[room] % _EACH == 0
            seen[room] += 1
        if is_chosen and (on_files or item.get_closest_marker("files") is None):
            chosen.append(item)
    kept = set(chosen)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = sorted(chosen, key=lambda item: item.get_closest_marker("slow") is None)
