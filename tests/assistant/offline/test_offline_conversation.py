"""The offline model in the real chat: the conversation a newcomer has first."""

import pytest

from tests.support.chats import TENANT, chat_with
from tests.support.talking import Talk
from workflow_agent.assistant.offline.model import OfflineModel

DESCRIPTION = (
    "When an employee submits an expense the manager approves or rejects it. If approved, finance pays it "
    "out, otherwise tell the employee by email. The manager has two days."
)


@pytest.fixture
def talk() -> Talk:
    return Talk(chat_with(OfflineModel()))


async def test_the_created_workflow_is_the_one_described_branch_for_branch(talk: Talk) -> None:
    reply = await talk.say(DESCRIPTION)

    (workflow,) = await talk.under_test.workflows.all(TENANT)
    approval = next(step for step in workflow.steps if step.assignee == "manager")
    (onward,) = workflow.outgoing(approval.id)
    led_to = {
        edge.when.text if edge.when else "otherwise": workflow.step(edge.to) for edge in workflow.outgoing(onward.to)
    }
    paid, told = led_to.pop("approved"), led_to.pop("otherwise")
    assert approval.timeout == "P2D"
    assert paid is not None
    assert (paid.name, paid.assignee) == ("Pay the expense out", "finance")
    assert told is not None
    assert (told.name, told.type) == ("Tell the employee by email", "action")
    assert not led_to
    assert [step.outcome for step in workflow.steps if step.type == "end"] == ["ok", "rejected"]
    assert workflow.triggers
    assert workflow.name in reply.content
    assert reply.model == "offline"


@pytest.mark.parametrize(
    "request_",
    [
        "Hi, could you please set up the following for me:",
        "Could you set up the following?",
        "hey can u make a process for me:",
    ],
)
async def test_a_request_in_front_of_a_description_is_no_question(talk: Talk, request_: str) -> None:
    reply = await talk.say(f"{request_} The clerk checks the form. The manager signs it.")

    (workflow,) = await talk.under_test.workflows.all(TENANT)
    assert [step.assignee for step in workflow.steps if step.type == "human"] == ["clerk", "manager"]
    assert reply.content.startswith("Done")


async def test_of_a_description_that_is_too_long_nothing_is_made_before_a_yes(talk: Talk) -> None:
    fruit = ("apples", "pears", "plums", "cherries", "grapes", "melons", "figs", "dates", "nuts", "beans")
    work = [f"{verb} the {one}" for one in fruit for verb in ("wash", "peel", "cut", "sort", "weigh", "pack", "count")]

    reply = await talk.say(f"Create a workflow: {' -> '.join([*work, *work, *work, *work])}")
    made_at_first = await talk.under_test.workflows.all(TENANT)
    await talk.say("yes")

    (workflow,) = await talk.under_test.workflows.all(TENANT)
    made = [step.name.lower() for step in workflow.steps if step.type != "end"]
    assert not made_at_first
    assert f"I understood {len(made)} steps" in reply.content
    assert "what comes from" in reply.content
    assert "Nothing is made yet." in reply.content
    assert made[: len(work)] == work


async def test_an_insert_leaves_no_old_edge_and_is_told_with_its_version(talk: Talk) -> None:
    await talk.say(DESCRIPTION)

    reply = await talk.say("put a legal review before the payment")

    (workflow,) = await talk.under_test.workflows.all(TENANT)
    legal = next(step for step in workflow.steps if step.assignee == "legal")
    (into,) = workflow.incoming(legal.id)
    (out,) = workflow.outgoing(legal.id)
    assert workflow.version == 2
    assert (into.from_, out.to) not in {(edge.from_, edge.to) for edge in workflow.transitions}
    assert into.when is not None
    assert "version 2" in reply.content


async def test_a_question_changes_nothing(talk: Talk) -> None:
    await talk.say(DESCRIPTION)
    before = await talk.under_test.workflows.all(TENANT)

    for question in ("where could an expense get stuck?", "who approves what?", "should we drop the email?"):
        await talk.say(question)

    assert await talk.under_test.workflows.all(TENANT) == before


@pytest.mark.parametrize("question", ["what did you change before?", "what did you change two turns ago?"])
async def test_what_was_changed_is_told_from_the_record(talk: Talk, question: str) -> None:
    await talk.say(DESCRIPTION)
    await talk.say("rename the workflow to Spending")
    await talk.say("explain it")

    reply = await talk.say(question)

    assert "In turn 2" in reply.content
    assert "Spending" in reply.content
    assert reply.tools_used == ("get_turn", "compare_versions")


async def test_where_only_looking_was_done_it_says_so(talk: Talk) -> None:
    await talk.say(DESCRIPTION)
    await talk.say("explain it")

    reply = await talk.say("what did you change one turn ago?")

    assert "I only looked" in reply.content


async def test_what_nobody_changed_is_not_claimed(talk: Talk) -> None:
    reply = await talk.say("what did you change?")

    assert "not changed anything" in reply.content


@pytest.mark.parametrize(
    ("said", "description"),
    [
        ("describe the workflow as how we pay people back", "how we pay people back"),
        ('describe it as "Pays people back."', "Pays people back."),
        ("describe the expense approval as money for people", "money for people"),
        ("describe this workflow like this: pays people back", "pays people back"),
    ],
)
async def test_a_workflow_can_be_described_as_something(talk: Talk, said: str, description: str) -> None:
    await talk.say(DESCRIPTION)

    reply = await talk.say(said)

    (workflow,) = await talk.under_test.workflows.all(TENANT)
    assert (workflow.description, workflow.version) == (description, 2)
    assert "description" in reply.content


@pytest.mark.parametrize(
    "said",
    [
        "describe it",
        "describe the workflow as a short list",
        "describe it as if I were five",
        "describe the workflow as well",
        "describe the process as it is today",
        "can you describe it as a diagram?",
    ],
)
async def test_to_describe_it_in_some_form_is_to_explain_it(talk: Talk, said: str) -> None:
    await talk.say(DESCRIPTION)

    reply = await talk.say(said)

    (workflow,) = await talk.under_test.workflows.all(TENANT)
    assert workflow.version == 1
    assert all(step.name in reply.content for step in workflow.steps if step.type != "end")


async def test_undo_takes_back_exactly_the_last_change(talk: Talk) -> None:
    await talk.say(DESCRIPTION)
    (created,) = await talk.under_test.workflows.all(TENANT)
    await talk.say("put a legal review before the payment")

    await talk.say("undo that")

    (workflow,) = await talk.under_test.workflows.all(TENANT)
    assert (workflow.steps, workflow.transitions) == (created.steps, created.transitions)
    assert workflow.version == 3


@pytest.mark.parametrize("reader", ["@analyst where could an expense get stuck?", "@finder list my workflows"])
async def test_undo_reaches_one_who_may_after_one_who_only_reads(talk: Talk, reader: str) -> None:
    await talk.say(DESCRIPTION)
    await talk.say("put a legal review before the payment")
    await talk.say(reader)

    reply = await talk.say("undo that")

    assert (reply.author, reply.mode.name) == ("assistant", "modification")
    assert reply.tools_used == ("undo_change",)
    assert "Removed step 'Legal review'" in reply.content


@pytest.mark.parametrize(
    "question",
    [
        "can I undo that?",
        "can we undo that?",
        "could that be undone?",
        "is it possible to undo that?",
        "should I undo that?",
        "is there a way to undo that?",
        "undo that?",
        "what happens if I undo that?",
        "can we go back to version 1?",
        "@analyst can I undo that?",
        "@analyst undo that?",
        "@analyst can we go back to version 1?",
    ],
)
async def test_a_question_about_undoing_undoes_nothing_until_yes(talk: Talk, question: str) -> None:
    await talk.say(DESCRIPTION)
    await talk.say("put a legal review before the payment")
    before = await talk.under_test.workflows.all(TENANT)

    await talk.say(question)
    after_question = await talk.under_test.workflows.all(TENANT)
    await talk.say("yes")

    assert after_question == before
    assert [one.version for one in await talk.under_test.workflows.all(TENANT)] == [3]


async def test_what_an_undo_would_take_back_is_what_it_takes_back(talk: Talk) -> None:
    await talk.say(DESCRIPTION)
    await talk.say("put a legal review before the payment")
    await talk.say("rename the workflow to Spending")
    await talk.say("undo")

    reply = await talk.say("can I undo the last change?")

    assert "made version 2" in reply.content
    assert "Added step 'Legal review'" in reply.content


async def test_a_name_somebody_gave_can_end_an_order_and_a_step_is_not_called_step(talk: Talk) -> None:
    await talk.say("Build an onboarding process: HR collects the details, then the manager does a welcome call.")
    await talk.say("call it the Monday thing")

    reply = await talk.say("add a security training step after the welcome call in the monday thing")

    assert "Added step 'Security training' (human, security) between 'Do a welcome call' and 'Done'" in reply.content


async def test_a_deadline_can_be_said_plainly_and_is_in_the_longest_path(talk: Talk) -> None:
    await talk.say("Build an onboarding process: HR collects the details, then the manager does a welcome call.")

    changed = await talk.say("the welcome call has two days")
    path = await talk.say("how long is the longest path?")

    assert "timeout set to 2 days" in changed.content
    assert path.content.startswith("At most 2 days on the longest way")
    assert "**Do a welcome call** (`do_a_welcome_call`) has 2 days." in path.content
    assert path.workflows_touched[0].change != "modified"


@pytest.mark.slow
@pytest.mark.parametrize(
    "question",
    [
        "what did we agree about the audit at the beginning?",
        "what did I tell you about the audit?",
        "do you remember what we said about the audit",
    ],
)
async def test_what_was_said_long_ago_is_quoted(talk: Talk, question: str) -> None:
    await talk.say("We agreed that the audit is due on 12 March.")
    for n in range(12):
        await talk.say(f"hello number {n}")
        await talk.under_test.compactor.settled()

    reply = await talk.say(question)

    assert reply.context["turns"]["compacted"] >= 4
    assert "recall" in reply.tools_used
    assert "Turn 1, you: “We agreed that the audit is due on 12 March.”" in reply.content


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("who approves in the expense approval?", "**Approve** (`approve`): **manager**."),
        (
            "what comes before pay in the expense approval process?",
            "Before **Pay** (`pay`): **Approve** (`approve`), done by manager.",
        ),
        (
            "add a legal review before the payment in the expense approval",
            "Added step 'Legal review' (human, legal) between 'Approve' and 'Pay'",
        ),
    ],
)
async def test_in_another_conversation_a_workflow_is_named_at_the_end(talk: Talk, message: str, said: str) -> None:
    await talk.say("Build an expense approval: the employee submits, the manager approves, finance pays.")
    talk.conversation_id = None

    assert said in (await talk.say(message)).content


@pytest.mark.parametrize("said", ["ok thanks", "yes thanks", "great, thanks!"])
async def test_thanks_are_no_yes_to_what_nobody_offered(talk: Talk, said: str) -> None:
    await talk.say("hello")

    assert (await talk.say(said)).content.startswith("You're welcome")
