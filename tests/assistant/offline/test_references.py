"""Which step of a workflow words mean, and which workflow a question names."""

from typing import Any

import pytest

from tests.assistant.offline.test_answers import BAKERY, CLAIM
from workflow_agent.assistant.offline.questions.question import vocabulary_of
from workflow_agent.assistant.offline.references import Steps, StepUnclear, mention_in
from workflow_agent.assistant.offline.tokens import read_tokens

STEPS = {
    "the tasting": "taste",
    "the baking step": "oven",
    "the third step": "rise",
    "the third one": "rise",
    "the last step": "tell",
    "the second bread": "taste",
    "the last bread": "sell",
    "the email": "tell",
    "the oven run": "oven",
    "tast bread": "taste",
    "everything except the tasting": None,
    "the moon": None,
    "it": "dough",
    "the tenth step": None,
    "the baker's step": "dough",
    '"Sell bread"': "sell",
}


@pytest.mark.parametrize("phrase", STEPS)
def test_a_step_is_meant_by_all_its_words_or_by_its_place(phrase: str) -> None:
    steps = Steps(BAKERY, {}, "dough")

    found = steps.maybe(read_tokens(phrase))

    assert (found.id if found else None) == STEPS[phrase]


def test_what_was_settled_before_is_meant() -> None:
    assert Steps(BAKERY, {"bread": "sell"}).find(read_tokens("the bread")).id == "sell"
    with pytest.raises(StepUnclear) as unclear:
        Steps(BAKERY).find(read_tokens("the bread"))
    assert {one.id for one in unclear.value.candidates} == {"oven", "taste", "sell"}


LISTED: tuple[dict[str, Any], ...] = (
    {"id": "wf_bread", "name": "Bread order", "aliases": ["loaves"]},
    {"id": "wf_claim", "name": "Damage claim", "aliases": []},
    {"id": "wf_check", "name": "Claim check", "aliases": []},
)
MENTIONS = {
    "who bakes in the bread order?": ("wf_bread", "who bakes"),
    "does the damage claim have a loop?": ("wf_claim", "does have a loop"),
    "who decides on the damage?": ("wf_claim", "who decides"),
    "who writes about loaves?": ("wf_bread", "who writes about"),
    "how many steps does the claim have?": None,
    "who bakes?": None,
}


@pytest.mark.parametrize("question", MENTIONS)
def test_a_question_names_a_workflow_by_words_that_only_it_has(question: str) -> None:
    found = mention_in([t for t in read_tokens(question) if t.kind != "punct"], LISTED, frozenset(), None)

    told = (found[0], " ".join(token.text for token in found[1])) if found else None
    assert told == MENTIONS[question]


def test_words_of_the_open_workflow_name_no_other_but_a_whole_name() -> None:
    known = vocabulary_of(CLAIM)

    part = mention_in(read_tokens("who decides on the claim"), LISTED, known, "wf_claim")
    whole = mention_in(read_tokens("who works in the claim check"), LISTED, known, "wf_claim")

    assert part is None
    assert whole is not None
    assert whole[0] == "wf_check"
