"""A yes to a change that whoever offered it may not make."""

from datetime import UTC, datetime

import pytest

from workflow_agent.assistant.modes.conversation_mode import confirmed_offer, offered_in
from workflow_agent.conversations.agents import DEFAULT_AGENT, ROSTER, AgentProfile
from workflow_agent.conversations.document import AgentReply, Conversation, ModeRecord

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)

EMPTY = Conversation(id="c", tenant="t", created_at=NOON, updated_at=NOON)


def after(content: str, *, author: str = "analyst") -> Conversation:
    reply = AgentReply(
        id="e1",
        index=1,
        turn=1,
        at=NOON,
        author=author,
        content=content,
        run_id="r",
        model="m",
        mode=ModeRecord(name="analysis", confidence=1.0, source="agent"),
    )
    return EMPTY.model_copy(update={"events": (reply,)})


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        ("1. No deadline.\n\nShall I fix that?", "fix that"),
        ("I can fix 1 and 2. Shall I?", "fix 1 and 2"),
        ("I could rename it to Spending. Shall I do that?", "rename it to Spending"),
        ("It is unreachable. Would you like me to remove it?", "remove it"),
        ("**Want me to add a timeout?**", "add a timeout"),
        ("Shall I?", ""),
        ("Shall I fix it? Tell me.", ""),
        ("Which one is it?", ""),
        ("", ""),
    ],
)
def test_what_a_reply_offers(reply: str, wanted: str) -> None:
    assert offered_in(reply) == wanted


@pytest.mark.parametrize(
    ("conversation", "message", "who"),
    [
        pytest.param(after("Shall I fix that?"), "yes", "editor", id="a change is the editor's"),
        pytest.param(after("Shall I fix that?"), "@analyst yes, please", "editor", id="named"),
        pytest.param(after("Shall I create one?", author="finder"), "ok", "designer", id="a new one"),
        pytest.param(after("Shall I fix that?"), "no", None, id="no"),
        pytest.param(after("Shall I fix that?"), "yes, and rename it", None, id="more than a yes"),
        pytest.param(after("Shall I open it?"), "yes", None, id="reading needs nobody else"),
        pytest.param(after("Shall I fix that?", author="editor"), "yes", None, id="may do it"),
        pytest.param(after("Shall I fix that?", author="assistant"), "yes", None, id="has every mode"),
        pytest.param(after("Shall I fix that?", author="somebody"), "yes", None, id="not on the roster"),
        pytest.param(EMPTY, "yes", None, id="nobody spoke yet"),
    ],
)
def test_who_takes_over(conversation: Conversation, message: str, who: str | None) -> None:
    handoff = confirmed_offer(conversation, message, ROSTER)

    assert (handoff.to if handoff else None) == who


def test_without_a_specialist_the_default_agent_takes_over() -> None:
    roster = {name: ROSTER[name] for name in (DEFAULT_AGENT, "analyst")}

    handoff = confirmed_offer(after("Shall I fix that?"), "yes", roster)

    assert handoff is not None
    assert (handoff.by, handoff.to, handoff.confirms) == ("analyst", DEFAULT_AGENT, "fix that")


def test_an_agent_of_the_operators_takes_over_what_is_its_field() -> None:
    repairer = AgentProfile(name="repairer", description="Repairs.", mode="modification")

    handoff = confirmed_offer(after("Shall I fix that?"), "yes", {"analyst": ROSTER["analyst"], "repairer": repairer})

    assert handoff is not None
    assert handoff.to == "repairer"
