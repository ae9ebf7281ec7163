"""When a message is a yes or a no, and when it is something else."""

import pytest

from workflow_agent.assistant.modes.conversation_mode import answer_in


@pytest.mark.parametrize(
    "message",
    [
        "yes",
        "Yes!",
        "do it",
        "apply",
        "apply the changes",
        "go ahead",
        "OK, do it please",
        "yes, delete it",
        "sure",
        "confirm",
        "yes please, apply all of them",
    ],
)
def test_these_confirm(message: str) -> None:
    assert answer_in(message) == "yes"


@pytest.mark.parametrize("message", ["no", "no thanks", "don\u2019t", "cancel that", "drop it", "never mind"])
def test_these_decline(message: str) -> None:
    assert answer_in(message) == "no"


@pytest.mark.parametrize(
    "message",
    [
        "",
        "yes?",
        "delete it",
        "yes, and add a legal review",
        "do you know the expense approval?",
        "thanks",
        "yes but only step 2",
        "show it as a diagram",
        "apply " * 30,
    ],
)
def test_these_are_something_else(message: str) -> None:
    assert answer_in(message) is None
