from datetime import UTC, datetime

import pytest

from workflow_agent.assistant.requests import TurnRequest
from workflow_agent.assistant.turns.addressees import choose_mode
from workflow_agent.conversations.agents import ROSTER, Mode
from workflow_agent.conversations.document import AgentReply, Conversation, ModeRecord

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def conversation(mode_override: Mode | None = None) -> Conversation:
    return Conversation(id="c", tenant="default", created_at=NOON, updated_at=NOON, mode_override=mode_override)


@pytest.mark.parametrize(
    ("request_mode", "agent", "override", "chosen", "source"),
    [
        pytest.param("search", "editor", "analysis", "search", "request", id="the request's wins"),
        pytest.param(None, "editor", "analysis", "modification", "agent", id="then the agent's"),
        pytest.param(None, "assistant", "analysis", "analysis", "conversation", id="then the conversation's"),
        pytest.param(None, "assistant", None, "modification", "inferred", id="then the message's"),
    ],
)
def test_a_mode_that_somebody_set_wins(
    request_mode: Mode | None, agent: str, override: Mode | None, chosen: Mode, source: str
) -> None:
    request = TurnRequest("rename the review step to check", mode=request_mode)

    record, _ = choose_mode(conversation(override), request, ROSTER[agent])

    assert (record.name, record.source) == (chosen, source)
    assert record.signals


@pytest.mark.parametrize(
    ("message", "may_write"),
    [
        ("why would an invoice sit there for days?", False),
        ("which of ours talk to Slack?", False),
        ("could you put a legal check in before it's signed?", True),
        ("hello", True),
        # Nearly all messages with these words ask, and this one does not.
        ("the intern does it", True),
        ("the intern does it?", False),
    ],
)
def test_only_a_question_is_kept_from_writing(message: str, may_write: bool) -> None:
    _, refused = choose_mode(conversation(), TurnRequest(message), ROSTER["assistant"])

    assert (refused is None) == may_write


@pytest.mark.parametrize(
    ("message", "may_write"), [("no, the one for contracts", True), ("which of them talk to Slack?", False)]
)
def test_an_answer_to_what_was_asked_about_a_change_may_change_it(message: str, may_write: bool) -> None:
    asked = AgentReply(
        id="evt_2",
        index=1,
        turn=1,
        at=NOON,
        author="assistant",
        run_id="run_c_1_a",
        model="offline",
        content="Which one shall get the review: expenses or contracts?",
        tools_used=("search_workflows",),
        mode=ModeRecord(name="modification", confidence=0.9, signals=(), source="inferred"),
    )

    _, refused = choose_mode(
        conversation().model_copy(update={"events": (asked,)}), TurnRequest(message), ROSTER["assistant"]
    )

    assert (refused is None) == may_write
