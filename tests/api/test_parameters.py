"""What requests are read with: nothing of it may take a thread, which costs more than the reading."""

import inspect
from typing import get_args

import pytest
from fastapi.params import Depends

from workflow_agent.api import dependencies

DEPENDENCIES = {
    name: one.dependency
    for name, declared in vars(dependencies).items()
    for one in get_args(declared)
    if isinstance(one, Depends)
}


def test_there_are_dependencies_to_look_at() -> None:
    assert {"TheServices", "Actor", "IdempotencyKey"} <= set(DEPENDENCIES)


@pytest.mark.parametrize("name", DEPENDENCIES)
def test_a_dependency_is_run_in_the_event_loop(name: str) -> None:
    assert inspect.iscoroutinefunction(DEPENDENCIES[name])
