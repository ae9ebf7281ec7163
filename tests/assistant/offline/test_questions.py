"""What is answered about one workflow, and about all: only what was read wholly, and from the graph."""

from typing import Any

import pytest

from tests.support.chats import TENANT, chat_with
from tests.support.talking import Talk
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.workflows.model.parser import parse_workflow

LOAN: dict[str, Any] = {
    "id": "wf_loan",
    "name": "Loan request",
    "start": "apply",
    "version": 1,
    "tags": ["bank"],
    "aliases": ["credit"],
    "description": "From the application to the money.",
    "triggers": [{"type": "schedule", "cron": "0 3 * * 1", "timezone": "UTC"}],
    "steps": [
        {"id": "apply", "name": "Apply for loan", "type": "human", "assignee": "customer"},
        {"id": "score", "name": "Score customer", "type": "action", "uses": "bureau.score",
         "retry": {"max_attempts": 4}},
        {"id": "decide", "name": "Decide on loan", "type": "human", "assignee": "clerk", "timeout": "P2D",
         "escalate_to": "head clerk"},
        {"id": "size", "name": "How large is it?", "type": "decision"},
        {"id": "board", "name": "Ask board", "type": "human", "assignee": "board", "timeout": "P7D"},
        {"id": "prepare", "name": "Prepare payment", "type": "fork"},
        {"id": "contract", "name": "Print contract", "type": "human", "assignee": "clerk"},
        {"id": "account", "name": "Open account", "type": "action", "uses": "bank.open"},
        {"id": "ready", "name": "All there", "type": "join"},
        {"id": "pay", "name": "Pay out", "type": "action", "uses": "bank.transfer"},
        {"id": "call", "name": "Call customer", "type": "human", "assignee": "clerk"},
        {"id": "paid", "name": "Paid", "type": "end", "outcome": "ok"},
        {"id": "refused", "name": "Refused", "type": "end", "outcome": "rejected"},
    ],
    "transitions": [
        {"id": "t1", "from": "apply", "to": "score"},
        {"id": "t2", "from": "score", "to": "decide"},
        {"id": "t3", "from": "decide", "to": "size", "type": "condition", "when": {"text": "accepted"}},
        {"id": "t4", "from": "decide", "to": "refused", "type": "condition", "when": {"text": "rejected"}},
        {"id": "t5", "from": "decide", "to": "apply", "type": "condition",
         "when": {"text": "papers missing"}},
        {"id": "t6", "from": "size", "to": "board", "type": "condition",
         "when": {"text": "amount above 5000"}},
        {"id": "t7", "from": "size", "to": "prepare", "type": "default"},
        {"id": "t8", "from": "board", "to": "prepare"},
        {"id": "t9", "from": "prepare", "to": "contract"},
        {"id": "t10", "from": "prepare", "to": "account"},
        {"id": "t11", "from": "contract", "to": "ready"},
        {"id": "t12", "from": "account", "to": "ready"},
        {"id": "t13", "from": "ready", "to": "pay"},
        {"id": "t14", "from": "pay", "to": "paid"},
        {"id": "t15", "from": "pay", "to": "call", "type": "error"},
        {"id": "t16", "from": "call", "to": "paid"},
    ],
}  # fmt: skip
CLUB: dict[str, Any] = {
    "id": "wf_club",
    "name": "Club night",
    "start": "tidy",
    "version": 1,
    "tags": ["fun"],
    "triggers": [{"type": "manual"}],
    "steps": [
        {"id": "tidy", "name": "Tidy up", "type": "human", "assignee": "janitor"},
        {"id": "done", "name": "Done", "type": "end"},
    ],
    "transitions": [{"id": "t1", "from": "tidy", "to": "done"}],
}
ANSWERS = {
    "how many steps does it have?": "13 steps",
    "how many people are involved?": "3 roles: customer, clerk and board",
    "how many ends are there?": "2 ends",
    "how many triggers does it have?": "1 trigger",
    "how many transitions are there?": "16 transitions",
    "how many ways out of the decision by the clerk are there?": "3 ways on",
    "how often is scoring tried?": "up to 4 attempts",
    "how many retries does the board get?": "is not tried again",
    "how many steps does the clerk do?": "**clerk** does 3 steps",
    "how many days does the board have?": "(`board`) has 7 days",
    "how many steps have a deadline?": "2 steps with a deadline",
    "which steps have a deadline?": "(`decide`), 2 days and escalated to head clerk and **Ask board**",
    "which steps have no deadline?": "Steps without a deadline: **Apply for loan**",
    "is there a step with retries?": "Yes: tried again on failure: **Score customer**",
    "which steps are automatic?": "**Score customer** (`score`), 4 attempts, **Open account**",
    "does the contract have a deadline?": "No: **Print contract** (`contract`) has no deadline",
    "are there optional steps?": "No: no step of **Loan request** is done only in some cases",
    "who does what?": "- **clerk**: Decide on loan, Print contract and Call customer",
    "who opens the account?": "nobody is set, it calls `bank.open`",
    "who prints the contract?": "(`contract`): **clerk**",
    "who approves?": "(`decide`): **clerk**",
    "what does the clerk do?": "**clerk** does **Decide on loan**",
    "does the clerk print the contract?": "Yes: **Print contract**",
    "does the customer print the contract?": "No: **Print contract** (`contract`): **clerk**",
    "how long does it take?": "At most 9 days",
    "how long does the decision take?": "has 2 days; then it goes to head clerk",
    "how long does the contract have?": "has no deadline",
    "which step takes longest?": "By its limit, **Ask board**",
    "how does it start?": "every Monday at 03:00 UTC. The first step is **Apply for loan**",
    "how can it end?": "**Paid** (`paid`), ok and **Refused**",
    "which step comes last?": "Last come **Decide on loan** (`decide`), done by clerk, **Pay out**",
    "what comes after the board?": "at the same time **Print contract** (`contract`) and **Open account**",
    "what happens after the decision?": "- if rejected → **Refused**",
    "what comes before paying out?": "**Print contract** (`contract`), done by clerk and **Open account**",
    "what comes before applying?": "Before **Apply for loan** (`apply`): **Decide on loan**",
    "what comes between scoring and the board?": "**Decide on loan** (`decide`) and **How large is it?**",
    "what comes between scoring and deciding?": "comes right after **Score customer**",
    "does scoring come right before paying out?": "No: **Score customer** (`score`) comes before **Pay out** (`pay`)."
    " Between them: ",
    "does the call come directly after paying out?": "Yes: **Pay out** (`pay`) comes before **Call customer**",
    "does scoring come before the decision?": "Yes: **Score customer** (`score`) comes before",
    "does paying come after the call?": "No: **Call customer** (`call`) comes after **Pay out**",
    "is the contract printed before or after the account is opened?": "Neither leads to the other",
    "is there a loop?": "Yes: from **Decide on loan** (`decide`) back to **Apply for loan**",
    "is there a loop in the contract?": "No: nothing in **Loan request** leads back",
    "what runs in parallel?": "**Print contract** (`contract`) and **Open account**",
    "does scoring run in parallel?": "Nothing runs at the same time as **Score customer**",
    "does every loan get paid?": "No: a way without **Paid**",
    "can it be paid without the board?": "Yes: there is a way to **Paid**",
    "can it be paid without scoring?": "No: every way to **Paid**",
    "is there a path without scoring?": "No: every way from start to end goes through **Score customer**",
    "does the board always have to be asked?": "No: a way without **Ask board**",
    "does scoring always happen?": "Yes: every way",
    "what happens if paying fails?": "on error → **Call customer**",
    "what happens if scoring fails?": "it is tried up to 4 times",
    "what happens if printing the contract fails?": "Nothing is drawn for a failure",
    "what if the clerk does not decide in time?": "after that it goes to head clerk",
    "what if the customer does not answer?": "it waits until it is done",
    "what happens with 9000?": "if amount above 5000 → **Ask board**",
    "what happens with an amount of 300?": "otherwise → **Prepare payment**",
    "what happens if it is rejected?": "At **Decide on loan** (`decide`): if rejected → **Refused**",
    "what happens if papers are missing?": "if papers missing → **Apply for loan**",
    "what happens if it is not accepted?": "if rejected → **Refused**",
    "when is the board asked?": "from **How large is it?** (`size`), if amount above 5000",
    "when does scoring happen?": "is always reached",
    "what version is it?": "1 version",
    "which tags does it have?": "bank",
    "what is it called?": "also called credit",
    "what is it for?": "From the application to the money.",
    "what are the conditions?": "At **How large is it?** (`size`): if amount above 5000",
    "which services does it use?": "calls `bank.transfer`",
    "which service does scoring use?": "`bureau.score`",
    "from which amount on is the board asked?": "if amount above 5000",
    "is there a call?": "Yes: **Call customer**",
    "who prints the contract and who pays out?": "**Pay out** (`pay`): nobody is set",
}
UNREAD = {
    "what happens if the moon is full?": "I see no condition in **Loan request** that “the moon is full” means. "
    "There are: at **Decide on loan** “accepted”, “rejected” or “papers missing” and at",
    "what comes before the picnic?": "I see no step in **Loan request** that “the picnic” means. Its steps are **Apply",
    "why is the sky blue?": "I did not understand that question",
    "is a lawyer involved?": "nobody in **Loan request** is called “a lawyer”; its roles are customer, clerk and board",
}
OF_ALL = {
    "which workflows have a loop?": ("Loan request", "Club night"),
    "which workflows run in parallel?": ("Loan request", "Club night"),
    "which workflows have an escalation?": ("Loan request", "Club night"),
    "which workflows have retries?": ("Loan request", "Club night"),
    "which workflows have a deadline?": ("Loan request", "Club night"),
    "which workflows have no deadline?": ("Club night", "Loan request"),
    "which workflows have a deadline over 3 days?": ("Loan request", "Club night"),
    "which workflows are tagged fun?": ("Club night", "Loan request"),
    "which workflows run at night?": ("Loan request", "Club night"),
    "which workflows start on monday?": ("Loan request", "Club night"),
    "which workflows run every week?": ("Loan request", "Club night"),
    "which workflows run on a schedule?": ("Loan request", "Club night"),
    "which workflows are started by hand?": ("Club night", "Loan request"),
    "in which workflows does a club play a part?": ("Club night", "Loan request"),
    "which workflow has the most steps?": ("1. **Loan request**", "1. **Club night**"),
    "which workflows start by a webhook?": ("None of the 2 workflows", "(`wf_"),
    "which workflows handle penguins?": ("penguins", "Done"),
}


async def talk_about(*documents: dict[str, Any]) -> Talk:
    under_test = chat_with(OfflineModel())
    for document in documents:
        await under_test.add(parse_workflow(document))
    return Talk(under_test)


@pytest.mark.slow
async def test_each_question_is_answered_from_the_graph() -> None:
    talk = await talk_about(LOAN)
    await talk.say("show the loan request")

    told = {question: (await talk.say(question)).content for question in ANSWERS}

    assert {q: reply for q, reply in told.items() if ANSWERS[q] not in reply} == {}
    assert (await talk.under_test.workflows.get(TENANT, "wf_loan")).version == 1


async def test_words_that_mean_nothing_there_are_told() -> None:
    talk = await talk_about(LOAN)
    await talk.say("show the loan request")

    told = {question: (await talk.say(question)).content for question in UNREAD}

    assert {q: reply for q, reply in told.items() if UNREAD[q] not in reply} == {}


@pytest.mark.slow
async def test_workflows_are_told_apart_by_what_a_question_asks_of_them() -> None:
    talk = await talk_about(LOAN, CLUB)

    told = {question: (await talk.say(question)).content for question in OF_ALL}

    assert {q: reply for q, reply in told.items() if OF_ALL[q][0] not in reply or OF_ALL[q][1] in reply} == {}


AMONG_ALL = {
    "how many workflows do we have?": "There are 2 workflows",
    "how many do we have in total?": "There are 2 workflows",
    "which workflows say penguin?": "penguin",
    "which workflow has the fewest steps?": "1. **Club night**",
    "who works in more than one workflow?": "No role is in more than one",
    "which workflows take somebody 7 days?": "**Loan request**",
    "which workflows have a deadline under 3 days?": "**Loan request**",
    "which workflows do not have a loop?": "**Club night**",
    "which workflows start only by hand?": "I can't tell that with “only”. Shall I list those started by hand?",
    "which workflows have three loops?": "I can't tell that with “three”. Shall I list those with a loop?",
    "what starts by hand?": "**Club night**",
    "what runs on mondays?": "**Loan request**",
    "which workflows were changed last?": "Last changed, newest first",
    "who tidies up in the club night?": "(`tidy`): **janitor**",
    "how many steps does the club have?": "2 steps",
    "find the loan": "**Loan request**",
    "the loan please": "**Loan request** (`wf_loan`",
    "club night, show it": "**Club night** (`wf_club`",
    "opne the club": "**Club night** (`wf_club`",
    "show the one that is tagged fun": "**Club night** (`wf_club`",
    "explain the club": "It begins with **Tidy up**",
    "draw the club": "as a Mermaid flowchart",
    "is it any good?": "Which workflow do you mean?",
    "what is the capital of France?": "That is not about a workflow",
}


@pytest.mark.parametrize("question", AMONG_ALL)
async def test_where_none_is_open_all_are_asked_about(question: str) -> None:
    talk = await talk_about(LOAN, CLUB)

    assert AMONG_ALL[question] in (await talk.say(question)).content


TALKS = {
    ("show the loan", "show the club", "the previous one"): "**Loan request**",
    ("show the loan", "show the club", "show the first one again"): "**Loan request**",
    ("show the loan", "no, the club"): "**Club night** (`wf_club`",
    ("which workflows have a loop?", "show it"): "**Loan request**",
    ("which workflows start only by hand?", "yes"): "**Club night**",
    ("show the loan", "who tidies up in the club night?"): "That is **Club night**",
    ("show the loan", "the boss calls this one 'money maker'"): "as 'money maker' from now on",
    ("list all workflows", "open the second"): "**Loan request**",
    ("show the club", "is there a loop?", "what runs at night?"): "**Loan request**",
    ("show the club", "does it run at night?"): "No.",
}


@pytest.mark.parametrize("said", TALKS)
async def test_what_a_talk_dealt_with_says_which_workflow_is_meant(said: tuple[str, ...]) -> None:
    talk = await talk_about(LOAN, CLUB)

    told = [(await talk.say(one)).content for one in said]

    assert TALKS[said] in told[-1]
