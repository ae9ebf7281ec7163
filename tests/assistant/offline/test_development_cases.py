"""Of the cases that the offline model was built on, none is done wrongly and told as done but those known here."""

import pytest

from benchmarks.eval_offline import HALVES, KINDS, cases, judge

_KNOWN = {
    ("orders", "dev"): {'add "Count heads" before going on the trip // no, make that after'},
    ("orders", "dev_3"): {"panel meetings should come after a pre-selection by the office"},
    ("orders", "dev_6"): {
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
        "when the appeal period is over the exam board hears the appeals",
        "automation: post to Slack whenever Harvest halted is entered",
    },
    ("orders", "dev_9"): {
        "mail the dog trainer as soon as a trial week begins",
        "when wind is more than 70 km/h after reading, close the slopes",
    },
    ("orders", "dev_10"): {
        'put "Clean hub" between repair and test run, done by the technician, and tag everything safety',
        "the strings need 3 weeks of rest, two are too short",
        (
            "when the wind is above 12 m/s the technicians cannot climb, so after the preparation go back to planning "
            "in that case"
        ),
    },
    ("orders", "dev_11"): {
        "Small mobile cranes aren't rigged, so there has to be a path from Send crane to the safety check for these",
        "We have to note down the notarial file number allready at the time we take instructions",
        "give the answer a deadline of minus three days",
        "The site manager has to get a message that the crane is on its way",
        "the right for the safety check is named site_release since the new year, change it there",
    },
    ("sample_orders", "dev"): {
        "if paying out goes wrong after all retries, go to rejected instead of repairing",
        "let the CFO approve before the money goes out",
        "Also post on Mastodon when spreading the word",
    },
    ("descriptions", "dev_2"): {
        "The dispatcher calls the driver, up to three times. After that he informs the customer.",
        (
            "The buyer compares offers. For purchases of more than 10k three offers are needed and the board decides; "
            "smaller ones are decided by the buyer. Then the buyer places the order."
        ),
    },
    ("descriptions", "dev_3"): {
        "Make a workflow: sales writes the offer, the manager signs it unless it is under 1000 euros, sales sends it."
    },
    ("descriptions", "dev_4"): {
        (
            "Book a slot with the dentist. If she's on holiday, with her locum. In any case text the patient the time. "
            "Make a flow."
        )
    },
    ("questions", "dev"): {"Which failures is the developer told about?"},
    ("questions", "dev_6"): {"who approves the large ones"},
    ("questions", "dev_13"): {
        "When do we have to make the cover a second time?",
        "who brings the food on board",
        "Is the case closed immediately after the bill was sent?",
        "It's not the disk, only the software has hung itself up. What do I do?",
    },
    ("questions", "dev_14"): {
        "Please tell me what happens if the head teacher says no.",
        "Who goes through the list of open dues?",
        "someone owes 40 euros and asked to pay in parts, whats next?",
        "Where is a down payment taken?",
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
