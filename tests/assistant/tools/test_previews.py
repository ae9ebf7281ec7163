"""Changes that wait for a yes: shown first, applied once, never to anything but what was shown."""

from typing import Any

import pytest
from pydantic_ai.exceptions import ModelAPIError

from tests.support.chats import TENANT, chat_with
from tests.support.in_memory import InMemoryConversationStore
from tests.support.scripted import Calls, scripted
from tests.support.tool_calls import Tools
from workflow_agent.conversations.document import conversation_document
from workflow_agent.errors import ModelFailed, WorkflowNotFound
from workflow_agent.workflows.model.parser import parse_workflow

LINE = parse_workflow(
    {
        "id": "wf_line",
        "name": "Line",
        "steps": [{"id": f"s{n}", "name": f"Step {n}"} for n in range(1, 7)],
        "transitions": [{"from": f"s{n}", "to": f"s{n + 1}"} for n in range(1, 6)],
    }
)
TAG = {"op": "tag", "tag": "x"}


def removing(*steps: str) -> list[dict[str, Any]]:
    return [{"op": "remove_step", "step": step} for step in steps]


@pytest.fixture
async def tools() -> Tools:
    made = Tools()
    await made.under_test.add(LINE)
    return made


async def steps_of(tools: Tools) -> list[str]:
    return [step.id for step in (await tools.under_test.workflows.get(TENANT, "wf_line")).steps]


async def test_removing_two_steps_is_done_at_once(tools: Tools) -> None:
    answer = await tools.ok("edit_workflow", workflow="wf_line", edits=removing("s2", "s3"))

    assert answer["workflow"]["version"] == 2
    assert await steps_of(tools) == ["s1", "s4", "s5", "s6"]


async def test_removing_three_steps_is_shown_first_and_done_on_a_yes(tools: Tools) -> None:
    shown = await tools.ok("edit_workflow", workflow="wf_line", edits=removing("s2", "s3", "s4"))
    untouched = await steps_of(tools)

    applied = await tools.ok("apply_preview")

    assert (shown["applied"], shown["reason"]) == (False, "it removes 3 steps")
    assert len(untouched) == 6
    assert applied["applied"] is True
    assert applied["changes"] == shown["changes"]
    assert await steps_of(tools) == ["s1", "s5", "s6"]


async def test_what_was_shown_is_in_the_reply_with_its_diff(tools: Tools) -> None:
    await tools.ok("edit_workflow", workflow="wf_line", edits=removing("s2", "s3", "s4"))

    assert tools.reply is not None
    preview = tools.reply.preview
    assert preview is not None
    assert (preview.action, preview.workflow_id, preview.version) == ("edit", "wf_line", 1)
    assert preview.diff is not None
    assert [step["id"] for step in preview.diff["steps"]["removed"]] == ["s2", "s3", "s4"]


async def test_a_dry_run_can_be_confirmed(tools: Tools) -> None:
    await tools.ok("edit_workflow", workflow="wf_line", edits=[TAG], dry_run=True)

    await tools.ok("apply_preview")

    assert (await tools.under_test.workflows.get(TENANT, "wf_line")).tags == ("x",)


async def test_a_preview_is_confirmed_once(tools: Tools) -> None:
    await tools.ok("edit_workflow", workflow="wf_line", edits=[TAG], dry_run=True)
    await tools.ok("apply_preview")

    assert "no preview to confirm" in await tools.refused("apply_preview")
    assert (await tools.under_test.workflows.get(TENANT, "wf_line")).version == 2


async def test_two_confirmations_at_the_same_time_apply_it_once(tools: Tools) -> None:
    await tools.ok("edit_workflow", workflow="wf_line", edits=[TAG], dry_run=True)
    tools.script.steps[:] = [Calls([("apply_preview", {}), ("apply_preview", {})]), "Done."]

    await tools.under_test.say("yes", mode="modification", conversation_id=tools.conversation_id)

    assert (await tools.under_test.workflows.get(TENANT, "wf_line")).version == 2
    told = str(tools.script.requests[-1][0][-1])
    assert told.count("There is no preview to confirm") == 1, "the second call found nothing to take"


async def test_another_message_in_between_lets_a_preview_expire(tools: Tools) -> None:
    await tools.ok("delete_workflow", workflow="wf_line")
    await tools.ok("list_workflows")

    assert "another message came between" in await tools.refused("apply_preview")
    assert await steps_of(tools)


async def test_a_model_cannot_confirm_what_it_has_just_shown() -> None:
    model, _ = scripted(Calls([("delete_workflow", {"workflow": "wf_line"})]), Calls([("apply_preview", {})]), "Done.")
    under_test = chat_with(model)
    await under_test.add(LINE)

    outcome = await under_test.say("delete the line workflow", mode="modification")

    assert await under_test.workflows.get(TENANT, "wf_line")
    assert [call.outcome for one in outcome.reply.iterations for call in one.tool_calls][1] == "retried"


async def test_a_preview_of_a_workflow_that_changed_since_is_stale_and_said_so(tools: Tools) -> None:
    await tools.ok("edit_workflow", workflow="wf_line", edits=removing("s2", "s3", "s4"))
    other = Tools()
    other.under_test.chat = tools.under_test.chat
    other.script = tools.script
    await other.ok("edit_workflow", workflow="wf_line", edits=[TAG])

    told = await tools.refused("apply_preview")

    assert "has been changed since the preview, which was of version 1" in told
    assert len(await steps_of(tools)) == 6


async def test_a_deleted_workflow_is_gone_and_no_longer_the_open_one(tools: Tools) -> None:
    shown = await tools.ok("delete_workflow", workflow="wf_line")
    answer = await tools.ok("apply_preview")

    assert shown["changes"] == ["Delete workflow 'Line' (wf_line)"]
    assert answer["deleted"]["id"] == "wf_line"
    with pytest.raises(WorkflowNotFound):
        await tools.under_test.workflows.get(TENANT, "wf_line")
    assert tools.reply is not None
    assert [touch.change for touch in tools.reply.workflows_touched] == ["deleted"]
    assert (await tools.under_test.store.load(TENANT, tools.conversation_id or "")).bound_workflow_id is None


async def test_a_yes_reaches_the_tool_without_a_change_of_mode(tools: Tools) -> None:
    await tools.ok("delete_workflow", workflow="wf_line")
    tools.script.steps[:] = [Calls([("apply_preview", {})]), "Deleted."]

    outcome = await tools.under_test.say("yes, delete it", conversation_id=tools.conversation_id)

    assert outcome.reply.mode.name == "modification"
    assert outcome.reply.mode.signals == ("modification: confirms the preview of 'Line'",)
    with pytest.raises(WorkflowNotFound):
        await tools.under_test.workflows.get(TENANT, "wf_line")


async def test_a_mode_that_only_reads_confirms_nothing(tools: Tools) -> None:
    await tools.ok("delete_workflow", workflow="wf_line")
    tools.script.steps[:] = [Calls([("apply_preview", {})]), "I may not."]

    await tools.under_test.say("yes", mode="analysis", conversation_id=tools.conversation_id)

    assert await steps_of(tools)


async def test_a_yes_whose_run_failed_can_be_said_again(tools: Tools) -> None:
    await tools.ok("delete_workflow", workflow="wf_line")
    tools.script.steps[:] = [ModelAPIError("scripted", "the provider is down")]
    with pytest.raises(ModelFailed):
        await tools.under_test.say("yes", mode="modification", conversation_id=tools.conversation_id)

    answer = await tools.use_saying("yes", "apply_preview")

    assert answer.outcome == "success"


async def test_the_instructions_name_what_waits(tools: Tools) -> None:
    await tools.ok("delete_workflow", workflow="wf_line")
    await tools.ok("list_workflows")

    assert 'Preview waiting for a yes: delete wf_line "Line"' in tools.script.instructions()


async def test_a_preview_survives_a_restart() -> None:
    store = InMemoryConversationStore()
    before = Tools(store)
    await before.under_test.add(LINE)
    await before.ok("delete_workflow", workflow="wf_line")
    after = Tools(store)
    await after.under_test.add(LINE)
    after.conversation_id = before.conversation_id

    answer = await after.ok("apply_preview")

    stored = conversation_document(await store.load(TENANT, before.conversation_id or ""))
    assert answer["deleted"]["id"] == "wf_line"
    assert stored["events"][1]["preview"]["action"] == "delete"
    assert stored["events"][3]["preview"] is None
