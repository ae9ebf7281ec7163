"""What people call a workflow, and the one they mean."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.eval_references import SETS, accuracy, evaluated
from workflow_agent.conversations.document import Relation, WorkflowReference
from workflow_agent.conversations.memory.references import Resolution
from workflow_agent.conversations.memory.resolver import resolve_reference

NOW = datetime(2026, 11, 20, 15, tzinfo=UTC)


def reference(
    name: str,
    relation: Relation = "viewed",
    *,
    hours_ago: float = 1,
    turn: int = 1,
    here: bool = True,
    aliases: tuple[str, ...] = (),
    workflow_id: str | None = None,
) -> WorkflowReference:
    return WorkflowReference(
        workflow_id=workflow_id or f"wf_{name.casefold().replace(' ', '_')}",
        name=name,
        aliases=aliases,
        relation=relation,
        turn=turn,
        conversation_id="cv_here" if here else "cv_other",
        at=NOW - timedelta(hours=hours_ago),
    )


EXPENSE = reference("Expense approval", "created", hours_ago=5, turn=1)
LEAVE = reference("Leave request", "modified", hours_ago=4, turn=2)
CONTRACT = reference("Contract review", "viewed", hours_ago=3, turn=3)
MEMORY = (EXPENSE, LEAVE, CONTRACT)


def meant(text: str, *references: WorkflowReference, opened: str | None = "wf_contract_review") -> Resolution:
    return resolve_reference(text, references or MEMORY, now=NOW, open_workflow_id=opened, conversation_id="cv_here")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it", "wf_contract_review"),
        ("That one!", "wf_contract_review"),
        ("the last one", "wf_contract_review"),
        ("the first one we made", "wf_expense_approval"),
        ("the one before that", "wf_leave_request"),
        ("the one I just changed", "wf_leave_request"),
        ("my expenses workflow", "wf_expense_approval"),
        ("the expnse aproval", "wf_expense_approval"),
        ("LR", "wf_leave_request"),
        ("open wf_leave_request please", "wf_leave_request"),
        ("not that one, the leave one", "wf_leave_request"),
        ("add a step to the contract review", "wf_contract_review"),
    ],
)
def test_a_phrase_means_what_a_person_would_understand(text: str, expected: str) -> None:
    assert meant(text).workflow_id == expected


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        pytest.param("the other one", "ambiguous", id="two others"),
        pytest.param("both", "ambiguous", id="three are known"),
        pytest.param("the payroll workflow", "unknown", id="never heard of"),
        pytest.param("the expense audit", "ambiguous", id="a word more than any name has"),
        pytest.param("wf_nobody_made", "unknown", id="an id not met"),
        pytest.param("the one I deleted", "unknown", id="nothing is remembered of deleting"),
        pytest.param("the one from yesterday", "ambiguous", id="nothing that day"),
    ],
)
def test_what_cannot_be_told_is_asked_about(text: str, outcome: str) -> None:
    found = meant(text)

    assert (found.outcome, found.workflow_ids, found.confidence) == (outcome, (), 0.0)


def test_names_that_fit_alike_are_the_candidates() -> None:
    found = meant("the expense one", reference("Expense approval"), reference("Expense report"))

    assert found.outcome == "ambiguous"
    assert {one.name for one in found.candidates} == {"Expense approval", "Expense report"}


def test_a_number_in_a_name_must_be_the_one_said() -> None:
    audits = (reference("Audit 2025"), reference("Audit 2026"))

    assert meant("the 2026 audit", *audits).workflow_id == "wf_audit_2026"
    assert meant("the 2024 audit", *audits).outcome == "ambiguous"


def test_words_of_a_name_are_not_read_as_anything_else() -> None:
    found = meant("first aid", reference("First aid course"), EXPENSE)

    assert found.workflow_id == "wf_first_aid_course"


@pytest.mark.parametrize(
    ("text", "hours_ago"),
    [
        ("the one from yesterday", 24),
        ("the one from this morning", 6),
        ("the one from last week", 24 * 8),
        ("the one we made on Monday", 24 * 4),
        ("the one from three days ago", 72),
        ("the one from November 10", 24 * 10),
        ("the thing from two hours ago", 2),
        ("last month's one", 24 * 30),
    ],
)
def test_time_words_count_from_now(text: str, hours_ago: float) -> None:
    wanted = reference("Wanted", "created", hours_ago=hours_ago, here=False)
    others = (reference("Newer", hours_ago=0.1), reference("Older", hours_ago=24 * 100))

    assert meant(text, wanted, *others).workflow_id == "wf_wanted"


def test_days_begin_where_the_user_is() -> None:
    late = reference("Wanted", hours_ago=16)  # 23:00 the day before in UTC, this day in Berlin
    berlin = NOW.astimezone(timezone(timedelta(hours=1)))

    assert resolve_reference("the one from yesterday", [late], now=NOW).workflow_id == "wf_wanted"
    assert resolve_reference("the one from yesterday", [late], now=berlin).outcome == "ambiguous"


def test_a_former_name_is_still_found() -> None:
    before = reference("Spend review", workflow_id="wf_a", hours_ago=3)
    after = reference("Cost control", "modified", workflow_id="wf_a", hours_ago=1)

    assert meant("spend review", before, after, EXPENSE).workflow_id == "wf_a"


def test_who_has_a_name_now_comes_before_who_had_it_but_not_surely() -> None:
    before = reference("Spend review", workflow_id="wf_a", hours_ago=3)
    after = reference("Cost control", workflow_id="wf_a", hours_ago=2)
    new = reference("Spend review", workflow_id="wf_b", hours_ago=1)

    found = meant("spend review", before, after, new)

    assert found.workflow_id == "wf_b"
    assert found.confidence < 0.8


def test_what_was_deleted_is_meant_only_when_that_is_said() -> None:
    gone = reference("Old audit", "deleted", hours_ago=0.1, turn=4)

    assert meant("the one I deleted", *MEMORY, gone).workflow_id == "wf_old_audit"
    assert meant("the last one", *MEMORY, gone, opened=None).workflow_id == "wf_contract_review"
    assert meant("the audit", *MEMORY, gone).outcome == "unknown"


def test_it_is_asked_about_when_two_were_compared_and_none_is_open() -> None:
    pair = (reference("Quote", turn=6), reference("Order", turn=6))

    assert meant("it", *pair, opened=None).outcome == "ambiguous"
    assert set(meant("both", *pair, opened=None).workflow_ids) == {"wf_quote", "wf_order"}


def test_nothing_remembered_means_nothing_resolved() -> None:
    assert resolve_reference("it", [], now=NOW).outcome == "unknown"


@given(st.text(max_size=400))
def test_any_text_gets_an_answer(text: str) -> None:
    found = meant(text)

    assert (found.outcome == "resolved") == bool(found.workflow_ids)


@pytest.mark.parametrize("name", SETS)
def test_labelled_phrasings_resolve_as_a_person_would(name: str) -> None:
    answers = evaluated(SETS[name])

    assert accuracy(answers) >= 0.9
    assert [one.text for one in answers if one.is_surely_wrong] == []
