"""The model of the matrix: it changes the workflow that it is told of, and remembers what it was asked."""

import asyncio
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.support.provider import Answer, CallsTools, Hangs, JsonObject, ProviderStub, Refuses, Says

HELD = "wait for me"
"""A message with these words is not answered."""
_ORDER = re.compile(r"order-([0-9]+)")


class Asked(NamedTuple):
    """A request that reached the model."""

    order: int
    step: int
    at: float
    host: str


@dataclass
class Provider(ProviderStub):
    """A model that changes the workflow as it is told, says so, and remembers what it was asked and when."""

    asked: list[Asked] = field(default_factory=list[Asked])
    held: dict[int, asyncio.Event] = field(default_factory=dict[int, asyncio.Event])
    """By order, whether it waits at the model."""
    begun: Callable[[str], None] = lambda _: None
    """Is told of each host that asks."""

    def __post_init__(self) -> None:
        """Answer by what is asked."""
        self.chooses = self.answer_to

    def answer_to(self, request: JsonObject) -> Answer:
        """Return what comes next in the order that a request is about."""
        messages = request["messages"]
        last = max(at for at, one in enumerate(messages) if one["role"] == "user")
        said = str(messages[last]["content"])
        named = _ORDER.search(said)
        if named is None or not any(tool["function"]["name"] == "edit_workflow" for tool in request["tools"]):
            # A summary: without one the oldest turns are left out of the window, which is a compaction too.
            return Refuses(500)
        number = int(named[1])
        step = 1 + sum(one["role"] == "tool" for one in messages[last:])
        self.asked.append(Asked(number, step, time.monotonic(), request["model"]))
        self.begun(request["model"])
        if HELD in said:
            self.held.setdefault(number, asyncio.Event()).set()
            return Hangs()
        if step > 1:
            return Says(["The description says", f" state {number}."])
        edit = {"op": "set_description", "description": f"state {number}"}
        workflow = re.search(r"wf_matrix-[0-9]+", said)
        assert workflow is not None
        return CallsTools([("edit_workflow", json.dumps({"workflow": workflow[0], "edits": [edit]}))])


def order_in(text: str) -> int:
    """Return the number of the order that a message is about."""
    named = _ORDER.search(text)
    assert named is not None
    return int(named[1])
