"""What is said around the work, and between a subject and its verb."""

import pytest

from tests.support.drafts import notation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "We bake custom cakes. The baker mixes the dough, then he bakes the cake.",
            [
                "human Mix dough @baker -> Bake cake",
                "human Bake cake @baker -> Done",
            ],
            id="what the trade is",
        ),
        pytest.param(
            "The clerk opens the letter, then he files it. That should make everyone happier!",
            [
                "human Open letter @clerk -> File letter",
                "human File letter @clerk -> Done",
            ],
            id="what it is good for",
        ),
        pytest.param(
            "Right now everything happens by email. The clerk opens the letter, then he files it.",
            [
                "human Open letter @clerk -> File letter",
                "human File letter @clerk -> Done",
            ],
            id="how it is today",
        ),
        pytest.param(
            "What I'd like: the manager sends a welcome pack, then the designer sets up the page.",
            [
                "human Send welcome pack @manager -> Set up page",
                "human Set up page @designer -> Done",
            ],
            id="a wish in front",
        ),
        pytest.param(
            "The clerk opens the letter. That takes a day. Then he files it.",
            [
                "human Open letter @clerk timeout=P1D -> File letter",
                "human File letter @clerk -> Done",
            ],
            id="a limit is no aside",
        ),
        pytest.param(
            (
                "The caretaker takes the call and, if it is urgent, sends a plumber. The doctor "
                "then writes the report."
            ),
            [
                "human Take call @caretaker -> It is urgent?",
                "decision It is urgent? [it is urgent]-> Send plumber [else]-> Write report",
                "human Send plumber @caretaker -> Write report",
                "human Write report @doctor -> Done",
            ],
            id="then between subject and verb",
        ),
        pytest.param(
            "The guest is asked for a passport, and the receptionist, if it is missing, calls the police.",
            [
                "human Ask guest for passport -> It is missing?",
                "decision It is missing? [it is missing]-> Call police [else]-> Done",
                "human Call police @receptionist -> Done",
            ],
            id="a condition between subject and verb",
        ),
        pytest.param(
            (
                "The vet examines the dog. After the examination the vet signs the card, and at the"
                " end of the day the owner pays the bill."
            ),
            [
                "human Examine dog @vet -> Sign card",
                "human Sign card @vet -> Pay bill",
                "human Pay bill @owner -> Done",
            ],
            id="a phrase of time in front of a clause",
        ),
    ],
)
def test_only_the_work_is_drawn(text: str, expected: list[str]) -> None:
    assert notation(text).splitlines() == expected
