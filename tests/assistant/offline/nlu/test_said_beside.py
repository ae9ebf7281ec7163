"""What is said beside an order and is accounted for: the old value, who does it now, from when it holds."""

import pytest

from benchmarks.orders_tagged import tagged
from tests.assistant.offline.test_reading_orders import LOAN
from workflow_agent.assistant.offline.nlu.reading import is_built
from workflow_agent.assistant.offline.nlu.tagging import OUTSIDE, Understood, slots_of
from workflow_agent.assistant.offline.plan import Asked, Plan
from workflow_agent.assistant.offline.references import Steps
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.model.workflow import Workflow

NOW = apply_edits(
    LOAN,
    parse_edits([
        {"op": "set_timeout", "step": "decide", "timeout": "P2D"},
        {"op": "update_step", "step": "decide", "set": {"escalate_to": "office_manager"}},
        {"op": "set_retry", "step": "score", "retry": {"max_attempts": 2}},
        {"op": "set_assignee", "step": "contract", "assignee": "clerk"},
        {"op": "remove_trigger", "index": 1},
        {"op": "add_trigger", "trigger": {"type": "schedule", "cron": "0 6 1 * *", "timezone": "UTC"}},
    ]),
).workflow  # fmt: skip


def built(intent: str, order: str, workflow: Workflow = NOW) -> Plan:
    """Return the plan of a tagged order, read beyond doubt."""
    text, tokens, labels = tagged(order)
    plan = Plan(text, workflow, Steps(workflow, {}, None))
    plain = frozenset(token.start for token, label in zip(tokens, labels, strict=True) if label == OUTSIDE)
    is_built(plan, Understood(intent, slots_of(tokens, labels), 1.0, plain=plain), tuple(tokens))
    return plan


@pytest.mark.parametrize(
    ("intent", "order"),
    [
        ("escalate", "if [the decision|step] is late, tell [the director|who], not the office manager"),
        ("escalate", "if [the decision|step] is late, tell [the director|who], not [the office manager|who]"),
        ("retry", "[four|num] attempts for [the scoring|step], not two"),
        ("deadline", "[the clerk|who] gets [3 days|time] for [the contract|step]"),
    ],
)
def test_the_old_value_and_who_does_it_now_are_no_words_too_many(intent: str, order: str) -> None:
    assert built(intent, order).unread == []


def test_from_when_an_order_holds_is_told_as_not_used() -> None:
    plan = built("assign", "from next July on [the auditor|who] does [the decision|step]")

    assert plan.unread == []
    assert plan.told == ["I did not use “from next July on”: it holds from now on"]


def test_somebody_else_who_is_named_is_not_used() -> None:
    assert built("assign", "[the decision|step] goes to [the auditor|who], says Petra").unread == ["Petra"]


@pytest.mark.parametrize(
    ("order", "cron"),
    [
        ("start it on [the 15th|when] instead of [the 1st|oldtime]", "0 6 15 * *"),
        ("start it on [the 15th at 9|when] instead of [the 1st|oldtime]", "0 9 15 * *"),
        ("It runs on [the 1st at 6|when]. Make that [the 2nd|when].", "0 6 2 * *"),
    ],
)
def test_a_new_day_keeps_the_hour_and_the_old_one_is_known(order: str, cron: str) -> None:
    plan = built("schedule", order)

    assert plan.edits[-1]["trigger"]["cron"] == cron
    assert plan.notes == []


def test_a_second_schedule_is_asked_about() -> None:
    with pytest.raises(Asked, match="Instead of it, or also"):
        built("schedule", "start it [every Monday|when]")


def test_a_time_between_two_steps_is_a_wait() -> None:
    plan = built("insert", "leave [two days|time] between [the decision|after] and [the contract|before]")

    assert [edit["step"]["type"] for edit in plan.edits if edit["op"] == "insert_step"] == ["wait"]


def test_work_that_is_done_again_without_a_case_is_asked_about() -> None:
    with pytest.raises(Asked, match="Until when"):
        built("loop", "[the scoring|step] again at most [three times|num]")


@pytest.mark.parametrize(
    ("intent", "order", "values"),
    [
        ("tag", "tag this [urgent and important|value]", ["urgent", "important"]),
        ("alias", "add [salt and pepper|value] as an alias", ["salt and pepper"]),
    ],
)
def test_two_words_are_two_tags_and_one_alias(intent: str, order: str, values: list[str]) -> None:
    assert [edit.get("tag") or edit.get("alias") for edit in built(intent, order).edits] == values
