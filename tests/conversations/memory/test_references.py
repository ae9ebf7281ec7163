"""What the journal of workflows dealt with keeps, and the names it learns."""

from datetime import UTC, datetime, timedelta

import pytest

from workflow_agent.conversations.document import Relation, WorkflowReference
from workflow_agent.conversations.memory.aliases import aliases_from_name, name_given_in
from workflow_agent.conversations.memory.references import known_workflows, merged_references

AT = datetime(2026, 11, 20, 15, tzinfo=UTC)


def reference(
    workflow_id: str = "wf_a",
    relation: Relation = "viewed",
    *,
    name: str = "Expense approval",
    days_ago: float = 0,
    turn: int = 1,
    times: int = 1,
    aliases: tuple[str, ...] = (),
) -> WorkflowReference:
    return WorkflowReference(
        workflow_id=workflow_id,
        name=name,
        relation=relation,
        turn=turn,
        conversation_id="cv_1",
        at=AT - timedelta(days=days_ago),
        times=times,
        aliases=aliases,
    )


def test_what_happens_again_on_a_day_is_counted() -> None:
    merged = merged_references([reference(turn=1, days_ago=0.1)], [reference(turn=2)])

    assert [(one.turn, one.times) for one in merged] == [(2, 2)]


def test_each_day_keeps_its_entry() -> None:
    merged = merged_references([reference(days_ago=1)], [reference(turn=2)])

    assert [one.times for one in merged] == [1, 1]


def test_a_commit_that_is_repeated_counts_once() -> None:
    once = merged_references([], [reference()])

    assert merged_references(once, [reference()]) == once


def test_a_rename_on_the_same_day_keeps_the_old_name() -> None:
    merged = merged_references([reference(turn=1)], [reference(turn=2, name="Spend review")])

    assert "Expense approval" in known_workflows(merged)[0].aliases


def test_what_matters_least_goes_not_what_is_oldest() -> None:
    old = reference("wf_made", "created", days_ago=20, times=8)
    glances = [reference(f"wf_{n}", "viewed", days_ago=10 - n, turn=n) for n in range(1, 5)]

    merged = merged_references([old, *glances], [], most=3)

    assert [one.workflow_id for one in merged] == ["wf_made", "wf_3", "wf_4"]


def test_aliases_from_a_name_are_its_words_its_shortenings_and_its_initials() -> None:
    assert aliases_from_name("The Expense Management workflow") == (
        "expense management",
        "expense",
        "management",
        "expense mgmt",
        "EM",
    )


@pytest.mark.parametrize(
    ("message", "what", "alias"),
    [
        ("call it the Monday thing", "it", "the Monday thing"),
        ("Let's call this X from now on", "this", "X"),
        ("from now on call the expense approval 'Bob'", "the expense approval", "Bob"),
        ("We'll refer to the leave workflow as HR-1.", "the leave workflow", "HR-1"),
        ("Looks good. I usually call that the boss flow", "that", "the boss flow"),
        ('when I say "op day" I mean this workflow', "this workflow", "op day"),
        ('"the owl" is what we call it', "it", "the owl"),
        ("we call this one op day", "this one", "op day"),
        ('colleagues nicknamed it "the hydra"', "it", "the hydra"),
        ("everybody knows it as the owl", "it", "the owl"),
        ('the team refers to this workflow as "morning run"', "this workflow", "morning run"),
    ],
)
def test_people_give_names(message: str, what: str, alias: str) -> None:
    given = name_given_in(message)

    assert given is not None
    assert (given.what, given.alias) == (what, alias)


@pytest.mark.parametrize(
    "message",
    [
        "What should we call it?",
        "add a review step and call it Legal",
        "Add a step. Call it Legal check.",
        "call it when done",
        "call it a day",
        "call me later",
        "The finance team calls the API",
        "call the expense approval",
        'if it is "rejected" go back',
        'it says "paid" when that happens',
        'rename it to "Foo"',
        '"Foo"',
        "",
    ],
)
def test_other_calls_give_no_name(message: str) -> None:
    assert name_given_in(message) is None
