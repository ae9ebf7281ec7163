import pytest

from workflow_agent.assistant.modes.reader import Reading, read


def requests(reading: Reading) -> list[str]:
    return [
        word
        for word, classes in zip(reading.words, reading.classes, strict=True)
        if any(name.startswith("DO_") for name in classes)
    ]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        pytest.param("don't", ["do", "not"], id="negation"),
        pytest.param("dont", ["do", "not"], id="negation without its apostrophe"),
        pytest.param("I\u2019d rather", ["i", "would", "rather"], id="curly apostrophe"),
        pytest.param("what's new", ["what", "is", "new"], id="verb behind a question word"),
        pytest.param("Karin's step", ["karin", "step"], id="owner"),
        pytest.param("can u add it pls", ["can", "you", "add", "it", "please"], id="shorthand"),
        pytest.param("legal,finance", ["legal", "finance"], id="no space"),
        pytest.param("at 9.30", ["at", "9", "30"], id="time of day"),
        pytest.param("👍 \u0301", [], id="nothing to read"),
    ],
)
def test_words_are_spelled_out(message: str, words: list[str]) -> None:
    assert read(message).spoken() == words


@pytest.mark.parametrize(
    ("message", "verbs"),
    [
        pytest.param("remove the step", ["remove"], id="imperative"),
        pytest.param("ok, so please remove the step", ["remove"], id="imperative behind padding"),
        pytest.param("could you please remove it", ["remove"], id="polite question"),
        pytest.param("would you mind removing it", ["removing"], id="-ing form behind a request"),
        pytest.param("find Bob's steps and reassign them", ["find", "reassign"], id="two requests"),
        pytest.param("if it fails, notify finance", ["notify"], id="behind a condition"),
        pytest.param("I removed the step", [], id="told, not asked"),
        pytest.param("would removing it hurt", [], id="only considered"),
        pytest.param("what happens if we remove it", [], id="hypothetical"),
        pytest.param("how do I remove a step", [], id="asked how"),
        pytest.param("please do not remove it", [], id="forbidden"),
        pytest.param("Search is the second step", [], id="verb as a subject"),
        pytest.param("change requests are a mess", [], id="verb as part of a subject"),
    ],
)
def test_a_verb_is_a_request_only_where_one_is_made(message: str, verbs: list[str]) -> None:
    assert requests(read(message)) == verbs


def test_a_quoted_name_is_not_read_as_words() -> None:
    reading = read('what is the one called "Remove the old supplier"')

    assert requests(reading) == []
    assert "QUOTE" in reading.classes[-2]


@pytest.mark.parametrize("mark", ["->", "=>", "→", " > "])
def test_an_arrow_separates_steps(mark: str) -> None:
    reading = read(f"draft{mark}review")

    assert [bool("ARROW" in classes) for classes in reading.classes] == [False, True, False, False]


def test_a_list_is_read_line_by_line() -> None:
    reading = read("1. draft\n2. review\n- sign")

    assert sum("BULLET" in classes for classes in reading.classes) == 3


def test_of_a_long_message_the_beginning_and_the_end_are_read() -> None:
    reading = read("please turn this " + "x " * 50_000 + "into a workflow")

    assert reading.words[:3] == ("please", "turn", "this")
    assert reading.words[-4:-1] == ("into", "a", "workflow")


def test_the_work_does_not_grow_with_a_long_message() -> None:
    sizes = [len(read("could you " * times).words) for times in (1_000, 10_000, 100_000)]

    assert max(sizes) < 1_000
    assert len(set(sizes)) == 1
