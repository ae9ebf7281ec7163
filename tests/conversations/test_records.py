"""Finding a turn, a run and a reply among records, sealed or not."""

from tests.support.long_talks import accepted, talked
from workflow_agent.conversations.records import reply_in, run_in, turn_in


def test_a_turn_is_its_message_its_reply_and_its_run() -> None:
    conversation = talked(3)

    found = turn_in(conversation, 2)

    assert found is not None
    assert (found.message, found.reply, found.answers[0].run) == (*conversation.events[2:4], conversation.runs[1])
    assert [one.number for one in found.iterations] == [1, 2]


def test_a_turn_under_way_has_no_reply_and_no_iterations() -> None:
    conversation = accepted(talked(1)).conversation

    found = turn_in(conversation, 2)

    assert found is not None
    assert (found.reply, found.iterations) == (None, ())


def test_what_is_not_there_is_none() -> None:
    conversation = talked(1)

    assert turn_in(conversation, 2) is None
    assert run_in(conversation, "run_9") is None
    assert reply_in(conversation, "run_9") is None
