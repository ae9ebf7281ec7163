"""Of the cases that the offline model was built on, none is done wrongly and told as done but those known here."""

import pytest

from benchmarks.eval_offline import HALVES, KINDS, cases, judge

_KNOWN = {
    ("orders", "dev_6"): {
        "Before the keys are handed over, the caretaker inspects the flat and then reads the meters",
        'connect Inspect car to "Car returned unrepaired" for the case that the car is scrap',
    },
    ("orders", "dev_7"): {
        "A notice may only go out after it has been approved by the mayor",
        "replace the walk-around check with an automatic drone scan",
        "the ops control desk should be informed whenever a defect is found",
    },
    ("orders", "dev_8"): {
        "add tag monthly; people also call it pay run",
        "call the last step Crown at the dentist",
        "first and second marking get ten days each",
    },
    ("orders", "dev_9"): {"mail the dog trainer as soon as a trial week begins"},
    ("orders", "dev_10"): {
        ("we forgot: damage check by the library assistant when the reader brings it, so right after handing out"),
        "we never reset remotely any more: take out the reset and the watching, every fault gets a visit",
    },
    ("orders", "dev_11"): {
        "the right for the safety check is named site_release since the new year, change it there",
        "two things: sending the offer gets 5 attempts, and accounting looks over the bill before it is sent",
    },
    ("orders", "dev_15"): {
        (
            "add something for the neighbors, a flyer in their mailbox right before the shingles get ordered // the "
            "office assistant handles that // oh and give her two days"
        ),
        "Customers who collect in person don't need a courier, their job is finished when it's boxed",
        "get rid of the guarantor business altogether, whoever earns too little gets refused",
    },
    ("orders", "dev_16"): {
        (
            "Second examiner gets only 28 days, and the supervisor as well. Also the student should have 10 "
            "days to upload."
        ),
        "supervisors want to get a mail when their student is called to a hearing",
    },
    ("orders", "dev_17"): {
        "Opening to beta users should need the release:beta permission",
        (
            "since we import only frozen goods now, every load needs 12 hrs to settle in the cold lock "
            "between unloading and counting, please build that in"
        ),
    },
    ("orders", "dev_18"): {
        (
            "If the honey is organic the quality manager checks the certificate after weighing and before "
            "the sample is taken. All other honey goes to the sample directly."
        ),
        "Once the client has signed, wait two days before the file is opened (cooling-off).",
    },
    ("sample_orders", "dev"): {
        'add "Call the CTO" before Inform everybody, then delete Open incident channel',
        "let the CFO approve before the money goes out",
    },
    ("descriptions", "dev"): {
        ("a workflow for onboarding a volunteer with four steps: welcome call, background check, training, first shift")
    },
    ("descriptions", "dev_2"): {
        (
            "The buyer compares offers. For purchases of more than 10k three offers are needed and the board "
            "decides; smaller ones are decided by the buyer. Then the buyer places the order."
        )
    },
    ("questions", "dev"): {"Which failures is the developer told about?"},
    ("questions", "dev_6"): {"who approves the large ones"},
    ("questions", "dev_12"): {"hours are right and the total is 300000 - does somebody sign, and who"},
    ("questions", "dev_13"): {
        "It's not the disk, only the software has hung itself up. What do I do?",
        "When do we have to make the cover a second time?",
    },
    ("questions", "dev_14"): {
        "Please tell me what happens if the head teacher says no.",
        "Where is a down payment taken?",
        "Who goes through the list of open dues?",
        "someone owes 40 euros and asked to pay in parts, whats next?",
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
