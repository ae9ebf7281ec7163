"""What is done for each of several things stands inside a loop."""

import pytest

from workflow_agent.agent.offline.drafting import draft_workflow
from workflow_agent.domain.analysis import analyze
from workflow_agent.domain.drafts import parse_draft, workflow_from_draft
from workflow_agent.domain.workflow import Workflow


def drafted(text: str) -> Workflow:
    draft = draft_workflow(text)
    assert draft is not None
    return workflow_from_draft(parse_draft(draft.arguments()), "wf_drafted")


@pytest.mark.parametrize(
    ("text", "loop", "inside", "outside"),
    [
        pytest.param(
            "For each invoice, check the amount and then post it to the ledger; then email finance",
            "For each invoice", ["Check amount", "Post amount to ledger"], ["Email finance", "Done"],
            id="first, with work after it",
        ),
        pytest.param(
            "Every Monday the clerk collects the invoices. For each invoice, the manager checks it and "
            "finance pays it. Then finance signs the report.",
            "For each invoice", ["Check", "Pay"], ["Collect invoices", "Sign report", "Done"],
            id="in the middle",
        ),
        pytest.param(
            "The clerk opens the batch, then for every line, check the price. Afterwards the manager signs.",
            "For each line", ["Check price"], ["Open batch", "Sign", "Done"],
            id="a single step",
        ),
        pytest.param(
            "for each line of the order the picker fetches the item; then the packer packs the box",
            "For each line of the order", ["Fetch item"], ["Pack box", "Done"],
            id="without a comma",
        ),
    ],
)  # fmt: skip
def test_what_is_done_for_each_is_inside_the_loop(
    text: str, loop: str, inside: list[str], outside: list[str]
) -> None:
    workflow = drafted(text)

    (repeated,) = [step for step in workflow.steps if step.type == "loop"]
    assert repeated.name == loop
    assert repeated.loop is not None
    assert [step.name for step in workflow.steps if step.parent == repeated.id] == inside
    assert [step.name for step in workflow.steps if step.parent is None and step is not repeated] == outside
    assert not [one for one in analyze(workflow) if one.severity == "error"]


def test_each_new_thing_is_what_starts_it_and_no_loop() -> None:
    workflow = drafted("For each new order: the clerk checks it, the warehouse packs it.")

    assert not [step for step in workflow.steps if step.type == "loop"]


def test_a_message_full_of_loops_is_still_read() -> None:
    assert draft_workflow("the clerk checks it, then the boss signs. " + "for each a, do b. " * 500)
