"""Further ways in which people describe work: what is drawn of each, and what is told as not drawn."""

import pytest

from tests.assistant.offline.test_descriptions import lines
from workflow_agent.assistant.offline.drafting.description import read_description
from workflow_agent.assistant.offline.drafting.graph import MOST_STEPS
from workflow_agent.assistant.offline.skills.creation import create, tell_of
from workflow_agent.assistant.offline.turn.outcome import Call, Suggestion
from workflow_agent.workflows.edits.drafts import parse_draft, workflow_from_draft
from workflow_agent.workflows.model.workflow import workflow_document


@pytest.mark.parametrize(
    ("text", "graph"),
    [
        ("These are the steps: sow, water and harvest.", ["Sow: Water", "Water: Harvest", "Harvest"]),
        ("The steps: sow, water, harvest.", ["Sow: Water", "Water: Harvest", "Harvest"]),
        (
            "Here is how it works: the clerk opens the file and the boss signs it.",
            ["Open the file @clerk: Sign the file", "Sign the file @boss"],
        ),
        (
            "We need a process in which the clerk opens the file and the boss signs it.",
            ["Open the file @clerk: Sign the file", "Sign the file @boss"],
        ),
        (
            "Build a flow that collects the orders, packs the seeds and ships them.",
            ["Collect the orders: Pack the seeds", "Pack the seeds: Ship the seeds", "Ship the seeds"],
        ),
        (
            "Until the boss is happy, the clerk rewrites the text. Then it is printed.",
            [
                "Rewrite the text @clerk: The boss is happy?",
                "The boss is happy?: [not yet] Rewrite the text, [the boss is happy] Print the text",
                "Print the text",
            ],
        ),
        (
            "The clerk writes the text. Before the boss signs it, the lawyer checks it.",
            ["Write the text @clerk: Check the text", "Check the text @lawyer: Sign the text", "Sign the text @boss"],
        ),
        (
            "The guard rings. If nobody answers in 5 minutes, the guard calls the police. Then he leaves.",
            [
                "Ring @guard {timeout=PT5M}: [else] Call the police, Leave",
                "Call the police @guard: Leave",
                "Leave @guard",
            ],
        ),
        (
            "The system charges the card. If that fails, retry three times. If it still fails, sales calls somebody.",
            ["Charge the card @system: [else] Call somebody", "Call somebody @sales"],
        ),
        (
            "The clerk opens it. This happens within 2 days. The boss signs it.",
            ["Open it @clerk {timeout=P2D}: Sign it", "Sign it @boss"],
        ),
        (
            "The clerk opens the letter while the boss reads it. Once both are done, it is filed.",
            [
                "In parallel: Open the letter, Read the letter",
                "Open the letter @clerk: All done",
                "Read the letter @boss: All done",
                "All done: File the letter",
                "File the letter",
            ],
        ),
        (
            "The clerk scans it -> boss reads it -> if bad: back to the clerk",
            ["Scan it @clerk: Read it", "Read it @boss: Bad?", "Bad?: [bad] Scan it"],
        ),
        (
            "The clerk checks the bill. Over 500 the boss signs it, over that by the director.",
            [
                "Check the bill @clerk: Over 500?",
                "Over 500?: [over 500] Sign the bill, [over that] Sign the bill",
                "Sign the bill @boss",
                "Sign the bill @director",
            ],
        ),
        (
            "The clerk checks the form. Incomplete -> back to the clerk. Complete: the boss signs it.",
            [
                "Check the form @clerk: Incomplete?",
                "Incomplete?: [incomplete] Check the form, [complete] Sign the form",
                "Sign the form @boss",
            ],
        ),
        (
            "The clerk must be informed by the boss and then the clerk needs to file it.",
            ["Inform the clerk @boss: File it", "File it @clerk"],
        ),
        (
            "They are checking it. We try to fix it and the clerk gets paid.",
            ["Check it: Try to fix it", "Try to fix it: Pay the clerk", "Pay the clerk"],
        ),
    ],
)
def test_each_form_is_drawn(text: str, graph: list[str]) -> None:
    draft = read_description(text)

    assert draft is not None
    assert lines(draft) == graph
    assert (draft.unread, draft.undrawn) == ((), ())


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I want a workflow for seed orders called Spring: collect the orders, pack the seeds, ship them.", "Spring"),
        ('create "Seeds" with the steps: sow, water, harvest', "Seeds"),
        ("Please automate our seed orders: collect the orders, pack the seeds, ship them", "Seed orders"),
        ("Seed orders -> collect, pack, ship", "Seed orders"),
    ],
)
def test_a_request_names_what_it_asks_for(text: str, name: str) -> None:
    draft = read_description(text)

    assert draft is not None
    assert draft.name == name


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The clerk opens the file and the boss signs it every Friday.", "friday"),
        ("The clerk pays it, otherwise the boss calls.", "otherwise"),
        ("HR sends a letter every two days until the boss answers. Then HR files it.", "every two days"),
        ("The writer drafts it. The editor reads it. Then it goes back to the writer.", "goes back"),
        ("The boss approves it above 500 and the clerk files it.", "above 500"),
        ("The gate opens. The guard counts cars. Alarms happen.", "alarms"),
        ("The boss must not sign it. The clerk files it.", "must not"),
        ("The clerk and the boss sign it. The lawyer files it.", "who does"),
        ("The clerk files it (blue folder). The boss signs it.", "blue folder"),
        ("The boss has to have signed it. The clerk should be told, then the clerk files it.", "signed it"),
        ("The packer packs the box, the clerk prints the label, the driver loads it.", "'it' in"),
        ("Anna writes the order. Bert packs. If it is late he tells Anna and she calls.", "who 'she'"),
        ("HR invites the candidate. He brings his papers. The boss signs them.", "who 'he'"),
        ("The host greets the guests, the cook serves dinner and they pay.", "who 'they'"),
        ("The crew calls the castle, which prepares a bed. The doctor helps.", "prepares a bed"),
        ("The clerk books the room unless it is taken, then she calls the guest.", "both cases"),
        (
            "The clerk checks it. If both agree the grade is final. If they do not agree, the boss decides.",
            "grade is final",
        ),
        ("The manager says yes or no, HR writes it down.", "yes or no"),
        ("The baker sells the bread until noon. Then he cleans the shop.", "until 'noon'"),
        ("The clerk fixes it. If he needs parts he orders them. When finished he calls the boss.", "when 'finished'"),
        ("The clerk files the report by the 5th. The boss signs it.", "'by' in"),
        ("The team meets, votes, and the clerk writes the minutes.", "votes"),
        ("The clerk uploads the file. Only lawyers may open the file. Then the boss reads it.", "only lawyers"),
        ("You scan the badge, the gate opens, you walk in. If it does not open, ring the bell.", "is asked after"),
        ("The tailor changes the dress as often as needed. The customer pays.", "often"),
        ("The app sends a code. The user enters it. Three wrong codes lock the account.", "three wrong codes"),
        ("The master checks the table, then the clerk decides about each. The boss signs.", "is about"),
    ],
)
def test_what_was_not_understood_is_told(text: str, told: str) -> None:
    draft = read_description(text)

    assert draft is not None
    assert any(told in one.lower() for one in draft.undrawn)


def test_more_steps_than_are_drawn_are_told() -> None:
    draft = read_description(" -> ".join(f"pack box{at}" for at in range(MOST_STEPS + 5)))

    assert draft is not None
    assert any("from" in one for one in draft.undrawn)


@pytest.mark.parametrize(
    ("text", "cron"),
    [
        ("Each Monday at 8 the clerk counts the stock and the boss orders parts.", "0 8 * * 1"),
        ("The clerk counts the stock every day at 7. Then the boss orders parts.", "0 7 * * *"),
    ],
)
def test_a_schedule_starts_the_work(text: str, cron: str) -> None:
    draft = read_description(text)

    assert draft is not None
    assert [one.get("cron") for one in draft.arguments["triggers"]] == [cron]


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


def test_what_was_not_drawn_is_shown_first() -> None:
    said = replied("The clerk files it (blue folder). The boss signs it.")

    assert said.startswith("I understood 2 steps and 1 end:")
    assert "1. **File it** (`file_it`): clerk → Sign it" in said
    assert "I could not draw: the note 'blue folder'." in said
    assert "Shall I make it like that?" in said


def test_what_was_left_out_is_named() -> None:
    said = replied("In our school, the clerk files it and the boss signs it.")

    assert "not of all you wrote. I did not use: “school”." in said


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


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Create a workflow with three steps: sow, water, harvest", None),
        ("New workflow: sow, water, harvest", None),
        ("Seed order workflow: sow, water, harvest", "Seed order workflow"),
        ('Make me a workflow named "Spring" where the clerk sows and the boss waters.', "Spring"),
        ("Could you build something for our seed shop: sow, water, harvest", "Seed shop"),
        ("I need a workflow for seeds as follows: sow, water, harvest", "Seeds"),
        ("Harvest:\n- sow\n- water\n- sell", "Harvest"),
        ("automate this: sow, water, harvest", None),
        ("Design a procedure like this: the clerk sows it and the boss waters it.", None),
        ("Write a workflow in the tool: sow, water, harvest", None),
    ],
)
def test_a_lead_gives_the_name(text: str, name: str | None) -> None:
    draft = read_description(text)

    assert draft is not None
    assert (draft.name, len(draft.arguments["steps"]) > 2) == (name, True)
