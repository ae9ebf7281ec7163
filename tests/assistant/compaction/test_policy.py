from dataclasses import replace

import pytest

from tests.support.compacted_talks import compacted_by, said
from tests.support.long_talks import accepted, talked
from tests.support.stored import AT
from workflow_agent.assistant.compaction.compaction import restored
from workflow_agent.assistant.compaction.policy import CompactionRule, cut_of, due_cut, open_turns, turns_compacted
from workflow_agent.conversations.compactions import Summary
from workflow_agent.conversations.document import AgentReply, Conversation, UserMessage
from workflow_agent.conversations.outcome import end_run
from workflow_agent.conversations.runs import RunError
from workflow_agent.workflows.previews import Preview

RULE = CompactionRule()
SUMMARY = Summary(text="They talked.")


def with_record(conversation: Conversation, **record: object) -> Conversation:
    """Return the conversation with this context record at its newest reply."""
    *events, last = conversation.events
    assert isinstance(last, AgentReply)
    return conversation.model_copy(update={"events": (*events, last.model_copy(update={"context": record}))})


@pytest.mark.parametrize(("turn_count", "is_due"), [(10, False), (11, True)])
def test_the_eleventh_turn_of_fifteen_is_the_first_to_compact(turn_count: int, is_due: bool) -> None:
    assert (due_cut(talked(turn_count), RULE) is not None) is is_due


def test_the_oldest_forty_percent_go_as_whole_turns() -> None:
    talk = talked(11)

    cut = due_cut(talk, RULE)

    assert cut is not None
    assert (cut.trigger, cut.from_turn, cut.to_turn) == ("turns", 1, 4)
    assert cut.events == talk.events[:8]


@pytest.mark.parametrize(
    ("used", "budget", "strategy", "is_due"),
    [
        pytest.param(6_999, 10_000, "full", False, id="just below"),
        pytest.param(7_000, 10_000, "full", True, id="at seventy percent"),
        pytest.param(3_200, 3_300, "low", False, id="a small share by request is no small window"),
    ],
)
def test_tokens_count_against_the_whole_budget_of_the_window(
    used: int, budget: int, strategy: str, is_due: bool
) -> None:
    talk = with_record(talked(5), used_tokens=used, budget_tokens=budget, strategy=strategy)

    cut = due_cut(talk, RULE)

    assert (cut is not None) is is_due
    assert cut is None or (cut.trigger, cut.to_turn) == ("tokens", 2)


@pytest.mark.parametrize(("turn_count", "to_turn"), [(3, 1), (4, 1), (5, 2), (8, 3)])
def test_at_least_one_turn_goes(turn_count: int, to_turn: int) -> None:
    cut = cut_of(talked(turn_count), RULE, "tokens")

    assert cut is not None
    assert cut.to_turn == to_turn


@pytest.mark.parametrize("turn_count", [0, 1, 2])
def test_the_newest_two_turns_never_go(turn_count: int) -> None:
    assert cut_of(talked(turn_count), RULE, "overflow", at_least=9) is None


def test_more_than_the_share_goes_where_more_does_not_fit() -> None:
    cut = cut_of(talked(8), RULE, "overflow", at_least=5)

    assert cut is not None
    assert cut.to_turn == 5


def test_a_turn_under_way_and_those_after_stay() -> None:
    talk = talked(8)
    busy = [run.model_copy(update={"status": "running"}) if run.turn == 3 else run for run in talk.runs]

    cut = cut_of(talk.model_copy(update={"runs": tuple(busy)}), RULE, "overflow", at_least=6)

    assert cut is not None
    assert cut.to_turn == 2


def test_a_preview_that_waits_for_a_yes_stays_with_all_that_follows() -> None:
    preview = Preview(id="p", action="delete", workflow_id="wf_a", workflow_name="A", version=1, reason="it is gone")
    talk = talked(3)
    *events, last = talk.events
    assert isinstance(last, AgentReply)
    talk = talk.model_copy(update={"events": (*events, last.model_copy(update={"preview": preview}))})
    for _ in range(9):
        asked = accepted(talk, content="yes")
        failed = end_run(
            asked.conversation,
            asked.run.run_id,
            asked.run.fence,
            "failed",
            error=RunError(type="ModelFailed", message="Away."),
            at=AT,
        )
        talk = failed

    cut = due_cut(talk, RULE)

    assert cut is not None
    assert cut.to_turn == 2


def test_the_second_compaction_goes_on_where_the_first_ended() -> None:
    talk = compacted_by(due_cut(talked(11), RULE), talked(11), SUMMARY)

    assert due_cut(talk, RULE) is None
    assert due_cut(talked(3, talk), RULE) is None
    cut = due_cut(talked(4, talk), RULE)

    assert cut is not None
    assert (cut.from_turn, cut.to_turn) == (5, 8)


def test_restored_turns_stay_until_as_many_new_ones_came() -> None:
    talk = compacted_by(due_cut(talked(11), RULE), talked(11), SUMMARY)
    back = restored(talk, "cmp_1", at=AT)

    assert len(open_turns(back)) == 11
    assert due_cut(back, RULE) is None
    assert due_cut(talked(3, back), RULE) is None
    again = due_cut(talked(4, back), RULE)
    assert again is not None
    assert again.from_turn == 1


def test_restoring_an_older_compaction_brings_back_the_later_ones_too() -> None:
    talk = compacted_by(due_cut(talked(11), RULE), talked(11), SUMMARY)
    more = talked(4, talk)
    twice = compacted_by(due_cut(more, RULE), more, SUMMARY)

    back = restored(twice, "cmp_1", at=AT)

    assert turns_compacted(twice) == 8
    assert turns_compacted(back) == 0
    assert [message.turn for message in open_turns(back)] == list(range(1, 16))
    assert turns_compacted(restored(twice, "cmp_2", at=AT)) == 4


def test_what_got_no_summary_is_asked_for_again_and_rests_longer_each_time() -> None:
    talk = said(*(f"Message {n}" for n in range(1, 12)))
    asked_at: list[int] = []
    for _ in range(16):
        cut = due_cut(talk, replace(RULE, max_turns=100))
        if len(talk.compactions) == 0:
            cut = due_cut(talk, RULE)
        if cut is not None:
            asked_at.append(talk.turn_count)
            made_at = max(e.at for e in talk.events)
            talk = compacted_by(cut, talk, None)
            newest = talk.compactions[-1].model_copy(update={"at": made_at})
            talk = talk.model_copy(update={"compactions": (*talk.compactions[:-1], newest)})
        talk = talked(1, talk)

    assert asked_at == [11, 12, 14, 18, 26]
    assert all(one.from_turn == 1 and one.to_turn == 4 for one in talk.compactions)
    assert isinstance(talk.events[0], UserMessage)
