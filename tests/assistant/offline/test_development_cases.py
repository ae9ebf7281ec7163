"""Of the cases that the offline model was built on, none is done wrongly and told as done but those known here."""

import pytest

from benchmarks.eval_offline import HALVES, KINDS, cases, judge

_KNOWN = {
    ("orders", "dev_3"): {"No director's approval anymore"},
    ("orders", "dev_6"): {'connect Inspect car to "Car returned unrepaired" for the case that the car is scrap'},
    ("orders", "dev_7"): {
        "When proofreading is through and the text is clean, a subject expert reads it before the layout."
    },
    ("orders", "dev_8"): {"crowns over 900 euros need approval from the lab manager before they are milled"},
    ("orders", "dev_9"): {"when damage is above 2000 euro, report to insurance before we return the deposit"},
    ("orders", "dev_10"): {
        "a new consignment should also start when the website form is sent, event website.form_sent",
        "provenence check shld be done befor the value is estimated",
        "if reading the log fails, let the control room classify right away",
        "not the manager, the technician on duty should call the service engineer",
        'Change "still dirty" into "stains visible" please',
        'two things: call it "Linen service", and add a tag daily',
    },
    ("questions", "dev_6"): {
        "what is next when both reviews are in",
        "is a 300 euro invoice approved by anyone?",
        "any workflow that has to do with animals?",
    },
}
"""Mistakes that are not mended yet: who mends one takes it out here."""
_BUILT_ON = [half for half in HALVES if half.startswith("dev")]


@pytest.mark.slow(is_never_quick=True)
@pytest.mark.parametrize(("kind", "half"), [(kind, half) for kind in KINDS for half in _BUILT_ON if cases(kind, half)])
async def test_no_case_but_the_known_ones_is_done_wrongly(kind: str, half: str) -> None:
    judged = await judge(kind, half)

    assert len(judged) == len(cases(kind, half))
    assert {str(one.said) for one in judged if one.verdict == "wrong"} == _KNOWN.get((kind, half), set())
