"""Orders to, and questions about, workflows with error paths, branches and several ends, as the samples have them."""

import json
from pathlib import Path

import pytest

from tests.support.chats import TENANT, chat_with
from tests.support.talking import Talk
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

SAMPLES = Path(__file__).parents[3] / "data" / "samples"


async def talk_of(*names: str) -> Talk:
    """Return a talk of somebody who has some samples."""
    under_test = chat_with(OfflineModel())
    for name in names:
        await under_test.add(parse_workflow(json.loads((SAMPLES / f"{name}.json").read_text("utf-8"))))
    return Talk(under_test)


async def opened(name: str) -> Talk:
    """Return a talk in which a sample is open."""
    talk = await talk_of(name)
    await talk.say(f"show {(await current(talk)).name}")
    return talk


async def current(talk: Talk) -> Workflow:
    (workflow,) = await talk.under_test.workflows.all(TENANT)
    return workflow


def ways(workflow: Workflow) -> set[tuple[str, str, str]]:
    return {(edge.from_, edge.to, edge.type) for edge in workflow.transitions}


async def test_who_is_told_of_a_failure_stands_before_its_repair() -> None:
    talk = await opened("expense_approval")

    await talk.say("if Pay out fails, notify the manager")

    added = ways(await current(talk))
    assert ("pay", "notify_the_manager", "error") in added
    assert ("notify_the_manager", "repair_payment", "sequence") in added
    assert ("pay", "repair_payment", "error") not in added


async def test_what_is_done_after_a_failure_is_not_what_fails() -> None:
    talk = await opened("nightly_etl")

    asked = await talk.say("notify the data team if the load fails")

    assert not asked.content.startswith("Done")
    assert (await current(talk)).version == 1


async def test_errors_from_before_are_not_said_to_be_new() -> None:
    talk = await opened("nightly_etl")

    reply = await talk.say("add a smoke test before Publish tables")

    assert "This brought no new errors, but it has some" in reply.content


@pytest.mark.parametrize(
    ("sample", "said", "told"),
    [
        ("release_pipeline", "post a message in Slack after the release", "Nothing is changed yet"),
        ("incident_response", "write a post-mortem within 5 days after it is resolved", "Write post-mortem"),
        ("expense_approval", "swap manager review and finance review", "I can't do that: 'Manager review' and"),
    ],
)
async def test_what_may_be_meant_otherwise_or_cannot_be_done_changes_nothing(sample: str, said: str, told: str) -> None:
    talk = await opened(sample)

    reply = await talk.say(said)

    assert told in reply.content
    assert (await current(talk)).version == 1


async def test_a_place_between_steps_that_are_no_neighbours_is_told() -> None:
    talk = await opened("employee_onboarding")

    reply = await talk.say("add a badge photo between Collect details and Settle in")

    assert "right after “Collect details”" in reply.content
    assert (await current(talk)).version == 2


@pytest.mark.parametrize(
    ("sample", "said", "step", "deadline"),
    [
        ("employee_onboarding", "the welcome call should happen within 1 day", "call_new_hire", "P1D"),
        ("lead_qualification", "call leads within 2 hours", "contact", "PT2H"),
    ],
)
async def test_a_step_is_named_by_its_work_too(sample: str, said: str, step: str, deadline: str) -> None:
    talk = await opened(sample)

    await talk.say(said)

    changed = (await current(talk)).step(step)
    assert changed is not None
    assert changed.timeout == deadline


async def test_a_new_step_is_told_with_its_deadline() -> None:
    talk = await opened("expense_approval")

    reply = await talk.say("add a tax check after finance review, done by the tax team, deadline 2 days")

    assert "Added step 'Tax check' (human, tax team, within 2 days)" in reply.content


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("show me everything tagged hr", {"wf_employee_onboarding", "wf_leave_request"}),
        ("which workflows start when an email arrives?", {"wf_invoice_payment"}),
        ("which workflows are triggered by shopify?", {"wf_order_fulfilment"}),
        ("show me the leave workflow", {"wf_leave_request"}),
    ],
)
async def test_workflows_are_listed_by_their_tags_and_what_starts_them(said: str, found: set[str]) -> None:
    names = ("employee_onboarding", "leave_request", "invoice_payment", "order_fulfilment")
    talk = await talk_of(*names)

    reply = await talk.say(said)

    assert {f"wf_{name}" for name in names if f"`wf_{name}`" in reply.content} == found


async def test_a_denial_that_is_not_understood_lists_nothing_as_found() -> None:
    talk = await talk_of("leave_request", "order_fulfilment")

    reply = await talk.say("which workflows have no owner for some step?")

    assert "I did not understand" in reply.content
    assert "There are" not in reply.content


async def test_how_much_is_no_question_for_a_yes() -> None:
    talk = await opened("customer_refund")

    reply = await talk.say("how much can be refunded without approval?")

    assert not reply.content.startswith(("Yes", "No"))


@pytest.mark.parametrize(
    ("sample", "said", "added", "following"),
    [
        ("leave_request", "tell the team when leave is approved", "tell_the_team", "approved"),
        ("contract_signing", "notify sales when the contract is active", "notify_the_sales", "active"),
    ],
)
async def test_what_comes_after_an_end_stands_before_it(sample: str, said: str, added: str, following: str) -> None:
    talk = await opened(sample)

    await talk.say(said)

    edges = {(edge.from_, edge.to) for edge in (await current(talk)).transitions}
    assert (added, following) in edges


async def test_a_limit_that_is_told_as_it_is_now_is_no_question() -> None:
    talk = await opened("contract_signing")

    await talk.say("the limit for large deals is 50k now")

    cases = [edge.when.text for edge in (await current(talk)).transitions if edge.when]
    assert "more than 50,000 EUR a year" in cases


@pytest.mark.parametrize(("sample", "said"), [("purchase_order", "orders can be cancelled when goods are received")])
async def test_what_is_allowed_or_half_read_changes_nothing(sample: str, said: str) -> None:
    talk = await opened(sample)

    await talk.say(said)

    assert (await current(talk)).version == 1
