"""What is said around an order or a description changes nothing, and of two orders none is lost unsaid."""

import random
import re
from typing import Any

import pytest

from tests.assistant.offline.test_descriptions import TABLE, is_made, lines
from tests.assistant.offline.test_reading_orders import LOAN, ORDERS, is_done, read, shape
from workflow_agent.assistant.offline.drafting.description import read_description
from workflow_agent.assistant.offline.mood import letter_itself
from workflow_agent.assistant.offline.questions.answers import answered
from workflow_agent.assistant.offline.references import Steps
from workflow_agent.assistant.offline.tokens import read_tokens

pytestmark = pytest.mark.untraced

PLAIN: list[dict[str, Any]] = [
    row
    for row in ORDERS
    if row["edits"]
    and not any(row.get(one) for one in ("unread", "asked", "weighed", "notes", "kept"))
    and "?" not in row["said"]
    and len(row["said"]) < 70
]
AROUND_ORDERS = [
    "please {}",
    "hi, {}",
    "Dear team, {}",
    "as discussed, {}",
    "for the loan workflow: {}",
    "{}, thanks",
    "{} - thank you very much",
    "{} if possible",
    "{}, would you?",
    "{}. That's all.",
]
"""Their own words say nothing of what is to be done."""
_MOST_OTHERS = 0.3
"""Of the orders of a frame this share may be asked about, and none done otherwise."""


@pytest.mark.parametrize("around", AROUND_ORDERS)
def test_courtesy_around_an_order_changes_nothing(around: str) -> None:
    asked = 0
    done = [row for row in PLAIN[6 * (AROUND_ORDERS.index(around) % 2) :: 12] if is_done(read(row["said"])[0])]
    for row in done:
        plan, _ = read(around.format(row["said"].rstrip(".!")))
        asked += not is_done(plan)
        assert not is_done(plan) or shape(plan.edits) == shape(row["edits"]), row["said"]
    assert asked <= _MOST_OTHERS * len(done)


PARTS = [
    "print the contract right after scoring",
    "the decision gets 5 days",
    "assign the scoring to risk management",
    "thank the customer after paying out",
    "connect pay out to score customer if the transfer bounces",
    "rename the workflow to Lending",
    "tag it urgent",
    "if paying fails tell the cashier",
    "retry the scoring 3 times",
    "the contract is printed by the works clerk",
    "drop the loans alias",
]


@pytest.mark.parametrize("joint", [" and ", ", and ", "; ", ". ", ", then "])
def test_of_two_orders_both_are_done_or_named(joint: str) -> None:
    chance = random.Random(joint)
    for _ in range(25):
        one, other = chance.sample(PARTS, 2)
        both = [read(part)[0].edits for part in (one, other)]
        plan, _ = read(f"{one}{joint}{other}")

        whole = [text for edits in both for text in shape(edits)]
        assert not is_done(plan) or all(text in shape(plan.edits) for text in whole), f"{one}{joint}{other}"


_FEWEST_SAME = 0.7
"""Of the descriptions that are drawn by themselves this share is drawn so in a letter; the others are shown first."""
AROUND_DESCRIPTIONS = [
    "Hi, {}",
    "Dear team,\n\n{}\n\nKind regards,\nMartha Olsen\nWard 4",
    "good morning, {}",
    "{}\nBest\nAnn",
    "Can you draw this? {}",
    "Today we work like this. {}",
    "{} Thanks!",
]


@pytest.mark.parametrize("around", AROUND_DESCRIPTIONS)
def test_a_letter_around_a_description_is_no_part_of_it(around: str) -> None:
    texts = [text for text in list(TABLE["drawn"])[::3] if is_made(read_description(text))]
    made = {text: draft for text in texts if (draft := read_description(around.format(text))) and is_made(draft)}
    known = set(TABLE["known"])

    assert {text for text, draft in made.items() if lines(draft) != TABLE["drawn"][text]} <= known
    assert len(made) >= _FEWEST_SAME * len(texts), set(texts) - set(made)


@pytest.mark.parametrize(
    ("letter", "itself"),
    [
        ("Dear team, give it 3 days. Kind regards, Ann", "give it 3 days."),
        ("Dear team,\ngive it 3 days.\n\nBest wishes,\nAnn Lee", "give it 3 days."),
        ("please remove it. Thanks, Bob", "please remove it."),
        ("add a step. Name it Best Wishes", "add a step. Name it Best Wishes"),
        ("rename it to Thanks", "rename it to Thanks"),
        ("remove it. Anna", "remove it. Anna"),
        ("hi", "hi"),
        ("hey delete review", "hey delete review"),
        ("Hi!", "Hi!"),
        ("", ""),
    ],
)
def test_a_letter_around_an_order_is_taken_off(letter: str, itself: str) -> None:
    assert letter_itself(letter) == itself


AROUND_QUESTIONS = [
    "just wondering, {}?",
    "Dear team, {}?",
    "quick question: {}?",
    "do you know {}?",
    "in our process, {}?",
    "{} by the way?",
    "{} exactly?",
]
QUESTIONS = [
    "who decides on the loan",
    "how many steps does it have",
    "what comes after scoring",
    "is there a loop in it",
    "which steps have a deadline",
    "what happens if the loan is rejected",
    "does the clerk do anything",
]


@pytest.mark.parametrize("around", AROUND_QUESTIONS)
def test_courtesy_around_a_question_changes_no_answer(around: str) -> None:
    for question in QUESTIONS:
        plain, told = _answer(f"{question}?"), _answer(around.format(question))

        assert plain is not None
        assert told == plain


def test_who_does_it_again_asks_for_no_loop() -> None:
    assert _answer("who decides on the loan again?") == _answer("who decides on the loan?") is not None


def _answer(question: str) -> str | None:
    return answered(LOAN, read_tokens(question), Steps(LOAN)).text()


def test_a_name_at_the_end_is_the_workflows() -> None:
    draft = read_description("The clerk files the claim. The boss signs it. Call it Claim handling.")

    assert draft is not None
    assert draft.name == "Claim handling"
    assert lines(draft) == ["File the claim @clerk: Sign the claim", "Sign the claim @boss"]


_WORDS = re.findall(
    r"\S+",
    "hi dear team , . ! so ok thanks regards kind - step 1 : the clerk files it call Abc please make create workflow "
    "and then Bob if not ; scoring drop no deadline owner Anna 3 days ? ( ) -> 2. * for in loan until again or both "
    "meanwhile every Monday at 9 instead of with by before after between twice retry swap rename to as from is when "
    "unless otherwise first last move add who what how long is there a path where does customer money steps",
)


@pytest.mark.parametrize("seed", range(2))
def test_no_jumble_of_words_is_too_much(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(80):
        said = " ".join(chance.choice(_WORDS) for _ in range(chance.randint(1, 9)))

        read_description(said)
        read(said)
        answered(LOAN, read_tokens(said), Steps(LOAN))
