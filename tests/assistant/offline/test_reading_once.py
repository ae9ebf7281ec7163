"""A workflow is read once in a turn, and again only behind what may have changed it."""

from collections.abc import Generator
from typing import Any

from workflow_agent.assistant.offline.turn.outcome import Call, Reply, run_skill
from workflow_agent.assistant.offline.turn.reading import Exchange

READ = Call("get_workflow", {"workflow": "wf_a"})
TOOLS = frozenset({"get_workflow", "list_workflows"})
LIST = Call("list_workflows", {"limit": 100})


def made(call: Call, result: str) -> Exchange:
    """Return a call that was made, with what it returned."""
    return Exchange(call.tool, dict(call.args), result, None)


def asking(*calls: Call) -> Generator[Call, Any, Reply]:
    """Ask for calls one after the other, and reply with what they returned."""
    told: list[str] = []
    for call in calls:
        told += [(yield call)]
    return Reply(" ".join(told))


def test_what_was_read_is_not_read_again() -> None:
    assert run_skill(asking(READ, READ), [made(READ, "one")], TOOLS) == Reply("one one")


def test_behind_another_call_it_is_read_again() -> None:
    read_once = [made(READ, "one"), made(LIST, "all")]

    assert run_skill(asking(READ, LIST, READ), read_once, TOOLS) == READ
    assert run_skill(asking(READ, LIST, READ), [*read_once, made(READ, "two")], TOOLS) == Reply("one all two")
