"""The labelled orders that the models of the offline model are fitted to, and the fitting."""

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.fit_intents import DATA, Example, examples, fit, measure, order_words, tagged
from workflow_agent.assistant.offline.nlu.edits import BUILDERS
from workflow_agent.assistant.offline.nlu.tagging import NO_EDIT, OUTSIDE, slots_of

INTENTS = {*BUILDERS, *NO_EDIT, "event", "loop", "nofield"}
ROLES = {
    *("step", "new", "who", "time", "after", "before", "atend", "atstart", "beside", "case", "channel", "cond", "to"),
    *("from", "oldto", "oldcond", "name", "oldname", "oldwho", "oldtime", "more", "less", "num", "only", "unless"),
    *("first", "second", "value", "when", "need", "aside"),
}
WRITERS = sorted(DATA.glob("*.txt"))


@pytest.fixture(scope="module")
def written() -> dict[str, list[Example]]:
    return {path.name: list(examples(path)) for path in WRITERS[:3]}


def test_a_tag_labels_its_words_and_a_quoted_name_whichever_side_the_marks_are() -> None:
    text, tokens, labels = tagged('call [the visit|step] "[Site survey|name]", [nobody knows why|aside]')

    assert text == 'call the visit "Site survey", nobody knows why'
    assert [(slot.role, [t.text for t in slot.tokens]) for slot in slots_of(tokens, labels)] == [
        ("step", ["the", "visit"]),
        ("name", ["Site survey"]),
        ("aside", ["nobody", "knows", "why"]),
    ]
    assert labels[0] == OUTSIDE


@pytest.mark.parametrize("path", WRITERS, ids=lambda path: path.name)
def test_labelled_orders_are_well_formed(path: Path) -> None:
    lines = [line for line in path.read_text("utf-8").splitlines() if line.strip() and line[0] not in "@="]

    for line in lines:
        intent, _, order = line.partition("\t")
        text, _, labels = tagged(order)
        assert intent in INTENTS, line
        assert set(labels) - {OUTSIDE} <= ROLES, line
        assert "[" not in text, line
        assert "|" not in text, line


def test_writers_use_many_intents(written: dict[str, list[Example]]) -> None:
    for rows in written.values():
        assert len(Counter(row.intent for row in rows)) > 30


def test_few_examples_fit_models_that_read_what_they_were_fitted_to(
    written: dict[str, list[Example]], tmp_path: Path
) -> None:
    rows = [row for row in written[WRITERS[0].name] if row.intent in ("remove", "rename", "none")][:60]

    models = fit(rows, tmp_path)

    shares = measure(rows, models)
    assert shares["intent"] > 0.8
    assert shares["slots"] > 0.8
    assert {path.name for path in tmp_path.iterdir()} == {"slots.crf", "intents.crf", "slots_of_intent.crf"}


def test_words_that_order_something_are_those_often_in_no_slot(written: dict[str, list[Example]]) -> None:
    words = order_words([row for rows in written.values() for row in rows])

    assert "swap" in words["swap"]
    assert "remove" in words["remove"]
    assert "invoice" not in words
