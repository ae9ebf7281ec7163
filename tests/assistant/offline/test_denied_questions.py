"""What a question denies, narrows or does not fit is not answered by a plain yes, and nothing is left empty."""

from typing import Any

import pytest

from tests.assistant.offline.test_answers import CLAIM
from tests.assistant.offline.test_questions import LOAN
from workflow_agent.assistant.offline.questions.answers import answered
from workflow_agent.assistant.offline.references import Steps
from workflow_agent.assistant.offline.tokens import read_tokens
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

RING: dict[str, Any] = {
    "id": "wf_ring",
    "name": "Ring",
    "start": "a",
    "steps": [
        {"id": "a", "name": "Turn the key", "type": "human", "assignee": "guard"},
        {"id": "b", "name": "Look around", "type": "human", "assignee": "guard"},
    ],
    "transitions": [{"id": "t1", "from": "a", "to": "b"}, {"id": "t2", "from": "b", "to": "a"}],
    "triggers": [{"type": "manual"}],
}


def _told(workflow: Workflow, question: str) -> str:
    return answered(workflow, read_tokens(question), Steps(workflow)).text() or ""


@pytest.mark.parametrize(
    "question",
    [
        "does nobody approve it?",
        "is there no deadline?",
        "does no step have an owner?",
        "are there no loops?",
        "does the clerk not print the contract?",
        "is it fully automatic?",
        "are there two loops?",
        "does the clerk call the customer if paying works?",
    ],
)
def test_what_is_denied_or_narrowed_gets_no_plain_yes(question: str) -> None:
    assert not _told(parse_workflow(LOAN), question).startswith("Yes")


@pytest.mark.parametrize(
    "question",
    ["isn't there a deadline?", "is there a deadline?", "does the clerk decide?", "is there a step with no deadline?"],
)
def test_what_is_so_gets_its_yes(question: str) -> None:
    assert _told(parse_workflow(LOAN), question).startswith("Yes")


@pytest.mark.parametrize(
    "question",
    [
        "what else is there besides the contract?",
        "apart from scoring, what else is done?",
        "who else besides the clerk prints the contract?",
        "what do people do other than scoring?",
    ],
)
def test_a_question_for_others_than_somebody_unnamed_ends_no_turn(question: str) -> None:
    _told(parse_workflow(LOAN), question)


@pytest.mark.parametrize("question", ["what is the last step?", "how does it end?", "what comes last?"])
def test_without_an_end_it_is_told_that_there_is_none(question: str) -> None:
    assert "No end is drawn in **Ring**." in _told(parse_workflow(RING), question)


def test_what_is_not_missing_takes_the_other_ways() -> None:
    loan = parse_workflow(LOAN)

    assert "papers missing" in _told(loan, "what happens if papers are missing?")
    assert "if papers missing" not in _told(loan, "what happens if no papers are missing?")


def test_papers_that_are_missing_are_not_late() -> None:
    assert "papers missing" not in _told(parse_workflow(LOAN), "who gets it if the clerk is late?")


def test_a_number_of_tries_is_no_amount() -> None:
    assert "How large" not in _told(CLAIM, "what happens after 4 attempts?")


def test_every_day_is_not_every_monday() -> None:
    loan = parse_workflow(LOAN)

    assert _told(loan, "does it run every day at 3?").startswith("No")
    assert _told(loan, "does it run every monday at 3?").startswith("Yes")


def test_marks_alone_ask_nothing() -> None:
    assert answered(CLAIM, read_tokens("?"), Steps(CLAIM)).offered == ""
