"""What earlier tool calls gave back reaches the provider again as it was, or says that it cannot be read."""

import json
from pathlib import Path

import pytest

from tests.support.provided import provided
from tests.support.provider import CallsTools, Says

pytestmark = pytest.mark.untraced
UNREADABLE = "(this content cannot be read any more)"


async def test_a_cached_prefix_keeps_every_result_as_it_was_sent(tmp_path: Path) -> None:
    sent: dict[str, str] = {}
    async with provided(tmp_path, prompt_layout="stable_prefix") as under_test:
        for turn in range(8):
            under_test.will_look_it_up()
            await under_test.say(f"Show it for the {turn}. time")
            results = dict(under_test.results_sent())

            assert all(WORKFLOW_TEXT in text for text in results.values())
            assert all(text == sent.get(call, text) for call, text in results.items())
            sent |= results
    assert len(sent) == 8


WORKFLOW_TEXT = "Review 11"


async def test_each_of_three_agents_gets_its_own_results_again(tmp_path: Path) -> None:
    async with provided(tmp_path, prompt_layout="plain") as under_test:
        for _ in range(3):
            for _ in ("analyst", "finder", "assistant"):
                under_test.will_look_it_up()
            await under_test.say("@analyst @finder @assistant look at it")

    sent = [under_test.results_sent(at) for at in range(len(under_test.provider.requests))]
    assert [len(results) for results in sent] == [0, 1, 0, 1, 0, 1, 1, 2, 1, 2, 1, 2, 2, 3, 2, 3, 2, 3]
    assert all(WORKFLOW_TEXT in text for results in sent for _, text in results)


@pytest.mark.parametrize("harm", ["missing", "damaged"])
async def test_a_result_that_cannot_be_read_says_so_and_the_conversation_goes_on(tmp_path: Path, harm: str) -> None:
    async with provided(tmp_path) as under_test:
        under_test.will_look_it_up()
        await under_test.say("Show it")
    harmed(under_test.blobs(), harm)

    async with provided(tmp_path) as again:
        again.conversation_id = under_test.conversation_id
        again.will_look_it_up("Here.")
        reply = await again.say("And again?")

    assert reply["response"] == "Here."
    (_, earlier), (_, now) = again.results_sent()
    assert UNREADABLE in earlier
    assert WORKFLOW_TEXT in now


@pytest.mark.parametrize("harm", ["missing", "damaged"])
async def test_the_offline_model_goes_on_without_a_result(tmp_path: Path, harm: str) -> None:
    async with provided(tmp_path, model="offline") as under_test:
        await under_test.say("Show me the expense approval")
    harmed(under_test.blobs(), harm)

    async with provided(tmp_path, model="offline") as again:
        again.conversation_id = under_test.conversation_id
        reply = await again.say("What is its first step?")
        await again.say("Thanks")

    assert "Review 0" in reply["response"]


async def test_a_planner_is_asked_by_size_and_not_because_there_is_a_history(tmp_path: Path) -> None:
    async with provided(tmp_path) as under_test:
        under_test.will_look_it_up()
        await under_test.say("Show the expense approval")
        for _ in range(8):
            under_test.will(Says(["You are welcome."]))
            reply = await under_test.say("Thank you")

    assert len(under_test.provider.requests) == 2 + 8
    assert reply["context"]["llm_planning_used"] is False
    assert reply["context"]["artifacts_processed"][0]["strategy"] == "exclude"


async def test_a_result_that_a_later_change_made_stale_is_marked_so(tmp_path: Path) -> None:
    async with provided(tmp_path) as under_test:
        under_test.will_look_it_up()
        await under_test.say("Show the expense approval")
        for _ in range(7):
            under_test.will(Says(["You are welcome."]))
            await under_test.say("Thank you")
        renamed = [{"op": "update_step", "step": "review_3", "set": {"name": "Legal review"}}]
        edited = await under_test.client.post(
            "/api/v1/workflows/wf_expense_approval/edits", json={"edits": renamed}, headers={"If-Match": "*"}
        )
        assert edited.status_code == 200, edited.text
        under_test.will(Says(["Twelve."]))
        await under_test.say("How many people review in the expense approval workflow?")

    sent = str(under_test.provider.requests[-1]["messages"])
    assert "Review 3" in sent
    assert 'out_of_date="the workflow is at version 2 now, this is about version 1"' in sent


@pytest.mark.parametrize("turns_since", [0, 2])
async def test_a_result_in_view_that_a_change_elsewhere_made_stale_is_said_to_be_so(
    tmp_path: Path, turns_since: int
) -> None:
    async with provided(tmp_path) as under_test:
        under_test.will_look_it_up()
        await under_test.say("Show the expense approval")
        for _ in range(turns_since):
            under_test.will(Says(["You are welcome."]))
            await under_test.say("Thank you")
        assert "Out of date" not in str(under_test.provider.requests[-1]["messages"])
        renamed = [{"op": "update_step", "step": "review_3", "set": {"name": "Legal review"}}]
        edited = await under_test.client.post(
            "/api/v1/workflows/wf_expense_approval/edits", json={"edits": renamed}, headers={"If-Match": "*"}
        )
        assert edited.status_code == 200, edited.text
        under_test.will(Says(["Twelve."]))
        await under_test.say("How many people review in it?")

    sent = str(under_test.provider.requests[-1]["messages"])
    assert "Out of date: what is told above of wf_expense_approval version 1 and before" in sent
    assert "it is at version 2 now" in sent


async def test_the_values_of_a_retry_and_of_a_join_are_said_though_nobody_gave_them(tmp_path: Path) -> None:
    steps = [
        {"id": "call", "name": "Call", "retry": {}},
        {"id": "wait", "name": "Wait for all", "type": "join", "join": {}},
        {"id": "done", "name": "Done", "type": "end"},
    ]
    ways = [{"from": "call", "to": "wait"}, {"from": "wait", "to": "done"}]
    async with provided(tmp_path) as under_test:
        flow = {"id": "wf_calls", "name": "Calls", "steps": steps, "transitions": ways}
        made = (await under_test.client.post("/api/v1/workflows", json=flow)).json()
        under_test.will(CallsTools([("get_workflow", '{"workflow": "wf_calls"}')]), Says(["That."]))
        await under_test.say("Show wf_calls")
    [(_, sent)] = under_test.results_sent()

    for workflow in (made, json.loads(sent)["workflow"]):
        call, wait, _ = workflow["steps"]
        assert call["retry"] == {"max_attempts": 3, "backoff": "fixed"}
        assert wait["join"] == {"mode": "all"}


def harmed(blobs: list[Path], how: str) -> None:
    """Harm every large content."""
    assert blobs
    for blob in blobs:
        if how == "damaged":
            blob.write_text('{"half": ')
        else:
            blob.unlink()
