"""What goes back to somebody, what is repeated, and cases of one question that are said in other words."""

import pytest

from benchmarks.gold_graphs import edges_between
from workflow_agent.agent.offline.drafting import draft_workflow
from workflow_agent.domain.workflow_parsing import parse_workflow

PASSED = {"decision", "fork", "join", "end"}


def edges_of(text: str) -> set[tuple[str, str]]:
    """Return which steps lead to which in the workflow that a text describes."""
    draft = draft_workflow(text)
    assert draft is not None
    made = parse_workflow(draft.arguments() | {"id": "wf_drawn"})
    return edges_between(made, {step.id for step in made.steps if step.type not in PASSED})


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        pytest.param(
            "The student hands in the essay and the teacher marks it. If it fails, it is sent back to the "
            "student, who rewrites it. If it passes the grade is recorded.",
            {("hand_in_essay", "mark_essay"), ("mark_essay", "rewrite_essay"),
             ("rewrite_essay", "mark_essay"), ("mark_essay", "record_grade")},
            id="who gets it back does it anew",
        ),
        pytest.param(
            "The clerk checks the form and if something is missing sends it back to the applicant; if it is "
            "complete, the officer decides.",
            {("check_form", "revise_form"), ("revise_form", "check_form"), ("check_form", "decide")},
            id="the subject goes on after a condition",
        ),
        pytest.param(
            "The developer fixes the bug and the tester retests it, repeating until the test passes; finally "
            "the release manager publishes the patch",
            {("fix_bug", "retest_bug"), ("retest_bug", "fix_bug"), ("retest_bug", "publish_patch")},
            id="all of it is repeated",
        ),
        pytest.param(
            "Goods are inspected by the clerk. If they are damaged they are scrapped, if they are fine they "
            "go back on the shelf.",
            {("inspect_goods", "scrap_goods"), ("inspect_goods", "go_back_on_shelf")},
            id="back on a shelf is no way back",
        ),
        pytest.param(
            "The auditor reviews the accounts. If there are findings, the clerk corrects them and the "
            "auditor reviews again; if there are none, the auditor closes the case.",
            {("review_accounts", "correct_accounts"), ("correct_accounts", "review_accounts"),
             ("review_accounts", "close_case")},
            id="none of them",
        ),
        pytest.param(
            "draft -> review -> publish, and if the review fails back to draft",
            {("draft", "review"), ("review", "publish"), ("review", "draft")},
            id="a failed step of a chain",
        ),
        pytest.param(
            "The student submits the thesis. Two professors review it in parallel. Then the dean signs it.",
            {("submit_thesis", "review_thesis"), ("review_thesis", "sign_thesis")},
            id="several do one step",
        ),
        pytest.param(
            "The warehouse inspects the product. Damaged ones are scrapped, good ones go back to stock. Then "
            "finance pays the refund.",
            {("inspect_product", "scrap_product"), ("inspect_product", "return_product_to_stock"),
             ("inspect_product", "pay_refund"),
             ("scrap_product", "pay_refund"), ("return_product_to_stock", "pay_refund")},
            id="back to stock is no way back",
        ),
        pytest.param(
            "The clerk checks the sample. If it is good it goes back to the customer. If it is bad the clerk "
            "scraps it.",
            {("check_sample", "return_sample_to_customer"), ("check_sample", "scrap_sample")},
            id="nothing good is done again",
        ),
    ],
)  # fmt: skip
def test_work_goes_back_where_it_was_said(text: str, edges: set[tuple[str, str]]) -> None:
    assert edges_of(text) == edges
