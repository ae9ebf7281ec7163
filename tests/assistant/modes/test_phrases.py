import re

import pytest

from workflow_agent.assistant.modes.inference import infer_mode
from workflow_agent.assistant.modes.lexicon import REQUESTABLE, VOCABULARY, verb_forms
from workflow_agent.assistant.modes.reader import PhraseIndex, compile_phrase, read, table
from workflow_agent.conversations.agents import MODES

FROM_READING = {"OTHER", "NAMED", "OPEN", "LEAD", "ASKED", "END", "STOP", "QUOTE", "BULLET", "ARROW", "DO_OTHER"}


def occurs(phrase: str, message: str) -> bool:
    index = PhraseIndex([compile_phrase(phrase, "general")])
    return any(True for _ in index.found_in(read(message).classes))


@pytest.mark.parametrize(
    ("phrase", "message", "expected"),
    [
        pytest.param("add step", "add step", True, id="words"),
        pytest.param("add step", "add a step", False, id="words side by side"),
        pytest.param("add|insert INDEF", "insert a step", True, id="alternatives and a class"),
        pytest.param("add new? step", "add step", True, id="optional left out"),
        pytest.param("add new? step", "add new step", True, id="optional given"),
        pytest.param("add .. step", "add one more step", True, id="short gap"),
        pytest.param("add .. step", "add one more little step", False, id="short gap too short"),
        pytest.param("add ... step", "add one more rather little step", True, id="long gap"),
        pytest.param("add ... step", "add one. That step", False, id="gap across sentences"),
        pytest.param("^add", "please add", True, id="start of a clause"),
        pytest.param("^add", "they will add", False, id="not the start of a clause"),
        pytest.param("add $", "add, then go", True, id="end of a clause"),
        pytest.param("add $", "add it", False, id="not the end of a clause"),
        pytest.param("find !FLAW", "find risks", False, id="anything but"),
        pytest.param("find !FLAW", "find invoices", True, id="something else"),
        pytest.param("DO_CHANGE+LEAD", "remove it", True, id="two demands on one word"),
        pytest.param("DO_CHANGE+LEAD", "draft, remove", False, id="one of two demands"),
    ],
)
def test_the_notation_means_what_it_says(phrase: str, message: str, expected: bool) -> None:
    assert occurs(phrase, message) is expected


def test_a_phrase_is_found_once_at_its_first_place() -> None:
    index = PhraseIndex([compile_phrase("add", "modification")])

    found = [(start, end) for _, start, end in index.found_in(read("add, add, add").classes)]

    assert found == [(0, 1)]


def lines() -> list[str]:
    return [row[-1] for row in (*table("phrases.tsv"), *table("frames.tsv"))]


def test_every_row_says_a_mode_and_when_it_counts() -> None:
    rows = [(mode, counts) for mode, counts, _, _ in table("phrases.tsv")]

    assert {mode for mode, _ in rows} == set(MODES)
    assert {counts for _, counts in rows} == {"always", "on topic", "off topic"}
    assert {meaning for meaning, _ in table("frames.tsv")} == {"ask", "wonder"}


def test_every_phrase_can_occur() -> None:
    known = {name for classes in VOCABULARY.values() for name in classes if name.isupper()}
    known |= FROM_READING | {f"DO_{name}" for name in REQUESTABLE}
    parts = {part for line in lines() for part in line.split() if part not in {"..", "...", "$"}}
    names = {name for part in parts for name in re.split(r"[|+]", part.removesuffix("?").lstrip("!^"))}

    unknown_classes = {name for name in names if name.isupper()} - known
    unreadable_words = {name for name in names if not name.isupper() and read(name).words[0] != name}

    assert (unknown_classes, unreadable_words) == (set(), set())


def test_no_phrase_is_listed_twice_for_a_mode() -> None:
    listed = [(mode, counts, phrase) for mode, counts, _, phrase in table("phrases.tsv")]
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize(
    ("verb", "forms"),
    [
        ("add", ("adds", "added", "adding")),
        ("move", ("moves", "moved", "moving")),
        ("tidy", ("tidies", "tidied", "tidying")),
        ("skip", ("skips", "skipped", "skipping")),
        ("fix", ("fixes", "fixed", "fixing")),
        ("free", ("frees", "freed", "freeing")),
        ("put", ("puts", "put", "putting")),
    ],
)
def test_a_verb_is_known_in_all_its_forms(verb: str, forms: tuple[str, str, str]) -> None:
    assert verb_forms(verb) == forms


@pytest.mark.parametrize(
    ("message", "mode"),
    [
        ("give me this as a Step Functions definition", "analysis"),
        ("export it to n8n", "analysis"),
        ("show it as a diagram", "analysis"),
        ("what changed since yesterday?", "analysis"),
        ("who changed what last week?", "analysis"),
        ("fix what you can", "modification"),
        ("make a copy of the expense approval called Travel approval", "creation"),
        ('import this state machine: {"StartAt": "A", "States": {"A": {"Type": "Succeed"}}}', "creation"),
    ],
)
def test_taking_in_giving_out_and_mending_lead_where_they_can_be_done(message: str, mode: str) -> None:
    assert infer_mode(message, workflow_loaded=True).mode == mode
