"""The labelled orders that the encoder of the offline model is fitted to."""

import re
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.orders_tagged import DATA, Example, examples, order_words, pairs, said, tagged
from workflow_agent.assistant.offline.nlu.edits import BUILDERS
from workflow_agent.assistant.offline.nlu.tagging import ASIDE, NO_EDIT, OUTSIDE, SEVERAL, slots_of

INTENTS = {*BUILDERS, *NO_EDIT, "loop"}
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


@pytest.mark.untraced
@pytest.mark.parametrize("path", WRITERS, ids=lambda path: path.name)
def test_labelled_orders_are_well_formed(path: Path) -> None:
    lines = [line for line in path.read_text("utf-8").splitlines() if line.strip() and line[0] not in "@="]

    for line in lines:
        intent, _, order = line.partition("\t")
        parts = re.findall(r"\{(\w+)\}", order)
        assert set(parts) <= INTENTS | {ASIDE}, line
        assert not parts or intent == SEVERAL, line
        text, _, labels = tagged(re.sub(r"(?: \|\| )?\{\w+\}", "", order))
        assert intent in INTENTS, line
        assert set(labels) - {OUTSIDE} <= ROLES, line
        assert "[" not in text, line
        assert "|" not in text, line


def test_writers_use_many_intents(written: dict[str, list[Example]]) -> None:
    for rows in written.values():
        assert len(Counter(row.intent for row in rows)) > 30


def test_several_orders_in_a_message_are_an_example_together_and_each(tmp_path: Path) -> None:
    path = tmp_path / "voice.txt"
    order = (
        "several\t{aside}[Bea is ill,|aside] || {remove}drop [the visit|step], || {rename}and call [the offer|step] "
        "[Quote|name]. || {aside}[She knows.|aside]"
    )
    path.write_text(f"@ Solar | Site visit (surveyor) | Write offer\n{order}\n", "utf-8")

    together, *each = examples(path)

    assert together.intent == SEVERAL
    assert together.begins is not None
    assert [t.text for t, begins in zip(together.tokens, together.begins, strict=True) if begins] == ["and"]
    assert [(one.intent, one.text) for one in each] == [
        ("remove", "Bea is ill, drop the visit,"),
        ("rename", "and call the offer Quote. She knows."),
    ]
    assert said(each[1], each[1].labels) == {("step", "offer"): 1, ("name", "quote"): 1}
    assert each[0].labels[:3] == [ASIDE] * 3


def test_several_orders_of_unknown_parts_say_nothing_of_where_one_begins(tmp_path: Path) -> None:
    path = tmp_path / "voice.txt"
    path.write_text("@ Solar | Site visit\nseveral\tdrop the visit and add a call\n", "utf-8")

    assert [one.begins for one in examples(path)] == [None]


def test_orders_are_joined_to_messages_the_same_way_each_time() -> None:
    path = WRITERS[0]

    joined = list(pairs(path))

    assert [one.text for one in joined] == [one.text for one in pairs(path)]
    for one in joined:
        assert one.begins is not None
        assert 1 <= sum(one.begins) <= 2


def test_words_that_order_something_are_those_often_in_no_slot(written: dict[str, list[Example]]) -> None:
    words = order_words([row for rows in written.values() for row in rows])

    assert "swap" in words["swap"]
    assert "remove" in words["remove"]
    assert "invoice" not in words
