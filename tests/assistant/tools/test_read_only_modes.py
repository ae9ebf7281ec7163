"""A model that obeys whatever it is told to try cannot change a workflow where a question was asked."""

import pytest

from tests.support.chats import TENANT, chat_with
from tests.support.scripted import Calls, scripted
from workflow_agent.assistant.tools.registry import WRITING_TOOLS
from workflow_agent.assistant.window.layout import PromptLayout

RENAME = {"op": "rename_step", "step": "review", "name": "Changed"}
WRITE = ("edit_workflow", {"workflow": "wf_expense_approval", "edits": [RENAME]})
CREATE = ("create_workflow", {"name": "Sneaky", "steps": [{"name": "One"}]})
UNDO = ("undo_change", {"workflow": "wf_expense_approval"})
SWITCH = ("switch_mode", {"mode": "modification", "reason": "I would like to"})
ASKS = {
    "analysis": "why would an expense sit in the expense approval for days?",
    "search": "which of our workflows talk to Slack?",
}


@pytest.mark.parametrize("mode", ["analysis", "search", "general"])
async def test_a_read_only_mode_offers_nothing_that_writes(mode: str) -> None:
    model, script = scripted("Nothing to do.")
    under_test = chat_with(model)

    await under_test.say("hello", mode=mode)

    assert not script.offered() & WRITING_TOOLS
    assert "switch_mode" in script.offered()


@pytest.mark.parametrize("mode", ["creation", "modification"])
async def test_a_writing_mode_offers_every_tool(mode: str) -> None:
    model, script = scripted("Nothing to do.")
    under_test = chat_with(model)

    await under_test.say("hello", mode=mode)

    assert script.offered() >= WRITING_TOOLS


@pytest.mark.parametrize("mode", ["analysis", "search"])
@pytest.mark.parametrize("attempt", [WRITE, CREATE, UNDO], ids=["edit", "create", "undo"])
@pytest.mark.parametrize("layout", ["plain", "stable_prefix"])
async def test_a_question_does_not_write_even_when_the_model_tries(
    mode: str, attempt: tuple[str, dict[str, object]], layout: PromptLayout
) -> None:
    model, _ = scripted(Calls([attempt]), Calls([SWITCH]), Calls([attempt]), "I could not change anything.")
    under_test = chat_with(model, layout=layout)
    before = await under_test.add()

    outcome = await under_test.say(ASKS[mode])

    assert outcome.reply.mode.name == mode
    assert outcome.reply.mode.source == "inferred"
    assert [workflow.id for workflow in await under_test.workflows.all(TENANT)] == [before.id]
    assert await under_test.workflows.get(TENANT, before.id) == before
    assert [call.outcome for step in outcome.reply.iterations for call in step.tool_calls] == ["retried"] * 3


@pytest.mark.parametrize("mode", ["analysis", "search", "general"])
@pytest.mark.parametrize("layout", ["plain", "stable_prefix"])
async def test_a_mode_the_user_set_cannot_be_left_for_one_that_writes(mode: str, layout: PromptLayout) -> None:
    model, _ = scripted(Calls([SWITCH]), Calls([WRITE]), "I could not change anything.")
    under_test = chat_with(model, layout=layout)
    before = await under_test.add()

    outcome = await under_test.say("please rename the review step to Changed", mode=mode)

    assert outcome.reply.mode.name == mode
    assert await under_test.workflows.get(TENANT, before.id) == before


async def test_switching_swaps_module_and_tools_at_once() -> None:
    model, script = scripted("Hm.", Calls([SWITCH]), Calls([WRITE]), "Renamed.")
    under_test = chat_with(model)
    await under_test.add()
    first = await under_test.say("hello")

    outcome = await under_test.say("okay then", conversation_id=first.conversation_id)

    assert outcome.reply.mode.name == "modification"
    assert outcome.reply.mode.source == "switched"
    assert script.offered(2) - script.offered(1) == WRITING_TOOLS
    assert "Mode: modification" in script.instructions(2)
    assert script.instructions(2).splitlines()[0] != script.instructions(1).splitlines()[0]
    assert (await under_test.workflows.get(TENANT, "wf_expense_approval")).version == 2
