"""Short and ordinary ways to say things to the offline model, in the real chat."""

import time
from collections.abc import Callable

import pytest

from tests.support.chats import TENANT, chat_with
from tests.support.growth import TIMES, assert_linear
from tests.support.talking import Talk
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow

EXPENSE = (
    "When an employee submits an expense the manager approves or rejects it. If approved, finance pays it "
    "out, otherwise tell the employee by email. The manager has two days."
)
INVOICE = "Build an invoice approval: the clerk enters the invoice, the boss checks it, accounting pays."
LIMITED = (
    "Build an order process: sales enters the order; if the amount is over 500 euros, the manager approves "
    "it; then the warehouse ships it."
)


@pytest.fixture
def talk() -> Talk:
    return Talk(chat_with(OfflineModel()))


async def only_workflow(talk: Talk) -> Workflow:
    (workflow,) = await talk.under_test.workflows.all(TENANT)
    return workflow


def named(workflow: Workflow, name: str) -> Step:
    return next(step for step in workflow.steps if step.name == name)


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("export as github actions", "GitHub Actions"),
        ("export to bpmn", "BPMN 2.0"),
        ("convert to argo", "Argo"),
        ("save as yaml", "YAML"),
        ("export step functions", "States"),
        ("download as an airflow dag", "dag-factory"),
        ("export as mermaid", "Mermaid"),
        ("convert it to kestra", "Kestra"),
    ],
)
async def test_what_is_open_is_exported_without_saying_it(talk: Talk, said: str, title: str) -> None:
    await talk.say(EXPENSE)

    reply = await talk.say(said)

    assert reply.content.startswith("Here is **Expense approval** as")
    assert title in reply.content.partition("\n")[0]


@pytest.mark.parametrize(
    "said", ["list versions", "show me the versions", "which versions are there?", "version history"]
)
async def test_versions_are_listed_with_what_made_them(talk: Talk, said: str) -> None:
    await talk.say(EXPENSE)
    await talk.say("rename the workflow to Spending")

    reply = await talk.say(said)

    assert "**Spending** has 2 versions" in reply.content
    assert "Renamed the workflow from 'Expense approval' to 'Spending'" in reply.content
    assert reply.tools_used == ("list_changes",)


@pytest.mark.parametrize(
    "said", ["what did it look like before?", "how was it before the change?", "show me the previous version"]
)
async def test_how_it_was_before_is_shown_and_not_restored(talk: Talk, said: str) -> None:
    await talk.say(EXPENSE)
    await talk.say("put a legal review before the payment")

    reply = await talk.say(said)

    before, _, since = reply.content.partition("Since then")
    assert "version 1" in before
    assert "Legal review" not in before
    assert "Added step 'Legal review'" in since
    assert (await only_workflow(talk)).version == 2


async def test_before_the_first_version_there_was_none(talk: Talk) -> None:
    await talk.say(EXPENSE)

    assert "nothing came before" in (await talk.say("what did it look like before?")).content


@pytest.mark.parametrize(
    "said", ["compare the two", "compare them", "what is the difference between the two?", "how do they differ?"]
)
async def test_the_two_are_those_spoken_of(talk: Talk, said: str) -> None:
    await talk.say(EXPENSE)
    await talk.say(INVOICE)

    reply = await talk.say(said)

    assert reply.content.startswith("**Expense approval** and **Invoice approval**:")


async def test_one_workflow_is_not_two(talk: Talk) -> None:
    await talk.say(EXPENSE)

    assert "only spoke of **Expense approval**" in (await talk.say("compare the two")).content


@pytest.mark.parametrize("said", ["is it gone?", "did you really delete it?", "does it still exist?"])
async def test_a_deleted_workflow_is_said_to_be_gone(talk: Talk, said: str) -> None:
    await talk.say(INVOICE)
    await talk.say(f"Create another workflow: {EXPENSE}")
    await talk.say("delete it")
    waiting = await talk.say(said)
    await talk.say("delete the expense approval")
    await talk.say("yes")

    reply = await talk.say(said)

    assert "**Expense approval** (`wf_expense_approval`) is still there" in waiting.content
    assert "**Expense approval** (`wf_expense_approval`) is deleted" in reply.content


@pytest.mark.parametrize("said", ["why did you do that?", "why did you add that?", "how come you changed it?"])
async def test_the_reason_of_a_change_is_the_order_it_followed(talk: Talk, said: str) -> None:
    await talk.say(EXPENSE)
    await talk.say("put a legal review before the payment")
    await talk.say("who approves?")

    reply = await talk.say(said)

    assert "in turn 2 “put a legal review before the payment”" in reply.content
    assert "Added step 'Legal review'" in reply.content


async def test_the_reason_of_a_deletion_is_the_order_and_the_yes(talk: Talk) -> None:
    await talk.say(EXPENSE)
    await talk.say("delete it")
    await talk.say("yes")

    reply = await talk.say("why did you do that?")

    assert "in turn 2 “delete it” and in turn 3 “yes”. I deleted **Expense approval**" in reply.content


async def test_the_reason_of_an_earlier_change_is_found_by_what_it_was_about(talk: Talk) -> None:
    await talk.say(EXPENSE)
    await talk.say("put a legal review before the payment")
    await talk.say("rename the workflow to Spending")

    reply = await talk.say("why did you add the legal review?")
    other = await talk.say("why did you add the fraud check?")

    assert "in turn 2 “put a legal review before the payment”" in reply.content
    assert "not changed anything about 'fraud check'" in other.content


async def test_where_nothing_was_done_there_is_no_reason(talk: Talk) -> None:
    assert "not changed anything" in (await talk.say("why did you do that?")).content


@pytest.mark.parametrize("said", ["any deadlock?", "can it deadlock?", "are there any deadlocks?"])
async def test_to_wait_for_people_is_no_deadlock(talk: Talk, said: str) -> None:
    await talk.say(EXPENSE)

    reply = await talk.say(said)

    assert reply.content.startswith("No, the analysis finds no deadlock in **Expense approval**")
    assert reply.tools_used == ("analyze_workflow",)


@pytest.mark.parametrize(
    "said",
    [
        "don't you think a legal review is missing?",
        "isn't a legal review missing?",
        "shouldn't there be a legal review?",
        "do you think we need a legal review?",
        "a legal review is missing",
    ],
)
async def test_what_may_be_missing_is_offered_and_added_on_a_yes(talk: Talk, said: str) -> None:
    await talk.say(EXPENSE)

    asked = await talk.say(said)
    untouched = await only_workflow(talk)
    await talk.say("yes")

    assert "Legal review" in asked.content
    assert "Nothing is changed yet" in asked.content
    assert untouched.version == 1
    assert named(await only_workflow(talk), "Legal review").assignee == "legal"


async def test_what_is_there_is_not_missing(talk: Talk) -> None:
    await talk.say(EXPENSE)
    await talk.say("put a legal review before the payment")

    reply = await talk.say("don't you think a legal step is missing?")

    assert "not missing" in reply.content
    assert "**Legal review**" in reply.content


@pytest.mark.parametrize(
    ("said", "attempts", "interval"),
    [
        ("set retry on Pay the expense out to 5 attempts with exponential backoff", 5, None),
        ("retry the payment 5 times, 10 minutes apart, with exponential backoff", 5, "PT10M"),
        ("use exponential backoff for the payment", 3, None),
    ],
)
async def test_a_retry_may_say_how_its_pauses_grow(talk: Talk, said: str, attempts: int, interval: str | None) -> None:
    await talk.say(EXPENSE)

    await talk.say(said)
    await talk.say("yes")

    retry = named(await only_workflow(talk), "Pay the expense out").retry
    assert retry is not None
    assert (retry.max_attempts, retry.interval, retry.backoff) == (attempts, interval, "exponential")


async def test_who_speaks_of_the_pauses_alone_keeps_the_number(talk: Talk) -> None:
    await talk.say(EXPENSE)
    await talk.say("retry the payment 7 times")

    await talk.say("use linear backoff for the payment")
    await talk.say("yes")

    retry = named(await only_workflow(talk), "Pay the expense out").retry
    assert retry is not None
    assert (retry.max_attempts, retry.backoff) == (7, "linear")


@pytest.mark.parametrize("said", ["the manager must approve everything over 100 euros"])
async def test_an_amount_from_which_somebody_approves_takes_the_place_of_the_old(talk: Talk, said: str) -> None:
    await talk.say(LIMITED)

    await talk.say(said)
    await talk.say("yes")

    workflow = await only_workflow(talk)
    (into,) = workflow.incoming(named(workflow, "Approve the order").id)
    assert into.when is not None
    assert "over 100 euros" in (into.when.text or "")


async def test_where_somebody_approves_everything_it_is_asked_whether_to_let_the_rest_pass(talk: Talk) -> None:
    await talk.say(EXPENSE)

    asked = await talk.say("the manager must approve everything over 100 euros")
    untouched = await only_workflow(talk)
    await talk.say("yes")

    workflow = await only_workflow(talk)
    (into,) = workflow.incoming(named(workflow, "Approve or reject the expense").id)
    assert "names no amount" in asked.content
    assert untouched.version == 1
    assert into.when is not None
    assert into.when.text == "the amount is over 100 euros"


async def test_an_amount_below_which_somebody_approves_does_not_turn_the_limit_around(talk: Talk) -> None:
    await talk.say(LIMITED)

    reply = await talk.say("anything under 100 euros needs approval by the manager")

    assert not reply.content.startswith("Done")
    assert (await only_workflow(talk)).version == 1


@pytest.mark.parametrize("said", ["do we need a deadline?", "is there a step missing?"])
async def test_what_names_no_work_is_not_said_to_be_missing(talk: Talk, said: str) -> None:
    await talk.say(EXPENSE)

    reply = await talk.say(said)

    assert "has no" not in reply.content
    assert (await only_workflow(talk)).version == 1


async def test_where_nobody_approves_it_is_asked_where(talk: Talk) -> None:
    await talk.say(EXPENSE)

    asked = await talk.say("anything over 100 euros needs approval by legal")

    assert "?" in asked.content
    assert (await only_workflow(talk)).version == 1


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Lösche alle Workflows", "I read English only"),
        ("Lösche alles", "I did not understand that; nothing was changed"),
        ("Zeige mir alle Workflows", "I read English only"),
        ("Supprime tous les workflows", "I read English only"),
    ],
)
async def test_another_language_is_not_searched_for(talk: Talk, said: str, told: str) -> None:
    await talk.say(EXPENSE)

    reply = await talk.say(said)

    assert told in reply.content
    assert (await only_workflow(talk)).version == 1


@pytest.mark.parametrize("first", [[], [EXPENSE]])
@pytest.mark.parametrize(
    "question", ["who won the world cup?", "what is the capital of France?", "how old is the universe?"]
)
async def test_a_question_about_the_world_is_told_what_this_is_for(talk: Talk, question: str, first: list[str]) -> None:
    for said in first:
        await talk.say(said)

    reply = await talk.say(question)

    assert "workflows are all I know about" in reply.content
    assert "`submit_expense`" not in reply.content


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(lambda n: "hi" + "\n" * n + "x", id="empty lines"),
        pytest.param(lambda n: "hi" + " " * n + "x", id="blanks within"),
        pytest.param(lambda n: " " * n + "x", id="blanks before"),
    ],
)
async def test_emptiness_without_end_is_stepped_over_in_linear_time(talk: Talk, said: Callable[[int], str]) -> None:
    taken: list[float] = []
    for size in (31_990 // TIMES, 31_990):
        began = time.process_time()
        reply = await talk.say(said(size))
        taken.append(time.process_time() - began)
        assert reply.content

    assert_linear(*taken)


@pytest.mark.slow
async def test_a_question_about_more_workflows_than_a_message_has_steps_is_answered(talk: Talk) -> None:
    for number in range(14):
        deadline = " The clerk has two days." if number != 5 else ""
        await talk.say(f"Build process number {number}: the clerk approves the form, then finance pays.{deadline}")
    await talk.say("open process number 3")

    told = (await talk.say("which workflows have no deadline?")).content
    renamed = (await talk.say("rename the pay step to Transfer")).content

    assert "without a deadline" in told
    assert told.count("`wf_") == 1
    assert "number 3" in renamed.casefold()


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("could you please find me the one where invoices are entered?", "Search: invoices are entered"),
        ("which workflows do you have?", "Search: all workflows"),
    ],
)
async def test_a_search_is_titled_by_what_was_looked_for(talk: Talk, said: str, title: str) -> None:
    await talk.say(INVOICE)
    outcome = await talk.under_test.say(said)

    stored = await talk.under_test.store.load(TENANT, outcome.conversation_id)

    assert stored.title == title


async def test_a_list_that_asks_for_no_workflow_makes_none_where_one_is_open(talk: Talk) -> None:
    await talk.say(EXPENSE)

    reply = await talk.say("- alias: money back\n- tag: hr")
    asked = await talk.say("New workflow:\n- sweep the yard\n- wash the car\n- lock the gate")

    assert "I created" not in reply.content
    assert asked.content.startswith("Done: I created")
