"""The transformer that reads messages: its pieces, what it tells of a message, and which words are alike."""

import numpy as np
import pytest

from workflow_agent.assistant.offline.nlu.encoder import MARKS, encoder


def pieces_of(word: str) -> list[int]:
    ids, _, _ = encoder("orders").pieces.encoded([word], [""])
    return ids[1:-1]


def test_a_word_is_read_by_the_longest_pieces_that_are_known() -> None:
    assert len(pieces_of("payout")) == 2
    assert len(pieces_of("remove")) == 1
    assert pieces_of("Remove") == pieces_of("remove")
    assert pieces_of("café") == pieces_of("cafe")
    assert len(pieces_of("e-mail")) == 3


@pytest.mark.parametrize("word", ["", "\N{PILE OF POO}", "\u4e2d\u6587"])
def test_what_has_no_pieces_is_one_that_is_unknown(word: str) -> None:
    assert len(pieces_of(word)) == len(set(pieces_of(word))) == 1


def test_of_a_long_quotation_the_beginning_is_read() -> None:
    assert len(pieces_of("the quick brown fox " * 20)) == len(pieces_of("the quick brown fox " * 30)) == 8


def test_each_piece_of_a_word_has_its_marks_and_the_ends_none() -> None:
    ids, firsts, told = encoder("orders").pieces.encoded(["drop", "payout"], ["", "S1"])

    assert firsts == [1, 2]
    assert len(ids) == 5
    assert told.shape == (5, len(MARKS))
    assert told.sum(axis=1).tolist() == [0, 0, 2, 2, 0]


def test_a_message_has_an_intent_and_each_word_a_label_that_goes_with_it() -> None:
    scores = encoder("orders").read(("please", "rename", "the", "check", "to", "audit"), ("", "", "", "SN1", "", ""))

    assert sum(scores.intents.values()) == pytest.approx(1, abs=1e-4)
    assert max(scores.intents, key=lambda one: scores.intents[one]) == "rename"
    labels, sure = scores.labelled("rename")
    assert labels == ["O", "O", "step", "step", "O", "name"]
    assert all(0.5 < one <= 1 for one in sure)
    others, unsure = scores.labelled("retry")
    assert "name" not in others
    assert min(unsure) < min(sure)
    assert all(one <= each for one, each in zip(sure, scores.one_of(("O", "step", "name"), "rename"), strict=True))
    assert max(scores.begins) < 0.5


def test_where_another_order_begins_is_told() -> None:
    words = ("drop", "the", "check", "and", "give", "the", "payment", "two", "days")

    begins = encoder("orders").read(words, ("", "", "S1", "", "", "", "S1", "D", "D")).begins

    assert int(np.argmax(begins)) == words.index("and")
    assert max(begins) > 0.5


def test_it_says_what_it_is() -> None:
    assert "6 layers" in repr(encoder("orders"))


def test_of_a_message_of_long_words_only_their_beginnings_are_looked_at() -> None:
    known = encoder("flows")
    words = ("immunohistochemistry",) * 180

    scores = known.read(words, ("",) * len(words))

    assert len(known.pieces.encoded(words, ("",) * len(words))[0]) <= 256
    assert len(scores.labelled("flow")[0]) == len(words)
