"""Of the cases that the offline model was built on, none is done wrongly and told as done but those known here."""

import pytest

from benchmarks.eval_offline import HALVES, KINDS, cases, judge

_KNOWN = {
    ("orders", "dev"): {'add "Count heads" before going on the trip // no, make that after'},
    ("orders", "dev_3"): {"No director's approval anymore"},
    ("orders", "dev_6"): {
        "if there are complications during recovery, go back to the operation",
        "Before the ticket is sorted, the customer should automatically get a confirmation of receipt",
        'connect Inspect car to "Car returned unrepaired" for the case that the car is scrap',
    },
    ("orders", "dev_7"): {
        (
            "After the complaints of last summer the council decided that applicants have four weeks to send in what "
            "is missing, not three"
        ),
        "replace the walk-around check with an automatic drone scan",
        "the ops control desk should be informed whenever a defect is found",
        (
            "when the service company can fix it over the phone, go from the call back to reading the sensors; "
            "in all other cases it stays shut"
        ),
        (
            "The water temperature counts too! If it's colder than 24 degrees the technician turns on the heating "
            "after the logbook, and then we open. Warm enough = open right away like today"
        ),
    },
    ("orders", "dev_8"): {
        "crowns over 900 euros need approval from the lab manager before they are milled",
        "call the last step Crown at the dentist",
    },
    ("orders", "dev_9"): {
        "mail the dog trainer as soon as a trial week begins",
        "when damage is above 2000 euro, report to insurance before we return the deposit",
    },
    ("orders", "dev_10"): {
        'put "Clean hub" between repair and test run, done by the technician, and tag everything safety',
        "iron and fold is the supervisor's job now // the dryer may be tried twice // undo the last one please",
        "the strings need 3 weeks of rest, two are too short",
        (
            "when the wind is above 12 m/s the technicians cannot climb, so after the preparation go back to planning "
            "in that case"
        ),
        "too little seed: ask the grower for more before drawing again. The sampler asks.",
        "we never reset remotely any more: take out the reset and the watching, every fault gets a visit",
    },
    ("sample_orders", "dev"): {
        "if paying out goes wrong after all retries, go to rejected instead of repairing",
        "let the CFO approve before the money goes out",
    },
    ("descriptions", "dev_2"): {
        (
            "The buyer compares offers. For purchases of more than 10k three offers are needed and the board decides; "
            "smaller ones are decided by the buyer. Then the buyer places the order."
        )
    },
    ("questions", "dev_6"): {"what is next when both reviews are in", "is a 300 euro invoice approved by anyone?"},
}
"""Mistakes that are not mended yet: who mends one takes it out here."""
_BUILT_ON = [half for half in HALVES if half.startswith("dev")]


@pytest.mark.slow(is_never_quick=True)
@pytest.mark.parametrize(("kind", "half"), [(kind, half) for kind in KINDS for half in _BUILT_ON if cases(kind, half)])
async def test_no_case_but_the_known_ones_is_done_wrongly(kind: str, half: str) -> None:
    judged = await judge(kind, half)

    assert len(judged) == len(cases(kind, half))
    assert {str(one.said) for one in judged if one.verdict == "wrong"} == _KNOWN.get((kind, half), set())
