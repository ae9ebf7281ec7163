"""What is drawn of descriptions, what is named as not read, and what may never happen whatever the text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.growth import assert_grows_linearly
from workflow_agent.assistant.offline.drafting.description import Drafted, read_description
from workflow_agent.assistant.offline.tokens import read_tokens
from workflow_agent.workflows.edits.drafts import parse_draft, workflow_from_draft

_SHOWN = ("timeout", "duration", "escalate_to", "parent")


def drawn(text: str) -> list[str]:
    """Return the graph of a description, a line a step: `name @role {field}: next, [condition] next`."""
    draft = read_description(text)
    return ["nothing"] if draft is None else lines(draft)


def lines(draft: Drafted) -> list[str]:
    steps, edges = draft.arguments["steps"], draft.arguments["transitions"]
    names = {step["id"]: step["name"] for step in steps}
    lines: list[str] = []
    for step in steps:
        if step["type"] == "end":
            continue
        role = f" @{step['assignee']}" if step.get("assignee") else ""
        fields = "".join(f" {{{name}={step[name]}}}" for name in _SHOWN if name in step)
        out = [
            (f"[{edge.get('when', 'else')}] " if edge.get("type") else "") + names[edge["to"]]
            for edge in edges
            if edge["from"] == step["id"] and names[edge["to"]] not in ("Done", "Rejected")
        ]
        lines.append(f"{step['name']}{role}{fields}" + (f": {', '.join(out)}" if out else ""))
    return lines


SENT = "Send the list at the end of the day @clerk"
CASES = [
    pytest.param(
        "HR sends the contract, the new hire signs it and IT creates an account.",
        [
            "Send the contract @HR: Sign the contract",
            "Sign the contract @new hire: Create an account",
            "Create an account @IT",
        ],
        id="sentences with actors",
    ),
    pytest.param(
        "The contract is drafted by legal, signed by the client and archived by the assistant.",
        [
            "Draft the contract @legal: Sign the contract",
            "Sign the contract @client: Archive the contract",
            "Archive the contract @assistant",
        ],
        id="passive",
    ),
    pytest.param("intake -> triage -> discharge", ["Intake: Triage", "Triage: Discharge", "Discharge"], id="arrows"),
    pytest.param(
        "Make a workflow with the steps draft, review and publish",
        ["Draft: Review", "Review: Publish", "Publish"],
        id="steps a, b and c",
    ),
    pytest.param(
        "New laptop process:\n- Employee requests a laptop\n- Manager approves within two days\n- IT: order it",
        [
            "Request a laptop @employee: Approve the laptop",
            "Approve the laptop @manager {timeout=P2D}: Order the laptop",
            "Order the laptop @IT",
        ],
        id="bullets, with roles and a deadline",
    ),
    pytest.param(
        "1. Collect receipts\n2. Manager checks them\n3. If the manager rejects them, go back to "
        "step 1\n4. Pay the employee",
        [
            "Collect receipts: Check the receipts",
            "Check the receipts @manager: The manager rejects them?",
            "The manager rejects them?: [the manager rejects them] Collect receipts, [else] Pay the employee",
            "Pay the employee",
        ],
        id="numbers, and a way back to one",
    ),
    pytest.param(
        "Support logs the request. Under 50 support refunds straight away, between 50 and 500 the "
        "team lead approves, above that "
        "finance decides. Then the case is closed.",
        [
            "Log the request @support: Under 50?",
            ("Under 50?: [under 50] Refund the request, [between 50 and 500] Approve the request, [above that] Decide"),
            "Refund the request @support: Close the case",
            "Approve the request @team lead: Close the case",
            "Decide @finance: Close the case",
            "Close the case",
        ],
        id="thresholds that decide who acts",
    ),
    pytest.param(
        "The clerk checks the form. If it is complete, the officer decides, otherwise the applicant is informed.",
        [
            "Check the form @clerk: It is complete?",
            "It is complete?: [it is complete] Decide, [else] Inform the applicant",
            "Decide @officer",
            "Inform the applicant",
        ],
        id="if and otherwise",
    ),
    pytest.param(
        "The author writes the text. The editor corrects it until it is right. Then it is printed.",
        [
            "Write the text @author: Correct the text",
            "Correct the text @editor: It is right?",
            "It is right?: [not yet] Correct the text, [it is right] Print the text",
            "Print the text",
        ],
        id="until",
    ),
    pytest.param(
        "The designer makes a mockup and the client reviews it. If the client is unhappy, it goes "
        "back to the designer, at most twice. "
        "Then the developer builds the page.",
        [
            "Make a mockup @designer: Review the mockup",
            "Review the mockup @client: The client is unhappy?",
            ("The client is unhappy?: [the client is unhappy, at most 2 times] Make a mockup, [else] Build the page"),
            "Build the page @developer",
        ],
        id="back to a role, at most twice",
    ),
    pytest.param(
        "QA reproduces the bug. As long as the test fails, the developer fixes the code and QA tests "
        "it again. Then the team ships.",
        [
            "Reproduce the bug @QA: The test fails?",
            "The test fails?: [the test fails] Fix the code, [else] Ship",
            "Fix the code @developer: Test the code",
            "Test the code @QA: The test fails?",
            "Ship @team",
        ],
        id="as long as",
    ),
    pytest.param(
        "The baker mixes the dough. Meanwhile the assistant heats the oven. When both are ready the bread is baked.",
        [
            "In parallel: Mix the dough, Heat the oven",
            "Mix the dough @baker: All done",
            "Heat the oven @assistant: All done",
            "All done: Bake the bread",
            "Bake the bread",
        ],
        id="meanwhile, and joined",
    ),
    pytest.param(
        "The alarm engineer acknowledges the alarm within 15 minutes, otherwise it goes to the "
        "second engineer. Then she writes a report.",
        [
            ("Acknowledge the alarm @alarm engineer {timeout=PT15M} {escalate_to=second engineer}: Write a report"),
            "Write a report @alarm engineer",
        ],
        id="deadline with escalation",
    ),
    pytest.param(
        "The author writes the text. The editor reviews it. For each picture, the lawyer checks the "
        "rights and signs the sheet.",
        [
            "Write the text @author: Review the text",
            "Review the text @editor: For each picture",
            "For each picture",
            "Check the rights @lawyer {parent=for_each_picture}: Sign the sheet",
            "Sign the sheet @lawyer {parent=for_each_picture}",
        ],
        id="for each",
    ),
    pytest.param(
        "A guest books a table. If the host rejects it, the guest is informed. Whatever happens the visit is logged.",
        [
            "Book a table @guest: The host rejects it?",
            "The host rejects it?: [the host rejects it] Inform the guest, [else] Log the visit",
            "Inform the guest: Log the visit",
            "Log the visit",
        ],
        id="whatever happens",
    ),
    pytest.param(
        "HR collects the details, then the manager does a welcome call and IT does two checks.",
        [
            "Collect the details @HR: Do a welcome call",
            "Do a welcome call @manager: Do two checks",
            "Do two checks @IT",
        ],
        id="does",
    ),
    pytest.param(
        "A member applies. The board accepts or rejects the application. The office prints the card.",
        [
            "Apply @member: Accept or reject the application",
            "Accept or reject the application @board: Accepted?",
            "Accepted?: [accepted] Print the card",
            "Print the card @office",
        ],
        id="approves or rejects, and nothing said of either",
    ),
    pytest.param(
        (
            "When a parcel comes in, the warehouse checks it. Damaged parcels are sent back, the others"
            " are put on the shelf."
        ),
        [
            "Check the parcel @warehouse: Damaged?",
            "Damaged?: [damaged] Send back damaged parcels, [else] Put the parcels on the shelf",
            "Send back damaged parcels",
            "Put the parcels on the shelf",
        ],
        id="subsets of what was told",
    ),
    pytest.param(
        "The guard sees the visitor. known -> the guard opens the gate. unknown -> the guard calls the host.",
        [
            "See the visitor @guard: Known?",
            "Known?: [known] Open the gate, [unknown] Call the host",
            "Open the gate @guard",
            "Call the host @guard",
        ],
        id="labels",
    ),
    pytest.param(
        ("The clerk opens the file. Is it complete? Yes: the officer decides. No: the clerk asks the applicant."),
        [
            "Open the file @clerk: Is it complete?",
            "Is it complete?: [is it complete] Decide, [no] Ask the applicant",
            "Decide @officer",
            "Ask the applicant @clerk",
        ],
        id="a question and its answers",
    ),
    pytest.param(
        (
            "The clerk books the payment and the accountant releases it, unless the amount is under "
            "500, in which case the clerk releases it."
        ),
        [
            "Book the payment @clerk: The amount is under 500?",
            (
                "The amount is under 500?: [not: the amount is under 500] Release the payment, [else] "
                "Release the payment"
            ),
            "Release the payment @accountant",
            "Release the payment @clerk",
        ],
        id="unless, and in which case",
    ),
    pytest.param(
        (
            "The script charges the card. If the charge fails, it retries three times and then notifies"
            " support. If it succeeds, the receipt is emailed."
        ),
        [
            "Charge the card @script: [else] Notify support, Email the receipt",
            "Notify support @script",
            "Email the receipt",
        ],
        id="retried, then told",
    ),
    pytest.param(
        ("The judge opens the case. The plaintiff and the defendant both submit statements. Then the judge rules."),
        [
            "Open the case @judge: In parallel",
            "In parallel: Submit statements, Submit statements",
            "Submit statements @plaintiff: All done",
            "Submit statements @defendant: All done",
            "All done: Rule",
            "Rule @judge",
        ],
        id="both at once",
    ),
    pytest.param(
        (
            "The underwriter rates the risk. If the score is above 80 the committee decides, between 50"
            " and 80 the senior underwriter decides, and otherwise the policy is issued."
        ),
        [
            "Rate the risk @underwriter: The score is above 80?",
            (
                "The score is above 80?: [the score is above 80] Decide, [between 50 and 80] Decide, [else]"
                " Issue the policy"
            ),
            "Decide @committee",
            "Decide @senior underwriter",
            "Issue the policy",
        ],
        id="else-if",
    ),
    pytest.param(
        "The clerk writes the letter () and the manager reads the letter.",
        ["Write the letter @clerk: Read the letter", "Read the letter @manager"],
        id="empty brackets",
    ),
    pytest.param(
        "The clerk writes the letter and the manager reads it (both in parallel).",
        ["In parallel: Write the letter, Read the letter", "Write the letter @clerk", "Read the letter @manager"],
        id="at once in brackets",
    ),
    pytest.param(
        "Have the intern collect the quotes, then have purchasing compare them.",
        ["Collect the quotes @intern: Compare the quotes", "Compare the quotes @purchasing"],
        id="have somebody do it",
    ),
    pytest.param(
        "receive the parts -> inspect them -> if ok store them else return them to the supplier",
        [
            "Receive the parts: Inspect the parts",
            "Inspect the parts: Ok?",
            "Ok?: [ok] Store the parts, [else] Return the parts to the supplier",
            "Store the parts",
            "Return the parts to the supplier",
        ],
        id="an order without a comma behind its condition",
    ),
    pytest.param(
        "The employee submits an expense and the manager approves it. The manager has two days.",
        ["Submit an expense @employee: Approve the expense", "Approve the expense @manager {timeout=P2D}"],
        id="a deadline told apart",
    ),
    pytest.param(
        (
            "The author writes the text, the editor reads it. This is repeated until the editor is "
            "happy. Then the printer prints it."
        ),
        [
            "Write the text @author: Read the text",
            "Read the text @editor: The editor is happy?",
            "The editor is happy?: [not yet] Write the text, [the editor is happy] Print the text",
            "Print the text @printer",
        ],
        id="repeat until",
    ),
    pytest.param(
        "First step: choose a date. Second step: send the invitation. Last step: celebrate.",
        ["Choose a date: Send the invitation", "Send the invitation: Celebrate", "Celebrate"],
        id="ordinal steps",
    ),
    pytest.param(
        "run the tests -> build the image -> deploy it; if the test fails roll back",
        [
            "Run the tests: Build the image, [else] Roll back",
            "Build the image: Deploy the image",
            "Deploy the image",
            "Roll back",
        ],
        id="a step that failed earlier",
    ),
    pytest.param(
        ("The clerk checks the claim. Small claims are paid. Large claims go to an expert, who writes a report."),
        [
            "Check the claim @clerk: Small?",
            "Small?: [small] Pay small claims, [large] Write a report",
            "Pay small claims",
            "Write a report @expert",
        ],
        id="a relative clause",
    ),
    pytest.param(
        ("The reviewer approves the request or asks for changes. If changes are requested, the engineer revises it."),
        [
            "Approve the request or ask for changes @reviewer: Changes are requested?",
            "Changes are requested?: [changes are requested] Revise it",
            "Revise it @engineer",
        ],
        id="or for another verb",
    ),
    pytest.param(
        "Request -> manager approval -> if amount > 5000: CFO approval -> purchase",
        [
            "Request: Manager approval",
            "Manager approval: Amount > 5000?",
            "Amount > 5000?: [amount > 5000] CFO approval, [else] Purchase",
            "CFO approval: Purchase",
            "Purchase",
        ],
        id="a case between two arrows",
    ),
    pytest.param(
        "The clerk opens the bid. The agent rates it (bad -> mark it). The notary files it.",
        [
            "Open the bid @clerk: Rate the bid",
            "Rate the bid @agent: Bad?",
            "Bad?: [bad] Mark the bid, [else] File the bid",
            "Mark the bid: File the bid",
            "File the bid @notary",
        ],
        id="a case in brackets",
    ),
    pytest.param(
        "The chef tastes the soup. If it is salty, the cook adds water, otherwise it is served.",
        [
            "Taste the soup @chef: It is salty?",
            "It is salty?: [it is salty] Add water, [else] Serve the soup",
            "Add water @cook",
            "Serve the soup",
        ],
        id="it is what it was when the question was asked",
    ),
    pytest.param(
        "When somebody resigns the manager informs HR, and IT closes the accounts.",
        ["Inform HR @manager: Close the accounts", "Close the accounts @IT"],
        id="a condition without a comma ends where the next subject begins",
    ),
    pytest.param(
        "HR checks the form. If it fits, HR holds an interview. If not, HR sends a refusal. After the interview the "
        "boss decides.",
        [
            "Check the form @HR: It fits?",
            "It fits?: [it fits] Hold an interview, [else] Send a refusal",
            "Hold an interview @HR: Decide",
            "Send a refusal @HR",
            "Decide @boss",
        ],
        id="after a step of one case",
    ),
    pytest.param(
        "In case of fire the warden sounds the alarm and everybody leaves the building.",
        ["Sound the alarm @warden: Leave the building", "Leave the building"],
        id="in case of something",
    ),
    pytest.param(
        "The clerk rates the claim. Score under 400: reject it. Score 400 to 600: review by a senior. Above 600: pay "
        "it.",
        [
            "Rate the claim @clerk: Score under 400?",
            (
                "Score under 400?: [score under 400] Reject the claim, [score 400 to 600] Review the claim, "
                "[above 600] Pay the claim"
            ),
            "Reject the claim",
            "Review the claim @senior",
            "Pay the claim",
        ],
        id="ranges as labels",
    ),
    pytest.param(
        "nightly job\n- For each file:\n  - scan it\n  - store it\n- send a report",
        [
            "For each file: Send a report",
            "Scan the file {parent=for_each_file}: Store the file",
            "Store the file {parent=for_each_file}",
            "Send a report",
        ],
        id="a loop over what a heading names",
    ),
    pytest.param(
        "The bot renames the file, moves it to the archive and posts a message.",
        [
            "Rename the file @bot: Move the file to the archive",
            "Move the file to the archive @bot: Post a message",
            "Post a message @bot",
        ],
        id="a program, and what it moves",
    ),
    pytest.param(
        "Steps: write spec (architect), review spec (team lead, 3 days), release it",
        [
            "Write spec @architect: Review spec",
            "Review spec @team lead {timeout=P3D}: Release the spec",
            "Release the spec",
        ],
        id="who and how long in brackets",
    ),
    pytest.param(
        "For each bill the clerk scans it and the boss signs it, and when all are done, mail the list.",
        [
            "For each bill: Mail the list",
            "Scan the bill @clerk {parent=for_each_bill}: Sign the bill",
            "Sign the bill @boss {parent=for_each_bill}",
            "Mail the list",
        ],
        id="what is done for each, and when all are done",
    ),
    pytest.param(
        "The inspector visits the shop. Where defects are found, HR sends a fine. Otherwise the permit is renewed.",
        [
            "Visit the shop @inspector: Defects are found?",
            "Defects are found?: [defects are found] Send a fine, [else] Renew the permit",
            "Send a fine @HR",
            "Renew the permit",
        ],
        id="where, in front of a case",
    ),
    pytest.param(
        "Tune the pump, measure it, and if it is too loud tune again. Once it is fine, print the certificate.",
        [
            "Tune the pump: Measure the pump",
            "Measure the pump: It is too loud?",
            "It is too loud?: [it is too loud] Tune the pump, [it is fine] Print the certificate",
            "Print the certificate",
        ],
        id="once, as the other case of a loop",
    ),
    pytest.param(
        "Legal reads the contract (max 5 days, then escalate to the director) and afterwards the client signs it.",
        [
            "Read the contract @legal {timeout=P5D} {escalate_to=director}: Sign the contract",
            "Sign the contract @client",
        ],
        id="a deadline with its escalation in brackets",
    ),
    pytest.param(
        "First level opens the ticket and two engineers check it.",
        [
            "Open the ticket @first level: Check the ticket (two engineers)",
            "Check the ticket (two engineers) @engineer",
        ],
        id="a level, and how many",
    ),
    pytest.param(
        "The clerk rates it; above 80 points: award a grant; below: send a letter",
        [
            "Rate it @clerk: Above 80 points?",
            "Above 80 points?: [above 80 points] Award a grant, [below] Send a letter",
            "Award a grant",
            "Send a letter",
        ],
        id="below, as a label",
    ),
    pytest.param(
        "The buyer prepares an offer, which must be signed by the director if it exceeds 50k. Then the buyer orders.",
        [
            "Prepare an offer @buyer: It exceeds 50k?",
            "It exceeds 50k?: [it exceeds 50k] Sign the offer, [else] Order",
            "Sign the offer @director: Order",
            "Order @buyer",
        ],
        id="a relative clause in the passive",
    ),
    pytest.param(
        "A clerk opens it. The boss reads it. At the end of the day the clerk sends the list.",
        ["Open it @clerk: Read it", "Read it @boss: Send the list at the end of the day", SENT],
        id="where and when, in the name",
    ),
    pytest.param(
        "A guest asks. If the room is full, the guest is put on the list and informed. Then the clerk calls.",
        [
            "Ask @guest: The room is full?",
            "The room is full?: [the room is full] Put the guest on the list, [else] Call",
            "Put the guest on the list: Inform the guest",
            "Inform the guest: Call",
            "Call @clerk",
        ],
        id="a passive that goes on",
    ),
    pytest.param(
        "The clerk rates the item. like new -> full refund by accounting. damaged -> keep it.",
        [
            "Rate the item @clerk: Like new?",
            "Like new?: [like new] Full refund, [damaged] Keep the item",
            "Full refund @accounting",
            "Keep the item",
        ],
        id="labels in a row",
    ),
    pytest.param(
        "The buyer makes an offer; the seller accepts or declines. After a decline the buyer leaves.",
        [
            "Make an offer @buyer: Accept or decline the offer",
            "Accept or decline the offer @seller: A decline?",
            "A decline?: [a decline] Leave",
            "Leave @buyer",
        ],
        id="after one of two outcomes",
    ),
    pytest.param(
        "Desk takes report -> search -> found: deliver -> not found: pay",
        ["Take report @desk: Search", "Search: Found?", "Found?: [found] Deliver, [not found] Pay", "Deliver", "Pay"],
        id="labels between arrows",
    ),
    pytest.param(
        "The boss walks through the hall and signs. The clerk files it.",
        ["Walk through the hall @boss: Sign", "Sign @boss: File it", "File it @clerk"],
        id="a second verb without its object",
    ),
    pytest.param(
        "The maid cleans the room and reports missing items to the desk.",
        ["Clean the room @maid: Report missing items to the desk", "Report missing items to the desk @maid"],
        id="an unknown word that works goes on working",
    ),
    pytest.param(
        "The boss decides within 3 days, if he doesn't answer the deputy decides, then payroll books it.",
        ["Decide @boss {timeout=P3D}: [else] Decide, Book it", "Decide @deputy: Book it", "Book it @payroll"],
        id="what comes behind a decision comes behind its deputy's too",
    ),
    pytest.param(
        "The form is weighed and measured by the nurse, then it is given to a clerk by the presiding judge.",
        [
            "Weigh the form @nurse: Measure the form",
            "Measure the form @nurse: Give the form to a clerk",
            "Give the form to a clerk @presiding judge",
        ],
        id="who does it stands behind the second verb, or begins with a participle",
    ),
    pytest.param(
        "Step 1: Ann submits it. Step 2: Bob reviews it. Create it.",
        ["Submit it @Ann: Review it", "Review it @Bob"],
        id="a request closes the message",
    ),
    pytest.param(
        "order > delivery > invoice, pls build",
        ["Order: Delivery", "Delivery: Invoice", "Invoice"],
        id="a request behind the last of a list is no step",
    ),
    pytest.param(
        "make me a checklist:\n- count the till\n- build it\nthx",
        ["Count the till: Build it", "Build it"],
        id="thanks are no step, and a bullet is one",
    ),
    pytest.param(
        "Make a process: the nurse cleans it and the clerk prints the letter, in any order. Then the boss leaves.",
        [
            "In parallel: Clean it, Print the letter",
            "Clean it @nurse: All done",
            "Print the letter @clerk: All done",
            "All done: Leave",
            "Leave @boss",
        ],
        id="in any order",
    ),
    pytest.param(
        "Can you draw our hiring? HR posts the job, guest returns key.",
        ["Post the job @HR: Return key", "Return key @guest"],
        id="a question asks for it",
    ),
]


@pytest.mark.parametrize(("text", "graph"), CASES)
def test_a_description_is_drawn_as_it_is_told(text: str, graph: list[str]) -> None:
    draft = read_description(text)

    assert draft is not None
    assert lines(draft) == graph
    assert (draft.unread, draft.undrawn) == ((), ())


@pytest.mark.parametrize(
    ("text", "trigger"),
    [
        ("Every night at 2 the job exports the orders and uploads the file.", {"cron": "0 2 * * *"}),
        ("Each Monday at 9: collect the hours, check them, send them to payroll.", {"cron": "0 9 * * 1"}),
        ("On the first of the month accounting closes the books and the CFO signs off.", {"cron": "0 9 1 * *"}),
        ("When an order comes in, the warehouse packs it and the courier delivers it.", {"event": "order.received"}),
    ],
)
def test_a_time_or_an_event_starts_it(text: str, trigger: dict[str, str]) -> None:
    draft = read_description(text)

    assert draft is not None
    assert trigger.items() <= draft.arguments["triggers"][0].items()
    assert not draft.undrawn


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('Create "Library card". Steps:\n- fill in the form\n- print the card', "Library card"),
        (
            ("Make a process called Visitor registration where the visitor signs in and reception prints a badge"),
            "Visitor registration",
        ),
        ("Travel request: employee submits it, manager approves it", "Travel request"),
        (
            ("I want to automate our invoice approval. The clerk enters the invoice and the manager approves it."),
            "Invoice approval",
        ),
        ("The clerk enters the invoice and the manager approves it.", None),
    ],
)
def test_a_name_is_read_or_left_open(text: str, name: str | None) -> None:
    draft = read_description(text)

    assert draft is not None
    assert draft.name == name
    assert draft.arguments["name"] == (name or "New workflow")


@pytest.mark.parametrize(
    "text",
    [
        "What would a good onboarding process look like?",
        "My manager approved the budget yesterday, so I'm happy.",
        "I had such a terrible morning, the train was late and then the coffee machine broke",
        "create a workflow",
        "```\nA sends a letter\nB signs it\n```",
        "",
    ],
)
def test_what_tells_no_process_is_not_drawn(text: str) -> None:
    assert read_description(text) is None


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (
            (
                "The nurse registers the patient. For returning patients the history is skipped. The "
                "doctor examines the patient."
            ),
            "skipped",
        ),
        ("The clerk checks the form and the manager approves it, except on Fridays.", "except"),
        ("The intern drafts the text and the editor reads it until the editor is happy.", "until"),
        ("They check the form, the clerk and the boss sign it and the dean stamps it.", "who"),
        ("The script loads the file and mails the report every third time.", "third"),
        ("The clerk files it. If it is late, the clerk calls. Otherwise the boss signs it first.", "first"),
        ("Before we sell a house the surveyor values it. Then the notary signs the deed.", "sell"),
        ("The clerk asks. The guest pays, or, if he has an account, the clerk sends a bill.", "bill"),
        ("QA tests it. If it fails, QA scraps it; a failed batch is also reported.", "failed"),
        ("The translator writes it. If it is bad the translator redoes it, then the boss signs.", "redoes"),
        ("Bevor it goes live the tester tests it. The owner accepts it and ops deploys it.", "bevor"),
        ("The clerk prints the card and the boss checks it, after the form is signed and sent.", "after"),
        ("Jane sorts the mail. Bugs go to development, questions go to support.", "bugs"),
        ("plan -> go/no-go by the board -> (go) project -> rollout", "note 'go'"),
        ("The clerk rates it. bad -> half refund by accounting. good -> keep it.", "half"),
        ("We count the votes and print them. In case of a tie there is a second round.", "second"),
        ("Ship it by train if it is big, else with standard mail, then send the code.", "standard"),
        ("The app sends a code. The user types it in. Three wrong codes and the account is locked.", "three"),
        ("Receive it, compare to order, if it matches pay else ask supplier, archive", "archive"),
        ("The clerk mails it. Who wants to come answers within a week. The clerk books a room.", "who"),
        ("The machine fills the bottles; every hundredth bottle is checked by the lab.", "hundredth"),
        ("The clerk packs a red or blue cake. The driver delivers it.", "or"),
        ("The clerk sees the guest. If it is bad, the boss calls. Finally he pays.", "who 'he'"),
        ("The clerk sees it, if parts are bad the office orders them, the boss signs it.", "boss"),
        ("The intern copies it; meanwhile the admin opens it. Both report to the boss, who signs it.", "both"),
        ("The clerk makes the page, the editor approves or sends it back with comments.", "back"),
        ("The pilot checks it and the crew checks it. Only when both are fine do the guests board.", "board"),
        ("The clerk opens it and the boss signs it. In the latter case the clerk files it.", "latter"),
        ("The clerk sorts the mail and the boss reads it. Junk mail is thrown away.", "junk"),
        ("Ann collects it, Bob checks it, Cleo pays it. If Bob finds an error, Ann corrects it.", "bob"),
        ("The baker mows it and waters the plants in parallel with the cleaner, who washes it.", "cleaner"),
        ("Steps: visit (doctor), if needed x-ray (radiology), payment (reception)", "radiology"),
        ("For each bill, the clerk sends a letter. If nobody answers in 14 days, the lawyer calls.", "late"),
        (
            "Eve calls. If Bob is away Ann writes, if Bob is away for 3 days Cleo goes. If Bob is not away Dan acts.",
            "cases of one question",
        ),
        (
            "Ann tests it. If tea is needed, Bob picks it. Then Cleo sells it. If no tea is needed, Bob pays.",
            "cases of one question",
        ),
        (
            "Workflow: Ann signs it if it is paid and the form is complete. If the form is incomplete, Bob returns it.",
            "cases of one question",
        ),
        ("Ann grades it. Grade A: the dean funds it. Grade B: Bob revises it.", "grade a"),
        (
            "Workflow: Ann opens it. If it is real Ann calls. If it is false she rings. But first of all Bob looks.",
            "comes in",
        ),
        ("Ann proposes it. The client may ask for changes at most twice. Then Bob decides.", "each time"),
        (
            "Ann makes it, Bob comments, Ann changes it. This goes on until Bob says ok. Then Cleo gets it.",
            "from which",
        ),
        ("The bank checks the income, the score and the house at the same time and then decides.", "who does"),
        ("Ann writes it, Bob checks it, Cleo reads it at the same time, then Dan signs.", "beside"),
        ("Open it, triage it within 4 hours, solve it, close it. If triage takes longer, tell the lead.", "triage"),
        ("A list: build, test, if tests pass deploy it, QA looks at it.", "not so"),
        ("A list: build it, test it, if ok deploy it, if anything fails tell Ann.", "anything"),
        ("Call the shop, up to four tries with 20 seconds between them, then store it.", "between"),
        ("Receive the order, if in stock ship it, otherwise order it and wait 5 days, then ship.", "are one step"),
        ("The cook writes it, the boss approves it, the printer prints it. The boss can ask for changes.", "when"),
        ("Sales calls them. If they agree, Ann books a room, otherwise they get the newsletter.", "who 'they'"),
        ("Ann submits it, if the manager does not answer in 2 days escalate to the boss, then file it.", "manager"),
        (
            "Ann sends papers, Bob sorts them, Cleo writes the plan. Missing papers are requested.",
            "after 'send papers'",
        ),
        ("Ann orders it, Bob brings it; if Cleo is out, Bob calls; no answer -> the box goes back.", "box goes back"),
        ("Ann reads the draft. If it is bad, Ann returns it. Then Bob prints it.", "leads"),
        ("Ann reads it; if a page is missing Bob has 14 days to hand it in, otherwise it is closed.", "'otherwise'"),
    ],
)
def test_structure_that_is_not_drawn_makes_it_a_preview(text: str, word: str) -> None:
    draft = read_description(text)

    assert draft is not None
    assert any(word in told.lower() for told in draft.undrawn)


_WORDS = st.sampled_from(
    [
        "the",
        "clerk",
        "manager",
        "HR",
        "checks",
        "approves",
        "signs",
        "contract",
        "order",
        "if",
        "otherwise",
        "until",
        "again",
        "back",
        "to",
        "goes",
        "in",
        "parallel",
        "when",
        "both",
        "are",
        "done",
        "every",
        "Monday",
        "at",
        "9",
        "within",
        "two",
        "days",
        "for",
        "each",
        "item",
        "unless",
        "rejected",
        "approved",
        ",",
        ",",
        ".",
        ".",
        ":",
        ";",
        "->",
        "(",
        ")",
        "or",
        "and",
        "then",
        "finally",
        "meanwhile",
        "as",
        "long",
        "whatever",
        "happens",
        "repeat",
        "500",
        "under",
        "above",
        "between",
        "who",
        "which",
        "that",
        "it",
        "they",
        "is",
        "sent",
        "by",
        "said",
        "quickly",
        "?",
        "\n",
        "\n-",
        "\n1.",
        "fails",
        "retry",
        "three",
        "times",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_WORDS, max_size=45).map(" ".join))
def test_any_text_gives_a_valid_workflow_or_none(text: str) -> None:
    draft = read_description(text)

    if draft is not None:
        workflow_from_draft(parse_draft(draft.arguments), "wf_any")


@settings(max_examples=100, deadline=None)
@given(st.lists(_WORDS, max_size=45).map(" ".join))
def test_every_content_word_is_drawn_or_named(text: str) -> None:
    draft = read_description(f"{text} zebra. The clerk checks the quagga. The manager signs the okapi.")

    if draft is not None:
        parts = [draft.arguments[part] for part in ("steps", "transitions", "triggers")]
        said = f"{parts} {draft.name} {draft.unread}".lower()
        assert all(word in said for word in ("zebra", "quagga", "okapi"))


@pytest.mark.parametrize(
    "piece",
    [
        "unless until if ",
        "if it is approved the clerk of the order ",
        "The clerk checks it. If it is ok, the boss signs it, otherwise the clerk calls. ",
        "every Monday at 9 ",
        "and a big red order , ",
        "the new hire of the house ",
    ],
)
def test_a_description_is_read_in_time_with_its_length(piece: str) -> None:
    assert_grows_linearly(lambda size: piece * size, read_description, 200)


@pytest.mark.parametrize("piece", ["step_", "a.b_", "e.g.", "x-", "https://a", "a@b."])
def test_one_long_word_is_read_in_time_with_its_length(piece: str) -> None:
    assert_grows_linearly(lambda size: piece * size, read_tokens, 1_600)


@pytest.mark.slow
def test_a_line_of_many_signs_is_read_in_time_with_its_length() -> None:
    assert_grows_linearly(lambda size: "check" + " > send" * size, read_description, 6_000)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        pytest.param(
            "The clerk checks completeness. Incomplete applications are returned to the citizen. Complete ones are "
            "forwarded to the expert, who has four weeks. When the expert does not answer in time, he is told.",
            "forwarded",
            id="a clause",
        ),
        pytest.param(
            "The moderator checks each post. Harmless posts are published. Offensive ones are deleted and the author "
            "gets a warning; after three warnings the account is closed.",
            "three",
            id="a number",
        ),
        pytest.param(
            "CI runs tests. The manager deploys to staging. After a day without errors he deploys to production.",
            "errors",
            id="a time in which nothing went wrong",
        ),
    ],
)
def test_what_came_to_nothing_is_told_and_nothing_is_made(text: str, word: str) -> None:
    draft = read_description(text)

    assert draft is not None
    assert word in draft.unread
    assert draft.undrawn


def test_a_verdict_without_a_comma_is_no_name_of_who_acts_then() -> None:
    said = drawn("The customer accepts or declines it. If accepted the mechanic repairs it, if declined Ann burns it.")

    assert "Accepted?: [accepted] Repair it, [declined] Burn it" in said


def test_what_a_workflow_does_itself_is_its_first_step() -> None:
    assert drawn("build a workflow that backs up the database, verifies the backup and alerts the admin") == [
        "Back up the database: Verify the backup",
        "Verify the backup: Alert the admin",
        "Alert the admin",
    ]


def test_a_request_behind_the_description_is_no_step() -> None:
    draft = read_description("The nurse takes the temperature. Then she calls the doctor. Please draw that.")

    assert draft is not None
    assert [step["name"] for step in draft.arguments["steps"]] == ["Take the temperature", "Call the doctor", "Done"]


def test_several_who_work_at_once_are_one_step_behind_the_others() -> None:
    draft = read_description(
        "The student hands in the thesis, two examiners grade it in parallel, the office archives it."
    )

    assert draft is not None
    assert not any(step["type"] == "fork" for step in draft.arguments["steps"])


def test_whom_she_means_is_asked_where_another_person_comes_between() -> None:
    draft = read_description("The nurse checks the list and signs. When a patient refuses, she tells the doctor.")

    assert draft is not None
    assert "who 'she' is" in draft.undrawn


def test_a_number_in_brackets_runs_nothing_at_once_and_is_named() -> None:
    draft = read_description("The clerk writes the letter and the manager reads the letter (two).")

    assert draft is not None
    assert lines(draft) == ["Write the letter @clerk: Read the letter", "Read the letter @manager"]
    assert draft.unread == ("two",)
