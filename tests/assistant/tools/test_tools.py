"""Every tool through the real agent: what it answers, what it stores, what it asks the model to mend."""

from typing import Any

import pytest

from tests.support.chats import APPROVAL, PROMPTS, TENANT, chat_with
from tests.support.scripted import Calls, Script, scripted
from tests.support.tool_calls import Tools
from workflow_agent.assistant.assistant import build_assistant
from workflow_agent.assistant.prompts import read_prompts
from workflow_agent.workflows.model.parser import parse_workflow


@pytest.fixture
async def tools() -> Tools:
    made = Tools()
    await made.under_test.add()
    return made


LUNCH = parse_workflow(
    {
        "id": "wf_lunch",
        "name": "Lunch order",
        "aliases": ["food"],
        "tags": ["office"],
        "triggers": [{"type": "schedule", "cron": "0 11 * * 5"}],
        "steps": [{"id": "ask", "name": "Ask"}],
    }
)


async def test_listing_shows_each_workflow_with_what_tells_it_apart(tools: Tools) -> None:
    await tools.under_test.add(LUNCH)

    answer = await tools.ok("list_workflows")

    assert answer["total"] == 2
    assert answer["workflows"][1] == {
        "id": "wf_lunch",
        "name": "Lunch order",
        "description": "",
        "version": 1,
        "tags": ["office"],
        "aliases": ["food"],
        "step_count": 1,
        "triggers": ["every Friday at 11:00"],
    }


@pytest.mark.parametrize("only", [{"tag": "OFFICE"}, {"trigger": "schedule"}, {"tag": "office", "trigger": "schedule"}])
async def test_listing_can_be_narrowed(tools: Tools, only: dict[str, str]) -> None:
    await tools.under_test.add(LUNCH)

    answer = await tools.ok("list_workflows", **only)

    assert [one["id"] for one in answer["workflows"]] == ["wf_lunch"]


async def test_search_says_why_it_found_what_it_found(tools: Tools) -> None:
    answer = await tools.ok("search_workflows", query="approval")

    assert answer["hits"][0]["id"] == "wf_expense_approval"
    assert answer["hits"][0]["strategies"] == ["exact_name"]
    assert answer["suggestions"] == []


@pytest.mark.parametrize("reference", ["wf_expense_approval", "Expense approval"])
async def test_a_workflow_is_read_by_id_or_name_and_becomes_the_open_one(tools: Tools, reference: str) -> None:
    answer = await tools.ok("get_workflow", workflow=reference)
    again = await tools.ok("get_workflow", workflow="open")

    assert answer["workflow"]["id"] == again["workflow"]["id"] == "wf_expense_approval"
    assert "review" in {step["id"] for step in answer["workflow"]["steps"]}
    assert set(answer) == {"workflow"}, "a workflow is told once"


async def test_an_older_version_can_be_read(tools: Tools) -> None:
    await tools.ok("edit_workflow", workflow="wf_expense_approval", edits=[{"op": "tag", "tag": "x"}])

    answer = await tools.ok("get_workflow", workflow="wf_expense_approval", version=1)

    assert answer["workflow"]["version"] == 1
    assert "tags" not in answer["workflow"]
    assert "newest version is 2" in await tools.refused("get_workflow", workflow="open", version=9)


async def test_an_unknown_workflow_is_answered_with_what_there_is(tools: Tools) -> None:
    assert "list_workflows" in await tools.refused("get_workflow", workflow="payroll")


async def test_creating_stores_the_workflow_and_reports_its_findings(tools: Tools) -> None:
    answer = await tools.ok(
        "create_workflow",
        name="Trip request",
        steps=[
            {"name": "Ask", "type": "human", "assignee": "employee"},
            {"name": "Approve", "type": "human", "assignee": "manager"},
            {"name": "Booked", "type": "end", "outcome": "ok"},
        ],
        transitions=[{"from": "Ask", "to": "Approve"}, {"from": "Approve", "to": "Booked", "when": "approved"}],
        triggers=[{"type": "manual"}],
    )

    stored = await tools.under_test.workflows.get(TENANT, "wf_trip_request")
    assert answer["workflow"] == {"id": "wf_trip_request", "name": "Trip request", "version": 1}
    assert [step["id"] for step in answer["steps"]] == ["ask", "approve", "booked"]
    assert stored.transitions[1].when is not None
    assert answer["findings"]
    assert tools.reply is not None
    assert [(t.id, t.change) for t in tools.reply.workflows_touched] == [("wf_trip_request", "created")]


async def test_a_second_workflow_of_a_name_gets_its_own_id(tools: Tools) -> None:
    first = await tools.ok("create_workflow", name="Trip", steps=[{"name": "Ask"}])
    second = await tools.ok("create_workflow", name="Trip", steps=[{"name": "Ask"}])

    assert [first["workflow"]["id"], second["workflow"]["id"]] == ["wf_trip", "wf_trip_2"]


async def test_a_draft_that_cannot_be_is_returned_with_its_problems(tools: Tools) -> None:
    told = await tools.refused(
        "create_workflow", name="Trip", steps=[{"name": "Ask"}], transitions=[{"from": "Ask", "to": "Fly"}]
    )

    assert "'Fly' is not the id or name of a step" in told
    assert [one.id for one in await tools.under_test.workflows.all(TENANT)] == [APPROVAL.id]


async def test_an_edit_is_stored_and_tells_what_changed(tools: Tools) -> None:
    answer = await tools.ok(
        "edit_workflow",
        workflow="Expense approval",
        edits=[
            {
                "op": "insert_step",
                "before": "paid",
                "step": {"name": "Legal review", "type": "human", "assignee": "legal"},
            }
        ],
    )

    stored = await tools.under_test.workflows.get(TENANT, "wf_expense_approval")
    assert (answer["workflow"]["version"], answer["previous_version"]) == (2, 1)
    assert any("Legal review" in line for line in answer["changes"])
    assert [(e.from_, e.to) for e in stored.transitions if "legal_review" in (e.from_, e.to)] == [
        ("review", "legal_review"),
        ("legal_review", "paid"),
    ]


async def test_a_dry_run_shows_the_change_and_stores_nothing(tools: Tools) -> None:
    before = await tools.under_test.workflows.get(TENANT, "wf_expense_approval")

    answer = await tools.ok(
        "edit_workflow",
        workflow="wf_expense_approval",
        dry_run=True,
        edits=[{"op": "rename_step", "step": "review", "name": "Check"}],
    )

    assert answer["dry_run"] is True
    assert answer["changes"]
    assert await tools.under_test.workflows.get(TENANT, "wf_expense_approval") == before


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        pytest.param({"op": "rename_step", "step": "nope", "name": "X"}, "review", id="unknown step"),
        pytest.param({"op": "explode"}, "rename_step", id="unknown operation"),
        pytest.param({"op": "rename_step", "step": "review"}, "name", id="missing field"),
        pytest.param({"op": "rename_step", "step": "review", "name": "X", "colour": 1}, "colour", id="extra field"),
    ],
)
async def test_a_wrong_edit_is_returned_with_what_would_be_valid(tools: Tools, edit: dict[str, Any], told: str) -> None:
    assert told in await tools.refused("edit_workflow", workflow="wf_expense_approval", edits=[edit])
    assert (await tools.under_test.workflows.get(TENANT, "wf_expense_approval")).version == 1


async def test_undo_goes_back_one_change_at_a_time(tools: Tools) -> None:
    for tag in ("one", "two"):
        await tools.ok("edit_workflow", workflow="wf_expense_approval", edits=[{"op": "tag", "tag": tag}])

    first = await tools.ok("undo_change", workflow="open")
    second = await tools.ok("undo_change", workflow="open")

    assert [first["restored_version"], second["restored_version"]] == [2, 1]
    assert (await tools.under_test.workflows.get(TENANT, "wf_expense_approval")).tags == ()
    assert "no change to undo" in await tools.refused("undo_change", workflow="open")


async def test_a_version_can_be_restored_by_number(tools: Tools) -> None:
    for tag in ("one", "two"):
        await tools.ok("edit_workflow", workflow="wf_expense_approval", edits=[{"op": "tag", "tag": tag}])

    shown = await tools.ok("undo_change", workflow="open", to_version=1)
    answer = await tools.ok("apply_preview")

    assert shown["applied"] is False
    assert "goes back 2 versions" in shown["reason"]
    assert answer["workflow"]["version"] == 4
    assert "newest version is 4" in await tools.refused("undo_change", workflow="open", to_version=9)


async def test_analysis_reports_findings_with_their_steps(tools: Tools) -> None:
    answer = await tools.ok("analyze_workflow", workflow="wf_expense_approval")

    assert sum(answer["counts"].values()) == len(answer["findings"]) > 0
    assert {"rule", "severity", "steps", "message"} <= set(answer["findings"][0])


async def test_validation_says_whether_it_can_run(tools: Tools) -> None:
    await tools.under_test.add(
        parse_workflow(
            {
                "id": "wf_broken",
                "name": "Broken",
                "steps": [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}, {"id": "z", "name": "Z", "type": "end"}],
                "transitions": [{"from": "a", "to": "b"}, {"from": "b", "to": "a"}],
            }
        )
    )

    assert (await tools.ok("validate_workflow", workflow="wf_expense_approval"))["valid"] is True
    assert (await tools.ok("validate_workflow", workflow="wf_broken"))["valid"] is False


async def test_a_diagram_is_drawn(tools: Tools) -> None:
    answer = await tools.ok("draw_diagram", workflow="wf_expense_approval")

    assert answer["diagram"].startswith("flowchart")


async def test_versions_are_compared(tools: Tools) -> None:
    await tools.ok("edit_workflow", workflow="wf_expense_approval", edits=[{"op": "tag", "tag": "x"}])

    answer = await tools.ok("compare_versions", workflow="open")

    assert (answer["from_version"], answer["to_version"]) == (1, 2)
    assert answer["changes"]
    assert "newest version is 2" in await tools.refused("compare_versions", workflow="open", to_version=7)


async def test_a_version_that_no_workflow_may_be_any_more_is_told(tools: Tools) -> None:
    await tools.ok("edit_workflow", workflow="wf_expense_approval", edits=[{"op": "tag", "tag": "x"}])
    first = await tools.under_test.workflows.version(TENANT, "wf_expense_approval", 1)
    first.document["steps"] = "none"

    assert "/steps" in await tools.refused("compare_versions", workflow="open")


async def test_a_role_of_nobody_is_refused_before_cases_wait_for_ever(tools: Tools) -> None:
    refused = await tools.refused("simulate_workflow", workflow="wf_expense_approval", staff={"manager": 0})

    assert "greater than or equal to 1" in refused


async def test_an_earlier_turn_can_be_read(tools: Tools) -> None:
    await tools.ok("list_workflows", limit=3)

    answer = await tools.ok("get_turn", turn=-1)

    assert answer["turn"] == 1
    assert answer["message"] == "use list_workflows"
    assert answer["tools"] == [{"name": "list_workflows", "args": {"limit": 3}, "outcome": "success"}]
    assert answer["iterations"] == 2
    assert "turns go from 1 to 2" in await tools.refused("get_turn", turn=7)
    step = (await tools.ok("get_turn", turn=1, iteration=1))["iteration"]
    assert [message["role"] for message in step["messages"]] == ["user", "assistant", "tool"]
    assert "it has 2" in await tools.refused("get_turn", turn=1, iteration=3)


async def test_the_first_turn_has_none_before_it(tools: Tools) -> None:
    assert "first turn" in await tools.refused("get_turn", turn=-1)


async def test_what_was_said_can_be_found_again(tools: Tools) -> None:
    await tools.ok("list_workflows")

    answer = await tools.ok("search_history", query="USE list")

    assert answer["hits"][0] == {"turn": 1, "speaker": "user", "excerpt": "use list_workflows"}


async def test_arguments_a_tool_does_not_know_are_refused(tools: Tools) -> None:
    assert "colour" in await tools.refused("list_workflows", colour="red")


async def test_reaching_the_step_limit_gives_a_reply_that_says_so() -> None:
    rename = [{"op": "rename_workflow", "name": "Spending"}]
    script: list[Any] = [Calls([("edit_workflow", {"workflow": "wf_expense_approval", "edits": rename})])]
    model, asked = scripted(*script, *[Calls([("list_workflows", {})])] * 5)
    under_test = chat_with(model, max_iterations=3)
    await under_test.add()

    reply = (await under_test.say("go on forever", mode="modification")).reply

    assert len(asked.requests) == 3
    assert reply.content == (
        "I stopped after 3 steps, the limit for one message. "
        "Until then I modified 'Spending' (version 2). Tell me how to go on."
    )
    assert len(reply.iterations) == 3
    assert all(iteration.completed_at for iteration in reply.iterations)


@pytest.mark.parametrize(
    ("most", "told"),
    [
        pytest.param(1, "after 1 step, ", id="one"),
        pytest.param(2, "after 2 steps, ", id="two"),
        pytest.param(10, "after 10 steps, ", id="ten"),
    ],
)
async def test_a_limit_allows_exactly_that_many_requests_and_says_what_was_done(most: int, told: str) -> None:
    model, asked = scripted(*[Calls([("list_workflows", {})])] * 12)
    under_test = chat_with(model, max_iterations=most)

    outcome = await under_test.say("go on forever")

    reply = outcome.reply
    assert len(asked.requests) == len(reply.iterations) == most
    assert told in reply.content
    times = "list_workflows." if most == 1 else f"list_workflows ({most} times)."
    assert f"No workflow was changed; these tools gave me answers: {times}" in reply.content
    # The last answer came, though no request told the model of it any more.
    assert {call.outcome for one in reply.iterations for call in one.tool_calls} == {"success"}
    assert reply.iterations[-1].messages[-1].results[0].outcome == "success"
    stored = await under_test.store.load(TENANT, outcome.conversation_id)
    assert [call.outcome_summary.status for call in stored.calls] == ["success"] * (most + 1)


async def test_an_answer_in_the_last_step_is_no_limit() -> None:
    reply = (await chat_with(scripted("Hello.")[0], max_iterations=1).say("hello")).reply

    assert reply.content == "Hello."


async def test_a_limit_that_nothing_answered_before_says_so() -> None:
    model, _ = scripted(*[Calls([("get_workflow", {"workflow": "none"})])] * 2)

    reply = (await chat_with(model, max_iterations=1).say("show it")).reply

    assert "No tool gave an answer, and no workflow was changed." in reply.content


async def test_an_edit_shows_in_the_very_next_request() -> None:
    rename = [{"op": "rename_workflow", "name": "Spending"}]
    script: Script
    model, script = scripted(
        Calls([("edit_workflow", {"workflow": "wf_expense_approval", "edits": rename})]), "Renamed."
    )
    under_test = chat_with(model)
    await under_test.add()

    await under_test.say("rename it", mode="modification", workflow_id="wf_expense_approval")

    assert '"Expense approval" (version 1)' in script.instructions(0)
    assert '"Spending" (version 2)' in script.instructions(1)


async def test_a_repeated_insert_is_recognised_whatever_id_its_step_is_given() -> None:
    def insert(step_id: str) -> Calls:
        step = {"id": step_id, "name": "Extra"}
        edits = [
            {"op": "insert_step", "step": step, "after": "submit"},
            {"op": "set_timeout", "step": step_id, "timeout": "P1D"},
        ]
        return Calls([("edit_workflow", {"workflow": "wf_expense_approval", "edits": edits})])

    model, _ = scripted(insert("extra"), RuntimeError("the process dies here"), insert("extra_2"), "Added.")
    under_test = chat_with(model)
    await under_test.add()
    with pytest.raises(Exception, match="Something failed inside"):
        await under_test.say("add a step", key="k1", mode="modification")

    await under_test.say("add a step", key="k1", mode="modification")

    stored = await under_test.workflows.get(TENANT, "wf_expense_approval")
    assert [step.id for step in stored.steps if step.name == "Extra"] == ["extra"]
    assert stored.version == 2


async def test_a_repeated_run_does_not_apply_its_edit_twice() -> None:
    add = Calls(
        [
            (
                "edit_workflow",
                {"workflow": "wf_expense_approval", "edits": [{"op": "add_step", "step": {"name": "Extra"}}]},
            )
        ]
    )
    create = Calls([("create_workflow", {"name": "New one", "steps": [{"name": "One"}]})])
    model, _ = scripted(add, create, RuntimeError("the process dies here"), add, create, "Added.")
    under_test = chat_with(model)
    await under_test.add()
    started = under_test.say("add a step", key="k1", mode="modification")
    with pytest.raises(Exception, match="Something failed inside"):
        await started

    outcome = await under_test.say("add a step", key="k1", mode="modification")

    stored = await under_test.workflows.get(TENANT, "wf_expense_approval")
    assert [step.id for step in stored.steps].count("extra") == 1
    assert stored.version == 2
    assert sorted(one.id for one in await under_test.workflows.all(TENANT)) == ["wf_expense_approval", "wf_new_one"]
    assert outcome.reply.content == "Added."


def test_the_tool_definitions_stay_within_their_budget() -> None:
    offer = build_assistant(read_prompts(PROMPTS), tool_timeout_seconds=1.0).offer

    assert sum(map(len, offer.texts("search"))) < 10_000
    assert sum(map(len, offer.texts("modification"))) < 26_000
