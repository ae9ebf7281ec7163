"""What is done of an order that rules and models read: where they agree, and where they differ."""

from typing import Any

import pytest

from tests.assistant.offline.test_reading_orders import LOAN
from workflow_agent.assistant.offline.nlu.agreement import ACT, SHOW, Reading, by_both, read_slots, understood
from workflow_agent.assistant.offline.plan import Asked, Plan
from workflow_agent.assistant.offline.references import Steps, StepUnclear
from workflow_agent.assistant.offline.tokens import read_tokens

REMOVE: dict[str, Any] = {"op": "remove_step", "step": "score"}
RENAME: dict[str, Any] = {"op": "rename_step", "step": "score", "name": "Rate"}


def planned(*edits: dict[str, Any], unread: str = "", note: str = "") -> Plan:
    """Return a plan with these edits."""
    plan = Plan("text", LOAN, Steps(LOAN))
    plan.edits = list(edits)
    plan.unread = [unread] if unread else []
    plan.notes = [note] if note else []
    return plan


def reading(*edits: dict[str, Any], certainty: float, unread: str = "") -> Reading:
    """Return what the models understand."""
    return Reading("remove", certainty, planned(*edits, unread=unread))


def is_sure(plan: Plan | StepUnclear | Asked) -> bool:
    """Say whether a plan is carried out without asking."""
    return isinstance(plan, Plan) and bool(plan.edits) and not plan.unread and not plan.notes


def test_what_both_come_to_is_done_though_the_rules_left_words_over() -> None:
    rules = planned(REMOVE, unread="nobody looks at it", note="I am not sure")
    models = reading(REMOVE, certainty=0.4)
    assert models.plan is not None
    models.plan.reasons = ["nobody looks at it"]

    done = by_both(rules, models)

    assert done is rules
    assert is_sure(done)
    assert rules.confirmed
    assert rules.reasons == ["nobody looks at it"]


def test_what_both_come_to_is_shown_where_words_are_left_over_that_order_nothing() -> None:
    done = by_both(planned(REMOVE, unread="fnord"), reading(REMOVE, certainty=0.9, unread="fnord"))

    assert isinstance(done, Plan)
    assert done.unread == ["fnord"]
    assert not done.confirmed


def test_a_new_step_may_be_named_in_two_ways() -> None:
    def adds(name: str, before: str) -> dict[str, Any]:
        return {"op": "insert_step", "step": {"id": name.lower(), "name": name, "type": "action"}, "before": before}

    assert is_sure(by_both(planned(adds("Check", "pay"), unread="x"), reading(adds("Look", "pay"), certainty=0.3)))
    assert not is_sure(by_both(planned(adds("Check", "pay"), unread="x"), reading(adds("Look", "cool"), certainty=0.3)))


@pytest.mark.parametrize("certainty", [ACT, 0.99])
def test_where_they_differ_certain_models_are_followed(certainty: float) -> None:
    models = reading(RENAME, certainty=certainty)

    assert by_both(planned(REMOVE), models) is models.plan
    assert by_both(planned(REMOVE, unread="x"), models) is models.plan
    assert by_both(StepUnclear("x"), models) is models.plan
    assert is_sure(by_both(Asked("Which?"), models))


def test_where_they_differ_doubtful_models_are_asked_about() -> None:
    models = reading(RENAME, certainty=(ACT + SHOW) / 2)

    shown = by_both(planned(REMOVE), models)

    assert shown is models.plan
    assert not is_sure(shown)


def test_guesses_of_the_models_only_make_sure_rules_ask() -> None:
    rules = planned(REMOVE)

    shown = by_both(rules, reading(RENAME, certainty=SHOW / 2))

    assert shown is rules
    assert not is_sure(shown)
    asked = Asked("Which?")
    assert by_both(asked, reading(RENAME, certainty=SHOW / 2)) is asked


def test_two_orders_of_which_the_models_read_one_are_both_done() -> None:
    assert is_sure(by_both(planned(REMOVE, RENAME), reading(RENAME, certainty=0.95)))


def test_sure_rules_are_followed_where_doubtful_models_leave_words_over() -> None:
    rules = planned(REMOVE)

    assert by_both(rules, reading(RENAME, certainty=SHOW, unread="score")) is rules
    assert is_sure(rules)


def test_a_step_that_is_not_known_is_asked_for_where_the_models_leave_its_words_over() -> None:
    unclear = StepUnclear("leave request")

    assert by_both(unclear, reading(RENAME, certainty=0.8, unread="request")) is unclear


def test_what_orders_nothing_is_asked_about_though_the_rules_read_an_order() -> None:
    assert not is_sure(by_both(planned(REMOVE), Reading("none", ACT)))
    assert is_sure(by_both(planned(REMOVE), Reading("none", SHOW)))
    assert is_sure(by_both(planned(REMOVE, RENAME), Reading("several", 0.9)))


def test_a_verb_and_the_whole_name_of_a_step_are_for_the_rules() -> None:
    said = "remove the step Score customer"
    rules = planned(REMOVE)

    found = read_slots(Plan(said, LOAN, Steps(LOAN)), read_tokens(said))

    assert found is not None
    assert found.is_plain
    assert by_both(rules, Reading("rename", SHOW, planned(RENAME), is_plain=True)) is rules
    assert is_sure(rules)


def test_what_must_stay_is_for_the_rules() -> None:
    rules = planned(REMOVE)
    rules.kept = ["score"]

    assert by_both(rules, reading(RENAME, certainty=0.99)) is rules
    assert by_both(rules, None) is rules


@pytest.mark.parametrize(
    ("said", "intent", "edits"),
    [
        ("please rename Score customer to Rate customer", "rename",
         [{"op": "rename_step", "step": "score", "name": "Rate customer"}]),
        ("Give the decision three days.", "deadline", [{"op": "set_timeout", "step": "decide", "timeout": "P3D"}]),
        ("remove the scoring, nobody looks at the result", "remove", [{"op": "remove_step", "step": "score"}]),
    ],
)  # fmt: skip
def test_plain_orders_are_understood(said: str, intent: str, edits: list[dict[str, Any]]) -> None:
    found = read_slots(Plan(said, LOAN, Steps(LOAN)), read_tokens(said))

    assert found is not None
    assert found.intent == intent
    assert found.certainty > SHOW
    assert found.plan is not None
    assert found.plan.edits == edits


def test_a_question_is_no_order() -> None:
    said = "How many steps does it have, and who does the first one?"

    found = read_slots(Plan(said, LOAN, Steps(LOAN)), read_tokens(said))

    assert found is not None
    assert found.plan is None
    assert found.intent == "none"


def test_words_that_are_in_no_slot_and_no_words_of_orders_are_named() -> None:
    said = "please zwybble remove Score customer"

    found = read_slots(Plan(said, LOAN, Steps(LOAN)), read_tokens(said))

    assert found is not None
    assert found.plan is not None
    assert found.plan.edits == [REMOVE]
    assert found.plan.unread == ["zwybble"]
    assert understood(found) is None


def test_the_rules_need_not_read_what_the_models_are_certain_of() -> None:
    assert understood(reading(REMOVE, certainty=0.95)) is not None
    assert understood(reading(REMOVE, certainty=0.8)) is None
    assert understood(reading(REMOVE, certainty=0.95, unread="fnord")) is None
    assert understood(Reading("none", 0.99)) is None
    assert understood(None) is None


@pytest.mark.parametrize("said", ["", "and " * 80])
def test_nothing_and_too_much_are_not_read(said: str) -> None:
    assert read_slots(Plan(said, LOAN, Steps(LOAN)), read_tokens(said)) is None
