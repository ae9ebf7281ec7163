"""What an order points at: the step and the person spoken of before, the time that a step has now, its own items."""

from typing import Any

import pytest

from benchmarks.orders_tagged import tagged
from tests.assistant.offline.nlu.test_edits import built, changed, made
from tests.assistant.offline.test_reading_orders import LOAN, is_done, read
from workflow_agent.assistant.offline.nlu.doubts import doubts
from workflow_agent.assistant.offline.nlu.edits import BUILDERS
from workflow_agent.assistant.offline.nlu.hedges import hedges
from workflow_agent.assistant.offline.nlu.reading import listed_items
from workflow_agent.assistant.offline.nlu.slots import Filled
from workflow_agent.assistant.offline.nlu.tagging import slots_of
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan
from workflow_agent.assistant.offline.references import Steps, StepUnclear
from workflow_agent.assistant.offline.tokens import read_tokens

ASSIGNED: dict[str, Any] = {"op": "set_assignee", "step": "decide", "assignee": "trainee"}


def behind(intent: str, order: str, *before: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the edits of a tagged order behind others of the same message."""
    text, tokens, labels = tagged(order)
    plan = Plan(text, LOAN, Steps(LOAN, {}, None))
    plan.do(*before)
    BUILDERS[intent](Filled(plan, slots_of(tokens, labels), tuple(tokens)))
    return plan.edits[len(before) :]


@pytest.mark.parametrize("step", ["[that step|step]", "[it|step]", "[she|step] is late, so"])
def test_words_that_name_nothing_mean_the_step_spoken_of(step: str) -> None:
    edits = behind("escalate", f"if {step} tell [the boss|who]", ASSIGNED | {"step": "decide"})

    assert edits == [{"op": "update_step", "step": "decide", "set": {"escalate_to": "boss"}}]


@pytest.mark.parametrize("he", ["[he|who]", "he also"])
def test_somebody_pointed_at_is_who_was_told_before(he: str) -> None:
    (edit,) = behind("insert", f"after [the scoring|after] {he} [calls the customer|new]", ASSIGNED)

    assert edit["step"]["assignee"] == "trainee"


def test_the_same_time_is_that_of_the_step_spoken_of() -> None:
    edits = behind(
        "deadline",
        "and [the same|time] for [the contract|step]",
        {"op": "set_timeout", "step": "decide", "timeout": "P9D"},
    )

    assert edits == [{"op": "set_timeout", "step": "contract", "timeout": "P9D"}]


@pytest.mark.parametrize("old", ["not [two days|oldtime]", "[two|oldtime] is too short"])
def test_the_step_that_has_the_old_time_is_meant_where_none_is_named_for_sure(old: str) -> None:
    plan = built("deadline", f"[whoever says so|step] gets [four days|time], {old}")

    assert plan.edits == [{"op": "set_timeout", "step": "decide", "timeout": "P4D"}]
    assert plan.guesses == ["I took **Decide on loan**, which takes that time now"]


def test_a_step_named_wholly_is_meant_whatever_the_old_time() -> None:
    edits = made("deadline", "[Print contract|step]: [four days|time], not [two days|oldtime]")

    assert edits == [{"op": "set_timeout", "step": "contract", "timeout": "P4D"}]


def test_a_step_named_in_part_is_meant_and_that_another_takes_that_time_is_shown() -> None:
    plan = built("deadline", "[the contract|step] takes [four days|time], not [two days|oldtime]")

    assert plan.edits == [{"op": "set_timeout", "step": "contract", "timeout": "P4D"}]
    assert plan.notes == ["“Decide on loan” takes that time now"]


def test_of_steps_that_somebody_may_do_none_is_taken_by_the_time_of_another() -> None:
    with pytest.raises(StepUnclear):
        built("deadline", "[the customer|step] has [four days|time], not [two days|oldtime]")


@pytest.mark.parametrize("said", ["all steps within [3 days|time]", "the other steps within [3 days|time]"])
def test_an_order_for_others_is_not_of_the_step_spoken_of(said: str) -> None:
    assert made("deadline", said, last="score") is None


def test_the_same_as_a_step_without_a_time_is_asked_about() -> None:
    with pytest.raises(Asked, match="How long"):
        behind(
            "deadline",
            "and [the same|time] for [the contract|step]",
            {"op": "tag", "tag": "x"},
            ASSIGNED | {"step": "pay"},
        )


def test_an_old_time_that_several_steps_have_tells_nothing() -> None:
    workflow = changed({"op": "set_timeout", "step": "score", "timeout": "P2D"})

    with pytest.raises(NotRead):
        built("deadline", "make it [four days|time], not [two days|oldtime]", workflow)


@pytest.mark.parametrize(
    "said",
    [
        "1. rename Print contract to Send papers\n2. tag it urgent\n3. remove the schedule",
        "please: 1) rename Print contract to Send papers 2) tag it urgent 3) remove the schedule",
        "- rename Print contract to Send papers\n- tag it urgent\n- remove the schedule",
    ],
)
def test_each_item_of_a_list_is_an_order(said: str) -> None:
    plan, asked = read(said)

    assert asked == ""
    assert is_done(plan)
    assert [edit["op"] for edit in plan.edits] == ["rename_step", "tag", "remove_trigger"]


@pytest.mark.parametrize(
    ("said", "items"),
    [
        ("retry the scoring 3 times (at most)", 0),
        ("step 2) goes before step 1)", 0),
        ("1. remove the scoring", 0),
        ("drop the tag 1) remove the scoring 2) print it", 0),
        ("hello! 1) remove the scoring 2) print it", 2),
        ("do this:\n* remove the scoring\n* print it", 2),
        ("1) remove the scoring 2)", 0),
        ("please do not do this: 1) remove the scoring 2) print it", 0),
        ("do this only if approved: 1) remove the scoring 2) print it", 0),
        ("(1) the trainee prints it; 2) is not needed", 0),
    ],
)
def test_a_list_has_two_items_or_more_and_nothing_else(said: str, items: int) -> None:
    assert len(listed_items(read_tokens(said))) == items


def test_work_told_with_its_verb_is_no_end() -> None:
    workflow = changed(
        {"op": "rename_step", "step": "contract", "name": "Print papers"},
        {"op": "rename_step", "step": "paid", "name": "Printed"},
    )

    assert built("retry", "try [printing|step] [3 times|num]", workflow).notes == []
    assert built("retry", "try [the print|step] [3 times|num]", workflow).notes != []


@pytest.mark.parametrize(
    ("tail", "is_doubted"),
    [("not one", False), ("not both at once", False), ("no need for more", False), ("actually no", True)],
)
def test_what_something_is_not_takes_nothing_back(tail: str, is_doubted: bool) -> None:
    tokens = read_tokens(f"the clerk has two days, {tail}")

    found = list(hedges([{"op": "set_timeout", "step": "decide", "timeout": "P2D"}], tokens, tokens))

    assert bool(found) == is_doubted


def test_a_step_that_moves_out_of_a_branch_leads_into_none() -> None:
    plan = built("move", "move [notify|step] in front of [the decision|before]")

    assert not [one for one in doubts(plan, LOAN, read_tokens(plan.text)) if "at the same time" in one]


def test_another_name_behind_an_order_to_a_step_is_not_the_workflows() -> None:
    with pytest.raises(NotRead):
        behind("wfname", "and renamed [Security meeting|name]", ASSIGNED)

    assert behind("wfname", "and rename the workflow [Loans|name]", ASSIGNED) == [
        {"op": "rename_workflow", "name": "Loans"}
    ]


def test_a_tag_for_everything_is_without_that_word() -> None:
    assert made("tag", "tag [everything safety|value]") == [{"op": "tag", "tag": "safety"}]


def test_of_a_long_list_so_many_items_are_read_and_the_rest_is_named() -> None:
    plan, _ = read("\n".join(f"{at}. tag it t{at}" for at in range(1, 21)))

    assert [edit["tag"] for edit in plan.edits] == [f"t{at}" for at in range(1, 13)]
    assert plan.unread[-1] == "tag it t20"
