"""Which turns are sealed, and that nothing gets lost or torn apart by it."""

from datetime import timedelta

import pytest

from tests.support.long_talks import a_call, a_compaction, accepted, answered, compacted, talked
from tests.support.stored import AT, a_conversation
from workflow_agent.conversations.acceptance import Acceptance
from workflow_agent.conversations.compactions import Summary
from workflow_agent.conversations.document import Conversation, SystemEvent
from workflow_agent.conversations.message_records import EndStatus
from workflow_agent.conversations.outcome import end_run
from workflow_agent.conversations.runs import RunError
from workflow_agent.conversations.seals import KEY_TURNS, SealedPart, Sealing, SealRule, next_sealing, unsealed

RULE = SealRule(above_bytes=1_000, fewest_turns=3, most_turns=10)


def sealing_of(conversation: Conversation, size_bytes: int = 1_900) -> Sealing | None:
    return next_sealing(conversation, size_bytes, RULE)


def with_compactions(conversation: Conversation, *spans: tuple[int, int]) -> Conversation:
    made = tuple(a_compaction(*span) for span in spans)
    return conversation.model_copy(update={"compactions": made})


def failed(acceptance: Acceptance, status: EndStatus = "failed") -> Conversation:
    run, error = acceptance.run, RunError(type="x", message="y")
    return end_run(
        acceptance.conversation,
        run.run_id,
        run.fence,
        status,
        error=error,
        at=AT,
        calls=(a_call(f"call_failed_{run.attempt}", run.user_event_id, "get_workflow"),),
    )


def test_a_small_file_is_left_whole() -> None:
    assert sealing_of(with_compactions(talked(20), (1, 15)), size_bytes=1_000) is None


def test_turns_that_no_compaction_covers_stay() -> None:
    assert sealing_of(talked(20)) is None
    assert sealing_of(with_compactions(talked(20), (2, 15))) is None


def test_the_oldest_compacted_turns_are_sealed_with_all_that_belongs_to_them() -> None:
    conversation = with_compactions(talked(20), (1, 5), (6, 8))

    sealing = sealing_of(conversation)

    assert sealing is not None
    assert (sealing.name, sealing.part.first_turn, sealing.part.last_turn) == ("turns-000001-000008.json", 1, 8)
    assert sealing.part.events == conversation.events[:16]
    assert sealing.part.runs == conversation.runs[:8]
    assert sealing.part.calls == conversation.calls[:16]
    assert [one.id for one in sealing.part.compactions] == ["cmp_1_5"]


def test_what_stays_is_the_rest_and_nothing_else() -> None:
    conversation = with_compactions(talked(20), (1, 8))
    sealing = sealing_of(conversation)
    assert sealing is not None

    rest = sealing.sealed("0" * 64, 99)

    assert rest.events == conversation.events[16:]
    assert rest.calls == conversation.calls[16:]
    assert rest.compactions == conversation.compactions
    [entry] = rest.archive
    assert (entry.first_index, entry.last_index, entry.turns, entry.events, entry.calls) == (0, 15, 8, 16, 16)


def test_compactions_without_a_summary_leave_too() -> None:
    spans = [(turn, turn + 3) for turn in range(1, 400, 4)]
    made = [a_compaction(*span, at=AT + timedelta(minutes=span[0]), summary=None, model="m") for span in spans]
    summed_up = made[2].model_copy(update={"summary": Summary(text="Three.")})
    made[2:3] = [summed_up]
    talk = talked(410).model_copy(update={"compactions": tuple(made)})
    parts: list[SealedPart] = []
    while (sealing := sealing_of(talk)) is not None:
        talk = sealing.sealed("0" * 64, 99)
        parts.append(sealing.part)

    assert talk.sealed_turns > 380
    assert talk.compactions[:2] == (summed_up, made[3])
    assert talk.compactions[-8:] == tuple(made[-8:])
    assert len(talk.compactions) < 2 + 8 + 4
    assert unsealed(talk, parts).compactions == tuple(made)


def test_numbers_go_on_where_they_were() -> None:
    conversation = with_compactions(talked(20), (1, 18))
    counted = (conversation.turn_count, conversation.next_index, conversation.next_fence)

    sealing = sealing_of(conversation)
    assert sealing is not None
    rest = sealing.sealed("0" * 64, 99)

    assert (rest.turn_count, rest.next_index, rest.next_fence) == counted
    emptied = rest.model_copy(update={"events": (), "runs": ()})
    assert (emptied.turn_count, emptied.next_index, emptied.next_fence) == (10, 20, 11)
    assert rest.usage_totals == conversation.usage_totals


def test_one_file_takes_so_many_turns_and_the_next_goes_on() -> None:
    first = sealing_of(with_compactions(talked(30), (1, 25)))
    assert first is not None

    second = sealing_of(first.sealed("0" * 64, 99))

    assert second is not None
    assert [(one.part.first_turn, one.part.last_turn) for one in (first, second)] == [(1, 10), (11, 20)]
    assert second.part.first_call == 20


def test_no_more_turns_leave_than_bring_the_file_well_below_its_limit() -> None:
    conversation = with_compactions(talked(20), (1, 18))

    first = sealing_of(conversation, size_bytes=1_001)
    assert first is not None
    rest = first.sealed("0" * 64, 99)

    assert first.part.last_turn == 9
    assert sealing_of(rest, size_bytes=600) is None
    assert sealing_of(rest, size_bytes=700) is not None, "once sealed, a file is kept below two thirds"


def test_the_newest_turns_stay_whatever_was_compacted() -> None:
    sealing = sealing_of(with_compactions(talked(8), (1, 8)))

    assert sealing is not None
    assert sealing.part.last_turn == 6


def test_a_few_turns_wait_until_they_are_worth_a_file() -> None:
    conversation = with_compactions(talked(20), (1, 2))

    assert sealing_of(conversation) is None
    assert sealing_of(conversation, size_bytes=2_001) is not None


def test_a_restored_compaction_keeps_its_turns_in_the_file() -> None:
    undone = a_compaction(4, 8, restored_at=AT)
    conversation = talked(20).model_copy(update={"compactions": (a_compaction(1, 3), undone)})

    sealing = sealing_of(conversation)

    assert sealing is not None
    assert sealing.part.last_turn == 3
    assert sealing.rest.compactions == conversation.compactions


def test_system_events_go_with_the_turn_they_follow() -> None:
    conversation = talked(3)
    handoff = SystemEvent(id="evt_h", index=conversation.next_index, at=AT, content="over", kind="handoff")
    longer = talked(9, conversation.model_copy(update={"events": (*conversation.events, handoff)}))

    sealing = sealing_of(with_compactions(longer, (1, 3)))

    assert sealing is not None
    assert sealing.part.events[-1] == handoff
    assert sealing.rest.events[0].index == handoff.index + 1


@pytest.mark.parametrize("status", ["failed", "interrupted"])
def test_a_turn_that_may_be_sent_again_is_not_sealed(status: EndStatus) -> None:
    conversation = talked(20, failed(accepted(talked(5)), status))

    sealing = sealing_of(with_compactions(conversation, (1, 15)))

    assert sealing is not None
    assert sealing.part.last_turn == 5


def test_a_turn_nobody_can_send_again_is_sealed() -> None:
    conversation = talked(20, failed(accepted(talked(5), key=None)))

    sealing = sealing_of(with_compactions(conversation, (1, 15)))

    assert sealing is not None
    assert sealing.part.last_turn == 10
    assert [run.status for run in sealing.part.runs].count("failed") == 1


def test_a_late_reply_is_never_cut_off_from_its_message() -> None:
    first = failed(accepted(talked(3)))
    later = talked(4, first)
    again = answered(accepted(later, key="key-4", content="Message 4"))
    conversation = talked(20, again)

    sealing = sealing_of(with_compactions(conversation, (1, 6)))
    whole = sealing_of(with_compactions(conversation, (1, 8)))

    assert sealing is not None
    assert whole is not None
    assert (sealing.part.last_turn, whole.part.last_turn) == (3, 8)
    assert [event.index for event in whole.part.events] == list(range(16))
    assert {call.call_id for call in whole.part.calls} >= {"call_failed_1", "call_4"}


def test_a_key_is_known_for_the_last_turns_sealed_or_not() -> None:
    talk = a_conversation()
    for _ in range(200):
        talk = compacted(talked(1, talk))
        sealing = sealing_of(talk)
        talk = sealing.sealed("0" * 64, 99) if sealing else talk

        known = {run.key for run in talk.runs}
        newest = talk.turn_count
        assert known >= {f"key-{turn}" for turn in range(max(1, newest - KEY_TURNS + 1), newest + 1)}
        assert len(talk.runs) <= KEY_TURNS + 20
    repeated = accepted(talk, key="key-150", content="Message 150")
    assert (repeated.is_new, repeated.run.turn) == (False, 150)


def test_records_that_name_no_message_go_with_the_one_before() -> None:
    conversation = talked(20)
    stray = a_call("stray", None, "search")
    calls = (*conversation.calls[:3], stray, *conversation.calls[3:])

    sealing = sealing_of(with_compactions(conversation.model_copy(update={"calls": calls}), (1, 5)))

    assert sealing is not None
    assert stray in sealing.part.calls
    assert stray not in sealing.rest.calls


def test_sealed_and_left_are_together_what_was_there() -> None:
    talk, events, calls = a_conversation(), [], []
    for _ in range(120):
        talk = compacted(talked(1, talk))
        sealing = sealing_of(talk)
        if sealing is not None:
            events += sealing.part.events
            calls += sealing.part.calls
            talk = sealing.sealed("0" * 64, 99)

    plain = talked(120)
    assert (*events, *talk.events) == plain.events
    assert (*calls, *talk.calls) == plain.calls
    assert talk.usage_totals == plain.usage_totals
    assert len(talk.compactions) <= 4
