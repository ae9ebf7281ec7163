"""What is drawn of the labelled parts of a description: each way of telling work, without the encoder."""

import pytest

from benchmarks.orders_tagged import tagged
from workflow_agent.assistant.offline.drafting.description import parts_of, unsure
from workflow_agent.assistant.offline.drafting.doubts import doubts_of_cases_told, doubts_of_text
from workflow_agent.assistant.offline.drafting.drawing import Drawing
from workflow_agent.assistant.offline.tokens import read_tokens

_LED = {"default": "[else] ", "error": "[error] "}
_SHOWN = ("timeout", "duration", "escalate_to", "retry", "parent")


def drawn(told: str) -> Drawing:
    """Return the drawing of a labelled text: "[the clerk|who] [checks the form|do]"."""
    _, tokens, labels = tagged(told, with_breaks=True)
    drawing = Drawing()
    drawing.draw(parts_of(tuple(tokens), labels, [1.0] * len(tokens), [1.0] * len(tokens)))
    return drawing


def lines(drawing: Drawing) -> list[str]:
    """Return a graph, a line a step: `name @role {field}: next, [condition] next`; END for a way that leads nowhere."""
    steps, edges = drawing.graph.documents()
    names = {step["id"]: step["name"] for step in steps}
    open_ends = [{"from": end.step, "to": "", "when": end.when, "type": end.type} for end in drawing.track.frontier]
    stopped = [{"from": end.step, "to": "", "when": end.when, "type": end.type} for end in drawing.track.ended]
    found: list[str] = []
    for step in steps:
        role = f" @{step['assignee']}" if step.get("assignee") else ""
        fields = "".join(f" {{{name}={step[name]}}}" for name in _SHOWN if name in step)
        out: list[str] = []
        for edge in (*edges, *open_ends, *stopped):
            kind = edge.get("type", "sequence")
            if edge["from"] == step["id"] and (edge["to"] or kind != "sequence"):
                led = f"[{edge['when']}] " if edge.get("when") else _LED.get(kind, "")
                out.append(led + names.get(edge["to"], "END"))
        found.append(f"{step['name']}{role}{fields}" + (f": {', '.join(out)}" if out else ""))
    return found


CASES = {
    "who goes on": (
        (
            "[The nurse|who] [weighs the baby|do] and [writes it down|do]. [Pupils|who] [roll out a tile|do] "
            "and [scratch a number in it|do]."
        ),
        [
            "Weigh the baby @nurse: Write the baby down",
            "Write the baby down @nurse: Roll out a tile",
            "Roll out a tile @pupil: Scratch a number in it",
            "Scratch a number in it @pupil",
        ],
    ),
    "passives, each by somebody": (
        (
            "[The milk is tested|do] by [the lab|who], [pasteurised|do] by [the operator|who] and then "
            "[filled|do] by [the team|who]."
        ),
        [
            "Test the milk @lab: Pasteurise the milk",
            "Pasteurise the milk @operator: Fill the milk",
            "Fill the milk @team",
        ],
    ),
    "one who does all passives": (
        "[Instruments are soaked|do], [washed|do] and [inspected|do] by [the staff|who].",
        [
            "Soak instruments @staff: Wash instruments",
            "Wash instruments @staff: Inspect instruments",
            "Inspect instruments @staff",
        ],
    ),
    "by whom only the passive is": (
        "If [it is over 500|if], [it goes to the expert|in], [all others|else] are [paid|in] by [accounting|who].",
        [
            "It is over 500?: [it is over 500] It goes to the expert, [else] Pay",
            "It goes to the expert",
            "Pay @accounting",
        ],
    ),
    "what a passive is about in front of its mark": (
        "Applications are [received|do] by [the registry|who].",
        ["Receive applications @registry"],
    ),
    "somebody in brackets and in front of a colon": (
        "[Anna|who]: [take the frames out|do]\n[stick on the labels|do] ([Lotte|who])",
        ["Take the frames out @Anna: Stick on the labels", "Stick on the labels @Lotte"],
    ),
    "someone told at the end of a step": (
        "[She|who] [writes to the taxpayer|do], [who|who] [sends the papers|do].",
        ["Write to the taxpayer: Send the papers", "Send the papers @taxpayer"],
    ),
    "he is no office": (
        (
            "[The teacher|who] [proposes a trip|do], [the council|who] [votes on it|do] and [she|who] [books "
            "the coach|do]."
        ),
        [
            "Propose a trip @teacher: Vote on the trip",
            "Vote on the trip @council: Book the coach",
            "Book the coach @teacher",
        ],
    ),
    "who is told to do it": ("[IT|who] is [told to order a laptop|do].", ["Order a laptop @IT"]),
    "both at once": (
        "[Both the architect and the engineer|who] [review the plans|do]. [The city|who] [issues the permit|do].",
        [
            "In parallel: Review the plans, Review the plans",
            "Review the plans @architect: All done",
            "Review the plans @engineer: All done",
            "All done: Issue the permit",
            "Issue the permit @city",
        ],
    ),
    "beside the step before": (
        "[The clerk|who] [scans it|do] while [the boss|who] [reads it|par]. Then [it is filed|do].",
        [
            "In parallel: Scan it, Read it",
            "Scan it @clerk: All done",
            "Read it @boss: All done",
            "All done: File it",
            "File it",
        ],
    ),
    "a group behind a step": (
        "[book the hall|do]; simultaneously [print posters|par] and [sell tickets|par]; then [open doors|do]",
        [
            "Book the hall: In parallel",
            "In parallel: Print posters, Sell tickets",
            "Print posters: All done",
            "Sell tickets: All done",
            "All done: Open doors",
            "Open doors",
        ],
    ),
    "one case or the other": (
        (
            "[The clerk|who] [checks it|do]. If [it is good|if], [the boss|who] [signs it|in], "
            "[otherwise|else] [the clerk|who] [mails it|in]. [It is filed|do]."
        ),
        [
            "Check it @clerk: It is good?",
            "It is good?: [it is good] Sign it, [else] Mail it",
            "Sign it @boss: File it",
            "Mail it @clerk: File it",
            "File it",
        ],
    ),
    "a case behind what it holds for": (
        "[The clerk|who] [checks it|do]. [The boss|who] [signs it|in] if [it is above 500|if]. [It is paid|do].",
        [
            "Check it @clerk: It is above 500?",
            "It is above 500?: [it is above 500] Sign it, [else] Pay it",
            "Sign it @boss: Pay it",
            "Pay it",
        ],
    ),
    "labels in front of cases": (
        (
            "[Members|who] [vote|do]. [Yes|if]: [the treasurer|who] [pays|in]. [No|if]: [the secretary|who] "
            "[writes a letter|in]."
        ),
        ["Vote @member: Yes?", "Yes?: [yes] Pay, [no] Write a letter", "Pay @treasurer", "Write a letter @secretary"],
    ),
    "three cases of one thing": (
        (
            "[The clerk|who] [reads it|do]. If [it is an order|if], [sales|who] [takes it|in]. If [it is a "
            "complaint|if], [the boss|who] [answers|in]; [in all other cases|else] [it is binned|in]."
        ),
        [
            "Read it @clerk: It is an order?",
            "It is an order?: [it is an order] Take it, [it is a complaint] Answer, [else] Bin it",
            "Take it @sales",
            "Answer @boss",
            "Bin it",
        ],
    ),
    "a case inside a case": (
        (
            "If [they make an offer|if], [the agent|who] [asks the vendor|in]. If [the vendor accepts|if], "
            "[the solicitor|who] [writes the contract|in]."
        ),
        [
            "They make an offer?: [they make an offer] Ask the vendor, [else] END",
            "Ask the vendor @agent: The vendor accepts?",
            "The vendor accepts?: [the vendor accepts] Write the contract, [else] END",
            "Write the contract @solicitor",
        ],
    ),
    "who acts above an amount": (
        (
            "If [it is under 500|if] [the lead|who] [approves it|in], [above that|if] [the director|who]. "
            "[It is booked|do]."
        ),
        [
            "It is under 500?: [it is under 500] Approve it, [above that] Approve it",
            "Approve it @lead: Book it",
            "Approve it @director: Book it",
            "Book it",
        ],
    ),
    "approved or rejected": (
        "[The manager|who] [approves or rejects it|do]. If [it is approved|if], [HR|who] [books it|in].",
        [
            "Approve or reject it @manager: It is approved?",
            "It is approved?: [it is approved] Book it, [else] END",
            "Book it @HR",
        ],
    ),
    "a case that ends": (
        (
            "[The clerk|who] [checks it|do]. If [it is late|if], [the case is closed|end]. [Otherwise|else] "
            "[the boss|who] [signs it|in]."
        ),
        ["Check it @clerk: It is late?", "It is late?: [else] Sign it, [it is late] END", "Sign it @boss"],
    ),
    "an end that is work": (
        "[The player|who] [plays|do]. If [he is wrong|if], [the church opens|end], [else|else] [he|who] [stops|in].",
        [
            "Play @player: He is wrong?",
            "He is wrong?: [he is wrong] Church opens, [else] Stop",
            "Church opens",
            "Stop @player",
        ],
    ),
    "late, and who gets it": (
        (
            "[The boss|who] [approves it|do] [within 2 days|time], [else|late] it goes to [the "
            "director|who]. [It is paid|do]."
        ),
        ["Approve it @boss {timeout=P2D} {escalate_to=director}: Pay it", "Pay it"],
    ),
    "late, and who is told": (
        (
            "[The doctor|who] [signs it|do] [within a day|time]. [If he does not|late], [the chief is "
            "notified|in]. [It is mailed|do]."
        ),
        ["Sign it @doctor {timeout=P1D} {escalate_to=chief}: Mail it", "Mail it"],
    ),
    "late, and what is done": (
        (
            "[The guard|who] [rings|do]. [If nobody answers in 5 minutes|late], [he|who] [calls the "
            "police|in]. [He|who] [leaves|do]."
        ),
        ["Ring @guard {timeout=PT5M}: [error] Call the police, Leave", "Call the police @guard: Leave", "Leave @guard"],
    ),
    "time in front": (
        (
            "[The editor|who] has [3 weeks|time] to [read it|do], and [the printer|who] [one week|time] to "
            "[print it|do]."
        ),
        ["Read it @editor {timeout=P3W}: Print it", "Print it @printer {timeout=P1W}"],
    ),
    "who has how long": (
        "[The manager|who] [approves it|do]. [Finance|who] [pays|do]. [The manager|who] has [two days|time].",
        ["Approve it @manager {timeout=P2D}: Pay", "Pay @finance"],
    ),
    "a time that is no length": ("[Count the stock|do] [before 11 am|time].", ["Count the stock before 11 am"]),
    "tries and failure": (
        (
            "[The system|who] [uploads it|do], trying [3|num] times. [If that still fails|fail], [IT|who] "
            "[repairs it|in]. [It is filed|do]."
        ),
        [
            "Upload it @system {retry={'max_attempts': 3}}: [error] Repair it, File it",
            "Repair it @IT: File it",
            "File it",
        ],
    ),
    "anything fails": (
        "[Fetch it|do], [load it|do]. [If anything fails|fail], [mail the engineer|in].",
        ["Fetch it: Load it, [error] Mail the engineer", "Load it: [error] Mail the engineer", "Mail the engineer"],
    ),
    "a result that is not good is no failure": (
        (
            "[QA|who] [tests it|do]. [If the tests fail|fail], [the developer|who] [fixes it|in], "
            "[else|else] [ops|who] [deploys it|in]."
        ),
        [
            "Test it @QA: The tests fail?",
            "The tests fail?: [the tests fail] Fix it, [else] Deploy it",
            "Fix it @developer",
            "Deploy it @ops",
        ],
    ),
    "back to a step": (
        (
            "[Cut it|do]. [Measure it|do]. If [it is off|if], it goes back to [cutting|back]; [else|else] "
            "[it is shipped|in]."
        ),
        ["Cut it: Measure it", "Measure it: It is off?", "It is off?: [it is off] Cut it, [else] Ship it", "Ship it"],
    ),
    "back to a number": (
        "1. [cut it|do]\n2. [measure it|do]\n3. If [it is off|if], back to [step 1|back]\n4. [ship it|do]",
        ["Cut it: Measure it", "Measure it: It is off?", "It is off?: [it is off] Cut it, [else] Ship it", "Ship it"],
    ),
    "done again": (
        (
            "[The author|who] [writes it|do], [the editor|who] [reads it|do]. If [it is bad|if], [the "
            "author|who] [writes again|in]."
        ),
        ["Write it @author: Read it", "Read it @editor: It is bad?", "It is bad?: [it is bad] Write it, [else] END"],
    ),
    "until": (
        "[Taste it|do] and [add salt|do] until [it is right|until]. [Serve dinner|do].",
        [
            "Taste it: Add salt",
            "Add salt: It is right?",
            "It is right?: [else] Taste it, [it is right] Serve dinner",
            "Serve dinner",
        ],
    ),
    "as long as, in front": (
        (
            "[The conductor|who] [reads it|do]. As long as [he wants changes|while], [the composer|who] "
            "[revises it|do]. [It is printed|do]."
        ),
        [
            "Read it @conductor: He wants changes?",
            "He wants changes?: [he wants changes] Revise it, [else] Print it",
            "Revise it @composer: Read it",
            "Print it",
        ],
    ),
    "on to a step told later": (
        "[Log it|do]. If [it is high|if], jump to [step 3|goto].\n2. [answer it|do]\n3. [inform the board|do]",
        [
            "Log it: It is high?",
            "It is high?: [else] Answer it, [it is high] Inform the board",
            "Answer it: Inform the board",
            "Inform the board",
        ],
    ),
    "told behind what comes first": (
        "[The clerk|who] [issues it|do] after [she|who] has [checked it|do]. [It is paid|do].",
        ["Check it @clerk: Issue it", "Issue it @clerk: Pay it", "Pay it"],
    ),
    "waits": (
        "[Send it|do], wait [14 days|wait] and then [until the letter comes|wait]. [File it|do].",
        [
            "Send it: Wait 14 days",
            "Wait 14 days {duration=P14D}: Wait until the letter comes",
            "Wait until the letter comes: File it",
            "File it",
        ],
    ),
    "a wait for what is done": (
        "[The clerk|who] [sends it|do]. [once it is sent|wait], [the boss|who] [files it|do].",
        ["Send it @clerk: File it", "File it @boss"],
    ),
    "for each": (
        "For [each invoice|each], [the clerk|who] [reads it|do] and [posts it|do]. Then [mail the list|do].",
        [
            "For each invoice: Mail the list",
            "Read the invoice @clerk {parent=for_each_invoice}: Post the invoice",
            "Post the invoice @clerk {parent=for_each_invoice}",
            "Mail the list",
        ],
    ),
    "for each, in no part": (
        "For each picture, [the lawyer|who] [checks it|do]. [File the list|do].",
        ["For each picture: File the list", "Check the picture @lawyer {parent=for_each_picture}", "File the list"],
    ),
    "otherwise, if": (
        (
            "If [it is good|if], [the boss|who] [signs it|in]. [Otherwise|else], if [it is late|if], [the "
            "clerk|who] [mails it|in]. [File it|do]."
        ),
        [
            "It is good?: [it is good] Sign it, [it is late] Mail it",
            "Sign it @boss: File it",
            "Mail it @clerk: File it",
            "File it",
        ],
    ),
    "one failure behind another": (
        (
            "[Upload it|do]. [If that fails|fail], [IT|who] [repairs it|in]. [If that fails too|fail], [the "
            "vendor|who] [replaces it|in]. [File it|do]."
        ),
        [
            "Upload it: [error] Repair it, File it",
            "Repair it @IT: [error] Replace it, File it",
            "Replace it @vendor: File it",
            "File it",
        ],
    ),
    "at once inside a case": (
        (
            "[Check it|do]. If [it is good|if], [the boss|who] [signs it|in] while [the clerk|who] [copies "
            "it|par]. [File it|do]."
        ),
        [
            "Check it: It is good?",
            "It is good?: [it is good] In parallel, [else] File it",
            "In parallel: Sign it, Copy it",
            "Sign it @boss: All done",
            "Copy it @clerk: All done",
            "All done: File it",
            "File it",
        ],
    ),
    "a loop of two at once": (
        "[The clerk|who] [scans it|do] while [the boss|who] [reads it|par] until [it is right|until]. [Print it|do].",
        [
            "In parallel: Scan it, Read it",
            "Scan it @clerk: All done",
            "Read it @boss: All done",
            "All done: It is right?",
            "It is right?: [else] In parallel, [it is right] Print it",
            "Print it",
        ],
    ),
    "numbers in front of who": (
        (
            "1. [The clerk|who] [cuts it|do]\n2. [The boss|who] [measures it|do]\n3. If [it is off|if], back "
            "to [step 1|back]\n4. [ship it|do]"
        ),
        [
            "Cut it @clerk: Measure it",
            "Measure it @boss: It is off?",
            "It is off?: [it is off] Cut it, [else] Ship it",
            "Ship it",
        ],
    ),
    "tries told first": (
        "[Log in|do]. Up to [3|num] times, [upload it|do].",
        ["Log in: Upload it", "Upload it {retry={'max_attempts': 3}}"],
    ),
    "late, behind another step": (
        (
            "[The boss|who] [approves it|do] [within 2 days|time]. [The clerk|who] [writes it|do]. [If the "
            "boss does not|late], [the chief is notified|in]. [File it|do]."
        ),
        ["Approve it @boss {timeout=P2D} {escalate_to=chief}: Write it", "Write it @clerk: File it", "File it"],
    ),
    "a time behind who does it": (
        (
            "If [it is under 500|if] [the lead|who] [approves it|in], [above that|if] [the director|who] "
            "[within 3 days|time]. [It is booked|do]."
        ),
        [
            "It is under 500?: [it is under 500] Approve it, [above that] Approve it",
            "Approve it @lead: Book it",
            "Approve it @director {timeout=P3D}: Book it",
            "Book it",
        ],
    ),
    "two in one": ("[dig the bed|do], [sow and water|do]", ["Dig the bed: Sow", "Sow: Water", "Water"]),
    "the second half of an object": (
        "[The office|who] [books the flights|do] and [the hotel|do].",
        ["Book the flights and the hotel @office"],
    ),
    "a request is no step": ("[Sow|do]. [Harvest|do]. [set it up please|do]", ["Sow: Harvest", "Harvest"]),
}


@pytest.mark.parametrize(("told", "graph"), CASES.values(), ids=CASES)
def test_each_way_of_telling_is_drawn(told: str, graph: list[str]) -> None:
    drawing = drawn(told)

    assert lines(drawing) == graph
    assert [one for one in drawing.undrawn if "she" not in one] == []


@pytest.mark.parametrize(
    ("told", "event"),
    [
        ("When [an order comes in|start], [pack it|do].", "order.received"),
        ("As soon as [a guest calls|start], [note it|do].", "guest.called"),
        ("When [a customer places an order|start], [pack it|do].", "order.placed"),
        ("[Once the harvest is in|wait], [press it|do].", "harvest.in"),
    ],
)
def test_an_event_starts_it(told: str, event: str) -> None:
    drawing = drawn(told)

    assert drawing.triggers == [{"type": "event", "event": event}]
    assert len(drawing.graph.nodes) == 1


def test_somebody_who_does_something_first_is_a_step() -> None:
    assert lines(drawn("[A visitor asks for a book|start]. [The clerk|who] [looks|do].")) == [
        "Ask for a book @visitor: Look",
        "Look @clerk",
    ]


def test_a_noun_joins_an_object_and_never_a_step_without_one() -> None:
    assert lines(drawn("[Book the flights|do] and [the hotel|do].")) == ["Book the flights and the hotel"]
    assert lines(drawn("[design|do], [permit|do] and [construction|do]")) == [
        "Design: Permit",
        "Permit: Construction",
        "Construction",
    ]


def test_half_of_a_schedule_may_stand_in_the_name() -> None:
    drawing = drawn("[Nightly import|name] [at 1:30|when]: [load it|do]")

    assert drawing.name == "Nightly import"
    assert [one["cron"] for one in drawing.triggers] == ["30 1 * * *"]


@pytest.mark.parametrize(
    ("told", "undrawn"),
    [
        ("[Sow|do]. [Harvest|do] then back to [the moon|back].", "where 'the moon' leads"),
        ("[Sow|do]. [Harvest|do], back to [sowing|back].", "on what condition it goes back: 'sowing'"),
        ("[Sow|do], [otherwise|else] [harvest|in].", "what 'otherwise' is the contrary of"),
        ("[Sow|do]. [Harvest|in].", "in which case 'harvest'"),
        ("[The clerk|who]. [Sow|do].", "what 'the clerk' does"),
        ("[She|who] [sows|do].", "who 'she' is"),
        ("[every blue moon|when] [sow|do]", "the time 'every blue moon'"),
        ("If [it rains|if] and if [it snows|if], [sow|in].", "how 'it rains' and 'it snows' belong together"),
        ("[if it fails|fail] [sow|in]", "what is meant by 'if it fails'"),
        ("until [it rains|until]", "the loop until 'it rains'"),
        ("[often|num] [sow|do]", "how often: 'often'"),
        ("[Sow|do]. It goes on until [it rains|until].", "where the loop begins that goes on until 'it rains'"),
        ("[Sow|do]. For [each field|each].", "what is done 'for each field'"),
        (
            "[Sow|do]. If [it is dry|if], back to [sowing|back], at most [twice|num]. [Reap|do].",
            "how often it goes back: 'twice'",
        ),
    ],
)
def test_what_cannot_be_drawn_is_told(told: str, undrawn: str) -> None:
    assert undrawn in drawn(told).undrawn


def test_what_only_leads_on_is_no_case() -> None:
    assert lines(drawn("[claimant|who] [sends receipts|do]. [After that|late] [adjuster|who] [decides|do].")) == [
        "Send receipts @claimant: Decide",
        "Decide @adjuster",
    ]


def test_what_only_leads_on_from_a_retry_is_no_failure() -> None:
    told = "[Call the driver|do], up to [three times|num]. [After that|fail] [inform the customer|do]."

    assert lines(drawn(told)) == [
        "Call the driver {retry={'max_attempts': 3}}: Inform the customer",
        "Inform the customer",
    ]


def test_back_to_somebody_is_to_their_step_and_to_none_that_names_them() -> None:
    steps = "[The agency|who] [reminds the temps|do]. [The temp|who] [signs|do]."
    told = f"{steps} If [it is wrong|if], back to [the temp|back]."

    assert "It is wrong?: [it is wrong] Sign, [else] END" in lines(drawn(told))


def test_back_to_what_is_done_is_to_that_step_though_somebody_is_called_so() -> None:
    steps = "[The cook|who] [cooks the meal|do]. [The waiter|who] [serves it|do]. [The cook|who] [cleans up|do]."
    told = f"{steps} If [it is cold|if], back to [cooking|back]."

    assert "It is cold?: [it is cold] Cook the meal, [else] END" in lines(drawn(told))


@pytest.mark.parametrize(
    ("told", "doubted"),
    [
        (
            "where [the scout finds a player|if], [the coach watches|do]",
            ["whether 'the scout finds a player' is a case"],
        ),
        ("if [it rains|if], [stay in|in], [otherwise|else] [go out|in]", []),
        (
            "[accept it|do] within [2 days|time], [if not|late] [withdraw it|in]. If [she accepts|if], [hire her|in].",
            ["whether 'she accepts' is asked where it was late, too"],
        ),
    ],
)
def test_what_may_be_no_case_of_all_that_was_told_is_doubted(told: str, doubted: list[str]) -> None:
    assert list(doubts_of_cases_told(drawn(told).parts)) == doubted


def test_a_place_behind_back_to_is_no_step() -> None:
    told = lines(drawn("[check it|do]. If [it is fine|if], [sign it|in], [otherwise|else] back to [the start|in]."))

    assert not any(line.startswith("Start") for line in told)
    assert any("[else] Check it" in line for line in told)


@pytest.mark.parametrize(
    ("told", "doubted"),
    [
        ("[oil change|name]: [drain the oil|do]", []),
        ("[if it is found|if], [close the report|in], [if it is not found|else], [pay the owner|in]", []),
        ("[if it is found|if], [close the report|in], [if it is broken|else], [pay the owner|in]", ["it is broken"]),
        ("[drain the oil|do], [when the engine is cold|start]", ["the engine is cold"]),
    ],
)
def test_what_may_be_one_thing_or_another_is_no_doubt_where_both_come_to_the_same(
    told: str, doubted: list[str]
) -> None:
    _, tokens, labels = tagged(told, with_breaks=True)
    torn = {label for label in labels if label in ("name", "else", "start")}
    sure = [0.4 if label in torn else 1.0 for label in labels]
    alike = [0.4 if label == "start" else 1.0 for label in labels]
    drawing = Drawing()
    drawing.draw(parts_of(tuple(tokens), labels, sure, alike))

    found = " ".join(part.said for part in unsure(drawing.parts))
    assert all(one in found for one in doubted)
    assert bool(found) == bool(doubted)


@pytest.mark.parametrize("leads_back", [True, False])
def test_a_step_done_again_is_doubted_where_a_way_back_is_drawn_too(leads_back: bool) -> None:
    told = read_tokens("As long as it pinches the tailor alters it, and the bride tries it on again.")
    names = {"try": "Try it on", "alter": "Alter it", "again": "Try it on again"}
    steps = [{"id": key, "name": name, "type": "human"} for key, name in names.items()]
    way = {"from": "again", "to": "try", "when": "it pinches"} if leads_back else {"from": "alter", "to": "again"}
    doubts = list(doubts_of_text(told, {"steps": steps, "transitions": [way], "triggers": []}))

    assert ("what is repeated, told with 'again'" in doubts) == leads_back
