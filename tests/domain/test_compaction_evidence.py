"""What a summary may say: lies of twenty kinds are left out, honest words for the same things stay."""

import pytest

from tests.support.compacted_talks import said
from workflow_agent.assistant.compaction.evidence import Evidence, supported
from workflow_agent.conversations.compactions import Summary
from workflow_agent.conversations.document import AgentReply, WorkflowTouch

TOLD = (
    "Meals are reimbursed up to 46 EUR a day. Hotels cost at most 100 EUR.",
    "Approvals go to the finance lead, not the CFO.",
    "Never send a claim to Sandra while she is ill.",
    "The audit came before the merger on 14 March.",
    "The vendor code of Hartmann is VN-48213. Brandt has VN-111.",
    'We call the second desk "Harbour".',
    "The button is red.",
    "Claims above 500 EUR need two signatures.",
    "I prefer short answers without tables.",
    "Please delete the old invoice workflow later, not today.",
    "Payroll runs every Friday.",
    "Create a workflow for travel costs.",
)


def evidence() -> Evidence:
    events = said(*TOLD).events
    last = events[-1]
    assert isinstance(last, AgentReply)
    touch = WorkflowTouch(id="wf_travel", name="Travel costs", version=1, change="created")
    return Evidence("", (*events[:-1], last.model_copy(update={"workflows_touched": (touch,)})))


LIES = (
    "Hotels cost at most 9999 EUR.",
    "Hotels cost at most 100 USD.",
    "Meals are reimbursed up to 100 EUR.",
    "Approvals go to the CFO.",
    "Approvals do not go to the finance lead.",
    "Claims go to Sandra while she is ill.",
    "The audit came after the merger.",
    "The merger came before the audit.",
    "The audit came on 15 March.",
    "The vendor code of Brandt is VN-48213.",
    'The second desk is called "Haven".',
    "The button is blue.",
    "Claims below 500 EUR need two signatures.",
    "Claims above 500 EUR need three signatures.",
    "The user prefers answers with tables.",
    "The old invoice workflow was deleted.",
    "Payroll runs every Monday.",
    "Maria signs claims above 500 EUR.",
    "The travel costs workflow was deleted.",
    "Marketing bought seventeen elephants for the castle.",
)
HONEST = (
    "Hotels may cost 100 EUR at most.",
    "For meals, up to €46 a day is reimbursed.",
    "The daily limit for meals is 46 EUR.",
    "The finance lead gets the approvals.",
    "Approvals go to the finance lead instead of the CFO.",
    "Sandra gets no claims while she is ill.",
    "Claims must not be sent to Sandra during her illness.",
    "The merger came after the audit.",
    "The audit preceded the merger on March 14.",
    "Hartmann's vendor code: VN-48213.",
    "Brandt has the code VN-111.",
    'The second desk is known as "Harbour".',
    "A red button is used.",
    "Two signatures are needed for claims above 500 EUR.",
    "Claims over 500 EUR need 2 signatures.",
    "The user prefers short answers, no tables.",
    "Short answers without tables are preferred.",
    "Payroll is run each Friday.",
    "The workflow Travel costs was created.",
    "The old invoice workflow is to be deleted later.",
)


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_left_out_and_said_so(lie: str) -> None:
    kept, gone, _ = supported(Summary(text=f"{HONEST[0]} {lie}", decisions=(lie,)), evidence())

    assert kept == Summary(text=HONEST[0])
    assert [one.startswith(lie) for one in gone] == [True, True]


@pytest.mark.parametrize("honest", HONEST)
def test_an_honest_paraphrase_stays(honest: str) -> None:
    kept, gone, _ = supported(Summary(text=honest), evidence())

    assert (kept.text, gone) == (honest, ())
