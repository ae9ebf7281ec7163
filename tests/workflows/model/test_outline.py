import pytest

from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.triggers import describe_trigger
from workflow_agent.workflows.model.workflow import outline


def test_an_outline_has_every_step_with_its_id_and_where_it_leads() -> None:
    workflow = parse_workflow(
        {
            "id": "wf_expenses",
            "name": "Expenses",
            "description": "Pays\nexpenses back.",
            "triggers": [{"type": "manual"}],
            "steps": [
                {"id": "review", "name": "Review", "type": "human", "assignee": "manager", "timeout": "P2D"},
                {"id": "pay", "name": "Pay", "uses": "payments.transfer", "parent": "review"},
                {"id": "end", "name": "Paid", "type": "end", "outcome": "ok"},
            ],
            "transitions": [
                {"from": "review", "to": "pay", "type": "condition", "when": {"text": "approved"}},
                {"from": "review", "to": "end", "type": "default"},
                {"from": "pay", "to": "end", "action": "confirm"},
                {"from": "pay", "to": "review", "type": "error", "when": {"expression": {"is": "late"}}},
            ],
        }
    )

    assert outline(workflow).splitlines() == [
        "Pays expenses back.",
        "starts at review; started manually",
        '- review "Review" (human, by manager, timeout P2D) -> pay [approved]; end [default]',
        ('- pay "Pay" (action, uses payments.transfer, inside review) -> end [confirm]; review [error {"is": "late"}]'),
        '- end "Paid" (end, outcome ok)',
    ]


def test_a_very_long_workflow_says_what_it_leaves_out() -> None:
    steps = [{"id": f"s{n}", "name": f"Step {n}"} for n in range(250)]

    lines = outline(parse_workflow({"id": "wf_long", "name": "Long", "steps": steps})).splitlines()

    assert lines[0] == "starts at s0; started not said how"
    assert lines[-1] == "… 50 more steps; get_workflow has them all"


@pytest.mark.parametrize(
    ("trigger", "words"),
    [
        ({"type": "manual"}, "manually"),
        ({"type": "schedule", "cron": "0 9 * * 1", "timezone": "UTC"}, "every Monday at 09:00 UTC"),
        ({"type": "schedule", "cron": "30 6 * * *"}, "every day at 06:30"),
        ({"type": "schedule", "cron": "0 8 * * 1-5"}, "every weekday at 08:00"),
        ({"type": "schedule", "cron": "0 0 1 * *"}, "on day 1 of each month at 00:00"),
        ({"type": "schedule", "cron": "*/15 * * * *"}, "on schedule */15 * * * *"),
        ({"type": "schedule", "cron": "0 9 1 * 1"}, "on schedule 0 9 1 * 1"),
        ({"type": "schedule", "every": "PT15M"}, "every 15 minutes"),
        ({"type": "schedule", "every": "P1D"}, "every day"),
        ({"type": "schedule", "every": "PT1H30M"}, "every hour and 30 minutes"),
        ({"type": "event", "event": "invoice.received"}, "on invoice.received"),
        ({"type": "webhook", "path": "/hook", "method": "POST"}, "on POST /hook"),
        ({"type": "webhook"}, "on a request"),
        ({"type": "workflow", "workflow": "wf_b"}, "after workflow wf_b"),
    ],
)
def test_a_trigger_is_described_in_words(trigger: dict[str, str], words: str) -> None:
    workflow = parse_workflow({"id": "wf_a", "name": "A", "steps": [{"id": "a", "name": "A"}], "triggers": [trigger]})

    assert describe_trigger(workflow.triggers[0]) == words
