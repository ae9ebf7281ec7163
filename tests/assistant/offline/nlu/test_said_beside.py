"""What is said beside an order and is accounted for: the old value, who does it now, from when it holds."""

import pytest

from benchmarks.orders_tagged import tagged
from tests.assistant.offline.test_reading_orders import LOAN
from workflow_agent.assistant.offline.nlu.doubts import doubts
from workflow_agent.assistant.offline.nlu.reading import is_built
from workflow_agent.assistant.offline.nlu.tagging import OUTSIDE, Understood, slots_of
from workflow_agent.assistant.offline.plan import Asked, Plan
from workflow_agent.assistant.offline.references import Steps
from workflow_agent.assistant.offline.tokens import read_tokens
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.model.parser import parse_workflow
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
        built("schedule", "add a schedule: [every Monday|when]")


def test_another_time_is_taken_for_the_new_one_and_that_is_told() -> None:
    plan = built("schedule", "run it [at 23:00|when]")

    assert [edit["op"] for edit in plan.edits] == ["remove_trigger", "add_trigger"]
    assert plan.guesses == ["I took it for the time in place of the one before"]


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


@pytest.mark.parametrize(
    ("intent", "order", "lost"),
    [
        ("deadline", "[the decision|step] gets [3 days|time], [see rules.loan_limits|aside]", ["rules.loan_limits"]),
        ("deadline", "[the decision|step] waits for [3 days|time] for [lims.result_ready|who]", ["lims.result_ready"]),
        ("permission", "[the decision|step] needs [loan_approve|value]", []),
        ("untrigger", "no more [loan.requested|value]", []),
    ],
)
def test_an_identifier_that_no_edit_has_was_not_used(intent: str, order: str, lost: list[str]) -> None:
    started = parse_edits([{"op": "add_trigger", "trigger": {"type": "event", "event": "loan.requested"}}])

    assert built(intent, order, apply_edits(NOW, started).workflow).unread == lost


def test_an_event_has_the_name_that_is_told_beside() -> None:
    plan = built("event", "[requests from the portal|when] start it too, [the event is portal.loan_asked|aside]")

    assert plan.edits[-1]["trigger"] == {"type": "event", "event": "portal.loan_asked"}


def test_a_condition_that_only_points_elsewhere_is_not_read() -> None:
    order = "if [that is {}the case|cond], go from [the decision|from] back to [the scoring|to]"

    assert built("connect", order.format("")).edits == []
    assert built("connect", "if [no|cond], go from [the decision|from] back to [the scoring|to]").edits != []
    assert built("connect", order.format("rarely ")).edits != []


@pytest.mark.parametrize(
    ("order", "doubted"),
    [
        ("[the contract|step] gets [three days|time], two is too short", ["“Decide on loan” takes that time now"]),
        ("[the contract|step] gets [three days|time], not 2 days", ["“Decide on loan” takes that time now"]),
        ("[the decision|step] gets [three days|time], two is too short", []),
        ("[the contract|step] gets [three days|time], it takes two people", []),
        ("[the contract|step] gets [three days|time], it is step 2", []),
    ],
)
def test_an_old_time_that_another_step_has_is_doubted(order: str, doubted: list[str]) -> None:
    plan = built("deadline", order)

    found = list(doubts(plan, NOW, read_tokens(plan.text)))
    assert [one for one in found if "takes that time" in one] == doubted


@pytest.mark.parametrize(
    ("cond", "doubted"),
    [
        ("the scoring fails", False),
        ("the scoring does not answer", False),
        ("printing the contract fails", False),
        ("the customer objects to applying", True),
    ],
)
def test_what_is_no_technical_failure_is_shown_before_it_is_one(cond: str, doubted: bool) -> None:
    notes = built("error", f"if [{cond}|cond], [the clerk|who] [calls the bank|new]").notes

    assert any(note.startswith("I would take it for a failure of") for note in notes) == doubted


def test_a_step_that_leaves_its_branch_leaves_no_empty_one() -> None:
    edges = [("open", "photo"), ("open", "weigh"), ("photo", "store"), ("weigh", "store"), ("store", "end")]
    steps = [{"id": one, "name": one, "type": "end" if one == "end" else "human"} for one in dict(edges) | {"end": ""}]
    ways = [{"from": one, "to": other} for one, other in edges]
    told = {"id": "wf_parcel", "name": "Parcel", "start": "open", "steps": steps, "transitions": ways}

    moved = built("move", "move [photo|step] behind [store|after]", parse_workflow(told)).workflow

    assert {(edge.from_, edge.to) for edge in moved.transitions} == {
        ("open", "weigh"),
        ("weigh", "store"),
        ("store", "photo"),
        ("photo", "end"),
    }


@pytest.mark.parametrize(
    ("order", "doubted"),
    [
        ("from [opening|from] go on to [weighing|to]", ["“weigh” is one of several things done at the same time"]),
        ("from [storing|from] go back to [weighing|to]", ["“weigh” is one of several things done at the same time"]),
        ("from [storing|from] go on to [billing|to]", []),
    ],
)
def test_a_way_past_a_fork_into_one_of_its_branches_is_doubted(order: str, doubted: list[str]) -> None:
    ways = "open>split split>photo split>weigh photo>both weigh>both both>store store>end open>bill bill>end"
    kinds = {"split": "fork", "both": "join", "end": "end"}
    names = dict.fromkeys(ways.replace(">", " ").split())
    told = {
        "id": "wf_parcel",
        "name": "Parcel",
        "start": "open",
        "steps": [{"id": one, "name": one, "type": kinds.get(one, "human")} for one in names],
        "transitions": [{"from": one.split(">")[0], "to": one.split(">")[1]} for one in ways.split()],
    }
    before = parse_workflow(told)
    plan = built("connect", order, before)

    assert list(doubts(plan, before, read_tokens(plan.text))) == doubted


@pytest.mark.parametrize(
    ("order", "told"),
    [
        ("[the clerk|who] must approve [the contract|step], otherwise back to scoring", "I did not draw what happens"),
        (
            "after [the scoring|after] wait [a week|time], then [the clerk|who] [calls the bank|new]",
            "I took the time to",
        ),
        ("[the decision|step] gets minus [three days|time]", "I took no number for one below nought"),
        ("[the decision|step] gets -[3 days|time]", "I took no number for one below nought"),
    ],
)
def test_the_other_case_and_numbers_below_nought_are_doubted(order: str, told: str) -> None:
    plan = built("deadline" if "days" in order else "insert" if "new" in order else "approve", order)

    assert any(one.startswith(told) for one in doubts(plan, NOW, read_tokens(plan.text)))
