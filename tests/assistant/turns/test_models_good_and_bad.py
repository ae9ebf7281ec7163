"""A model that does its work makes a large workflow in one call; one that does not harms nothing."""

from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest

from tests.support.chats import APPROVAL, TENANT, chat_with
from tests.support.scripted import Calls, Step, scripted
from workflow_agent.errors import ModelFailed

NAMES = [f"Check part {number}" for number in range(1, 13)]
STEPS: list[dict[str, Any]] = [
    {
        "name": NAMES[0],
        "type": "human",
        "assignee": "clerk",
        "form": {"fields": [{"key": "amount", "type": "number", "required": True}]},
    },
    *({"name": name, "uses": "parts.check", "retry": {"max_attempts": 3}} for name in NAMES[1:]),
    {"name": "Done", "type": "end", "outcome": "ok"},
]
WHOLE = {
    "name": "Checking of parts",
    "description": "Checks twelve parts.",
    "steps": STEPS,
    "transitions": [{"from": one["name"], "to": other["name"]} for one, other in pairwise(STEPS)],
    "triggers": [{"type": "schedule", "cron": "0 9 * * 1", "timezone": "UTC"}],
    "tags": ["parts"],
}
RENAMED = {"workflow": "wf_expense_approval", "edits": [{"op": "rename_workflow", "name": "Mine"}]}


async def test_a_workflow_of_13_steps_is_made_in_one_call() -> None:
    under_test = chat_with(scripted(Calls([("create_workflow", WHOLE)]), "It is there.")[0])

    reply = (await under_test.say("make a workflow that checks twelve parts", mode="creation")).reply

    [made] = await under_test.workflows.all(TENANT)
    assert (len(made.steps), len(made.transitions), made.triggers[0].type) == (13, 12, "schedule")
    assert reply.tools_used == ("create_workflow",)
    assert [call.outcome for one in reply.iterations for call in one.tool_calls] == ["success"]


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param([Calls([("edit_workflow", RENAMED)])] * 6, id="writes in a mode that reads"),
        pytest.param([Calls([("rename", {"name": "Mine"})])] * 6, id="calls what is not there"),
        pytest.param([Calls([("get_workflow", {"flow": 1})])] * 6, id="gives what is not asked for"),
        pytest.param(["", "", ""], id="says nothing"),
    ],
)
async def test_a_bad_model_changes_nothing(steps: list[Step]) -> None:
    under_test = chat_with(scripted(*steps, *["I give up."] * 4)[0])
    await under_test.add()

    with suppress(ModelFailed):
        await under_test.say("what is there?", mode="search")

    [left] = await under_test.workflows.all(TENANT)
    assert (left.version, left.name, left.steps) == (1, APPROVAL.name, APPROVAL.steps)
