"""The benchmark of memory: what it reads, and that what it promises holds on a conversation made by rule."""

import pytest

from benchmarks.eval_memory import Set, generated, loaded, measured


def test_turns_are_named_by_id_by_number_or_by_session() -> None:
    sessions = [{"turns": ["a", {"id": "D1:2", "text": "b"}]}, {"turns": [{"content": "c"}]}]
    questions = [
        {"text": "x?", "evidence": ["D1:2"], "answer": "b"},
        {"text": "y?", "evidence": [0, [1, 0]]},
        {"text": "z?", "evidence": []},
    ]

    (talk,) = loaded({"sessions": sessions, "questions": questions})

    assert talk.messages == ["a", "b", "c"]
    assert [sorted(one.evidence) for one in talk.questions] == [[1], [0, 2]]
    assert talk.questions[1].answer == "a c"


@pytest.mark.slow
@pytest.mark.parametrize("which", ["held_out", "friends", "assistant", "pen_friends"])
async def test_a_long_conversation_is_recalled_and_held_better_than_by_plain_means(which: Set) -> None:
    figures = await measured(generated(7, which))

    assert figures.recalled >= 1.1 * figures.plain > 0
    assert figures.shown["the window"] >= 0.7 * figures.compacted_questions > 0
    assert figures.window_tokens <= 0.25 * figures.compacted_tokens
    others = ("the newest text", "messages taken evenly", "the beginning of each")
    assert all(figures.shown["the window"] > figures.shown[one] for one in others)
    assert (figures.compactions > 20, figures.larger) == (True, 0)
