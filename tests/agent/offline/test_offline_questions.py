"""Questions about the inside of a workflow, answered from its document, and never with a write."""

import pytest

from tests.support.offline_agent import WRITERS, Chat
from tests.support.offline_documents import LEAFLET, workflows


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("who approves?", "**manager**, in **Manager review** (`review`)"),
        ("who's involved?", "2 roles are involved"),
        ("who has to do what in the expense approval?", "2 roles are involved"),
        ("who approves expenses?", "**manager**, in **Manager review** (`review`)"),
        ("who submits expenses?", "**employee**, in **Submit expense** (`submit`)"),
        ("who is responsible for what?", "2 roles are involved"),
        ("who pays?", "Nobody: **Pay out** (`pay`) runs by itself, through `payments.transfer`"),
        ("who does the manager review?", "**manager**"),
        ("whose job is the review?", "**manager**"),
        ("can you tell me who has to approve it?", "**manager**"),
        ("which steps have no owner?", "Every step"),
        ("what does the manager do?", "**manager** does **Manager review** (`review`)"),
        ("where does finance come in?", "'finance' has no step"),
        ("how many steps does it have?", "has 5 steps, 3 to do and 2 ends"),
        ("how many people are involved?", "2 roles"),
        ("how many approvals are there?", "has 1 approval"),
        ("what happens after the review?", "if approved → **Pay out** (`pay`)"),
        ("what comes next after submit?", "comes **Manager review** (`review`)"),
        ("what happens before pay out?", "reached from **Manager review** (`review`) (if approved)"),
        ("what if it's rejected?", "it goes to **Rejected** (`rejected`)"),
        ("what happens if the manager says no?", "it goes to **Rejected** (`rejected`)"),
        ("what happens when it is not approved?", "**Rejected** (`rejected`)"),
        ("and if it's approved?", "**Pay out** (`pay`), then **Paid** (`paid`)"),
        ("what if the payout fails?", "there is no error path"),
        ("what if the manager doesn't respond in time?", "has 2 days, and nothing says what follows"),
        ("how do we get to paid?", "is reached from **Pay out** (`pay`)"),
        ("when does it go to rejected?", "if rejected"),
        (
            "is the review before the payment?",
            "**Manager review** (`review`) comes before **Pay out** (`pay`)",
        ),
        ("what's the first step?", "The first step is **Submit expense** (`submit`), done by employee"),
        ("how does it end?", "Ends: **Paid** (`paid`), ok and **Rejected** (`rejected`), rejected"),
        ("what are the possible outcomes?", "**Rejected** (`rejected`)"),
        ("how long does the review take?", "may take 2 days at most"),
        ("how long does it take?", "No deadline is set for **Submit expense** (`submit`)"),
        ("does it touch Slack?", "No, nothing in **Expense approval** mentions 'Slack'"),
        ("does it use the payments service?", "Yes: **Pay out** (`pay`), which calls `payments.transfer`"),
        ("which systems does it use?", "`payments.transfer`"),
        ("what starts it?", "on expense.submitted"),
        ("when does it run?", "on expense.submitted"),
        ("is there a legal review?", "has nothing like 'legal review'"),
        ("does it have an approval?", "**Manager review** (`review`)"),
        ("does pay out retry?", "**Pay out** (`pay`) is not retried"),
        ("can it loop?", "has no loop"),
        ("does anything run in parallel?", "runs in parallel"),
        ("what does the form ask for?", "amount (number, required)"),
        ("what version is it?", "at version 3; tags: finance; also called expenses"),
        ("which steps are automatic?", "**Pay out** (`pay`)"),
        ("what is step 3?", "**Pay out** (`pay`): calls `payments.transfer`, deadline 1 minute"),
        ("what does pay out do?", "calls `payments.transfer`"),
        ("tell me about the manager review", "done by manager, deadline 2 days"),
        ("explain the review", "done by manager, deadline 2 days"),
        ("which steps have no deadline?", "No deadline is set for **Submit expense** (`submit`)"),
        ("is there an error path?", "has no error path"),
        ("how many wombats does it contain?", "5 steps"),
        ("what happens after the moon landing?", "I find nothing in **Expense approval**"),
    ],
)
async def test_a_question_is_answered_from_the_document(asked: str, told: str) -> None:
    turn = await Chat().say(asked)

    assert turn.tools == ["get_workflow"]
    assert told in turn.text


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("which steps have no owner?", "No owner is set for **Check** (`check`)"),
        ("is there a loop?", "Yes, it can go round through **Draft** (`draft`), **Check** (`check`)"),
        ("what runs in parallel?", "after **Split** (`split`): **Print** (`print`) and **Mail** (`mail`)"),
        ("what if the mail fails?", "tried up to 3 times, then **Draft** (`draft`)"),
        ("is there an error path?", "on error → **Draft** (`draft`)"),
        ("what if nobody checks it in time?", "then it goes to the boss"),
        ("how often is the mail retried?", "up to 3 times, 10 seconds apart"),
        ("how long is the rest?", "lasts 1 day"),
        ("what are the waits?", "**Rest** (`rest`)"),
        ("which steps are manual?", "**Draft** (`draft`) and **Check** (`check`)"),
        ("where are the decisions?", "**Check** (`check`)"),
        ("does it use slack?", "the automation `ping`"),
        ("what does it use?", "slack by the automation `ping`"),
        ("is mail before print?", "**Mail** (`mail`) comes before **Print** (`print`)"),
        ("is draft before check?", "Both"),
        ("what happens before draft?", "and it is the first step"),
        ("how does it end?", "**Mail** (`mail`)"),
        ("who does the print?", "runs by itself"),
        ("who checks?", "Nobody is set for **Check** (`check`)"),
        ("how long does the mail take?", "it has no deadline"),
        ("is there a deadline?", "may take 2 days at most"),
        ("explain it", "then at the same time **Print** (`print`) and **Mail** (`mail`)"),
    ],
)
async def test_loops_branches_and_failures_are_read_from_the_document(asked: str, told: str) -> None:
    chat = Chat(store=workflows(LEAFLET), open_id="wf_leaflet")

    turn = await chat.say(asked)

    assert told in turn.text


async def test_a_question_that_fits_several_steps_is_answered_for_each() -> None:
    turn = await Chat(open_id="wf_contract_signing").say("who does the review?")

    assert "**legal**, in **Legal review**" in turn.text
    assert "**finance**, in **Finance review**" in turn.text


@pytest.mark.parametrize("mode", ["general", "creation", "search", "modification", "analysis"])
@pytest.mark.parametrize(
    "asked",
    [
        "what happens if I remove the review?",
        "why did you add the review?",
        "how do I rename a step?",
        "is it possible to delete the payout?",
        "who would remove the review?",
        "what would break if we dropped pay out?",
        "did you rename the review to Check?",
        "when will finance approve the payout?",
    ],
)
async def test_a_question_never_writes_in_any_mode(asked: str, mode: str) -> None:
    turn = await Chat(mode=mode).say(asked)

    assert not WRITERS & set(turn.tools)


async def test_a_question_about_a_named_workflow_reads_that_one() -> None:
    turn = await Chat().say("how many steps are in the contract signing process?")

    assert turn.args("get_workflow") == {"workflow": "wf_contract_signing"}
    assert "6 steps" in turn.text


async def test_without_a_workflow_at_hand_the_words_of_the_question_find_one() -> None:
    turn = await Chat(open_id=None).say("who announces things on slack?")

    assert turn.tools[0] == "search_workflows"
    assert "**Contract signing**" in turn.text or "wf_contract_signing" in str(turn.calls)


async def test_a_condition_that_is_data_is_told_as_json() -> None:
    chat = Chat(
        store=workflows(
            {
                "id": "wf_order",
                "name": "Order",
                "steps": [
                    {"id": "paid", "name": "Paid?", "type": "decision"},
                    {"id": "ship", "name": "Ship"},
                ],
                "transitions": [
                    {"from": "paid", "to": "ship", "when": {"expression": {"BooleanEquals": True}}},
                ],
            }
        ),
        open_id="wf_order",
    )

    turn = await chat.say("what happens after paid?")

    assert 'if `{"BooleanEquals": true}` →' in turn.text


@pytest.mark.parametrize("asked", ["where can the contract signing get stuck?", "draw the contract signing"])
async def test_the_first_question_may_name_a_workflow_that_nobody_opened(asked: str) -> None:
    turn = await Chat(open_id=None).say(asked)

    assert "Which workflow do you mean?" not in turn.text
    assert "wf_contract_signing" in str(turn.calls)
