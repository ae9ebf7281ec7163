"""What only picks one of several goes on with what was asked before."""

import pytest

from tests.support.stored import AT
from workflow_agent.assistant.modes.conversation_mode import answers_back, mode_asked_for, picks_one
from workflow_agent.conversations.agents import Mode
from workflow_agent.conversations.document import AgentReply, Conversation, ModeRecord

ASKED = "Which workflow do you mean?\n\n1. **Contract signing** (`wf_contract`)\n2. **Leave request** (`wf_leave`)"


def asked_by(content: str, mode: Mode) -> Conversation:
    """Return a conversation whose last reply is this."""
    reply = AgentReply(
        id="evt_2",
        index=1,
        turn=1,
        at=AT,
        author="assistant",
        content=content,
        run_id="run_c_1_a",
        model="offline",
        tools_used=("list_workflows",),
        mode=ModeRecord(name=mode, confidence=0.9, signals=(), source="inferred"),
    )
    return Conversation(id="c", tenant="acme", created_at=AT, updated_at=AT, events=(reply,))


@pytest.mark.parametrize(
    "message",
    [
        "2",
        "2.",
        "#2",
        "number 2",
        "the second one",
        "second",
        "Contract signing",
        "the Leave request please",
        "wf_leave",
        "“leave request”",
        "the last one, please",
    ],
)
@pytest.mark.parametrize("mode", ["modification", "analysis"])
def test_a_pick_goes_on_in_the_mode_of_the_question(message: str, mode: Mode) -> None:
    decision = mode_asked_for(asked_by(ASKED, mode), message)

    assert decision.mode == mode
    assert decision.signals == (f"{mode}: picks one of what turn 1 asked about",)
    assert decision.scores[mode] == max(decision.scores.values())


@pytest.mark.parametrize(
    "message",
    [
        "list all workflows",
        "what does contract signing do?",
        "Contract signing: who signs?",
        "2 weeks",
        "yes",
        "find the second one that sends invoices",
        "",
        "2" * 300,
    ],
)
def test_whatever_says_more_is_read_by_itself(message: str) -> None:
    assert not picks_one(ASKED, message)


def test_where_nothing_was_asked_there_is_nothing_to_pick() -> None:
    told = ASKED.replace("Which workflow do you mean?", "There are 2 workflows:")

    assert mode_asked_for(asked_by(told, "modification"), "2").mode == "search"


@pytest.mark.parametrize(
    ("message", "reply", "mode", "answers"),
    [
        pytest.param("the one for contracts", ASKED, "modification", True, id="an answer"),
        pytest.param("no, the other one", ASKED, "creation", True, id="in another mode that writes"),
        pytest.param("which of them is older?", ASKED, "modification", False, id="a question"),
        pytest.param("what do they do", ASKED, "modification", False, id="a question without its mark"),
        pytest.param("and show me both first", ASKED, "modification", False, id="an order to read"),
        pytest.param("the one for contracts", ASKED, "search", False, id="what was asked in a search"),
        pytest.param("the one for contracts", "Done.", "modification", False, id="nothing was asked"),
    ],
)
def test_an_answer_to_what_was_asked_about_a_change(message: str, reply: str, mode: Mode, answers: bool) -> None:
    assert answers_back(asked_by(reply, mode), message) == answers


@pytest.mark.parametrize("reply", ["", "\n", "**" * 20_000 + "?", "`" * 40_000 + "?"])
def test_a_strange_reply_is_no_question_to_pick_from(reply: str) -> None:
    assert not picks_one(reply, "contract signing")
