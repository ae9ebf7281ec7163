"""References within sentences, joined references, and what somebody says they do not mean."""

from datetime import UTC, datetime, timedelta

import pytest

from workflow_agent.conversations.document import Relation, WorkflowReference
from workflow_agent.conversations.memory.references import HIGH_CONFIDENCE, Resolution
from workflow_agent.conversations.memory.resolver import resolve_reference

NOW = datetime(2027, 3, 10, 16, tzinfo=UTC)


def reference(
    workflow_id: str, name: str, relation: Relation = "created", *, hours_ago: float, turn: int = 1, here: bool = True
) -> WorkflowReference:
    return WorkflowReference(
        workflow_id=workflow_id,
        name=name,
        relation=relation,
        turn=turn,
        conversation_id="cv_here" if here else "cv_other",
        at=NOW - timedelta(hours=hours_ago),
    )


INTAKE = reference("intake", "Patient intake", hours_ago=8, turn=1)
DISCHARGE = reference("discharge", "Discharge summary", hours_ago=6, turn=2)
STOCK = reference("stock", "Minibar restock", "viewed", hours_ago=1, turn=3)
REFERRAL = reference("referral", "Specialist referral", hours_ago=26, here=False)
MEMORY = (INTAKE, DISCHARGE, STOCK, REFERRAL)


def meant(text: str, *references: WorkflowReference, opened: str | None = "stock") -> Resolution:
    return resolve_reference(text, references or MEMORY, now=NOW, open_workflow_id=opened, conversation_id="cv_here")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("the first two", "intake discharge", id="the first few"),
        pytest.param("the last two, merge them", "discharge stock", id="the latest few, in a clause"),
        pytest.param("the two I made this morning", "intake discharge", id="two of a time"),
        pytest.param("the one in the middle", "discharge", id="the middle of three"),
        pytest.param("open #3", "stock", id="a number sign"),
        pytest.param("no no, the 2nd", "discharge", id="after talk"),
        pytest.param("the one before the last one", "discharge", id="counted from the end"),
        pytest.param("compare it with the intake", "stock intake", id="compared with it"),
        pytest.param("compare intake and discharge", "intake discharge", id="compared by and"),
        pytest.param("is the discharge better than the intake?", "discharge intake", id="better than"),
        pytest.param("intake & referral", "intake referral", id="an ampersand"),
        pytest.param("discharge or summary whatever it's called", "discharge", id="two words for one"),
        pytest.param("not the intake one, the discharge one", "discharge", id="not this, that"),
        pytest.param("the discharge one, not the intake one", "discharge", id="that, not this"),
        pytest.param("not the intake, the other one from this morning", "discharge", id="the other of a time"),
        pytest.param("everything except the intake", "discharge stock", id="all but one"),
        pytest.param("the one we did right after the intake", "discharge", id="after another"),
        pytest.param("the workflow we did between intake and minibar", "discharge", id="between two"),
        pytest.param("the one before minibar restock", "discharge", id="before another"),
        pytest.param("add a step to the referal", "referral", id="misspelt at the end of a sentence"),
        pytest.param("make a copy of intake", "intake", id="something new, of something known"),
        pytest.param("hey so remember that discharge thing? open it", "discharge", id="chatty"),
        pytest.param("the urgent referral from yesterday", "referral", id="half a name, and when"),
        pytest.param("mini bar", "stock", id="a name in two words"),
        pytest.param("dischargesummary", "discharge", id="a name in one word"),
        pytest.param("the referral from tuesday this week", "referral", id="a weekday"),
        pytest.param("the one made on tuesday of last week", "", id="a day on which nothing was done"),
    ],
)
def test_a_sentence_means_what_a_person_would_understand(text: str, expected: str) -> None:
    assert set(meant(text).workflow_ids) == set(expected.split())


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("not the intake one, the other", id="two are left here"),
        pytest.param("intake or discharge", id="left open"),
        pytest.param("the four of them", id="there are three"),
        pytest.param("the radiology one or the intake", id="one is not known"),
        pytest.param("the one after minibar restock", id="nothing came after"),
        pytest.param("the intake audit", id="a word more than the name has"),
        pytest.param("the one in the middle of yesterday", id="no middle of one"),
        pytest.param("show the intake, then the discharge", id="two in turn"),
        pytest.param("the intake and the discharge, " * 4 + "and the radiology one", id="a long list"),
    ],
)
def test_what_a_sentence_leaves_open_is_asked_about(text: str) -> None:
    assert meant(text).workflow_ids == ()


def test_of_two_the_one_not_meant_leaves_the_other() -> None:
    pair = (INTAKE, DISCHARGE)

    assert meant("not the intake one, the other", *pair, opened=None).workflow_id == "discharge"
    assert meant("the one that isn't open", *pair, opened="intake").workflow_id == "discharge"
    assert meant("the older of the two", *pair, opened=None).workflow_id == "intake"
    assert meant("the first of these two", *pair, opened=None).workflow_id == "intake"
    assert meant("the other of the two", *pair, opened="intake").workflow_id == "discharge"
    assert meant("not this", INTAKE, opened="intake").outcome == "unknown"


def test_words_that_a_name_has_are_never_left_out_of_it() -> None:
    doors = (reference("in", "Guest check-in", hours_ago=3), reference("out", "Guest check-out", hours_ago=2))

    assert meant("check-in", *doors, STOCK).workflow_id == "in"
    assert meant("guest checkout", *doors, STOCK).workflow_id == "out"
    assert meant("the guest one", *doors, STOCK).outcome == "ambiguous"
    assert set(meant("guest check-in and check-out", *doors, STOCK).workflow_ids) == {"in", "out"}


def test_a_kind_of_workflow_tells_when_only_one_name_has_it() -> None:
    pair = (
        reference("deploy", "Deployment pipeline", hours_ago=3),
        reference("roll", "Rollback procedure", hours_ago=1),
    )

    assert meant("the pipeline", *pair, opened="roll").workflow_id == "deploy"
    assert meant("dp", *pair, opened="roll").workflow_id == "deploy"
    assert meant("the rollbak proceedure", *pair, opened=None).workflow_id == "roll"


@pytest.mark.parametrize(
    "text",
    [
        "compare it with the intake",
        "not the intake one, the discharge one",
        "add a step to the referal",
        "the urgent referral from yesterday",
        "the first two",
        "the one after the intake",
    ],
)
def test_what_is_read_from_parts_is_never_sure(text: str) -> None:
    assert 0 < meant(text).confidence < HIGH_CONFIDENCE
