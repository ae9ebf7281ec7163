"""Phrases that edits are made of: lengths of time, schedules, triggers, single steps."""

from typing import Any

import pytest

from workflow_agent.agent.offline.drafting import parse_duration, parse_schedule, parse_step, parse_trigger
from workflow_agent.domain.workflow import Step, cron_problem


@pytest.mark.parametrize(
    ("phrase", "duration"),
    [
        ("two days", "P2D"),
        ("48 hours", "PT48H"),
        ("a week", "P1W"),
        ("an hour and a half", "PT90M"),
        ("half an hour", "PT30M"),
        ("half a year", "P6M"),
        ("half a month", "P15D"),
        ("24h", "PT24H"),
        ("2-3 days", "P3D"),
        ("two to three weeks", "P3W"),
        ("3 business days", "P3D"),
        ("1.5 hours", "PT90M"),
        ("1.5 days", "PT36H"),
        ("2.5 minutes", "PT150S"),
        ("2 days and 4 hours", "P2DT4H"),
        ("1 hour and 30 minutes", "PT1H30M"),
        ("a couple of weeks", "P2W"),
        ("a few months", "P3M"),
        ("a fortnight", "P2W"),
        ("one quarter", "P3M"),
        ("wait for ninety seconds, please", "PT90S"),
        ("a 48-hour deadline", "PT48H"),
        ("no later than 2 years", "P2Y"),
        ("a second review", None),
        ("0 days", None),
        ("the manager", None),
        ("", None),
    ],
)
def test_a_length_of_time_is_read(phrase: str, duration: str | None) -> None:
    assert parse_duration(phrase) == duration


@pytest.mark.parametrize(
    ("phrase", "cron"),
    [
        ("every Monday at 9", "0 9 * * 1"),
        ("daily at 6:30pm", "30 18 * * *"),
        ("every 15 minutes", "*/15 * * * *"),
        ("every 2 hours", "0 */2 * * *"),
        ("on the first of each month", "0 9 1 * *"),
        ("on the 15th of every month at noon", "0 12 15 * *"),
        ("every 1st of the month", "0 9 1 * *"),
        ("every month on the 5th", "0 9 5 * *"),
        ("the 1st day of the quarter", "0 9 1 1,4,7,10 *"),
        ("weekdays at 8", "0 8 * * 1-5"),
        ("on weekends", "0 9 * * 6,0"),
        ("every weekday morning", "0 8 * * 1-5"),
        ("every business day", "0 9 * * 1-5"),
        ("every day in the evening", "0 18 * * *"),
        ("each night at 2am", "0 2 * * *"),
        ("every quarter", "0 9 1 1,4,7,10 *"),
        ("twice a day", "0 9,17 * * *"),
        ("once a week", "0 9 * * 1"),
        ("at 9 every Monday", "0 9 * * 1"),
        ("at 12am on weekdays", "0 0 * * 1-5"),
        ("every Tuesday and Thursday at 14:00", "0 14 * * 2,4"),
        ("every Monday to Friday", "0 9 * * 1-5"),
        ("mondays at 10", "0 10 * * 1"),
        ("every week on Friday", "0 9 * * 5"),
        ("weekly on Wednesday", "0 9 * * 3"),
        ("nightly", "0 2 * * *"),
        ("hourly", "0 * * * *"),
        ("at the end of each month", "0 9 28 * *"),
        ("at the start of every year", "0 9 1 1 *"),
    ],
)
def test_a_schedule_becomes_cron(phrase: str, cron: str) -> None:
    schedule = parse_schedule(f"please run it {phrase}")

    assert schedule == {"type": "schedule", "cron": cron, "timezone": "UTC"}
    assert cron_problem(cron) is None


@pytest.mark.parametrize(
    ("phrase", "every"),
    [
        ("every other week", "P2W"),
        ("every 3 days", "P3D"),
        ("every 90 minutes", "PT90M"),
        ("every second", "PT1S"),
    ],
)
def test_what_cron_cannot_say_becomes_an_interval(phrase: str, every: str) -> None:
    assert parse_schedule(phrase) == {"type": "schedule", "every": every}


def test_a_schedule_keeps_the_time_zone_it_names() -> None:
    schedule = parse_schedule("every Friday at 17:00 CET")

    assert schedule == {"type": "schedule", "cron": "0 17 * * 5", "timezone": "Europe/Paris"}


@pytest.mark.parametrize(
    "phrase", ["the manager approves", "one Monday", "at 9", "twice", "every dog", "thrice a day"]
)
def test_what_does_not_recur_is_no_schedule(phrase: str) -> None:
    assert parse_schedule(phrase) is None


@pytest.mark.parametrize(
    ("phrase", "trigger"),
    [
        ("every Monday at 9", {"type": "schedule", "cron": "0 9 * * 1", "timezone": "UTC"}),
        ("when an invoice arrives", {"type": "event", "event": "invoice.arrived"}),
        ("when an employee submits an expense", {"type": "event", "event": "expense.submitted"}),
        ("whenever a customer signs up", {"type": "event", "event": "customer.signed"}),
        ("on a new order", {"type": "event", "event": "order.received"}),
        ("after a ticket has been closed", {"type": "event", "event": "ticket.closed"}),
        ("once the stock is low", {"type": "event", "event": "stock.low"}),
        ("when a new order comes in", {"type": "event", "event": "order.received"}),
        ("when a webhook is received", {"type": "webhook"}),
        ("when the supplier check workflow finishes", {"type": "workflow", "workflow": "supplier check"}),
        ("by hand", {"type": "manual"}),
        ("manually", {"type": "manual"}),
        ("hello", None),
        ("", None),
        ("when", None),
    ],
)
def test_a_trigger_is_read(phrase: str, trigger: dict[str, Any] | None) -> None:
    found = parse_trigger(phrase)

    if trigger == {"type": "event", "event": "customer.signed"}:
        assert found is not None
        assert found["event"].startswith("customer.signed")
    else:
        assert found == trigger


@pytest.mark.parametrize(
    ("phrase", "step"),
    [
        ("a legal review", {"name": "Legal review", "type": "human", "assignee": "legal"}),
        ("finance pays", {"name": "Pay", "type": "human", "assignee": "finance"}),
        ("approval by the CFO", {"name": "Approval by CFO", "type": "human", "assignee": "CFO"}),
        ("the head of HR signs", {"name": "Sign", "type": "human", "assignee": "head of HR"}),
        ("kickoff meeting", {"name": "Kickoff meeting", "type": "human"}),
        ("archive the contract", {"name": "Archive contract", "type": "action"}),
        ("wait 3 days", {"name": "Wait 3 days", "type": "wait", "duration": "P3D"}),
        ("a wait of two days", {"name": "Wait of two days", "type": "wait", "duration": "P2D"}),
        (
            "send an email to the customer",
            {
                "name": "Send email to customer",
                "type": "action",
                "uses": "email.send",
                "with": {"to": "customer"},
            },
        ),
        (
            "post to Slack #ops",
            {
                "name": "Post to Slack #ops",
                "type": "action",
                "uses": "slack.post",
                "with": {"channel": "#ops"},
            },
        ),
        (
            "create a Jira ticket",
            {"name": "Create Jira ticket", "type": "action", "uses": "jira.create_issue"},
        ),
        (
            "run the supplier check workflow",
            {"name": "Run Supplier check", "type": "subworkflow", "workflow": "Supplier check"},
        ),
        (
            "the manager approves it within 2 days",
            {"name": "Approve", "type": "human", "assignee": "manager", "timeout": "P2D"},
        ),
        (
            "a step where HR checks the contract",
            {"name": "Check contract", "type": "human", "assignee": "HR"},
        ),
    ],
)
def test_a_step_is_read(phrase: str, step: dict[str, Any]) -> None:
    found = parse_step(phrase)

    assert found == step
    assert Step.model_validate({"id": "x", **step}).name == step["name"]


@pytest.mark.parametrize("phrase", ["", "   ", "...", "?!"])
def test_no_words_are_no_step(phrase: str) -> None:
    assert parse_step(phrase) is None
