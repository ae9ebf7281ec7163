"""Claims are held against the record."""

import json
from pathlib import Path

import pytest

from tests.support.growth import assert_grows_linearly
from tests.support.provided import WORKFLOW, provided
from tests.support.provider import CallsTools, Says
from workflow_agent.assistant.claims import claims_in

pytestmark = pytest.mark.untraced
CLAIM = "Done: I added a legal review before the payment."


async def test_a_claim_without_a_deed_is_sent_back_and_may_be_mended(tmp_path: Path) -> None:
    async with provided(tmp_path, Says([CLAIM]), Says(["Where shall the review stand?"])) as under_test:
        reply = await under_test.say("Add a legal review to the expense approval")

    told = str(under_test.provider.requests[1]["messages"][-1])
    assert "I added a legal review before the payment." in told
    assert len(under_test.provider.requests) == 2
    assert reply["response"].endswith("Where shall the review stand?")
    assert reply["unconfirmed_claims"] == []


async def test_a_claim_that_stands_is_named_in_the_reply_and_kept(tmp_path: Path) -> None:
    async with provided(tmp_path, Says([CLAIM]), Says([CLAIM])) as under_test:
        reply = await under_test.say("Add a legal review to the expense approval")
        stored = await under_test.client.get(f"/api/v1/conversations/{reply['conversation_id']}/turns/1")

    assert reply["unconfirmed_claims"] == ["I added a legal review before the payment."]
    assert stored.json()["reply"]["unconfirmed_claims"] == reply["unconfirmed_claims"]
    assert reply["workflows_touched"] == []
    assert len(under_test.provider.requests) == 2


async def test_a_preview_is_no_deletion(tmp_path: Path) -> None:
    asks = CallsTools([("delete_workflow", json.dumps({"workflow": WORKFLOW}))])
    async with provided(tmp_path, asks, Says(["Deleted."]), Says(["Shall I delete it?"])) as under_test:
        reply = await under_test.say("Delete the expense approval")

    assert reply["preview"] is not None
    assert "it waits for a yes" in str(under_test.provider.requests[2]["messages"][-1])
    assert reply["unconfirmed_claims"] == []


async def test_a_deed_bears_out_the_claim_and_a_later_turn_may_tell_of_it(tmp_path: Path) -> None:
    edits = [{"op": "rename_step", "step": "review_3", "name": "Legal"}]
    asks = CallsTools([("edit_workflow", json.dumps({"workflow": WORKFLOW, "edits": edits}))])
    async with provided(tmp_path, asks, Says(["I renamed Review 3."])) as under_test:
        done = await under_test.say("Rename Review 3 to Legal in the expense approval")
        under_test.will(Says(["I renamed Review 3 to Legal."]))
        told = await under_test.say("What did you do?")

    assert done["unconfirmed_claims"] == told["unconfirmed_claims"] == []
    assert len(under_test.provider.requests) == 3


@pytest.mark.parametrize(
    "text",
    [
        "Done: I added a legal review.",
        "I've now renamed the step.",
        "Deleted.",
        "Added a review to the workflow.",
        "The workflow has been deleted.",
        "We have successfully removed it!",
        "OK. I just moved the step.",
        "Sure. I have updated the workflow, and it has a deadline.",
    ],
)
def test_a_claim_is_known(text: str) -> None:
    assert claims_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "I added nothing.",
        "I have not deleted it.",
        "Shall I say that I added it?",
        'You wrote "I added it".',
        "Once the form has been updated, the manager looks at it.",
        "I can add a review.",
        "Created by Anna.",
        "If I added a review, it would wait.",
        "I added that in turn 3.",
        "```\nDeleted.\n```",
        "> Deleted.",
        "I have added a summary below.",
        "The manager removed the step.",
        "Nothing was changed.",
        "It has two reviews, and an added check.",
        "When it is deleted, the history stays.",
        "",
        "I would have renamed it.",
        "It was created in March.",
        "The claim is updated by the clerk.",
    ],
)
def test_what_is_no_claim_is_let_pass(text: str) -> None:
    assert claims_in(text) == ()


@pytest.mark.parametrize("piece", ["`", '"', "added ", "i ", ".", "```x"])
def test_reading_takes_linear_time(piece: str) -> None:
    assert_grows_linearly(lambda n: (piece * n)[:n], claims_in, 32_000)
