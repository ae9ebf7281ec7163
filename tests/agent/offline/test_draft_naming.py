"""What a drafted workflow is called, well-known processes, and what is no description."""

import pytest

from tests.support.drafts import drafted, notation
from workflow_agent.agent.offline.drafting import draft_workflow
from workflow_agent.agent.offline.drafting.topics import TOPICS, Topic


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('Create a workflow called "Holiday request": the employee asks, HR records it.', "Holiday request"),
        ("The clerk scans it, then the boss signs it. Call it Paper trail.", "Paper trail"),
        ("Make a workflow named Lab order where the nurse draws blood and the lab analyses it", "Lab order"),
        ("a workflow for onboarding suppliers where legal checks the contract", "Supplier onboarding"),
        ("Build me an expense approval: the manager approves, finance pays", "Expense approval"),
        ("Invoice approval:\n1. scan\n2. approve\n3. pay", "Invoice approval"),
        ("when an employee submits an expense the manager approves or rejects it", "Expense approval"),
        ("The lawyer writes the contract. The client signs the contract.", "Contract process"),
        ("draft -> review -> publish", "Draft to publish"),
        ("I want to track library loans: the librarian registers the loan", "Library loan tracking"),
        ("Create a lifecycle for invoices: draft, sent, paid.", "Invoice lifecycle"),
    ],
)
def test_the_name_is_the_one_told_or_what_it_is_about(text: str, name: str) -> None:
    assert drafted(text)["name"] == name


def test_other_names_become_aliases() -> None:
    graph = drafted('Create a workflow called "Purchase order" (aka PO): the buyer orders, the boss signs.')

    assert graph["name"] == "Purchase order"
    assert graph["aliases"] == ["PO"]


def test_the_description_is_the_text_on_one_line() -> None:
    graph = drafted("The clerk scans it.\n\nThen   the boss signs it.")

    assert graph["description"] == "The clerk scans it. Then the boss signs it."


@pytest.mark.parametrize(
    ("text", "description"),
    [
        (
            "Create a workflow called Parking permit: the clerk checks the form, then the boss signs it.",
            "The clerk checks the form, then the boss signs it.",
        ),
        (
            'Please build me a process named "Parking permit". The clerk checks it. The boss signs it.',
            "The clerk checks it. The boss signs it.",
        ),
        (
            "create a workflow: for each claim the clerk checks it and the boss signs it, then finance pays",
            "For each claim the clerk checks it and the boss signs it, then finance pays",
        ),
        ("Build me an expense approval: the boss approves, finance pays", "The boss approves, finance pays"),
        ("The clerk scans it: then the boss signs it.", "The clerk scans it: then the boss signs it."),
        (
            "Make a workflow where the clerk scans it: then the boss signs it.",
            "Make a workflow where the clerk scans it: then the boss signs it.",
        ),
    ],
)  # fmt: skip
def test_the_description_does_not_repeat_the_order_to_make_it(text: str, description: str) -> None:
    assert drafted(text)["description"] == description


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_a_process_that_is_only_named_gets_its_usual_form_and_says_so(topic: Topic) -> None:
    draft = draft_workflow(f"we need a workflow for {topic.name.lower()}")

    assert draft is not None
    assert draft.name == topic.name
    assert "starting point" in draft.assumptions[0]
    assert len([step for step in draft.steps if step["type"] != "end"]) > 2


@pytest.mark.parametrize(
    "text",
    [
        "we need something for onboarding suppliers",
        "build me something for vacation requests please",
        "can you create a process to handle refunds?",
        "I'd like a flow for publishing blog articles",
    ],
)
def test_a_vague_wish_for_a_well_known_process_gets_a_starting_point(text: str) -> None:
    draft = draft_workflow(text)

    assert draft is not None
    assert draft.tags
    assert "starting point" in draft.assumptions[0]


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "hello", "what can you do?", "which of ours talk to Slack?", "rename the second step",
        "Rename the second step to Check and move it", "where can this get stuck?", "undo that", "thanks!",
        "we need a workflow for xylophones", "the weather is nice today", "onboarding",
        "If rejected, send it back.",
        "-> -> ->", "1. 2. 3.", "Question about expenses: where do they get stuck?", "(((",
        "states:", "call it", "\x00\ud800",
    ],
)  # fmt: skip
def test_what_describes_no_process_gives_nothing(text: str) -> None:
    assert draft_workflow(text) is None


def test_listed_steps_in_a_request_are_the_steps() -> None:
    graph = notation(
        "Create a workflow for expenses with these steps: submit expense, manager review and finance payment"
    )

    assert graph.split("\n") == [
        "human Submit expense -> Manager review",
        "human Manager review @manager -> Finance payment",
        "human Finance payment @finance -> Done",
    ]


def test_an_unmentioned_rejection_is_assumed_and_said() -> None:
    draft = draft_workflow("The manager approves the budget, then finance pays it.")

    assert draft is not None
    assert draft.assumptions == (
        "You did not say what happens after a rejection at 'Approve budget'; I end the process there.",
    )


def test_a_revision_without_a_way_back_is_led_back_and_said() -> None:
    draft = draft_workflow(
        "The editor reviews the text. If it is wrong, the author corrects it. If it is ok, publish it."
    )

    assert draft is not None
    assert draft.assumptions == ("After 'Correct text' I let it go back to 'Review text'.",)


def test_what_was_understood_names_each_step_and_where_it_leads() -> None:
    draft = draft_workflow(
        "The manager approves or rejects it. If approved finance pays, otherwise tell the employee."
    )

    assert draft is not None
    assert draft.understood == (
        "Approve or reject (manager) leads to 'Pay' if approved, 'Tell employee' if rejected.",
        "Pay (finance) leads to 'Done'.",
        "Tell employee leads to 'Rejected'.",
    )
