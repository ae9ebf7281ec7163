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
    rows = [Judged((1.0, -float(at % 5), float(at % 2)), at % 5 < 2, True) for at in range(200)]

    _, falling, other = fit(rows)

    assert falling > 1
    assert abs(other) < abs(falling)
