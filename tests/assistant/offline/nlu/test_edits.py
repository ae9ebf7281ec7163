"""Which edits an intent and its slots make: a table of tagged orders to one workflow."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.orders_tagged import tagged
from tests.assistant.offline.test_reading_orders import LOAN
from workflow_agent.assistant.offline.nlu.doubts import doubts
from workflow_agent.assistant.offline.nlu.edits import BUILDERS
from workflow_agent.assistant.offline.nlu.slots import Filled
from workflow_agent.assistant.offline.nlu.tagging import slots_of
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan
from workflow_agent.assistant.offline.references import Steps, StepUnclear
from workflow_agent.assistant.offline.tokens import read_tokens
from workflow_agent.workflows.edits.application import apply_edits
from workflow_agent.workflows.edits.operations import parse_edits
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

SAMPLES = Path(__file__).parents[4] / "data" / "samples"
ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "edits.jsonl").read_text("utf-8").splitlines()
]


def made(intent: str, order: str, workflow: Workflow = LOAN, *, last: str | None = None) -> list[dict[str, Any]] | None:
    """Return the edits of a tagged order; None where it makes none."""
    text, tokens, labels = tagged(order)
    plan = Plan(text, workflow, Steps(workflow, {}, last))
    try:
        BUILDERS[intent](Filled(plan, slots_of(tokens, labels), tuple(tokens)))
    except (NotRead, StepUnclear, Asked):
        return None
    return plan.edits


def built(intent: str, order: str, workflow: Workflow = LOAN) -> Plan:
    """Return the plan of a tagged order."""
    text, tokens, labels = tagged(order)
    plan = Plan(text, workflow, Steps(workflow, {}, None))
    BUILDERS[intent](Filled(plan, slots_of(tokens, labels), tuple(tokens)))
    return plan


def shown(intent: str, order: str, workflow: Workflow = LOAN) -> list[str]:
    """Return what is noted of a tagged order, and the words it does not use."""
    plan = built(intent, order, workflow)
    return [*plan.notes, *plan.unread]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['intent']}: {row['order']}" for row in ROWS])
def test_an_intent_and_its_slots_make_these_edits(row: dict[str, Any]) -> None:
    assert made(row["intent"], row["order"]) == row["edits"]


def test_each_intent_is_in_the_table() -> None:
    assert {row["intent"] for row in ROWS if row["edits"]} == set(BUILDERS) - {"unnotify", "required", "nofield"}


def changed(*edits: dict[str, Any]) -> Workflow:
    """Return the workflow of the table after edits."""
    return apply_edits(LOAN, parse_edits(list(edits))).workflow


def test_a_field_that_nobody_needs_goes_and_with_the_last_the_form() -> None:
    fields = [{"key": "income", "label": "Income"}, {"key": "fax", "label": "Fax number"}]
    workflow = changed({"op": "set_form", "step": "apply", "form": {"fields": fields}})

    one = made("nofield", "drop [the fax number|value] from [applying|step]", workflow)
    both = made("nofield", "drop [income|value] and [the fax number|value] from [applying|step]", workflow)

    assert one is not None
    assert [field["key"] for field in one[0]["form"]["fields"]] == ["income"]
    assert both == [{"op": "set_form", "step": "apply", "form": None}]
    assert made("nofield", "drop [the shoe size|value] from [applying|step]", workflow) is None


def test_a_message_that_is_sent_no_longer_is_the_one_automation_to_somebody() -> None:
    sends = {"op": "set_automation", "automation": {"id": "mail", "on": {"event": "entered", "to": "refused"},
             "effect": {"type": "email", "with": {"to": "customer"}}}}  # fmt: skip
    workflow = changed(sends)

    order = "no more [mail|channel] to [the customer|who]"
    assert made("unnotify", order, workflow) == [{"op": "set_automation", "id": "mail", "automation": None}]
    assert made("unnotify", "no more [e-mail|channel] about [the refusal|step]", workflow) == made(
        "unnotify", order, workflow
    )
    assert made("unnotify", "no more [slack|channel] to [the customer|who]", workflow) is None
    assert made("unnotify", "no more mail to [the clerk|who]", workflow) is None
    assert made("unnotify", order) is None


def test_a_step_that_is_skipped_at_times_is_done_always() -> None:
    workflow = changed({"op": "update_step", "step": "score", "set": {"when": {"text": "new"}}})

    assert made("required", "[scoring|step] always", workflow) == [
        {"op": "update_step", "step": "score", "unset": ["when"]}
    ]


def test_it_may_be_the_step_spoken_of_last_and_not_the_workflow() -> None:
    assert made("wfname", "call it [Quick loan|name]", last="score") is None
    assert made("wfname", "call it [Quick loan|name]") == [{"op": "rename_workflow", "name": "Quick loan"}]


def test_steps_that_run_at_the_same_time_are_moved_together_first_and_that_is_shown() -> None:
    apart = changed(
        {"op": "insert_step", "step": {"id": "note", "name": "Write note", "type": "human"}, "after": "apply"}
    )
    text, tokens, labels = tagged("[applying|step] and [scoring|step] at the same time")
    plan = Plan(text, apart, Steps(apart, {}, None))
    BUILDERS["parallel"](Filled(plan, slots_of(tokens, labels), tuple(tokens)))

    assert [edit["op"] for edit in plan.edits] == ["move_step", "parallelize"]
    assert plan.notes == ["they do not follow one another: “Score customer” would move up to “Apply for loan”"]


@pytest.mark.parametrize(
    ("intent", "order", "told"),
    [
        ("schedule", "also start it [every other Friday|when]", "no “other Friday”"),
        ("schedule", "also start it [on the last working day|when]", "no “last working day”"),
        ("schedule", "also start it [on Fridays and on the 13th|when]", "where both meet"),
        ("start", "it starts with [applying|step]", "already"),
        ("insert", "[a photo|new] between [the payout|after] and [the application|before]", "does not come after"),
        ("insert", "[take a photo|new] beside [the score|beside] and [the decision|beside]", "**Decide on loan**"),
    ],
)
def test_why_it_cannot_be_made_is_told(intent: str, order: str, told: str) -> None:
    text, tokens, labels = tagged(order)
    plan = Plan(text, LOAN, Steps(LOAN, {}, None))

    with pytest.raises((NotRead, Asked), match=re.escape(told)):
        BUILDERS[intent](Filled(plan, slots_of(tokens, labels), tuple(tokens)))


@pytest.mark.parametrize(
    ("intent", "order", "note"),
    [
        ("approve", "[the payout|step] over 500 goes past [the auditor|who]", "the amount is over 500"),
        ("schedule", "also start it [each May|when]", "you named no day of the month"),
    ],
)
def test_what_was_decided_without_being_said_is_shown(intent: str, order: str, note: str) -> None:
    plan = built(intent, order)

    assert note in "".join(plan.notes)


def test_a_place_between_steps_that_are_no_neighbours_is_told_beside_the_change() -> None:
    plan = built("insert", "[a photo|new] between [the application|after] and [the payout|before]")

    assert "right after “Apply for loan”" in "".join(plan.guesses)
    assert plan.notes == []


def test_an_alias_is_no_tag() -> None:
    assert made("tag", "give it the alias [money now|value]") is None
    assert made("alias", "give it the tag [money now|value]") is None


def test_another_hour_takes_the_place_of_the_only_schedule_there_is() -> None:
    twice = changed({"op": "add_trigger", "trigger": {"type": "schedule", "cron": "0 5 * * *", "timezone": "UTC"}})

    assert made("schedule", "it starts [every Monday at 9|when] instead", twice) is None
    added = made("schedule", "it starts [every Monday at 9|when] as well, that is also") or []
    assert [edit["op"] for edit in added] == ["add_trigger"]


def test_who_is_told_of_a_failure_is_told_in_a_step() -> None:
    added, *_ = made("error", "if [the payout|step] fails, inform [the manager|who]") or [{}]

    assert added["step"]["name"] == "Inform the manager"
    assert made("error", "if [the payout|step] fails, [the manager|who]") is None


def test_what_is_done_by_somebody_is_not_whatever_else_that_person_does() -> None:
    sample = Path(__file__).parents[4] / "data" / "samples" / "expense_approval.json"
    expense = parse_workflow(json.loads(sample.read_text("utf-8")))

    # Finance repairs payments; who pays out is nobody.
    assert made("notify", "once [finance paid|after] tell [the employee|who]", expense) is None
    assert made("deadline", "the manager gets [four days|time] for [his review|step]", expense) == [
        {"op": "set_timeout", "step": "review", "timeout": "P4D"}
    ]
    assert made("deadline", "[four days|time] for [the review|step]", expense) is None


@pytest.mark.parametrize(
    ("intent", "order", "note"),
    [
        ("deadline", "[the decision|step] by [next morning|time]", "I took “next morning” for 1 day"),
        ("deadline", "[the decision|step] by [day three|time]", "I took “day three” for 3 days"),
        ("deadline", "[the decision|step] after [a week|time]", "I took that for the time within which"),
        ("deadline", "[the decision|step] in [a week|time] [if it is large|cond]", "if it is large"),
        ("deadline", "[at least|o] [a week|time], not [two days|oldtime], for [the decision|step]", "I took that for"),
        ("deadline", "[the decision|step] in [two days after the notice|time]", "notice"),
        ("retry", "try [printing the contract|step] again", "you did not say how often"),
        ("uses", "[the decision|step] is made by [LoanDesk|value]", "stays with clerk, who would use LoanDesk"),
    ],
)
def test_what_is_not_certain_is_shown(intent: str, order: str, note: str) -> None:
    (told,) = shown(intent, order)
    assert note in told


@pytest.mark.parametrize(
    ("intent", "order", "beside"),
    [
        ("permission", "only [tellers|value] for [the decision|step]", "The permission is called “tellers”"),
        (
            "merge",
            "[applying|step] and [scoring|step] are one job",
            "so it is called “Apply for loan and score customer”",
        ),
    ],
)
def test_what_a_new_thing_is_called_is_told_beside_what_is_done(intent: str, order: str, beside: str) -> None:
    plan = built(intent, order)

    assert plan.notes == []
    assert beside in "".join(plan.told)


@pytest.mark.parametrize(
    ("intent", "order", "question"),
    [
        ("assign", "[the decision|step] by [me|who]", "Which role or name is “me”?"),
        ("assign", "[the decision|step] by [us|who]", "Which role or name is “us”?"),
        ("escalate", "[the decision|step] goes up to [him|who]", "Which role or name is “him”?"),
        ("deadline", "[the decision|step] by [Friday noon|time]", "How long is “Friday noon”?"),
        ("deadline", "[one day|time] [more|more] for [the score|step]", "has no time yet. How long may it take?"),
        ("escalate", "[the score|step] goes up to [the director|who]", "After how long is the director told"),
    ],
)
def test_what_an_order_lacks_is_asked(intent: str, order: str, question: str) -> None:
    with pytest.raises(Asked) as asked:
        shown(intent, order)
    assert question in asked.value.question


def test_an_answer_to_what_an_order_lacks_completes_it() -> None:
    with pytest.raises(Asked) as asked:
        shown("assign", "[the decision|step] is for [me|who], please")
    assert f"{asked.value.before}the director{asked.value.after}" == "the decision is for the director, please"


def test_a_description_that_is_there_is_not_replaced_unseen() -> None:
    workflow = changed({"op": "update_step", "step": "score", "set": {"description": "old"}})
    assert shown("describe", "[scoring|step]: [by the newest figures|value]", workflow)


@pytest.mark.parametrize(
    ("intent", "order", "told"),
    [
        ("loop", "repeat [the wait|step] until [it is paid|cond], [three times|num] at most", "three times"),
        ("loop", "repeat [the wait|step] every week until [it is paid|cond]", "every week"),
        ("loop", "go back from [the decision|from] to [the score|to] if [papers are missing|cond]", "stay as they are"),
        ("loop", "repeat from [the wait|to] to [the payout|from] until [it is paid|cond]", ""),
        (
            "case",
            "if [it is doubtful|cond] after [the decision|after], [ask the employer|new]",
            "where it goes on then",
        ),
        ("condition", "[rejected by two of us|cond] counts", "the way from “Decide on loan” on “rejected”"),
        ("redirect", "[turned down|cond] goes to [the score|to] and not to [refused|oldto]", "on “rejected” for it"),
        ("connect", "if [it was rejected|cond], back to [scoring|to]", "I would take “Decide on loan”"),
        ("optional", "[scoring|step] is not needed for [employees|only]", "leave it out in that case"),
        ("error", "when [the score|step] fails, it is [refused|to] and not [the payout|oldto]", "the payout"),
    ],
)
def test_what_an_order_leaves_open_is_told(intent: str, order: str, told: str) -> None:
    text, tokens, labels = tagged(order)
    plan = Plan(text, LOAN, Steps(LOAN))

    BUILDERS[intent](Filled(plan, slots_of(tokens, labels), tuple(tokens)))

    left_open = (*plan.notes, *plan.guesses, *plan.unread)
    assert told in " / ".join(left_open)
    assert plan.edits
    assert bool(told) == bool(left_open)


def test_both_ways_that_part_at_a_limit_get_the_new_one() -> None:
    other = {"type": "condition", "when": {"text": "amount above 5,000"}}
    workflow = changed({"op": "connect", "from": "decide", "to": "paid", "id": "t12", **other})

    edits = made("condition", "[7,500|cond] and not [5,000|oldcond]", workflow)

    assert [edit["set"]["when"]["text"] for edit in edits or []] == ["amount up to 7,500", "amount above 7,500"]


@pytest.mark.parametrize(
    ("old", "order", "text"),
    [
        ("takes 30 minutes", "[2 hours|cond] instead of [30 minutes|oldcond]", "takes 2 hours"),
        ("share over 5 %", "[10 %|cond] instead of [5|oldcond]", "share over 10 %"),
        ("compliant", "not [compliant|oldcond] but [compliant with all rules|cond]", "compliant with all rules"),
        ("over 20 guests", "[at most 30 guests|cond] instead of [20|oldcond]", "at most 30 guests"),
    ],
)
def test_a_condition_keeps_what_its_limit_is_of(old: str, order: str, text: str) -> None:
    workflow = changed(
        {"op": "update_transition", "transition": "t3", "set": {"when": {"text": old}}},
        {"op": "update_transition", "transition": "t4", "set": {"when": {"text": "not compliant"}}},
    )

    assert made("condition", order, workflow) == [
        {"op": "update_transition", "transition": "t3", "set": {"when": {"text": text}}}
    ]


def test_a_step_that_several_ways_lead_to_is_left_out_by_its_own_condition() -> None:
    edits = made("optional", "skip [refused|step] if [the customer withdrew|unless]")

    assert edits == [{"op": "update_step", "step": "refused", "set": {"when": {"text": "not (customer withdrew)"}}}]


def test_what_pieces_of_a_place_mean_by_themselves_is_not_told() -> None:
    plan = built("insert", "[take a photo|new] before [the money is wired|before], so before [the payout|before]")

    assert list(plan.likened) == ["the money is wired the payout"]


@pytest.mark.parametrize(
    ("told", "name"), [("everyone", "Notify everyone"), ("the bank", "Notify the bank"), ("Ann", "Notify Ann")]
)
def test_who_is_told_is_named_as_people_are(told: str, name: str) -> None:
    (edit,) = built("notify", f"notify [{told}|who] after [the payout|after]").edits

    assert edit["step"]["name"] == name


def test_who_is_told_is_asked_where_a_pronoun_stands_for_them() -> None:
    with pytest.raises(Asked, match="Which role or name is"):
        built("notify", "[he|who] gets a [mail|channel] after [the payout|after]")


def test_behind_an_approval_that_goes_all_goes_on_as_if_it_were_given() -> None:
    refund = parse_workflow(json.loads((SAMPLES / "customer_refund.json").read_text("utf-8")))
    plan = built("remove", "drop [Approve refund|step]", refund)

    into = {edge.from_: edge.when.text for edge in plan.workflow.incoming("refund") if edge.when}
    assert into["policy"] == "within 30 days and more than 50 EUR"
    assert [edge.type for edge in plan.workflow.incoming("tell_declined")] == ["default"]
    assert plan.notes == []


def test_what_only_an_approval_that_goes_led_to_is_told() -> None:
    leave = parse_workflow(json.loads((SAMPLES / "leave_request.json").read_text("utf-8")))

    assert shown("remove", "drop [Decide on leave|step]", leave)[:1] == [
        "nothing would lead to “Leave declined” any more"
    ]


@pytest.mark.parametrize(
    ("order", "attempts"),
    [("no more than [two|num] tries for [scoring|step]", 2), ("[two|num] more tries for [scoring|step]", 5)],
)
def test_no_more_than_some_tries_are_no_further_ones(order: str, attempts: int) -> None:
    workflow = changed({"op": "set_retry", "step": "score", "retry": {"max_attempts": 3}})

    edits = made("retry", order, workflow) or []

    assert [edit["retry"]["max_attempts"] for edit in edits] == [attempts]


def test_what_an_approval_that_goes_had_beside_it_goes_too() -> None:
    access = parse_workflow(json.loads((SAMPLES / "access_request.json").read_text("utf-8")))
    release = parse_workflow(json.loads((SAMPLES / "release_pipeline.json").read_text("utf-8")))
    one, other = (
        built("remove", "drop [Manager approval|step]", access),
        built("remove", "drop [Approve release|step]", release),
    )

    edges = (*one.workflow.transitions, *other.workflow.transitions)
    assert all(edge.when or edge.type != "condition" for edge in edges)
    assert {edge.action for edge in other.workflow.outgoing("smoke_tests")} == {None}
    assert list(doubts(one, access, read_tokens(one.text))) == []


def test_an_approval_that_goes_with_what_refusing_it_led_to_leaves_nothing_to_tell() -> None:
    leave = parse_workflow(json.loads((SAMPLES / "leave_request.json").read_text("utf-8")))

    notes = shown("remove", "drop [Decide on leave|step] and [Leave declined|step]", leave)

    assert not any("would lead to" in note for note in notes)


@pytest.mark.parametrize(
    "order",
    ["[two|num] more tries for [scoring|step] than now", "rather than 3, [two|num] more tries for [scoring|step]"],
)
def test_more_tries_than_now_are_further_ones(order: str) -> None:
    workflow = changed({"op": "set_retry", "step": "score", "retry": {"max_attempts": 3}})

    assert [edit["retry"]["max_attempts"] for edit in made("retry", order, workflow) or []] == [5]


def test_an_order_without_a_step_is_of_one_that_the_same_message_changed() -> None:
    text, tokens, labels = tagged("[3 days|time] deadline")
    plan = Plan(text, LOAN, Steps(LOAN, {}, None))
    plan.do({"op": "tag", "tag": "banking"})

    with pytest.raises(NotRead):
        BUILDERS["deadline"](Filled(plan, slots_of(tokens, labels), tuple(tokens)))
    plan.do({"op": "set_assignee", "step": "score", "assignee": "risk"})
    BUILDERS["deadline"](Filled(plan, slots_of(tokens, labels), tuple(tokens)))

    assert plan.edits[-1] == {"op": "set_timeout", "step": "score", "timeout": "P3D"}
    assert plan.guesses == []


def test_an_order_without_a_step_behind_one_is_most_probably_of_the_same_step() -> None:
    text, tokens, labels = tagged("within [3 days|time]")
    plan = Plan(text, LOAN, Steps(LOAN, {}, "score"))

    BUILDERS["deadline"](Filled(plan, slots_of(tokens, labels), tuple(tokens)))

    assert plan.edits == [{"op": "set_timeout", "step": "score", "timeout": "P3D"}]
    assert plan.guesses == ["I took **Score customer** for the step that you mean"]


def test_a_step_told_twice_is_one_and_the_second_telling_is_told() -> None:
    order = "customers [pay a deposit|new] now, [the clerk|who] [takes it|new] before [the payout|before]"
    plan = built("insert", order)

    assert plan.edits == [
        {
            "op": "insert_step",
            "step": {"id": "pay_a_deposit", "name": "Pay a deposit", "type": "human", "assignee": "clerk"},
            "before": "pay",
        }
    ]
    assert "I took “takes it” for the same new step" in plan.guesses
