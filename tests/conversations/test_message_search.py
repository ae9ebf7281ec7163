"""Which time words of a query say when something was said, and which are part of what was said."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from tests.support.in_memory import InMemoryConversationStore
from tests.support.stored import AT, a_conversation, saying
from workflow_agent.conversations.history import best_messages
from workflow_agent.conversations.periods import said_when
from workflow_agent.conversations.store import MessageQuery

NOW = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)
"""A Monday."""


@pytest.mark.parametrize(
    ("query", "rest", "first_day", "days"),
    [
        ("what did I say about approvals yesterday?", "approvals", "2026-11-22", 1),
        ("yesterday", "", "2026-11-22", 1),
        ("what did we decide in March about the CFO", "the cfo", "2026-03-01", 31),
        ("what changed last week?", "", "2026-11-16", 7),
        ("the limits we discussed on the 3rd", "the limits", "2026-11-03", 1),
        ("what did you tell me on 5 October about wf_expense-approval?", "me wf_expense-approval", "2026-10-05", 1),
        ("who signs, from three days ago", "who signs", "2026-11-20", 1),
        ("who signs, from eight days ago", "who signs", "2026-11-15", 1),
    ],
)
def test_time_words_of_talking_are_a_filter(query: str, rest: str, first_day: str, days: int) -> None:
    text, periods = said_when(query, NOW)

    assert (text, [str(one.start.date()) for one in periods]) == (rest, [first_day])
    assert [(one.end - one.start).days for one in periods] == [days]


@pytest.mark.parametrize(
    "query",
    [
        "who approves in March?",
        "what is paid on the 25th of December",
        "which report runs on Monday",
        "the audit of 14 March",
        "may we said",
        "what did we say about the harbour?",
        "",
    ],
)
def test_time_words_that_may_be_what_was_said_are_looked_for(query: str) -> None:
    assert said_when(query, NOW) == (query, ())


@pytest.mark.parametrize(
    ("query", "turns"),
    [
        ("what did we say yesterday about the lorry?", [1]),
        ("what did we say about the lorry?", [2, 1]),
        ("what did we say today about the lorry?", [2]),
        ("what was said about the lorry 9 days ago?", [2, 1]),
    ],
)
async def test_where_nothing_of_that_time_answers_all_times_are_searched(query: str, turns: Sequence[int]) -> None:
    store = InMemoryConversationStore()
    talk = saying(a_conversation(), "The lorry is blue.")
    await store.create(saying(talk, "The lorry is red, the lorry is fast.", minutes=24 * 60))
    now = AT.replace(day=22, hour=15)

    hits = await best_messages(store.find, "acme", MessageQuery(query, "invoice-1"), now)
    pages = [
        await best_messages(store.find, "acme", MessageQuery(query, "invoice-1", 1, offset), now) for offset in (0, 1)
    ]

    assert [hit.turn for hit in hits] == turns
    assert [hit.turn for page in pages for hit in page] == turns
