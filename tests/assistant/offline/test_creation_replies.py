"""What is told of a new workflow: what was drawn and what not, questions about one that waits, and what to do next."""

import re

import pytest

from workflow_agent.assistant.offline.drafting.description import read_description
from workflow_agent.assistant.offline.skills.creation import create, tell_of
from workflow_agent.assistant.offline.turn.outcome import Call, Suggestion
from workflow_agent.workflows.edits.drafts import parse_draft, workflow_from_draft
from workflow_agent.workflows.model.workflow import workflow_document


def replied(text: str, *, findings: tuple[dict[str, str], ...] = ()) -> str:
    """Return the reply to a description, the tool's result made of what it was called with."""
    skill = create(text, read_description(text), is_confirmed=False)
    try:
        call = next(skill)
        assert isinstance(call, Call)
        made = workflow_document(workflow_from_draft(parse_draft(call.args), "wf_made"))
        result = {"workflow": made, "steps": made["steps"], "transitions": made["transitions"], "findings": findings}
        skill.send(result)
    except StopIteration as end:
        return end.value.text
    raise AssertionError("no reply")


def test_what_was_read_wholly_is_created_and_shown() -> None:
    said = replied("The clerk checks it. If it is good, the boss signs it, otherwise the clerk mails it.")

    assert said.startswith("Done: I created **New workflow**")
    assert "if it is good: Sign it; otherwise Mail it" in said
    assert "What shall it be called?" in said


def test_a_deadline_and_what_starts_it_are_shown() -> None:
    said = replied("Every night at 2 the clerk opens the mail. The boss signs it within 2 days.")

    assert "Starts: " in said
    assert "boss, deadline 2 days" in said


def test_the_body_of_a_loop_and_errors_are_shown() -> None:
    said = replied(
        "For each file, the clerk scans it and the boss signs it. The clerk mails it. If nobody answers in "
        "2 days, the boss calls."
    )

    assert "(inside the loop)" in said
    assert "on error Call" in said


@pytest.mark.parametrize(("good", "bad"), [("If so,", "if not,"), ("Yes:", "no:")])
def test_an_answer_to_a_question_told_is_no_doubt(good: str, bad: str) -> None:
    said = replied(f"The agent logs the complaint. Is it urgent? {good} the boss calls; {bad} the agent answers.")

    assert said.startswith("Done: ")
    assert re.search(r"\*\*Is it urgent\?\*\* .* if (so|yes): Call; otherwise Answer", said)


def test_what_was_not_drawn_is_shown_first() -> None:
    said = replied("The clerk files it (blue folder). The boss signs it.")

    assert said.startswith("I understood 2 steps and 1 end:")
    assert "1. **File it** (`file_it`): clerk → Sign it" in said
    assert "I am not sure of, or did not draw: what 'blue folder' is." in said
    assert "Shall I make it like that?" in said


def test_what_was_left_out_is_named() -> None:
    said = replied("The clerk scans it (three copies). The boss signs it.")

    assert "not of all you wrote. I did not use: “three”." in said


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("who packs the box?", "**Pack the box** (`pack_the_box`): **packer**"),
        ("why is the sky blue?", "Nothing is made yet: say yes to make it"),
    ],
)
def test_a_question_is_answered_from_what_waits(question: str, told: str) -> None:
    draft = read_description("The packer packs the box, the clerk prints the label, the driver loads it.")
    assert draft is not None
    offer = Suggestion("make it")

    with pytest.raises(StopIteration) as answer:
        next(tell_of(draft, question, offer))

    reply = answer.value.value
    assert told in reply.text
    assert "Nothing is made yet" in reply.text
    assert reply.offer is offer


def test_findings_are_offered_to_be_fixed() -> None:
    found = {"severity": "warning", "code": "no_timeout", "message": "It has no timeout.", "step": "file_it"}

    assert "Worth a look" in replied("The clerk files it and the boss signs it.", findings=(found,))


def test_nothing_described_is_asked_for() -> None:
    assert replied("create a workflow").startswith("Happy to build that.")
