"""Filters said in words, and where a workflow says the words of a query."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support.searched import WORKFLOWS, described
from workflow_agent.workflows.search.listing import highlights, merged, said_filters
from workflow_agent.workflows.store import ANY_WORKFLOW, WorkflowFilters

THURSDAY = datetime(2026, 11, 19, 15, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("query", "rest", "asked"),
    [
        ("workflows owned by finance", "", {"role": "finance"}),
        ("payments assigned to the team lead", "payments", {"role": "team lead"}),
        ("owner:legal contracts", "contracts", {"role": "legal"}),
        ('tag:"year end" reports', "reports", {"tag": "year end"}),
        ("invoices tagged urgent and owned by finance", "invoices and", {"tag": "urgent", "role": "finance"}),
        ("what is triggered by a webhook?", "", {"trigger": "webhook"}),
        ("reports that run every monday", "reports", {"trigger": "monday"}),
        ("which approvals have no deadline", "which approvals", {"has_deadline": False}),
        ("the ones with a time limit", "", {"has_deadline": True}),
        ("changed since yesterday", "", {"changed_since": datetime(2026, 11, 18, tzinfo=UTC)}),
        ("changed since thursday", "", {"changed_since": datetime(2026, 11, 12, tzinfo=UTC)}),
        ("edited this month", "", {"changed_since": datetime(2026, 11, 1, tzinfo=UTC)}),
        ("updated after last month", "", {"changed_since": datetime(2026, 10, 1, tzinfo=UTC)}),
        ("changed since last week", "", {"changed_since": datetime(2026, 11, 9, tzinfo=UTC)}),
        ("changed since last year", "", {"changed_since": datetime(2025, 1, 1, tzinfo=UTC)}),
        ("modified since 2026-02-03", "", {"changed_since": datetime(2026, 2, 3, tzinfo=UTC)}),
        ("modified since 2026-99-03", "", {"changed_since": datetime(2026, 11, 19, tzinfo=UTC)}),
        ("changed in the last 2 days", "", {"changed_since": datetime(2026, 11, 17, 15, 30, tzinfo=UTC)}),
        ("How to reset a password", "How to reset a password", {}),
        ("changed since " + "x" * 500, "changed since " + "x" * 500, {}),
    ],
)
def test_what_words_ask_for(query: str, rest: str, asked: dict[str, Any]) -> None:
    assert said_filters(query, THURSDAY) == (rest, WorkflowFilters(**asked))


def test_what_a_request_asks_for_itself_stays() -> None:
    asked = WorkflowFilters(tag="hr")

    assert merged(asked, WorkflowFilters(tag="it", role="boss")) == WorkflowFilters(tag="hr", role="boss")
    assert merged(asked, ANY_WORKFLOW) == asked


def test_words_are_shown_where_they_are() -> None:
    name, step = highlights(WORKFLOWS[1], "how do we pay an invoice, announced or not?")[:2]

    assert (name.field, name.text) == ("name", "Supplier invoice payment")
    assert [name.text[begin:end] for begin, end in name.spans] == ["invoice", "payment"]
    assert (step.field, step.text, step.spans) == ("steps", "Announce", ((0, 8),))


def test_of_a_long_text_the_part_around_the_words_is_shown() -> None:
    long = described("wf_long", "Long", description="word " * 100 + "needle" + " word" * 100)

    (found,) = highlights(long, "the needle")

    assert len(found.text) == 160
    assert [found.text[begin:end] for begin, end in found.spans] == ["needle"]


def test_a_query_without_words_marks_nothing() -> None:
    assert highlights(WORKFLOWS[0], " ") == ()
