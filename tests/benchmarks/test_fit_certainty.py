"""How probable it is that edits are what was ordered, as it is fitted."""

import pytest

from benchmarks.fit_certainty import Judged, fit, same

INSERT = {
    "op": "insert_step",
    "step": {"id": "check_the_roof", "name": "Check the roof", "type": "human"},
    "after": "a",
}


@pytest.mark.parametrize(
    ("changed", "is_same"),
    [
        ({"step": {"id": "check_roof", "name": "Check roof", "type": "human"}}, True),
        ({"step": {"id": "check_roof", "name": "Check roof", "type": "human", "assignee": "bob"}}, False),
        ({"step": {"id": "call_bob", "name": "Call Bob", "type": "human"}}, False),
        ({"after": "b"}, False),
    ],
)
def test_edits_do_the_same_though_a_name_is_worded_otherwise(changed: dict[str, object], is_same: bool) -> None:
    assert same([INSERT], [INSERT | changed]) == is_same


def test_edits_of_another_number_are_others() -> None:
    assert not same([INSERT], [INSERT, INSERT])
    assert same([], [])


def test_weights_say_which_signs_speak_against_a_reading() -> None:
    rows = [
        Judged({"any": 1.0, "certainty": -float(at % 5), "an unread word": float(at % 2)}, at % 5 < 2, True)
        for at in range(200)
    ]

    weights = fit(rows)

    assert list(weights) == ["any", "certainty", "an unread word"]
    assert weights["certainty"] > 1
    assert abs(weights["an unread word"]) < abs(weights["certainty"])
