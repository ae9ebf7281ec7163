"""What a message orders: which readings are carried out, shown or asked about, and what is left over."""

from dataclasses import replace
from typing import Any

import pytest

from tests.assistant.offline.test_reading_orders import LOAN, is_done, read
from workflow_agent.assistant.offline.nlu.certainty import (
    ACT,
    ACT_DRAWING,
    ACT_ON_CASE,
    DRAWS,
    Reading,
    chance,
    is_probable,
)
from workflow_agent.assistant.offline.nlu.reading import SHOW, planned, read_order
from workflow_agent.assistant.offline.plan import Plan
from workflow_agent.assistant.offline.references import Steps, StepUnclear
from workflow_agent.assistant.offline.tokens import read_tokens

REMOVE: dict[str, Any] = {"op": "remove_step", "step": "score"}


def empty(said: str = "text") -> Plan:
    """Return a plan without edits."""
    return Plan(said, LOAN, Steps(LOAN))


def reading(said: str) -> Reading:
    """Return what a message is taken for."""
    return read_order(empty(said), read_tokens(said))


def with_edit(certainty: float, *, unread: str = "", intent: str = "remove") -> Reading:
    """Return a reading that removes a step."""
    plan = empty()
    plan.edits, plan.unread = [REMOVE], [unread] if unread else []
    return Reading(intent, certainty, plan, rival=(1 - certainty) / 2, other=(1 - certainty) / 2)


@pytest.mark.parametrize(
    ("intent", "certainty"), [("assign", 0.8), ("remove", 0.9), ("replace", 0.95), ("several", 0.8), ("remove", 0.99)]
)
def test_what_is_certain_enough_is_done(intent: str, certainty: float) -> None:
    done = planned(empty(), with_edit(certainty, intent=intent), ())

    assert isinstance(done, Plan)
    assert is_done(done)


@pytest.mark.parametrize(
    ("intent", "certainty", "unread"),
    [
        ("remove", 0.2, ""),
        ("assign", 0.1, ""),
        ("replace", 0.2, ""),
        ("several", 0.6, ""),
        ("assign", 0.1, "fnord"),
        ("assign", 0.99, "2027"),
        ("assign", 0.99, "second"),
        ("deadline", 0.99, "january"),
        ("assign", 0.99, "and close it"),
        ("remove", 0.99, "fnord"),
        ("insert", 0.1, "fnord"),
        ("several", 0.99, "fnord"),
    ],
)
def test_what_is_less_certain_is_shown(intent: str, certainty: float, unread: str) -> None:
    shown = planned(empty(), with_edit(certainty, intent=intent, unread=unread), ())

    assert isinstance(shown, Plan)
    assert shown.edits == [REMOVE]
    assert not is_done(shown)


def test_what_draws_steps_or_ways_must_be_surer_than_what_sets_a_field() -> None:
    found = with_edit(0.8)
    assert ACT < chance(found) < ACT_DRAWING

    for intent in DRAWS:
        assert not is_probable(replace(found, intent=intent)), intent
    assert is_probable(replace(found, intent="assign"))

    surer = with_edit(0.9)
    assert ACT_DRAWING < chance(surer) < ACT_ON_CASE
    assert is_probable(replace(surer, intent="insert"))
    assert not is_probable(replace(surer, intent="case"))
    assert is_probable(replace(with_edit(0.99), intent="case"))


def test_a_word_that_says_little_is_told_beside_what_is_done() -> None:
    done = planned(empty(), with_edit(0.95, intent="assign", unread="fnord"), ())

    assert isinstance(done, Plan)
    assert is_done(done)
    assert done.told == ["I did not use “fnord”"]


@pytest.mark.parametrize(("certainty", "is_made"), [(0.95, True), (0.3, False)])
def test_what_was_taken_for_a_step_is_told_or_shown(certainty: float, is_made: bool) -> None:
    found = with_edit(certainty, intent="assign")
    assert found.plan is not None
    found.plan.likened = {"the points": ("Score customer", 0.9)}
    came = planned(empty(), found, ())

    assert isinstance(came, Plan)
    assert is_done(came) == is_made
    assert (came.told if is_made else came.notes) == ["I took “the points” for **Score customer**"]


def test_the_chance_falls_with_each_sign_of_a_misreading() -> None:
    one = Reading("assign", 0.9, empty(), other=0.05)

    assert ACT < chance(one) < 1
    assert chance(replace(one, certainty=0.8)) < chance(one)
    assert chance(replace(one, rival=0.05)) < chance(one)
    assert chance(replace(one, other=0.1)) < chance(one)
    assert chance(replace(one, no_edit=0.1)) < chance(one)
    assert chance(Reading("assign", 0.4, empty(), rival=0.3, other=0.3, no_edit=0.3)) < ACT


def test_a_guess_is_not_even_shown() -> None:
    plan = empty()

    assert planned(plan, with_edit(SHOW / 2), ()) is plan
    assert planned(plan, Reading("none", 0.99), ()) is plan


def test_a_step_that_is_not_there_is_asked_for() -> None:
    found = reading("delete the warehouse check")

    assert found.plan is None
    assert isinstance(found.problem, StepUnclear)
    assert planned(empty(), found, ()) is found.problem


def test_only_an_order_beyond_doubt_is_one_that_does_not_begin_like_one() -> None:
    assert with_edit(0.95).is_sure
    assert not with_edit(0.8).is_sure
    assert not with_edit(0.95, unread="fnord").is_sure
    assert not Reading("none", 0.99).is_sure
    guessed = with_edit(0.95)
    assert guessed.plan is not None
    guessed.plan.guesses = ["I took the way from “Decide on loan” on “rejected” for it"]
    assert not guessed.is_sure


@pytest.mark.parametrize(
    ("said", "intent", "edits"),
    [
        (
            "please rename Score customer to Rate customer",
            "rename",
            [{"op": "rename_step", "step": "score", "name": "Rate customer"}],
        ),
        ("Give the decision three days.", "deadline", [{"op": "set_timeout", "step": "decide", "timeout": "P3D"}]),
        ("remove the scoring, nobody looks at the result", "remove", [REMOVE]),
        (
            "drop the scoring and give the decision three days",
            "several",
            [REMOVE, {"op": "set_timeout", "step": "decide", "timeout": "P3D"}],
        ),
    ],
)
def test_plain_orders_are_understood(said: str, intent: str, edits: list[dict[str, Any]]) -> None:
    found = reading(said)

    assert found.intent == intent
    assert found.certainty > SHOW
    assert found.plan is not None
    assert found.plan.edits == edits


def test_a_question_is_no_order() -> None:
    found = reading("How many steps does it have, and who does the first one?")

    assert found.plan is None
    assert found.intent == "none"


def test_words_that_are_in_no_slot_and_no_words_of_orders_are_named() -> None:
    plan, _ = read("please zwybble remove Score customer")

    assert plan.edits == [REMOVE]
    assert plan.unread == ["zwybble"]


def test_of_several_orders_one_that_makes_no_edit_is_named() -> None:
    plan, _ = read("remove the scoring, and rename the flux capacitor to Alpha")

    assert plan.edits in ([REMOVE], [])
    assert not is_done(plan)


@pytest.mark.parametrize("said", ["", "and " * 80])
def test_nothing_and_empty_words_order_nothing(said: str) -> None:
    assert reading(said).plan is None


def test_what_was_read_is_given_again_as_it_was_read() -> None:
    """A turn reads its message for each of its requests, and goes on with what it was given."""
    said = "remove the scoring"
    first = reading(said)
    kept = repr(first)
    taken = planned(empty(said), first, read_tokens(said))
    assert isinstance(taken, Plan)
    taken.do({"op": "tag", "tag": "mine"})
    taken.told.append("mine alone")

    assert repr(reading(said)) == kept


def test_a_message_is_read_anew_for_another_workflow_and_another_step_spoken_of() -> None:
    said = "it takes 3 days"
    tokens = read_tokens(said)
    renamed = LOAN.model_copy(update={"steps": (LOAN.steps[0].model_copy(update={"name": "Ask"}), *LOAN.steps[1:])})
    plans = [Plan(said, flow, Steps(flow, {}, last)) for flow in (LOAN, renamed) for last in ("score", "decide")]

    found = [read_order(plan, tokens).plan for plan in plans]

    assert [plan.edits[0]["step"] if plan else None for plan in found] == ["score", "decide"] * 2
    assert [plan.workflow.steps[0].name if plan else None for plan in found] == ["Apply for loan"] * 2 + ["Ask"] * 2
