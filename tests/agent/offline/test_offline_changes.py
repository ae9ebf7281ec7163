"""Orders in everyday words, and the edits they become."""

from typing import Any

import pytest

from tests.support.offline_agent import Chat

REVIEW, PAY = "review", "pay"


def inserted(name: str, step_id: str, **where: Any) -> tuple[str, str, dict[str, Any]]:
    """What an insertion must come to: the new step's name and id, and its place."""
    return name, step_id, where


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("could you put a legal check in before it's paid?",
         inserted("Legal check", "legal_check", before=PAY)),
        ("please add a security review between submit and manager review",
         inserted("Security review", "security_review", between=["submit", REVIEW])),
        ('insert a step called "Archive receipt" after pay out',
         inserted("Archive receipt", "archive_receipt", after=PAY)),
        ("put a finance check ahead of the payout", inserted("Finance check", "finance_check", before=PAY)),
        ("I'd like you to include a tax check just before payment",
         inserted("Tax check", "tax_check", before=PAY)),
        ("have legal check it before the money goes out", inserted("Legal check", "legal_check", before=PAY)),
        ("legal should review it before it is paid", inserted("Legal review", "legal_review", before=PAY)),
        ("after the manager review, add a compliance check",
         inserted("Compliance check", "compliance_check", after=REVIEW)),
        ("before pay out, add a fraud check", inserted("Fraud check", "fraud_check", before=PAY)),
        ("there must be a fraud check before we pay", inserted("Fraud check", "fraud_check", before=PAY)),
        ("add a welcome email at the end", inserted("Welcome email", "welcome_email", before="paid")),
        ("add an intake check at the very beginning",
         inserted("Intake check", "intake_check", before="submit")),
        ('add a step "Double check" as the third step', inserted("Double check", "double_check", before=PAY)),
        ("wait 2 days before paying", inserted("Wait 2 days", "wait_2_days", before=PAY)),
        ("we also need a fraud check before the second step",
         inserted("Fraud check", "fraud_check", before=REVIEW)),
        ("let's squeeze a budget check in between submitting and the review",
         inserted("Budget check", "budget_check", between=["submit", REVIEW])),
    ],
)  # fmt: skip
async def test_an_insertion_lands_where_it_was_said(
    said: str, expected: tuple[str, str, dict[str, Any]]
) -> None:
    turn = await Chat().say(said)

    (edit,) = turn.edits
    name, step_id, where = expected
    assert edit["op"] == "insert_step"
    assert (edit["step"]["name"], edit["step"]["id"]) == (name, step_id)
    assert {key: edit[key] for key in ("before", "after", "between") if key in edit} == where


@pytest.mark.parametrize(
    ("said", "edits"),
    [
        ("remove the manager review", [{"op": "remove_step", "step": REVIEW}]),
        ("delete step 2", [{"op": "remove_step", "step": REVIEW}]),
        ("can you get rid of the second step please", [{"op": "remove_step", "step": REVIEW}]),
        ("drop the last step", [{"op": "remove_step", "step": PAY}]),
        ("take the review out", [{"op": "remove_step", "step": REVIEW}]),
        ("we don't need the manager review anymore", [{"op": "remove_step", "step": REVIEW}]),
        ("kick out the payout", [{"op": "remove_step", "step": PAY}]),
        ("remove the manager's step", [{"op": "remove_step", "step": REVIEW}]),
        ("remove submit and the review",
         [{"op": "remove_step", "step": "submit"}, {"op": "remove_step", "step": REVIEW}]),
        ("move pay out before the manager review", [{"op": "move_step", "step": PAY, "before": REVIEW}]),
        ("do the manager review after pay out", [{"op": "move_step", "step": REVIEW, "after": PAY}]),
        ("swap submit and manager review", [{"op": "move_step", "step": REVIEW, "before": "submit"}]),
        ("link pay out to rejected", [{"op": "connect", "from": PAY, "to": "rejected"}]),
        ("connect manager review to submit if more info is needed",
         [{"op": "connect", "from": REVIEW, "to": "submit", "type": "condition",
           "when": {"text": "more info is needed"}}]),
        ("from manager review go to paid when amount is small",
         [{"op": "connect", "from": REVIEW, "to": "paid", "type": "condition",
           "when": {"text": "amount is small"}}]),
        ("if the manager asks for changes, go back to submit",
         [{"op": "connect", "from": REVIEW, "to": "submit", "type": "condition",
           "when": {"text": "the manager asks for changes"}}]),
        ("disconnect manager review from rejected", [{"op": "disconnect", "from": REVIEW, "to": "rejected"}]),
        ("remove the link between review and rejected",
         [{"op": "disconnect", "from": REVIEW, "to": "rejected"}]),
        ("if pay out fails, go back to the manager review",
         [{"op": "add_error_path", "step": PAY, "to": REVIEW}]),
        ("add error handling to pay out", [{"op": "add_error_path", "step": PAY}]),
        ("require the director's approval before pay out",
         [{"op": "wrap_in_approval", "step": PAY, "assignee": "director"}]),
        ("pay out needs approval by finance first",
         [{"op": "wrap_in_approval", "step": PAY, "assignee": "finance"}]),
        ("start with the manager review", [{"op": "set_start", "step": REVIEW}]),
    ],
)  # fmt: skip
async def test_a_change_of_the_graph_becomes_its_edit(said: str, edits: list[dict[str, Any]]) -> None:
    turn = await Chat().say(said)

    assert turn.edits == edits
    assert turn.tools[-1] == "validate_workflow"


@pytest.mark.parametrize(
    ("said", "edits"),
    [
        ("rename manager review to Supervisor check",
         [{"op": "rename_step", "step": REVIEW, "name": "Supervisor check"}]),
        ("call the review step Check", [{"op": "rename_step", "step": REVIEW, "name": "Check"}]),
        ("change the name of pay out to Transfer money",
         [{"op": "rename_step", "step": PAY, "name": "Transfer money"}]),
        ("the review should be called Sanity check",
         [{"op": "rename_step", "step": REVIEW, "name": "Sanity check"}]),
        ("rename the workflow to Travel expenses", [{"op": "rename_workflow", "name": "Travel expenses"}]),
        ("call it Travel costs", [{"op": "rename_workflow", "name": "Travel costs"}]),
        ('rename "Pay out" to "Wire the money" and give it two days',
         [{"op": "rename_step", "step": PAY, "name": "Wire the money"},
          {"op": "set_timeout", "step": PAY, "timeout": "P2D"}]),
        ("rename review to Check, assign it to finance and give it 2 days",
         [{"op": "rename_step", "step": REVIEW, "name": "Check"},
          {"op": "set_assignee", "step": REVIEW, "assignee": "finance"},
          {"op": "set_timeout", "step": REVIEW, "timeout": "P2D"}]),
        ("remove the review and retry the payout 3 times",
         [{"op": "remove_step", "step": REVIEW},
          {"op": "set_retry", "step": PAY, "retry": {"max_attempts": 3}}]),
        ("assign the manager review to finance",
         [{"op": "set_assignee", "step": REVIEW, "assignee": "finance"}]),
        ("make finance responsible for pay out",
         [{"op": "set_assignee", "step": PAY, "assignee": "finance"}]),
        ("finance should do the payout", [{"op": "set_assignee", "step": PAY, "assignee": "finance"}]),
        ("the review should be done by the director",
         [{"op": "set_assignee", "step": REVIEW, "assignee": "director"}]),
        ("let the CFO do the manager review", [{"op": "set_assignee", "step": REVIEW, "assignee": "CFO"}]),
        ("hand the review over to HR", [{"op": "set_assignee", "step": REVIEW, "assignee": "HR"}]),
        ("unassign the review", [{"op": "set_assignee", "step": REVIEW, "assignee": None}]),
        ("give the manager review three days", [{"op": "set_timeout", "step": REVIEW, "timeout": "P3D"}]),
        ("set a timeout of 1 hour on pay out", [{"op": "set_timeout", "step": PAY, "timeout": "PT1H"}]),
        ("set the deadline of the review to 5 days",
         [{"op": "set_timeout", "step": REVIEW, "timeout": "P5D"}]),
        ("the review must be done within 24 hours",
         [{"op": "set_timeout", "step": REVIEW, "timeout": "PT24H"}]),
        ("limit the review to 4 hours", [{"op": "set_timeout", "step": REVIEW, "timeout": "PT4H"}]),
        ("extend the review deadline to a week", [{"op": "set_timeout", "step": REVIEW, "timeout": "P1W"}]),
        ("remove the deadline from the review", [{"op": "set_timeout", "step": REVIEW, "timeout": None}]),
        ("retry pay out 5 times every 10 seconds",
         [{"op": "set_retry", "step": PAY, "retry": {"max_attempts": 5, "interval": "PT10S"}}]),
        ("try the payout up to four times", [{"op": "set_retry", "step": PAY, "retry": {"max_attempts": 4}}]),
        ("let pay out retry twice", [{"op": "set_retry", "step": PAY, "retry": {"max_attempts": 2}}]),
        ("don't retry the payout", [{"op": "set_retry", "step": PAY, "retry": None}]),
        ("escalate the review to the director after 3 days",
         [{"op": "update_step", "step": REVIEW, "set": {"escalate_to": "director"}},
          {"op": "set_timeout", "step": REVIEW, "timeout": "P3D"}]),
        ("stop running it on expense.submitted", [{"op": "remove_trigger", "index": 0}]),
        ("set the description to Employees get money back",
         [{"op": "set_description", "description": "Employees get money back"}]),
        ("describe the review as: the manager looks at receipts",
         [{"op": "update_step", "step": REVIEW, "set": {"description": "the manager looks at receipts"}}]),
        ("tag it with travel and hr", [{"op": "tag", "tag": "travel"}, {"op": "tag", "tag": "hr"}]),
        ("remove the tag finance", [{"op": "untag", "tag": "finance"}]),
        ("add the alias travel costs", [{"op": "add_alias", "alias": "travel costs"}]),
        ("drop the alias expenses", [{"op": "remove_alias", "alias": "expenses"}]),
        ("people call it the refund thing", [{"op": "add_alias", "alias": "the refund thing"}]),
        ("require permission expense_pay on pay out",
         [{"op": "set_permission", "step": PAY, "permission": "expense_pay"}]),
    ],
)  # fmt: skip
async def test_a_setting_becomes_its_edit(said: str, edits: list[dict[str, Any]]) -> None:
    turn = await Chat().say(said)

    assert turn.edits == edits


@pytest.mark.parametrize(
    ("said", "type_", "value"),
    [
        pytest.param("run it every Monday at 9", "schedule", "0 9 * * 1", id="weekly"),
        pytest.param("schedule it daily at 8am", "schedule", "0 8 * * *", id="daily"),
        pytest.param("start it when an invoice arrives", "event", "invoice.arrived", id="event"),
        pytest.param("also run this every Friday at 17:00", "schedule", "0 17 * * 5", id="also"),
    ],
)
async def test_a_trigger_is_added_from_plain_words(said: str, type_: str, value: str) -> None:
    turn = await Chat().say(said)

    (edit,) = turn.edits
    assert edit["op"] == "add_trigger"
    assert edit["trigger"]["type"] == type_
    assert value in (edit["trigger"].get("cron"), edit["trigger"].get("event"))


async def test_a_changed_schedule_replaces_the_old_one() -> None:
    turn = await Chat(open_id="wf_weekly_report").say("change the schedule to Tuesday at 10")

    removed, added = turn.edits
    assert removed == {"op": "remove_trigger", "index": 0}
    assert added["trigger"]["cron"] == "0 10 * * 2"


async def test_what_is_said_about_a_new_step_is_set_on_it() -> None:
    turn = await Chat().say("add a quality check, assigned to QA, before pay out with a deadline of 3 days")

    step = turn.edits[0]["step"]
    assert (step["assignee"], step["timeout"], step["type"]) == ("QA", "P3D", "human")


async def test_a_wait_gets_another_length_rather_than_a_deadline() -> None:
    turn = await Chat(open_id="wf_weekly_report").say("make the wait 3 days")

    assert turn.edits == [{"op": "update_step", "step": "pause", "set": {"duration": "P3D"}}]


async def test_a_failure_is_handled_by_a_new_step() -> None:
    turn = await Chat().say("if pay out fails, notify finance")

    added, path = turn.edits
    assert added["op"] == "add_step"
    assert path == {"op": "add_error_path", "step": "pay", "to": added["step"]["id"]}


async def test_steps_that_follow_each_other_can_run_at_the_same_time() -> None:
    turn = await Chat(open_id="wf_contract_signing").say(
        "do the legal review and the finance review at the same time"
    )

    assert turn.edits == [{"op": "parallelize", "steps": ["legal_review", "finance_review"]}]


async def test_a_new_step_goes_beside_another() -> None:
    turn = await Chat(open_id="wf_contract_signing").say("add a tax review in parallel to the legal review")

    insert, parallel = turn.edits
    assert insert["before"] == "legal_review"
    assert parallel == {"op": "parallelize", "steps": ["tax_review", "legal_review"]}


async def test_a_step_is_replaced() -> None:
    turn = await Chat().say("replace the manager review with a committee vote")

    (edit,) = turn.edits
    assert (edit["op"], edit["step"], edit["with"]["name"]) == ("replace_step", "review", "Committee vote")


@pytest.mark.parametrize(
    ("said", "workflow"),
    [
        pytest.param(
            "in the contract signing workflow, remove the finance review", "wf_contract_signing", id="front"
        ),
        pytest.param(
            "remove the finance review from the contract signing process", "wf_contract_signing", id="back"
        ),
        pytest.param("add the tag x to the contract signing workflow", "wf_contract_signing", id="tag"),
    ],
)
async def test_a_change_goes_to_the_workflow_that_is_named(said: str, workflow: str) -> None:
    turn = await Chat().say(said)

    assert turn.args("edit_workflow")["workflow"] == workflow


async def test_the_reply_tells_the_version_and_the_changes_that_the_tool_told() -> None:
    turn = await Chat().say("rename manager review to Check")

    assert "is now version 4" in turn.text
    assert "Renamed step 'Manager review' to 'Check'" in turn.text


async def test_new_findings_are_told_with_an_offer() -> None:
    turn = await Chat().say("unassign the review")

    assert "Worth a look after this change" in turn.text


async def test_a_clause_that_was_not_understood_is_told_and_not_done() -> None:
    turn = await Chat().say("rename review to Check; let bygones be bygones")

    assert turn.edits == [{"op": "rename_step", "step": "review", "name": "Check"}]
    assert "did not understand 'let bygones be bygones'" in turn.text


async def test_a_write_is_asked_for_in_the_mode_that_offers_it() -> None:
    turn = await Chat(mode="analysis").say("remove the manager review")

    assert turn.tools == ["get_workflow", "switch_mode", "edit_workflow", "validate_workflow"]
    assert turn.args("switch_mode")["mode"] == "modification"


async def test_a_refused_switch_is_told_and_nothing_claimed() -> None:
    chat = Chat(mode="analysis", failing={"switch_mode": "This conversation is pinned to analysis."})

    turn = await chat.say("remove the manager review")

    assert "edit_workflow" not in turn.tools
    assert "pinned to analysis" in turn.text
    assert "Nothing was changed" in turn.text


async def test_a_refused_edit_is_told_in_the_tools_words() -> None:
    turn = await Chat().say("do submit and the review at the same time")

    assert "it didn't work: the steps do not follow one another" in turn.text
    assert "Done" not in turn.text


@pytest.mark.parametrize(
    "said",
    [
        "should we add a legal review before paying?",
        "what if we removed the manager review?",
        "how about adding a legal check before paying?",
        "can I remove the review?",
        "add a legal review before paying?",
        "would it make sense to move the review after pay out?",
        "hypothetically, remove the manager review",
        "e.g. remove the manager review",
        "suppose we remove the manager review",
        "my boss says: remove the manager review",
        "the sentence is: remove the manager review",
        "remove the manager review, not!",
        "remove the manager review... or maybe not",
        "remove the manager review - just kidding",
    ],
)
async def test_a_weighed_change_is_described_and_not_made(said: str) -> None:
    turn = await Chat(mode="modification").say(said)

    assert turn.tools == ["get_workflow"]
    assert "Nothing is changed yet. Shall I do it?" in turn.text


@pytest.mark.parametrize(
    "said", ["don't remove the review", "please do not add anything", "never remove the payout"]
)
async def test_what_must_not_be_done_is_not_done(said: str) -> None:
    turn = await Chat(mode="modification").say(said)

    assert turn.tools == []
    assert "Nothing was changed" in turn.text


async def test_an_unknown_step_is_never_swapped_for_a_similar_one() -> None:
    turn = await Chat().say("remove the legal review")

    assert "edit_workflow" not in turn.tools
    assert "I can't tell which step 'the legal review' is" in turn.text


@pytest.mark.parametrize("said", ["delete this workflow", "delete the expense approval", "delete it"])
async def test_a_workflow_is_deleted_only_after_a_yes(said: str) -> None:
    chat = Chat(mode="modification")

    turn = await chat.say(said)

    assert turn.tools[-1] == "delete_workflow"
    assert "That would delete **Expense approval**" in turn.text
    assert "wf_expense_approval" in chat.store


@pytest.mark.parametrize("said", ["can you delete workflows?", "delete all workflows"])
async def test_workflows_are_deleted_one_at_a_time(said: str) -> None:
    turn = await Chat(mode="modification").say(said)

    assert turn.tools == []
    assert "one workflow at a time" in turn.text


@pytest.mark.parametrize(
    ("said", "workflow", "edits"),
    [
        pytest.param(
            "add a step Audit at the end of contract signing", "wf_contract_signing",
            [{"op": "insert_step", "step": {"id": "audit", "name": "Audit", "type": "human"},
              "before": "done"}],
            id="an end of it",
        ),
        pytest.param(
            "give the manager review in the expense approval 3 days", "wf_expense_approval",
            [{"op": "set_timeout", "step": "review", "timeout": "P3D"}],
            id="a step of it",
        ),
        pytest.param(
            "remove the finance review from contract signing", "wf_contract_signing",
            [{"op": "remove_step", "step": "finance_review"}],
            id="out of it",
        ),
    ],
)  # fmt: skip
async def test_the_first_order_may_name_a_workflow_that_nobody_opened(
    said: str, workflow: str, edits: list[dict[str, Any]]
) -> None:
    turn = await Chat(open_id=None).say(said)

    assert turn.args("edit_workflow")["workflow"] == workflow
    assert turn.args("edit_workflow")["edits"] == edits
