"""Which step words mean that are no name of one."""

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.fit_steps import CALLED, HELDOUT, called
from workflow_agent.assistant.offline.nlu.encoder import step_encoder
from workflow_agent.assistant.offline.nlu.slots import step_meant
from workflow_agent.assistant.offline.nlu.tagging import step_words, words_of
from workflow_agent.assistant.offline.plan import Plan
from workflow_agent.assistant.offline.references import Steps, StepUnclear
from workflow_agent.assistant.offline.tokens import read_tokens
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

STEPS = (
    ("Receive claim", "intake desk"),
    ("Inspect roof", "surveyor"),
    ("Approve payout", "claims lead"),
    ("Pay by bank transfer", "accounting"),
    ("Write report", "surveyor"),
    ("Send report", "intake desk"),
    ("Check 1", "tester"),
    ("Check 2", "tester"),
    ("Close file", "intake desk"),
)


@pytest.fixture(scope="module")
def claims() -> Workflow:
    steps = [
        {"id": name.lower().replace(" ", "_"), "name": name, "type": "human", "assignee": who} for name, who in STEPS
    ]
    return parse_workflow({"id": "wf_claims", "name": "Storm claims", "start": "receive_claim", "steps": steps})


def meant(workflow: Workflow, said: str) -> tuple[str, Plan]:
    plan = Plan(said, workflow, Steps(workflow, {}, None))
    return step_meant(plan, read_tokens(said), "step").id, plan


@pytest.mark.parametrize(
    ("said", "step"),
    [
        ("the money is wired", "pay_by_bank_transfer"),
        ("the money has gone out", "pay_by_bank_transfer"),
        ("having a look at the tiles", "inspect_roof"),
        ("the case is archived", "close_file"),
        ("the boss's okay", "approve_payout"),
    ],
)
def test_a_step_is_known_by_what_is_done_in_it(claims: Workflow, said: str, step: str) -> None:
    assert meant(claims, said)[0] == step


def test_what_was_taken_for_a_step_is_noted(claims: Workflow) -> None:
    _, plan = meant(claims, "having a look at the tiles")

    ((said, (name, likely)),) = plan.likened.items()
    assert (said, name) == ("having a look at the tiles", "Inspect roof")
    assert 0.5 < likely < 1


def test_a_name_needs_no_guess(claims: Workflow) -> None:
    assert meant(claims, "the bank transfer") == ("pay_by_bank_transfer", meant(claims, "the bank transfer")[1])
    assert meant(claims, "the bank transfer")[1].likened == {}


def test_a_number_decides_between_steps_that_are_called_alike(claims: Workflow) -> None:
    assert meant(claims, "the testing no. 2")[0] == "check_2"


def test_of_two_steps_that_fit_it_is_asked_which_is_meant(claims: Workflow) -> None:
    with pytest.raises(StepUnclear) as unclear:
        meant(claims, "the report")

    assert {one.id for one in unclear.value.candidates} == {"write_report", "send_report"}


def test_what_no_step_does_is_none(claims: Workflow) -> None:
    with pytest.raises(StepUnclear) as unclear:
        meant(claims, "watering the office plants")

    assert not unclear.value.candidates


def test_the_steps_share_what_is_certain(claims: Workflow) -> None:
    names = [step_words(step) for step in claims.steps]

    likely = step_encoder().probabilities(words_of(read_tokens("the wire")), names)

    assert len(likely) == len(names)
    assert 0 < sum(likely) < 1


def test_a_text_means_the_same_whatever_is_read_beside_it() -> None:
    said, names = ("the", "wire"), [("Pay", "invoice"), ("Call", "customer", "back", "about", "the", "payment")]

    alone = [step_encoder().probabilities(said, [name]) for name in names]
    together = step_encoder().probabilities(said, names)

    odds = [one[0] / (1 - one[0]) for one in alone]
    rest = 1 - sum(together)
    assert [one / rest for one in together] == pytest.approx(odds, rel=1e-3)


def test_of_a_long_phrase_the_beginning_is_read() -> None:
    names = [("Pay", "invoice"), ("Call", "customer")]

    likely = step_encoder().probabilities(("the", "invoice", "that", *("and", "another") * 500), names)

    assert len(likely) == 2


def test_in_a_workflow_of_very_many_steps_one_is_known_by_its_name(claims: Workflow) -> None:
    more = [{"id": f"s{at}", "name": f"Sort pile {at}", "type": "human"} for at in range(120)]
    steps = [step.model_dump(mode="json", exclude_defaults=True) for step in claims.steps]
    large = parse_workflow(
        {"id": "wf_large", "name": "Storm claims", "start": "receive_claim", "steps": [*steps, *more]}
    )

    assert meant(large, "the bank transfer")[0] == "pay_by_bank_transfer"
    with pytest.raises(StepUnclear):
        meant(large, "the money is wired")


def test_of_phrases_of_others_most_are_understood_and_hardly_any_sure_one_is_wrong() -> None:
    rows = list(called(HELDOUT))
    found: Counter[str] = Counter()
    for row in rows:
        likely = step_encoder().probabilities(row.said, row.names)
        best = max(range(len(likely)), key=likely.__getitem__)
        found["right"] += row.meant == (best,)
        found["sure"] += likely[best] >= 0.9
        found["sure and right"] += likely[best] >= 0.9 and best in row.meant

    assert found["right"] > 0.7 * len(rows)
    assert found["sure"] > 0.3 * len(rows)
    assert found["sure and right"] > 0.93 * found["sure"]


@pytest.mark.parametrize("path", [CALLED, HELDOUT], ids=lambda path: path.name)
def test_the_phrases_are_well_formed(path: Path) -> None:
    rows = list(called(path))

    assert len(rows) > 300
    assert all(row.said and len(row.names) > 3 for row in rows)
    assert all(0 <= at < len(row.names) for row in rows for at in row.meant)
