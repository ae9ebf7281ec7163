"""What holds for every test: no provider is reached, and the order and the tracing keep the suite short."""

import os
from collections.abc import Generator, Sequence

import pytest
from hypothesis import settings
from pydantic_ai import models

models.ALLOW_MODEL_REQUESTS = False
# A machine that is busy with something else must not fail a property, and the same sources must pass or fail
# alike; to look further, run with another profile: pytest --hypothesis-profile=default.
settings.register_profile("suite", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("suite")

TRACED_CHILDREN = "COVERAGE_PROCESS_CONFIG"
"""Where coverage tells the processes that a test starts to trace themselves."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave slow tests untraced, and begin with what takes long.

    Tracing costs half of their time and they repeat what others cover; what comes last and is long is waited
    for by all the other workers.
    """
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker("no_cover")
    items.sort(key=_takes_long, reverse=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Leave the processes of a slow test untraced as well."""
    traced = os.environ.pop(TRACED_CHILDREN, None) if item.get_closest_marker("slow") else None
    try:
        return (yield)
    finally:
        if traced is not None:
            os.environ[TRACED_CHILDREN] = traced


def _takes_long(item: pytest.Item) -> Sequence[bool]:
    return item.get_closest_marker("xdist_group") is not None, item.get_closest_marker("slow") is not None
