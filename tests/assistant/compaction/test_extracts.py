"""What the window shows of compacted turns word for word, and the record of what it shows no more."""

from itertools import pairwise

import pytest

from tests.support.compacted_talks import compacted_by, compaction_of, said
from tests.support.stored import AT
from workflow_agent.assistant.compaction.compaction import (
    Summarised,
    facts_of_cut,
    restored,
    saves_enough,
    with_compaction,
)
from workflow_agent.assistant.compaction.policy import CompactionRule, due_cut
from workflow_agent.assistant.compaction.statements import kinds_of
from workflow_agent.assistant.compaction.text import earlier_turns, within
from workflow_agent.conversations.compactions import Compaction, Summary
from workflow_agent.conversations.document import Conversation
from workflow_agent.values.tokens import tokens_of

RULE = "Approvals go to the finance lead, not the CFO."
ASIDE = "Well, we talked about the weather and the weather was good, and that was good too. " * 3
TOLD = (
    RULE,
    "Do invoices of Brandt need a stamp?",
    "The form is due by the end of the quarter.",
    'We call the second desk "Harbour".',
    "Deliveries need 12 working days.",
    "Only Irene signs for Porto.",
)


def window(talk: Conversation) -> str:
    earlier = earlier_turns(talk)
    return earlier.text if earlier else ""


def compacted(turns: int, share: float, summary: Summary | None = None) -> tuple[Conversation, list[Compaction]]:
    """Return a talk compacted whenever due, as long as that saves enough, and what was made."""
    talk, made = said(), []
    for n in range(turns):
        told = TOLD[n // 2].replace("12", str(12 + n)) if n % 2 == 0 and n // 2 < len(TOLD) else ""
        talk = said(f"{told} {ASIDE} Number {n}.".strip(), conversation=talk)
        cut = due_cut(talk, CompactionRule())
        if cut is None:
            continue
        one = compaction_of(
            talk,
            cut,
            facts_of_cut(talk, cut),
            Summarised(summary, None if summary else "failed", "m"),
            compaction_id=f"cmp_{n}",
            at=AT,
            count=tokens_of,
            share=share,
        )
        if saves_enough(one, talk, tokens_of):
            made.append(one)
            talk = with_compaction(talk, one, cut, count_spending=True)
    return talk, made


def test_the_room_of_compacted_turns_is_filled_with_what_they_say() -> None:
    talk, made = compacted(26, share=0.25, summary=Summary(text="They talked."))

    shown = window(talk)
    assert f"[1 user] {RULE}" in shown
    assert all(one.split(" ")[-1].rstrip(".") in shown for one in TOLD)
    assert shown.count("the weather was good") <= 1
    latest = made[-1]
    assert latest.tokens_after <= max(1_000, latest.source_tokens // 4)
    assert latest.tokens_after == tokens_of(shown)


def test_without_room_what_leaves_the_window_is_on_record_with_its_turn() -> None:
    talk = said()
    for told in TOLD * 2:
        talk = said(told, conversation=talk)
    talk = compacted_by(due_cut(talk, CompactionRule()), talk, None)
    full = talk.compactions[-1]
    bare = full.model_copy(update={"extracts": ()})
    cut = due_cut(said(*TOLD * 2), CompactionRule())
    assert cut is not None
    tight = compaction_of(
        said(*TOLD * 2),
        cut,
        facts_of_cut(talk, cut),
        Summarised(None),
        compaction_id="cmp_t",
        at=AT,
        count=lambda text: len(text) * 1_000,
        share=0.0,
    )

    gone = {one.text: one for one in tight.dropped.sentences}
    assert tight.extracts == ()
    assert gone[RULE].turn == 1
    assert gone[RULE].kinds == ("rule",)
    assert gone["Do invoices of Brandt need a stamp?"].kinds == ("open question",)
    assert {one.text for one in full.dropped.sentences} < set(gone)
    assert bare.dropped.sentences == full.dropped.sentences


@pytest.mark.slow
def test_nothing_that_counts_leaves_the_window_without_a_line() -> None:
    for summary in (None, Summary(text="Approvals go to the CFO."), Summary(text="They talked.")):
        talk, made = compacted(60, share=0.05, summary=summary)

        shown = window(talk)
        on_record = {one.text for compaction in made for one in compaction.dropped.sentences}
        covered = [event for event in talk.events if any(event.id in one.event_ids for one in made)]
        binding = [one for one in TOLD if any(one in event.content for event in covered)]
        assert len(made) > 5
        assert [one for one in binding if one not in shown and one not in on_record] == []


@pytest.mark.slow
def test_no_compaction_saves_less_than_a_tenth_of_what_it_takes() -> None:
    _, made = compacted(60, share=0.25)

    assert len(made) > 5
    sizes = [0, *(one.source_tokens for one in made)]
    taken = [after - before for before, after in pairwise(sizes)]
    assert all(one.tokens_before - one.tokens_after >= tokens // 10 for one, tokens in zip(made, taken, strict=True))


def test_turns_shorter_than_the_record_of_them_wait_for_more() -> None:
    talk = said()
    events = said(*["Yes."] * 11).events
    short = talk.model_copy(
        update={"events": tuple(e.model_copy(update={"content": "Yes."}) for e in events), "turn_count": 11}
    )
    cut = due_cut(short, CompactionRule())
    assert cut is not None

    made = compaction_of(
        short, cut, facts_of_cut(short, cut), Summarised(None), compaction_id="c", at=AT, count=tokens_of
    )

    assert not saves_enough(made, short, tokens_of)


def test_extracts_of_earlier_turns_come_back_when_a_later_compaction_is_undone() -> None:
    talk, made = compacted(26, share=0.25, summary=Summary(text="They talked."))

    back = restored(talk, made[-1].id, at=AT)

    assert RULE in window(back)
    first_back = made[-1].from_turn
    assert f"[{first_back} user]" not in window(back)
    assert [len(one.carried.numbers) == 0 for one in talk.compactions[:-1]] == [True] * (len(made) - 1)
    assert sum(len(one.extracts) for one in talk.compactions) <= 2 * len(made[-1].extracts)


def test_a_small_window_gives_up_extracts_before_what_binds() -> None:
    talk = said("From now on always ask Jo first.", *[f"The shed {n} is green. {ASIDE}" for n in range(11)])
    earlier = earlier_turns(compacted_by(due_cut(talk, CompactionRule()), talk, None))
    assert earlier is not None
    assert earlier.extracts

    small = within(earlier, tokens_of(earlier.text) - tokens_of(earlier.text) // 8, tokens_of)

    assert len(small.extracts) < len(earlier.extracts)
    assert "- From now on always ask Jo first." in small.text


def test_kinds_are_known_by_their_words_and_by_who_says_them() -> None:
    assert "decision" in kinds_of("We decided to drop the paper.", is_users=True)
    assert "preference" in kinds_of("I like short names.", is_users=True)
    assert "deadline" in kinds_of("The form is due by the end of May.", is_users=True)
    assert kinds_of("You must pay me.", is_users=False) == ()
    assert kinds_of("That was fine.", is_users=True) == ()


def test_what_the_summary_says_is_shown_word_for_word_too() -> None:
    summary = Summary(
        text="Only Irene signs for Porto. We call the second desk Harbour. Deliveries need 12 working days."
    )

    _, made = compacted(40, 0.25, summary)

    shown = {one.text for one in made[-1].extracts}
    assert {"Only Irene signs for Porto.", 'We call the second desk "Harbour".'} <= shown
