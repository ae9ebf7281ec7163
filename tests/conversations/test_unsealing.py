"""Sealed turns come back as they were."""

from tests.support.long_talks import a_compaction, talked
from workflow_agent.assistant.compaction.policy import first_turn_undone
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.seals import Sealing, SealRule, next_sealing, no_longer_sealed, unsealed

RULE = SealRule(above_bytes=1_000, fewest_turns=3, most_turns=4)


def with_compactions(conversation: Conversation, *spans: tuple[int, int]) -> Conversation:
    made = tuple(a_compaction(*span) for span in spans)
    return conversation.model_copy(update={"compactions": made})


def sealing_of(conversation: Conversation) -> Sealing:
    sealing = next_sealing(conversation, 1_900, RULE)
    assert sealing is not None
    return sealing


def test_what_was_sealed_comes_back_as_it_was() -> None:
    whole = with_compactions(talked(20), (1, 3), (4, 6), (7, 9))
    keyed = whole.runs[0].model_copy(update={"key": "once"})
    whole = whole.model_copy(update={"runs": (keyed, *whole.runs[1:])})
    first = sealing_of(whole)
    rest = first.sealed("0" * 64, 99)
    second = sealing_of(rest)
    sealed = second.sealed("1" * 64, 99)

    back = unsealed(sealed, [first.part, second.part])
    half_back = unsealed(sealed, [second.part])

    assert (back.events, back.calls, back.archive) == (whole.events, whole.calls, ())
    assert back.runs == whole.runs
    assert sorted(one.id for one in back.compactions) == sorted(one.id for one in whole.compactions)
    assert (half_back.sealed_turns, half_back.events) == (rest.sealed_turns, rest.events)
    assert no_longer_sealed(sealed, half_back) == {second.name}
    assert no_longer_sealed(sealed, sealed) == frozenset()
    assert unsealed(sealed, []) is sealed


def test_the_compactions_of_sealed_turns_are_counted() -> None:
    whole = with_compactions(talked(20), (1, 3), (4, 6), (7, 12))
    first = sealing_of(whole)
    rest = first.sealed("0" * 64, 99)
    second = sealing_of(rest)

    sealed = second.sealed("1" * 64, 99)

    counts = [(one.first_compaction, one.compactions) for one in sealed.archive]
    assert counts == [(0, 1), (1, 1)]
    assert (rest.sealed_compactions, sealed.sealed_compactions) == (1, 2)
    assert (first.part.first_compaction, second.part.first_compaction) == (0, 1)


def test_undoing_one_brings_back_the_turns_of_all_later_ones() -> None:
    whole = with_compactions(talked(20), (1, 3), (4, 6), (2, 9))

    assert first_turn_undone(whole, "cmp_4_6") == 2
    assert first_turn_undone(whole, "cmp_none") is None
    undone = whole.compactions[1].model_copy(update={"restored_at": whole.created_at})
    assert first_turn_undone(whole.model_copy(update={"compactions": (undone,)}), "cmp_4_6") == 0
