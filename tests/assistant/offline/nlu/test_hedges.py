"""Words that turn an order round: what they are said of is shown first and not done."""

import threading
from typing import Any

import pytest

from tests.assistant.offline.test_reading_orders import LOAN
from workflow_agent.assistant.offline.nlu.hedges import hedges
from workflow_agent.assistant.offline.nlu.tagging import understandings
from workflow_agent.assistant.offline.tokens import read_tokens

REMOVE: dict[str, Any] = {"op": "remove_step", "step": "score"}
TIME: dict[str, Any] = {"op": "set_timeout", "step": "decide", "timeout": "P3D"}
NO_TIME: dict[str, Any] = {"op": "set_timeout", "step": "decide", "timeout": None}
RENAME: dict[str, Any] = {"op": "rename_step", "step": "score", "name": "Rate"}
PERMIT: dict[str, Any] = {"op": "update_step", "step": "pay", "set": {"permission": "pay.out"}}
WHOLE: dict[str, Any] = {"op": "rename_workflow", "name": "Rate"}


def doubted(said: str, *edits: dict[str, Any]) -> list[str]:
    """Return why the edits of a message may not be wanted."""
    tokens = read_tokens(said)
    return list(hedges(edits, tokens, tokens, LOAN.steps))


@pytest.mark.parametrize(
    ("said", "edit"),
    [
        ("please never remove the scoring", REMOVE),
        ("there is no need to remove the scoring", REMOVE),
        ("we can't remove the scoring", REMOVE),
        ("the decision doesn't take 3 days", TIME),
        ("we cannot give the decision 3 days", TIME),
        ("nobody asked to rename the scoring to Rate", RENAME),
        ("nobody needs the right pay.out", PERMIT),
        ("don't remove the scoring, its time is not enough", REMOVE),
        ("I wouldn't rename the scoring to Rate", RENAME),
        ("this shouldn't be known as Rate", WHOLE),
        ("shall we remove the scoring", REMOVE),
        ("have you given the decision 3 days", TIME),
        ("did you remove the scoring?", REMOVE),
        ("wouldn't it be better to remove the scoring", REMOVE),
        ("the decision takes 3 days, doesn't it?", TIME),
        ("I see you removed the scoring", REMOVE),
        ("thanks for giving the decision 3 days", TIME),
        ("the decision used to take 3 days", TIME),
        ("the decision took 3 days last time", TIME),
        ("give the decision 3 days, not sure about it", TIME),
        ("perhaps remove the scoring", REMOVE),
        ("remove all steps but the scoring", REMOVE),
        ("remove the scoring but not the decision", REMOVE),
        ("remove everything except the scoring", REMOVE),
        ("remove the scoring. Actually don't.", REMOVE),
        ("remove the scoring? no", REMOVE),
        ("rename the scoring to Rate, or better not", RENAME),
        ("remove the scoring, or what do you think", REMOVE),
        ("give the decision 3 days, no, leave it", TIME),
    ],
)
def test_what_is_denied_asked_remarked_or_taken_back_is_doubted(said: str, edit: dict[str, Any]) -> None:
    assert doubted(said, edit)


@pytest.mark.parametrize(
    ("said", "edit"),
    [
        ("remove the scoring", REMOVE),
        ("we don't need the scoring any more", REMOVE),
        ("no scoring any more, please", REMOVE),
        ("the scoring is not needed, so remove it", REMOVE),
        ("could you remove the scoring?", REMOVE),
        ("the decision gets 3 days, not 2", TIME),
        ("the decision should take 3 days, not a week", TIME),
        ("have the decision done within 3 days", TIME),
        ("if nobody decides in time, give the decision 3 days", TIME),
        ("the decision has no deadline", NO_TIME),
        ("don't give the decision a deadline", NO_TIME),
        ("remove the scoring, but keep the rest", REMOVE),
        ("would you rename the scoring to Rate, please", RENAME),
        ("two days aren't enough for the decision, give it 3 days", TIME),
        ("should the scoring not work, give the decision 3 days", TIME),
        ("nobody without the right pay.out may pay out", PERMIT),
    ],
)
def test_plain_orders_are_not_doubted(said: str, edit: dict[str, Any]) -> None:
    assert doubted(said, edit) == []


def test_one_of_two_steps_is_not_both() -> None:
    other = {"op": "remove_step", "step": "contract"}

    assert doubted("remove one of the scoring and the contract", REMOVE, other)
    assert doubted("remove the scoring and the contract", REMOVE, other) == []


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
