"""The tools that take workflows in and out, copy, compare, list changes and mend."""

import json
from typing import Any

import pytest

from tests.support.chats import TENANT
from tests.support.tool_calls import Tools
from workflow_agent.workflows.analysis import analyze
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.previews import MOST_FIX_EDITS

MACHINE = {
    "Comment": "Ships an order",
    "StartAt": "Pack",
    "States": {
        "Pack": {"Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:1:function:pack", "Next": "Sent"},
        "Sent": {"Type": "Succeed"},
    },
}
PASTED = json.dumps(MACHINE, indent=2)


def calling(steps: int) -> dict[str, Any]:
    """Return a workflow of calls that have findings with fixes: no timeout, no retry."""
    ids = [f"call_{n}" for n in range(steps)]
    return {
        "id": "wf_calls",
        "name": "Calls",
        "steps": [{"id": one, "name": one, "uses": "http.get"} for one in ids]
        + [{"id": "done", "name": "Done", "type": "end", "outcome": "ok"}],
        "transitions": [{"from": a, "to": b} for a, b in zip(ids, [*ids[1:], "done"], strict=True)],
    }


@pytest.fixture
async def tools() -> Tools:
    made = Tools()
    await made.under_test.add()
    return made


@pytest.mark.parametrize(
    "message",
    [f"import this state machine: {PASTED}", f"Please import\n```json\n{PASTED}\n```\nthanks", PASTED],
    ids=["after a colon", "fenced", "bare"],
)
async def test_a_document_in_the_message_is_imported_word_for_word(tools: Tools, message: str) -> None:
    answer = (await tools.use_saying(message, "import_workflow")).content

    stored = await tools.under_test.workflows.get(TENANT, answer["workflow"]["id"])
    assert (answer["format"], answer["lost"]["total"]) == ("asl", 0)
    assert [step.name for step in stored.steps] == ["Pack", "Sent"]
    assert tools.reply is not None
    assert tools.reply.workflows_touched[0].change == "created"


async def test_an_import_can_be_named_and_its_format_given(tools: Tools) -> None:
    answer = await tools.ok("import_workflow", text=PASTED, format="asl", name="Ship orders")

    assert answer["workflow"]["id"] == "wf_ship_orders"


@pytest.mark.parametrize(
    ("args", "told"),
    [
        pytest.param({}, "holds no document", id="nothing pasted"),
        pytest.param({"text": '{"StartAt": "A", "States": {}}'}, "States", id="not valid"),
        pytest.param({"text": '{"shopping": ["milk"]}'}, "no format that is known", id="no workflow"),
        pytest.param({"text": PASTED, "format": "visio"}, "github-actions", id="unknown format"),
    ],
)
async def test_what_cannot_be_imported_is_refused_and_says_why(tools: Tools, args: dict[str, Any], told: str) -> None:
    assert told in await tools.refused("import_workflow", **args)
    assert len(await tools.under_test.workflows.all(TENANT)) == 1


async def test_a_workflow_is_exported_with_what_has_no_place_there(tools: Tools) -> None:
    answer = await tools.ok("export_workflow", workflow="Expense approval", format="asl")

    assert answer["file_name"] == "wf_expense_approval.asl.json" or answer["file_name"].endswith("json")
    assert json.loads(answer["text"])["StartAt"]
    assert answer["lost"]["total"] == len(answer["lost"]["notes"]) > 0
    assert "github-actions" in await tools.refused("export_workflow", workflow="open", format="visio")


async def test_a_copy_is_a_workflow_of_its_own(tools: Tools) -> None:
    answer = await tools.ok("copy_workflow", workflow="Expense approval", name="Travel approval")

    original = await tools.under_test.workflows.get(TENANT, "wf_expense_approval")
    copy = await tools.under_test.workflows.get(TENANT, "wf_travel_approval")
    (record,) = await tools.under_test.workflows.versions(TENANT, copy.id)
    assert answer["copied_from"]["id"] == original.id
    assert (copy.version, copy.name, copy.steps) == (1, "Travel approval", original.steps)
    assert "Copied from 'Expense approval'" in record.summary[0]


async def test_two_workflows_are_compared_by_the_names_of_their_steps(tools: Tools) -> None:
    await tools.ok("copy_workflow", workflow="Expense approval", name="Travel approval")
    await tools.ok(
        "edit_workflow",
        workflow="Travel approval",
        edits=[
            {"op": "set_assignee", "step": "review", "assignee": "boss"},
            {"op": "rename_step", "step": "submit", "name": "Ask"},
        ],
    )

    answer = await tools.ok("compare_workflows", first="Expense approval", second="Travel approval")

    assert answer["only_in_first"] == ["Submit expense"]
    assert answer["only_in_second"] == ["Ask"]
    assert "Manager review" in answer["shared_steps"]
    assert "'Manager review': assignee is 'manager' in the first, 'boss' in the second" in answer["differences"]


async def test_changes_are_listed_newest_first_with_their_author(tools: Tools) -> None:
    await tools.ok("edit_workflow", workflow="Expense approval", edits=[{"op": "tag", "tag": "x"}])

    answer = await tools.ok("list_changes", since="2026-11-21")

    assert [(one["version"], one["action"]) for one in answer["changes"]] == [(2, "edited"), (1, "created")]
    assert answer["changes"][0]["agent"] == "assistant"
    assert answer["changes"][0]["changes"] == ["Added tag 'x'"]
    assert (await tools.ok("list_changes", since="2026-11-22"))["total"] == 0
    assert (await tools.ok("list_changes", since="2026-11-21", author="assistant"))["total"] == 1
    assert (await tools.ok("list_changes", since="2026-11-21", until="2026-11-21"))["total"] == 0


async def test_fixing_applies_what_is_safe_and_says_what_is_left(tools: Tools) -> None:
    await tools.under_test.add(parse_workflow(calling(1)))
    before = analyze(await tools.under_test.workflows.get(TENANT, "wf_calls"))

    answer = await tools.ok("fix_findings", workflow="Calls")

    after = analyze(await tools.under_test.workflows.get(TENANT, "wf_calls"))
    assert answer["fixed"]
    assert len(answer["fixed"]) + len(answer["left"]) == len(before)
    assert len(after) == len(answer["left"]) < len(before)
    assert all(one["why"] for one in answer["left"])


async def test_many_fixes_are_shown_first(tools: Tools) -> None:
    await tools.under_test.add(parse_workflow(calling(MOST_FIX_EDITS + 1)))

    shown = await tools.ok("fix_findings", workflow="Calls")
    applied = await tools.ok("apply_preview")

    assert shown["applied"] is False
    assert "edits" in shown["reason"]
    assert applied["changes"] == shown["changes"]


async def test_only_the_rules_that_are_named_are_mended(tools: Tools) -> None:
    await tools.under_test.add(parse_workflow(calling(1)))
    rule = next(one.rule for one in analyze(parse_workflow(calling(1))) if one.fix)

    answer = await tools.ok("fix_findings", workflow="Calls", rules=[rule])

    assert {one["rule"] for one in answer["fixed"]} == {rule}


async def test_a_healthy_workflow_is_left_as_it_is(tools: Tools) -> None:
    await tools.ok("fix_findings", workflow="Expense approval", rules=["no-such-rule"])

    assert (await tools.under_test.workflows.get(TENANT, "wf_expense_approval")).version == 1


async def test_a_search_is_narrowed_by_role_and_to_this_conversation(tools: Tools) -> None:
    await tools.under_test.add(parse_workflow(calling(1)))
    await tools.ok("get_workflow", workflow="Calls")

    by_role = await tools.ok("search_workflows", role="manager")
    met = await tools.ok("search_workflows", in_conversation=True)

    assert [hit["id"] for hit in by_role["hits"]] == ["wf_expense_approval"]
    assert [hit["id"] for hit in met["hits"]] == ["wf_calls"]
