"""Which workflow the offline model changes where a message names none."""

import pytest

from tests.support.chats import APPROVAL, TENANT, chat_with
from tests.support.talking import Talk
from workflow_agent.assistant.offline.model import OfflineModel

VENDOR = "wf_vendor_a"
ADDS = "add a step archive the file at the end"


@pytest.fixture
async def talk() -> Talk:
    """Return a conversation in which one workflow was made, where another one is kept."""
    under_test = chat_with(OfflineModel())
    await under_test.add()
    started = Talk(under_test)
    await started.say("create a workflow called Vendor A: purchasing enters the vendor, finance approves it")
    return started


async def versions(talk: Talk) -> tuple[int, int]:
    """Return the versions of the one made and of the one kept."""
    kept = [await talk.under_test.workflows.get(TENANT, one) for one in (VENDOR, APPROVAL.id)]
    return kept[0].version, kept[1].version


@pytest.mark.parametrize("said", ["fix what you can", ADDS, "add a legal review to it at the end"])
@pytest.mark.parametrize("finds", ["find the expense workflow", "@finder find the expense workflow"])
@pytest.mark.parametrize("between", [None, "hello"])
async def test_what_was_found_and_not_opened_is_asked_about_before_a_change(
    talk: Talk, said: str, finds: str, between: str | None
) -> None:
    await talk.say(finds)
    if between:
        await talk.say(between)

    reply = await talk.say(said)

    assert "Which workflow do you mean?" in reply.content
    assert "**Vendor A**" in reply.content
    assert "**Expense approval**" in reply.content
    assert await versions(talk) == (1, 1)


@pytest.mark.parametrize("said", ["undo that", "delete it"])
async def test_what_was_found_and_not_opened_is_not_undone_or_deleted(talk: Talk, said: str) -> None:
    await talk.say(ADDS)
    await talk.say("find the expense workflow")

    reply = await talk.say(said)

    assert "Which workflow do you mean?" in reply.content
    assert await versions(talk) == (2, 1)


async def test_the_answer_says_which_one_is_changed(talk: Talk) -> None:
    await talk.say("find the expense workflow")
    await talk.say(ADDS)

    await talk.say("the second one")

    assert await versions(talk) == (1, 2)


@pytest.mark.parametrize("said", ["fix what you can", ADDS])
async def test_what_another_agent_told_of_comes_before_what_was_found_earlier(talk: Talk, said: str) -> None:
    await talk.say("find the expense workflow")
    told = await talk.say("@analyst what can go wrong in Vendor A?")

    await talk.say(said)

    assert told.author == "analyst"
    assert await versions(talk) == (2, 1)


async def test_what_another_agent_opened_is_changed_and_not_what_was_made_before(talk: Talk) -> None:
    await talk.say("@finder find the expense workflow")
    opened = await talk.say("yes")

    asked = await talk.say("@assistant delete it")

    assert opened.author == "finder"
    assert "would delete **Expense approval**" in asked.content


async def test_the_second_of_another_agents_list_is_the_second(talk: Talk) -> None:
    await talk.say("@finder list my workflows")

    asked = await talk.say("@editor delete the second one")

    assert "would delete **" in asked.content


@pytest.mark.parametrize("agent", ["", "@editor "])
async def test_the_second_of_a_list_of_workflows_is_no_step(talk: Talk, agent: str) -> None:
    listed = await talk.say("list my workflows")
    second, other = (VENDOR, APPROVAL.id) if "2. **Vendor A**" in listed.content else (APPROVAL.id, VENDOR)
    before = await talk.under_test.workflows.get(TENANT, second)

    done = await talk.say(f"{agent}rename the second one to Spending")

    renamed = await talk.under_test.workflows.get(TENANT, second)
    assert "Renamed the workflow" in done.content
    assert (renamed.name, renamed.version, renamed.steps) == ("Spending", 2, before.steps)
    assert (await talk.under_test.workflows.get(TENANT, other)).version == 1


async def test_a_yes_is_for_who_spoke_last_and_not_for_an_older_offer(talk: Talk) -> None:
    await talk.say("find the expense workflow")
    await talk.say("@analyst what can go wrong in Vendor A?")

    reply = await talk.say("@assistant yes")

    assert "**Expense approval**" not in reply.content


async def test_a_workflow_that_is_opened_with_the_message_is_the_one_to_change(talk: Talk) -> None:
    outcome = await talk.under_test.say(ADDS, conversation_id=talk.conversation_id, workflow_id=APPROVAL.id)

    assert outcome.reply.content.startswith("Done: **Expense approval**")
    assert await versions(talk) == (1, 2)


async def test_the_only_one_there_is_to_speak_of_is_changed_once_it_was_found() -> None:
    talk = Talk(chat_with(OfflineModel()))
    await talk.under_test.add()
    await talk.say("find the expense workflow")

    done = await talk.say("add a step Archive file at the end of it")

    assert done.content.startswith("Done: **Expense approval** is now version 2.")


async def test_after_a_deletion_no_older_workflow_is_changed_unasked(talk: Talk) -> None:
    await talk.say("show the expense approval")
    await talk.say("delete it")
    await talk.say("yes")

    asked = await talk.say(ADDS)

    assert asked.content == "Do you mean **Vendor A** (`wf_vendor_a`)?"


async def test_a_change_that_changes_nothing_makes_no_version(talk: Talk) -> None:
    await talk.say("give the approval 3 days")

    again = await talk.say("give the approval 3 days")

    assert again.content.startswith("There was nothing to change")
    assert [one.change for one in again.workflows_touched] == ["viewed"]
    assert await versions(talk) == (2, 1)


async def test_undo_asks_where_another_workflow_was_changed_than_is_spoken_of(talk: Talk) -> None:
    await talk.say("give the approval 3 days")
    await talk.say("@analyst what can go wrong in the expense approval?")

    asked = await talk.say("undo that")
    undone = await talk.say("Vendor A")

    assert "Which workflow do you mean?" in asked.content
    assert undone.content.startswith("Done: **Vendor A** is back to how it was in version 1")


async def test_undo_takes_back_what_was_just_changed_unasked(talk: Talk) -> None:
    await talk.say("give the approval 3 days")
    await talk.say("@analyst what can go wrong in it?")

    undone = await talk.say("undo that")

    assert undone.content.startswith("Done: **Vendor A** is back")


@pytest.mark.parametrize("said", ["the expense approval", "the expense approval workflow", "Expense approval"])
async def test_a_workflow_is_renamed_and_deleted_by_its_name_as_the_first_thing_said(said: str) -> None:
    talk = Talk(chat_with(OfflineModel()))
    await talk.under_test.add()

    renamed = await talk.say(f"rename {said} to Spending")
    asked = await Talk(talk.under_test).say("delete spending")

    assert "Renamed the workflow from 'Expense approval' to 'Spending'" in renamed.content
    assert asked.content.startswith("That would delete **Spending**")


async def test_a_step_of_the_workflow_at_hand_is_renamed_rather_than_a_workflow() -> None:
    talk = Talk(chat_with(OfflineModel()))
    await talk.under_test.add()
    await talk.say("show the expense approval")

    renamed = await talk.say("rename the manager review to Boss review")

    assert "Renamed step 'Manager review' to 'Boss review'" in renamed.content


@pytest.mark.parametrize("between", [None, "hello", "who approves in Vendor A?"])
async def test_undo_after_a_deletion_takes_back_no_change_of_another_workflow(talk: Talk, between: str | None) -> None:
    await talk.say("give the approval 3 days")
    await talk.say("delete the expense approval workflow")
    await talk.say("yes")
    if between:
        await talk.say(between)

    told = await talk.say("undo that")
    named = await talk.say("undo the last change of Vendor A")

    assert "**Expense approval** (`wf_expense_approval`) was deleted" in told.content
    assert not told.workflows_touched
    assert named.content.startswith("Done: **Vendor A** is back to how it was in version 1")


async def test_undo_after_a_deletion_and_a_change_takes_back_the_change(talk: Talk) -> None:
    await talk.say("delete the expense approval workflow")
    await talk.say("yes")
    await talk.say("give the approval in Vendor A 3 days")

    undone = await talk.say("undo that")

    assert undone.content.startswith("Done: **Vendor A** is back to how it was in version 1")


async def test_another_workflow_than_the_open_one_is_renamed_and_deleted_by_its_name() -> None:
    talk = Talk(chat_with(OfflineModel()))
    await talk.under_test.add()
    other = "create a workflow called Leave request: the employee asks for leave, the manager approves it"
    await Talk(talk.under_test).say(other)
    await talk.say("show the expense approval")

    renamed = await talk.say("rename the leave request to Time off")
    asked = await talk.say("delete the time off")

    assert "Renamed the workflow from 'Leave request' to 'Time off'" in renamed.content
    assert asked.content.startswith("That would delete **Time off**")


async def test_what_is_neither_a_step_nor_a_workflow_is_asked_about() -> None:
    talk = Talk(chat_with(OfflineModel()))
    await talk.under_test.add()
    await talk.say("show the expense approval")

    asked = await talk.say("rename the leave request to Time off")

    kept = await talk.under_test.workflows.get(TENANT, APPROVAL.id)
    assert "nothing is changed yet" in asked.content.lower() or "nothing was changed" in asked.content
    assert (kept.version, kept.name, kept.steps) == (1, APPROVAL.name, APPROVAL.steps)


@pytest.mark.parametrize("picked", ["2", "the second one", "Vendor A"])
async def test_the_first_order_is_carried_out_once_it_is_said_for_which(talk: Talk, picked: str) -> None:
    anew = Talk(talk.under_test)

    asked = await anew.say(ADDS)
    done = await anew.say(picked)

    assert asked.content.startswith("Which workflow do you mean?")
    assert done.content.startswith("Done: **Vendor A** is now version 2.")
    assert done.mode.name == "modification"


@pytest.mark.parametrize(
    "said",
    [
        "rename the manager review of the expense approval to Check",
        "in the expenses, rename the manager review to Check",
    ],
)
async def test_an_order_names_another_workflow_for_a_step_that_the_open_one_has_not(talk: Talk, said: str) -> None:
    await talk.say(said)

    kept = await talk.under_test.workflows.get(TENANT, APPROVAL.id)
    review = kept.step("review")
    assert review is not None
    assert review.name == "Check"
    assert await versions(talk) == (1, 2)


@pytest.mark.parametrize(
    "said",
    [APPROVAL.id, "i need the expenses", "no, the other", "show the expense-approval", "the previous one we looked at"],
)
async def test_a_workflow_is_shown_by_its_id_its_name_or_its_place(talk: Talk, said: str) -> None:
    await talk.say("show the expense approval")
    await talk.say("show vendor a")

    reply = await talk.say(said)

    assert reply.content.startswith("**Expense approval**")


async def test_a_name_is_given_by_what_it_means(talk: Talk) -> None:
    await talk.say("show the expense approval")
    await talk.say("from now on the night job means this one")
    await talk.say("show vendor a")

    assert (await talk.say("open the night job")).content.startswith("**Expense approval**")
