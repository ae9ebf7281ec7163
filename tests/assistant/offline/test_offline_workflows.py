"""All about workflows in ordinary words: the offline model in the real chat, through the tools alone."""

import json

import pytest

from tests.support.chats import APPROVAL, TENANT, ChatUnderTest, chat_with
from tests.support.in_memory import InMemoryConversationStore
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.conversations.document import AgentReply
from workflow_agent.errors import WorkflowNotFound
from workflow_agent.workflows.formats import FORMATS, import_workflow
from workflow_agent.workflows.model.parser import parse_workflow

MACHINE = {
    "StartAt": "Pack",
    "States": {
        "Pack": {"Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:1:function:pack", "Next": "Sent"},
        "Sent": {"Type": "Succeed"},
    },
}
ACTIONS = """name: CI
on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: make
"""
BPMN = (
    '<?xml version="1.0"?><definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="d" '
    'targetNamespace="t"><process id="p" name="Pack"><startEvent id="s"/><task id="a" name="Pack it"/>'
    '<endEvent id="e"/><sequenceFlow id="f1" sourceRef="s" targetRef="a"/>'
    '<sequenceFlow id="f2" sourceRef="a" targetRef="e"/></process></definitions>'
)
CALLS = parse_workflow(
    {
        "id": "wf_calls",
        "name": "Calls",
        "steps": [
            *({"id": f"call_{n}", "name": f"Call {n}", "uses": "http.get"} for n in range(1, 8)),
            {"id": "done", "name": "Done", "type": "end", "outcome": "ok"},
        ],
        "transitions": [
            *({"from": f"call_{n}", "to": f"call_{n + 1}"} for n in range(1, 7)),
            {"from": "call_7", "to": "done"},
        ],
    }
)


class Talk:
    """One conversation about one workflow."""

    def __init__(self, under_test: ChatUnderTest, conversation_id: str | None = None) -> None:
        self.under_test = under_test
        self.conversation_id = conversation_id

    async def say(self, message: str) -> AgentReply:
        outcome = await self.under_test.say(message, conversation_id=self.conversation_id)
        self.conversation_id = outcome.conversation_id
        return outcome.reply

    async def ids(self) -> set[str]:
        return {workflow.id for workflow in await self.under_test.workflows.all(TENANT)}


@pytest.fixture
async def talk() -> Talk:
    made = Talk(chat_with(OfflineModel()))
    await made.under_test.add()
    await made.say("show the expense approval")
    return made


@pytest.mark.parametrize(
    ("message", "name"),
    [
        pytest.param(f"import this state machine: {json.dumps(MACHINE)}", "Pack", id="json after a colon"),
        pytest.param(f"Please import\n\n```json\n{json.dumps(MACHINE, indent=1)}\n```", "Pack", id="fenced"),
        pytest.param(f"here is our pipeline, add it\n{ACTIONS}", "CI", id="yaml without fences"),
        pytest.param(f"import this workflow:\n```yaml\n{ACTIONS}```", "CI", id="fenced yaml"),
        pytest.param(ACTIONS, "CI", id="nothing but yaml"),
        pytest.param(f"import this BPMN please: {BPMN}", "Pack", id="xml"),
        pytest.param(f'import this called "Parcel": {json.dumps(MACHINE)}', "Parcel", id="under another name"),
    ],
)
async def test_a_pasted_document_is_imported(talk: Talk, message: str, name: str) -> None:
    reply = await talk.say(message)

    (imported,) = [one for one in await talk.under_test.workflows.all(TENANT) if one.id != APPROVAL.id]
    assert "import_workflow" in reply.tools_used
    assert reply.content.startswith(f"Done: I imported **{imported.name}**")
    assert name in {imported.name, *(step.name for step in imported.steps)}


async def test_a_broken_document_is_refused_with_its_faults(talk: Talk) -> None:
    reply = await talk.say('import this: {"StartAt": "A", "States": {"B": {"Type": "Succeed"}}}')

    assert "StartAt" in reply.content
    assert "Nothing was changed." in reply.content
    assert await talk.ids() == {APPROVAL.id}


async def test_a_document_in_a_question_is_not_imported(talk: Talk) -> None:
    await talk.say(f"{json.dumps(MACHINE)} what do you think of this?")

    assert await talk.ids() == {APPROVAL.id}


@pytest.mark.parametrize(
    ("message", "format_name"),
    [
        ("give me this as a Step Functions definition", "asl"),
        ("export it as BPMN", "bpmn"),
        ("export the expense approval to n8n", "n8n"),
        ("convert it to GitHub Actions", "github-actions"),
        ("show me this as an Argo workflow", "argo"),
        ("I need it in Arazzo", "arazzo"),
        ("give me the YAML", "yaml"),
        ("can you export this as JSON?", "json"),
        ("turn it into a serverless workflow", "serverless-workflow"),
        ("export the expense approval as a state machine", "state-machine"),
    ],
)
async def test_a_workflow_is_given_out_in_any_format_by_its_usual_name(
    talk: Talk, message: str, format_name: str
) -> None:
    reply = await talk.say(message)

    assert reply.tools_used[-1] == "export_workflow"
    assert f"as {FORMATS[format_name].title}:" in reply.content
    text = reply.content.split("```")[1].partition("\n")[2]
    assert import_workflow(text, format_name)[1].workflow.steps
    assert (await talk.under_test.workflows.get(TENANT, APPROVAL.id)).version == 1


async def test_without_a_format_it_asks_and_takes_the_answer(talk: Talk) -> None:
    asked = await talk.say("export it")

    reply = await talk.say("bpmn")

    assert "As what" in asked.content
    assert "export_workflow" in reply.tools_used


@pytest.mark.parametrize(
    ("message", "block"),
    [("show it as a diagram", "```mermaid"), ("draw it as dot", "```dot"), ("draw a graphviz graph of it", "```dot")],
)
async def test_a_workflow_is_drawn(talk: Talk, message: str, block: str) -> None:
    reply = await talk.say(message)

    assert reply.tools_used == ("draw_diagram",)
    assert block in reply.content


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("make a copy of the expense approval called Travel approval", "Travel approval"),
        ("make a copy of the expense approval for travel", "Expense approval for travel"),
        ("copy it as Travel approval", "Travel approval"),
        ("duplicate this workflow", "Expense approval (copy)"),
        ("use the expense approval as a template for a new workflow called Travel approval", "Travel approval"),
        ("create one like the expense approval but for travel", "Expense approval for travel"),
    ],
)
async def test_a_workflow_is_copied(talk: Talk, message: str, name: str) -> None:
    reply = await talk.say(message)

    (copy,) = [one for one in await talk.under_test.workflows.all(TENANT) if one.id != APPROVAL.id]
    assert copy.name == name
    assert copy.steps == APPROVAL.steps
    assert f"copied **Expense approval** as **{name}**" in reply.content


async def test_the_copy_is_what_the_next_message_is_about(talk: Talk) -> None:
    await talk.say("make a copy of the expense approval called Travel approval")

    await talk.say("rename Manager review to Boss review")

    assert (await talk.under_test.workflows.get(TENANT, "wf_travel_approval")).version == 2
    assert (await talk.under_test.workflows.get(TENANT, APPROVAL.id)).version == 1


async def test_an_alias_is_added_to_a_workflow_whose_name_has_digits(talk: Talk) -> None:
    await talk.say(f'import this called "Storm 00": {json.dumps(MACHINE)}')
    await talk.say("show the expense approval")

    await talk.say('add an alias "squall" to the storm 00 workflow')

    assert (await talk.under_test.workflows.get(TENANT, "wf_storm_00")).aliases == ("squall",)


async def test_that_one_is_the_workflow_spoken_of_last(talk: Talk) -> None:
    await talk.say("make a copy of the expense approval called Travel approval")

    await talk.say("delete that one")
    await talk.say("yes")

    assert await talk.ids() == {APPROVAL.id}


async def test_two_workflows_are_compared(talk: Talk) -> None:
    await talk.say("make a copy of the expense approval called Travel approval")
    await talk.say("rename Manager review to Boss review")

    reply = await talk.say("compare the expense approval with Travel approval")

    assert "compare_workflows" in reply.tools_used
    assert "Only **Travel approval** has *Boss review*." in reply.content


@pytest.mark.parametrize(
    "question",
    [
        "what changed since yesterday?",
        "what changed today?",
        "who changed what this week?",
        "list the changes since Monday",
        "what did you change since yesterday?",
        "what has changed in the expense approval in the last 3 days?",
    ],
)
async def test_what_changed_since_a_time_is_told_from_the_record(talk: Talk, question: str) -> None:
    await talk.say("rename Manager review to Boss review")

    reply = await talk.say(question)

    assert reply.tools_used[-1] == "list_changes"
    assert "**Expense approval** version 2, edited by user, through assistant" in reply.content


async def test_a_time_in_which_nothing_changed_is_told_so(talk: Talk) -> None:
    reply = await talk.say("what changed yesterday?")

    assert reply.content == "Nothing was changed yesterday."


async def test_a_few_fixes_are_made_at_once(talk: Talk) -> None:
    reply = await talk.say("fix what you can")

    assert reply.tools_used[-1] == "fix_findings"
    assert reply.content.startswith("Done: I fixed ")
    assert "The analysis finds nothing else." in reply.content
    assert (await talk.under_test.workflows.get(TENANT, APPROVAL.id)).version == 2


async def test_many_fixes_are_shown_and_made_on_a_yes(talk: Talk) -> None:
    await talk.under_test.add(CALLS)
    await talk.say("show wf_calls")

    shown = await talk.say("fix everything you can")
    before = await talk.under_test.workflows.get(TENANT, "wf_calls")
    done = await talk.say("yes, apply them")

    assert shown.preview is not None
    assert before.version == 1
    assert "Done: **Calls** is now version 2" in done.content


async def test_deleting_is_shown_and_done_on_a_yes_once(talk: Talk) -> None:
    shown = await talk.say("delete it")
    kept = await talk.ids()
    done = await talk.say("yes")
    again = await talk.say("yes")

    assert "That would delete **Expense approval**" in shown.content
    assert kept == {APPROVAL.id}
    assert "is deleted" in done.content
    assert "not sure what you are agreeing to" in again.content
    with pytest.raises(WorkflowNotFound):
        await talk.under_test.workflows.get(TENANT, APPROVAL.id)


@pytest.mark.parametrize("message", ["no", "no, leave it", "who approves?", "thanks"])
async def test_what_is_not_confirmed_is_not_deleted(talk: Talk, message: str) -> None:
    await talk.say("delete the expense approval")

    await talk.say(message)
    await talk.say("yes")

    assert await talk.ids() == {APPROVAL.id}


async def test_a_workflow_is_deleted_by_name_while_another_is_open(talk: Talk) -> None:
    await talk.say("make a copy of the expense approval called Travel approval")

    await talk.say("delete the expense approval workflow")
    await talk.say("do it")

    assert await talk.ids() == {"wf_travel_approval"}


@pytest.mark.parametrize(
    "message",
    [
        "remove the manager review, but show me what that would change first",
        "preview removing the manager review",
        "remove the manager review and show me first",
        "show me first what removing the manager review would change",
    ],
)
async def test_a_change_can_be_asked_to_be_shown_first(talk: Talk, message: str) -> None:
    shown = await talk.say(message)
    before = await talk.under_test.workflows.get(TENANT, APPROVAL.id)
    await talk.say("do it")

    after = await talk.under_test.workflows.get(TENANT, APPROVAL.id)
    assert "Shall I do it?" in shown.content
    assert before == APPROVAL.model_copy(update={name: getattr(before, name) for name in ("created_at", "updated_at")})
    assert after.step("review") is None


async def test_going_far_back_is_shown_first(talk: Talk) -> None:
    await talk.say("rename Manager review to Boss review")
    await talk.say("rename Boss review to Chief review")

    shown = await talk.say("go back to version 1")
    done = await talk.say("go ahead")

    assert "because it goes back 2 versions" in shown.content
    assert "now version 4 and back to how it was in version 1" in done.content
    assert (await talk.under_test.workflows.get(TENANT, APPROVAL.id)).steps == APPROVAL.steps


async def test_a_preview_of_what_somebody_else_changed_is_stale(talk: Talk) -> None:
    await talk.say("delete it")
    other = Talk(talk.under_test)
    await other.say("show the expense approval")
    await other.say("rename Manager review to Boss review")

    reply = await talk.say("yes")

    assert "has been changed since the preview" in reply.content
    assert await talk.ids() == {APPROVAL.id}


async def test_a_preview_can_be_confirmed_after_a_restart() -> None:
    store = InMemoryConversationStore()
    before = Talk(chat_with(OfflineModel(), store=store))
    await before.under_test.add()
    await before.say("delete the expense approval")
    after = Talk(chat_with(OfflineModel(), store=store), before.conversation_id)
    await after.under_test.add()

    reply = await after.say("yes")

    assert "is deleted" in reply.content
    assert await after.ids() == set()


async def test_a_change_in_place_of_the_one_offered_tells_that_that_is_not_made(talk: Talk) -> None:
    await talk.say("preview removing the manager review")
    done = await talk.say("rename Manager review to Boss review")
    later = await talk.say("rename Boss review to Chief review")

    assert "What I offered before is not done" in done.content
    assert (await talk.under_test.workflows.get(TENANT, APPROVAL.id)).step("review") is not None
    assert "I offered before" not in later.content


async def test_a_yes_and_another_change_makes_both(talk: Talk) -> None:
    await talk.say("preview removing the manager review")
    done = await talk.say("yes, and tag it money")

    stored = await talk.under_test.workflows.get(TENANT, APPROVAL.id)
    assert stored.step("review") is None
    assert "money" in stored.tags
    assert "I offered before" not in done.content
