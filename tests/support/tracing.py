"""Turning the tracing for coverage off and on, in the thread of the tests."""

import pkgutil
import sys
import threading
from collections.abc import Generator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

TRACED_PROCESSES = "COVERAGE_PROCESS_CONFIG"
"""The variable by which coverage tells the processes that a test starts to trace themselves."""


def import_all_of(package: ModuleType) -> None:
    """Import every module of a package."""
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        import_module(module.name)


@dataclass
class Tracing:
    """Whatever traces this thread, a debugger as well as coverage; nothing where nothing does."""

    tracer: Any = None

    @property
    def is_wanted(self) -> bool:
        """Say whether somebody traces this thread."""
        return sys.gettrace() is not None

    @contextmanager
    def off(self) -> Generator[None]:
        """Trace nothing in this thread but what `on` is around."""
        self.tracer = sys.gettrace()
        sys.settrace(None)
        try:
            yield
        finally:
            sys.settrace(self.tracer)
            self.tracer = None

    @contextmanager
    def on(self) -> Generator[None]:
        """Trace again."""
        sys.settrace(self.tracer)
        try:
            yield
        finally:
            sys.settrace(None)

    @contextmanager
    def none_of(self, environment: MutableMapping[str, str]) -> Generator[None]:
        """Trace nothing, also not in threads and processes that start meanwhile."""
        threads, told = threading.gettrace(), environment.pop(TRACED_PROCESSES, None)
        tracer, self.tracer = self.tracer, None
        threading.settrace(None)
        try:
            yield
        finally:
            self.tracer = tracer
            threading.settrace(threads)
            if told is not None:
                environment[TRACED_PROCESSES] = told
