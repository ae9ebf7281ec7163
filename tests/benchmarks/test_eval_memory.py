"""The benchmark of memory: what it reads, and that what it promises holds on a conversation made by rule."""

from benchmarks.eval_memory import generated, loaded, measured


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


async def test_a_long_conversation_is_recalled_and_held_better_than_by_plain_means() -> None:
    talk = generated(7)
    figures = await measured(talk)

    assert figures.recalled >= 1.1 * figures.plain > 0
    assert figures.in_window >= 0.7 * figures.compacted_questions > 0
    assert figures.window_tokens <= 0.25 * figures.compacted_tokens
    assert figures.in_window > figures.in_newest
    assert (figures.compactions > 50, figures.larger) == (True, 0)
