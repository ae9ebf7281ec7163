"""Words that turn an order round: what they are said of is not done, or is shown first."""

import threading
from typing import Any

import pytest

from tests.assistant.offline.test_reading_orders import LOAN, is_done, read
from workflow_agent.assistant.offline.nlu.hedges import hedges
from workflow_agent.assistant.offline.nlu.tagging import understandings
from workflow_agent.assistant.offline.tokens import read_tokens

REMOVE: dict[str, Any] = {"op": "remove_step", "step": "score"}
TIME: dict[str, Any] = {"op": "set_timeout", "step": "decide", "timeout": "P3D"}
RENAME: dict[str, Any] = {"op": "rename_step", "step": "score", "name": "Rate"}


def doubted(said: str, *edits: dict[str, Any]) -> list[str]:
    """Return why the edits of a message may not be wanted."""
    tokens = read_tokens(said)
    return list(hedges(edits, tokens, tokens))


@pytest.mark.parametrize(
    ("said", "edit"),
    [
        ("shall we remove the scoring", REMOVE),
        ("have you given the decision 3 days", TIME),
        ("did you remove the scoring?", REMOVE),
        ("wouldn't it be better to remove the scoring", REMOVE),
        ("I see you removed the scoring", REMOVE),
        ("thanks for giving the decision 3 days", TIME),
        ("perhaps remove the scoring", REMOVE),
        ("give the scoring 3 days, sorry, I mean the decision", TIME),
        ("remove all steps but the scoring", REMOVE),
        ("remove the scoring but not the decision", REMOVE),
        ("remove everything except the scoring", REMOVE),
    ],
)
def test_what_is_asked_remarked_or_excepted_is_doubted(said: str, edit: dict[str, Any]) -> None:
    assert doubted(said, edit)


@pytest.mark.parametrize(
    ("said", "edit"),
    [
        ("remove the scoring", REMOVE),
        ("give the decision 3 days, I mean it", TIME),
        ("could you remove the scoring?", REMOVE),
        ("have the decision done within 3 days", TIME),
        ("have it done within 3 days", TIME),
        ("would you rename the scoring to Rate, please", RENAME),
    ],
)
def test_plain_orders_are_not_doubted(said: str, edit: dict[str, Any]) -> None:
    assert doubted(said, edit) == []


def test_one_of_two_steps_is_not_both() -> None:
    other = {"op": "remove_step", "step": "contract"}

    assert doubted("remove one of the scoring and the contract", REMOVE, other)
    assert doubted("remove the scoring and the contract", REMOVE, other) == []


@pytest.mark.parametrize(
    "said",
    [
        "don't remove the scoring",
        "please never remove the scoring",
        "there is no need to remove the scoring",
        "we can't remove the scoring",
        "nobody asked to rename the scoring to Rate",
        "I wouldn't rename the scoring to Rate",
        "this shouldn't be known as Rate",
        "leave the decision's time as it is",
        "no reason to give the decision 3 days",
        "the decision took 3 days last time",
        "the decision used to take 3 days",
        "the decision takes 3 days, doesn't it?",
        "give the decision 3 days, not sure about it",
        "remove the scoring and keep the scoring",
        "remove the scoring. Actually don't.",
        "remove the scoring? no",
        "rename the scoring to Rate, or better not",
        "remove the scoring, or what do you think",
        "give the decision 3 days, no, leave it",
    ],
)
def test_what_is_denied_past_or_taken_back_is_not_done(said: str) -> None:
    assert not is_done(read(said)[0])


@pytest.mark.parametrize(
    "said",
    [
        "we don't need the scoring any more",
        "no scoring any more, please",
        "the scoring is not needed, so remove it",
        "the decision gets 3 days, not 2",
        "the decision should take 3 days, not a week",
        "if nobody decides in time, give the decision 3 days",
        "the decision has no deadline",
        "two days aren't enough for the decision, give it 3 days",
        "nobody without the right pay.out may pay out",
    ],
)
def test_a_denial_of_what_is_so_far_or_of_a_case_hinders_nothing(said: str) -> None:
    assert is_done(read(said)[0])


def test_messages_that_are_read_at_the_same_time_do_not_change_each_other() -> None:
    said = ["remove Score customer, nobody reads it", "give Decide on loan 3 days", "rename Pay out to Transfer"] * 20
    alone = {one: understandings(read_tokens(one), LOAN) for one in set(said)}
    found: list[tuple[str, Any]] = []

    def read(messages: list[str]) -> None:
        found.extend((one, understandings(read_tokens(one), LOAN)) for one in messages)

    threads = [threading.Thread(target=read, args=(said[at::4],)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == len(said)
    assert [one for one, read_as in found if read_as != alone[one]] == []
