"""Orders that are said as statements, with cases, by how much, or in German, on the sample workflows."""

import json
from pathlib import Path

import pytest

from benchmarks.gold import claims_that_fail
from tests.support.chats import TENANT, ChatUnderTest, chat_with
from workflow_agent.agent.offline import drafting
from workflow_agent.agent.offline.model import OfflineModel
from workflow_agent.domain.workflow import Workflow
from workflow_agent.domain.workflow_parsing import parse_workflow
from workflow_agent.ports import Author, Change

SAMPLES = Path(__file__).parents[3] / "data" / "samples"


async def opened(name: str) -> tuple[ChatUnderTest, Workflow]:
    """Return a chat with a sample in its catalogue."""
    chat = chat_with(OfflineModel(drafting=drafting))
    workflow = parse_workflow(json.loads((SAMPLES / f"{name}.json").read_text("utf-8")) | {"id": "wf_one"})
    return chat, await chat.workflows.create(TENANT, workflow, Change(Author(), "created"))


@pytest.mark.parametrize(
    ("said", "claims", "added"),
    [
        pytest.param("the controller does the finance review from now on",
                     ["assignee finance_review controller"], 0, id="who does"),
        pytest.param("finance reviews should be handled by the controller instead",
                     ["assignee finance_review controller"], 0, id="instead"),
        pytest.param("expenses are submitted by the team assistant",
                     ["assignee submit team_assistant"], 0, id="passive"),
        pytest.param("the team lead should do the manager review, not the manager",
                     ["assignee review team_lead"], 0, id="not somebody else"),
        pytest.param("finance has 2 days for the finance review",
                     ["timeout finance_review P2D"], 0, id="has so long for"),
        pytest.param("finance gets at most 2 days to do the review",
                     ["timeout finance_review P2D"], 0, id="of several, theirs"),
        pytest.param("set the timeout of the finance review to 5 days as the policy I attached says",
                     ["timeout finance_review P5D"], 0, id="as a document says"),
        pytest.param("set the timeout of the finance review to 5 days, according to the travel policy",
                     ["timeout finance_review P5D"], 0, id="according to a document"),
        pytest.param("finance review -> controller", ["assignee finance_review controller"], 0, id="arrow"),
        pytest.param("finance review: 2 days max", ["timeout finance_review P2D"], 0, id="colon"),
        pytest.param("extend the finance review by two days", ["timeout finance_review P5D"], 0, id="longer"),
        pytest.param("give the finance review one more day", ["timeout finance_review P4D"], 0, id="more"),
        pytest.param("shorten the finance review by 12 hours",
                     ["timeout finance_review PT60H"], 0, id="shorter"),
        pytest.param("change the deadline of the finance review from 3 days to 5",
                     ["timeout finance_review P5D"], 0, id="unit said once"),
        pytest.param("if nobody does the finance review within a day, escalate it to the board",
                     ["timeout finance_review P1D", "escalate finance_review board"], 0, id="escalate"),
        pytest.param("when finance rejects, tell the auditor",
                     ["edge finance_review>?", "edge ?>rejected", "no edge finance_review>rejected"], 1,
                     id="a step in one case"),
        pytest.param("if the manager rejects it, go back to submit expense",
                     ["edge review>submit", "no edge review>rejected"], 0, id="a case goes elsewhere"),
        pytest.param("if pay out fails go to submit expense",
                     ["edge pay>submit", "no edge pay>repair_payment"], None, id="a failure goes elsewhere"),
        pytest.param("if pay out fails tell the auditor",
                     ["edge pay>?", "edge ?>repair_payment", "edge pay>paid"], 1,
                     id="before a failure is handled"),
        pytest.param("the assistant scans the receipts after submit expense",
                     ["edge submit>?", "edge ?>review", "new assignee assistant"], 1, id="told after"),
        pytest.param("before pay out the auditor checks the receipts",
                     ["edge ?>pay", "new assignee auditor", "no edge check_amount>pay"], 1, id="told before"),
        pytest.param("make the CFO approve everything first", ["edge ?>submit"], 1, id="approved first"),
        pytest.param("entferne bitte Finance review", ["no step finance_review"], -1, id="remove"),
        pytest.param("füge vor Pay out den Schritt Belege prüfen ein", ["edge ?>pay"], 1, id="insert"),
    ],
)  # fmt: skip
async def test_a_statement_changes_what_it_says_and_nothing_else(
    said: str, claims: list[str], added: int | None
) -> None:
    chat, before = await opened("expense_approval")

    await chat.say(said, workflow_id=before.id)

    assert claims_that_fail(before, await chat.workflows.get(TENANT, before.id), claims, added) == []


@pytest.mark.parametrize(
    ("said", "asks"),
    [
        pytest.param("assign the review to Anna", "Which one do you mean?", id="two reviews"),
        pytest.param("if it is rejected go back to submit expense", "Which one do you mean?", id="two cases"),
        pytest.param("let finance sing a song", "nothing was changed", id="no such step"),
        pytest.param("does the controller do the finance review now?", "finance", id="question"),
        pytest.param("extend submit expense by a month", "How long may", id="months have no length"),
        pytest.param("shorten the finance review by 10 days", "How long may it take?", id="too short"),
    ],
)
async def test_what_is_not_clear_changes_nothing(said: str, asks: str) -> None:
    chat, before = await opened("expense_approval")

    answer = await chat.say(said, workflow_id=before.id)

    assert await chat.workflows.get(TENANT, before.id) == before
    assert asks in answer.reply.content


async def test_the_step_that_is_then_picked_gets_the_case() -> None:
    chat, before = await opened("expense_approval")

    asked = await chat.say("if it is rejected go back to submit expense", workflow_id=before.id)
    await chat.say("the second one", workflow_id=before.id, conversation_id=asked.conversation_id)

    after = await chat.workflows.get(TENANT, before.id)
    claims = ["edge finance_review>submit", "edge review>rejected", "no edge finance_review>rejected"]
    assert claims_that_fail(before, after, claims, 0) == []


async def test_words_that_join_steps_may_stand_in_their_names() -> None:
    chat, before = await opened("contract_signing")

    await chat.say("remove the arrow from talk to counterparty to draft contract", workflow_id=before.id)

    after = await chat.workflows.get(TENANT, before.id)
    assert claims_that_fail(before, after, ["no edge negotiate>draft"], 0) == []
