"""Of the cases that the offline model was built on, none is done wrongly and told as done but those known here."""

import pytest

from benchmarks.eval_offline import HALVES, KINDS, cases, judge

_KNOWN = {
    ("orders", "dev"): {'add "Count heads" before going on the trip // no, make that after'},
    ("orders", "dev_3"): {"panel meetings should come after a pre-selection by the office"},
    ("orders", "dev_6"): {
        "Before the ticket is sorted, the customer should automatically get a confirmation of receipt",
        'connect Inspect car to "Car returned unrepaired" for the case that the car is scrap',
        "if the purchase order is missing, return the invoice to the supplier",
    },
    ("orders", "dev_7"): {
        (
            "After the complaints of last summer the council decided that applicants have four weeks to send"
            " in what is missing, not three"
        ),
        (
            "The water temperature counts too! If it's colder than 24 degrees the technician turns on the "
            "heating after the logbook, and then we open. Warm enough = open right away like today"
        ),
        "once the panels have been delivered, the customer should get a text message",
        "replace the walk-around check with an automatic drone scan",
        "the ops control desk should be informed whenever a defect is found",
        (
            "when the service company can fix it over the phone, go from the call back to reading the "
            "sensors; in all other cases it stays shut"
        ),
    },
    ("orders", "dev_8"): {
        "call the last step Crown at the dentist",
        "crowns over 900 euros need approval from the lab manager before they are milled",
        "when the appeal period is over the exam board hears the appeals",
    },
    ("orders", "dev_9"): {"mail the dog trainer as soon as a trial week begins"},
    ("orders", "dev_10"): {
        'put "Clean hub" between repair and test run, done by the technician, and tag everything safety'
    },
    ("orders", "dev_11"): {
        "Small mobile cranes aren't rigged, so there has to be a path from Send crane to the safety check for these",
        "We have to note down the notarial file number allready at the time we take instructions",
        "the right for the safety check is named site_release since the new year, change it there",
    },
    ("orders", "dev_15"): {
        "Corrected figures should go back to the manager for review, it calculates itself when you save them anyway",
        "Leave two days between the bank file and the payslips",
        "Parts take three days to get here now, not two.",
        (
            "only when there are new starters: HR assistant sets them up, after the data is complete and "
            "before pay is calculated"
        ),
        "payslips aren't emailed any more, they are uploaded to the staff portal",
    },
    ("orders", "dev_16"): {
        "Give peolpe four weeks to hand in what is missing, three is too short in summer holidays",
        (
            "Second examiner gets only 28 days, and the supervisor as well. Also the student should have 10 "
            "days to upload."
        ),
        "Social services would like to get an email the moment a patient turns out to need rehab",
        "The campus system shall not kick this off by itself any more, we start it by hand.",
        "compliance has closed its unit here, due diligence check falls away",
        "nothing may be trown away before the head of finance agreed. If he does not, it gets repaired",
        "supervisors want to get a mail when their student is called to a hearing",
        "when collecting the application pls add the IBAN, finance is always running after it",
    },
    ("orders", "dev_17"): {
        "Pls keep the customs broker posted if an inspection has been ordered",
        "Sign-off: 24 hours, and past that it goes to the CIO rather than the IT manager.",
        "The shift lead shall inspect the area after the lockout is removed; also tag the workflow with safety.",
    },
    ("sample_orders", "dev"): {
        "Also post on Mastodon when spreading the word",
        "if paying out goes wrong after all retries, go to rejected instead of repairing",
        "let the CFO approve before the money goes out",
    },
    ("descriptions", "dev"): {
        "a workflow for onboarding a volunteer with four steps: welcome call, background check, training, first shift"
    },
    ("descriptions", "dev_2"): {
        (
            "The buyer compares offers. For purchases of more than 10k three offers are needed and the board"
            " decides; smaller ones are decided by the buyer. Then the buyer places the order."
        ),
        "The dispatcher calls the driver, up to three times. After that he informs the customer.",
    },
    ("descriptions", "dev_3"): {
        "Make a workflow: sales writes the offer, the manager signs it unless it is under 1000 euros, sales sends it."
    },
    ("descriptions", "dev_4"): {
        (
            "Book a slot with the dentist. If she's on holiday, with her locum. In any case text the patient"
            " the time. Make a flow."
        )
    },
    ("questions", "dev"): {"Which failures is the developer told about?"},
    ("questions", "dev_6"): {"who approves the large ones"},
    ("questions", "dev_13"): {
        "Is the case closed immediately after the bill was sent?",
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
